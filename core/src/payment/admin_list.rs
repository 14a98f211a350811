//! The platform's list of payments, and what a filter of it adds up to. Reads across companies, so it takes a
//! `PlatformTx`. Decides nothing.

use jiff::Timestamp;
use jiff::civil::Date;
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;

use super::PaymentStatus;
use super::admin::{
    AdminPayment, DailyPayments, MethodPayments, PaymentFigures, PaymentFilter, PaymentSort,
    PaymentSums, PlanPayments, figure_days,
};
use super::admin_store::listed;
use super::store::columns;
use crate::brazil;
use crate::db::{Params, PlatformTx};
use crate::error::Result;
use crate::id::PaymentId;
use crate::row::from_row;

/// Beyond it nobody counts: the list is years long.
pub const MAX_COUNTED: i64 = 10_000;

/// $1 to $7: the filter. Its days are ends of an index even in a cached generic plan.
macro_rules! wanted {
    () => {
        "($1::text[] IS NULL OR p.state = ANY ($1)) AND ($2::text IS NULL OR p.method = $2) \
         AND ($3::text IS NULL OR p.plan_id = (SELECT id FROM plans WHERE name = $3)) \
         AND p.created_at >= coalesce($4::timestamptz, '-infinity') \
         AND p.created_at < coalesce($5::timestamptz, 'infinity') \
         AND (NOT $6::boolean OR p.state = 'conflicted') AND ($7::uuid IS NULL OR p.company_id = $7)"
    };
}

/// $8 to $13: the search, each by an index of its own. It has statements of its own, so that the list without a search
/// walks the index of dates and stops at its page, also in a cached generic plan.
macro_rules! searched {
    () => {
        concat!(
            "p.id IN (SELECT o.id FROM payments o WHERE o.id BETWEEN $11::uuid AND $12::uuid \
             UNION SELECT o.id FROM payments o WHERE lower(o.provider_intent) = $9::text \
             UNION SELECT o.id FROM users u JOIN payments o ON o.created_by = u.id WHERE u.email = $9 \
             UNION SELECT payment_id FROM refunds WHERE lower(provider_refund) = $9 \
             UNION SELECT i.payment_id FROM invoice_issuers s JOIN invoices i ON i.issuer_tax_id = s.tax_id \
             WHERE i.number = $13::bigint \
             UNION SELECT o.id FROM payments o WHERE o.company_id IN (\
             SELECT id FROM companies WHERE search_name LIKE searchable($8::text) \
             UNION SELECT company_id FROM billing_profiles WHERE tax_id = $10::text \
             OR emails @> ARRAY[$9] OR searchable(legal_name) LIKE searchable($8) \
             UNION SELECT company_id FROM provider_customers WHERE lower(customer_id) = $9)) AND ",
            wanted!()
        )
    };
}

macro_rules! unsearched {
    () => {
        concat!(
            "$8::text IS NULL AND $9::text IS NULL AND $10::text IS NULL AND $11::uuid IS NULL \
             AND $12::uuid IS NULL AND $13::bigint IS NULL AND ",
            wanted!()
        )
    };
}

/// The payments of a company have an index of their own, and the few under review another one.
macro_rules! of_company {
    () => {
        concat!("p.company_id = $7 AND ", unsearched!())
    };
}
macro_rules! reviewed {
    () => {
        concat!("p.state = 'conflicted' AND ", unsearched!())
    };
}

/// $14: the last payment of the page before; an unknown one has nothing behind it.
macro_rules! page {
    () => {
        " AND (p.created_at, p.id) < (CASE WHEN $14::uuid IS NULL THEN 'infinity' \
         ELSE (SELECT a.created_at FROM payments a WHERE a.id = $14) END, \
         coalesce($14, 'ffffffff-ffff-ffff-ffff-ffffffffffff')) \
         ORDER BY p.created_at DESC, p.id DESC LIMIT $15 OFFSET $16"
    };
}

const LIST: &str = concat!(listed!(), unsearched!(), page!());
const OF_COMPANY: &str = concat!(listed!(), of_company!(), page!());
const REVIEWED: &str = concat!(listed!(), reviewed!(), page!());
const SEARCH: &str = concat!(listed!(), searched!(), page!());

/// The amount of its row: once it is paid, what came in.
macro_rules! worth {
    ($payment:literal) => {
        concat!(
            "CASE WHEN ",
            $payment,
            ".state = 'succeeded' THEN coalesce(",
            $payment,
            ".received_cents, ",
            $payment,
            ".amount_cents) ELSE ",
            $payment,
            ".amount_cents END"
        )
    };
}

/// $17: the order.
macro_rules! sort_key {
    ($payment:literal) => {
        concat!(
            "CASE $17::text WHEN 'createdAt' THEN extract(epoch FROM ",
            $payment,
            ".created_at) WHEN '-createdAt' THEN -extract(epoch FROM ",
            $payment,
            ".created_at) WHEN 'amount' THEN ",
            worth!($payment),
            " WHEN '-amount' THEN -(",
            worth!($payment),
            ") END"
        )
    };
}

