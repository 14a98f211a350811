//! Payments as platform admins find and read them. Reads across companies, so it takes a `PlatformTx`. A decision about
//! a payment goes through the billing workflow, like everything that moves a payment.

use jiff::Timestamp;
use jiff::civil::Date;
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;

use super::admin::{
    AdminPayment, AdminPaymentDetail, DailyPayments, MethodPayments, PaymentDocument,
    PaymentFigures, PaymentFilter, PaymentPerson, PaymentSort, PaymentSums, PlanPayments,
    figure_days,
};
use super::refund::{self, RefundBlock, RefundView, refundable};
use super::store::columns;
use super::trail::{self, OutsideTrail};
use super::{Payment, PaymentStatus, PaymentView};
use crate::audit::{self, AuditEntry};
use crate::brazil;
use crate::company::billing_profile;
use crate::db::{CompanyTx, Params, PlatformTx};
use crate::error::{Error, Result};
use crate::id::PaymentId;
use crate::invoice::InvoicePayer;
use crate::money::Cents;
use crate::row::from_row;

/// Beyond it nobody counts: the list is years long.
pub const MOST_COUNTED: i64 = 10_000;
/// Entries of the audit that are shown with one payment.
const MOST_HISTORY: i64 = 50;

macro_rules! listed {
    () => {
        concat!(
            "SELECT ",
            columns!(),
            ", c.name AS company_name, pl.display_name AS plan_name FROM payments p \
             JOIN companies c ON c.id = p.company_id JOIN plans pl ON pl.id = p.plan_id WHERE "
        )
    };
}

/// $1 to $6: the filter. Its days are ends of an index even in a cached generic plan.
macro_rules! wanted {
    () => {
        "($1::text[] IS NULL OR p.state = ANY ($1)) AND ($2::text IS NULL OR p.method = $2) \
         AND ($3::text IS NULL OR p.plan_id = (SELECT id FROM plans WHERE name = $3)) \
         AND p.created_at >= coalesce($4::timestamptz, '-infinity') \
         AND p.created_at < coalesce($5::timestamptz, 'infinity') \
         AND (NOT $6::boolean OR p.state = 'conflicted')"
    };
}

/// $7 to $10: the search, each by an index of its own. It has statements of its own, so that the list without a search
/// walks the index of dates and stops at its page, also in a cached generic plan.
macro_rules! searched {
    () => {
        concat!(
            "p.id IN (SELECT o.id FROM payments o WHERE o.id = $8::uuid \
             UNION SELECT o.id FROM payments o WHERE o.provider_intent = $9::text \
             UNION SELECT o.id FROM payments o WHERE o.company_id IN (\
             SELECT id FROM companies WHERE search_name LIKE searchable($7::text) \
             UNION SELECT company_id FROM billing_profiles WHERE tax_id = $10::text)) AND ",
            wanted!()
        )
    };
}

macro_rules! unsearched {
    () => {
        concat!(
            "$7::text IS NULL AND $8::uuid IS NULL AND $9::text IS NULL AND $10::text IS NULL AND ",
            wanted!()
        )
    };
}

/// $11: the last payment of the page before; an unknown one has nothing behind it.
macro_rules! page {
    () => {
        " AND (p.created_at, p.id) < (CASE WHEN $11::uuid IS NULL THEN 'infinity' \
         ELSE (SELECT a.created_at FROM payments a WHERE a.id = $11) END, \
         coalesce($11, 'ffffffff-ffff-ffff-ffff-ffffffffffff')) \
         ORDER BY p.created_at DESC, p.id DESC LIMIT $12 OFFSET $13"
    };
}

const LIST: &str = concat!(listed!(), unsearched!(), page!());
/// The few payments under review have an index of their own.
const REVIEWED: &str = concat!(listed!(), "p.state = 'conflicted' AND ", unsearched!(), page!());
const SEARCH: &str = concat!(listed!(), searched!(), page!());

