//! The audit as platform admins list it.

use bipe_testkit::Person;
use serde_json::{Value, json};

use super::{admin, audited};
use crate::app::spawn_app;
use crate::live::company_of_ana;

const AUDIT: &str = "/api/admin/audit";

#[actix_web::test]
async fn the_audit_is_listed_by_company_and_by_actor_newest_first() {
    let server = spawn_app().await;
    let root = admin(&server).await;
    let (ana, azul) = company_of_ana(&server).await;
    server.company(&ana, "Ponto Verde").await;
    server.database.db.clock().advance(1);
    server.rename(&ana, azul, "Ponto Anil").await;

    let all = server.get_as(&root, &format!("{AUDIT}?limit=100")).await;
    let entries = all.data(200)["entries"].as_array().unwrap().clone();
    assert_eq!(all.data(200)["total"], json!(entries.len()));
    let empty = server.get_as(&root, &format!("{AUDIT}?company=&actor=&target=")).await;
    assert_eq!(empty.data(200)["total"], all.data(200)["total"]);
    let instants: Vec<&str> = entries.iter().map(|entry| entry["at"].as_str().unwrap()).collect();
    assert!(instants.is_sorted_by(|a, b| a >= b), "{instants:?}");

    let actions = |data: &Value| -> Vec<String> {
        let entries = data["entries"].as_array().unwrap().iter();
        entries.map(|entry| entry["action"].as_str().unwrap().to_owned()).collect()
    };
    let of_azul = server.get_as(&root, &format!("{AUDIT}?company={azul}")).await;
    assert_eq!(actions(of_azul.data(200)), ["company.edit", "company.create"]);
    let edit = &of_azul.data(200)["entries"][0];
    assert_eq!((&edit["actorName"], &edit["companyName"]), (&json!("ana"), &json!("Ponto Anil")));
    assert_eq!((&edit["fields"], &edit["outcome"]), (&json!(["companyName"]), &json!("ok")));
    assert_eq!(edit["network"], "127.0.0.0/24");
    assert!(!of_azul.text.contains("127.0.0.1"), "whole addresses stay inside");

    let of_ana = server.get_as(&root, &format!("{AUDIT}?actor={}&limit=2&page=1", ana.id)).await;
    let data = of_ana.data(200);
    assert_eq!((data["entries"].as_array().unwrap().len(), &data["page"]), (2, &json!(1)));
    assert!(data["total"].as_i64().unwrap() >= 3, "{}", of_ana.text);
    let both = server.get_as(&root, &format!("{AUDIT}?actor={}&company={azul}", root.id)).await;
    assert_eq!(both.data(200)["total"], 0);

    let owner = server.database.owner().await;
    let mut looked = audited(&owner, "audit.read").await;
    looked.sort_unstable();
    let mut expected = [ana.id, root.id].map(|id| (id.to_string(), vec![]));
    expected.sort_unstable();
    assert_eq!(looked, expected);
    server.get_as(&root, &format!("{AUDIT}?actor=me")).await.refused(422, "VALIDATION_ERROR");
}

#[actix_web::test]
async fn what_was_done_to_a_person_is_listed_whoever_did_it_without_who_looked() {
    let server = spawn_app().await;
    let root = admin(&server).await;
    let ana = server.person("ana@example.com").await;
    let bruno = server.person("bruno@example.com").await;
    let azul = server.company(&ana, "Ponto Azul").await;
    let path = format!("/api/companies/{azul}");
    let invite = json!({"userEmail": "bruno@example.com", "role": "operator"});
    server.post_as(&ana, &format!("{path}/invite"), &invite).await.data(201);
    server.database.db.clock().advance(1);
    let user = format!("/api/admin/users/{}", bruno.id);
    server.get_as(&root, &user).await.data(200);
    server.put_as(&root, &user, &json!({"userName": "Bruno Lima"})).await.data(200);
    server.database.db.clock().advance(1);
    server.delete_as(&ana, &format!("{path}/users/{}", bruno.id)).await;

    let listed = async |query: &str| -> Vec<String> {
        let listed = server.get_as(&root, &format!("{AUDIT}?target={}{query}", bruno.id)).await;
        let entries = listed.data(200)["entries"].as_array().unwrap();
        assert_eq!(listed.data(200)["total"], json!(entries.len()), "{query}");
        entries.iter().map(|entry| entry["action"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(listed("").await, ["member.remove", "user.edit", "member.add"]);
    assert_eq!(listed(&format!("&company={azul}")).await, ["member.remove", "member.add"]);
    assert_eq!(listed(&format!("&actor={}", root.id)).await, ["user.edit"]);
    assert_eq!(listed(&format!("&actor={}", bruno.id)).await, [""; 0]);

    let owner = server.database.owner().await;
    let looked = audited(&owner, "audit.read").await;
    let looks = |person: &Person| {
        let id = person.id.to_string();
        looked.iter().filter(|(target, _)| *target == id).count()
    };
    assert_eq!((looks(&bruno), looks(&root), looked.len()), (5, 1, 6));
    server.get_as(&root, &format!("{AUDIT}?target=me")).await.refused(422, "VALIDATION_ERROR");
}

/// A row stays for five years, and the builds of that time have words of their own.
#[actix_web::test]
async fn a_row_with_words_of_another_version_is_listed() {
    let server = spawn_app().await;
    let root = admin(&server).await;
    let (ana, azul) = company_of_ana(&server).await;
    let row = "INSERT INTO audit_entries (id, at, company_id, action, outcome, fields) \
         VALUES (gen_random_uuid(), now(), $1, 'parcel.scan', 'ok', '{weight}')";
    server.database.owner().await.execute(row, &[&azul]).await.unwrap();
    let own = format!("/api/companies/{azul}/audit");
    for (who, path) in [(&root, format!("{AUDIT}?company={azul}")), (&ana, own)] {
        let listed = server.get_as(who, &path).await;
        let mut entries = listed.data(200)["entries"].as_array().unwrap().iter();
        let found = entries.find(|entry| entry["action"] == "parcel.scan").unwrap();
        assert_eq!(found["fields"], json!(["weight"]));
    }
}

#[actix_web::test]
async fn of_more_than_ten_thousand_entries_the_newest_are_counted_and_taken_away() {
    let server = spawn_app().await;
    let root = admin(&server).await;
    let (ana, azul) = company_of_ana(&server).await;
    let rows = "INSERT INTO audit_entries (id, at, company_id, action, outcome) \
         SELECT gen_random_uuid(), $2::timestamptz + n * interval '1 second', $1, 'company.edit', 'ok' \
         FROM generate_series(1, 10000) n";
    let now = server.database.db.clock().now();
    server.database.owner().await.execute(rows, &[&azul, &now]).await.unwrap();
    let own = format!("/api/companies/{azul}/audit");
    let all = [(&root, AUDIT.to_owned()), (&root, format!("{AUDIT}?company={azul}")), (&ana, own)];
    for (who, path) in &all {
        let listed = server.get_as(who, path).await;
        assert_eq!(listed.data(200)["total"], 10_000, "{path}");
    }
    let file = server.get_as(&ana, &format!("/api/companies/{azul}/audit/export")).await;
    assert_eq!((file.status, file.text.matches(";company.edit;").count()), (200, 10_000));
    assert!(!file.text.contains("company.create"), "that is the oldest");
}