/// In any order, and so without an index of it: everything that the filter finds is sorted.
macro_rules! sorted_page {
    () => {
        concat!(
            " AND ($14::uuid IS NULL OR (",
            sort_key!("p"),
            ", p.id) > (SELECT ",
            sort_key!("a"),
            ", a.id FROM payments a WHERE a.id = $14)) ORDER BY ",
            sort_key!("p"),
            ", p.id LIMIT $15 OFFSET $16"
        )
    };
}

const SORTED: &str = concat!(listed!(), unsearched!(), sorted_page!());
const SORTED_OF_COMPANY: &str = concat!(listed!(), of_company!(), sorted_page!());
const SEARCH_SORTED: &str = concat!(listed!(), searched!(), sorted_page!());

macro_rules! counted {
    () => {
        "SELECT count(*) AS total FROM (SELECT p.company_id FROM payments p WHERE "
    };
}

const COUNT: &str = concat!(counted!(), unsearched!(), " LIMIT $14) AS counted");
const COUNT_OF_COMPANY: &str = concat!(counted!(), of_company!(), " LIMIT $14) AS counted");
const COUNT_REVIEWED: &str = concat!(counted!(), reviewed!(), " LIMIT $14) AS counted");
const COUNT_SEARCH: &str = concat!(counted!(), searched!(), " LIMIT $14) AS counted");

/// One row for all, then one for each day that `$14` begins at, each plan and each method; `level` tells which.
macro_rules! sums {
    () => {
        "SELECT g.*, pl.display_name AS plan_name FROM (SELECT f.day, f.plan_id, f.method, \
         grouping(f.day, f.plan_id, f.method) AS level, count(f.company_id) AS count, \
         count(f.company_id) FILTER (WHERE f.is_paid) AS succeeded, \
         coalesce(sum(f.received) FILTER (WHERE f.is_paid), 0)::bigint AS paid, \
         coalesce(sum(f.refunded_cents), 0)::bigint AS refunded FROM (\
         SELECT width_bucket(p.created_at, $14::timestamptz[]) AS day, p.plan_id, p.method, p.company_id, \
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
const FIGURES_OF_COMPANY: &str = concat!(sums!(), of_company!(), grouped!());
const FIGURES_OF_SEARCH: &str = concat!(sums!(), searched!(), grouped!());

/// One page, and what follows it.
#[derive(Debug)]
pub struct PaymentPage {
    pub payments: Vec<AdminPayment>,
    /// How many there are, at most [`MAX_COUNTED`].
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
    let (list, sorted, count) = match (&filter.search, filter.company, filter.review) {
        (Some(_), _, _) => (SEARCH, SEARCH_SORTED, COUNT_SEARCH),
        (None, Some(_), _) => (OF_COMPANY, SORTED_OF_COMPANY, COUNT_OF_COMPANY),
        (None, None, true) => (REVIEWED, SORTED, COUNT_REVIEWED),
        (None, None, false) => (LIST, SORTED, COUNT),
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
    let total = tx.value(count, &params.with(&[&MAX_COUNTED])).await?;
    Ok(PaymentPage { payments, total, next })
}

/// The filter as the statements take it, from `$1` to `$13`.
struct FilterParams<'a> {
    filter: &'a PaymentFilter,
    states: Option<&'static [&'static str]>,
    pattern: Option<&'a str>,
    text: Option<&'a str>,
    tax_id: Option<&'a str>,
    first: Option<PaymentId>,
    last: Option<PaymentId>,
    number: Option<i64>,
}

impl<'a> FilterParams<'a> {
    fn of(filter: &'a PaymentFilter) -> Self {
        let search = filter.search.as_ref();
        let ids = search.and_then(|search| search.ids);
        Self {
            filter,
            states: filter.status.map(PaymentStatus::states),
            pattern: search.map(|search| search.of_company.pattern.as_str()),
            text: search.map(|search| search.of_company.text.as_str()),
            tax_id: search.and_then(|search| search.of_company.tax_id.as_deref()),
            first: ids.map(|(first, _)| first),
            last: ids.map(|(_, last)| last),
            number: search.and_then(|search| search.number),
        }
    }

    fn with<'p>(&'p self, more: Params<'p>) -> Vec<&'p (dyn ToSql + Sync)> {
        let Self { filter, states, pattern, text, tax_id, first, last, number } = self;
        let PaymentFilter { method, plan, from, until, review, company, .. } = filter;
        let mut all: Vec<&'p (dyn ToSql + Sync)> =
            vec![states, method, plan, from, until, review, company];
        all.extend_from_slice(&[pattern, text, tax_id, first, last, number]);
        all.extend_from_slice(more);
        all
    }
}

/// What the filter finds, in all and by day, plan and method.
pub async fn figures(tx: &PlatformTx, filter: &PaymentFilter) -> Result<PaymentFigures> {
    let days = figure_days(filter, tx.now());
    let starts: Vec<Timestamp> = days.iter().map(|day| brazil::day_start(*day)).collect();
    let statement = match (&filter.search, filter.company) {
        (Some(_), _) => FIGURES_OF_SEARCH,
        (None, Some(_)) => FIGURES_OF_COMPANY,
        (None, None) => FIGURES,
    };
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
