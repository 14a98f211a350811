//! Remembers payments and decides nothing. A write of a state names the version that the decision was made on. When
//! another node has decided in between, the write is an error, so that no decision is lost.

use super::row::Columns;
use super::{Method, Payment, PaymentMetadata, PaymentView, measure};
use crate::company::{self, CompanyLock};
use crate::db::{CompanyTx, Db, PlatformTx, Query};
use crate::error::{Error, Result};
use crate::event::EventName;
use crate::id::{CompanyId, PaymentId, SubscriptionId};
use crate::money::BRL;
use crate::scope::CompanyScope;
use crate::subscription::current_view;
use crate::subscription::quote::Quote;
use crate::subscription::view::SubscriptionView;

/// `overtaken`: another payment of the company is open, or was paid after this one began. `credited`: its money bought
/// nothing and became credit.
macro_rules! columns {
    () => {
        "p.id, p.company_id, p.created_by, p.state, p.action, p.unknown, p.unknown_at, p.method, p.amount_cents, \
         p.change_type, p.quote_id, p.provider, p.provider_intent, p.provider_key, p.provider_request, \
         p.saves_card, p.read_started_at, p.closing, p.superseded, p.expires_at, p.pix_code, p.hosted_url, \
         p.bank_slip_line, p.bank_slip_pdf, p.failure_code, p.failure_detail, p.succeeded_at, p.metadata, \
         p.received_cents, p.refunded_cents, p.disputed, p.cancel_reason, p.review_reason, \
         p.version, p.created_at, p.updated_at, p.effects_at IS NOT NULL AS is_applied, \
         (EXISTS (SELECT FROM payments o WHERE o.company_id = p.company_id AND o.id <> p.id \
             AND payment_is_open(o.state) AND NOT o.superseded) \
           OR EXISTS (SELECT FROM payments o WHERE o.company_id = p.company_id AND o.id <> p.id \
             AND o.state = 'succeeded' AND o.created_at >= p.created_at)) AS overtaken, \
         EXISTS (SELECT FROM credit_entries e WHERE e.company_id = p.company_id \
           AND e.source = p.id::text AND e.kind = 'unapplied_payment') AS credited"
    };
}
pub(super) use columns;

/// A payment about to be stored, in the transaction that opens it.
pub struct NewPayment<'a> {
    pub id: PaymentId,
    pub subscription_id: SubscriptionId,
    pub method: Method,
    pub quote: &'a Quote,
    pub provider: &'a str,
    pub key: &'a str,
    pub request: &'a str,
    pub saves_card: bool,
    pub idempotency_key: Option<&'a str>,
    pub metadata: &'a PaymentMetadata,
    /// Counts declines of the payer's network; none for a charge by a job.
    pub payer_bucket: Option<&'a str>,
}

/// Stores it as `submitting`, its creation not answered yet.
///
/// # Errors
/// `Conflict(PAYMENT_IN_PROGRESS)` when another one holds the slot.
pub async fn insert(tx: &CompanyTx, new: &NewPayment<'_>) -> Result<Payment> {
    let metadata = serde_json::to_string(new.metadata).map_err(Error::internal)?;
    let quote = new.quote;
    let row = tx
        .query_one(
            INSERT,
            &[
                &new.id,
                &tx.company_id(),
                &new.subscription_id,
                &tx.scope().user_id(),
                &new.method,
                &quote.amount_due,
                &BRL,
                &quote.change_type,
                &quote.plan_id,
                &quote.cycle,
                &quote.id,
                &quote.basis,
                &quote.frozen_at,
                &new.provider,
                &new.key,
                &new.request,
                &new.idempotency_key,
                &metadata,
                &tx.now(),
                &new.payer_bucket,
                &new.saves_card,
            ],
        )
        .await?;
    measure::count_created(tx, new.method);
    Payment::try_from(&row)
}

const INSERT: &str = concat!(
    "INSERT INTO payments AS p (id, company_id, subscription_id, created_by, state, unknown, \
     method, amount_cents, currency, change_type, plan_id, billing_cycle, quote_id, basis, frozen_at, \
     provider, provider_key, provider_request, idempotency_key, metadata, created_at, updated_at, \
     unknown_at, payer_bucket, saves_card) \
     VALUES ($1, $2, $3, $4, 'submitting', true, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, \
     $17, $18, $19, $19, $19, $20, $21) RETURNING ",
    columns!()
);

/// # Errors
/// `NotFound` when the company has no such payment.
pub async fn load(tx: &CompanyTx, id: PaymentId) -> Result<Payment> {
    tx.find(LOAD, &[&tx.company_id(), &id]).await?.ok_or_else(Error::not_found)
}

