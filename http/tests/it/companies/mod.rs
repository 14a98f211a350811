//! Companies: creating, reading, editing, ending, and what others learn of them.

mod audit;
mod billing_profile;
mod invites;
mod limits;
mod live;
mod members;
mod waiting_mails;

use bipe_core::id::CompanyId;
use bipe_testkit::PASSWORD;
use serde_json::json;

use crate::app::{TestApp, spawn_app};

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
    assert_eq!(
        detail["stats"],
        json!({"total": 1, "active": 1, "admins": 1, "operators": 0, "finance": 0})
    );
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
async fn a_wrong_body_is_looked_at_only_after_the_role_of_the_caller() {
    let server = spawn_app().await;
    let ana = server.person("ana@example.com").await;
    let (bob, eve) =
        (server.person("bob@example.com").await, server.person("eve@example.com").await);
    let company = server.company(&ana, "Ponto Azul").await;
    server.join(&bob, company, "operator").await;
    let path = format!("/api/companies/{company}");
    let subscription = format!("/api/subscriptions/company/{company}");
    let puts = ["", "/users/role", "/billing-profile"].map(|rest| format!("{path}{rest}"));
    let commands = ["", "/preview-change", "/upgrade", "/downgrade", "/cancel", "/cancel-robust"];
    let mut posts = commands.map(|rest| format!("{subscription}{rest}")).to_vec();
    posts.extend([format!("{path}/invite"), format!("/api/payments/methods/{company}")]);
    let wrong = json!({"companyName": 1, "userEmail": 1, "userId": 1, "version": "1", "planId": 1,
        "reason": 1, "paymentMethodId": 1});
    for (person, status, code) in
        [(&eve, 404, "NOT_FOUND"), (&bob, 403, "FORBIDDEN"), (&ana, 422, "VALIDATION_ERROR")]
    {
        for put in &puts {
            server.put_as(person, put, &wrong).await.refused(status, code);
        }
        for post in &posts {
            server.post_as(person, post, &wrong).await.refused(status, code);
        }
    }
}

