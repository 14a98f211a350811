//! What falls due by time (docs/billing.md, "Renewal ladder"): periods renewed from the credit or by the saved
//! instrument, reminders, and the end of a subscription that is not paid.
//!
//! `step` is one check by the company's timer. `catch_up` is the first act of every command. Both run behind the
//! company's lock and write history, revenue, entitlement and mail together. A step is a row, unique in its period, so
//! nothing happens twice. The caller opens the payment of a charge.

use jiff::{SignedDuration, Timestamp};

use super::billing_account::{BillingAccount, plan_of};
use super::change::{Change, ExecutionFacts, execute};
use super::current_view;
use super::ladder::{self, Decline};
use super::notice::{notify_of_change, notify_of_downgrade, notify_others, notify_payer};
use super::preview::{Pricing, price};
use super::projection::{
    EXPIRED_AFTER, Projection, SUSPENDED_AFTER, TimeStep, expired_at, project,
};
use super::quote::Quote;
use super::steps::{self, RenewalPeriod};
use super::store::{self, Cause};
use super::target::Target;
use super::{
    HistoryType, NoticeKind, Status, Subscription, billing_contact, invoice_drafts, timer,
};
use crate::alert::{self, Alert, AlertKind};
use crate::company::{Locked, billing_profile};
use crate::db::CompanyTx;
use crate::error::Result;
use crate::id::{InvoiceId, PaymentId};
use crate::invoice;
use crate::invoice::store::ReceiptMail;
use crate::money::Cents;
use crate::payment_method::Instrument;

/// Charges of one company within a day; beyond it something is wrong.
pub const CHARGES_A_DAY: i64 = 5;
const DAY: SignedDuration = SignedDuration::from_hours(24);

/// What one check of a subscription leads to.
#[derive(Debug)]
pub enum RenewalStep {
    /// Everything is written down; the timer stands at the next check.
    Settled,
    /// The saved instrument is to be charged: the payment is opened in the same transaction.
    Charge(Box<RenewalCharge>),
}

/// A charge of the saved instrument.
#[derive(Debug)]
pub struct RenewalCharge {
    /// Priced at the instant at which the renewal fell due, however late it is charged.
    pub quote: Quote,
    pub instrument: Instrument,
    /// The name of its step in the period, as `ladder::charge` gives it.
    kind: String,
    pub period: RenewalPeriod,
}

/// One check of the company's subscription.
///
/// # Errors
/// `NotFound` for a company that is gone.
pub async fn step(tx: &mut Locked<'_>) -> Result<RenewalStep> {
    let now = tx.clock().now_seconds();
    let account = BillingAccount::read(tx).await?;
    let account = catch_up(tx, account, now).await?;
    let Some(row) = account.stored.clone() else {
        timer::put(tx, None)?;
        return Ok(RenewalStep::Settled);
    };
    timer::put(tx, ladder::next_check(&row, now))?;
    if let (Some(due_at), Some((kind, instrument))) = (account.due_at(now), account.charge(now)) {
        let period = RenewalPeriod { subscription: row.id, period_start: due_at };
        if let Some(reason) = reason_not_to_charge(tx, &account, &row, now).await? {
            alert(tx, &row, reason).await?;
            timer::put(tx, Some(now + DAY))?;
            return Ok(RenewalStep::Settled);
        }
        let (plan, due) = (plan_of(tx, &row).await?, (due_at, Some(due_at)));
        let (quote, ..) = Quote::make_at(tx, &account, &plan, row.cycle, due).await?;
        let instrument = instrument.clone();
        let charge = RenewalCharge { quote, instrument, kind, period };
        return Ok(RenewalStep::Charge(Box::new(charge)));
    }
    if remind(tx, &account, &row, now, None).await? {
        // Nothing was written, but time has moved the state: open pages say what the mail says.
        current_view::announce(tx, row.id).await?;
    }
    Ok(RenewalStep::Settled)
}

/// The charge was opened as this payment.
pub async fn charged(tx: &CompanyTx, charge: &RenewalCharge, payment: PaymentId) -> Result<()> {
    steps::mark_charge(tx, charge.period, &charge.kind, &charge.instrument, payment).await
}

/// Writes down what time has decided, and renews from the credit, one period after the
/// other.
pub async fn catch_up(
    tx: &mut Locked<'_>,
    mut account: BillingAccount,
    now: Timestamp,
) -> Result<BillingAccount> {
    let mut changed = None;
    loop {
        let current = account.projection(now, account.waits_since(now));
        if let Some(current) = current.filter(|c| account.stored.as_ref() != Some(&c.row)) {
            record(tx, &mut account, &current).await?;
            changed = Some(current.row.id);
            account = BillingAccount::read(tx).await?;
        }
        let due = account.due_at(now).filter(|_| account.is_covered());
        let (Some(due_at), Some(row)) = (due, &account.stored) else { break };
        changed = Some(row.id);
        renew_from_credit(tx, &account, row, due_at).await?;
        account = BillingAccount::read(tx).await?;
    }
    if let Some(id) = changed {
        current_view::announce(tx, id).await?;
    }
    Ok(account)
}

