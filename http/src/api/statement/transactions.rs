//! One statement of everything that a company was charged, credited and given back, and of what was tried.

use actix_web::{get, web};
use bipe_core::error::Error;
use bipe_core::id::CompanyId;
use bipe_core::money::Cents;
use bipe_core::search::Filter;
use bipe_core::statement::transactions::{self, Transaction, TransactionKind};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::App;
use crate::error::{Answer, Reply, ok};
use crate::extract::{Paging, Query, ReadPayments, Scope, filter};

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct TransactionQuery {
    #[param(value_type = Option<TransactionKind>)]
    kind: Option<String>,
    /// The first day, in America/Sao_Paulo.
    #[param(value_type = Option<String>, format = Date)]
    from: Option<String>,
    /// The last day.
    #[param(value_type = Option<String>, format = Date)]
    to: Option<String>,
    /// Contained in plan, method, amount, an id or the number of the document, whatever the case and the accents.
    #[param(max_length = 100)]
    search: Option<String>,
}

impl TransactionQuery {
    fn read(&self) -> Result<Filter<TransactionKind>, Error> {
        let days = (self.from.as_deref(), self.to.as_deref());
        filter(self.kind.as_deref(), TransactionKind::parse, days, self.search.as_deref())
    }
}

/// The sums are over all pages.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Transactions {
    transactions: Vec<Transaction>,
    total: i64,
    page: i64,
    /// Came in.
    #[schema(value_type = i64)]
    paid: Cents,
    /// Went back to the payer.
    #[schema(value_type = i64)]
    refunded: Cents,
    /// Became credit.
    #[schema(value_type = i64)]
    credited: Cents,
    /// Credit that was used.
    #[schema(value_type = i64)]
    credit_used: Cents,
    /// Attempts that failed.
    failed: i64,
}

/// Charges, credits, refunds and attempts, newest first.
#[utoipa::path(tag = "statement", security(("bearer" = [])),
    params(("id" = CompanyId, Path), Paging, TransactionQuery),
    responses((status = 200, body = Answer<Transactions>)))]
#[get("/{id}/transactions")]
pub async fn list(
    app: web::Data<App>,
    scope: Scope<ReadPayments>,
    paging: Paging,
    Query(query): Query<TransactionQuery>,
) -> Reply {
    let filter = query.read()?;
    let tx = app.db.company_tx(&scope).await?;
    let (transactions, totals) =
        transactions::page(&tx, &filter, paging.limit, paging.offset()).await?;
    Ok(ok(Transactions {
        transactions,
        total: totals.count,
        page: paging.page,
        paid: totals.paid,
        refunded: totals.refunded,
        credited: totals.credited,
        credit_used: totals.credit_used,
        failed: totals.failed,
    }))
}
