//! Issues documents and reads them. Decides nothing.
//!
//! A number is taken by the last statement before the commit, behind the lock of its issuer's row, which all payments
//! share. That statement travels together with the commit, so that parallel payments wait for each other's commit
//! alone. So numbers have no gap and follow the order of the commits. Nobody waits for another lock while holding that
//! one.

use std::iter;

use futures_util::future::BoxFuture;
use jiff::Timestamp;
use tokio_postgres::Row;

use super::search_pt_br::names_of_kinds;
use super::{
    Draft, Invoice, InvoiceKind, InvoicePayer, InvoicePeriod, Issuer, Line, PaymentMeans,
    search_pt_br,
};
use crate::company::Locked;
use crate::company::billing_profile::{self, BillingDetails, BillingProfile};
use crate::db::{AppendStatement, CompanyTx, Db, Tx};
use crate::error::{Error, Result};
use crate::event::{Channel, Event};
use crate::id::{CompanyId, InvoiceId, PaymentId};
use crate::mailer::{self, MailedInvoice, PaymentNotice};
use crate::money::{BRL, Cents};
use crate::payment_method::CardName;
use crate::scope::CompanyScope;
use crate::search::Filter;

macro_rules! columns {
    () => {
        "id, company_id, kind, number, issuer_tax_id, issuer_name, issuer_address, issuer_email, at, issued_at, \
         payer_name, payer_tax_id, payer_address, paid_by_name, plan_name, billing_cycle, period_start, period_end, \
         lines, total_cents, taxes_cents, became_credit, payment_id, method, card_brand, card_last4, provider, \
         provider_reference"
    };
}

/// The mail that the document goes out with; the company's billing addresses get a copy.
#[derive(Clone, Debug)]
pub struct ReceiptMail {
    pub to: String,
    /// Who is addressed.
    pub name: String,
    /// What is told of the payment; none where nothing was paid.
    pub notice: Option<PaymentNotice>,
}

/// Issues the document with the commit of this transaction, made out to the company's current billing profile. What was
/// given back of its payment meanwhile gets a document of its own. Nobody is mailed.
pub async fn issue(tx: &mut Locked<'_>, draft: Draft, given_back: Cents) -> Result<()> {
    let profile = billing_profile::current(tx).await?;
    stage_both(tx, profile.map(|profile| profile.details), draft, given_back);
    Ok(())
}

/// As [`issue`], with the billing profile that the caller has read. The profile's billing addresses get a copy of each
/// document by mail, whether anybody else is mailed or not.
///
/// # Errors
/// `Internal`.
pub fn issue_to(
    tx: &mut Locked<'_>,
    profile: Option<BillingProfile>,
    draft: Draft,
    mail: Option<ReceiptMail>,
    given_back: Cents,
) -> Result<()> {
    let emails = billing_emails(profile.as_ref());
    let copies = emails.iter().filter(|email| mail.as_ref().is_none_or(|mail| mail.to != **email));
    let document = MailedInvoice { company_id: tx.company_id(), invoice_id: draft.id };
    for to in copies {
        mailer::enqueue_invoice(tx, to, "", document, None)?;
    }
    if let Some(ReceiptMail { to, name, notice }) = mail {
        mailer::enqueue_invoice(tx, &to, &name, document, notice)?;
    }
    let refund = stage_both(tx, profile.map(|profile| profile.details), draft, given_back);
    refund.map_or(Ok(()), |refund| mail_copies(tx, &emails, refund))
}

/// Answers the document of what was given back, if something was.
fn stage_both(
    tx: &mut Locked<'_>,
    profile: Option<BillingDetails>,
    draft: Draft,
    given_back: Cents,
) -> Option<InvoiceId> {
    let payer = profile.map(InvoicePayer::from);
    let refund = (given_back != Cents::ZERO).then(|| refund(tx, draft.clone(), given_back));
    let refund_id = refund.as_ref().map(|refund| refund.id);
    for draft in iter::once(draft).chain(refund) {
        stage(tx, draft, payer.clone());
    }
    refund_id
}

/// The provider gave this much of a payment back, or took that back; documented with the commit. The billing addresses
/// of `mail_to` get the document by mail; without it nobody is mailed. A payment without a document gets both by
/// `backfill`.
pub async fn issue_refund(
    tx: &mut Locked<'_>,
    payment: PaymentId,
    amount: Cents,
    mail_to: Option<&BillingProfile>,
) -> Result<()> {
    let paid: Option<Invoice> = tx.find(ONE, &[&tx.company_id(), &payment.0]).await?;
    let Some(paid) = paid else { return Ok(()) };
    let payer = paid.payer.clone();
    let draft = refund(tx, Draft::from(paid), amount);
    mail_copies(tx, &billing_emails(mail_to), draft.id)?;
    stage(tx, draft, Some(payer));
    Ok(())
}

