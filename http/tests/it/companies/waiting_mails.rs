//! Invitations whose mails waited for the mail server.

use serde_json::{Value, json};

use crate::app::spawn_app;
use crate::live::company_of_ana;

#[actix_web::test]
async fn an_invitation_that_waited_for_the_mail_server_is_not_sent_once_its_link_is_void() {
    let server = spawn_app().await;
    let (ana, company) = company_of_ana(&server).await;
    server.allow(company, 5).await;
    let path = format!("/api/companies/{company}/invite");
    let invite = async |email: &str, role: &str| {
        let body = json!({"userEmail": email, "role": role});
        let invited = server.post_as(&ana, &path, &body).await;
        invited.data(201)["invite"]["id"].as_str().unwrap().to_owned()
    };
    let cancelled = invite("eva@example.com", "operator").await;
    for role in ["operator", "finance"] {
        invite("zoe@example.com", role).await;
        server.database.db.clock().advance(60);
    }
    let cancelled = format!("/api/companies/{company}/invites/{cancelled}");
    assert_eq!(server.delete_as(&ana, &cancelled).await.status, 204);
    server.database.db.clock().advance(120);
    assert_eq!(server.mails("eva@example.com").await, Vec::<Value>::new());
    let sent = server.mails("zoe@example.com").await;
    assert_eq!(sent.len(), 1, "{sent:?}");
    assert!(sent[0]["text"].as_str().unwrap().contains("Papel: Financeiro"), "{sent:?}");
}
