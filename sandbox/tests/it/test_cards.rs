//! Published cards and their tokens.

use bipe_sandbox::test_cards::{by_card_token, by_token};

#[test]
fn a_published_card_has_its_token_in_every_spelling() {
    for name in ["visa_chargeDeclined", "chargeDeclined"] {
        for card in [by_token(&format!("pm_card_{name}")), by_card_token(&format!("tok_{name}"))] {
            assert_eq!(card.unwrap().number, "4000000000000002");
        }
    }
    assert_eq!(by_card_token("tok_visa").unwrap().number, "4242424242424242");
    assert!(by_token("tok_visa").is_none() && by_card_token("pm_card_visa").is_none());
    assert!(by_token("pm_card_visa_visa").is_none());
}