fn billing_emails(profile: Option<&BillingProfile>) -> Vec<String> {
    let emails = profile.into_iter().flat_map(|profile| &profile.details.emails);
    emails.map(|email| email.as_str().to_owned()).collect()
}

fn mail_copies(tx: &mut Locked<'_>, emails: &[String], invoice_id: InvoiceId) -> Result<()> {
    let document = MailedInvoice { company_id: tx.company_id(), invoice_id };
    for to in emails {
        mailer::enqueue_invoice(tx, to, "", document, None)?;
    }
    Ok(())
}

fn refund(tx: &Tx, paid: Draft, amount: Cents) -> Draft {
    paid.refund(InvoiceId::new(tx.clock()), tx.now(), amount)
}

fn stage(tx: &mut Locked<'_>, draft: Draft, payer: Option<InvoicePayer>) {
    let company = tx.company_id();
    tx.append_last(Box::new(Issue { company, draft, payer }));
}

impl From<BillingDetails> for InvoicePayer {
    fn from(details: BillingDetails) -> Self {
        Self {
            address: Some(details.address.lines().join("\n")),
            tax_id: Some(details.tax_id.as_str().to_owned()),
            name: details.legal_name,
        }
    }
}

struct Issue {
    company: CompanyId,
    draft: Draft,
    /// None where the company has not said it: its name stands there.
    payer: Option<InvoicePayer>,
}

impl AppendStatement for Issue {
    fn sql(&self) -> &'static str {
        ISSUE
    }

    fn write<'a>(&'a self, tx: &'a Tx) -> BoxFuture<'a, Result<Vec<Event>>> {
        Box::pin(async move {
            let Self { company, draft, payer } = self;
            let lines = serde_json::to_string(&draft.lines).map_err(Error::internal)?;
            let (means, period) = (draft.payment.as_ref(), draft.period);
            let card = means.and_then(|means| means.card.as_ref());
            tx.all(
                ISSUE,
                &[
                    &draft.id,
                    company,
                    &draft.kind,
                    &draft.at,
                    &tx.now(),
                    &draft.by,
                    &draft.plan_name,
                    &draft.cycle,
                    &period.map(|period| period.start),
                    &period.map(|period| period.end),
                    &lines,
                    &draft.total(),
                    &draft.became_credit,
                    &means.map(|means| means.id),
                    &means.map(|means| means.method),
                    &card.map(|card| &card.brand),
                    &card.map(|card| &card.last4),
                    &means.map(|means| &means.provider),
                    &means.and_then(|means| means.reference.as_ref()),
                    &search_pt_br::words(draft),
                    &payer.as_ref().map(|payer| &payer.name),
                    &payer.as_ref().and_then(|payer| payer.tax_id.as_ref()),
                    &payer.as_ref().and_then(|payer| payer.address.as_ref()),
                    &Channel::Company(*company).stored(),
                    &tx.new_epoch(),
                    &tx.cause(),
                ],
            )
            .await
        })
    }
}

/// If the issuer changed while this statement waited for the issuer's lock, the document gets no number and the table
/// refuses it (`Unavailable`): the caller tries again. The event is an `IssuedInvoice`.
const ISSUE: &str = "WITH issuer AS (UPDATE invoice_issuers SET last = last + 1 WHERE is_current \
       RETURNING tax_id, name, address, email, last), \
     issued AS (\
     INSERT INTO invoices (id, company_id, kind, number, issuer_tax_id, issuer_name, issuer_address, issuer_email, \
       at, issued_at, payer_name, payer_tax_id, payer_address, paid_by, paid_by_name, plan_name, billing_cycle, \
       period_start, period_end, lines, total_cents, became_credit, payment_id, method, card_brand, card_last4, \
       provider, provider_reference, search_text) \
     SELECT $1::uuid, c.id, $3::text, i.last, i.tax_id, i.name, i.address, i.email, $4, $5::timestamptz, \
       coalesce($21, c.name), $22, $23, $6, \
       (SELECT u.name FROM users u WHERE u.id = $6), $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, \
       searchable(lpad(i.last::text, greatest(6, length(i.last::text)), '0') || ' ' || $20) \
     FROM companies c LEFT JOIN issuer i ON true WHERE c.id = $2 RETURNING number), \
     head AS (\
     INSERT INTO channel_heads (channel, epoch, seq) VALUES ($24::text, $25::text, 1) \
     ON CONFLICT (channel) DO UPDATE SET seq = channel_heads.seq + 1 RETURNING epoch, seq), \
     appended AS (\
     INSERT INTO events (channel, seq, company_id, name, key, data, finance_only, cause, at) \
     SELECT $24::text, h.seq, $2::uuid, 'invoice.issued', $1::uuid::text, \
       jsonb_build_object('id', $1::uuid, 'kind', $3::text, 'number', i.number)::text, true, $26::text, \
       $5::timestamptz FROM issued i, head h \
     RETURNING channel, seq, name, key, data, finance_only, operator_data, cause, at) \
     SELECT a.*, epoch_in_history(h.epoch, history) AS epoch \
     FROM appended a, head h, current_history() AS history";

