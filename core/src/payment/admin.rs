//! Payments as platform admins find, read and settle them: the list's filter and rows, what the filter adds up to, one
//! payment as support reads it, and the body of a decision on money that is under review.
//!
//! Pure; `admin_list` and `admin_store` read, the billing workflow carries a decision out.

use std::ops::RangeInclusive;

use jiff::civil::Date;
use jiff::{Timestamp, ToSpan};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::refund::{RefundBlock, RefundView};
use super::trail::PaymentTrail;
use super::{Method, PaymentStatus, PaymentView, ReviewDecision};
use crate::audit::AuditEntry;
use crate::brazil;
use crate::caller::Caller;
use crate::company::admin::CompanySearch;
use crate::error::{Error, Result};
use crate::id::{CompanyId, InvoiceId, PaymentId, PlanId, UserId};
use crate::invoice::{InvoiceKind, InvoicePayer};
use crate::money::Cents;
use crate::scope::AdminScope;
use crate::user::required_note;
use crate::words::words;

words! {
    /// The order of the list; a minus turns it.
    pub enum PaymentSort {
        CreatedAt = "createdAt", CreatedAtDown = "-createdAt", Amount = "amount", AmountDown = "-amount",
    }
}

/// Which payments are asked for.
#[derive(Clone, Debug, Default)]
pub struct PaymentFilter {
    pub status: Option<PaymentStatus>,
    pub method: Option<Method>,
    /// The plan's slug.
    pub plan: Option<String>,
    pub from: Option<Timestamp>,
    /// Exclusive.
    pub until: Option<Timestamp>,
    /// Those alone that wait for a person.
    pub review: bool,
    pub company: Option<CompanyId>,
    pub search: Option<PaymentSearch>,
}

/// What is looked for: payments by their id or its beginning, by the provider's id of the payment or of a refund, by the
/// number of a document, by the e-mail of who began them; and those of the companies that the text finds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PaymentSearch {
    pub(super) of_company: CompanySearch,
    /// The first and the last id that begin so.
    pub(super) ids: Option<(PaymentId, PaymentId)>,
    pub(super) number: Option<i64>,
}

/// Hexadecimal digits of an id: as many as name one, and as many as are shown where an id has no room.
const ID_DIGITS: RangeInclusive<usize> = 8..=32;

impl PaymentSearch {
    /// # Errors
    /// As [`CompanySearch::parse`].
    pub fn parse(raw: Option<&str>) -> Result<Option<Self>> {
        let Some(of_company) = CompanySearch::parse(raw)? else { return Ok(None) };
        let ids = ids(&of_company.text);
        let number = number(&of_company.text);
        Ok(Some(Self { of_company, ids, number }))
    }
}

/// What may stand before the number of a document, as the document itself writes it.
const NUMBER_SIGNS: [&str; 3] = ["nº", "n°", "n.º"];

fn number(text: &str) -> Option<i64> {
    let digits = NUMBER_SIGNS.iter().find_map(|sign| text.strip_prefix(sign)).unwrap_or(text);
    let digits = digits.trim_start();
    digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok()).flatten()
}

fn ids(text: &str) -> Option<(PaymentId, PaymentId)> {
    let digits = text.replace('-', "");
    let is_beginning =
        ID_DIGITS.contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_hexdigit());
    let filled = |fill: &str| {
        let missing = fill.repeat(ID_DIGITS.end().saturating_sub(digits.len()));
        format!("{digits}{missing}").parse().ok()
    };
    is_beginning.then(|| filled("0").zip(filled("f"))).flatten()
}

/// A payment and what only a platform admin sees of it. Amounts are integer minor units.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AdminPayment {
    #[serde(flatten)]
    pub payment: PaymentView,
    pub company_name: String,
    /// When the company ended; null while it is there.
    pub company_ended_at: Option<Timestamp>,
    /// The plan that it is for.
    pub plan_name: String,
    /// Another payment has taken the place of this boleto: money that arrives for it becomes credit.
    pub superseded: bool,
    /// Why a platform admin accepted or refused it.
    pub review_reason: Option<String>,
}

/// What payments add up to, in minor units.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
pub struct PaymentSums {
    /// All of them, whatever became of them.
    pub count: i64,
    /// Those that were paid.
    pub succeeded: i64,
    /// What came in, before anything went back.
    #[schema(value_type = i64)]
    pub paid: Cents,
    /// What went back to the payers.
    #[schema(value_type = i64)]
    pub refunded: Cents,
}

/// The payments that began on one day.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct DailyPayments {
    /// Of America/Sao_Paulo.
    #[schema(value_type = String, format = Date)]
    pub day: Date,
    #[serde(flatten)]
    pub sums: PaymentSums,
}

/// The payments for one plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlanPayments {
    pub plan_id: PlanId,
    pub plan_name: String,
    #[serde(flatten)]
    pub sums: PaymentSums,
}

/// The payments by one method.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct MethodPayments {
    pub method: Method,
    #[serde(flatten)]
    pub sums: PaymentSums,
}

/// What a filter finds, in all and by day, plan and method.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
pub struct PaymentFigures {
    pub totals: PaymentSums,
    /// The last 30 days of the filter, or those that it names, at most 92; oldest first, none left out.
    pub days: Vec<DailyPayments>,
    /// The largest first.
    pub plans: Vec<PlanPayments>,
    pub methods: Vec<MethodPayments>,
}

/// Days of figures where the filter names no first day.
const USUAL_DAYS: i64 = 30;
/// Days of figures at most.
const MAX_DAYS: i64 = 92;

