//! A company's subscription over HTTP: what a choice answers, one effect per key.

use bipe_core::id::CompanyId;
use bipe_core::money::Cents;
use bipe_core::plan::BillingCycle;
use bipe_testkit::{Answer, Person};
use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::app::{TestApp, spawn_app};

/// A signed-in person of one company.
struct Client<'a> {
    app: &'a TestApp,
    person: Person,
    company: CompanyId,
}

impl Client<'_> {
    fn path(&self, rest: &str) -> String {
        format!("/api/subscriptions/company/{}{rest}", self.company)
    }

    async fn get(&self, rest: &str) -> Answer {
        self.app.get_as(&self.person, &self.path(rest)).await
    }

    async fn post(&self, rest: &str, body: &Value) -> Answer {
        self.app.post_as(&self.person, &self.path(rest), body).await
    }

    async fn keyed(&self, rest: &str, body: &Value, key: &str) -> Answer {
        self.app.post_with_key(&self.person, &self.path(rest), key, body).await
    }

    /// Lets time pass; the tokens of before are too old by then.
    async fn wait(&mut self, seconds: u32) {
        self.app.app.clock.advance(seconds);
        self.person.token = self.app.token(&self.person).await;
    }

    /// A choice of a plan by its slug.
    async fn choice(&self, plan: &str, cycle: &str) -> Value {
        json!({"planId": plan_id(self.app, plan).await, "billingCycle": cycle})
    }

    async fn buy(&self, plan: &str, cycle: BillingCycle) -> Cents {
        let plan_id = plan_id(self.app, plan).await.parse().unwrap();
        self.app.buy(self.company, plan_id, cycle).await
    }

    async fn choose(&self, rest: &str, plan: &str, cycle: &str) -> Answer {
        let body = self.choice(plan, cycle).await;
        self.post(rest, &body).await
    }
}

async fn plan_id(app: &TestApp, slug: &str) -> String {
    let answer = app.get("/api/subscriptions/plans").await;
    let plans = answer.data(200)["plans"].as_array().unwrap();
    let plan = plans.iter().find(|plan| plan["name"] == slug).unwrap();
    plan["id"].as_str().unwrap().to_owned()
}

/// A new company, and a person with that role in it.
async fn member<'a>(app: &'a TestApp, role: &str) -> Client<'a> {
    let owner = app.person(&format!("dona-{role}@example.com")).await;
    let company = app.company(&owner, "Ponto Norte").await;
    if role == "admin" {
        return Client { app, person: owner, company };
    }
    let person = app.person(&format!("{role}@example.com")).await;
    app.join(&person, company, role).await;
    Client { app, person, company }
}

#[actix_web::test]
async fn a_company_without_a_subscription_answers_not_found() {
    let app = spawn_app().await;
    let client = member(&app, "operator").await;
    client.get("").await.refused(404, "NOT_FOUND");
    let history = client.get("/history").await;
    assert_eq!(*history.data(200), json!({"history": [], "total": 0, "page": 1}));
}

#[actix_web::test]
async fn a_paid_plan_answers_what_is_due_until_its_payment_has_created_it() {
    let app = spawn_app().await;
    let client = member(&app, "admin").await;
    let refused = client.choose("", "essencial", "quarterly").await;
    refused.refused(402, "PAYMENT_REQUIRED");
    assert_eq!(refused.body["error"]["fields"], json!({"expected": 12_725}));
    assert_eq!(client.buy("essencial", BillingCycle::Quarterly).await, Cents(12_725));
    let created = client.choose("", "essencial", "quarterly").await;
    let subscription = &created.data(201)["subscription"];
    assert_eq!(subscription["status"], "active");
    assert_eq!(subscription["price"], json!(127.25));
    assert_eq!(subscription["billingCycle"], "quarterly");
    assert_eq!(subscription["nextBillingDate"], "2027-02-21T15:00:00Z");
    assert_eq!(subscription["creditBalance"], json!(0));
    assert_eq!(subscription["companyId"], json!(client.company));
    assert_eq!(client.get("").await.data(200)["subscription"], *subscription);
    let history = client.get("/history?limit=1").await;
    let line = &history.data(200)["history"][0];
    assert_eq!((&line["type"], &line["amount"]), (&json!("activated"), &json!(127.25)));
    assert_eq!(line["planName"], "Essencial");
    let behind = client.get("/history?page=9").await;
    assert_eq!(*behind.data(200), json!({"history": [], "total": 1, "page": 9}));
}

