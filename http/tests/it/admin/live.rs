//! The two live channels of platform admins over real sockets.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use bipe_core::id::CompanyId;
use bipe_core::testing::{count, figures};
use bipe_testkit::Person;
use serde_json::{Value, json};
use tokio::time::Instant;

use super::admin;
use crate::app::{TestApp, spawn_app, spawn_app_with};
use crate::live_client::Client;
use crate::payments::shop::Shop;

/// Polling ends here; nothing is measured by it.
const LONG: Duration = Duration::from_secs(60);
/// Random operations of a run of the suite, some fifteen of the rarest kinds; `BIPE_LIVE_OPERATIONS` asks for more.
const OPERATIONS: u32 = 150;

/// A socket of the admin with these channels, and the snapshots in the order of the names.
async fn watch<const N: usize>(
    server: &TestApp,
    root: &Person,
    names: [&str; N],
) -> (Client, [Value; N]) {
    let wanted = names.map(|name| json!({"channel": name}));
    let mut client = server.live(root, &wanted).await;
    let mut seen = Vec::new();
    for _ in 0..N {
        seen.extend(client.until("live").await);
    }
    let snapshot = |name: &str| {
        let is_it = |e: &&Value| e["type"] == "snapshot" && e["channel"] == name;
        seen.iter().find(is_it).unwrap_or_else(|| panic!("no snapshot of {name}: {seen:?}")).clone()
    };
    (client, names.map(snapshot))
}

async fn dashboard(server: &TestApp, root: &Person) -> Value {
    server.get_as(root, "/api/admin/analytics/dashboard").await.data(200).clone()
}

fn value(document: &Value, metric: &str) -> Value {
    document["data"]["metrics"][metric]["value"].clone()
}

/// The next document that was counted now: the clock of tests stands still.
async fn document_of_now(client: &mut Client, server: &TestApp) -> Value {
    let now = server.database.db.clock().now().to_string();
    loop {
        let document = client.event("metrics.updated").await;
        if document["at"] == now.as_str() {
            return document;
        }
    }
}

#[actix_web::test]
async fn a_payment_moves_mrr_on_an_admins_socket_and_puts_an_activity() {
    let shop = Shop::open().await;
    let root = admin(&shop.server).await;
    shop.server.database.db.clock().advance(1);
    let (mut page, [metrics, activity]) =
        watch(&shop.server, &root, ["admin/metrics", "admin/activity"]).await;
    assert_eq!(metrics["data"], dashboard(&shop.server, &root).await);
    assert_eq!(value(&metrics, "mrr"), json!(0));
    let list = shop.server.get_as(&root, "/api/admin/analytics/activity").await;
    assert_eq!(&activity["data"], list.data(200));

    let (payment, _) = shop.begin(&shop.pix()).await;
    shop.settle(&payment, "succeeded").await;
    shop.server.run().await;
    shop.server.database.db.clock().advance(1);
    // In no order with each other: they come on two channels.
    let (mut paid, mut moved) = (None, None);
    while paid.is_none() || moved.is_none() {
        let event = page.until("event").await.pop().unwrap();
        if event["channel"] == "admin/activity" && event["data"]["type"] == "payment" {
            paid = Some(event);
        } else if event["channel"] == "admin/metrics" && value(&event, "mrr") == json!(99.9) {
            moved = Some(event);
        }
    }
    let (paid, moved) = (paid.unwrap(), moved.unwrap());
    assert_eq!((&paid["name"], &paid["key"]), (&json!("activity.created"), &payment["id"]));
    let shown = shop.server.get_as(&root, "/api/admin/analytics/activity").await;
    let shown = shown.data(200)["activities"].as_array().unwrap().clone();
    assert!(shown.contains(&paid["data"]), "{paid} is not in {shown:?}");
    assert_eq!(moved["name"], "metrics.updated");
    assert_eq!(moved["data"], dashboard(&shop.server, &root).await);
}

#[actix_web::test]
async fn who_is_no_platform_admin_any_more_is_unsubscribed_from_both_channels() {
    let server = spawn_app().await;
    let root = admin(&server).await;
    let eva = server.person("eva@example.com").await;
    let path = format!("/api/admin/users/{}", eva.id);
    server.put_as(&root, &path, &json!({"role": "admin"})).await.data(200);
    let (mut page, _) = watch(&server, &eva, ["admin/metrics", "admin/activity"]).await;
    server.put_as(&root, &path, &json!({"role": "user"})).await.data(200);
    let mut closed = Vec::new();
    while closed.len() < 2 {
        let gone = page.until("unsubscribed").await.pop().unwrap();
        assert_eq!(gone["code"], "FORBIDDEN");
        closed.push(gone["channel"].as_str().unwrap().to_owned());
    }
    closed.sort();
    assert_eq!(closed, ["admin/activity", "admin/metrics"]);
    for channel in &closed {
        page.send(json!({"type": "subscribe", "id": 5, "channel": channel})).await;
        assert_eq!(page.until("error").await.pop().unwrap()["code"], "FORBIDDEN");
    }
}

