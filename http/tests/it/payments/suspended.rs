//! A company that the platform suspended: its subscription runs out, and nobody is asked for what nobody can do.

use bipe_core::mailer;
use serde_json::{Value, json};

use super::shop::Shop;
use crate::admin::admin;

const DAY: u32 = 86_400;

async fn subscription(shop: &Shop) -> Value {
    let path = format!("/api/subscriptions/company/{}", shop.company);
    shop.server.get_as(&shop.ana, &path).await.data(200)["subscription"].clone()
}

#[actix_web::test]
async fn what_was_due_meanwhile_is_charged_when_it_is_opened_again() {
    let mut shop = Shop::renewing().await;
    shop.owner.batch_execute("UPDATE companies SET status = 'suspended'").await.unwrap();
    shop.pass(36 * DAY).await;
    assert_eq!(shop.subscriptions().await, ["suspended 9990"]);
    let root = admin(&shop.server).await;
    let path = format!("/api/admin/companies/{}", shop.company);
    shop.server.put_as(&root, &path, &json!({"status": "active"})).await.data(200);
    shop.server.run().await;
    assert_eq!(shop.subscriptions().await, ["active 9990"]);
    assert_eq!(shop.number("SELECT count(*) FROM payments WHERE state = 'succeeded'").await, 2);
    shop.server.is_sound().await;
}

#[actix_web::test]
async fn its_subscription_runs_out_and_nobody_is_asked_to_pay() {
    let mut shop = Shop::renewing().await;
    let suspend = "UPDATE companies SET status = 'suspended'";
    shop.owner.batch_execute(suspend).await.unwrap();

    shop.pass(25 * DAY).await;
    let shown = subscription(&shop).await;
    assert_eq!(
        (&shown["state"]["kind"], &shown["daysUntilExpiry"]),
        (&json!("expiring"), &json!(5))
    );
    assert_eq!(shown["state"].get("action"), None, "every change is refused");
    for (days, kind) in [(6, "due"), (3, "suspended"), (12, "expired")] {
        shop.pass(days * DAY).await;
        let shown = subscription(&shop).await;
        assert_eq!(shown["state"]["kind"], kind);
        assert_eq!(shown["state"].get("action"), None, "{kind}");
    }
    let mail = mailer::mailbox(&shop.server.database.db, Some(&shop.ana.email)).await.unwrap();
    let subject = "Assinatura do plano Profissional suspensa";
    let suspended = mail.iter().find(|mail| mail.subject == subject).unwrap();
    for word in ["Pague", "pague", "Pagar", "pay="] {
        assert!(!suspended.text.contains(word), "{word}: {}", suspended.text);
    }
}