#[actix_web::test]
async fn a_preview_quotes_in_reais_and_changes_nothing() {
    let app = spawn_app().await;
    let client = member(&app, "finance").await;
    let answer = client.choose("/preview-change", "profissional", "yearly").await;
    let preview = &answer.data(200)["preview"];
    assert_eq!(preview["changeType"], "creation");
    assert_eq!(preview["description"], "Nova assinatura do plano Profissional");
    assert_eq!(preview["currency"], "brl");
    assert_eq!(preview["expiresAt"], "2026-11-21T15:15:00Z");
    assert_eq!(preview["newPlan"]["name"], "Profissional");
    assert_eq!(preview["newPlan"]["price"], json!(899.1));
    assert_eq!(preview.get("currentPlan"), None);
    assert_eq!(
        preview["billing"],
        json!({
            "proratedCharge": 899.1, "proratedCredit": 0, "proratedRefund": 0, "amountDue": 899.1,
            "effectiveDate": "2026-11-21T15:00:00Z", "nextBillingDate": "2027-11-21T15:00:00Z",
            "lines": [{"kind": "plan", "amount": 899.1}],
        })
    );
    assert_eq!(preview["savings"], json!({"annually": 299.7}));
    assert_eq!(preview["warnings"], json!([]));
    client.get("").await.refused(404, "NOT_FOUND");
}

#[actix_web::test]
async fn a_wrong_body_names_its_fields_and_changes_nothing() {
    let app = spawn_app().await;
    let client = member(&app, "admin").await;
    let wrong = client.post("", &json!({"planId": "x", "billingCycle": "weekly"})).await;
    wrong.refused(422, "VALIDATION_ERROR");
    let fields = json!({"planId": "INVALID", "billingCycle": "INVALID"});
    assert_eq!(wrong.body["error"]["fields"], fields);
    let mut typo = client.choice("gratis", "monthly").await;
    typo["effectiveDat"] = json!("2026-12-01");
    client.post("/downgrade", &typo).await.refused(422, "VALIDATION_ERROR");
    client.post("", &json!({"planId": "x"})).await.refused(422, "VALIDATION_ERROR");
    let unknown = json!({"planId": app.app.clock.uuid(), "billingCycle": "monthly"});
    client.post("", &unknown).await.refused(404, "NOT_FOUND");
    client.choose("", "enterprise", "monthly").await.refused(409, "PLAN_NOT_AVAILABLE");
    client.get("/history?limit=101").await.refused(422, "VALIDATION_ERROR");
    client.get("").await.refused(404, "NOT_FOUND");
}

#[actix_web::test]
async fn a_repeated_key_has_one_effect_and_one_answer() {
    let app = spawn_app().await;
    let mut client = member(&app, "admin").await;
    let paid = client.choice("essencial", "monthly").await;
    let first = client.keyed("", &paid, "one").await;
    first.refused(402, "PAYMENT_REQUIRED");
    client.buy("essencial", BillingCycle::Monthly).await;
    let replayed = client.keyed("", &paid, "one").await;
    replayed.refused(402, "PAYMENT_REQUIRED");
    assert_eq!(replayed.headers["idempotent-replayed"], "true");
    assert_eq!(replayed.body["error"]["fields"], first.body["error"]["fields"]);

    let created = client.keyed("", &paid, "two").await;
    assert_eq!(created.headers.get("idempotent-replayed"), None);
    client.wait(40 * 86_400).await;
    let again = client.keyed("", &paid, "two").await;
    assert_eq!(again.headers["idempotent-replayed"], "true");
    assert_eq!(again.data(201), created.data(201));
    let other = client.choice("profissional", "monthly").await;
    client.keyed("", &other, "two").await.refused(422, "IDEMPOTENCY_KEY_REUSED");
    client.keyed("/upgrade", &paid, "two").await.refused(422, "IDEMPOTENCY_KEY_REUSED");
}

