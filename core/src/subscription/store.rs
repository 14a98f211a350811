//! Remembers subscriptions: the row, its ledgers, its history and its revenue movements.
//!
//! Called with the decisions of `change`, `projection` and `decide`, inside the transaction of the command or of the
//! payment. One write switches the entitlement of the company.

use futures_util::future::{try_join, try_join5};
use jiff::Timestamp;
use uuid::Uuid;

use super::billing_account::BillingAccount;
use super::change::{Change, Ledger, settle_passed};
use super::projection::{Projection, TimeStep};
use super::proration::Segment;
use super::steps::{self, RenewalPeriod};
use super::view::HistoryView;
use super::{CreditKind, HistoryType, Movement, Status, Subscription, timer};
use crate::audit::{self, Entry};
use crate::db::CompanyTx;
use crate::error::{Error, Result};
use crate::id::{PaymentId, SubscriptionId, UserId};
use crate::money::Cents;
use crate::plan::Limits;

/// The company gets the limits of the plan, or with `$18` false those of the free plan. It keeps those that it has while
/// the row grants the same plan and cycle as before, whatever an edit has made of the plan since.
const SAVE: &str = "WITH saved AS (INSERT INTO subscriptions (id, company_id, plan_id, billing_cycle, price_cents, \
     status, anchor_local, month, paid_until_month, end_at, canceled_at, cancel_reason, \
     pending_plan_id, pending_cycle, pending_price_cents, started_at, created_at, updated_at) \
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $17) \
     ON CONFLICT (id) DO UPDATE SET plan_id = $3, billing_cycle = $4, price_cents = $5, status = $6, \
     anchor_local = $7, month = $8, paid_until_month = $9, end_at = $10, canceled_at = $11, \
     cancel_reason = $12, pending_plan_id = $13, pending_cycle = $14, pending_price_cents = $15, \
     started_at = $16, updated_at = $17, version = subscriptions.version + 1 RETURNING version), \
     granted AS (SELECT max_users, max_beeping FROM plans \
       WHERE CASE WHEN $18 THEN id = $3 ELSE is_free AND status = 'active' END ORDER BY hierarchy, name LIMIT 1), \
     limited AS (UPDATE companies c SET max_users = l.max_users, max_beeping = l.max_beeping, updated_at = $17 \
     FROM (SELECT coalesce((SELECT max_users FROM granted), $19) AS max_users, \
       coalesce((SELECT max_beeping FROM granted), $20) AS max_beeping) l \
     WHERE c.id = $2 AND NOT coalesce((SELECT $18 AND plan_id = $3 AND billing_cycle = $4 FROM subscriptions \
       WHERE id = $1 AND status IN ('active', 'canceled')), NOT $18) \
     AND (c.max_users, c.max_beeping) IS DISTINCT FROM (l.max_users, l.max_beeping)) \
     SELECT version FROM saved";
const REMOVE_PENDING: &str = "DELETE FROM subscriptions WHERE company_id = $1 AND status = 'pending' \
     AND NOT EXISTS (SELECT FROM payments p WHERE p.company_id = $1 AND NOT p.superseded \
       AND payment_is_open(p.state)) RETURNING id";
const OPEN_SEGMENT: &str = "INSERT INTO debit_segments (id, company_id, subscription_id, from_at, \
     to_at, paid_cents, payment_id, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
const CREDIT_SEGMENT: &str = "UPDATE debit_segments SET to_at = $3, credited_cents = $4 \
     WHERE company_id = $1 AND id = $2";
const ADD_CREDIT: &str = "INSERT INTO credit_entries (id, company_id, kind, source, amount_cents, at) \
     VALUES ($1, $2, $3, $4, $5, $6)";
const ADD_HISTORY: &str = "INSERT INTO subscription_history (id, company_id, subscription_id, type, at, \
     by_user_id, plan_name, billing_cycle, amount_cents, detail) \
     SELECT $1, $2, $3, $4, $5, $6, display_name, $8, $9, $10 FROM plans WHERE id = $7";
/// Movements of a company follow one another; two of the same instant are told apart by a microsecond.
const ADD_MOVEMENT: &str = "INSERT INTO movements (id, company_id, kind, arr_cents, plan_id, at) \
     SELECT $1, $2, $3, $4, $5, greatest($6::timestamptz, max(at) + interval '1 microsecond') \
     FROM movements WHERE company_id = $2";
const WAS_PAID: &str = "SELECT EXISTS (SELECT 1 FROM debit_segments WHERE company_id = $1 \
     AND subscription_id = $2 AND payment_id IS NOT NULL AND created_at > $3) AS paid";
