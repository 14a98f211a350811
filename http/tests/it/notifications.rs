//! What people are told of their companies: once, by role, live in every tab, for as long and as far as they want.

use bipe_testkit::Person;
use serde_json::{Value, json};

use crate::live_client::Client;
use crate::payments::shop::Shop;

const PATH: &str = "/api/notifications";
const READ: &str = "/api/notifications/read";
const PREFERENCES: &str = "/api/notifications/preferences";

/// A shop with somebody in each role.
struct Team {
    shop: Shop,
    fabi: Person,
    otto: Person,
}

impl Team {
    async fn open() -> Self {
        let shop = Shop::open().await;
        let fabi = shop.server.person("fabi@example.com").await;
        let otto = shop.server.person("otto@example.com").await;
        shop.server.join(&fabi, shop.company, "finance").await;
        shop.server.join(&otto, shop.company, "operator").await;
        Self { shop, fabi, otto }
    }

    async fn told(&self, who: &Person) -> Vec<Value> {
        let answer = self.shop.server.get_as(who, PATH).await;
        answer.data(200)["notifications"].as_array().unwrap().clone()
    }

    async fn topics(&self, who: &Person) -> Vec<String> {
        let told = self.told(who).await;
        told.iter().map(|row| row["topic"].as_str().unwrap().to_owned()).collect()
    }

    async fn unread(&self, who: &Person) -> i64 {
        self.shop.server.get_as(who, PATH).await.data(200)["unread"].as_i64().unwrap()
    }

    async fn own(&self, who: &Person) -> Client {
        let mut page = self.shop.server.live(who, &[json!({"channel": "user"})]).await;
        page.until("live").await;
        page
    }

    async fn wants(&self, who: &Person, kind: &str, screen: bool, email: bool) {
        let wanted = json!({"kind": kind, "screen": screen, "email": email});
        let body = json!({"preferences": [wanted]});
        self.shop.server.put_as(who, PREFERENCES, &body).await.data(200);
    }

    /// The order of what is told is that of its instants.
    fn tick(&self) {
        self.shop.server.database.db.clock().advance(1);
    }

    async fn pay(&self) -> Value {
        self.tick();
        let (payment, _) = self.shop.begin(&self.shop.pix()).await;
        self.shop.settle(&payment, "succeeded").await;
        self.shop.server.run().await;
        payment
    }

    async fn let_expire(&self) -> Value {
        self.tick();
        let (payment, _) = self.shop.begin(&self.shop.pix()).await;
        self.shop.settle(&payment, "expired").await;
        self.shop.server.run().await;
        payment
    }

    /// Subjects of all mail so far.
    async fn mail_to(&self, who: &Person) -> Vec<String> {
        let db = &self.shop.server.database.db;
        let mail = bipe_core::mailer::mailbox(db, Some(&who.email)).await.unwrap();
        mail.into_iter().map(|mail| mail.subject).collect()
    }
}

#[actix_web::test]
async fn a_payment_is_told_once_to_those_who_may_see_money() {
    let team = Team::open().await;
    let mut page = team.own(&team.fabi).await;
    let payment = team.pay().await;
    team.shop.server.run().await;
    let heard = page.event("notification.created").await;
    let expected = json!({
        "topic": "payment.approved", "companyId": team.shop.company, "companyName": "Ponto Central",
        "planName": "Profissional", "amount": 9990, "paymentId": payment["id"], "isRead": false,
        "at": heard["data"]["at"], "id": heard["data"]["id"],
    });
    assert_eq!(heard["data"], expected);
    assert_eq!(heard["key"], heard["data"]["id"]);
    for who in [&team.shop.ana, &team.fabi] {
        assert_eq!(team.told(who).await, std::slice::from_ref(&expected), "{}", who.email);
        assert_eq!(team.unread(who).await, 1);
    }
    assert_eq!(team.told(&team.otto).await, Vec::<Value>::new());
    let rows = "SELECT count(*) FROM notifications";
    assert_eq!(team.shop.number(rows).await, 2);
    let operators = format!("SELECT count(*) FROM events WHERE channel = 'user/{}'", team.otto.id);
    assert_eq!(team.shop.number(&operators).await, 0);
}

