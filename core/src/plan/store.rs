//! Remembers plans. Anyone may read them; the catalogue is loaded when the table is empty.

use tokio_postgres::Row;

use super::catalogue::default_plans;
use super::draft::PlanDraft;
use super::{Limits, Plan, PlanStatus};
use crate::db::{CompanyTx, Tx};
use crate::error::{Error, Result};
use crate::id::{PlanId, QuoteId};
use crate::row::from_row;

macro_rules! columns {
    () => {
        "id, name, display_name, description, features, is_free, is_popular, monthly_cents, \
         quarterly_cents, yearly_cents, max_users, max_beeping, hierarchy, status"
    };
}
pub(crate) use columns;

const BY_ID: &str = concat!("SELECT ", columns!(), " FROM plans WHERE id = $1");
const OF_QUOTE: &str = concat!(
    "SELECT ",
    columns!(),
    " FROM plans WHERE id = (SELECT plan_id FROM quotes WHERE company_id = $1 AND id = $2)"
);
const ON_SALE: &str = concat!(
    "SELECT ",
    columns!(),
    " FROM plans WHERE status = 'active' ORDER BY hierarchy, monthly_cents, name"
);
const LOCK_CATALOGUE: &str = "SELECT pg_advisory_xact_lock($1)";
const IS_EMPTY: &str = "SELECT NOT EXISTS (SELECT 1 FROM plans) AS empty";
const INSERT: &str = "INSERT INTO plans (id, name, display_name, description, features, is_free, \
     is_popular, monthly_cents, quarterly_cents, yearly_cents, max_users, max_beeping, hierarchy, \
     created_at, updated_at, status) \
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $14, $15)";

/// Any number, the same on every node.
const CATALOGUE_LOCK: i64 = 0x706c_616e;

from_row!(Limits { max_users, max_beeping });

impl TryFrom<&Row> for Plan {
    type Error = Error;

    fn try_from(row: &Row) -> Result<Self> {
        Ok(Self {
            id: row.try_get("id")?,
            name: row.try_get("name")?,
            display_name: row.try_get("display_name")?,
            description: row.try_get("description")?,
            features: row.try_get("features")?,
            is_free: row.try_get("is_free")?,
            is_popular: row.try_get("is_popular")?,
            monthly: row.try_get("monthly_cents")?,
            quarterly: row.try_get("quarterly_cents")?,
            yearly: row.try_get("yearly_cents")?,
            limits: row.try_into()?,
            hierarchy: row.try_get("hierarchy")?,
            status: row.try_get("status")?,
        })
    }
}

/// One plan, on sale or not.
pub async fn find(tx: &Tx, id: PlanId) -> Result<Option<Plan>> {
    tx.find(BY_ID, &[&id]).await
}

/// The plan of the company's quote.
pub async fn of_quote(tx: &CompanyTx, id: QuoteId) -> Result<Option<Plan>> {
    tx.find(OF_QUOTE, &[&tx.company_id(), &id]).await
}

/// The plans on sale, by hierarchy.
pub async fn on_sale(tx: &Tx) -> Result<Vec<Plan>> {
    tx.all(ON_SALE, &[]).await
}

/// Loads the default catalogue into an empty table; nodes that start together load it once. Answers the
/// number of plans added.
pub async fn load_catalogue(tx: &Tx) -> Result<usize> {
    tx.execute(LOCK_CATALOGUE, &[&CATALOGUE_LOCK]).await?;
    if !tx.value::<bool>(IS_EMPTY, &[]).await? {
        return Ok(0);
    }
    let plans = default_plans();
    for plan in &plans {
        insert(tx, PlanId::new(tx.clock()), plan).await?;
    }
    Ok(plans.len())
}

/// Adds a plan, on sale unless it says otherwise; the unique constraint decides a race (PLAN_NAME_EXISTS).
pub(super) async fn insert(tx: &Tx, id: PlanId, plan: &PlanDraft) -> Result<()> {
    let status = plan.status.unwrap_or(PlanStatus::Active);
    tx.execute(
        INSERT,
        &[
            &id,
            &plan.name,
            &plan.display_name,
            &plan.description,
            &plan.features,
            &plan.is_free,
            &plan.is_popular,
            &plan.monthly,
            &plan.quarterly,
            &plan.yearly,
            &plan.limits.max_users,
            &plan.limits.max_beeping,
            &plan.hierarchy,
            &tx.now(),
            &status,
        ],
    )
    .await?;
    Ok(())
}
