//! The documents of a company's payments (docs/contract.md, "Documents"): its admins and finance list and read them,
//! take them away as files, and have them mailed once more.

use actix_web::http::StatusCode;
use actix_web::{get, post, web};
use bipe_core::brazil::local_date;
use bipe_core::db::CompanyTx;
use bipe_core::error::{Error, FieldCode};
use bipe_core::id::{CompanyId, InvoiceId};
use bipe_core::invoice::export::export;
use bipe_core::invoice::store;
use bipe_core::invoice::{Invoice, InvoiceKind, archive, send as mail};
use bipe_core::money::Cents;
use bipe_core::pdf::render;
use bipe_core::rate_limit::{INVOICE_SENT, INVOICES_PACKED};
use bipe_core::scope::CompanyScope;
use bipe_core::search::Filter;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use tokio::sync::Semaphore;
use utoipa::{IntoParams, ToSchema};

use crate::App;
use crate::api::download::attachment;
use crate::error::{Answer, Reply, ok};
use crate::extract::{Caller, IdempotencyKey, Paging, Query, ReadPayments, Scope, filter};
use crate::replay::{CommandCall, run_once};

/// Files drawn at once by this node; each document takes some milliseconds of one core.
static DRAWING_PERMITS: Semaphore = Semaphore::const_new(2);

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct InvoiceQuery {
    #[param(value_type = Option<InvoiceKind>)]
    kind: Option<String>,
    /// The first day, in America/Sao_Paulo.
    #[param(value_type = Option<String>, format = Date)]
    from: Option<String>,
    /// The last day.
    #[param(value_type = Option<String>, format = Date)]
    to: Option<String>,
    /// Contained in number, plan, method, amount or the provider's reference, whatever the case and the accents.
    #[param(max_length = 100)]
    search: Option<String>,
}

impl InvoiceQuery {
    fn read(&self) -> Result<Filter<InvoiceKind>, Error> {
        let days = (self.from.as_deref(), self.to.as_deref());
        filter(self.kind.as_deref(), InvoiceKind::parse, days, self.search.as_deref())
    }
}

/// The bytes of the file.
#[derive(ToSchema)]
#[schema(value_type = String, format = Binary)]
#[expect(dead_code, reason = "a schema alone")]
struct FileBytes(Vec<u8>);

#[derive(Serialize, ToSchema)]
pub struct Invoices {
    invoices: Vec<Invoice>,
    total: i64,
    page: i64,
    /// Came in, over all pages.
    #[schema(value_type = i64)]
    paid: Cents,
    /// Went back, over all pages.
    #[schema(value_type = i64)]
    refunded: Cents,
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct YearQuery {
    /// In which the money moved, in America/Sao_Paulo. The running one when left out.
    #[param(value_type = Option<i16>, minimum = 2000, maximum = 9998)]
    year: Option<String>,
}

impl YearQuery {
    fn read(&self, now: Timestamp) -> Result<(i16, Filter<InvoiceKind>), Error> {
        let typed = self.year.as_deref().filter(|year| !year.is_empty());
        let year = match typed {
            Some(year) if year.bytes().all(|b| b.is_ascii_digit()) => year.parse().ok(),
            Some(_) => None,
            None => Some(local_date(now).year()),
        };
        let filter = year.and_then(|year| Some((year, archive::of_year(year)?)));
        filter.ok_or_else(|| Error::invalid("year", FieldCode::Invalid))
    }
}

#[derive(Serialize, ToSchema)]
pub struct OneInvoice {
    invoice: Invoice,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SentInvoice {
    /// The addresses that it goes to.
    sent_to: Vec<String>,
}

/// The company's documents, newest first.
#[utoipa::path(tag = "invoices", security(("bearer" = [])),
    params(("id" = CompanyId, Path), Paging, InvoiceQuery),
    responses((status = 200, body = Answer<Invoices>)))]
#[get("/{id}/invoices")]
pub async fn list(
    app: web::Data<App>,
    scope: Scope<ReadPayments>,
    paging: Paging,
    Query(query): Query<InvoiceQuery>,
) -> Reply {
    let filter = query.read()?;
    let tx = app.db.company_tx(&scope).await?;
    let (invoices, totals) = store::page(&tx, &filter, paging.limit, paging.offset()).await?;
    let (page, total) = (paging.page, totals.count);
    Ok(ok(Invoices { invoices, total, page, paid: totals.paid, refunded: totals.refunded }))
}

/// The documents of a year as a ZIP file: the PDF of each, and a table of all as `faturas.csv`.
#[utoipa::path(tag = "invoices", security(("bearer" = [])),
    params(("id" = CompanyId, Path), YearQuery),
    responses((status = 200, body = inline(FileBytes), content_type = "application/zip")))]