const LOAD: &str =
    concat!("SELECT ", columns!(), " FROM payments p WHERE p.company_id = $1 AND p.id = $2");

/// As [`load`], with the row locked until the transaction ends.
pub async fn lock(tx: &CompanyTx, id: PaymentId) -> Result<Payment> {
    tx.find(LOCK, &[&tx.company_id(), &id]).await?.ok_or_else(Error::not_found)
}

/// Begins a transaction that locks the company and the payment; without the payment when the company has no such one.
///
/// # Errors
/// `NotFound` for a company that is gone.
pub async fn begin_locked(
    db: &Db,
    scope: &CompanyScope,
    id: PaymentId,
) -> Result<(CompanyTx, CompanyLock, Option<Payment>)> {
    let query: Query<'_> = (LOCK, &[&scope.company_id(), &id]);
    let (tx, lock, rows) = company::begin_locked(db, scope, query).await?;
    Ok((tx, lock, rows.first().map(Payment::try_from).transpose()?))
}

const LOCK: &str = concat!(
    "SELECT ",
    columns!(),
    " FROM payments p WHERE p.company_id = $1 AND p.id = $2 FOR UPDATE OF p"
);

/// The bucket of the network that the payer began it from.
pub async fn payer_bucket(tx: &CompanyTx, id: PaymentId) -> Result<Option<String>> {
    tx.find_value(PAYER_BUCKET, &[&tx.company_id(), &id]).await?.ok_or_else(Error::not_found)
}

const PAYER_BUCKET: &str = "SELECT payer_bucket FROM payments WHERE company_id = $1 AND id = $2";

/// The payment that holds the company's slot, held until the transaction ends.
pub async fn lock_open(tx: &CompanyTx) -> Result<Option<Payment>> {
    tx.find(LOCK_OPEN, &[&tx.company_id()]).await
}

const LOCK_OPEN: &str = concat!(
    "SELECT ",
    columns!(),
    " FROM payments p WHERE p.company_id = $1 AND payment_is_open(p.state) AND NOT p.superseded FOR UPDATE OF p"
);

/// A subscription's `payment`: the one in the slot, and no boleto that was superseded.
pub async fn slot_view(tx: &CompanyTx) -> Result<Option<PaymentView>> {
    tx.find(SLOT_VIEW, &[&tx.company_id()]).await
}

/// The newest subscription as the contract shows it, and the payment in its slot, in one round trip.
pub async fn view_with_subscription(
    db: &Db,
    scope: &CompanyScope,
) -> Result<(Option<SubscriptionView>, Option<PaymentView>)> {
    let company = scope.company_id();
    let slot: Query<'_> = (SLOT_VIEW, &[&company]);
    let (subscription, open) = current_view::read_beside(db, scope, slot).await?;
    Ok((subscription, open.first().map(PaymentView::try_from).transpose()?))
}

const SLOT_VIEW: &str = concat!(
    "SELECT ",
    columns!(),
    " FROM payments p WHERE p.company_id = $1 AND payment_is_open(p.state) AND NOT p.superseded"
);

/// The snapshot's `openPayments`: the one in the slot, and boletos that may still be paid.
pub async fn open_views(tx: &CompanyTx) -> Result<Vec<PaymentView>> {
    tx.all(OPEN, &[&tx.company_id()]).await
}

const OPEN: &str = concat!(
    "SELECT ",
    columns!(),
    " FROM payments p WHERE p.company_id = $1 AND payment_is_open(p.state) \
     ORDER BY p.created_at DESC, p.id DESC LIMIT 20"
);

/// Adds the open payment to the staged `subscription.updated`, for finance alone: the subscription does not know it.
/// The last step before the commit.
pub async fn show_open_payment(tx: &mut CompanyTx) -> Result<()> {
    if tx.staged(EventName::SubscriptionUpdated).next().is_none() {
        return Ok(());
    }
    match slot_view(tx).await? {
        Some(open) => show_payment(tx, &open),
        None => Ok(()),
    }
}

/// As [`show_open_payment`], for a caller that has read the open payment.
pub fn show_payment(tx: &mut CompanyTx, open: &PaymentView) -> Result<()> {
    let open = serde_json::value::to_raw_value(open).map_err(Error::internal)?;
    for event in tx.staged(EventName::SubscriptionUpdated) {
        event.add_finance_part(&open);
    }
    Ok(())
}

