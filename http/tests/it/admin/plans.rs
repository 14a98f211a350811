//! Plans as platform admins create, edit and withdraw them.

use bipe_testkit::Person;
use serde_json::{Value, json};

use super::{admin, audited};
use crate::app::{TestApp, spawn_app};
use crate::live::company_of_ana;

const PLANS: &str = "/api/admin/plans";

fn body(name: &str) -> Value {
    json!({
        "displayName": name, "description": "Para testar.", "monthlyPrice": 79.9,
        "quarterlyPrice": 203.75, "yearlyPrice": 719.1, "features": ["Painel", "Suporte"],
        "limits": {"maxUsers": 20, "maxBeeping": -1}, "hierarchy": 2,
    })
}

async fn named(server: &TestApp, root: &Person, name: &str) -> Value {
    let listed = server.get_as(root, &format!("{PLANS}?status=all&limit=100")).await;
    let plans = listed.data(200)["plans"].as_array().unwrap().clone();
    plans.into_iter().find(|plan| plan["displayName"] == name).unwrap()
}

#[actix_web::test]
async fn a_plan_is_created_edited_and_withdrawn_and_the_audit_knows_the_fields() {
    let server = spawn_app().await;
    let root = admin(&server).await;
    let created = server.post_as(&root, PLANS, &body("Plano Ágil")).await;
    let plan = created.data(201)["plan"].clone();
    assert_eq!(plan["name"], "plano-agil");
    assert_eq!((&plan["monthlyPrice"], &plan["yearlyPrice"]), (&json!(79.9), &json!(719.1)));
    assert_eq!((&plan["status"], &plan["activeSubscriptions"]), (&json!("active"), &json!(0)));
    assert_eq!((&plan["isFree"], &plan["limits"]["maxBeeping"]), (&json!(false), &json!(-1)));

    let path = format!("{PLANS}/{}", plan["id"].as_str().unwrap());
    let mut changed = body("Plano Ágil");
    changed["monthlyPrice"] = json!(89);
    changed["isPopular"] = json!(true);
    let edited = server.put_as(&root, &path, &changed).await.data(200)["plan"].clone();
    assert_eq!((&edited["monthlyPrice"], &edited["isPopular"]), (&json!(89), &json!(true)));
    assert_eq!(server.get_as(&root, &path).await.data(200)["plan"], edited);
    // The same once more changes nothing.
    server.put_as(&root, &path, &changed).await.data(200);

    let status = format!("{path}/status");
    let off = server.put_as(&root, &status, &json!({"status": "inactive"})).await;
    assert_eq!(off.data(200)["plan"]["status"], "inactive");
    let sold = server.get("/api/subscriptions/plans").await.data(200)["plans"].to_string();
    assert!(!sold.contains("plano-agil"), "{sold}");

    let owner = server.database.owner().await;
    let id = plan["id"].as_str().unwrap().to_owned();
    assert_eq!(audited(&owner, "plan.create").await, [(id.clone(), vec![])]);
    let fields = ["isPopular", "monthlyPrice"].map(str::to_owned).to_vec();
    assert_eq!(audited(&owner, "plan.edit").await, [(id.clone(), fields)]);
    assert_eq!(audited(&owner, "plan.status").await, [(id, vec!["status".to_owned()])]);
}

