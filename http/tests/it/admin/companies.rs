//! Companies as platform admins list, read, suspend and edit them.

use bipe_core::id::CompanyId;
use bipe_testkit::Person;
use serde_json::{Value, json};

use super::{admin, audited};
use crate::app::{TestApp, spawn_app};
use crate::isolation::world::billing_profile;

const COMPANIES: &str = "/api/admin/companies";

/// A root, Ana with a paying company and a free one.
async fn companies() -> (TestApp, Person, Person, CompanyId) {
    let server = spawn_app().await;
    // The payments are rows that nobody made at the provider.
    server.leave_unproven();
    let root = admin(&server).await;
    let ana = server.person("ana@example.com").await;
    let azul = server.company(&ana, "Estação Azul").await;
    server.company(&ana, "Ponto Verde").await;
    subscribe(&server, azul, "Essencial", "quarterly", 12_725).await;
    (server, root, ana, azul)
}

/// Written past the payment, which is not what this is about.
async fn subscribe(server: &TestApp, company: CompanyId, plan: &str, cycle: &str, price: i64) {
    let owner = server.database.owner().await;
    let (clock, now) = (server.database.db.clock(), server.database.db.clock().now());
    let insert = "INSERT INTO subscriptions (id, company_id, plan_id, billing_cycle, price_cents, status, \
         anchor_local, month, paid_until_month, started_at, created_at, updated_at) \
         SELECT $1, $2, id, $4, $5, 'active', '2026-11-20 12:00:00', 0, 3, $6, $6, $6 \
         FROM plans WHERE display_name = $3";
    owner.execute(insert, &[&clock.uuid(), &company, &plan, &cycle, &price, &now]).await.unwrap();
    let moved = "INSERT INTO movements (id, company_id, kind, arr_cents, plan_id, at) \
         SELECT $1, $2, 'new', $4, id, $5::timestamptz - interval '40 days' FROM plans WHERE display_name = $3";
    owner.execute(moved, &[&clock.uuid(), &company, &plan, &(price * 4), &now]).await.unwrap();
    for (amount, days) in [(12_725_i64, 10_i32), (10_000, 40), (50, 70)] {
        let paid = "INSERT INTO payments (id, company_id, state, method, amount_cents, currency, change_type, \
             plan_id, billing_cycle, basis, frozen_at, provider, provider_key, provider_request, succeeded_at, \
             created_at, updated_at, quote_id, metadata) SELECT $1::uuid, $2, 'succeeded', 'PIX', $4, 'brl', \
             'renewal', id, 'quarterly', '', $5, 'sandbox', $1::uuid::text, '', at, at, at, $1::uuid, \
             json_build_object('companyId', $2::uuid, 'planId', id, 'billingCycle', 'quarterly', 'changeType', \
             'renewal', 'quoteId', $1::uuid)::text \
             FROM plans, (SELECT $5::timestamptz - make_interval(days => $6) AS at) AS paid WHERE display_name = $3";
        let id = clock.uuid();
        owner.execute(paid, &[&id, &company, &plan, &amount, &now, &days]).await.unwrap();
    }
}

async fn names(server: &TestApp, root: &Person, query: &str) -> Vec<String> {
    let listed = server.get_as(root, &format!("{COMPANIES}?{query}")).await;
    let companies = listed.data(200)["companies"].as_array().unwrap().clone();
    assert_eq!(listed.data(200)["total"], json!(companies.len()), "{query}");
    companies.iter().map(|company| company["name"].as_str().unwrap().to_owned()).collect()
}