#[actix_web::test]
async fn what_is_read_in_one_tab_is_read_in_the_others_and_nobody_elses_is() {
    let team = Team::open().await;
    team.let_expire().await;
    team.pay().await;
    assert_eq!(team.topics(&team.fabi).await, ["payment.approved", "payment.expired"]);
    let mut pages = [team.own(&team.fabi).await, team.own(&team.fabi).await];
    let server = &team.shop.server;
    let oldest = team.told(&team.fabi).await[1]["id"].clone();
    let read = server.post_as(&team.fabi, READ, &json!({"ids": [oldest]})).await;
    assert_eq!(read.data(200), &json!({"unread": 1}));
    for page in &mut pages {
        let heard = page.event("notification.read").await;
        assert_eq!(heard["data"], json!({"ids": [oldest], "until": null, "unread": 1}));
    }
    let newest = team.told(&team.fabi).await[0]["id"].clone();
    let read = server.post_as(&team.fabi, READ, &json!({"until": newest})).await;
    assert_eq!(read.data(200), &json!({"unread": 0}));
    assert_eq!(team.told(&team.fabi).await[0]["isRead"], true);
    assert_eq!(team.unread(&team.shop.ana).await, 2, "another person's are as they were");

    // Somebody who was told nothing reads nothing, and nobody hears of it.
    let mut ana = team.own(&team.shop.ana).await;
    let eve = server.person("eve@example.com").await;
    let read = server.post_as(&eve, READ, &json!({"ids": [oldest, newest], "until": newest})).await;
    assert_eq!(read.data(200), &json!({"unread": 0}));
    assert_eq!(team.unread(&team.shop.ana).await, 2);
    server.post_as(&team.shop.ana, READ, &json!({"until": newest})).await.data(200);
    assert_eq!(ana.event("notification.read").await["data"]["unread"], 0);
    let many = vec![newest; 101];
    let refused = server.post_as(&eve, READ, &json!({"ids": many})).await;
    refused.refused(422, "VALIDATION_ERROR");
    assert_eq!(refused.body["error"]["fields"], json!({"ids": "TOO_LONG"}));
    let refused = server.post_as(&eve, READ, &json!({"ids": ["x"]})).await;
    assert_eq!(refused.body["error"]["fields"], json!({"ids[0]": "INVALID"}));
}

#[actix_web::test]
async fn a_list_goes_on_where_its_page_ended() {
    let team = Team::open().await;
    let insert = "INSERT INTO notifications (user_id, id, company_id, company_name, topic, source, at) \
         SELECT $1, ('019e0000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, $2, 'Ponto', 'plan.changed', \
         n::text, now() FROM generate_series(1, 45) n";
    team.shop.owner.execute(insert, &[&team.fabi.id, &team.shop.company]).await.unwrap();
    let (mut before, mut sizes, mut seen) = ("?before=".to_owned(), Vec::new(), Vec::new());
    loop {
        let page = team.shop.server.get_as(&team.fabi, &format!("{PATH}{before}")).await;
        let data = page.data(200).clone();
        assert_eq!(data["unread"], 45);
        let rows = data["notifications"].as_array().unwrap();
        sizes.push(rows.len());
        seen.extend(rows.iter().map(|row| row["id"].as_str().unwrap().to_owned()));
        if data["hasMore"] == false {
            break;
        }
        before = format!("?before={}", seen.last().unwrap());
    }
    assert_eq!(sizes, [20, 20, 5]);
    assert!(seen.is_sorted_by(|one, next| one > next), "newest first, each once");
    let refused = team.shop.server.get_as(&team.fabi, &format!("{PATH}?before=x")).await;
    refused.refused(422, "VALIDATION_ERROR");
    team.shop.server.get(PATH).await.refused(401, "UNAUTHORIZED");
}

#[actix_web::test]
async fn nobody_counts_more_than_a_hundred_unread_notifications() {
    let team = Team::open().await;
    let insert = "INSERT INTO notifications (user_id, id, company_id, company_name, topic, source, at) \
         SELECT $1, gen_random_uuid(), $2, 'Ponto', 'plan.changed', n::text, now() FROM generate_series(1, 101) n";
    team.shop.owner.execute(insert, &[&team.fabi.id, &team.shop.company]).await.unwrap();
    assert_eq!(team.unread(&team.fabi).await, 100);
}

#[actix_web::test]
async fn what_only_a_newer_build_knows_hides_nothing() {
    let team = Team::open().await;
    let newer = "INSERT INTO notifications (user_id, id, company_id, company_name, topic, source, at) VALUES \
         ($1, '019e0000-0000-7000-8000-000000000001', $2, 'Ponto', 'moon.landed', 'moon', now()), \
         ($1, '019e0000-0000-7000-8000-000000000002', $2, 'Ponto', 'plan.changed', 'plan', now())";
    team.shop.owner.execute(newer, &[&team.fabi.id, &team.shop.company]).await.unwrap();
    assert_eq!(team.topics(&team.fabi).await, ["plan.changed", "moon.landed"]);
    let newer = "INSERT INTO notification_preferences (user_id, kind, screen, email, updated_at) \
         VALUES ($1, 'moon', false, false, now())";
    team.shop.owner.execute(newer, &[&team.fabi.id]).await.unwrap();
    let chosen = team.shop.server.get_as(&team.fabi, PREFERENCES).await;
    assert_eq!(chosen.data(200)["preferences"].as_array().unwrap().len(), 7);
}

