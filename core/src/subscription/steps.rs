//! Remembers which steps the renewal of a period has taken, so that each happens once, and tells the mailer whether a
//! period is still to be paid. Called by `renewal`, `notice` and `store` inside their transactions, by the mailer, and
//! by `actors/src/jobs.rs` when a node starts.

use jiff::{SignedDuration, Timestamp};

use super::row::latest;
use super::{Status, Subscription};
use crate::brazil::local_date;
use crate::db::{CompanyTx, Db, Params, PlatformTx};
use crate::error::Result;
use crate::id::{PaymentId, SubscriptionId};
use crate::payment_method::Instrument;
use crate::scope::CompanyScope;

const MARK: &str = "INSERT INTO renewal_steps (company_id, subscription_id, period_start, kind, at) \
     VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING";
/// No second payment for one period: a conflict is a defect, and nothing of its transaction stays.
const PAID: &str = "INSERT INTO renewal_steps (company_id, subscription_id, period_start, kind, at) \
     VALUES ($1, $2, $3, 'paid', $4)";
const LATEST: &str = latest!();
const UNPAID: &str = "DELETE FROM renewal_steps WHERE company_id = $1 AND subscription_id = $2 \
     AND kind = 'paid' AND period_start >= $3";
const CHARGED: &str = "INSERT INTO renewal_steps (company_id, subscription_id, period_start, kind, card, \
     payment_id, at) VALUES ($1, $2, $3, $4, $5, $6, $7)";
const OF_PAYMENT: &str =
    "SELECT period_start FROM renewal_steps WHERE company_id = $1 AND payment_id = $2";
const DECLINED: &str = "UPDATE payment_methods c SET is_declined = true FROM renewal_steps s \
     WHERE s.company_id = $1 AND s.payment_id = $2 AND c.company_id = $1 AND c.id = s.card";
const CHARGES_SINCE: &str = "SELECT count(*) AS count FROM renewal_steps \
     WHERE company_id = $1 AND payment_id IS NOT NULL AND at > $2";
const CARD_EXPIRES: &str = "SELECT EXISTS (SELECT 1 FROM payment_methods WHERE company_id = $1 AND is_default \
     AND (exp_year, exp_month) < ($2, $3)) AS expires";
/// A subscription that lost its timer, or is older than the timers, gets one.
const ADD_MISSING_TIMERS: &str = "INSERT INTO jobs (id, kind, key, payload, run_at, created_at) \
     SELECT gen_random_uuid(), 'renewal', s.company_id::text, \
         json_build_object('company_id', s.company_id)::text, $1, $1 FROM subscriptions s \
     WHERE s.anchor_local IS NOT NULL AND s.status IN ('active', 'canceled', 'suspended') \
     AND NOT EXISTS (SELECT FROM jobs j WHERE j.kind = 'renewal' AND j.key = s.company_id::text) \
     ON CONFLICT (kind, key) DO NOTHING";

/// A period of a subscription, whose renewal takes the steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RenewalPeriod {
    pub subscription: SubscriptionId,
    pub period_start: Timestamp,
}

/// Notes a step; false when it was done before.
pub async fn mark(tx: &CompanyTx, period: RenewalPeriod, kind: &str) -> Result<bool> {
    let company = tx.company_id();
    let params: Params<'_> =
        &[&company, &period.subscription, &period.period_start, &kind, &tx.now()];
    Ok(tx.execute(MARK, params).await? == 1)
}

/// The period is paid.
///
/// # Errors
/// `Internal` when it was paid before.
pub async fn mark_paid(tx: &CompanyTx, period: RenewalPeriod) -> Result<()> {
    let company = tx.company_id();
    tx.execute(PAID, &[&company, &period.subscription, &period.period_start, &tx.now()]).await?;
    Ok(())
}

/// Whether the period is the one that the running subscription is to be paid for next.
pub(crate) async fn is_owed(db: &Db, scope: &CompanyScope, period: RenewalPeriod) -> Result<bool> {
    let company = scope.company_id();
    let params: Params<'_> = &[&company];
    let [latest] = db.ask_company(scope, [(LATEST, params)]).await?;
    let Some(row) = latest.first().map(Subscription::try_from).transpose()? else {
        return Ok(false);
    };
    let runs = matches!(row.status, Status::Active | Status::Suspended);
    let begins = row.term.map(|term| term.paid_end());
    Ok(runs && row.id == period.subscription && begins == Some(period.period_start))
}

/// The `first` of these periods and all later ones are not paid any more: their payment was credited.
pub async fn unmark_paid(tx: &CompanyTx, first: RenewalPeriod) -> Result<()> {
    tx.execute(UNPAID, &[&tx.company_id(), &first.subscription, &first.period_start]).await?;
    Ok(())
}

/// A charge of the saved instrument, in the transaction that opens its payment.
pub async fn mark_charge(
    tx: &CompanyTx,
    period: RenewalPeriod,
    kind: &str,
    instrument: &Instrument,
    payment: PaymentId,
) -> Result<()> {
    let company = tx.company_id();
    tx.execute(
        CHARGED,
        &[
            &company,
            &period.subscription,
            &period.period_start,
            &kind,
            &instrument.id(),
            &payment,
            &tx.now(),
        ],
    )
    .await?;
    Ok(())
}

/// The start of the period that a payment is a charge for; none for a payment by a person.
pub async fn charged_period(tx: &CompanyTx, payment: PaymentId) -> Result<Option<Timestamp>> {
    tx.find_value(OF_PAYMENT, &[&tx.company_id(), &payment]).await
}

/// The saved instrument of a charge was declined for good.
pub async fn mark_declined(tx: &CompanyTx, payment: PaymentId) -> Result<()> {
    tx.execute(DECLINED, &[&tx.company_id(), &payment]).await?;
    Ok(())
}

/// How many charges the company got within the last day.
pub async fn charges_of_a_day(tx: &CompanyTx) -> Result<i64> {
    let since = tx.now() - SignedDuration::from_hours(24);
    tx.value(CHARGES_SINCE, &[&tx.company_id(), &since]).await
}

/// Whether the default card will have expired at the instant, as far as the provider has told until now.
pub async fn card_expires_before(tx: &CompanyTx, at: Timestamp) -> Result<bool> {
    let day = local_date(at);
    let (year, month) = (i32::from(day.year()), i32::from(day.month()));
    tx.value(CARD_EXPIRES, &[&tx.company_id(), &year, &month]).await
}

/// Every running subscription has its timer. Answers how many were missing.
pub async fn add_missing_timers(tx: &PlatformTx) -> Result<u64> {
    tx.execute(ADD_MISSING_TIMERS, &[&tx.now()]).await
}