/// The steps that passed, and one mail: that of the last.
pub(super) async fn record(
    tx: &mut Locked<'_>,
    account: &mut BillingAccount,
    current: &Projection,
) -> Result<()> {
    let before = account.balance;
    store::write_passed(tx, account, current).await?;
    let is_downgrade = |step: &&TimeStep| step.history == HistoryType::Downgraded;
    if let Some(step) = current.passed.iter().find(is_downgrade) {
        notify_of_downgrade(tx, step);
    }
    let Some(last) = current.passed.last() else { return Ok(()) };
    let paid_end = last.row.term.map(|term| term.paid_end());
    let (notice, amount, about) = match last.history {
        HistoryType::Suspended => {
            skip_reminder(tx, &last.row).await?;
            let expires_at = paid_end.map(|end| end + EXPIRED_AFTER);
            (NoticeKind::Suspended, last.row.owed(account.balance), expires_at)
        }
        HistoryType::Expired => {
            // With a balance above zero no debit was forgiven: what was added is the rest.
            let rest = (last.credits_rest && account.balance > Cents::ZERO)
                .then(|| account.balance - before)
                .filter(|rest| *rest > Cents::ZERO);
            (NoticeKind::Expired { credit: rest }, last.row.price, expired_at(&last.row))
        }
        _ => return Ok(()),
    };
    notify_payer(tx, &last.row, notice, amount, about).await
}

async fn renew_from_credit(
    tx: &mut Locked<'_>,
    account: &BillingAccount,
    row: &Subscription,
    due_at: Timestamp,
) -> Result<()> {
    let (pricing, change) = from_credit(account, row, due_at)?;
    let cause = Cause {
        source: format!("{}:renewed:{}", row.id, due_at.as_second()),
        payment_id: None,
        by: None,
        // a suspension that was written down is history: coming back happens now
        at: if row.status == Status::Suspended { tx.now() } else { due_at },
        detail: String::new(),
    };
    let (id, plan) = (InvoiceId::new(tx.clock()), plan_of(tx, row).await?);
    if let Some(draft) = invoice_drafts::of_change(id, &plan, &pricing, &change, &cause) {
        // As the receipt of a renewal that was charged: nobody sat before the screen.
        let payer = billing_contact::find(tx, None).await?;
        let mail =
            payer.map(|payer| ReceiptMail { to: payer.email, name: payer.name, notice: None });
        let profile = billing_profile::current(tx).await?;
        invoice::store::issue_to(tx, profile, draft, mail, Cents::ZERO)?;
    }
    store::write(tx, account, &change, &cause).await?;
    notify_of_change(tx, &change, &cause.source);
    Ok(())
}

/// The next period, paid by the credit that covers it.
///
/// # Errors
/// Those of [`price`].
pub fn from_credit(
    account: &BillingAccount,
    row: &Subscription,
    due_at: Timestamp,
) -> Result<(Pricing, Change)> {
    let input = account.input(Some(project(row.clone(), due_at, Some(due_at))), Cents::ZERO);
    let target = Target::again(row);
    let pricing = price(&input, &target, due_at)?;
    let facts = ExecutionFacts {
        company_id: row.company_id,
        new_id: row.id,
        at: due_at,
        paid: Cents::ZERO,
        has_paid: account.has_paid,
    };
    let change = execute(&input, &target, &pricing, &facts);
    Ok((pricing, change))
}

/// Why the charge that is due must not be made. The subscription is checked again a day later.
async fn reason_not_to_charge(
    tx: &CompanyTx,
    account: &BillingAccount,
    row: &Subscription,
    now: Timestamp,
) -> Result<Option<&'static str>> {
    if overlaps(account, row, now) {
        return Ok(Some("a debited segment overlaps another one"));
    }
    let many = steps::charges_of_a_day(tx).await? >= CHARGES_A_DAY;
    Ok(many.then_some("the saved card was charged too often within a day"))
}

/// Whether the period that is due was debited before, all of it or a part.
pub fn overlaps(account: &BillingAccount, row: &Subscription, now: Timestamp) -> bool {
    let mut debited: Vec<(Timestamp, Timestamp)> = account
        .segments
        .iter()
        .map(|(_, s)| (s.from, s.to))
        .filter(|(from, to)| from < to)
        .collect();
    if let (Some(due_at), Some(term)) = (account.due_at(now), row.term) {
        debited.push((due_at, term.anchor.boundary(term.paid_until + row.cycle.months())));
    }
    debited.sort();
    let mut pairs = debited.iter().zip(debited.iter().skip(1));
    pairs.any(|((_, end), (next_start, _))| next_start < end)
}