/// The days of figures, oldest first.
pub fn figure_days(filter: &PaymentFilter, now: Timestamp) -> Vec<Date> {
    let today = brazil::local_date(now);
    let named = filter.until.map(|until| brazil::local_date(until).saturating_sub(1.day()));
    let last = named.map_or(today, |last| last.min(today));
    let earliest = last.saturating_sub((MAX_DAYS - 1).days());
    let usual = last.saturating_sub((USUAL_DAYS - 1).days());
    let first = filter.from.map_or(usual, |from| brazil::local_date(from).max(earliest));
    first.series(1.day()).take_while(|day| *day <= last).collect()
}

/// The person who paid.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct PaymentPerson {
    pub id: UserId,
    pub name: String,
    pub email: String,
}

/// A document of a payment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct PaymentDocument {
    pub id: InvoiceId,
    pub kind: InvoiceKind,
    pub number: i64,
    pub at: Timestamp,
    #[schema(value_type = i64)]
    pub total: Cents,
}

/// One payment as support reads it.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AdminPaymentDetail {
    #[serde(flatten)]
    pub payment: AdminPayment,
    /// Who began it; null for a charge by a job and for an account that was erased.
    pub payer: Option<PaymentPerson>,
    /// The company's billing profile of now; null before there is one.
    pub billing: Option<InvoicePayer>,
    /// Those that platform admins asked for, the newest first.
    pub refunds: Vec<RefundView>,
    /// What can still be given back.
    #[schema(value_type = i64)]
    pub refundable: Cents,
    /// Why nothing can; null while something can.
    pub refund_block: Option<RefundBlock>,
    /// Oldest first.
    pub documents: Vec<PaymentDocument>,
    /// The company's other payments for the plan that began within a week of it, the newest first, at most twenty.
    pub attempts: Vec<PaymentView>,
    /// What the audit holds about it, the newest first, at most fifty.
    pub history: Vec<AuditEntry>,
    /// What else is stored of its way.
    pub trail: PaymentTrail,
}

/// The body of a decision.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ResolveRequest {
    outcome: ReviewDecision,
    #[schema(min_length = 1, max_length = 500)]
    reason: String,
}

/// A decision whose fields are proven, and who made it.
#[derive(Clone, Debug)]
pub struct Review {
    pub verdict: ReviewDecision,
    pub reason: String,
    pub admin: AdminScope,
    pub caller: Caller,
}

impl ResolveRequest {
    /// # Errors
    /// `Invalid` for a reason that is empty, too long or deceptive.
    pub fn parse(&self, admin: AdminScope, caller: &Caller) -> Result<Review> {
        let reason = required_note(Some(&self.reason));
        let reason = reason.map_err(|code| Error::invalid("reason", code))?;
        Ok(Review { verdict: self.outcome, reason, admin, caller: caller.clone() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn days(from: Option<&str>, until: Option<&str>) -> (usize, Option<String>, Option<String>) {
        let at = |text: &str| text.parse::<Timestamp>().unwrap();
        let filter =
            PaymentFilter { from: from.map(at), until: until.map(at), ..Default::default() };
        let days = figure_days(&filter, at("2026-11-21T01:00:00Z"));
        (days.len(), days.first().map(Date::to_string), days.last().map(Date::to_string))
    }

    #[test]
    fn figures_have_the_days_of_the_filter_and_no_more_than_three_months() {
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(days(None, None), (30, some("2026-10-22"), some("2026-11-20")));
        let (from, until) = (Some("2026-11-10T03:00:00Z"), Some("2026-11-12T03:00:00Z"));
        assert_eq!(days(from, until), (2, some("2026-11-10"), some("2026-11-11")));
        assert_eq!(days(from, Some("2027-01-01T03:00:00Z")).2, some("2026-11-20"));
        assert_eq!(days(Some("2020-01-01T03:00:00Z"), None).0, 92);
        assert_eq!(days(Some("2026-12-01T03:00:00Z"), None).0, 0);
    }

    #[test]
    fn a_search_knows_an_id_its_beginning_and_the_number_of_a_document() {
        let parse = |raw: &str| PaymentSearch::parse(Some(raw)).unwrap().unwrap();
        let ids =
            |raw: &str| parse(raw).ids.map(|(first, last)| (first.to_string(), last.to_string()));
        let both = |first: &str, last: &str| Some((first.to_owned(), last.to_owned()));
        let id = "01890a5d-ac96-774b-bcce-b302099a8057";
        assert_eq!(ids(id), both(id, id));
        assert_eq!(ids(&id.replace('-', "").to_uppercase()), both(id, id));
        assert_eq!(
            ids(" 01890A5D-ac9 "),
            both("01890a5d-ac90-0000-0000-000000000000", "01890a5d-ac9f-ffff-ffff-ffffffffffff")
        );
        for none in ["01890a5", &format!("{id}0"), "pi_01890a5d", "é1890a5d"] {
            assert_eq!(ids(none), None, "{none}");
        }
        assert_eq!(
            (parse("000123").number, parse("12345678901234567890").number),
            (Some(123), None)
        );
        for number in ["Nº 000123", "nº\u{a0}000123", "N.º 123", "n°123"] {
            assert_eq!(parse(number).number, Some(123), "{number}");
        }
        for none in ["+123", "12,3", "Nº", "Nº +123", "n 123"] {
            assert_eq!(parse(none).number, None, "{none}");
        }
        assert_eq!(PaymentSearch::parse(Some(" ")).unwrap(), None);
    }
}