#[get("/{id}/invoices/zip")]
pub async fn zip(
    app: web::Data<App>,
    scope: Scope<ReadPayments>,
    caller: Caller,
    Query(query): Query<YearQuery>,
) -> Reply {
    let (year, filter) = query.read(app.db.clock().now())?;
    app.auth.limit(INVOICES_PACKED, &["user", &scope.person().to_string()]).await?;
    let tx = app.db.company_tx(&scope).await?.caused_by(&caller);
    let invoices = export(&tx, &filter, scope.by(&caller)).await?;
    // Nothing is held while the files are drawn.
    tx.commit().await?;
    file("application/zip", &archive::file_name(year), move || archive::pack(&invoices)).await
}

/// Draws it beside the requests and answers it as a download.
async fn file(
    kind: &str,
    name: &str,
    draw: impl FnOnce() -> Result<Vec<u8>, Error> + Send + 'static,
) -> Reply {
    let turn = DRAWING_PERMITS.acquire().await.map_err(Error::internal)?;
    // It is drawn to its end also when nobody waits for it any more.
    let work = move || {
        let _turn = turn;
        draw()
    };
    let drawn = web::block(work).await.map_err(Error::internal)??;
    Ok(attachment(kind, name, drawn))
}

async fn load(
    app: &App,
    scope: &CompanyScope,
    path: web::Path<(CompanyId, InvoiceId)>,
) -> Result<Invoice, Error> {
    let (_, id) = path.into_inner();
    store::load(&app.db.company_tx(scope).await?, id).await
}

/// One document. That of a payment has the payment's id.
#[utoipa::path(tag = "invoices", security(("bearer" = [])),
    params(("id" = CompanyId, Path), ("invoiceId" = InvoiceId, Path)),
    responses((status = 200, body = Answer<OneInvoice>)))]
#[get("/{id}/invoices/{invoiceId}")]
pub async fn find(
    app: web::Data<App>,
    scope: Scope<ReadPayments>,
    path: web::Path<(CompanyId, InvoiceId)>,
) -> Reply {
    Ok(ok(OneInvoice { invoice: load(&app, &scope, path).await? }))
}

/// The document as a PDF file.
#[utoipa::path(tag = "invoices", security(("bearer" = [])),
    params(("id" = CompanyId, Path), ("invoiceId" = InvoiceId, Path)),
    responses((status = 200, body = inline(FileBytes), content_type = "application/pdf")))]
#[get("/{id}/invoices/{invoiceId}/pdf")]
pub async fn pdf(
    app: web::Data<App>,
    scope: Scope<ReadPayments>,
    path: web::Path<(CompanyId, InvoiceId)>,
) -> Reply {
    let invoice = load(&app, &scope, path).await?;
    let name = invoice.file_name();
    file("application/pdf", &name, move || render(&invoice.sheet()).map_err(Error::internal)).await
}

/// Mails it once more, to the caller and to the company's billing addresses.
#[utoipa::path(tag = "invoices", security(("bearer" = [])),
    params(("id" = CompanyId, Path), ("invoiceId" = InvoiceId, Path),
        ("Idempotency-Key" = Option<String>, Header)),
    responses((status = 200, body = Answer<SentInvoice>), (status = 409)))]
#[post("/{id}/invoices/{invoiceId}/send")]
pub async fn send(
    app: web::Data<App>,
    scope: Scope<ReadPayments>,
    caller: Caller,
    key: IdempotencyKey,
    path: web::Path<(CompanyId, InvoiceId)>,
) -> Reply {
    let (company, id) = path.into_inner();
    let by = scope.by(&caller);
    let person = app.auth.limits.bucket(&["user", &scope.person().to_string()]);
    let operation = format!("POST /companies/{company}/invoices/{id}/send");
    let request_id = &caller.request_id;
    let call =
        CommandCall { operation: &operation, key, request_id, body: &(), status: StatusCode::OK };
    run_once(&app.db, &scope, call, async |tx: &mut CompanyTx| {
        app.auth.limits.take_within(tx, INVOICE_SENT, &person).await?;
        Ok(SentInvoice { sent_to: mail::send(tx, id, by).await? })
    })
    .await
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;
    use std::time::Duration;

    use super::*;

    #[actix_web::test]
    async fn a_file_that_nobody_waits_for_keeps_its_turn_until_it_is_drawn() {
        let (begun, begins) = channel();
        let (end, ends) = channel::<()>();
        let draw = move || {
            begun.send(()).ok();
            ends.recv().ok();
            Ok(Vec::new())
        };
        let waiter = actix_web::rt::spawn(async { drop(file("text/plain", "a", draw).await) });
        let begins = web::block(move || begins.recv().is_ok());
        assert!(begins.await.unwrap());
        waiter.abort();
        assert!(waiter.await.unwrap_err().is_cancelled());
        assert_eq!(DRAWING_PERMITS.available_permits(), 1);
        drop(end);
        let all = DRAWING_PERMITS.acquire_many(2);
        assert!(tokio::time::timeout(Duration::from_secs(60), all).await.unwrap().is_ok());
    }
}