#[actix_web::test]
async fn a_row_tells_plan_revenue_people_and_growth() {
    let (server, root, _, azul) = companies().await;
    let listed = server.get_as(&root, &format!("{COMPANIES}?search=estacao")).await;
    let row = &listed.data(200)["companies"][0];
    assert_eq!((&row["id"], &row["email"]), (&json!(azul), &json!("ana@example.com")));
    let subscription = &row["subscription"];
    assert_eq!(
        (&subscription["plan"], &subscription["status"]),
        (&json!("Essencial"), &json!("active"))
    );
    assert_eq!(subscription["mrr"], json!(42.42), "127.25 / 3, rounded once");
    assert_eq!(row["users"], json!({"total": 1, "active": 1, "admins": 1}));
    let metrics = json!({"orders": null, "revenue": 127.25, "growth": 27.3});
    assert_eq!(row["metrics"], metrics, "127.25 after 100.00");
    let summary = json!({"total": 2, "active": 2, "suspended": 0, "mrr": 42.42});
    assert_eq!(listed.data(200)["summary"], summary);
    let verde = server.get_as(&root, &format!("{COMPANIES}?search=verde")).await;
    let verde = &verde.data(200)["companies"][0];
    assert_eq!((&verde["subscription"], &verde["metrics"]["growth"]), (&Value::Null, &Value::Null));
}

#[actix_web::test]
async fn money_that_was_given_back_is_no_revenue_and_another_amount_counts_as_it_came_in() {
    let (server, root, _, azul) = companies().await;
    let owner = server.database.owner().await;
    for sql in [
        "UPDATE payments SET refunded_cents = 2725, version = version + 1 WHERE amount_cents = 12725",
        "UPDATE payments SET received_cents = 8000, version = version + 1 WHERE amount_cents = 10000",
        "UPDATE payments SET refunded_cents = 50, version = version + 1 WHERE amount_cents = 50",
    ] {
        assert_eq!(owner.execute(sql, &[]).await.unwrap(), 1);
    }
    let listed = server.get_as(&root, &format!("{COMPANIES}?search=azul")).await;
    let metrics = json!({"orders": null, "revenue": 100, "growth": 25});
    assert_eq!(listed.data(200)["companies"][0]["metrics"], metrics, "100.00 after 80.00");
    let shown = server.get_as(&root, &format!("{COMPANIES}/{azul}")).await;
    let months = shown.data(200)["company"]["months"].as_array().unwrap().clone();
    let revenue: Vec<&Value> = months[9..].iter().map(|month| &month["revenue"]).collect();
    assert_eq!(revenue, [&json!(0), &json!(80), &json!(100)]);
}

#[actix_web::test]
async fn companies_are_searched_filtered_and_sorted() {
    let (server, root, ana, azul) = companies().await;
    let path = format!("/api/companies/{azul}");
    let body =
        json!({"companyName": "Estação Azul", "companyDescription": "Encomendas à beira-mar"});
    server.put_as(&ana, &path, &body).await.data(200);
    for query in ["search=ESTACAO", "search=a%20beira", "plan=essencial", "sort=-mrr&search=azul"] {
        assert_eq!(names(&server, &root, query).await, ["Estação Azul"], "{query}");
    }
    // As `bipe alerts` and the log name a company.
    let by_id = |id: String| format!("search={id}");
    assert_eq!(names(&server, &root, &by_id(azul.to_string())).await, ["Estação Azul"]);
    assert_eq!(names(&server, &root, &by_id(ana.id.to_string())).await, [""; 0], "no company's");
    assert_eq!(names(&server, &root, "plan=none").await, ["Ponto Verde"]);
    assert_eq!(
        names(&server, &root, "search=ana@example").await.len(),
        2,
        "by the creator's e-mail"
    );
    assert_eq!(names(&server, &root, "status=suspended").await, Vec::<String>::new());
    let both = ["Estação Azul", "Ponto Verde"];
    assert_eq!(names(&server, &root, "sort=name").await, both);
    assert_eq!(names(&server, &root, "sort=-mrr").await, both);
    assert_eq!(names(&server, &root, "sort=mrr").await, ["Ponto Verde", "Estação Azul"]);
    for (sort, down) in [("plan", true), ("subscription", false), ("revenue", true)] {
        let (first, second) = if down { ("-", "") } else { ("", "-") };
        assert_eq!(names(&server, &root, &format!("sort={first}{sort}")).await, both, "{sort}");
        let turned = names(&server, &root, &format!("sort={second}{sort}")).await;
        assert_eq!(turned, ["Ponto Verde", "Estação Azul"], "{sort}");
    }
    let path = format!("/api/subscriptions/company/{azul}/cancel-robust");
    server.post_as(&ana, &path, &json!({"effectiveDate": "immediate"})).await.data(200);
    for query in ["plan=essencial", "plan=essencial&sort=subscription"] {
        assert_eq!(names(&server, &root, query).await, ["Estação Azul"], "its columns say so");
    }
    assert_eq!(names(&server, &root, "plan=none").await, ["Ponto Verde"]);
    assert_eq!(names(&server, &root, "sort=subscription").await, both, "ended before none");
    for query in ["status=gone", "sort=orders", "page=0"] {
        server
            .get_as(&root, &format!("{COMPANIES}?{query}"))
            .await
            .refused(422, "VALIDATION_ERROR");
    }
}