/// Counts head checks, which come once a second, until three in a row had no figures read between them.
async fn falls_asleep(server: &TestApp) {
    let (deadline, mut quiet) = (Instant::now() + LONG, 0);
    while quiet < 3 {
        assert!(Instant::now() < deadline, "the stream still reads");
        for sql in server.database.db.take_statements() {
            if reads_figures(&sql) {
                quiet = 0;
            } else if sql.contains("FROM channel_heads") {
                quiet += 1;
            }
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

fn reads_figures(sql: &str) -> bool {
    sql.contains("FROM activity_spells") || sql.contains("FROM movements")
}

#[actix_web::test]
async fn a_stream_that_nobody_watches_asks_nothing_and_wakes_with_what_was_missed() {
    let server = spawn_app().await;
    let root = admin(&server).await;
    let (mut page, [metrics]) = watch(&server, &root, ["admin/metrics"]).await;
    server.company(&root, "Ponto Azul").await;
    server.database.db.clock().advance(1);
    let first = document_of_now(&mut page, &server).await;
    assert_eq!(value(&first, "totalCompanies"), json!(1));
    let deadline = Instant::now() + LONG;
    while !server.database.db.take_statements().iter().any(|sql| reads_figures(sql)) {
        assert!(Instant::now() < deadline, "an awake stream reads");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    page.send(json!({"type": "unsubscribe", "id": 2, "channel": "admin/metrics"})).await;
    page.until("ok").await;
    falls_asleep(&server).await;
    server.company(&root, "Ponto Verde").await;
    server.database.db.clock().advance(1);
    falls_asleep(&server).await;

    let since = json!({"epoch": metrics["epoch"], "seq": first["seq"]});
    page.send(json!({"type": "subscribe", "id": 3, "channel": "admin/metrics", "since": since}))
        .await;
    let missed = page.event("metrics.updated").await;
    assert_eq!(missed["seq"].as_i64(), first["seq"].as_i64().map(|seq| seq + 1));
    assert_eq!(value(&missed, "totalCompanies"), json!(2));
}

#[actix_web::test]
async fn a_page_that_moves_to_another_node_goes_on_where_it_was() {
    let one = spawn_app().await;
    let two = one.second().await;
    let root = admin(&one).await;
    one.database.db.clock().advance(1);
    let (mut here, [snapshot]) = watch(&one, &root, ["admin/metrics"]).await;
    let (mut there, _) = watch(&two, &root, ["admin/metrics"]).await;
    one.company(&root, "Ponto Azul").await;
    one.database.db.clock().advance(1);
    let (seen, also) =
        (document_of_now(&mut here, &one).await, document_of_now(&mut there, &two).await);
    assert_eq!(seen, also, "one document for both nodes");
    assert_eq!(value(&seen, "totalCompanies"), json!(1));
    drop(here);

    let since = json!({"epoch": snapshot["epoch"], "seq": seen["seq"]});
    let wanted = [json!({"channel": "admin/metrics", "since": since})];
    let mut moved = two.live(&root, &wanted).await;
    let answer = moved.until("live").await;
    assert!(answer.iter().all(|e| e["type"] == "live"), "nothing was missed: {answer:?}");
    two.company(&root, "Ponto Verde").await;
    one.database.db.clock().advance(1);
    let next = document_of_now(&mut moved, &two).await;
    assert_eq!(next["seq"].as_i64(), seen["seq"].as_i64().map(|seq| seq + 1));
    assert_eq!(next["data"], dashboard(&one, &root).await, "counted on the other node");
}

/// What the product was told to do, counted by the test itself.
#[derive(Default)]
struct Books {
    people: i64,
    /// Without a subscription.
    bare: Vec<CompanyId>,
    free: Vec<CompanyId>,
    paying: Vec<CompanyId>,
    /// Left; they may come back.
    ended: Vec<CompanyId>,
}

impl Books {
    fn expected(&self) -> [(&'static str, Value); 5] {
        let count = |list: &[CompanyId]| i64::try_from(list.len()).unwrap();
        let (free, paying) = (count(&self.free), count(&self.paying));
        let reais = |cents: i64| match cents % 100 {
            0 => json!(cents / 100),
            _ => serde_json::from_str(&format!("{}.{:02}", cents / 100, cents % 100)).unwrap(),
        };
        [
            ("totalUsers", json!(self.people)),
            ("totalCompanies", json!(count(&self.bare) + count(&self.ended) + free + paying)),
            ("totalSubscriptions", json!(free + paying)),
            ("mrr", reais(9_990 * paying)),
            ("arr", reais(119_880 * paying)),
        ]
    }

    async fn step(&mut self, shop: &mut Shop, free: &str, index: usize) {
        let clock = shop.server.database.db.clock().clone();
        let pick = |list: &mut Vec<CompanyId>| {
            let last = u32::try_from(list.len()).unwrap();
            (last > 0).then(|| list.swap_remove(usize::try_from(clock.below(last)).unwrap()))
        };
        match clock.below(10) {
            0..=2 => {
                let name = format!("Ponto {index}");
                self.bare.push(shop.server.company(&shop.ana, &name).await);
            }
            3 => {
                shop.server.person(&format!("pessoa{index}@example.com")).await;
                self.people += 1;
            }
            4..=5 => {
                let Some(company) = pick(&mut self.bare) else { return };
                let body = json!({"planId": free, "billingCycle": "monthly"});
                let path = format!("/api/subscriptions/company/{company}");
                shop.server.post_as(&shop.ana, &path, &body).await.data(201);
                self.free.push(company);
            }
            6..=7 => {
                let Some(company) = pick(&mut self.bare) else { return };
                shop.company = company;
                let (payment, _) = shop.begin(&shop.pix()).await;
                shop.settle(&payment, "succeeded").await;
                shop.server.run().await;
                self.paying.push(company);
            }
            8 => {
                let Some(company) = pick(&mut self.paying) else { return };
                let path = format!("/api/subscriptions/company/{company}/cancel-robust");
                let body = json!({"effectiveDate": "immediate"});
                shop.server.post_as(&shop.ana, &path, &body).await.data(200);
                self.ended.push(company);
            }
            _ => {
                let Some(company) = pick(&mut self.bare) else { return };
                let path = format!("/api/companies/{company}");
                assert_eq!(shop.server.delete_as(&shop.ana, &path).await.status, 204);
            }
        }
    }
}

#[actix_web::test]
async fn after_random_operations_the_last_document_equals_a_recount() {
    let operations = usize::try_from(count("BIPE_LIVE_OPERATIONS", OPERATIONS)).unwrap();
    let server = spawn_app_with(&["--rate-limits", "relaxed"]).await;
    let root = admin(&server).await;
    let ana = server.person("ana@example.com").await;
    let company = server.company(&ana, "Ponto Central").await;
    let plans = server.get("/api/subscriptions/plans").await.data(200)["plans"].clone();
    let plan = |name: &str| {
        let found = plans.as_array().unwrap().iter().find(|plan| plan["displayName"] == name);
        found.unwrap()["id"].as_str().unwrap().to_owned()
    };
    let free = plans.as_array().unwrap().iter().find(|plan| plan["monthlyPrice"] == json!(0));
    let free = free.unwrap()["id"].as_str().unwrap().to_owned();
    let owner = server.database.owner().await;
    let mut shop = Shop { ana, company, plan: plan("Profissional"), owner, server };
    let mut books = Books { people: 2, bare: vec![company], ..Books::default() };

    let (mut page, _) = watch(&shop.server, &root, ["admin/metrics"]).await;
    let documents = Rc::new(RefCell::new(Vec::<Value>::new()));
    let seen = documents.clone();
    let reading = actix_web::rt::spawn(async move {
        loop {
            let document = page.event("metrics.updated").await;
            seen.borrow_mut().push(document);
        }
    });
    // A session lives a quarter of an hour of this clock.
    let pace = (operations / 400).max(1);
    for index in 0..operations {
        books.step(&mut shop, &free, index).await;
        if index % pace == 0 {
            shop.server.database.db.clock().advance(1);
        }
    }
    books.bare.push(shop.server.company(&shop.ana, "Ponto Final").await);
    shop.server.database.db.clock().advance(1);
    let now = shop.server.database.db.clock().now().to_string();
    let deadline = Instant::now() + LONG;
    while documents.borrow().last().is_none_or(|last| last["at"] != now.as_str()) {
        assert!(Instant::now() < deadline && !reading.is_finished(), "no document of {now}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    reading.abort();
    let told =
        "SELECT count(*) FROM events WHERE name NOT IN ('metrics.updated', 'activity.created')";
    let told: i64 = shop.owner.query_one(told, &[]).await.unwrap().get(0);
    let looks = documents.borrow().len();
    let told = usize::try_from(told).unwrap();
    figures(&[("operations", operations), ("events", told), ("documents", looks)]);
    let documents = documents.take();
    let last = documents.last().unwrap();
    for (metric, expected) in books.expected() {
        assert_eq!(value(last, metric), expected, "{metric} of {last}");
    }
    assert_eq!(last["data"], dashboard(&shop.server, &root).await);
    // Each continues the one before; what was conflated says so.
    for pair in documents.windows(2) {
        let held = pair[1]["prev"].as_i64().or(pair[1]["seq"].as_i64().map(|seq| seq - 1));
        assert_eq!(held, pair[0]["seq"].as_i64());
        assert_ne!(pair[0]["at"], pair[1]["at"], "two of one instant are too close");
    }
}
