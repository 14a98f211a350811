//! Stripe's published test cards (https://docs.stripe.com/testing) by number and by token.
//!
//! A number that is not listed here is refused before anything is stored; of a listed one only the last
//! four digits are kept, beside its behaviour.

use super::cards::{Behaviour, Decline, Dispute};

type Row = (&'static str, &'static str, Option<&'static str>, Behaviour);

/// Number, brand, token, behaviour.
const TEST_CARDS: &[Row] = &[
    ("4242424242424242", "visa", Some("pm_card_visa"), Behaviour::Pays),
    ("4000056655665556", "visa", Some("pm_card_visa_debit"), Behaviour::Pays),
    ("5555555555554444", "mastercard", Some("pm_card_mastercard"), Behaviour::Pays),
    ("2223003122003222", "mastercard", None, Behaviour::Pays),
    ("5200828282828210", "mastercard", Some("pm_card_mastercard_debit"), Behaviour::Pays),
    ("5105105105105100", "mastercard", Some("pm_card_mastercard_prepaid"), Behaviour::Pays),
    ("378282246310005", "amex", Some("pm_card_amex"), Behaviour::Pays),
    ("371449635398431", "amex", None, Behaviour::Pays),
    ("6011111111111117", "discover", Some("pm_card_discover"), Behaviour::Pays),
    ("6011000990139424", "discover", None, Behaviour::Pays),
    ("4000000760000002", "visa", Some("pm_card_br"), Behaviour::Pays),
    (
        "4000000000000002",
        "visa",
        Some("pm_card_chargeDeclined"),
        Behaviour::Declines(Decline::Generic),
    ),
    (
        "4000000000009995",
        "visa",
        Some("pm_card_chargeDeclinedInsufficientFunds"),
        Behaviour::Declines(Decline::InsufficientFunds),
    ),
    (
        "4000000000009987",
        "visa",
        Some("pm_card_chargeDeclinedLostCard"),
        Behaviour::Declines(Decline::Lost),
    ),
    (
        "4000000000009979",
        "visa",
        Some("pm_card_chargeDeclinedStolenCard"),
        Behaviour::Declines(Decline::Stolen),
    ),
    (
        "4000000000006975",
        "visa",
        Some("pm_card_chargeDeclinedVelocityLimitExceeded"),
        Behaviour::Declines(Decline::Velocity),
    ),
    (
        "4000000000000069",
        "visa",
        Some("pm_card_chargeDeclinedExpiredCard"),
        Behaviour::Declines(Decline::Expired),
    ),
    (
        "4000000000000127",
        "visa",
        Some("pm_card_chargeDeclinedIncorrectCvc"),
        Behaviour::Declines(Decline::IncorrectCvc),
    ),
    (
        "4000000000000119",
        "visa",
        Some("pm_card_chargeDeclinedProcessingError"),
        Behaviour::Declines(Decline::ProcessingError),
    ),
    (
        "4100000000000019",
        "visa",
        Some("pm_card_radarBlock"),
        Behaviour::Declines(Decline::Fraudulent),
    ),
    ("4000000000000341", "visa", Some("pm_card_chargeCustomerFail"), Behaviour::ChargeFails),
    (
        "4000002500003155",
        "visa",
        Some("pm_card_authenticationRequiredOnSetup"),
        Behaviour::AuthenticateUnlessSetUp,
    ),
    (
        "4000002760003184",
        "visa",
        Some("pm_card_authenticationRequired"),
        Behaviour::AuthenticateAlways,
    ),
    (
        "4000000000003220",
        "visa",
        Some("pm_card_threeDSecure2Required"),
        Behaviour::AuthenticateThenPays,
    ),
    (
        "4000003800000446",
        "visa",
        Some("pm_card_authenticationRequiredSetupForOffSession"),
        Behaviour::AlreadySetUp,
    ),
    (
        "4000008260003178",
        "visa",
        Some("pm_card_authenticationRequiredChargeDeclinedInsufficientFunds"),
        Behaviour::AuthenticateThenInsufficientFunds,
    ),
    (
        "4000008400001629",
        "visa",
        Some("pm_card_threeDSecureRequiredChargeDeclined"),
        Behaviour::AuthenticateThenDeclined,
    ),
    (
        "4000008400001280",
        "visa",
        Some("pm_card_threeDSecureRequiredProcessingError"),
        Behaviour::LookupError,
    ),
    (
        "4000000000003055",
        "visa",
        Some("pm_card_threeDSecureOptional"),
        Behaviour::AuthenticateOnRequest,
    ),
    (
        "4000000000000259",
        "visa",
        Some("pm_card_createDispute"),
        Behaviour::PaysThenDisputed(Dispute::Fraudulent),
    ),
    (
        "4000000000002685",
        "visa",
        Some("pm_card_createDisputeProductNotReceived"),
        Behaviour::PaysThenDisputed(Dispute::ProductNotReceived),
    ),
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

pub fn by_token(token: &str) -> Option<TestCard> {
    TEST_CARDS.iter().find(|(_, _, known, _)| *known == Some(token)).map(found)
}
