//! In production a platform admin has a second factor, or sees nothing of the platform.

use bipe_testkit::{PASSWORD, Person, answer};
use serde_json::json;

use super::FACTOR;
use crate::admin::admin;
use crate::app::{TestApp, spawn_app, spawn_app_with};

const USERS: &str = "/api/admin/users";
const PRODUCTION: [&str; 4] = ["--env", "production", "--public-url", "https://bipe.example"];

async fn resolve(server: &TestApp, root: &Person) -> (u16, String) {
    let path = "/api/admin/payments/019e0000-0000-7000-8000-000000000000/resolve";
    let refused = server.post_as(root, path, &json!({"outcome": "accept", "reason": "ok"})).await;
    (refused.status, refused.code().to_owned())
}

#[actix_web::test]
async fn a_platform_admin_without_a_second_factor_sees_nothing_in_production() {
    let server = spawn_app_with(&PRODUCTION).await;
    let root = admin(&server).await;
    server.get_as(&root, USERS).await.refused(403, "SECOND_FACTOR_REQUIRED");
    assert_eq!(resolve(&server, &root).await, (403, "SECOND_FACTOR_REQUIRED".into()));
    server.get_as(&root, "/api/auth/me").await.data(200);
    server.totp(&root).await;
    server.get_as(&root, USERS).await.data(200);
    // It cannot be given up again.
    let last = server.delete_as(&root, &format!("{FACTOR}/totp")).await;
    last.refused(403, "SECOND_FACTOR_REQUIRED");
    server.get_as(&root, USERS).await.data(200);
}

#[actix_web::test]
async fn a_platform_admin_is_asked_for_nothing_more_while_developing() {
    let server = spawn_app().await;
    let root = admin(&server).await;
    server.get_as(&root, USERS).await.data(200);
    assert_eq!(resolve(&server, &root).await, (404, "NOT_FOUND".into()));
}

#[actix_web::test]
async fn a_platform_admin_sees_who_has_a_second_factor() {
    let server = spawn_app().await;
    let root = admin(&server).await;
    let ana = server.person("ana@example.com").await;
    let path = format!("{USERS}/{}", ana.id);
    let shown = server.get_as(&root, &path).await;
    assert_eq!(shown.data(200)["user"]["hasSecondFactor"], false);
    server.totp(&ana).await;
    let shown = server.get_as(&root, &path).await;
    assert_eq!(shown.data(200)["user"]["hasSecondFactor"], true);
}

#[actix_web::test]
async fn a_platform_admin_shows_the_second_factor_before_money_roles_and_erasure() {
    let server = spawn_app().await;
    let root = admin(&server).await;
    let ana = server.person("ana@example.com").await;
    server.totp(&root).await;
    assert_eq!(resolve(&server, &root).await, (404, "NOT_FOUND".into()));
    server.database.db.clock().advance(601);
    assert_eq!(resolve(&server, &root).await, (403, "STEP_UP_REQUIRED".into()));
    let refunds = "/api/admin/payments/019e0000-0000-7000-8000-000000000000/refunds";
    let refund = json!({"amount": 500, "reason": "ok"});
    server.post_as(&root, refunds, &refund).await.refused(403, "STEP_UP_REQUIRED");
    let user = format!("{USERS}/{}", ana.id);
    let renamed = json!({"userName": "Ana Lima"});
    server.put_as(&root, &user, &renamed).await.data(200);
    let promoted = json!({"role": "admin"});
    server.put_as(&root, &user, &promoted).await.refused(403, "STEP_UP_REQUIRED");
    server.delete_as(&root, &user).await.refused(403, "STEP_UP_REQUIRED");
    let own = reqwest::Client::new().delete(server.url("/api/auth/me")).bearer_auth(&root.token);
    answer(own.json(&json!({"password": PASSWORD}))).await.refused(403, "STEP_UP_REQUIRED");
}
