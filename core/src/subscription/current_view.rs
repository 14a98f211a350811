//! The company's newest subscription as clients see it: read for an answer, and announced by `subscription.updated`.
//! Called by whoever shows or changes a subscription. The open payment is added by who may show it.

use futures_util::future::try_join;
use jiff::Timestamp;
use serde::Serialize;
use serde_json::value::RawValue;
use tokio_postgres::Row;

use super::Subscription;
use super::account_summary::{ATTEMPTS, AccountSummary, SUMMARY};
use super::billing_account::without_plan;
use super::ladder::Attempt;
use super::row::latest;
use super::state::StateFacts;
use super::view::{SubscriptionView, ViewFacts};
use crate::db::{CompanyTx, Db, Query};
use crate::error::{Error, Result};
use crate::event::{Audience, Channel, EventName, NewEvent};
use crate::id::{PlanId, SubscriptionId};
use crate::plan::Plan;
use crate::plan::store::columns as plan_columns;
use crate::scope::CompanyScope;

/// The plans that the subscription names: the running one, and that of a scheduled downgrade.
const PLANS: &str = concat!(
    "SELECT ",
    plan_columns!(),
    " FROM plans WHERE id IN (SELECT unnest(ARRAY[plan_id, pending_plan_id]) FROM (",
    latest!(),
    ") s)"
);

/// The subscription; none when the company has none.
pub async fn read(tx: &CompanyTx) -> Result<Option<SubscriptionView>> {
    let (summary, plans) = try_join(AccountSummary::read(tx), plans(tx)).await?;
    shown(&summary, &plans, tx.clock().now_seconds())
}

/// As [`read`], without a transaction, in one round trip with another query about the company; with that one's rows.
/// A period that is due costs one round trip more.
pub(crate) async fn read_beside(
    db: &Db,
    scope: &CompanyScope,
    beside: Query<'_>,
) -> Result<(Option<SubscriptionView>, Vec<Row>)> {
    let (company, now) = (scope.company_id(), db.clock().now_seconds());
    let [summary, plans, beside] =
        db.ask_company(scope, [(SUMMARY, &[&company]), (PLANS, &[&company]), beside]).await?;
    let missing = || Error::internal("a summary without a row");
    let mut summary = AccountSummary::try_from(summary.first().ok_or_else(missing)?)?;
    if let Some((id, due_at)) = summary.passed_period(now) {
        let [attempts] = db.ask_company(scope, [(ATTEMPTS, &[&company, &id, &due_at])]).await?;
        summary.attempts = attempts.iter().map(Attempt::try_from).collect::<Result<_>>()?;
    }
    let plans: Vec<Plan> = plans.iter().map(Plan::try_from).collect::<Result<_>>()?;
    Ok((shown(&summary, &plans, now)?, beside))
}

async fn plans(tx: &CompanyTx) -> Result<Vec<Plan>> {
    tx.all(PLANS, &[&tx.company_id()]).await
}

fn shown(
    summary: &AccountSummary,
    plans: &[Plan],
    now: Timestamp,
) -> Result<Option<SubscriptionView>> {
    let Some(current) = summary.projection(now, summary.waits_since(now)) else { return Ok(None) };
    let named = |id: PlanId| plans.iter().find(|plan| plan.id == id);
    let plan = named(current.row.plan_id).ok_or_else(|| without_plan(&current.row))?;
    let facts = ViewFacts {
        own_limits: summary.limits_of(&current.row),
        plan,
        pending_plan: current.row.pending_change.and_then(|change| named(change.plan_id)),
        payment_open: summary.open.is_some(),
        state: StateFacts {
            balance: summary.balance,
            settles_itself: summary.settles_itself(now),
            card: summary.card.clone(),
            is_active: summary.is_active,
            is_sold: plan.sells(current.row.cycle),
        },
    };
    Ok(Some(SubscriptionView::of(&current, facts, now)))
}

/// The data of `subscription.updated`.
#[derive(Serialize)]
struct AnnouncedSubscription<'a> {
    #[serde(flatten)]
    subscription: &'a SubscriptionView,
    /// The open payment, which operators do not see.
    #[serde(skip_serializing_if = "Option::is_none")]
    payment: Option<&'a RawValue>,
}

/// Stages `subscription.updated`, with null when there is no subscription.
pub async fn announce(tx: &mut CompanyTx, key: SubscriptionId) -> Result<()> {
    let view = read(tx).await?;
    stage(tx, key, view);
    Ok(())
}

/// As [`announce`], for a caller that has read the summary and the plan `known`, which the row may name.
pub(super) async fn announce_known(
    tx: &mut CompanyTx,
    row: &Subscription,
    summary: &AccountSummary,
    known: &Plan,
) -> Result<()> {
    let now = tx.clock().now_seconds();
    let view = if row.plan_id == known.id && row.pending_change.is_none() {
        shown(summary, std::slice::from_ref(known), now)?
    } else {
        shown(summary, &plans(tx).await?, now)?
    };
    stage(tx, row.id, view);
    Ok(())
}

/// Stages `subscription.updated` with what was read after the last write.
pub(super) fn stage(tx: &mut CompanyTx, key: SubscriptionId, view: Option<SubscriptionView>) {
    let for_operators = view.clone().map(SubscriptionView::for_operators);
    let channel = Channel::Company(tx.company_id());
    let name = EventName::SubscriptionUpdated;
    tx.emit(NewEvent::composed(channel, name, key, move |audience, payment| {
        let view = match audience {
            Audience::Finance => view.as_ref(),
            Audience::Operators => for_operators.as_ref(),
        };
        let announced = view.map(|subscription| AnnouncedSubscription { subscription, payment });
        serde_json::to_string(&announced)
    }));
}
