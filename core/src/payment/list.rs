//! The company's list of payments: what it is filtered by, one page of it, and what the filtered ones add up to. Read only.

use jiff::Timestamp;
use jiff::civil::Date;

use super::store::columns;
use super::{Method, PaymentStatus, PaymentView};
use crate::brazil;
use crate::db::CompanyTx;
use crate::error::{FieldCode, FieldErrors, Result};
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

/// An amount as people in Brazil type it: "899,10", "R$ 1.234,56", "50".
fn amount(raw: &str) -> Option<Cents> {
    let bare = raw.trim().trim_start_matches("R$");
    let plain: String = bare.chars().filter(|c| !c.is_whitespace() && *c != '.').collect();
    let (reais, cents) = plain.split_once(',').unwrap_or((&plain, "00"));
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let fits = (1..=9).contains(&reais.len()) && cents.len() == 2;
    (fits && is_number(reais) && is_number(cents))
        .then(|| format!("{reais}{cents}").parse().ok().map(Cents))
        .flatten()
}

/// The days from the first to the last in São Paulo, either of which may be open.
///
/// # Errors
/// `Invalid` names the day that is none, or the last one when it comes before the first.
pub fn days(
    first: Option<&str>,
    last: Option<&str>,
) -> Result<(Option<Timestamp>, Option<Timestamp>)> {
    let mut errors = FieldErrors::default();
    let from = errors.take("startDate", day(first)).flatten();
    let to = errors.take("endDate", day(last)).flatten();
    if from.zip(to).is_some_and(|(from, to)| from > to) {
        errors.add("endDate", FieldCode::Invalid);
    }
    let next = |day: Date| day.tomorrow().unwrap_or(Date::MAX);
    let span = (from.map(brazil::day_start), to.map(next).map(brazil::day_start));
    errors.into_result(Some(span))
}

fn day(raw: Option<&str>) -> std::result::Result<Option<Date>, FieldCode> {
    let Some(text) = raw.filter(|text| !text.is_empty()) else { return Ok(None) };
    let shaped = text.len() == 10 && text.bytes().all(|b| b.is_ascii_digit() || b == b'-');
    let day: Option<Date> = text.parse().ok().filter(|_| shaped);
    day.filter(|day| (2000..9999).contains(&day.year())).map(Some).ok_or(FieldCode::Invalid)
}

/// What a filter finds, all pages together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Totals {
    pub total: i64,
    /// What was paid, without what went back to the payer.
    pub paid: Cents,
}

/// One page, open ones first and then the newest, and the totals of all.
pub async fn page(
    tx: &CompanyTx,
    filter: &Filter,
    offset: i64,
    limit: i64,
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
         AND ($6::text IS NULL OR p.amount_cents = $7::bigint OR p.id::text LIKE lower($6) \
           OR lower(p.provider_intent) LIKE lower($6) OR EXISTS (SELECT FROM plans l \
             WHERE l.id = p.plan_id AND searchable(l.display_name) LIKE searchable($6)))"
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
    "SELECT count(*) AS total, coalesce(sum(p.amount_cents - p.refunded_cents) \
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
        for none in ["", "R$", "9,9", "9,999", "-5", "1234567890", "Essencial", "5,aa"] {
            assert_eq!(cents(none), None, "{none}");
        }
    }

    #[test]
    fn days_are_those_of_sao_paulo_and_both_belong_to_the_list() {
        let (from, until) = days(Some("2026-11-20"), Some("2026-11-21")).unwrap();
        assert_eq!(from.unwrap().to_string(), "2026-11-20T03:00:00Z");
        assert_eq!(until.unwrap().to_string(), "2026-11-22T03:00:00Z");
        assert_eq!(days(None, Some("")).unwrap(), (None, None));
        assert!(days(Some("2026-11-21"), Some("2026-11-20")).is_err());
        for wrong in ["21/11/2026", "2026-02-30", "1999-01-01", "2026-11-21T00:00"] {
            assert!(days(Some(wrong), None).is_err(), "{wrong}");
            assert!(days(None, Some(wrong)).is_err(), "{wrong}");
        }
    }
}
