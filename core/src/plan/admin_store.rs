//! Plans as platform admins list, write and withdraw them. A running subscription keeps its own price: no
//! statement here touches one.

use super::draft::PlanDraft;
use super::store::columns;
use super::{AdminPlan, ChangedPlan, Plan, PlanCounts, PlanStatus, store};
use crate::audit::{self, AuditAction, AuditField, Entry};
use crate::caller::Caller;
use crate::db::{Db, PlatformTx};
use crate::error::{Error, Result};
use crate::event::{Channel, EventName, NewEvent};
use crate::id::PlanId;
use crate::row::from_row;
use crate::scope::AdminScope;

/// Counted over all companies: how many run this plan.
const LIST: &str = concat!(
    "SELECT ",
    columns!(),
    ", (SELECT count(*) FROM subscriptions s WHERE s.plan_id = plans.id AND s.status = 'active') AS running \
     FROM plans WHERE $1::text IS NULL OR status = $1 \
     ORDER BY hierarchy, monthly_cents, name LIMIT $2 OFFSET $3"
);
const COUNTS: &str =
    "SELECT count(*) FILTER (WHERE status = 'active') AS active, count(*) AS total FROM plans";
const RUNNING: &str =
    "SELECT count(*) AS running FROM subscriptions WHERE plan_id = $1 AND status = 'active'";
const LOCK: &str = "SELECT id FROM plans WHERE id = $1 FOR UPDATE";
const EDIT: &str = "UPDATE plans SET name = $2, display_name = $3, description = $4, features = $5, \
     is_free = $6, is_popular = $7, monthly_cents = $8, quarterly_cents = $9, yearly_cents = $10, \
     max_users = $11, max_beeping = $12, hierarchy = $13, updated_at = $14, \
     status = coalesce($15, status) WHERE id = $1";
const SET_STATUS: &str = "UPDATE plans SET status = $2, updated_at = $3 WHERE id = $1";

/// One page of the plans with that status, by hierarchy.
pub async fn list(
    tx: &PlatformTx,
    status: Option<PlanStatus>,
    limit: i64,
    offset: i64,
) -> Result<Vec<AdminPlan>> {
    let rows = tx.query(LIST, &[&status, &limit, &offset]).await?;
    let plans = rows.iter().map(|row| {
        let plan = Plan::try_from(row)?;
        Ok(AdminPlan { plan: plan.into(), active_subscriptions: row.try_get("running")? })
    });
    plans.collect()
}

from_row!(PlanCounts { active, total });

pub async fn counts(tx: &PlatformTx) -> Result<PlanCounts> {
    PlanCounts::try_from(&tx.query_one(COUNTS, &[]).await?)
}

/// # Errors
/// `NotFound`.
pub async fn find(tx: &PlatformTx, id: PlanId) -> Result<AdminPlan> {
    let plan = store::find(tx, id).await?.ok_or_else(Error::not_found)?;
    let active_subscriptions = tx.value(RUNNING, &[&id]).await?;
    Ok(AdminPlan { plan: plan.into(), active_subscriptions })
}

/// Adds a plan; it is on sale at once, unless the draft says `inactive`.
///
/// # Errors
/// `Conflict(PLAN_NAME_EXISTS)`.
pub async fn create(
    db: &Db,
    admin: &AdminScope,
    draft: PlanDraft,
    caller: &Caller,
) -> Result<AdminPlan> {
    let mut tx = db.admin_tx(admin).await?.caused_by(caller);
    let id = PlanId::new(tx.clock());
    store::insert(&tx, id, &draft).await?;
    let plan = finish(&mut tx, id, audit::by_admin(admin, caller, AuditAction::PlanCreate)).await?;
    tx.commit().await?;
    Ok(plan)
}

/// Changes a plan for whoever chooses it from now on. An edit that changes nothing leaves no trace.
///
/// # Errors
/// `NotFound`, `Conflict(PLAN_NAME_EXISTS)`.
pub async fn edit(
    db: &Db,
    admin: &AdminScope,
    id: PlanId,
    draft: PlanDraft,
    caller: &Caller,
) -> Result<AdminPlan> {
    let mut tx = db.admin_tx(admin).await?.caused_by(caller);
    let fields = draft.changes(&locked(&tx, id).await?);
    if fields.is_empty() {
        return find(&tx, id).await;
    }
    tx.execute(
        EDIT,
        &[
            &id,
            &draft.name,
            &draft.display_name,
            &draft.description,
            &draft.features,
            &draft.is_free,
            &draft.is_popular,
            &draft.monthly,
            &draft.quarterly,
            &draft.yearly,
            &draft.limits.max_users,
            &draft.limits.max_beeping,
            &draft.hierarchy,
            &tx.now(),
            &draft.status,
        ],
    )
    .await?;
    let entry = Entry { fields: &fields, ..audit::by_admin(admin, caller, AuditAction::PlanEdit) };
    let plan = finish(&mut tx, id, entry).await?;
    tx.commit().await?;
    Ok(plan)
}

/// Puts a plan on sale or takes it off; who runs it goes on.
///
/// # Errors
/// `NotFound`.
pub async fn set_status(
    db: &Db,
    admin: &AdminScope,
    id: PlanId,
    status: PlanStatus,
    caller: &Caller,
) -> Result<AdminPlan> {
    let mut tx = db.admin_tx(admin).await?.caused_by(caller);
    if locked(&tx, id).await?.status == status {
        return find(&tx, id).await;
    }
    tx.execute(SET_STATUS, &[&id, &status, &tx.now()]).await?;
    let entry = audit::by_admin(admin, caller, AuditAction::PlanStatus);
    let plan = finish(&mut tx, id, Entry { fields: &[AuditField::Status], ..entry }).await?;
    tx.commit().await?;
    Ok(plan)
}

async fn locked(tx: &PlatformTx, id: PlanId) -> Result<Plan> {
    tx.query_opt(LOCK, &[&id]).await?.ok_or_else(Error::not_found)?;
    store::find(tx, id).await?.ok_or_else(Error::not_found)
}

/// Tells everybody who looks at plans, and the audit.
async fn finish(tx: &mut PlatformTx, id: PlanId, entry: Entry<'_>) -> Result<AdminPlan> {
    let plan = find(tx, id).await?;
    let changed: &ChangedPlan = &plan.plan;
    tx.emit(NewEvent::new(Channel::Plans, EventName::PlanUpdated, id, changed)?);
    audit::record(tx, Entry { target: Some(id.to_string()), ..entry });
    Ok(plan)
}