#[actix_web::test]
async fn commands_with_keys_of_one_company_take_turns() {
    let app = spawn_app().await;
    let client = member(&app, "admin").await;
    client.buy("profissional", BillingCycle::Monthly).await;
    let lower = client.choice("essencial", "monthly").await;
    for round in 0..3 {
        let keys: Vec<String> = (0..6).map(|n| format!("tab-{round}-{n}")).collect();
        let calls = keys.iter().map(|key| client.keyed("/downgrade", &lower, key));
        for answer in join_all(calls).await {
            assert_eq!(answer.status, 200, "{}", answer.text);
        }
    }
    let history = client.get("/history").await;
    assert_eq!(history.data(200)["total"], 2, "the downgrade was scheduled once");
}

#[actix_web::test]
async fn a_subscription_walks_through_its_commands() {
    let app = spawn_app().await;
    let mut client = member(&app, "admin").await;
    client.buy("profissional", BillingCycle::Monthly).await;
    client.wait(86_400).await;

    let upgrade = client.choose("/upgrade", "negocio", "monthly").await;
    upgrade.refused(402, "PAYMENT_REQUIRED");
    client.choose("/upgrade", "essencial", "monthly").await.refused(409, "CHANGE_NOT_ALLOWED");

    let mut lower = client.choice("essencial", "monthly").await;
    lower["effectiveDate"] = json!("2026-12-20");
    client.post("/downgrade", &lower).await.refused(422, "VALIDATION_ERROR");
    lower["effectiveDate"] = json!("2026-12-21");
    let scheduled = client.post("/downgrade", &lower).await;
    let pending = &scheduled.data(200)["subscription"]["pendingChange"];
    assert_eq!(pending["planName"], "Essencial");
    assert_eq!(pending["effectiveDate"], "2026-12-21T15:00:00Z");
    let history = client.get("/history?limit=1").await;
    let line = &history.data(200)["history"][0];
    assert_eq!(
        (&line["type"], &line["planName"]),
        (&json!("downgrade_scheduled"), &json!("Essencial")),
        "where it leads"
    );
    let withdrawn = app.delete_as(&client.person, &client.path("/pending-change")).await;
    assert_eq!(withdrawn.data(200)["subscription"].get("pendingChange"), None);

    let canceled = client.post("/cancel", &json!({"reason": "  Mudança de ramo "})).await;
    let subscription = &canceled.data(200)["subscription"];
    assert_eq!(
        (&subscription["status"], &subscription["cancelReason"]),
        (&json!("canceled"), &json!("Mudança de ramo"))
    );
    assert_eq!(
        (&subscription["endDate"], &subscription["daysUntilExpiry"]),
        (&json!("2026-12-21T15:00:00Z"), &json!(29))
    );
    let long = json!({"reason": "x".repeat(501)});
    client.post("/cancel", &long).await.refused(422, "VALIDATION_ERROR");

    let renew = client.post("/renew", &json!({})).await;
    assert_eq!(renew.data(200)["subscription"]["status"], "active");
    let early = client.post("/cancel-robust", &json!({"effectiveDate": "2026-11-30"})).await;
    assert_eq!(early.data(200)["subscription"]["endDate"], "2026-12-01T02:59:59Z");
    let now = client.post("/cancel-robust", &json!({"effectiveDate": "immediate"})).await;
    let subscription = &now.data(200)["subscription"];
    // 29 of 30 days are left of R$ 99,90
    assert_eq!(
        (&subscription["status"], &subscription["creditBalance"]),
        (&json!("expired"), &json!(96.57))
    );
    client.post("/cancel", &json!({})).await.refused(409, "SUBSCRIPTION_NOT_ACTIVE");
}

#[actix_web::test]
async fn what_has_ended_is_offered_again_while_its_plan_is_sold() {
    let app = spawn_app().await;
    let client = member(&app, "admin").await;
    client.buy("profissional", BillingCycle::Monthly).await;
    client.post("/cancel-robust", &json!({"effectiveDate": "immediate"})).await.data(200);
    let ended = client.get("").await;
    assert_eq!(ended.data(200)["subscription"]["state"]["action"], "pay");
    let owner = app.database.owner().await;
    owner.batch_execute("UPDATE plans SET status = 'inactive' WHERE NOT is_free").await.unwrap();
    let off_sale = client.get("").await;
    assert_eq!(off_sale.data(200)["subscription"]["state"].get("action"), None);
    client.post("/renew", &json!({})).await.refused(409, "PLAN_NOT_AVAILABLE");
}
