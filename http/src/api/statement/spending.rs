//! What a company has spent, in figures.

use actix_web::{get, web};
use bipe_core::error::Error;
use bipe_core::id::CompanyId;
use bipe_core::statement::spending::{self, Spending};
use serde::Deserialize;
use utoipa::IntoParams;

use crate::App;
use crate::error::{Answer, Reply, ok};
use crate::extract::{Query, ReadPayments, Scope, number};

const MONTHS: i32 = 12;
const MAX_MONTHS: i32 = 24;

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct SpendingQuery {
    /// How many, the running one included.
    #[param(value_type = Option<i64>, minimum = 1, maximum = 24, default = 12)]
    months: Option<String>,
}

/// What was paid and what failed, by month of America/Sao_Paulo.
#[utoipa::path(tag = "statement", security(("bearer" = [])),
    params(("id" = CompanyId, Path), SpendingQuery),
    responses((status = 200, body = Answer<Spending>)))]
#[get("/{id}/spending")]
pub async fn read(
    app: web::Data<App>,
    scope: Scope<ReadPayments>,
    Query(query): Query<SpendingQuery>,
) -> Reply {
    let months = number(query.months.as_deref(), MONTHS, (1, MAX_MONTHS));
    let months = months.map_err(|code| Error::invalid("months", code))?;
    let tx = app.db.company_tx(&scope).await?;
    Ok(ok(spending::read(&tx, app.clock.now(), months).await?))
}