/// $14: the order.
macro_rules! sort_key {
    ($payment:literal) => {
        concat!(
            "CASE $14::text WHEN 'createdAt' THEN extract(epoch FROM ",
            $payment,
            ".created_at) WHEN '-createdAt' THEN -extract(epoch FROM ",
            $payment,
            ".created_at) WHEN 'amount' THEN ",
            $payment,
            ".amount_cents WHEN '-amount' THEN -",
            $payment,
            ".amount_cents END"
        )
    };
}

/// In any order, and so without an index: everything that the filter finds is sorted.
macro_rules! sorted_page {
    () => {
        concat!(
            " AND ($11::uuid IS NULL OR (",
            sort_key!("p"),
            ", p.id) > (SELECT ",
            sort_key!("a"),
            ", a.id FROM payments a WHERE a.id = $11)) ORDER BY ",
            sort_key!("p"),
            ", p.id LIMIT $12 OFFSET $13"
        )
    };
}

const SORTED: &str = concat!(listed!(), unsearched!(), sorted_page!());
const SEARCH_SORTED: &str = concat!(listed!(), searched!(), sorted_page!());

macro_rules! counted {
    () => {
        "SELECT count(*) AS total FROM (SELECT p.company_id FROM payments p WHERE "
    };
}

const COUNT: &str = concat!(counted!(), unsearched!(), " LIMIT $11) AS counted");
const COUNT_REVIEWED: &str =
    concat!(counted!(), "p.state = 'conflicted' AND ", unsearched!(), " LIMIT $11) AS counted");
const COUNT_SEARCH: &str = concat!(counted!(), searched!(), " LIMIT $11) AS counted");

/// One row for all, then one for each day that `$11` begins at, each plan and each method; `level` tells which.
macro_rules! sums {
    () => {
        "SELECT g.*, pl.display_name AS plan_name FROM (SELECT f.day, f.plan_id, f.method, \
         grouping(f.day, f.plan_id, f.method) AS level, count(f.company_id) AS count, \
         count(f.company_id) FILTER (WHERE f.is_paid) AS succeeded, \
         coalesce(sum(f.received) FILTER (WHERE f.is_paid), 0)::bigint AS paid, \
         coalesce(sum(f.refunded_cents), 0)::bigint AS refunded FROM (\
         SELECT width_bucket(p.created_at, $11::timestamptz[]) AS day, p.plan_id, p.method, p.company_id, \
         p.state = 'succeeded' AS is_paid, coalesce(p.received_cents, p.amount_cents) AS received, \
         p.refunded_cents FROM payments p WHERE "
    };
}

macro_rules! grouped {
    () => {
        ") f GROUP BY GROUPING SETS ((), (f.day), (f.plan_id), (f.method))) g \
         LEFT JOIN plans pl ON pl.id = g.plan_id ORDER BY g.paid DESC, g.count DESC, g.method, g.plan_id"
    };
}

const FIGURES: &str = concat!(sums!(), unsearched!(), grouped!());
const FIGURES_OF_SEARCH: &str = concat!(sums!(), searched!(), grouped!());

const FIND: &str = concat!(listed!(), "p.id = $1");
const PERSON: &str = "SELECT id, name, email FROM users WHERE id = $1 AND anonymised_at IS NULL";
const DOCUMENTS: &str = "SELECT id, kind, number, at, total_cents FROM invoices \
     WHERE company_id = $1 AND (id = $2 OR kind = 'refund' AND payment_id = $2) ORDER BY number, id";
/// $3: the plan; $4 and $5: a week before and after.
const ATTEMPTS: &str = concat!(
    "SELECT ",
    columns!(),
    " FROM payments p WHERE p.company_id = $1 AND p.id <> $2 AND p.plan_id = $3 \
     AND p.created_at BETWEEN $4 AND $5 ORDER BY p.created_at DESC, p.id DESC LIMIT 20"
);

/// One page, and what follows it.
#[derive(Debug)]
pub struct PaymentPage {
    pub payments: Vec<AdminPayment>,
    /// How many there are, at most [`MOST_COUNTED`].
    pub total: i64,
    /// After which the next page begins; none at the end.
    pub next: Option<PaymentId>,
}

