//! The credit ledger of a company: what it has, and what moved it.

use actix_web::{get, web};
use bipe_core::error::{Error, FieldErrors};
use bipe_core::id::CompanyId;
use bipe_core::money::Cents;
use bipe_core::search;
use bipe_core::statement::ledger::{self, LedgerEntry};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use crate::App;
use crate::error::{Answer, Reply, ok};
use crate::extract::{Query, ReadPayments, Scope, number, one_of};

const ENTRIES: usize = 20;
const MAX_ENTRIES: usize = 100;

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct LedgerQuery {
    /// The first day, in America/Sao_Paulo.
    #[param(value_type = Option<String>, format = Date)]
    from: Option<String>,
    /// The last day.
    #[param(value_type = Option<String>, format = Date)]
    to: Option<String>,
    /// Entries that are older than this one: `next` of an answer.
    #[param(value_type = Option<Uuid>)]
    before: Option<String>,
    #[param(value_type = Option<i64>, minimum = 1, maximum = 100, default = 20)]
    limit: Option<String>,
}

/// The part of the ledger that is asked for.
struct LedgerFilter {
    days: (Option<Timestamp>, Option<Timestamp>),
    before: Option<Uuid>,
    limit: usize,
}

impl LedgerQuery {
    fn read(&self) -> Result<LedgerFilter, Error> {
        let mut errors = FieldErrors::default();
        let days = search::days(&mut errors, (self.from.as_deref(), self.to.as_deref()));
        let id = |text: &str| text.parse().ok();
        let before = one_of(&mut errors, "before", self.before.as_deref(), id);
        let limit = errors.take("limit", number(self.limit.as_deref(), ENTRIES, (1, MAX_ENTRIES)));
        let filter = days.zip(limit).map(|(days, limit)| LedgerFilter { days, before, limit });
        errors.into_result(filter)
    }
}

#[derive(Serialize, ToSchema)]
pub struct Balance {
    /// The company's credit now; below zero while up to 49 centavos wait for the next charge.
    #[schema(value_type = i64)]
    balance: Cents,
    entries: Vec<LedgerEntry>,
    /// What `before` is to be for the older entries; null after the oldest one.
    next: Option<Uuid>,
}

/// The company's credit, and what moved it, newest first.
#[utoipa::path(tag = "statement", security(("bearer" = [])),
    params(("id" = CompanyId, Path), LedgerQuery),
    responses((status = 200, body = Answer<Balance>)))]
#[get("/{id}/balance")]
pub async fn read(
    app: web::Data<App>,
    scope: Scope<ReadPayments>,
    Query(query): Query<LedgerQuery>,
) -> Reply {
    let LedgerFilter { days, before, limit } = query.read()?;
    let tx = app.db.company_tx(&scope).await?;
    let page = ledger::page(&tx, days, before, limit).await?;
    Ok(ok(Balance { balance: page.balance, entries: page.entries, next: page.next }))
}
