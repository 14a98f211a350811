//! Stripe's published test cards (https://docs.stripe.com/testing) by number and by token.
//!
//! Other numbers are refused before anything is stored. Of a listed number only the last four digits are stored, with
//! its behaviour.

use crate::cards::{Behaviour, Decline, Dispute};

type Row = (&'static str, &'static str, Option<&'static str>, Behaviour);

/// Number, brand, name behind `pm_card_` and `tok_`, behaviour.
const TEST_CARDS: &[Row] = &[
    ("4242424242424242", "visa", Some("visa"), Behaviour::Pays),
    ("4000056655665556", "visa", Some("visa_debit"), Behaviour::Pays),
    ("5555555555554444", "mastercard", Some("mastercard"), Behaviour::Pays),
    ("2223003122003222", "mastercard", None, Behaviour::Pays),
    ("5200828282828210", "mastercard", Some("mastercard_debit"), Behaviour::Pays),
    ("5105105105105100", "mastercard", Some("mastercard_prepaid"), Behaviour::Pays),
    ("378282246310005", "amex", Some("amex"), Behaviour::Pays),
    ("371449635398431", "amex", None, Behaviour::Pays),
    ("6011111111111117", "discover", Some("discover"), Behaviour::Pays),
    ("6011000990139424", "discover", None, Behaviour::Pays),
    ("3056930009020004", "diners", Some("diners"), Behaviour::Pays),
    ("3566002020360505", "jcb", Some("jcb"), Behaviour::Pays),
    ("6200000000000005", "unionpay", Some("unionpay"), Behaviour::Pays),
    ("4000000760000002", "visa", Some("br"), Behaviour::Pays),
    ("4000000000000002", "visa", Some("chargeDeclined"), Behaviour::Declines(Decline::Generic)),
    (
        "4000000000009995",
        "visa",
        Some("chargeDeclinedInsufficientFunds"),
        Behaviour::Declines(Decline::InsufficientFunds),
    ),
    (
        "4000000000009987",
        "visa",
        Some("chargeDeclinedLostCard"),
        Behaviour::Declines(Decline::Lost),
    ),
    (
        "4000000000009979",
        "visa",
        Some("chargeDeclinedStolenCard"),
        Behaviour::Declines(Decline::Stolen),
    ),
    (
        "4000000000006975",
        "visa",
        Some("chargeDeclinedVelocityLimitExceeded"),
        Behaviour::Declines(Decline::Velocity),
    ),
    (
        "4000000000000069",
        "visa",
        Some("chargeDeclinedExpiredCard"),
        Behaviour::Declines(Decline::Expired),
    ),
    (
        "4000000000000127",
        "visa",
        Some("chargeDeclinedIncorrectCvc"),
        Behaviour::Declines(Decline::IncorrectCvc),
    ),
    (
        "4000000000000119",
        "visa",
        Some("chargeDeclinedProcessingError"),
        Behaviour::Declines(Decline::ProcessingError),
    ),
    ("4100000000000019", "visa", Some("radarBlock"), Behaviour::Declines(Decline::Fraudulent)),
    ("4000000000000341", "visa", Some("chargeCustomerFail"), Behaviour::ChargeFails),
    (
        "4000002500003155",
        "visa",
        Some("authenticationRequiredOnSetup"),
        Behaviour::AuthenticateUnlessSetUp,
    ),
    ("4000002760003184", "visa", Some("authenticationRequired"), Behaviour::AuthenticateAlways),
    ("4000000000003220", "visa", Some("threeDSecure2Required"), Behaviour::AuthenticateThenPays),
    (
        "4000003800000446",
        "visa",
        Some("authenticationRequiredSetupForOffSession"),
        Behaviour::AlreadySetUp,
    ),
    (
        "4000008260003178",
        "visa",
        Some("authenticationRequiredChargeDeclinedInsufficientFunds"),
        Behaviour::AuthenticateThenInsufficientFunds,
    ),
    (
        "4000008400001629",
        "visa",
        Some("threeDSecureRequiredChargeDeclined"),
        Behaviour::AuthenticateThenDeclined,
    ),
    (
        "4000008400001280",
        "visa",
        Some("threeDSecureRequiredProcessingError"),
        Behaviour::LookupError,
    ),
    ("4000000000003055", "visa", Some("threeDSecureOptional"), Behaviour::AuthenticateOnRequest),
    (
        "4000000000000259",
        "visa",
        Some("createDispute"),
        Behaviour::PaysThenDisputed(Dispute::Fraudulent),
    ),
    (
        "4000000000002685",
        "visa",
        Some("createDisputeProductNotReceived"),
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

/// A payment method's published token, `pm_card_visa`.
pub fn by_token(token: &str) -> Option<TestCard> {
    by_name(token.strip_prefix("pm_card_")?)
}

/// The same of a card's own token, `tok_visa`.
pub fn by_card_token(token: &str) -> Option<TestCard> {
    by_name(token.strip_prefix("tok_")?)
}

/// Stripe's pages write some of the declines with the brand and some without.
fn by_name(name: &str) -> Option<TestCard> {
    let plain = name.strip_prefix("visa_").filter(|rest| rest.starts_with("chargeDeclined"));
    let wanted = plain.unwrap_or(name);
    TEST_CARDS.iter().find(|(_, _, known, _)| *known == Some(wanted)).map(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_published_card_has_its_token_in_every_spelling() {
        for name in ["visa_chargeDeclined", "chargeDeclined"] {
            for card in
                [by_token(&format!("pm_card_{name}")), by_card_token(&format!("tok_{name}"))]
            {
                assert_eq!(card.unwrap().number, "4000000000000002");
            }
        }
        assert_eq!(by_card_token("tok_visa").unwrap().number, "4242424242424242");
        assert!(by_token("tok_visa").is_none() && by_card_token("pm_card_visa").is_none());
        assert!(by_token("pm_card_visa_visa").is_none());
    }
}