#[actix_web::test]
async fn the_admins_of_a_company_alone_edit_it() {
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

#[actix_web::test]
async fn the_creator_alone_ends_a_company_and_nobody_finds_it_afterwards() {
    let server = spawn_app().await;
    let (ana, bob) =
        (server.person("ana@example.com").await, server.person("bob@example.com").await);
    let company = server.company(&ana, "Ponto Azul").await;
    server.join(&bob, company, "admin").await;
    let path = format!("/api/companies/{company}");
    let invite = json!({"userEmail": "eva@example.com", "role": "operator"});
    server.post_as(&ana, &format!("{path}/invite"), &invite).await.data(201);
    let token = server.invite_token("eva@example.com").await;
    server.delete_as(&bob, &path).await.refused(403, "FORBIDDEN");
    assert_eq!(server.delete_as(&ana, &path).await.status, 204);
    for person in [&ana, &bob] {
        server.get_as(person, &path).await.refused(404, "NOT_FOUND");
        assert_eq!(
            *server.get_as(person, "/api/companies").await.data(200),
            json!({"companies": []})
        );
    }
    server.delete_as(&ana, &path).await.refused(404, "NOT_FOUND");
    let preview = server.post("/api/companies/invite-preview", &json!({"token": token})).await;
    preview.refused(404, "INVITE_INVALID");
}

#[actix_web::test]
async fn a_company_with_a_paid_plan_or_money_on_its_way_stays() {
    let mut shop = crate::payments::shop::Shop::open().await;
    let path = format!("/api/companies/{}", shop.company);
    let (payment, _) = shop.begin(&shop.pix()).await;
    let refused = shop.server.delete_as(&shop.ana, &path).await;
    refused.refused(409, "COMPANY_HAS_ACTIVE_SUBSCRIPTION");
    shop.settle(&payment, "succeeded").await;
    shop.pass(1).await;
    let refused = shop.server.delete_as(&shop.ana, &path).await;
    refused.refused(409, "COMPANY_HAS_ACTIVE_SUBSCRIPTION");
    let cancel = format!("/api/subscriptions/company/{}/cancel", shop.company);
    let cancelled = shop.server.post_as(&shop.ana, &cancel, &json!({"reason": "fim"})).await;
    cancelled.data(200);
    // It runs until its end; ended at once, it holds nothing any more.
    let refused = shop.server.delete_as(&shop.ana, &path).await;
    refused.refused(409, "COMPANY_HAS_ACTIVE_SUBSCRIPTION");
    let at_once = json!({"effectiveDate": "immediate"});
    shop.server.post_as(&shop.ana, &format!("{cancel}-robust"), &at_once).await.data(200);
    assert_eq!(shop.server.delete_as(&shop.ana, &path).await.status, 204);
    assert_eq!(shop.number("SELECT count(*) FROM payments").await, 1, "what must be kept stays");
}

#[actix_web::test]
async fn a_free_plan_ends_with_its_company_however_it_ends() {
    for by_erasure in [false, true] {
        let shop = crate::payments::shop::Shop::open().await;
        let free = "SELECT id::text FROM plans WHERE is_free";
        let plan = shop.texts(free).await.remove(0);
        let subscribe = json!({"planId": plan, "billingCycle": "monthly"});
        let path = format!("/api/subscriptions/company/{}", shop.company);
        shop.server.post_as(&shop.ana, &path, &subscribe).await.data(201);
        let active = "SELECT count(*) FROM subscriptions WHERE status = 'active'";
        let counted = "SELECT sum(step)::bigint FROM head_counts WHERE noun = 'subscriptions'";
        assert_eq!((shop.number(active).await, shop.number(counted).await), (1, 1));
        if by_erasure {
            let leave = reqwest::Client::new().delete(shop.server.url("/api/auth/me"));
            let leave = leave.bearer_auth(&shop.ana.token).json(&json!({"password": PASSWORD}));
            assert_eq!(leave.send().await.unwrap().status(), 204);
        } else {
            let path = format!("/api/companies/{}", shop.company);
            assert_eq!(shop.server.delete_as(&shop.ana, &path).await.status, 204);
        }
        assert_eq!((shop.number(active).await, shop.number(counted).await), (0, 0));
    }
}

#[actix_web::test]
async fn a_free_plan_that_has_just_begun_ends_with_its_company() {
    let mut shop = crate::payments::shop::Shop::open().await;
    let (payment, _) = shop.begin(&shop.pix()).await;
    shop.settle(&payment, "succeeded").await;
    shop.server.run().await;
    let free = shop.texts("SELECT id::text FROM plans WHERE is_free").await.remove(0);
    let path = format!("/api/subscriptions/company/{}/downgrade", shop.company);
    let lower = json!({"planId": free, "billingCycle": "monthly"});
    shop.server.post_as(&shop.ana, &path, &lower).await.data(200);
    // Its day has come, and no job has looked at it.
    shop.server.app.clock.advance(31 * 86_400);
    shop.ana.token = shop.server.token(&shop.ana).await;
    let path = format!("/api/companies/{}", shop.company);
    assert_eq!(shop.server.delete_as(&shop.ana, &path).await.status, 204);
    shop.server.run().await;
    assert_eq!(shop.texts("SELECT status FROM subscriptions").await, ["expired"]);
}

impl TestApp {
    /// The token of the newest invitation that was mailed to the address.
    pub async fn invite_token(&self, email: &str) -> String {
        let mails = self.mails(email).await;
        let text = mails[0]["text"].as_str().unwrap();
        let link = text.lines().find(|line| line.contains("/accept-invite?token=")).unwrap();
        link.split_once("token=").unwrap().1.to_owned()
    }

    /// What was mailed to the address, newest first.
    pub async fn mails(&self, email: &str) -> Vec<serde_json::Value> {
        assert_eq!(self.post("/dev/jobs/run", &json!({})).await.status, 200);
        let mailbox = self.get(&format!("/dev/mailbox.json?to={email}")).await;
        mailbox.body["messages"].as_array().unwrap().clone()
    }

    /// How many people the company's plan allows.
    pub async fn allow(&self, company: CompanyId, seats: i32) {
        let owner = self.database.owner().await;
        let sql = "UPDATE companies SET max_users = $2 WHERE id = $1";
        owner.execute(sql, &[&company, &seats]).await.unwrap();
    }

    /// Actions of the audit on the company in the order in which they were appended, each with its target.
    pub async fn audited(&self, company: CompanyId) -> Vec<(String, Option<String>)> {
        let owner = self.database.owner().await;
        let sql = "SELECT action, target FROM audit_entries WHERE company_id = $1 ORDER BY ctid";
        let rows = owner.query(sql, &[&company]).await.unwrap();
        rows.iter().map(|row| (row.get(0), row.get(1))).collect()
    }
}
