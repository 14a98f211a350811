//! The platform's figures for its admins: cards, months, what happened lately, a file, spend on customers.

use actix_web::{get, post, web};
use bipe_core::audit::{self, AuditAction, AuditField, Entry};
use bipe_core::brazil;
use bipe_core::db::{PlatformTx, WithAge};
use bipe_core::error::{Error, FieldCode, FieldErrors};
use bipe_core::metrics::period::{Period, parse_month};
use bipe_core::metrics::view::{
    AcquisitionCost, Activities, ChurnRow, Dashboard, Metric, RevenueRow, UserRow,
};
use bipe_core::metrics::{AcquisitionSpend, export, report, store};
use bipe_core::money::Reais;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use utoipa::{IntoParams, ToSchema};

use crate::App;
use crate::api::download::{Format, FormatQuery};
use crate::error::{Answer, Reply, created, ok, ok_aged, with_age};
use crate::extract::{Admin, AdminBody, Caller, Query, number};

const MAX_ACTIVITIES: i64 = 100;

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(rename_all = "camelCase")]
pub struct PeriodQuery {
    /// `7d`, `30d` (when left out), `90d` or `1y`.
    #[param(pattern = "^(7d|30d|90d|1y)$")]
    period: Option<String>,
    /// Instead of `period`: the first local day, `2026-11-01`.
    #[param(value_type = Option<String>, format = Date)]
    start_date: Option<String>,
    /// The last local day; at most three years after the first.
    #[param(value_type = Option<String>, format = Date)]
    end_date: Option<String>,
}

/// What the rows of a metric stand for.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct IntervalQuery {
    /// `month` when left out; `day` for at most a month.
    #[param(pattern = "^(day|month)$")]
    interval: Option<String>,
}

impl PeriodQuery {
    fn read(&self, app: &App) -> Result<Period, Error> {
        let days = (self.start_date.as_deref(), self.end_date.as_deref());
        Period::parse(self.period.as_deref(), days, app.clock.now())
    }
}

/// A figure, and its months or days.
#[derive(Serialize, ToSchema)]
pub struct MetricRows<T> {
    metric: Metric,
    rows: Vec<T>,
}

#[derive(Serialize, ToSchema)]
pub struct AcquisitionCosts {
    /// The newest month first.
    costs: Vec<AcquisitionCost>,
}

#[derive(Serialize, ToSchema)]
pub struct OneAcquisitionCost {
    cost: AcquisitionCost,
}

/// All cards of a period against the equal one before it.
#[utoipa::path(tag = "admin", security(("bearer" = [])), params(PeriodQuery),
    responses((status = 200, body = Answer<Dashboard>,
        headers(("x-data-age" = u64, description = "Seconds by which the data is old, where a replica answered.")))))]
#[get("/analytics/dashboard")]
pub async fn dashboard(
    app: web::Data<App>,
    admin: Admin,
    Query(query): Query<PeriodQuery>,
) -> Reply {
    let period = query.read(&app)?;
    let read = async |tx: &PlatformTx| {
        let metrics = report::facts(tx, period.clone()).await?.cards();
        Ok(Dashboard { metrics })
    };
    Ok(ok_aged(app.db.figures(&admin, read).await?))
}

macro_rules! metrics {
    ($($(#[$doc:meta])* $name:ident, $path:literal, $row:ident, $metric:expr, $rows:path);+ $(;)?) => {$(
        $(#[$doc])*
        #[utoipa::path(tag = "admin", security(("bearer" = [])), params(PeriodQuery, IntervalQuery),
            responses((status = 200, body = Answer<MetricRows<$row>>,
                headers(("x-data-age" = u64,
                    description = "Seconds by which the data is old, where a replica answered.")))))]
        #[get($path)]
        pub async fn $name(
            app: web::Data<App>,
            admin: Admin,
            Query(query): Query<PeriodQuery>,
            Query(by): Query<IntervalQuery>,
        ) -> Reply {
            let period = query.read(&app)?.by(by.interval.as_deref())?;
            let read = async |tx: &PlatformTx| {
                let metric = $metric(&report::facts(tx, period.clone()).await?);
                Ok(MetricRows { metric, rows: $rows(tx, &period).await? })
            };
            Ok(ok_aged(app.db.figures(&admin, read).await?))
        }
    )+};
}

metrics! {
    /// Monthly recurring revenue, by month or day.
    mrr, "/analytics/metrics/mrr", RevenueRow, report::CardFacts::mrr, report::revenue_rows;
    /// Yearly recurring revenue; the rows are those of `mrr`.
    arr, "/analytics/metrics/arr", RevenueRow, report::CardFacts::arr, report::revenue_rows;
    /// Companies that left, by month or day.
    churn, "/analytics/metrics/churn", ChurnRow, report::CardFacts::churn, report::churn_rows;
    /// Active people, by month or day.
    mau, "/analytics/metrics/mau", UserRow, report::CardFacts::mau, report::user_rows;
    /// Monthly revenue won in the period, and what was won and lost by month or day.
    revenue, "/analytics/metrics/revenue", RevenueRow, report::CardFacts::new_revenue, report::revenue_rows;
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ActivityQuery {
    /// 10 when left out.
    #[param(value_type = Option<i64>, minimum = 1, maximum = 100)]
    limit: Option<String>,
}

/// What happened lately, newest first.
#[utoipa::path(tag = "admin", security(("bearer" = [])), params(ActivityQuery),
    responses((status = 200, body = Answer<Activities>,
        headers(("x-data-age" = u64, description = "Seconds by which the data is old, where a replica answered.")))))]
