//! The address of a postal code as a client asks for it.

use bipe_core::testing::HttpPeer;
use serde_json::json;

use crate::app::{spawn_app, spawn_app_with};

const PAULISTA: &str = r#"{"cep": "01310-100", "logradouro": "Avenida Paulista", "bairro": "Bela Vista",
    "localidade": "São Paulo", "uf": "SP"}"#;

#[actix_web::test]
async fn whoever_is_signed_in_asks_for_the_address_of_a_postal_code() {
    let peer = HttpPeer::with_json(PAULISTA).await;
    let url = format!("http://{}/{{cep}}", peer.address);
    let server = spawn_app_with(&["--cep-url", &url]).await;
    let ana = server.person("ana@example.com").await;
    server.get("/api/addresses/01310100").await.refused(401, "UNAUTHORIZED");
    assert_eq!(peer.request_lines(), Vec::<String>::new());
    let found = server.get_as(&ana, "/api/addresses/01310-100").await;
    let address = json!({"postalCode": "01310100", "street": "Avenida Paulista", "district": "Bela Vista",
        "city": "São Paulo", "state": "SP"});
    assert_eq!(found.data(200)["address"], address);
    for typed in ["0131010", "abc", "00000000"] {
        let unknown = server.get_as(&ana, &format!("/api/addresses/{typed}")).await;
        unknown.refused(404, "CEP_NOT_FOUND");
    }
    assert_eq!(
        peer.request_lines(),
        ["GET /01310100 HTTP/1.1"],
        "what is no postal code is not asked for"
    );
}

#[actix_web::test]
async fn a_postal_code_that_nobody_has_is_unknown() {
    let peer = HttpPeer::with_json(r#"{"erro": "true"}"#).await;
    let url = format!("http://{}/{{cep}}", peer.address);
    let server = spawn_app_with(&["--cep-url", &url]).await;
    let ana = server.person("ana@example.com").await;
    server.get_as(&ana, "/api/addresses/99999999").await.refused(404, "CEP_NOT_FOUND");
    assert_eq!(peer.request_lines(), ["GET /99999999 HTTP/1.1"]);
}

#[actix_web::test]
async fn without_a_service_the_answer_says_so_and_a_person_asks_so_often_and_no_oftener() {
    let server = spawn_app().await;
    server.app.limits.hold();
    let ana = server.person("ana@example.com").await;
    let bia = server.person("bia@example.com").await;
    for _ in 0..20 {
        let failed = server.get_as(&ana, "/api/addresses/01310100").await;
        failed.refused(503, "CEP_UNAVAILABLE");
        assert_eq!(failed.headers["retry-after"], "10");
    }
    server.get_as(&ana, "/api/addresses/01310100").await.refused(429, "RATE_LIMITED");
    server.get_as(&bia, "/api/addresses/01310100").await.refused(503, "CEP_UNAVAILABLE");
}