#[actix_web::test]
async fn a_company_is_found_by_what_its_billing_profile_has_ever_said() {
    let (server, root, ana, azul) = companies().await;
    let path = format!("/api/companies/{azul}/billing-profile");
    server.put_as(&ana, &path, &billing_profile()).await.data(200);
    let mut renamed = billing_profile();
    renamed["version"] = json!(1);
    renamed["legalName"] = json!("Entregas do Litoral S.A.");
    server.put_as(&ana, &path, &renamed).await.data(200);
    for text in [
        "11.222.333/0001-81",
        "11222333000181",
        "entregas CANÁRIO",
        "litoral s.a",
        "NF@example.com",
    ] {
        let found = names(&server, &root, &format!("search={}", text.replace('/', "%2F"))).await;
        assert_eq!(found, ["Estação Azul"], "{text}");
    }
    for text in ["12345678909", "f@example.com", "ltda s.a"] {
        let found = names(&server, &root, &format!("search={text}")).await;
        assert_eq!(found, [""; 0], "{text}");
    }
}

#[actix_web::test]
async fn one_company_is_shown_with_people_payments_and_months_and_the_look_is_audited() {
    let (server, root, ana, azul) = companies().await;
    let invite = format!("/api/companies/{azul}/invite");
    let body = json!({"userEmail": "bia@exmaple.com", "role": "finance"});
    server.post_as(&ana, &invite, &body).await.data(201);
    let shown = server.get_as(&root, &format!("{COMPANIES}/{azul}")).await;
    let company = &shown.data(200)["company"];
    assert_eq!(company["invites"][0]["userEmail"], "bia@exmaple.com", "the slip is seen");
    assert_eq!((&company["name"], &company["createdBy"]), (&json!("Estação Azul"), &json!(ana.id)));
    assert_eq!(company["members"][0]["userEmail"], "ana@example.com");
    assert_eq!(company["running"]["plan"]["name"], "essencial");
    assert_eq!(company["creditBalance"], 0);
    assert_eq!(company["payments"].as_array().unwrap().len(), 3);
    let months = company["months"].as_array().unwrap();
    assert_eq!(months.len(), 12);
    // 21 November: began to pay 40 days ago, paid 10, 40 and 70 days ago.
    let expected = [
        json!({"month": "2026-09", "mrr": 0, "revenue": 0.5}),
        json!({"month": "2026-10", "mrr": 42.42, "revenue": 100}),
        json!({"month": "2026-11", "mrr": 42.42, "revenue": 127.25}),
    ];
    assert_eq!(months[9..], expected);
    let owner = server.database.owner().await;
    assert_eq!(audited(&owner, "company.read").await, [(azul.to_string(), vec![])]);
    let nothing = format!("{COMPANIES}/019e0000-0000-7000-8000-000000000000");
    server.get_as(&root, &nothing).await.refused(404, "NOT_FOUND");
}

