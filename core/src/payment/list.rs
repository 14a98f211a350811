//! The company's list of payments: what it is filtered by, one page of it, and what the filtered ones add up to. Read only.

use jiff::Timestamp;

use super::store::columns;
use super::{Method, PaymentStatus, PaymentView};
use crate::db::CompanyTx;
use crate::error::Result;
use crate::money::Cents;
use crate::search;

/// Which payments of the company to list.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    pub status: Option<PaymentStatus>,
    pub method: Option<Method>,
    pub search: Option<Search>,
    pub from: Option<Timestamp>,
    pub until: Option<Timestamp>,
}

/// What is looked for in the plan's name, the ids and the amount.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Search {
    pattern: String,
    amount: Option<Cents>,
}

impl Search {
    /// # Errors
    /// As [`search::pattern`].
    pub fn parse(raw: Option<&str>) -> Result<Option<Self>> {
        let amount = raw.and_then(amount);
        Ok(search::pattern(raw)?.map(|pattern| Self { pattern, amount }))
    }
}

/// An amount as people in Brazil type it: "899,10", "R$ 1.234,56", "50". A point before one or two last digits is taken
/// for the comma that was meant, as in the fields of the web app.
fn amount(raw: &str) -> Option<Cents> {
    let bare = raw.trim().trim_start_matches("R$");
    let plain: String = bare.chars().filter(|c| !c.is_whitespace()).collect();
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let meant = match plain.split_once('.') {
        Some((reais, last)) if (1..=2).contains(&last.len()) && is_number(last) => {
            format!("{reais},{last}")
        }
        _ => plain.replace('.', ""),
    };
    let (reais, cents) = meant.split_once(',').unwrap_or((&meant, "00"));
    let fits = (1..=9).contains(&reais.len()) && cents.len() == 2;
    (fits && is_number(reais) && is_number(cents))
        .then(|| format!("{reais}{cents}").parse().ok().map(Cents))
        .flatten()
}

/// What a filter finds, all pages together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Totals {
    pub total: i64,
    /// What was paid. What went back later is told by its refunds.
    pub paid: Cents,
}

/// One page, open ones first and then the newest, and the totals of all.
pub async fn page(
    tx: &CompanyTx,
    filter: &Filter,
    limit: i64,
    offset: i64,
) -> Result<(Vec<PaymentView>, Totals)> {
    let states = filter.status.map(PaymentStatus::states);
    let (company, method) = (tx.company_id(), filter.method);
    let pattern = filter.search.as_ref().map(|search| search.pattern.as_str());
    let amount = filter.search.as_ref().and_then(|search| search.amount);
    let Filter { from, until, .. } = filter;
    let views = tx
        .all(PAGE, &[&company, &states, &method, &from, &until, &pattern, &amount, &limit, &offset])
        .await?;
    let row = tx
        .query_one(TOTALS, &[&company, &states, &method, &from, &until, &pattern, &amount])
        .await?;
    Ok((views, Totals { total: row.try_get("total")?, paid: row.try_get("paid")? }))
}

/// The index on company and date serves both statements; the search looks through one company's payments.
macro_rules! wanted {
    () => {
        "p.company_id = $1 AND ($2::text[] IS NULL OR p.state = ANY($2)) \
         AND ($3::text IS NULL OR p.method = $3) AND ($4::timestamptz IS NULL OR p.created_at >= $4) \
         AND ($5::timestamptz IS NULL OR p.created_at < $5) \
         AND ($6::text IS NULL OR $7::bigint IN (p.amount_cents, p.received_cents) \
           OR p.plan_id IN (SELECT l.id FROM plans l WHERE searchable(l.display_name) LIKE searchable($6)) \
           OR p.id::text LIKE lower($6) OR lower(p.provider_intent) LIKE lower($6))"
    };
}

const PAGE: &str = concat!(
    "SELECT ",
    columns!(),
    " FROM payments p WHERE ",
    wanted!(),
    " ORDER BY (p.state <> 'declined' AND payment_is_open(p.state)) DESC, p.created_at DESC, p.id DESC \
     LIMIT $8 OFFSET $9"
);
const TOTALS: &str = concat!(
    "SELECT count(*) AS total, coalesce(sum(coalesce(p.received_cents, p.amount_cents)) \
     FILTER (WHERE p.state = 'succeeded'), 0)::bigint AS paid FROM payments p WHERE ",
    wanted!()
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_amount_is_found_as_it_is_typed() {
        let cents = |raw| amount(raw).map(|Cents(cents)| cents);
        assert_eq!(cents("899,10"), Some(89_910));
        assert_eq!(cents(" R$\u{a0}1.234,56 "), Some(123_456));
        assert_eq!(cents("50"), Some(5_000));
        assert_eq!(cents("R$ 899.10"), Some(89_910));
        assert_eq!(cents("1.234"), Some(123_400));
        for none in ["", "R$", "9,9", "9.9", "9,999", "-5", "1234567890", "Essencial", "5,aa"] {
            assert_eq!(cents(none), None, "{none}");
        }
    }
}