#[get("/analytics/activity")]
pub async fn activity(
    app: web::Data<App>,
    admin: Admin,
    Query(query): Query<ActivityQuery>,
) -> Reply {
    let limit = number(query.limit.as_deref(), 10, (1, MAX_ACTIVITIES));
    let limit = limit.map_err(|code| Error::invalid("limit", code))?;
    let read =
        async |tx: &PlatformTx| Ok(Activities { activities: report::activities(tx, limit).await? });
    Ok(ok_aged(app.db.figures(&admin, read).await?))
}

/// The cards as a file.
#[utoipa::path(tag = "admin", security(("bearer" = [])), params(PeriodQuery, FormatQuery), responses(
    (status = 200, content((String = "text/csv"), (Dashboard = "application/json")),
        headers(("x-data-age" = u64, description = "Seconds by which the data is old, where a replica answered.")))))]
#[get("/analytics/export")]
pub async fn export_file(
    app: web::Data<App>,
    admin: Admin,
    Query(query): Query<PeriodQuery>,
    Query(format): Query<FormatQuery>,
    caller: Caller,
) -> Reply {
    let period = query.read(&app)?;
    let format = format.read()?;
    let today = brazil::local_date(app.clock.now());
    let name = format.name(&format!("dashboard-{}-{today}", period.label.replace('/', "_")));
    let tx = app.db.admin_tx(&admin).await?.caused_by(&caller);
    audit::record(&tx, audit::by_admin(&admin, &caller, AuditAction::MetricsExport).about(&name));
    tx.commit().await?;
    let read = async |tx: &PlatformTx| Ok(report::facts(tx, period.clone()).await?.cards());
    let WithAge { value: metrics, age } = app.db.figures(&admin, read).await?;
    let text = match format {
        Format::Csv => export::csv(&metrics),
        Format::Json => {
            serde_json::to_string_pretty(&Dashboard { metrics }).map_err(Error::internal)?
        }
    };
    Ok(with_age(format.answer(&name, text), age))
}

/// What was spent on winning customers.
#[utoipa::path(tag = "admin", security(("bearer" = [])),
    responses((status = 200, body = Answer<AcquisitionCosts>)))]
#[get("/analytics/acquisition-costs")]
pub async fn costs(app: web::Data<App>, admin: Admin) -> Reply {
    let tx = app.db.admin_tx(&admin).await?;
    let costs = store::costs(&tx).await?.into_iter().map(view).collect();
    Ok(ok(AcquisitionCosts { costs }))
}

/// The spend of one month; a second one for the same month replaces it.
#[derive(Deserialize, ToSchema)]
pub struct AcquisitionCostRequest {
    /// `2026-11`
    #[schema(required = true, nullable = false, pattern = "^[0-9]{4}-(0[1-9]|1[0-2])$")]
    month: Option<String>,
    /// Reais.
    #[schema(required = true, nullable = false, value_type = f64, minimum = 0, maximum = 999_999.99)]
    amount: Option<Box<RawValue>>,
}

impl AcquisitionCostRequest {
    fn parse(&self) -> Result<AcquisitionSpend, Error> {
        let mut errors = FieldErrors::default();
        let month = self.month.as_deref().ok_or(FieldCode::Required).and_then(parse_month);
        let amount = self.amount.as_deref().ok_or(FieldCode::Required);
        let amount = amount.and_then(|raw| Reais::parse(raw.get()).ok_or(FieldCode::Invalid));
        let spend = errors.take("month", month).zip(errors.take("amount", amount));
        let (month, Reais(amount)) = errors.into_result(spend)?;
        Ok(AcquisitionSpend { month, amount })
    }
}

/// Writes down what a month cost.
#[utoipa::path(tag = "admin", security(("bearer" = [])), request_body = AcquisitionCostRequest,
    responses((status = 201, body = Answer<OneAcquisitionCost>)))]
#[post("/analytics/acquisition-costs")]
pub async fn set_cost(
    app: web::Data<App>,
    caller: Caller,
    AdminBody { admin, body }: AdminBody<AcquisitionCostRequest>,
) -> Reply {
    let spend = body.parse()?;
    let tx = app.db.admin_tx(&admin).await?.caused_by(&caller);
    store::set_cost(&tx, spend).await?;
    let cost = view(spend);
    let entry = audit::by_admin(&admin, &caller, AuditAction::MetricsCost).about(&cost.month);
    audit::record(&tx, Entry { fields: &[AuditField::Amount], ..entry });
    tx.commit().await?;
    Ok(created(OneAcquisitionCost { cost }))
}

fn view(spend: AcquisitionSpend) -> AcquisitionCost {
    let month = spend.month.strftime("%Y-%m").to_string();
    AcquisitionCost { month, amount: Reais(spend.amount) }
}