const HISTORY: &str = "SELECT h.id, h.type, h.at, u.name AS by_name, h.plan_name, h.billing_cycle, \
     h.amount_cents, h.detail FROM subscription_history h \
     LEFT JOIN users u ON u.id = h.by_user_id WHERE h.company_id = $1 \
     ORDER BY h.at DESC, h.line_number DESC LIMIT $2 OFFSET $3";
const HISTORY_TOTAL: &str =
    "SELECT count(*) AS total FROM subscription_history WHERE company_id = $1";

/// Who or what is behind a write.
#[derive(Clone, Debug)]
pub struct Cause {
    /// Unique per company and kind of credit, so that nothing is credited twice.
    pub source: String,
    pub payment_id: Option<PaymentId>,
    pub by: Option<UserId>,
    pub at: Timestamp,
    pub detail: String,
}

/// One page of the history, newest first, and the number of all lines.
pub async fn history(tx: &CompanyTx, limit: i64, offset: i64) -> Result<(Vec<HistoryView>, i64)> {
    let company = tx.company_id();
    // Sent at once. A page behind the last one has no line that could tell the number.
    try_join(tx.all(HISTORY, &[&company, &limit, &offset]), tx.value(HISTORY_TOTAL, &[&company]))
        .await
}

/// Whether a payment was applied to the subscription after an instant.
pub async fn was_paid_since(tx: &CompanyTx, id: SubscriptionId, since: Timestamp) -> Result<bool> {
    tx.value(WAS_PAID, &[&tx.company_id(), &id, &since]).await
}

/// Inserts or updates the row and switches the entitlement to what its state gives. Answers the row's new version.
pub async fn save(tx: &mut CompanyTx, row: &Subscription) -> Result<i64> {
    timer::set(tx, row)?;
    save_row(tx, row).await
}

async fn save_row(tx: &CompanyTx, row: &Subscription) -> Result<i64> {
    let (pending, term) = (row.pending_change, row.term);
    tx.value(
        SAVE,
        &[
            &row.id,
            &tx.company_id(),
            &row.plan_id,
            &row.cycle,
            &row.price,
            &row.status,
            &term.map(|term| term.anchor.0),
            &term.map(|term| term.month),
            &term.map(|term| term.paid_until),
            &row.end_at,
            &row.canceled_at,
            &row.cancel_reason,
            &pending.map(|change| change.plan_id),
            &pending.map(|change| change.cycle),
            &pending.map(|change| change.price),
            &row.started_at,
            &tx.now(),
            &row.entitlement().is_some(),
            &Limits::WITHOUT_PLAN.max_users,
            &Limits::WITHOUT_PLAN.max_beeping,
        ],
    )
    .await
}

/// Removes the row of a first payment that closed unpaid, unless another one is open for it; an ended subscription
/// shows again.
pub async fn remove_pending(tx: &CompanyTx) -> Result<Option<SubscriptionId>> {
    tx.find_value(REMOVE_PENDING, &[&tx.company_id()]).await
}

/// Writes a change: row and entitlement, segments, credits, history and movement. Answers the row's new version.
pub async fn write(
    tx: &mut CompanyTx,
    account: &BillingAccount,
    change: &Change,
    cause: &Cause,
) -> Result<i64> {
    timer::set(tx, &change.after)?;
    if account.stored.as_ref().is_some_and(|row| row.status != Status::Pending) {
        write_renewed(tx, change).await?;
    }
    // Sent at once: none needs another one's answer. The others name the row, so it is the first. Boxed: a walk keeps its
    // futures on one stack, and this one is large.
    tx.prepare(SAVE).await?;
    let ledgers = Box::pin(try_join5(
        write_segments(tx, account, &change.segments),
        open_segment(tx, change, cause.payment_id),
        write_credits(tx, &change.ledger, &cause.source),
        write_history(tx, &change.after, change.history, change.amount, cause),
        write_movement(tx, &change.after, change.movement, cause.at),
    ));
    let (version, _) = try_join(save_row(tx, &change.after), ledgers).await?;
    Ok(version)
}

async fn open_segment(tx: &CompanyTx, change: &Change, payment: Option<PaymentId>) -> Result<()> {
    let Some(Segment { from, to, paid, .. }) = change.opened else { return Ok(()) };
    let (id, company) = (tx.clock().uuid(), tx.company_id());
    tx.execute(
        OPEN_SEGMENT,
        &[&id, &company, &change.after.id, &from, &to, &paid, &payment, &tx.now()],
    )
    .await
    .map(drop)
}