#[actix_web::test]
async fn a_plan_that_is_created_inactive_is_not_on_sale() {
    let server = spawn_app().await;
    let root = admin(&server).await;
    let mut hidden = body("Plano Oculto");
    hidden["status"] = json!("inactive");
    let plan = server.post_as(&root, PLANS, &hidden).await.data(201)["plan"].clone();
    assert_eq!(plan["status"], "inactive");
    let path = format!("{PLANS}/{}", plan["id"].as_str().unwrap());
    assert_eq!(server.get_as(&root, &path).await.data(200)["plan"]["status"], "inactive");
    let sold = server.get("/api/subscriptions/plans").await.data(200)["plans"].to_string();
    assert!(!sold.contains("plano-oculto"), "{sold}");
    // An edit that does not speak of the status leaves it alone.
    let mut edited = body("Plano Oculto");
    edited["isPopular"] = json!(true);
    let kept = server.put_as(&root, &path, &edited).await;
    assert_eq!(kept.data(200)["plan"]["status"], "inactive");
    edited["status"] = json!("active");
    let shown = server.put_as(&root, &path, &edited).await;
    assert_eq!(shown.data(200)["plan"]["status"], "active");
    for unknown in [json!("archived"), json!(1)] {
        hidden["status"] = unknown;
        let refused = server.post_as(&root, PLANS, &hidden).await;
        refused.refused(422, "VALIDATION_ERROR");
        assert_eq!(refused.body["error"]["fields"], json!({"status": "INVALID"}));
    }
}

#[actix_web::test]
async fn the_list_is_filtered_counted_and_paged() {
    let server = spawn_app().await;
    let root = admin(&server).await;
    let enterprise = named(&server, &root, "Enterprise").await;
    let path = format!("{PLANS}/{}/status", enterprise["id"].as_str().unwrap());
    server.put_as(&root, &path, &json!({"status": "inactive"})).await.data(200);

    let names = |data: &Value| -> Vec<String> {
        let plans = data["plans"].as_array().unwrap().iter();
        plans.map(|plan| plan["displayName"].as_str().unwrap().to_owned()).collect()
    };
    let counts = json!({"active": 4, "total": 5});
    let active = server.get_as(&root, PLANS).await;
    assert_eq!(names(active.data(200)), ["Grátis", "Essencial", "Profissional", "Negócio"]);
    assert_eq!((&active.data(200)["total"], &active.data(200)["counts"]), (&json!(4), &counts));
    let empty = server.get_as(&root, &format!("{PLANS}?status=")).await;
    assert_eq!(empty.data(200), active.data(200));
    let inactive = server.get_as(&root, &format!("{PLANS}?status=inactive")).await;
    assert_eq!(names(inactive.data(200)), ["Enterprise"]);
    assert_eq!(inactive.data(200)["total"], 1);
    let second = server.get_as(&root, &format!("{PLANS}?status=all&limit=2&page=2")).await;
    assert_eq!(names(second.data(200)), ["Profissional", "Negócio"]);
    assert_eq!((&second.data(200)["total"], &second.data(200)["page"]), (&json!(5), &json!(2)));
    let beyond = server.get_as(&root, &format!("{PLANS}?status=all&page=9")).await;
    assert_eq!((names(beyond.data(200)), &beyond.data(200)["total"]), (vec![], &json!(5)));

    for query in ["status=off", "page=0", "limit=101"] {
        let refused = server.get_as(&root, &format!("{PLANS}?{query}")).await;
        refused.refused(422, "VALIDATION_ERROR");
        let field = query.split('=').next().unwrap();
        assert_eq!(refused.body["error"]["fields"][field], "INVALID", "{query}");
    }
    let unknown = format!("{PLANS}/019e0000-0000-7000-8000-000000000000");
    server.get_as(&root, &unknown).await.refused(404, "NOT_FOUND");
    server.put_as(&root, &unknown, &body("Ninguém")).await.refused(404, "NOT_FOUND");
}

#[actix_web::test]
async fn a_name_that_is_taken_is_refused_also_by_another_spelling() {
    let server = spawn_app().await;
    let root = admin(&server).await;
    server.post_as(&root, PLANS, &body("negocio")).await.refused(409, "PLAN_NAME_EXISTS");
    let essencial = named(&server, &root, "Essencial").await;
    let path = format!("{PLANS}/{}", essencial["id"].as_str().unwrap());
    server.put_as(&root, &path, &body("Profissional")).await.refused(409, "PLAN_NAME_EXISTS");
    assert_eq!(named(&server, &root, "Essencial").await, essencial);
}

