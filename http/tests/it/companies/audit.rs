//! What a company's admins read of their own audit: everything that happened in the company, nothing of anybody's
//! network, and no name of the platform's people.

use bipe_testkit::Person;
use serde_json::{Value, json};

use crate::admin::admin;
use crate::app::TestApp;
use crate::payments::shop::Shop;

async fn log(server: &TestApp, who: &Person, path: &str) -> Vec<Value> {
    let answer = server.get_as(who, path).await;
    answer.data(200)["entries"].as_array().unwrap().clone()
}

fn acts(entries: &[Value]) -> Vec<&str> {
    entries.iter().map(|entry| entry["action"].as_str().unwrap()).collect()
}

fn only<'a>(entries: &'a [Value], action: &str) -> &'a Value {
    let found: Vec<_> = entries.iter().filter(|entry| entry["action"] == action).collect();
    assert_eq!(found.len(), 1, "{action} among {:?}", acts(entries));
    found[0]
}

#[actix_web::test]
async fn the_admins_of_a_company_read_who_did_what_and_nobody_else_does() {
    let shop = Shop::open().await;
    let (server, company) = (&shop.server, shop.company);
    let otto = server.person("otto@example.com").await;
    let path = format!("/api/companies/{company}");
    server.allow(company, -1).await;
    let invite = |email: &str| json!({"userEmail": email, "role": "operator"});
    server.post_as(&shop.ana, &format!("{path}/invite"), &invite("otto@example.com")).await;
    server.post_as(&shop.ana, &format!("{path}/invite"), &invite("bia@example.com")).await;
    let role = json!({"userId": otto.id, "role": "finance"});
    server.put_as(&shop.ana, &format!("{path}/users/role"), &role).await.data(200);
    let (payment, _) = shop.begin(&shop.pix()).await;
    shop.settle(&payment, "succeeded").await;
    shop.server.run().await;
    let cancel = format!("/api/subscriptions/company/{company}/cancel");
    server.post_as(&otto, &cancel, &json!({})).await.data(200);

    let audit = format!("{path}/audit?limit=100");
    let entries = log(server, &shop.ana, &audit).await;
    let ana = json!(shop.ana.id);
    for (action, by, actor) in [
        ("company.create", "person", &ana),
        ("member.add", "person", &ana),
        ("invite.create", "person", &ana),
        ("member.update", "person", &ana),
        ("payment.start", "person", &ana),
        ("payment.succeed", "system", &Value::Null),
        ("subscription.activate", "person", &ana),
        ("subscription.cancel", "person", &json!(otto.id)),
    ] {
        let entry = only(&entries, action);
        assert_eq!(
            (&entry["by"], entry.get("actorId").unwrap_or(&Value::Null)),
            (&json!(by), actor)
        );
    }
    assert_eq!(only(&entries, "member.update")["target"]["name"], "otto");
    assert_eq!(only(&entries, "invite.create")["target"]["name"], "bia@example.com");
    let started = only(&entries, "payment.start");
    assert_eq!(
        (&started["target"]["id"], &started["target"]["amount"]),
        (&payment["id"], &json!(9990))
    );
    let text = json!(entries).to_string();
    for hidden in ["127.0.0", "network", "session", "requestId"] {
        assert!(!text.contains(hidden), "{hidden} in {text}");
    }

    server.get_as(&otto, &audit).await.refused(403, "FORBIDDEN");
    let eve = server.person("eve@example.com").await;
    server.get_as(&eve, &audit).await.refused(404, "NOT_FOUND");
    server.get_as(&eve, &format!("{path}/audit/export")).await.refused(404, "NOT_FOUND");
}

#[actix_web::test]
async fn what_a_person_did_names_the_session_that_did_it() {
    let shop = Shop::open().await;
    let (server, company) = (&shop.server, shop.company);
    server.rename(&shop.ana, company, "Ponto Anil").await;
    let card = json!({"paymentMethodId": server.card("4242424242424242").await});
    server.post_as(&shop.ana, &shop.methods_path(), &card).await.data(201);
    let (payment, _) = shop.begin(&shop.pix()).await;
    shop.settle(&payment, "succeeded").await;
    server.run().await;
    let cancel = format!("/api/subscriptions/company/{company}/cancel");
    server.post_as(&shop.ana, &cancel, &json!({})).await.data(200);
    let acts = async |is_named: &str| {
        let sql = format!(
            "SELECT DISTINCT action FROM audit_entries WHERE company_id = '{company}' AND actor_id = '{}' \
             AND (session_id IN (SELECT id FROM sessions WHERE user_id = actor_id)) {is_named}",
            shop.ana.id
        );
        let mut acts = shop.texts(&sql).await;
        acts.sort();
        acts
    };
    let expected = [
        "company.create",
        "company.edit",
        "payment.start",
        "payment_method.add",
        "subscription.cancel",
    ];
    assert_eq!(acts("IS TRUE").await, expected);
    // A webhook paid for it.
    assert_eq!(acts("IS NOT TRUE").await, ["subscription.activate"]);
}

#[actix_web::test]
async fn the_platforms_people_have_no_name_in_a_companys_audit() {
    let shop = Shop::open().await;
    let (server, company) = (&shop.server, shop.company);
    let root = admin(server).await;
    server.get_as(&root, &format!("/api/admin/companies/{company}")).await.data(200);
    // Who was demoted since keeps what the platform's people have.
    shop.owner.execute("UPDATE users SET role = 'user' WHERE id = $1", &[&root.id]).await.unwrap();
    let path = format!("/api/companies/{company}/audit");
    let entries = log(server, &shop.ana, &path).await;
    let read = only(&entries, "company.read");
    assert_eq!(read["by"], "support");
    let text = json!(entries).to_string();
    assert!(!text.contains(&root.id.to_string()) && !text.contains("root"), "{text}");
    let of_root = log(server, &shop.ana, &format!("{path}?actor={}", root.id)).await;
    assert_eq!(of_root, Vec::<Value>::new(), "nobody finds out by asking");
}