/// A period is paid once; one whose payment was credited may be paid again.
async fn write_renewed(tx: &CompanyTx, change: &Change) -> Result<()> {
    let subscription = change.after.id;
    let paid_end = change.after.term.map(|term| term.paid_end());
    match (change.renews, change.opened, paid_end) {
        (Some(period_start), ..) => {
            steps::mark_paid(tx, RenewalPeriod { subscription, period_start }).await
        }
        (None, Some(_), Some(period_start)) => {
            steps::unmark_paid(tx, RenewalPeriod { subscription, period_start }).await
        }
        _ => Ok(()),
    }
}

/// Writes down what the clock has decided since the row was written, one step after the other.
pub async fn write_passed(
    tx: &mut CompanyTx,
    account: &mut BillingAccount,
    current: &Projection,
) -> Result<()> {
    for step in &current.passed {
        let TimeStep { at, history, movement, row, .. } = step;
        let cause = Cause {
            source: format!("{}:{}", history.as_str(), at.as_second()),
            payment_id: None,
            by: None,
            at: *at,
            detail: String::new(),
        };
        let mut segments: Vec<Segment> = account.segments.iter().map(|(_, s)| *s).collect();
        let ledger = settle_passed(step, &mut segments, account.balance);
        write_segments(tx, account, &segments).await?;
        account.balance += ledger.values().copied().sum();
        write_credits(tx, &ledger, &format!("{}:{}", row.id, cause.source)).await?;
        // The line says what was left of the paid time, as that of an end at once does.
        let rest = ledger.get(&CreditKind::EarlyEnd).copied().filter(|rest| *rest > Cents::ZERO);
        write_history(tx, row, *history, rest, &cause).await?;
        write_movement(tx, row, *movement, *at).await?;
    }
    if account.stored.as_ref().is_some_and(|stored| *stored != current.row) {
        save(tx, &current.row).await?;
    }
    account.note_written(&current.row);
    Ok(())
}

async fn write_segments(tx: &CompanyTx, account: &BillingAccount, after: &[Segment]) -> Result<()> {
    for ((id, before), after) in account.segments.iter().zip(after) {
        if before != after {
            let company = tx.company_id();
            tx.execute(CREDIT_SEGMENT, &[&company, id, &after.to, &after.credited]).await?;
        }
    }
    Ok(())
}

/// Adds entries to the append-only credit ledger.
pub async fn write_credits(tx: &CompanyTx, ledger: &Ledger, source: &str) -> Result<()> {
    for (kind, amount) in ledger.iter().filter(|(_, amount)| **amount != Cents::ZERO) {
        let (id, company) = (tx.clock().uuid(), tx.company_id());
        tx.execute(ADD_CREDIT, &[&id, &company, &kind, &source, amount, &tx.now()]).await?;
    }
    Ok(())
}

/// Adds a line to the history, and to the audit who did it.
pub async fn write_history(
    tx: &CompanyTx,
    row: &Subscription,
    kind: HistoryType,
    amount: Option<Cents>,
    cause: &Cause,
) -> Result<()> {
    // A scheduled downgrade names the plan that it leads to.
    let (plan_id, cycle) =
        match row.pending_change.filter(|_| kind == HistoryType::DowngradeScheduled) {
            Some(next) => (next.plan_id, next.cycle),
            None => (row.plan_id, row.cycle),
        };
    let written = tx
        .execute(
            ADD_HISTORY,
            &[
                &tx.clock().uuid(),
                &tx.company_id(),
                &row.id,
                &kind,
                &cause.at,
                &cause.by,
                &plan_id,
                &cycle,
                &amount,
                &cause.detail,
            ],
        )
        .await?;
    if written != 1 {
        return Err(Error::internal(format!("subscription {} names no plan", row.id)));
    }
    tx.after_commit(move || {
        metrics::counter!("bipe_subscription_steps_total", "step" => kind.as_str()).increment(1);
    });
    let scope = tx.scope();
    // A job, or somebody else's look at a payment, may carry out what the person asked for.
    let session = scope.session_id().filter(|_| cause.by == scope.user_id());
    let entry = Entry { actor: cause.by, session, ..Entry::in_company(scope, kind.audit_action()) };
    audit::record(tx, entry.about(row.id));
    Ok(())
}

async fn write_movement(
    tx: &CompanyTx,
    row: &Subscription,
    movement: Option<Movement>,
    at: Timestamp,
) -> Result<()> {
    let Some(Movement { kind, arr }) = movement else { return Ok(()) };
    let id: Uuid = tx.clock().uuid();
    tx.execute(ADD_MOVEMENT, &[&id, &tx.company_id(), &kind, &arr, &row.plan_id, &at]).await?;
    Ok(())
}