/// Which part of the list, in which order: behind a payment, or so many further down.
#[derive(Clone, Copy, Debug)]
pub struct PaymentCursor {
    pub sort: PaymentSort,
    pub after: Option<PaymentId>,
    pub limit: i64,
    pub offset: i64,
}

pub async fn list(
    tx: &PlatformTx,
    filter: &PaymentFilter,
    PaymentCursor { sort, after, limit, offset }: PaymentCursor,
) -> Result<PaymentPage> {
    let params = FilterParams::of(filter);
    let (list, sorted, count) = match (&filter.search, filter.review) {
        (Some(_), _) => (SEARCH, SEARCH_SORTED, COUNT_SEARCH),
        (None, true) => (REVIEWED, SORTED, COUNT_REVIEWED),
        (None, false) => (LIST, SORTED, COUNT),
    };
    // One more than the page tells whether there is a next one.
    let read = limit.saturating_add(1);
    let mut payments: Vec<AdminPayment> = match sort {
        PaymentSort::CreatedAtDown => tx.all(list, &params.with(&[&after, &read, &offset])).await?,
        _ => tx.all(sorted, &params.with(&[&after, &read, &offset, &sort])).await?,
    };
    let is_more = i64::try_from(payments.len()).is_ok_and(|found| found > limit);
    payments.truncate(usize::try_from(limit).unwrap_or_default());
    let next = payments.last().filter(|_| is_more).map(|last| last.payment.id);
    let total = tx.value(count, &params.with(&[&MOST_COUNTED])).await?;
    Ok(PaymentPage { payments, total, next })
}

/// The filter as the statements take it, from `$1` to `$10`.
struct FilterParams<'a> {
    filter: &'a PaymentFilter,
    states: Option<&'static [&'static str]>,
    pattern: Option<&'a str>,
    payment: Option<PaymentId>,
    intent: Option<&'a str>,
    tax_id: Option<&'a str>,
}

impl<'a> FilterParams<'a> {
    fn of(filter: &'a PaymentFilter) -> Self {
        let search = filter.search.as_ref();
        Self {
            filter,
            states: filter.status.map(PaymentStatus::states),
            pattern: search.map(|search| search.pattern.as_str()),
            payment: search.and_then(|search| search.payment),
            intent: search.map(|search| search.text.as_str()),
            tax_id: search.and_then(|search| search.tax_id.as_deref()),
        }
    }

    fn with<'p>(&'p self, more: Params<'p>) -> Vec<&'p (dyn ToSql + Sync)> {
        let PaymentFilter { method, plan, from, until, review, .. } = self.filter;
        let mut all: Vec<&'p (dyn ToSql + Sync)> =
            vec![&self.states, method, plan, from, until, review];
        all.extend_from_slice(&[&self.pattern, &self.payment, &self.intent, &self.tax_id]);
        all.extend_from_slice(more);
        all
    }
}

/// What the filter finds, in all and by day, plan and method.
pub async fn figures(tx: &PlatformTx, filter: &PaymentFilter) -> Result<PaymentFigures> {
    let days = figure_days(filter, tx.now());
    let starts: Vec<Timestamp> = days.iter().map(|day| brazil::day_start(*day)).collect();
    let statement = if filter.search.is_some() { FIGURES_OF_SEARCH } else { FIGURES };
    let rows = tx.query(statement, &FilterParams::of(filter).with(&[&starts])).await?;
    collect(&rows, &days)
}

/// Which columns a row is the sum over: a bit is set for each that it is not grouped by.
const OF_ALL: i32 = 0b111;
const OF_DAY: i32 = 0b011;
const OF_PLAN: i32 = 0b101;