/// Writes the situation that was decided on `payment.version`, and counts the version up. With `applies`, the caller
/// does what the payment's success does in the same transaction.
///
/// # Errors
/// `Unavailable` when the row has moved on since it was read.
pub async fn save(tx: &CompanyTx, payment: &mut Payment, applies: bool) -> Result<()> {
    let situation = &payment.situation;
    let columns = Columns::of(&situation.state);
    let written = tx
        .execute(
            SAVE,
            &[
                &tx.company_id(),
                &payment.id,
                &payment.version,
                &columns.state,
                &columns.action,
                &situation.unknown,
                &situation.intent,
                &situation.read_started_at,
                &situation.closing,
                &situation.superseded,
                &columns.expires_at,
                &columns.pix_code,
                &columns.hosted_url,
                &columns.bank_slip_line,
                &columns.bank_slip_pdf,
                &columns.failure_code,
                &columns.failure_detail,
                &columns.succeeded_at,
                &situation.changed_at,
                &situation.received,
                &situation.refunded,
                &situation.disputed,
                &payment.cancel_reason,
                &payment.review_reason,
                &tx.now(),
                &applies,
                &situation.unknown_since,
            ],
        )
        .await?;
    if written != 1 {
        // Another node was faster: whoever asked decides anew on what that one wrote.
        metrics::counter!("bipe_version_conflicts_total").increment(1);
        return Err(Error::unavailable(1));
    }
    payment.version += 1;
    payment.is_applied |= applies;
    Ok(())
}

/// Prepares the statement of [`save`], so that it goes ahead of those that are sent at once with it.
pub async fn prepare_save(tx: &CompanyTx) -> Result<()> {
    tx.prepare(SAVE).await
}

const SAVE: &str = "UPDATE payments SET version = version + 1, state = $4, action = $5, unknown = $6, \
     provider_intent = $7, read_started_at = $8, closing = $9, superseded = $10, expires_at = $11, \
     pix_code = $12, hosted_url = $13, bank_slip_line = $14, bank_slip_pdf = $15, failure_code = $16, \
     failure_detail = $17, succeeded_at = $18, updated_at = $19, received_cents = $20, \
     refunded_cents = $21, disputed = $22, cancel_reason = $23, review_reason = $24, \
     unknown_at = $27, \
     effects_at = CASE WHEN $26 THEN $25 ELSE effects_at END \
     WHERE company_id = $1 AND id = $2 AND version = $3";

/// Whose payment it is: the first half of proving that the caller may see it.
pub async fn company_of(tx: &PlatformTx, id: PaymentId) -> Result<Option<CompanyId>> {
    tx.find_value(COMPANY_OF, &[&id]).await
}

const COMPANY_OF: &str = "SELECT company_id FROM payments WHERE id = $1";

/// Our own row behind a provider's intent, or behind the payment id that its metadata name.
pub async fn of_intent(
    tx: &PlatformTx,
    intent: &str,
    named: Option<PaymentId>,
) -> Result<Option<(CompanyId, PaymentId)>> {
    let row = tx.query_opt(OF_INTENT, &[&intent, &named]).await?;
    row.map(|row| Ok((row.try_get("company_id")?, row.try_get("id")?))).transpose()
}

const OF_INTENT: &str = "SELECT company_id, id FROM payments \
     WHERE provider_intent = $1 OR id = $2 AND provider_intent IS NULL LIMIT 1";

/// Whom and what a mail about a payment names.
#[derive(Clone, Debug)]
pub struct PaymentNames {
    pub company: String,
    /// The plan's display name.
    pub plan: String,
    /// Name and address of the person who pays; none for a charge by a job, and for somebody who was erased.
    pub payer: Option<(String, String)>,
    /// That person is still an administrator or finance member of the company.
    pub payer_may_pay: bool,
}

/// # Errors
/// `NotFound` when the company is gone.
pub async fn names(tx: &CompanyTx, payment: &Payment) -> Result<PaymentNames> {
    let (plan, payer) = (payment.metadata.plan_id, payment.created_by);
    let row = tx.query_opt(NAMES, &[&tx.company_id(), &plan, &payer]).await?;
    let row = row.ok_or_else(Error::not_found)?;
    let payer = row.try_get::<_, Option<String>>("name")?.zip(row.try_get("email")?);
    let payer_may_pay = row.try_get("payer_may_pay")?;
    let (company, plan) = (row.try_get("company")?, row.try_get("plan")?);
    Ok(PaymentNames { company, plan, payer, payer_may_pay })
}

const NAMES: &str = "SELECT c.name AS company, p.display_name AS plan, u.name, u.email, \
     EXISTS (SELECT FROM members m WHERE m.company_id = c.id AND m.user_id = $3 AND m.role IN ('admin', 'finance')) \
       AS payer_may_pay FROM companies c \
     JOIN plans p ON p.id = $2 LEFT JOIN users u ON u.id = $3 AND u.anonymised_at IS NULL WHERE c.id = $1";
