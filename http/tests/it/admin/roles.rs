//! Every call of the administration area is for platform admins alone.

use bipe_testkit::{Answer, Person, answer};
use serde_json::{Value, json};

use super::{admin, set_role};
use crate::app::{TestApp, spawn_app};

const NOBODY: &str = "019e0000-0000-7000-8000-000000000000";

/// Method and path of every call below `/api/admin`, from the generated contract.
fn operations() -> Vec<(String, String)> {
    let document = serde_json::to_value(bipe_http::openapi::document()).unwrap();
    let paths = document["paths"].as_object().unwrap();
    let mut found = Vec::new();
    for (path, item) in paths.iter().filter(|(path, _)| path.starts_with("/api/admin/")) {
        for method in item.as_object().unwrap().keys() {
            found.push((method.to_uppercase(), path.replace("{id}", NOBODY)));
        }
    }
    assert!(found.len() >= 5, "{found:?}");
    found
}

async fn call(server: &TestApp, (method, path): &(String, String), who: Option<&Person>) -> Answer {
    let client = reqwest::Client::new();
    let mut request = client.request(method.parse().unwrap(), server.url(path));
    if let Some(person) = who {
        request = request.bearer_auth(&person.token);
    }
    let with_body = method != "GET";
    answer(if with_body { request.json(&json!({})) } else { request }).await
}

fn code(answer: &Answer) -> (u16, Value) {
    (answer.status, answer.body["error"]["code"].clone())
}

#[actix_web::test]
async fn every_call_is_for_platform_admins_only() {
    let server = spawn_app().await;
    let ana = server.person("ana@example.com").await;
    server.company(&ana, "Ponto Azul").await;
    for operation in operations() {
        let anonymous = call(&server, &operation, None).await;
        assert_eq!(code(&anonymous), (401, json!("UNAUTHORIZED")), "{operation:?}");
        let member = call(&server, &operation, Some(&ana)).await;
        assert_eq!(code(&member), (403, json!("FORBIDDEN")), "{operation:?}");
    }
}

#[actix_web::test]
async fn an_admin_gets_in_and_a_demoted_one_is_out_with_the_next_request() {
    let server = spawn_app().await;
    let root = admin(&server).await;
    for operation in operations() {
        let answer = call(&server, &operation, Some(&root)).await;
        assert!(![401, 403].contains(&answer.status), "{operation:?}: {}", answer.text);
    }
    set_role(&server.database, &root, "user").await;
    for operation in operations() {
        let answer = call(&server, &operation, Some(&root)).await;
        assert_eq!(code(&answer), (403, json!("FORBIDDEN")), "{operation:?}");
    }
}
