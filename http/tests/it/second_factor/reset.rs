//! An admin gives a member who has lost every factor the way back.

use bipe_testkit::Person;
use serde_json::{Value, json};

use super::{ANA, FACTOR};
use crate::app::{TestApp, spawn_app};

const BIA: &str = "bia@example.com";

fn path(company: &str, person: &Person) -> String {
    format!("/api/companies/{company}/users/{}/reset-second-factor", person.id)
}

/// Ana administers a company where Bia is an operator with an authenticator app.
async fn company(server: &TestApp) -> (Person, Person, String) {
    let (ana, bia) = (server.person(ANA).await, server.person(BIA).await);
    let company = server.company(&ana, "Ponto Central").await;
    server.join(&bia, company, "operator").await;
    server.totp(&bia).await;
    (ana, bia, company.to_string())
}

#[actix_web::test]
async fn an_admin_resets_a_member_who_then_signs_in_by_password_alone() {
    let server = spawn_app().await;
    let (ana, bia, company) = company(&server).await;
    let reset = path(&company, &bia);
    assert_eq!(server.post_as(&ana, &reset, &json!({})).await.status, 204);
    server.get_as(&bia, FACTOR).await.refused(401, "UNAUTHORIZED");
    let step = server.first_step(BIA).await;
    assert_eq!(step.data(200)["secondFactor"], Value::Null);
    assert_eq!(server.outcomes("second_factor.reset").await, ["ok"]);
    let subject = "Sua verificação em duas etapas do Bipe foi redefinida".to_owned();
    assert!(server.subjects(BIA).await.contains(&subject));
    let audit = format!("/api/companies/{company}/audit?action=second_factor.reset");
    let entries = server.get_as(&ana, &audit).await;
    assert_eq!(entries.data(200)["entries"][0]["target"]["name"], "bia");
    // Nothing is left to reset, and nobody is told twice.
    assert_eq!(server.post_as(&ana, &reset, &json!({})).await.status, 204);
    assert_eq!(server.outcomes("second_factor.reset").await.len(), 1);
}

#[actix_web::test]
async fn nobody_weakens_an_account_that_another_company_relies_on() {
    let server = spawn_app().await;
    let (ana, bia, company) = company(&server).await;
    let other = server.company(&bia, "Ponto da Bia").await;
    let reset = path(&company, &bia);
    server.post_as(&ana, &reset, &json!({})).await.refused(409, "MEMBER_OF_OTHER_COMPANIES");
    server.join(&ana, other, "finance").await;
    server.post_as(&ana, &reset, &json!({})).await.refused(409, "MEMBER_OF_OTHER_COMPANIES");
    let owner = server.database.owner().await;
    owner
        .execute("UPDATE members SET role = 'admin' WHERE company_id = $1", &[&other])
        .await
        .unwrap();
    assert_eq!(server.post_as(&ana, &reset, &json!({})).await.status, 204);
}

#[actix_web::test]
async fn whoever_makes_a_stranger_a_member_removes_no_factor_of_that_person() {
    let server = spawn_app().await;
    let (ana, bia) = (server.person(ANA).await, server.person(BIA).await);
    server.totp(&bia).await;
    server.database.db.clock().advance(1);
    let company = server.company(&ana, "Ponto Central").await;
    server.join(&bia, company, "operator").await;
    let reset = path(&company.to_string(), &bia);
    let refused = server.post_as(&ana, &reset, &json!({})).await;
    refused.refused(409, "SECOND_FACTOR_OLDER_THAN_MEMBERSHIP");
    assert!(server.first_step(BIA).await.data(200)["secondFactor"].is_object());
    server.get_as(&bia, FACTOR).await.data(200);
}

#[actix_web::test]
async fn only_an_admin_resets_and_neither_oneself_nor_a_platform_admin_nor_a_stranger() {
    let server = spawn_app().await;
    let (ana, bia, company) = company(&server).await;
    let refused = server.post_as(&bia, &path(&company, &ana), &json!({})).await;
    refused.refused(403, "FORBIDDEN");
    server.post_as(&ana, &path(&company, &ana), &json!({})).await.refused(403, "FORBIDDEN");
    let stranger = server.person("caio@example.com").await;
    server.totp(&stranger).await;
    let unknown = server.post_as(&ana, &path(&company, &stranger), &json!({})).await;
    unknown.refused(404, "NOT_FOUND");
    let foreign = server.post_as(&stranger, &path(&company, &bia), &json!({})).await;
    foreign.refused(404, "NOT_FOUND");
    let owner = server.database.owner().await;
    owner.execute("UPDATE users SET role = 'admin' WHERE id = $1", &[&bia.id]).await.unwrap();
    server.post_as(&ana, &path(&company, &bia), &json!({})).await.refused(403, "FORBIDDEN");
    assert!(server.first_step(BIA).await.data(200)["secondFactor"].is_object());
}

#[actix_web::test]
async fn an_admin_with_a_second_factor_shows_it_before_a_reset() {
    let server = spawn_app().await;
    let (ana, bia, company) = company(&server).await;
    server.totp(&ana).await;
    server.database.db.clock().advance(601);
    let refused = server.post_as(&ana, &path(&company, &bia), &json!({})).await;
    refused.refused(403, "STEP_UP_REQUIRED");
}
