//! Every frame that the server's own types write is one that the contract declares, and every frame that the contract
//! declares for clients is one that the server reads.

mod json_schema;

use std::collections::BTreeSet;

use bipe_actors::envelope::{self, Envelope, ErrorFrame, EventForms, ResetReason};
use bipe_core::Code;
use bipe_core::event::{Audience, Channel, Event, EventName};
use bipe_core::metrics::live;
use bipe_core::scope::JobScope;
use bipe_http::live::frame::{self, Retry, ServerFrame};
use bipe_http::live::snapshot;
use bipe_testkit::Person;
use serde_json::{Value, json};

use self::json_schema::Contract;
use crate::admin::admin;
use crate::payments::shop::Shop;

fn valid(contract: &Contract, envelope: &Envelope) -> Value {
    let frame: Value = serde_json::from_str(envelope.text()).unwrap();
    let refusal = contract.refusal("ServerFrame", &frame);
    assert_eq!(refusal, None, "{frame}");
    frame
}

/// Does at least once what leads to each event of a company, of a person and of the plans.
async fn busy_shop() -> (Shop, Person) {
    let shop = Shop::open().await;
    let server = &shop.server;
    let root = admin(server).await;
    let bia = server.person("bia@example.com").await;
    server.rename(&shop.ana, shop.company, "Ponto Vivo").await;
    let own = |tail: &str| format!("/api/companies/{}{tail}", shop.company);
    let invited = json!({"userEmail": "nova@example.com", "role": "finance"});
    let invited = server.post_as(&shop.ana, &own("/invite"), &invited).await;
    let invite = invited.data(201)["invite"]["id"].as_str().unwrap().to_owned();
    let gone = server.delete_as(&shop.ana, &own(&format!("/invites/{invite}"))).await;
    assert_eq!(gone.status, 204, "{}", gone.text);
    server.join(&bia, shop.company, "operator").await;
    let role = json!({"userId": bia.id, "role": "finance"});
    server.put_as(&shop.ana, &own("/users/role"), &role).await.data(200);
    let left = server.delete_as(&bia, &own(&format!("/users/{}", bia.id))).await;
    assert_eq!(left.status, 204, "{}", left.text);
    let short_lived = server.company(&bia, "Ponto Breve").await;
    let ended = server.delete_as(&bia, &format!("/api/companies/{short_lived}")).await;
    assert_eq!(ended.status, 204, "{}", ended.text);
    let (payment, _) = shop.begin(&shop.pix()).await;
    shop.settle(&payment, "succeeded").await;
    shop.server.run().await;
    let all = json!({"until": "ffffffff-ffff-7fff-bfff-ffffffffffff"});
    server.post_as(&shop.ana, "/api/notifications/read", &all).await.data(200);
    let status = format!("/api/admin/plans/{}/status", shop.plan);
    server.put_as(&root, &status, &json!({"status": "inactive"})).await.data(200);
    let promoted = format!("/api/admin/users/{}", bia.id);
    server.put_as(&root, &promoted, &json!({"role": "admin"})).await.data(200);
    let view = json!({"list": "payments", "name": "Recusados", "filters": {"status": "FAILED"}});
    server.post_as(&root, "/api/admin/views", &view).await.data(201);
    let out = json!({"refreshToken": bia.refresh_token});
    assert_eq!(server.post("/api/auth/logout", &out).await.status, 204);
    (shop, root)
}

/// All events so far, and the two that only a watcher of the platform's figures causes.
async fn events(shop: &Shop) -> Vec<Event> {
    let sql = "SELECT *, '7c1f' AS epoch FROM events";
    let rows = shop.owner.query(sql, &[]).await.unwrap();
    let mut events: Vec<Event> = rows.iter().map(|row| Event::try_from(row).unwrap()).collect();
    let db = &shop.server.database.db;
    let tx = db.figures_tx(&JobScope::of_test()).await.unwrap();
    let document = serde_json::to_string(&live::figures(&tx).await.unwrap()).unwrap();
    let activities = live::activities(&tx).await.unwrap().activities;
    tx.rollback().await.unwrap();
    let activity = serde_json::to_string(activities.first().unwrap()).unwrap();
    let like = events.first().unwrap().clone();
    for (channel, name, data) in [
        (Channel::AdminMetrics, EventName::MetricsUpdated, document),
        (Channel::AdminActivity, EventName::ActivityCreated, activity),
    ] {
        events.push(Event { channel, name: name.into(), data: data.into(), ..like.clone() });
    }
    events
}

