//! What asks for the second factor again, and what answers.

use bipe_testkit::{PASSWORD, Person, answer};
use serde_json::{Value, json};

use super::{ANA, FACTOR, STEP_UP};
use crate::app::{TestApp, spawn_app};

const BIA: &str = "bia@example.com";

/// Ana administers a company and has an authenticator app, Bia is an operator.
async fn company(server: &TestApp) -> (super::Factor, Person, String, Value) {
    let ana = server.person(ANA).await;
    let bia = server.person(BIA).await;
    let company = server.company(&ana, "Ponto Central").await;
    server.join(&bia, company, "operator").await;
    let factor = server.totp(&ana).await;
    let path = format!("/api/companies/{company}/users/role");
    (factor, ana, path, json!({"userId": bia.id, "role": "finance"}))
}

#[actix_web::test]
async fn no_role_changes_ten_minutes_after_the_second_factor_was_shown() {
    let server = spawn_app().await;
    let (factor, ana, path, body) = company(&server).await;
    server.put_as(&ana, &path, &body).await.data(200);
    server.database.db.clock().advance(601);
    server.put_as(&ana, &path, &body).await.refused(403, "STEP_UP_REQUIRED");
    let wrong = json!({"code": factor.wrong_code(&server)});
    server.post_as(&ana, STEP_UP, &wrong).await.refused(400, "INVALID_SECOND_FACTOR");
    server.put_as(&ana, &path, &body).await.refused(403, "STEP_UP_REQUIRED");
    let code = json!({"code": factor.code(&server)});
    assert_eq!(server.post_as(&ana, STEP_UP, &code).await.status, 204);
    server.put_as(&ana, &path, &body).await.data(200);
    server.post_as(&ana, STEP_UP, &code).await.refused(400, "INVALID_SECOND_FACTOR");
    assert_eq!(server.outcomes("session.step_up").await, ["ok", "refused", "refused"]);
}

#[actix_web::test]
async fn an_invitation_as_admin_asks_as_a_role_does() {
    let server = spawn_app().await;
    let ana = server.person(ANA).await;
    let company = server.company(&ana, "Ponto Central").await;
    server.totp(&ana).await;
    server.database.db.clock().advance(601);
    let path = format!("/api/companies/{company}/invite");
    let as_role = |role: &str| json!({"userEmail": "eva@example.com", "role": role});
    server.post_as(&ana, &path, &as_role("operator")).await.data(201);
    server.post_as(&ana, &path, &as_role("admin")).await.refused(403, "STEP_UP_REQUIRED");
}

#[actix_web::test]
async fn the_password_changes_no_factor_and_a_recovery_code_steps_up() {
    let server = spawn_app().await;
    let ana = server.person(ANA).await;
    let factor = server.totp(&ana).await;
    server.database.db.clock().advance(601);
    server.delete_as(&ana, &format!("{FACTOR}/totp")).await.refused(403, "STEP_UP_REQUIRED");
    let password = json!({"password": PASSWORD});
    let offer = format!("{FACTOR}/passkeys/options");
    server.post_as(&ana, &offer, &password).await.refused(403, "STEP_UP_REQUIRED");
    let code = json!({"recoveryCode": factor.recovery_codes[0]});
    assert_eq!(server.post_as(&ana, STEP_UP, &code).await.status, 204);
    assert_eq!(server.delete_as(&ana, &format!("{FACTOR}/totp")).await.status, 204);
    let subject = "Etapa de verificação removida da sua conta do Bipe".to_owned();
    assert!(server.subjects(ANA).await.contains(&subject));
}

#[actix_web::test]
async fn erasure_and_the_default_card_ask_again() {
    let server = spawn_app().await;
    let ana = server.person(ANA).await;
    let company = server.company(&ana, "Ponto Central").await;
    server.totp(&ana).await;
    server.database.db.clock().advance(601);
    let card = format!("/api/payments/methods/{company}/pm_1/default");
    server.put_as(&ana, &card, &json!({})).await.refused(403, "STEP_UP_REQUIRED");
    let leave = reqwest::Client::new().delete(server.url("/api/auth/me")).bearer_auth(&ana.token);
    let left = answer(leave.json(&json!({"password": PASSWORD}))).await;
    left.refused(403, "STEP_UP_REQUIRED");
}

#[actix_web::test]
async fn a_passkey_steps_up_the_session_that_asked_and_no_other() {
    let server = spawn_app().await;
    let ana = server.person(ANA).await;
    let mut passkey = server.passkey(&ana, "Celular").await;
    let other = Person { token: server.passkey_token(&mut passkey).await, ..ana.clone() };
    server.database.db.clock().advance(601);
    let options = format!("{STEP_UP}/options");
    let asked = server.post_as(&ana, &options, &json!({})).await.data(200)["options"].clone();
    let credential = json!({"credential": passkey.get(&asked)});
    server.post_as(&other, STEP_UP, &credential).await.refused(400, "INVALID_SECOND_FACTOR");
    assert_eq!(server.post_as(&ana, STEP_UP, &credential).await.status, 204);
    server.post_as(&ana, STEP_UP, &credential).await.refused(400, "INVALID_SECOND_FACTOR");
    server.post_as(&ana, &format!("{FACTOR}/recovery-codes"), &json!({})).await.data(201);
    let refused = server.post_as(&other, &format!("{FACTOR}/recovery-codes"), &json!({})).await;
    refused.refused(403, "STEP_UP_REQUIRED");
}

impl TestApp {
    async fn passkey_token(&self, passkey: &mut super::Authenticator) -> String {
        let options = self.post("/api/auth/passkey/options", &json!({})).await;
        let credential = passkey.get(&options.data(200)["options"]);
        let answer = self.post("/api/auth/passkey", &json!({"credential": credential})).await;
        answer.data(200)["tokens"]["accessToken"].as_str().unwrap().to_owned()
    }
}

#[actix_web::test]
async fn who_has_no_second_factor_is_never_asked_for_one() {
    let server = spawn_app().await;
    let ana = server.person(ANA).await;
    let bia = server.person(BIA).await;
    let company = server.company(&ana, "Ponto Central").await;
    server.join(&bia, company, "operator").await;
    let path = format!("/api/companies/{company}/users/role");
    server.put_as(&ana, &path, &json!({"userId": bia.id, "role": "finance"})).await.data(200);
    let code = json!({"code": "123456"});
    server.post_as(&ana, STEP_UP, &code).await.refused(400, "INVALID_SECOND_FACTOR");
}
