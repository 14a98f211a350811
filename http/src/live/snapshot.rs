//! The state that a reader of a channel starts from (docs/contract.md, "Channels"), composed of the views of the
//! modules that own it. Called by a channel's session through `bipe_actors::sources::Sources`.

use bipe_actors::sources::SnapshotData;
use bipe_core::company::{self, CompanyDetail};
use bipe_core::db::Db;
use bipe_core::event::Channel;
use bipe_core::id::UserId;
use bipe_core::metrics::live;
use bipe_core::payment::{self, PaymentView};
use bipe_core::plan::{self, PlanView};
use bipe_core::scope::{CompanyScope, JobScope};
use bipe_core::subscription;
use bipe_core::subscription::view::SubscriptionView;
use bipe_core::user::admin::Membership;
use bipe_core::user::{self, UserView, Viewer};
use bipe_core::{Error, Result};
use futures_util::future::{try_join, try_join3};
use serde::Serialize;
use utoipa::ToSchema;

/// `snapshot.data` of `company/{id}`.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CompanySnapshot {
    company: CompanyDetail,
    subscription: Option<SubscriptionView>,
    /// Left out for operators.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    open_payments: Option<Vec<PaymentView>>,
}

/// `snapshot.data` of `user`.
#[derive(Serialize, ToSchema)]
pub struct UserSnapshot {
    #[serde(flatten)]
    user: UserView,
    memberships: Vec<Membership>,
}

/// `snapshot.data` of `plans`.
#[derive(Serialize, ToSchema)]
pub struct PlansSnapshot {
    plans: Vec<PlanView>,
}

/// # Errors
/// `NotFound` when the owner of the channel is gone.
pub async fn of(db: &Db, proof: &JobScope, channel: Channel) -> Result<SnapshotData> {
    match channel {
        Channel::Company(company) => of_company(db, &CompanyScope::of_job(proof, company)).await,
        Channel::User(user) => of_user(db, proof, user).await,
        Channel::Plans => of_plans(db).await,
        Channel::AdminMetrics | Channel::AdminActivity => of_platform(db, proof, channel).await,
    }
}

async fn of_company(db: &Db, scope: &CompanyScope) -> Result<SnapshotData> {
    let tx = db.company_snapshot(scope).await?;
    let (company, subscription, open) = try_join3(
        company::store::detail(&tx),
        subscription::current_view::read(&tx),
        payment::store::open_views(&tx),
    )
    .await?;
    let company = company.ok_or_else(Error::not_found)?;
    let for_operators = subscription.clone().map(SubscriptionView::for_operators);
    let mut snapshot =
        CompanySnapshot { company, subscription: for_operators, open_payments: None };
    let restricted = Some(text(&snapshot)?);
    snapshot.subscription = subscription;
    snapshot.open_payments = Some(open);
    Ok(SnapshotData { full: text(&snapshot)?, restricted })
}

async fn of_user(db: &Db, proof: &JobScope, id: UserId) -> Result<SnapshotData> {
    let tx = db.platform_tx(proof).await?;
    let (user, memberships) =
        try_join(user::store::find(&tx, id), user::admin_store::memberships(&tx, id)).await?;
    // Whole the CPF goes only to the person who asks for it by REST.
    let user = user.ok_or_else(Error::not_found)?.view(Viewer::Somebody);
    unrestricted(&UserSnapshot { user, memberships })
}

async fn of_plans(db: &Db) -> Result<SnapshotData> {
    let tx = db.job_tx().await?;
    let plans = plan::store::on_sale(&tx).await?.into_iter().map(PlanView::from).collect();
    unrestricted(&PlansSnapshot { plans })
}

/// The objects of `/api/admin/analytics/dashboard` and `/activity`.
async fn of_platform(db: &Db, proof: &JobScope, channel: Channel) -> Result<SnapshotData> {
    let tx = db.figures_tx(proof).await?;
    match channel {
        Channel::AdminMetrics => unrestricted(&live::figures(&tx).await?),
        _ => unrestricted(&live::activities(&tx).await?),
    }
}

/// A snapshot that is the same for every reader.
fn unrestricted(value: &impl Serialize) -> Result<SnapshotData> {
    Ok(SnapshotData { full: text(value)?, restricted: None })
}

fn text(value: &impl Serialize) -> Result<String> {
    serde_json::to_string(value).map_err(Error::internal)
}
