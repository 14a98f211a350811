//! Stripe's published test cards (https://docs.stripe.com/testing) by number and by token.
//!
//! Other numbers are refused before anything is stored. Of a listed number only the last four digits are stored, with
//! its behaviour.

use crate::cards::Behaviour::{self, *};
use crate::cards::Decline::*;
use crate::cards::DisputeKind;

type Row = (&'static str, &'static str, Option<&'static str>, Behaviour);

/// Number, brand, name behind `pm_card_` and `tok_`, behaviour.
const TEST_CARDS: &[Row] = &[
    ("4242424242424242", "visa", Some("visa"), Pays),
    ("4000056655665556", "visa", Some("visa_debit"), Pays),
    ("5555555555554444", "mastercard", Some("mastercard"), Pays),
    ("2223003122003222", "mastercard", None, Pays),
    ("5200828282828210", "mastercard", Some("mastercard_debit"), Pays),
    ("5105105105105100", "mastercard", Some("mastercard_prepaid"), Pays),
    ("378282246310005", "amex", Some("amex"), Pays),
    ("371449635398431", "amex", None, Pays),
    ("6011111111111117", "discover", Some("discover"), Pays),
    ("6011000990139424", "discover", None, Pays),
    ("3056930009020004", "diners", Some("diners"), Pays),
    ("3566002020360505", "jcb", Some("jcb"), Pays),
    ("6200000000000005", "unionpay", Some("unionpay"), Pays),
    ("4000000760000002", "visa", Some("br"), Pays),
    ("4000000000000002", "visa", Some("chargeDeclined"), Declines(Generic)),
    (
        "4000000000009995",
        "visa",
        Some("chargeDeclinedInsufficientFunds"),
        Declines(InsufficientFunds),
    ),
    ("4000000000009987", "visa", Some("chargeDeclinedLostCard"), Declines(Lost)),
    ("4000000000009979", "visa", Some("chargeDeclinedStolenCard"), Declines(Stolen)),
    ("4000000000006975", "visa", Some("chargeDeclinedVelocityLimitExceeded"), Declines(Velocity)),
    ("4000000000000069", "visa", Some("chargeDeclinedExpiredCard"), Declines(Expired)),
    ("4000000000000127", "visa", Some("chargeDeclinedIncorrectCvc"), Declines(IncorrectCvc)),
    ("4000000000000119", "visa", Some("chargeDeclinedProcessingError"), Declines(ProcessingError)),
    ("4100000000000019", "visa", Some("radarBlock"), Declines(Fraudulent)),
    ("4000000000000341", "visa", Some("chargeCustomerFail"), ChargeFails),
    ("4000002500003155", "visa", Some("authenticationRequiredOnSetup"), AuthenticateUnlessSetUp),
    ("4000002760003184", "visa", Some("authenticationRequired"), AuthenticateAlways),
    ("4000000000003220", "visa", Some("threeDSecure2Required"), AuthenticateThenPays),
    ("4000003800000446", "visa", Some("authenticationRequiredSetupForOffSession"), AlreadySetUp),
    (
        "4000008260003178",
        "visa",
        Some("authenticationRequiredChargeDeclinedInsufficientFunds"),
        AuthenticateThenInsufficientFunds,
    ),
    (
        "4000008400001629",
        "visa",
        Some("threeDSecureRequiredChargeDeclined"),
        AuthenticateThenDeclined,
    ),
    ("4000008400001280", "visa", Some("threeDSecureRequiredProcessingError"), LookupError),
    ("4000000000003055", "visa", Some("threeDSecureOptional"), AuthenticateOnRequest),
    ("4000000000000259", "visa", Some("createDispute"), PaysThenDisputed(DisputeKind::Fraudulent)),
    (
        "4000000000002685",
        "visa",
        Some("createDisputeProductNotReceived"),
        PaysThenDisputed(DisputeKind::ProductNotReceived),
    ),
    (
        "4000000000001976",
        "visa",
        Some("createDisputeInquiry"),
        PaysThenDisputed(DisputeKind::Inquiry),
    ),
    ("4000000000005126", "visa", Some("refundFail"), PaysThenRefundFails),
];

/// One row of the table, found by number or by token.
pub struct TestCard {
    pub behaviour: Behaviour,
    pub brand: &'static str,
    pub country: &'static str,
    pub funding: &'static str,
    pub number: &'static str,
}

fn found(row: &Row) -> TestCard {
    let (number, brand, _, behaviour) = *row;
    let country = if number == "4000000760000002" { "BR" } else { "US" };
    let funding = match number {
        "4000056655665556" | "5200828282828210" => "debit",
        "5105105105105100" => "prepaid",
        _ => "credit",
    };
    TestCard { behaviour, brand, country, funding, number }
}

pub fn by_number(digits: &str) -> Option<TestCard> {
    TEST_CARDS.iter().find(|(number, ..)| *number == digits).map(found)
}

/// A payment method's published token, `pm_card_visa`.
pub fn by_token(token: &str) -> Option<TestCard> {
    by_name(token.strip_prefix("pm_card_")?)
}

/// A card's own published token, `tok_visa`.
pub fn by_card_token(token: &str) -> Option<TestCard> {
    by_name(token.strip_prefix("tok_")?)
}

/// Stripe's pages write some of the declines with the brand and some without.
fn by_name(name: &str) -> Option<TestCard> {
    let plain = name.strip_prefix("visa_").filter(|rest| rest.starts_with("chargeDeclined"));
    let wanted = plain.unwrap_or(name);
    TEST_CARDS.iter().find(|(_, _, known, _)| *known == Some(wanted)).map(found)
}
