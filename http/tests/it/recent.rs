//! Reads may use proofs of the last second: what a commit takes away is gone at once on its own node, within the
//! second on others, and for commands at once everywhere.

use bipe_testkit::Person;
use serde_json::json;

use crate::app::{TestApp, spawn_app};
use crate::live::company_of_ana;

/// A read asked for no proof.
async fn reads_without_asking(server: &TestApp, person: &Person, path: &str) -> bool {
    server.database.db.take_statements();
    server.get_as(person, path).await.data(200);
    !server.database.db.take_statements().iter().any(|sql| sql.contains("sessions"))
}

/// Two of a few reads follow one another within a second, however busy the machine is.
async fn warm(server: &TestApp, person: &Person, path: &str) {
    for _ in 0..20 {
        if reads_without_asking(server, person, path).await {
            return;
        }
    }
    panic!("every read asks for its proofs");
}

#[actix_web::test]
async fn the_next_read_asks_for_neither_session_nor_role_and_a_command_always_does() {
    let server = spawn_app().await;
    let (ana, company) = company_of_ana(&server).await;
    let path = format!("/api/companies/{company}");
    warm(&server, &ana, &path).await;
    server.database.db.take_statement_log();
    server.put_as(&ana, &path, &json!({"companyName": "Ponto Verde"})).await.data(200);
    let asked = server.database.db.take_statement_log();
    let proofs = asked.iter().filter(|sent| sent.sql.contains("sessions s"));
    let proofs: Vec<u64> = proofs.map(|sent| sent.transaction).collect();
    assert!(matches!(proofs.as_slice(), [session, role] if session == role), "{asked:?}");
}

#[actix_web::test]
async fn what_a_commit_takes_away_is_gone_with_the_next_read_on_its_node() {
    let server = spawn_app().await;
    let (ana, otto) =
        (server.person("ana@example.com").await, server.person("otto@example.com").await);
    let company = server.company(&ana, "Ponto Azul").await;
    server.join(&otto, company, "finance").await;
    let (path, payments) =
        (format!("/api/companies/{company}"), format!("/api/payments/company/{company}"));
    warm(&server, &otto, &payments).await;
    let role = json!({"userId": otto.id, "role": "operator"});
    server.put_as(&ana, &format!("{path}/users/role"), &role).await.data(200);
    server.get_as(&otto, &payments).await.refused(403, "FORBIDDEN");
    warm(&server, &otto, &path).await;
    let removed = server.delete_as(&ana, &format!("{path}/users/{}", otto.id)).await;
    assert_eq!(removed.status, 204, "{}", removed.text);
    server.get_as(&otto, &path).await.refused(404, "NOT_FOUND");
    warm(&server, &otto, "/api/companies").await;
    let signed_out = json!({"refreshToken": otto.refresh_token});
    let ended = server.post_as(&otto, "/api/auth/logout", &signed_out).await;
    assert!(ended.status < 300, "{}", ended.text);
    server.get_as(&otto, "/api/companies").await.refused(401, "UNAUTHORIZED");
}

#[actix_web::test]
async fn another_node_takes_no_command_at_once_and_answers_no_read_a_second_later() {
    let server = spawn_app().await;
    let (ana, otto) =
        (server.person("ana@example.com").await, server.person("otto@example.com").await);
    let company = server.company(&ana, "Ponto Azul").await;
    server.join(&otto, company, "admin").await;
    let path = format!("/api/companies/{company}");
    let other = server.second().await;
    other.get_as(&otto, &path).await.data(200);
    let removed = server.delete_as(&ana, &format!("{path}/users/{}", otto.id)).await;
    assert_eq!(removed.status, 204, "{}", removed.text);
    let name = json!({"companyName": "Ponto Verde"});
    other.put_as(&otto, &path, &name).await.refused(404, "NOT_FOUND");
    tokio::time::sleep(bipe_core::auth::session::recent::CACHE_LIFETIME).await;
    other.get_as(&otto, &path).await.refused(404, "NOT_FOUND");
}
