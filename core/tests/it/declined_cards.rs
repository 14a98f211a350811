//! A saved card by which a renewal was declined for good pays nothing that falls due, until it changes or is chosen.

use bipe_core::db::CompanyTx;
use bipe_core::gateway::Card;
use bipe_core::payment::saved_cards::{keep, list, trust};
use bipe_core::scope::{CompanyScope, JobScope};
use bipe_core::subscription::account_summary::AccountSummary;
use bipe_core::testing::{self, TestDb};

fn card() -> Card {
    Card {
        id: "pm_1".into(),
        customer: None,
        brand: "visa".into(),
        last4: "4242".into(),
        exp_month: 12,
        exp_year: 2030,
    }
}

/// The card is declined for good; what the company has of it after the provider's list and the payer's choice.
async fn pays(tx: &CompanyTx, listed: &Card, is_chosen: bool) -> bool {
    let decline = "UPDATE payment_methods SET is_declined = true WHERE company_id = $1";
    tx.execute(decline, &[&tx.company_id()]).await.unwrap();
    keep(tx, listed).await.unwrap();
    if is_chosen {
        trust(tx, &listed.id).await.unwrap();
    }
    let summary = AccountSummary::read(tx).await.unwrap();
    assert_eq!(summary.card.unwrap().last4, listed.last4, "it is shown all the same");
    let is_declined = list(tx).await.unwrap()[0].is_declined;
    assert_eq!(summary.instrument.is_none(), is_declined);
    !is_declined
}

#[tokio::test]
async fn a_declined_card_pays_again_once_it_has_changed_or_was_chosen() {
    let test = TestDb::new().await;
    let company = testing::company(&test.owner().await, test.db.clock(), "Ponto Norte").await.id;
    let scope = CompanyScope::of_job(&JobScope::of_test(), company);
    let tx = test.db.company_tx(&scope).await.unwrap();
    keep(&tx, &card()).await.unwrap();
    assert!(AccountSummary::read(&tx).await.unwrap().instrument.is_some());
    for (what, listed, is_chosen, expected) in [
        ("the same list", card(), false, false),
        ("another name of its brand", Card { brand: "Visa".into(), ..card() }, false, false),
        ("another year", Card { exp_year: 2033, ..card() }, false, true),
        ("another month", Card { exp_month: 6, ..card() }, false, true),
        ("another number", Card { last4: "1881".into(), ..card() }, false, true),
        ("the payer's choice", card(), true, true),
    ] {
        keep(&tx, &card()).await.unwrap();
        assert_eq!(pays(&tx, &listed, is_chosen).await, expected, "{what}");
    }
}
