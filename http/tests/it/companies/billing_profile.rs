//! The billing profile of a company: its versions, who reads and saves it, and what its pages hear.

use bipe_core::id::CompanyId;
use bipe_testkit::Person;
use serde_json::{Value, json};

use crate::app::{TestApp, spawn_app};
use crate::isolation::world::billing_profile;

struct Team {
    server: TestApp,
    ana: Person,
    fabi: Person,
    otto: Person,
    company: CompanyId,
    path: String,
}

impl Team {
    async fn open() -> Self {
        let server = spawn_app().await;
        let ana = server.person("ana@example.com").await;
        let fabi = server.person("fabi@example.com").await;
        let otto = server.person("otto@example.com").await;
        let company = server.company(&ana, "Ponto Azul").await;
        server.join(&fabi, company, "finance").await;
        server.join(&otto, company, "operator").await;
        let path = format!("/api/companies/{company}/billing-profile");
        Self { server, ana, fabi, otto, company, path }
    }

    async fn read(&self, who: &Person) -> Value {
        self.server.get_as(who, &self.path).await.data(200)["billingProfile"].clone()
    }
}

fn changed(version: i32, legal_name: &str) -> Value {
    let mut typed = billing_profile();
    typed["version"] = json!(version);
    typed["legalName"] = json!(legal_name);
    typed
}

#[actix_web::test]
async fn admins_and_finance_save_it_version_by_version() {
    let team = Team::open().await;
    let (server, path) = (&team.server, &team.path);
    assert_eq!(team.read(&team.ana).await, Value::Null);
    let first = server.put_as(&team.ana, path, &billing_profile()).await;
    let first = &first.data(200)["billingProfile"];
    let address = json!({"postalCode": "01310100", "street": "Avenida Paulista", "number": "1000",
        "district": "Bela Vista", "city": "São Paulo", "state": "SP"});
    assert_eq!((&first["version"], &first["taxId"]), (&json!(1), &json!("11222333000181")));
    assert_eq!((&first["taxIdKind"], &first["address"]), (&json!("cnpj"), &address));
    assert_eq!(first["billingEmails"], json!(["nf@example.com"]));
    assert_eq!(team.read(&team.fabi).await, *first);

    let again = server.put_as(&team.fabi, path, &billing_profile()).await;
    assert_eq!(again.data(200)["billingProfile"], *first, "the same content is no version");
    let second = server.put_as(&team.fabi, path, &changed(1, "Entregas Azul S.A.")).await;
    assert_eq!(second.data(200)["billingProfile"]["version"], 2);
    let late = server.put_as(&team.ana, path, &changed(1, "Entregas Azul ME")).await;
    late.refused(409, "CONFLICT");
    assert_eq!(team.read(&team.ana).await["legalName"], "Entregas Azul S.A.");
    let acts = server.audited(team.company).await;
    let saved: Vec<_> = acts.iter().filter(|(act, _)| act == "billing_profile.save").collect();
    assert_eq!(saved.len(), 2);
    assert_eq!(saved[1].1.as_deref(), Some("2"));
}

#[actix_web::test]
async fn every_wrong_field_is_named_by_its_path() {
    let team = Team::open().await;
    let mut typed = billing_profile();
    typed["taxId"] = json!("11.222.333/0001-80");
    typed["legalName"] = json!("");
    typed["address"]["state"] = json!("XX");
    typed["address"]["number"] = json!("");
    typed["billingEmails"] = json!(["nf@example.com", "nf"]);
    let refused = team.server.put_as(&team.ana, &team.path, &typed).await;
    refused.refused(422, "VALIDATION_ERROR");
    let fields = json!({"taxId": "DOCUMENT_INVALID", "legalName": "REQUIRED", "address.state": "INVALID",
        "address.number": "REQUIRED", "billingEmails[1]": "EMAIL_INVALID"});
    assert_eq!(refused.body["error"]["fields"], fields);
    let mut typed = billing_profile();
    typed["address"] = json!("Avenida Paulista");
    let refused = team.server.put_as(&team.ana, &team.path, &typed).await;
    assert_eq!(refused.body["error"]["fields"], json!({"address": "INVALID"}));
    assert_eq!(team.read(&team.ana).await, Value::Null);
}

#[actix_web::test]
async fn operators_are_denied_and_others_find_nothing() {
    let team = Team::open().await;
    let (server, path) = (&team.server, &team.path);
    let eve = server.person("eve@example.com").await;
    server.company(&eve, "Ponto Verde").await;
    server.put_as(&team.ana, path, &billing_profile()).await.data(200);
    for (who, status, code) in [(&team.otto, 403, "FORBIDDEN"), (&eve, 404, "NOT_FOUND")] {
        server.get_as(who, path).await.refused(status, code);
        server.put_as(who, path, &changed(1, "Outra")).await.refused(status, code);
    }
    server.get(path).await.refused(401, "UNAUTHORIZED");
    let suspend = "UPDATE companies SET status = 'suspended' WHERE id = $1";
    server.database.owner().await.execute(suspend, &[&team.company]).await.unwrap();
    server.put_as(&team.ana, path, &changed(1, "Outra")).await.refused(403, "FORBIDDEN");
}

#[actix_web::test]
async fn open_pages_hear_that_it_changed_and_nothing_of_it() {
    let team = Team::open().await;
    let channel = json!({"channel": format!("company/{}", team.company)});
    let mut page = team.server.live(&team.otto, &[channel]).await;
    page.until("live").await;
    team.server.put_as(&team.ana, &team.path, &billing_profile()).await.data(200);
    let heard = page.event("company.updated").await;
    assert_eq!(heard["data"]["companyName"], "Ponto Azul");
    let text = heard.to_string();
    assert!(!text.contains("11222333000181") && !text.contains("Paulista"), "{text}");
}