#[actix_web::test]
async fn a_kind_that_is_switched_off_is_neither_shown_nor_mailed() {
    let team = Team::open().await;
    let server = &team.shop.server;
    let asked = server.get_as(&team.shop.ana, PREFERENCES).await;
    let asked = asked.data(200)["preferences"].as_array().unwrap().clone();
    assert_eq!(asked.len(), 7);
    assert!(asked.iter().all(|kind| kind["screen"] == true && kind["email"] == true));
    team.wants(&team.shop.ana, "payment_refused", false, false).await;
    team.let_expire().await;
    assert_eq!(team.topics(&team.shop.ana).await, Vec::<String>::new());
    assert_eq!(team.topics(&team.fabi).await, ["payment.expired"]);
    let told = |subjects: Vec<String>| {
        let words = "O prazo do pagamento terminou";
        subjects.iter().filter(|subject| subject.starts_with(words)).count()
    };
    assert_eq!(told(team.mail_to(&team.shop.ana).await), 0);
    team.wants(&team.shop.ana, "payment_refused", true, true).await;
    team.let_expire().await;
    assert_eq!(team.topics(&team.shop.ana).await, ["payment.expired"]);
    assert_eq!(told(team.mail_to(&team.shop.ana).await), 1);

    let off = json!({"kind": "payment_approved", "screen": false, "email": false});
    let refused = server.put_as(&team.shop.ana, PREFERENCES, &json!({"preferences": [off]})).await;
    refused.refused(422, "VALIDATION_ERROR");
    assert_eq!(refused.body["error"]["fields"], json!({"preferences[0].email": "INVALID"}));
}

#[actix_web::test]
async fn a_reminder_is_mailed_to_the_next_who_may_pay_where_its_payer_wants_none() {
    let mut team = Team::open().await;
    team.pay().await;
    team.wants(&team.shop.ana, "subscription_due", true, false).await;
    team.shop.pass(30 * 86_400).await;
    team.fabi.token = team.shop.server.token(&team.fabi).await;
    assert_eq!(team.topics(&team.shop.ana).await.first().unwrap(), "renewal.due");
    assert_eq!(team.topics(&team.fabi).await.first().unwrap(), "renewal.due");
    let row = team.told(&team.fabi).await[0].clone();
    assert_eq!((&row["amount"], &row["planName"]), (&json!(9990), &json!("Profissional")));
    assert_eq!(row["deadline"], "2026-12-24T15:00:01Z");
    let due = "Pagamento em aberto: plano Profissional".to_owned();
    assert!(!team.mail_to(&team.shop.ana).await.contains(&due));
    assert!(team.mail_to(&team.fabi).await.contains(&due));
}

#[actix_web::test]
async fn people_are_told_of_their_own_memberships_and_have_read_what_they_did_themselves() {
    let team = Team::open().await;
    let (server, company) = (&team.shop.server, team.shop.company);
    team.pay().await;
    team.tick();
    let role = json!({"userId": team.otto.id, "role": "finance"});
    let roles = format!("/api/companies/{company}/users/role");
    server.put_as(&team.shop.ana, &roles, &role).await.data(200);
    let told = team.told(&team.otto).await;
    assert_eq!((&told[0]["topic"], &told[0]["role"]), (&json!("member.role"), &json!("finance")));
    team.tick();
    let out = format!("/api/companies/{company}/users/{}", team.otto.id);
    assert_eq!(server.delete_as(&team.shop.ana, &out).await.status, 204);
    assert_eq!(team.topics(&team.otto).await, ["member.removed", "member.role"]);
    assert_eq!(team.unread(&team.otto).await, 2);
    team.tick();
    let added = json!({"userEmail": team.otto.email, "role": "operator"});
    let invite = format!("/api/companies/{company}/invite");
    server.post_as(&team.shop.ana, &invite, &added).await.data(201);
    assert_eq!(team.topics(&team.otto).await.first().unwrap(), "member.added");

    team.tick();
    let cancel = format!("/api/subscriptions/company/{company}/cancel-robust");
    let now = json!({"effectiveDate": "immediate"});
    server.post_as(&team.shop.ana, &cancel, &now).await.data(200);
    let canceled = |rows: Vec<Value>| (rows[0]["topic"].clone(), rows[0]["isRead"].clone());
    let topic = json!("subscription.canceled");
    assert_eq!(canceled(team.told(&team.shop.ana).await), (topic.clone(), json!(true)));
    assert_eq!(canceled(team.told(&team.fabi).await), (topic, json!(false)));

    // The end of the company is all that is left of it.
    assert_eq!(
        server.delete_as(&team.shop.ana, &format!("/api/companies/{company}")).await.status,
        204
    );
    for who in [&team.shop.ana, &team.fabi, &team.otto] {
        assert_eq!(team.topics(who).await, ["company.ended"], "{}", who.email);
    }
    assert_eq!((team.unread(&team.shop.ana).await, team.unread(&team.fabi).await), (0, 1));
}