#[actix_web::test]
async fn a_bad_plan_is_refused_field_by_field() {
    let server = spawn_app().await;
    let root = admin(&server).await;
    let mut wrong = body("");
    wrong["monthlyPrice"] = json!(1_000_000);
    wrong["yearlyPrice"] = json!(0.001);
    wrong["limits"]["maxUsers"] = json!(0);
    let refused = server.post_as(&root, PLANS, &wrong).await;
    refused.refused(422, "VALIDATION_ERROR");
    let fields = json!({"displayName": "REQUIRED", "monthlyPrice": "INVALID", "yearlyPrice": "INVALID",
        "limits.maxUsers": "INVALID"});
    assert_eq!(refused.body["error"]["fields"], fields);
}

#[actix_web::test]
async fn a_plan_edit_changes_no_running_subscription() {
    let server = spawn_app().await;
    let root = admin(&server).await;
    let (ana, company) = company_of_ana(&server).await;
    let plan = named(&server, &root, "Essencial").await;
    let owner = server.database.owner().await;
    // Written past the payment, which is not what this is about.
    owner
        .execute(
            "INSERT INTO subscriptions (id, company_id, plan_id, billing_cycle, price_cents, status, \
             anchor_local, month, paid_until_month, started_at, created_at, updated_at) \
             VALUES ($1, $2, $3::text::uuid, 'monthly', 4990, 'active', '2026-11-20 12:00:00', 0, 1, \
             '2026-11-20T15:00:00Z', now(), now())",
            &[&server.database.db.clock().uuid(), &company, &plan["id"].as_str().unwrap()],
        )
        .await
        .unwrap();
    assert_eq!(named(&server, &root, "Essencial").await["activeSubscriptions"], 1);
    let read = format!("/api/subscriptions/company/{company}");
    let before = server.get_as(&ana, &read).await.data(200)["subscription"].clone();

    let path = format!("{PLANS}/{}", plan["id"].as_str().unwrap());
    server.put_as(&root, &path, &body("Essencial")).await.data(200);
    let off = json!({"status": "inactive"});
    let off = server.put_as(&root, &format!("{path}/status"), &off).await;
    assert_eq!(off.data(200)["plan"]["activeSubscriptions"], 1);
    let after = server.get_as(&ana, &read).await.data(200)["subscription"].clone();
    for field in ["price", "status", "version", "nextBillingDate"] {
        assert_eq!(after[field], before[field], "{field}");
    }
    assert_eq!(after["price"], json!(49.9));
    assert_eq!(after["plan"]["monthlyPrice"], json!(79.9));
    let moved: i64 = owner.query_one("SELECT count(*) FROM movements", &[]).await.unwrap().get(0);
    assert_eq!(moved, 0, "a plan edit books no movement");
}

#[actix_web::test]
async fn everybody_who_looks_at_plans_hears_of_a_change() {
    let server = spawn_app().await;
    let root = admin(&server).await;
    let ana = server.person("ana@example.com").await;
    let mut live = server.live(&ana, &[json!({"channel": "plans"})]).await;
    live.until("live").await;
    let created = server.post_as(&root, PLANS, &body("Plano Novo")).await;
    let plan = created.data(201)["plan"].clone();
    let heard = live.until("event").await.pop().unwrap();
    assert_eq!((&heard["name"], &heard["key"]), (&json!("plan.updated"), &plan["id"]));
    assert_eq!(
        (&heard["data"]["name"], &heard["data"]["status"]),
        (&plan["name"], &plan["status"])
    );
    assert!(heard["data"].get("activeSubscriptions").is_none(), "{heard}");
    let path = format!("{PLANS}/{}/status", plan["id"].as_str().unwrap());
    server.put_as(&root, &path, &json!({"status": "inactive"})).await.data(200);
    let heard = live.until("event").await.pop().unwrap();
    assert_eq!(heard["data"]["status"], "inactive");
}