/// What a filter finds in all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Totals {
    pub count: i64,
    /// Came in.
    pub paid: Cents,
    /// Went back.
    pub refunded: Cents,
}

/// One page, newest first, and what there is in all.
pub async fn page(
    tx: &CompanyTx,
    Filter { kind, from, until, search }: &Filter<InvoiceKind>,
    limit: i64,
    offset: i64,
) -> Result<(Vec<Invoice>, Totals)> {
    let company = tx.company_id();
    let invoices = tx.all(PAGE, &[&company, kind, from, until, search, &limit, &offset]).await?;
    let row = tx.query_one(TOTALS, &[&company, kind, from, until, search]).await?;
    let totals = Totals {
        count: row.try_get("count")?,
        paid: row.try_get("paid")?,
        refunded: row.try_get("refunded")?,
    };
    Ok((invoices, totals))
}

macro_rules! found {
    () => {
        concat!(
            " FROM invoices WHERE company_id = $1 AND ($2::text IS NULL OR kind = $2) \
         AND ($3::timestamptz IS NULL OR at >= $3) AND ($4::timestamptz IS NULL OR at < $4) \
         AND ($5::text IS NULL OR search_text LIKE searchable($5) OR searchable(",
            names_of_kinds!(),
            ") \
         LIKE searchable($5))"
        )
    };
}

const PAGE: &str = concat!(
    "SELECT ",
    columns!(),
    found!(),
    " ORDER BY at DESC, number DESC, id DESC LIMIT $6 OFFSET $7"
);
const TOTALS: &str = concat!(
    "SELECT count(*) AS count, \
     coalesce(sum(total_cents) FILTER (WHERE kind = 'payment'), 0)::bigint AS paid, \
     coalesce(sum(total_cents) FILTER (WHERE kind = 'refund'), 0)::bigint AS refunded",
    found!()
);

/// # Errors
/// `NotFound` when the company has no such document.
pub async fn load(tx: &CompanyTx, id: InvoiceId) -> Result<Invoice> {
    tx.find(ONE, &[&tx.company_id(), &id]).await?.ok_or_else(Error::not_found)
}

/// As [`load`], without a transaction.
///
/// # Errors
/// As [`load`].
pub async fn read(db: &Db, scope: &CompanyScope, id: InvoiceId) -> Result<Invoice> {
    let [found] = db.ask_company(scope, [(ONE, &[&scope.company_id(), &id])]).await?;
    found.first().map(Invoice::try_from).transpose()?.ok_or_else(Error::not_found)
}

const ONE: &str =
    concat!("SELECT ", columns!(), " FROM invoices WHERE company_id = $1 AND id = $2");

impl TryFrom<&Row> for Invoice {
    type Error = Error;

    fn try_from(row: &Row) -> Result<Self> {
        let lines: &str = row.try_get("lines")?;
        let lines: Vec<Line> = serde_json::from_str(lines).map_err(Error::internal)?;
        let (start, end): (Option<Timestamp>, _) =
            (row.try_get("period_start")?, row.try_get("period_end")?);
        Ok(Self {
            id: row.try_get("id")?,
            company_id: row.try_get("company_id")?,
            kind: row.try_get("kind")?,
            number: row.try_get("number")?,
            issuer: Issuer {
                name: row.try_get("issuer_name")?,
                tax_id: row.try_get("issuer_tax_id")?,
                address: row.try_get("issuer_address")?,
                email: row.try_get("issuer_email")?,
            },
            at: row.try_get("at")?,
            issued_at: row.try_get("issued_at")?,
            payer: InvoicePayer {
                name: row.try_get("payer_name")?,
                tax_id: row.try_get("payer_tax_id")?,
                address: row.try_get("payer_address")?,
            },
            paid_by: row.try_get("paid_by_name")?,
            plan_name: row.try_get("plan_name")?,
            billing_cycle: row.try_get("billing_cycle")?,
            period: start.zip(end).map(|(start, end)| InvoicePeriod { start, end }),
            lines,
            total: row.try_get("total_cents")?,
            taxes: row.try_get("taxes_cents")?,
            currency: BRL.to_owned(),
            became_credit: row.try_get("became_credit")?,
            payment: means_of(row)?,
        })
    }
}

/// Also of a row of `payments` that names its columns alike.
pub(super) fn means_of(row: &Row) -> Result<Option<PaymentMeans>> {
    let Some(id) = row.try_get::<_, Option<PaymentId>>("payment_id")? else { return Ok(None) };
    let (brand, last4): (Option<String>, _) =
        (row.try_get("card_brand")?, row.try_get("card_last4")?);
    Ok(Some(PaymentMeans {
        id,
        method: row.try_get("method")?,
        card: brand.zip(last4).map(|(brand, last4)| CardName { brand, last4 }),
        provider: row.try_get("provider")?,
        reference: row.try_get("provider_reference")?,
    }))
}