#[actix_web::test]
async fn no_data_frame_differs_from_the_contract() {
    let contract = Contract::generated();
    let (shop, root) = busy_shop().await;
    let mut seen = BTreeSet::new();
    for event in events(&shop).await {
        seen.insert(event.name.as_str().to_owned());
        let forms = EventForms::of_event(&event).unwrap();
        for form in [&forms.full, forms.seen_by(Audience::Operators)] {
            valid(&contract, form);
            valid(&contract, &form.continuing(event.seq, event.seq - 3));
        }
    }
    let all: BTreeSet<String> =
        EventName::ALL.iter().map(|name| name.as_str().to_owned()).collect();
    assert_eq!(seen, all);
    let db = &shop.server.database.db;
    let channels = [
        Channel::Company(shop.company),
        Channel::User(root.id),
        Channel::Plans,
        Channel::AdminMetrics,
        Channel::AdminActivity,
    ];
    for channel in channels {
        let data = snapshot::of(db, &JobScope::of_test(), channel).await.unwrap();
        for data in [Some(data.full), data.restricted].into_iter().flatten() {
            valid(&contract, &envelope::snapshot(channel, "7c1f", 7, &data).unwrap());
        }
        valid(&contract, &envelope::live(channel, 7).unwrap());
        for reason in
            [ResetReason::Expired, ResetReason::Epoch, ResetReason::Ahead, ResetReason::Lagged]
        {
            valid(&contract, &envelope::reset(channel, reason).unwrap());
        }
    }
}

#[test]
fn no_frame_of_the_connection_differs_from_the_contract() {
    let contract = Contract::generated();
    let at = "2026-11-21T12:00:00Z".parse().unwrap();
    let retry = Retry { base_ms: 500, cap_ms: 30_000, spread_ms: 5_000 };
    let (resume, plans) = (String::from("r"), String::from("plans"));
    let frames = [
        ServerFrame::Welcome {
            id: 1,
            connection: "c9f2".into(),
            server_time: at,
            expires_at: at,
            resume: resume.clone(),
            heartbeat_ms: 20_000,
            window: 128,
            retry,
        },
        ServerFrame::Refreshed { id: 5, expires_at: at, resume: resume.clone() },
        ServerFrame::Heads { heads: vec![(plans.clone(), "7c1f".into(), 1051)] },
        ServerFrame::Ping { n: 17, resume: None },
        ServerFrame::Ping { n: 18, resume: Some(resume) },
        ServerFrame::Ok { id: 3 },
        ServerFrame::Unsubscribed { channel: plans.clone(), code: Code::Forbidden },
        ServerFrame::Drain { after_ms: 7_300 },
    ];
    let mut types: BTreeSet<String> =
        ["snapshot", "event", "live", "reset"].map(String::from).into();
    let type_of = |frame: Value| frame["type"].as_str().unwrap().to_owned();
    types.extend(frames.iter().map(|frame| type_of(valid(&contract, &frame.envelope()))));
    for channel in [None, Some(plans)] {
        let error = ErrorFrame { id: 2, code: Code::Forbidden, retry: false, channel };
        types.insert(type_of(valid(&contract, &error.envelope())));
    }
    let declared = contract.component("ServerFrame")["discriminator"]["mapping"].as_object();
    assert_eq!(types, declared.unwrap().keys().cloned().collect());
}

#[test]
fn no_frame_that_a_client_may_send_is_unreadable() {
    let contract = Contract::generated();
    let since = json!({"epoch": "7c1f", "seq": 1041});
    let wanted = json!([{"channel": "plans", "since": since}, {"channel": "user"}]);
    let sent = [
        json!({"type": "hello", "id": 1, "ticket": "t", "subscriptions": wanted}),
        json!({"type": "hello", "id": 1, "resume": "r"}),
        json!({"type": "subscribe", "id": 2, "channel": "plans"}),
        json!({"type": "unsubscribe", "id": 3, "channel": "plans"}),
        json!({"type": "sync", "id": 4, "channel": "plans", "since": since}),
        json!({"type": "refresh", "id": 5, "ticket": "t"}),
        json!({"type": "ack", "frames": 96}),
        json!({"type": "pong", "n": 17}),
    ];
    let mut types = BTreeSet::new();
    for frame in sent {
        assert_eq!(contract.refusal("ClientFrame", &frame), None, "{frame}");
        assert!(frame::parse(&frame.to_string()).is_some(), "{frame}");
        types.insert(frame["type"].as_str().unwrap().to_owned());
        let mut less = frame.clone();
        let required = if frame.get("id").is_some() { "id" } else { "type" };
        less.as_object_mut().unwrap().remove(required);
        assert!(contract.refusal("ClientFrame", &less).is_some(), "{less}");
        assert!(frame::parse(&less.to_string()).is_none(), "{less}");
    }
    let declared = contract.component("ClientFrame")["discriminator"]["mapping"].as_object();
    assert_eq!(types, declared.unwrap().keys().cloned().collect());
}
