//! Companies: creating, reading, editing, and what others learn of them.

use serde_json::json;

use crate::app::spawn_app;

#[actix_web::test]
async fn the_creator_becomes_admin_and_sees_the_company_in_the_list() {
    let server = spawn_app().await;
    let ana = server.person("ana@example.com").await;
    let body = json!({"companyName": "  Ponto Azul ", "companyDescription": " "});
    let created = server.post_as(&ana, "/api/companies", &body).await;
    let company = &created.data(201)["company"];
    assert_eq!(company["companyName"], "Ponto Azul");
    assert_eq!(company["userRole"], "admin");
    assert!(company.get("companyDescription").is_none());
    let listed = server.get_as(&ana, "/api/companies").await;
    assert_eq!(listed.data(200)["companies"][0]["id"], company["id"]);
    let path = format!("/api/companies/{}", company["id"].as_str().unwrap());
    let detail = server.get_as(&ana, &path).await;
    let detail = &detail.data(200)["company"];
    assert_eq!(detail["stats"], json!({"total": 1, "active": 1, "admins": 1, "operators": 0}));
    assert_eq!(detail["users"][0]["userEmail"], "ana@example.com");
    assert_eq!(detail["users"][0]["isCreator"], true);
}

#[actix_web::test]
async fn bad_names_are_refused_field_by_field() {
    let server = spawn_app().await;
    let ana = server.person("ana@example.com").await;
    let body = json!({"companyName": "A", "companyDescription": "x".repeat(501)});
    let refused = server.post_as(&ana, "/api/companies", &body).await;
    refused.refused(422, "VALIDATION_ERROR");
    let fields = json!({"companyName": "NAME_TOO_SHORT", "companyDescription": "TOO_LONG"});
    assert_eq!(refused.body["error"]["fields"], fields);
}

#[actix_web::test]
async fn a_foreign_company_looks_like_a_missing_one_byte_for_byte() {
    let server = spawn_app().await;
    let (ana, eve) =
        (server.person("ana@example.com").await, server.person("eve@example.com").await);
    let company = server.company(&ana, "Ponto Azul").await;
    let foreign = format!("/api/companies/{company}");
    let missing = "/api/companies/019e0000-0000-7000-8000-000000000000";
    let without_id = |text: &str, id: &str| text.replace(id, "");
    for path in [foreign.as_str(), missing] {
        server.get_as(&eve, path).await.refused(404, "NOT_FOUND");
    }
    let (one, two) = (server.get_as(&eve, &foreign).await, server.get_as(&eve, missing).await);
    let ids = [&one, &two].map(|a| a.headers["x-request-id"].to_str().unwrap().to_owned());
    assert_eq!(without_id(&one.text, &ids[0]), without_id(&two.text, &ids[1]));
    assert!(server.get_as(&eve, "/api/companies").await.data(200)["companies"] == json!([]));
}

#[actix_web::test]
async fn only_admins_edit() {
    let server = spawn_app().await;
    let (ana, bob) =
        (server.person("ana@example.com").await, server.person("bob@example.com").await);
    let company = server.company(&ana, "Ponto Azul").await;
    server.join(&bob, company, "operator").await;
    let path = format!("/api/companies/{company}");
    let body = json!({"companyName": "Ponto Verde"});
    server.put_as(&bob, &path, &body).await.refused(403, "FORBIDDEN");
    let edited = server.put_as(&ana, &path, &body).await;
    assert_eq!(edited.data(200)["company"]["companyName"], "Ponto Verde");
    let read = server.get_as(&bob, &path).await;
    assert_eq!(read.data(200)["company"]["userRole"], "operator");
}

#[actix_web::test]
async fn nobody_reads_without_a_live_session() {
    let server = spawn_app().await;
    server.get("/api/companies").await.refused(401, "UNAUTHORIZED");
    let ana = server.person("ana@example.com").await;
    server.database.db.clock().advance(901);
    server.get_as(&ana, "/api/companies").await.refused(401, "UNAUTHORIZED");
}