#[actix_web::test]
async fn what_nobody_did_is_in_the_audit_of_its_company_too() {
    let mut shop = Shop::open().await;
    let (payment, _) = shop.begin(&shop.pix()).await;
    shop.settle(&payment, "succeeded").await;
    shop.server.run().await;
    shop.pass(45 * 24 * 3600).await;
    let path = format!("/api/companies/{}/audit?action=subscription&limit=100", shop.company);
    let entries = log(&shop.server, &shop.ana, &path).await;
    assert!(acts(&entries).iter().all(|act| act.starts_with("subscription.")));
    assert_eq!(only(&entries, "subscription.suspend")["by"], "system");
    // A member who erased the account is missed by somebody.
    let otto = shop.server.person("otto@example.com").await;
    shop.server.join(&otto, shop.company, "operator").await;
    let password = json!({"password": bipe_testkit::PASSWORD});
    let url = shop.server.url("/api/auth/me");
    let erase = reqwest::Client::new().delete(url).bearer_auth(&otto.token).json(&password);
    assert_eq!(bipe_testkit::answer(erase).await.status, 204);
    let path = format!("/api/companies/{}/audit?action=member.leave", shop.company);
    assert_eq!(acts(&log(&shop.server, &shop.ana, &path).await), ["member.leave"]);
}

#[actix_web::test]
async fn what_the_provider_says_is_nobodys_act_whoever_asked_it() {
    let shop = Shop::open().await;
    let (payment, secret) = shop.begin(&shop.card("4242424242424242").await).await;
    shop.confirm(&payment, &secret.unwrap(), None).await;
    let ask = format!("/api/payments/authenticate/{}", payment["id"].as_str().unwrap());
    let read = shop.server.post_as(&shop.ana, &ask, &json!({})).await;
    assert_eq!(read.data(200)["payment"]["status"], "SUCCESS");
    let path = format!("/api/companies/{}/audit", shop.company);
    let entries = log(&shop.server, &shop.ana, &path).await;
    assert_eq!(only(&entries, "payment.succeed")["by"], "system");
    assert_eq!(only(&entries, "subscription.activate")["by"], "person");
}

#[actix_web::test]
async fn the_audit_is_filtered_paged_and_taken_away_as_a_file_which_is_an_entry_too() {
    let mut shop = Shop::open().await;
    let company = shop.company;
    let path = format!("/api/companies/{company}/audit");
    for name in ["Ponto Um", "Ponto Dois", "Ponto Três"] {
        shop.pass(24 * 3600).await;
        shop.server.rename(&shop.ana, company, name).await;
    }
    let (server, ana) = (&shop.server, &shop.ana);
    let days = log(server, ana, &format!("{path}?from=2026-11-22&to=2026-11-23")).await;
    assert_eq!(acts(&days), ["company.edit", "company.edit"]);
    assert_eq!(log(server, ana, &format!("{path}?to=2026-11-21")).await.len(), 1);
    let second = server.get_as(ana, &format!("{path}?action=company.edit&page=2&limit=2")).await;
    let data = second.data(200);
    assert_eq!((&data["total"], &data["page"]), (&json!(3), &json!(2)));
    assert_eq!(data["entries"].as_array().unwrap().len(), 1);
    for bad in ["actor=me", "action=DROP", "from=amanh%C3%A3", "from=2026-11-23&to=2026-11-22"] {
        server.get_as(ana, &format!("{path}?{bad}")).await.refused(422, "VALIDATION_ERROR");
    }

    // Entries of one instant have no order.
    server.database.db.clock().advance(1);
    let file = server.get_as(ana, &format!("{path}/export?action=company")).await;
    assert_eq!(
        (file.status, &file.headers["content-type"]),
        (200, &"text/csv; charset=utf-8".parse().unwrap())
    );
    assert!(file.headers["content-disposition"].to_str().unwrap().ends_with(".csv\""));
    let lines: Vec<&str> = file.text.split("\r\n").collect();
    assert_eq!(lines[0], "\u{feff}at;by;actorName;action;target;outcome;fields");
    assert!(lines[1].contains(";person;ana;company.edit;"), "{}", lines[1]);
    assert_eq!(lines.len(), 1 + 4 + 1, "{}", file.text);
    let json = server.get_as(ana, &format!("{path}/export?format=json")).await;
    let taken = json.body["entries"].as_array().unwrap();
    assert_eq!(taken[0]["action"], "audit.export", "the first export");
    let all = log(server, ana, &format!("{path}?action=audit.export")).await;
    assert_eq!((all.len(), &all[0]["actorName"]), (2, &json!("ana")));
    server.get_as(ana, &format!("{path}/export?format=xml")).await.refused(422, "VALIDATION_ERROR");
}

#[actix_web::test]
async fn a_person_takes_twenty_files_of_the_audit_an_hour() {
    let shop = Shop::open().await;
    let path = format!("/api/companies/{}/audit/export", shop.company);
    for _ in 0..20 {
        assert_eq!(shop.server.get_as(&shop.ana, &path).await.status, 200);
    }
    shop.server.get_as(&shop.ana, &path).await.refused(429, "RATE_LIMITED");
}