async fn alert(tx: &CompanyTx, row: &Subscription, detail: &str) -> Result<()> {
    let (company, subject) = (Some(row.company_id), row.id.to_string());
    let kind = AlertKind::RenewalStopped;
    alert::raise(tx, Alert { kind, company, subject: &subject, detail }).await
}

/// Sends the reminder of now, but not to those who have just got the notice `sent`. Answers whether it was a reminder
/// of something to pay.
async fn remind(
    tx: &mut CompanyTx,
    account: &BillingAccount,
    row: &Subscription,
    now: Timestamp,
    sent: Option<NoticeKind>,
) -> Result<bool> {
    let Some(term) = row.term else { return Ok(false) };
    let paid_end = term.paid_end();
    if let Some(end) = row.ends_at().filter(|_| ladder::is_ending(row, now)) {
        let period = RenewalPeriod { subscription: row.id, period_start: end };
        if steps::mark(tx, period, "ending").await? {
            notify_payer(tx, row, NoticeKind::Expiring, row.price, Some(end)).await?;
        }
        return Ok(false);
    }
    let runs = matches!(row.status, Status::Active | Status::Suspended);
    let amount = row.owed(account.balance);
    if !runs || !account.is_active || account.open.is_some() || amount == Cents::ZERO {
        return Ok(false);
    }
    let next = project(row.clone(), paid_end, None).row;
    let found = ladder::reminder(&next, now, account.renews_automatically());
    let Some((kind, notice)) = found else { return Ok(false) };
    // The plan of a scheduled change can be paid from its day on. Before, only its charge is announced.
    if row.pending_change.is_some() && notice != NoticeKind::Charge {
        return Ok(false);
    }
    let period = RenewalPeriod { subscription: row.id, period_start: paid_end };
    let is_new = steps::mark(tx, period, kind).await?;
    if is_new {
        let about =
            if notice == NoticeKind::Expiring { paid_end + EXPIRED_AFTER } else { paid_end };
        notify_others(tx, &next, (notice, sent), amount, Some(about)).await?;
    }
    Ok(is_new)
}

/// Marks the reminder of now as sent: another notice tells the payer the same.
async fn skip_reminder(tx: &CompanyTx, row: &Subscription) -> Result<()> {
    let now = tx.clock().now_seconds();
    if let (Some(term), Some((kind, _))) = (row.term, ladder::reminder(row, now, false)) {
        let period = RenewalPeriod { subscription: row.id, period_start: term.paid_end() };
        steps::mark(tx, period, kind).await?;
    }
    Ok(())
}

/// Marks the notice of a near end as sent: a cancellation tells the payer the same.
pub(super) async fn skip_ending(tx: &CompanyTx, row: &Subscription, now: Timestamp) -> Result<()> {
    if let Some(end) = row.ends_at().filter(|_| ladder::is_ending(row, now)) {
        let period = RenewalPeriod { subscription: row.id, period_start: end };
        steps::mark(tx, period, "ending").await?;
    }
    Ok(())
}

/// A charge of ours failed: notes it in the history and, with `card_failed`, tells the payer. Its consequences are left
/// to the next check, which is due at once.
pub async fn charge_failed(
    tx: &mut Locked<'_>,
    payment: PaymentId,
    code: &str,
    detail: Option<&str>,
    card_failed: bool,
) -> Result<()> {
    let Some(due_at) = steps::charged_period(tx, payment).await? else { return Ok(()) };
    let decline = ladder::decline(detail);
    if decline == Decline::Hard {
        steps::mark_declined(tx, payment).await?;
    }
    let account = BillingAccount::read(tx).await?;
    let now = tx.clock().now_seconds();
    let Some(row) = account.stored.clone().filter(|_| account.due_at(now) == Some(due_at)) else {
        return Ok(());
    };
    let cause = Cause {
        source: payment.to_string(),
        payment_id: Some(payment),
        by: None,
        at: tx.now(),
        detail: code.to_owned(),
    };
    store::write_history(tx, &row, HistoryType::RenewalFailed, None, &cause).await?;
    // Suspension and end have mails of their own.
    let patience = if row.status == Status::Suspended { EXPIRED_AFTER } else { SUSPENDED_AFTER };
    if card_failed && now < due_at + patience {
        let notice = match decline {
            Decline::OnSession => NoticeKind::Confirm,
            Decline::Soft | Decline::Hard => NoticeKind::Failed,
        };
        notify_payer(tx, &row, notice, row.owed(account.balance), Some(due_at)).await?;
        // Where the card is not charged any more, the reminder of now would follow at once and say the same.
        remind(tx, &account, &row, now, Some(notice)).await?;
    }
    current_view::announce(tx, row.id).await
}

/// Before the saved instruments change: what time has decided under the old ones is written down.
pub async fn before_instruments_change(tx: &mut Locked<'_>) -> Result<()> {
    let now = tx.clock().now_seconds();
    let account = BillingAccount::read(tx).await?;
    catch_up(tx, account, now).await?;
    timer::wake(tx)
}