fn collect(rows: &[Row], days: &[Date]) -> Result<PaymentFigures> {
    let no_payments = |day: &Date| DailyPayments { day: *day, sums: PaymentSums::default() };
    let mut figures =
        PaymentFigures { days: days.iter().map(no_payments).collect(), ..Default::default() };
    for row in rows {
        let sums = PaymentSums::try_from(row)?;
        match row.try_get::<_, i32>("level")? {
            OF_ALL => figures.totals = sums,
            OF_DAY => {
                // What began before the first day is in the totals alone.
                let place = row.try_get::<_, Option<i32>>("day")?.unwrap_or_default() - 1;
                let day = usize::try_from(place).ok().and_then(|place| figures.days.get_mut(place));
                if let Some(day) = day {
                    day.sums = sums;
                }
            }
            OF_PLAN => figures.plans.push(PlanPayments {
                plan_id: row.try_get("plan_id")?,
                plan_name: row.try_get("plan_name")?,
                sums,
            }),
            _ => figures.methods.push(MethodPayments { method: row.try_get("method")?, sums }),
        }
    }
    Ok(figures)
}

from_row! { PaymentSums { count, succeeded, paid, refunded } }
from_row! { PaymentPerson { id, name, email } }
from_row! { PaymentDocument { id, kind, number, at, total: "total_cents" } }

/// # Errors
/// `NotFound`.
pub async fn find(tx: &PlatformTx, id: PaymentId) -> Result<AdminPayment> {
    tx.find(FIND, &[&id]).await?.ok_or_else(Error::not_found)
}

/// A payment with what the platform alone knows of it.
#[derive(Debug)]
pub struct PaymentLookup {
    pub payment: AdminPayment,
    payer: Option<PaymentPerson>,
    refunds: Vec<RefundView>,
    refundable: std::result::Result<Cents, RefundBlock>,
    history: Vec<AuditEntry>,
    trail: OutsideTrail,
}

/// Reads what the platform alone knows of a payment: the first half of `detail`.
///
/// # Errors
/// `NotFound`.
pub async fn lookup(tx: &PlatformTx, id: PaymentId) -> Result<PaymentLookup> {
    let row = tx.query_opt(FIND, &[&id]).await?.ok_or_else(Error::not_found)?;
    let (stored, payment) = (Payment::try_from(&row)?, AdminPayment::try_from(&row)?);
    let payer = match payment.payment.payer_id {
        Some(person) => tx.find(PERSON, &[&person]).await?,
        None => None,
    };
    let company = payment.payment.company_id;
    let history = audit::about(tx, company, &id.to_string(), MOST_HISTORY).await?;
    let trail = trail::outside(tx, id, stored.situation.intent.as_deref()).await?;
    let refunds = refund::store::of_payment(tx, company, id).await?;
    let outstanding = refund::store::outstanding(tx, company, id).await?;
    let refundable = refundable(&stored, outstanding, tx.now());
    Ok(PaymentLookup { payment, payer, refunds, refundable, history, trail })
}

/// The second half, of the payment's own company: everything that support reads of it.
pub async fn detail(tx: &CompanyTx, lookup: PaymentLookup) -> Result<AdminPaymentDetail> {
    let PaymentLookup { payment, payer, refunds, refundable, history, trail } = lookup;
    let (id, company, begun) = (payment.payment.id, tx.company_id(), payment.payment.created_at);
    let (before, after) = (brazil::days_before(begun, 7), brazil::days_before(begun, -7));
    let plan = payment.payment.metadata.plan_id;
    Ok(AdminPaymentDetail {
        payer,
        refunds,
        refundable: refundable.unwrap_or(Cents::ZERO),
        refund_block: refundable.err(),
        billing: billing_profile::current(tx).await?.map(|it| InvoicePayer::from(it.details)),
        documents: tx.all(DOCUMENTS, &[&company, &id]).await?,
        attempts: tx.all(ATTEMPTS, &[&company, &id, &plan, &before, &after]).await?,
        history,
        trail: trail::complete(tx, id, trail).await?,
        payment,
    })
}

impl TryFrom<&Row> for AdminPayment {
    type Error = Error;

    fn try_from(row: &Row) -> Result<Self> {
        let payment = Payment::try_from(row)?;
        Ok(Self {
            payment: PaymentView::from(&payment),
            company_name: row.try_get("company_name")?,
            plan_name: row.try_get("plan_name")?,
            received: payment.situation.received,
            disputed: payment.situation.disputed,
            review_reason: payment.review_reason,
        })
    }
}