#[actix_web::test]
async fn the_credit_of_a_company_without_a_subscription_is_shown() {
    let (server, root, ana, _) = companies().await;
    let branco = server.company(&ana, "Ponto Branco").await;
    let owner = server.database.owner().await;
    let (clock, now) = (server.database.db.clock(), server.database.db.clock().now());
    let add = "INSERT INTO credit_entries (id, company_id, kind, source, amount_cents, at) \
         VALUES ($1, $2, 'unapplied_payment', 'late', 9990, $3)";
    owner.execute(add, &[&clock.uuid(), &branco, &now]).await.unwrap();
    let shown = server.get_as(&root, &format!("{COMPANIES}/{branco}")).await;
    let company = &shown.data(200)["company"];
    assert_eq!((&company["running"], &company["creditBalance"]), (&Value::Null, &json!(99.9)));
}

#[actix_web::test]
async fn a_suspended_company_can_be_read_and_not_changed_and_its_members_hear_of_it() {
    let (server, root, ana, azul) = companies().await;
    let path = format!("{COMPANIES}/{azul}");
    let refused = server.put_as(&root, &path, &json!({"status": "suspended"})).await;
    refused.refused(422, "VALIDATION_ERROR");
    assert_eq!(refused.body["error"]["fields"], json!({"reason": "REQUIRED"}));

    let own = format!("company/{azul}");
    let mut live = server.live(&ana, &[json!({"channel": own}), json!({"channel": "user"})]).await;
    live.until("live").await;
    live.until("live").await;
    let body = json!({"status": "suspended", "reason": "Fraude em análise"});
    let suspended = server.put_as(&root, &path, &body).await;
    assert_eq!(suspended.data(200)["company"]["statusReason"], "Fraude em análise");
    let mut heard =
        [live.until("event").await.pop().unwrap(), live.until("event").await.pop().unwrap()];
    heard.sort_by_key(|event| event["name"].to_string());
    assert_eq!(heard[0]["name"], "company.updated");
    assert_eq!(heard[1]["name"], "membership.changed");
    assert!(heard.iter().all(|event| event["data"]["status"] == "suspended"), "{heard:?}");
    assert!(heard.iter().all(|event| !event.to_string().contains("Fraude")), "{heard:?}");

    let company = format!("/api/companies/{azul}");
    assert_eq!(server.get_as(&ana, &company).await.data(200)["company"]["status"], "suspended");
    let name = json!({"companyName": "Outra"});
    server.put_as(&ana, &company, &name).await.refused(403, "FORBIDDEN");
    let cancel = format!("/api/subscriptions/company/{azul}/cancel");
    server.post_as(&ana, &cancel, &json!({})).await.refused(403, "FORBIDDEN");

    let back = server.put_as(&root, &path, &json!({"status": "active"})).await;
    assert_eq!(back.data(200)["company"]["statusReason"], Value::Null);
    server.put_as(&ana, &company, &name).await.data(200);
    let owner = server.database.owner().await;
    let fields = ["status", "reason"].map(str::to_owned).to_vec();
    let entry = (azul.to_string(), fields);
    assert_eq!(audited(&owner, "company.edit").await[..2], [entry.clone(), entry]);
}

#[actix_web::test]
async fn an_edit_changes_what_it_names() {
    let (server, root, _, azul) = companies().await;
    let path = format!("{COMPANIES}/{azul}");
    let edited = server.put_as(&root, &path, &json!({"name": " Ponto Anil "})).await;
    assert_eq!(edited.data(200)["company"]["name"], "Ponto Anil");
    let described = server.put_as(&root, &path, &json!({"description": "Novo"})).await;
    assert_eq!(described.data(200)["company"]["description"], "Novo");
    let cleared = server.put_as(&root, &path, &json!({"description": ""})).await;
    assert_eq!(cleared.data(200)["company"]["description"], Value::Null);
    assert_eq!(cleared.data(200)["company"]["name"], "Ponto Anil");
    let wrong = json!({"name": "A", "description": "x".repeat(501), "reason": "x".repeat(501)});
    let refused = server.put_as(&root, &path, &wrong).await;
    let fields = json!({"name": "NAME_TOO_SHORT", "description": "TOO_LONG", "reason": "TOO_LONG"});
    assert_eq!(refused.body["error"]["fields"], fields);
}
