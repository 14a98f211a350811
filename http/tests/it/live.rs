//! rt.v1 over real sockets (docs/contract.md, "Live protocol").

use bipe_core::event::{Channel, EventName, NewEvent};
use bipe_core::id::CompanyId;
use bipe_core::scope::{CompanyScope, JobScope};
use bipe_http::Shutdown;
use bipe_testkit::{Person, kinds, seqs};
use futures_util::SinkExt;
use serde_json::{Value, json};
use tokio::time::{Duration, Instant, sleep_until};
use tokio_tungstenite::tungstenite::protocol::Message;
use tokio_tungstenite::tungstenite::protocol::frame::Frame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::{Data, OpCode};

use crate::app::{TestApp, spawn_app};
use crate::live_client::Client;

pub fn channel(company: CompanyId) -> String {
    format!("company/{company}")
}

pub async fn company_of_ana(app: &TestApp) -> (Person, CompanyId) {
    let ana = app.person("ana@example.com").await;
    let company = app.company(&ana, "Ponto Azul").await;
    (ana, company)
}

async fn emit(app: &TestApp, company: CompanyId, name: EventName, data: &Value) {
    let scope = CompanyScope::of_job(&JobScope::of_test(), company);
    let mut tx = app.database.db.company_tx(&scope).await.unwrap();
    tx.emit(NewEvent::new(Channel::Company(company), name, "k", data).unwrap());
    tx.commit().await.unwrap();
}

#[actix_web::test]
async fn a_socket_is_welcomed_gets_its_state_and_then_what_is_committed() {
    let app = spawn_app().await;
    let (ana, company) = company_of_ana(&app).await;
    let mut client = app.connect().await;
    let ticket = app.ticket(&ana).await;
    let channels =
        json!([{"channel": channel(company)}, {"channel": "user"}, {"channel": "plans"}]);
    client
        .send(json!({"type": "hello", "id": 7, "ticket": ticket, "subscriptions": channels}))
        .await;
    let welcome = client.until("welcome").await.pop().unwrap();
    assert_eq!((&welcome["id"], &welcome["heartbeatMs"]), (&json!(7), &json!(20_000)));
    assert_eq!(welcome["window"], 128);
    assert_eq!(welcome["retry"], json!({"baseMs": 500, "capMs": 30_000, "spreadMs": 5_000}));
    let mut snapshots = Vec::new();
    for _ in 0..3 {
        snapshots.extend(client.until("live").await);
    }
    let data = |name: &str| {
        let of = |e: &&Value| e["type"] == "snapshot" && e["channel"] == name;
        snapshots.iter().find(of).map(|e| e["data"].clone()).unwrap()
    };
    let of_company = data(&channel(company));
    assert_eq!(of_company["company"]["companyName"], "Ponto Azul");
    assert_eq!(of_company["company"]["users"][0]["userEmail"], "ana@example.com");
    assert_eq!(
        (&of_company["subscription"], &of_company["openPayments"]),
        (&json!(null), &json!([]))
    );
    assert_eq!(data("user")["userEmail"], "ana@example.com");
    let membership = json!([{"id": company, "name": "Ponto Azul", "role": "admin"}]);
    assert_eq!(data("user")["memberships"], membership);
    let document = data("user")["userDocument"].as_str().unwrap().to_owned();
    assert!(document.starts_with("***.") && document.ends_with("-**"), "{document}");
    assert!(!data("plans")["plans"].as_array().unwrap().is_empty());

    app.rename(&ana, company, "Beta").await;
    let event = client.until("event").await.pop().unwrap();
    assert_eq!(event["name"], "company.updated");
    assert_eq!(event["data"]["companyName"], "Beta");
    assert_eq!(event["key"], json!(company));
    assert!(event["cause"].is_string() && event["at"].is_string(), "{event}");
}

#[actix_web::test]
async fn a_reconnect_by_resume_replays_without_a_gap_and_without_a_query() {
    let app = spawn_app().await;
    let (ana, company) = company_of_ana(&app).await;
    let mut client = app.connect().await;
    let ticket = app.ticket(&ana).await;
    let channels = json!([{"channel": channel(company)}]);
    client
        .send(json!({"type": "hello", "id": 1, "ticket": ticket, "subscriptions": channels}))
        .await;
    let welcome = client.until("welcome").await.pop().unwrap();
    let snapshot = client.until("live").await.remove(0);
    let (epoch, seq) = (snapshot["epoch"].clone(), snapshot["seq"].as_i64().unwrap());
    drop(client);
    for n in 1..=20 {
        app.rename(&ana, company, &format!("Nome {n}")).await;
    }
    // Requests cannot get a connection any more: what follows asks the database nothing.
    let mut held = Vec::new();
    for _ in 0..12 {
        held.push(app.database.db.tx().await.unwrap());
    }
    let mut client = app.connect().await;
    let channels = json!([{"channel": channel(company), "since": {"epoch": epoch, "seq": seq}}]);
    let hello =
        json!({"type": "hello", "id": 2, "resume": welcome["resume"], "subscriptions": channels});
    client.send(hello).await;
    client.until("welcome").await;
    let answer = client.until("live").await;
    assert_eq!(seqs(&answer), (seq + 1..=seq + 20).collect::<Vec<_>>());
    assert_eq!(answer.last().unwrap()["seq"], seq + 20);
}

#[actix_web::test]
async fn sync_answers_what_is_missing_or_why_it_cannot() {
    let app = spawn_app().await;
    let (ana, company) = company_of_ana(&app).await;
    let mut client = app.live(&ana, &[json!({"channel": channel(company)})]).await;
    let answer = client.until("live").await;
    let (epoch, seq) = (answer[0]["epoch"].clone(), answer[0]["seq"].as_i64().unwrap());
    app.rename(&ana, company, "Beta").await;
    client.until("event").await;
    let mut ask = async |since: Value| {
        client
            .send(json!({"type": "sync", "id": 4, "channel": channel(company), "since": since}))
            .await;
        client.until("live").await
    };
    let missing = ask(json!({"epoch": epoch, "seq": seq})).await;
    assert_eq!((kinds(&missing), seqs(&missing)), (vec!["event", "live"], vec![seq + 1]));
    for (since, reason) in [
        (json!({"epoch": "ffff", "seq": seq}), "epoch"),
        (json!({"epoch": epoch, "seq": seq + 900}), "ahead"),
        (json!({"epoch": epoch, "seq": -5}), "expired"),
    ] {
        let answer = ask(since).await;
        assert_eq!(kinds(&answer)[..2], ["reset", "snapshot"]);
        assert_eq!(answer[0]["reason"], reason);
    }
    let answer = ask(Value::Null).await;
    assert_eq!(kinds(&answer)[0], "snapshot");
}

#[actix_web::test]
async fn an_operator_gets_the_same_sequence_without_finance_data() {
    let app = spawn_app().await;
    let (ana, company) = company_of_ana(&app).await;
    let otto = app.person("otto@example.com").await;
    app.join(&otto, company, "operator").await;
    let wanted = [json!({"channel": channel(company)})];
    let (mut admin, mut operator) = (app.live(&ana, &wanted).await, app.live(&otto, &wanted).await);
    assert!(admin.until("live").await[0]["data"]["openPayments"].is_array());
    assert!(operator.until("live").await[0]["data"].get("openPayments").is_none());
    emit(&app, company, EventName::PaymentUpdated, &json!({"id": "p", "amount": 9990})).await;
    let seen = admin.until("event").await.pop().unwrap();
    let hidden = operator.until("event").await.pop().unwrap();
    assert_eq!(seen["data"]["amount"], 9990);
    assert_eq!((&hidden["data"], &hidden["seq"]), (&Value::Null, &seen["seq"]));
}

#[actix_web::test]
async fn foreign_and_unknown_channels_are_refused_and_the_socket_stays() {
    let app = spawn_app().await;
    let (ana, company) = company_of_ana(&app).await;
    let eva = app.person("eva@example.com").await;
    let mut client = app.live(&eva, &[json!({"channel": channel(company)})]).await;
    let refused = client.until("error").await.pop().unwrap();
    assert_eq!((&refused["id"], &refused["code"]), (&json!(1), &json!("FORBIDDEN")));
    assert_eq!((&refused["retry"], &refused["channel"]), (&json!(false), &json!(channel(company))));
    let ana_user = format!("user/{}", ana.id);
    for (name, code) in [
        (channel(CompanyId::new(app.database.db.clock())), "FORBIDDEN"),
        (ana_user, "NOT_FOUND"),
        ("admin/metrics".into(), "FORBIDDEN"),
        ("company/1".into(), "NOT_FOUND"),
        ("x".repeat(500), "NOT_FOUND"),
    ] {
        client.send(json!({"type": "subscribe", "id": 2, "channel": name})).await;
        let refused = client.until("error").await.pop().unwrap();
        assert_eq!((&refused["code"], &refused["channel"]), (&json!(code), &json!(name)));
    }
    client.send(json!({"type": "unsubscribe", "id": 3, "channel": "plans"})).await;
    assert_eq!(client.until("error").await.pop().unwrap()["code"], "NOT_FOUND");
    client.send(json!({"type": "subscribe", "id": 4, "channel": "plans"})).await;
    client.until("live").await;
    client.send(json!({"type": "unsubscribe", "id": 5, "channel": "plans"})).await;
    assert_eq!(client.until("ok").await.pop().unwrap(), json!({"type": "ok", "id": 5}));
}

#[actix_web::test]
async fn bad_input_ends_with_the_code_that_says_what_was_wrong() {
    let app = spawn_app().await;
    let (ana, _) = company_of_ana(&app).await;
    let text = |text: &str| vec![Message::text(text.to_owned())];
    let fragment = |size: usize, code: Data, last: bool| {
        Message::Frame(Frame::message("x".repeat(size), OpCode::Data(code), last))
    };
    let cases: Vec<(&str, Vec<Message>, u16)> = vec![
        ("no JSON", text("{"), 4003),
        ("another type", text(r#"{"type":"shout"}"#), 4003),
        ("binary", vec![Message::binary(vec![1, 2, 3])], 4003),
        ("oversized", text(&" ".repeat(8 * 1024 + 1)), 4003),
        (
            "oversized in fragments",
            vec![fragment(5_000, Data::Text, false), fragment(5_000, Data::Continue, true)],
            4003,
        ),
        ("a second hello", text(r#"{"type":"hello","id":2,"ticket":"t"}"#), 4000),
        ("more acknowledged than sent", text(r#"{"type":"ack","frames":999}"#), 4000),
        ("a refresh with a bad ticket", text(r#"{"type":"refresh","id":3,"ticket":"t"}"#), 4301),
        ("too many pings", (0..60).map(|_| Message::Ping("p".into())).collect(), 4109),
        (
            "too many frames",
            (0..60).map(|_| Message::text(r#"{"type":"pong","n":1}"#)).collect(),
            4109,
        ),
    ];
    for (what, messages, code) in cases {
        let mut client = app.live(&ana, &[]).await;
        for message in messages {
            // The server may have ended it half-way.
            client.socket.send(message).await.ok();
        }
        assert_eq!(client.closed().await, code, "{what}");
    }
    let before_hello = [
        (r#"{"type":"subscribe","id":1,"channel":"plans"}"#, 4000),
        (r#"{"type":"hello","id":1,"ticket":"unknown"}"#, 4301),
        (r#"{"type":"hello","id":1}"#, 4301),
        (r#"{"type":"hello","id":1,"resume":"rs1.x"}"#, 4302),
        (r#"{"type":"hello","id":1,"ticket":"a","resume":"b"}"#, 4000),
    ];
    for (frame, code) in before_hello {
        let mut client = app.connect().await;
        client.socket.send(Message::text(frame)).await.unwrap();
        assert_eq!(client.closed().await, code, "{frame}");
    }
}

#[actix_web::test]
async fn fragments_of_one_text_are_joined() {
    let app = spawn_app().await;
    let (ana, _) = company_of_ana(&app).await;
    let ticket = app.ticket(&ana).await;
    let hello = json!({"type": "hello", "id": 1, "ticket": ticket, "pad": "x".repeat(6_000)});
    let text = hello.to_string();
    let (one, two) = text.split_at(4_096);
    let mut client = app.connect().await;
    let part = |part: &str, code, last| {
        Message::Frame(Frame::message(part.to_owned(), OpCode::Data(code), last))
    };
    client.socket.send(part(one, Data::Text, false)).await.unwrap();
    client.socket.send(part(two, Data::Continue, true)).await.unwrap();
    client.until("welcome").await;
}

#[actix_web::test]
async fn a_ticket_works_once_and_refresh_takes_another() {
    let app = spawn_app().await;
    let (ana, _) = company_of_ana(&app).await;
    let ticket = app.ticket(&ana).await;
    let hello = json!({"type": "hello", "id": 1, "ticket": ticket});
    let mut client = app.connect().await;
    client.send(hello.clone()).await;
    client.until("welcome").await;
    let mut again = app.connect().await;
    again.send(hello).await;
    assert_eq!(again.closed().await, 4301);
    let ticket = app.ticket(&ana).await;
    client.send(json!({"type": "refresh", "id": 5, "ticket": ticket})).await;
    let refreshed = client.until("refreshed").await.pop().unwrap();
    assert!(refreshed["resume"].is_string() && refreshed["expiresAt"].is_string());
    assert_eq!(refreshed["id"], 5);
}

#[actix_web::test]
async fn the_handshake_asks_for_protocol_and_origin() {
    let app = spawn_app().await;
    let ask = async |origin: Option<&str>, protocol: Option<&str>| {
        let mut request = reqwest::Client::new()
            .get(app.url("/api/live"))
            .header("connection", "upgrade")
            .header("upgrade", "websocket")
            .header("sec-websocket-version", "13")
            .header("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ==");
        for (name, value) in [("origin", origin), ("sec-websocket-protocol", protocol)] {
            if let Some(value) = value {
                request = request.header(name, value);
            }
        }
        request.send().await.unwrap().status().as_u16()
    };
    let own = format!("http://{}", app.address);
    assert_eq!(ask(None, Some("rt.v1")).await, 101);
    assert_eq!(ask(Some(&own), Some("other, rt.v1")).await, 101);
    assert_eq!(ask(Some("https://evil.example"), Some("rt.v1")).await, 403);
    assert_eq!(ask(Some("null"), Some("rt.v1")).await, 403);
    assert_eq!(ask(None, None).await, 400);
    assert_eq!(ask(None, Some("rt.v2")).await, 400);
    assert_eq!(app.get("/api/live").await.status, 400);
}

#[actix_web::test]
async fn the_eleventh_socket_of_a_person_ends_the_oldest() {
    let app = spawn_app().await;
    let (ana, _) = company_of_ana(&app).await;
    let mut clients: Vec<Client> = Vec::new();
    for _ in 0..11 {
        clients.push(app.live(&ana, &[]).await);
    }
    assert_eq!(clients[0].closed().await, 4006);
    clients[1].send(json!({"type": "subscribe", "id": 2, "channel": "plans"})).await;
    clients[1].until("live").await;
}

#[actix_web::test]
async fn at_the_shutdown_a_socket_is_served_until_its_client_has_moved() {
    let app = spawn_app().await;
    let (ana, company) = company_of_ana(&app).await;
    app.app.shutdown.send_replace(Shutdown::Announced);
    let mut client = app.live(&ana, &[json!({"channel": channel(company)})]).await;
    app.app.shutdown.send_replace(Shutdown::Draining);
    let server = app.app.clone();
    let draining = actix_web::rt::spawn(async move { server.live.drain().await });
    let told = Instant::now();
    let after = client.until("drain").await.pop().unwrap()["afterMs"].as_u64().unwrap();
    assert!(after < 8_000);
    sleep_until(told + Duration::from_millis(after)).await;
    app.rename(&ana, company, "Ponto que Muda").await;
    client.event("company.updated").await;
    assert_eq!(client.closed().await, 4201);
    assert!(told.elapsed() >= Duration::from_millis(after + 4_000));
    drop(client);
    draining.await.unwrap();
    let refused = app.get("/api/live").await;
    assert_eq!(refused.status, 503);
}

#[actix_web::test]
async fn the_moves_of_a_shutdown_are_spread_evenly() {
    let app = spawn_app().await;
    let mut clients = Vec::new();
    for _ in 0..16 {
        clients.push(app.connect().await);
    }
    let server = app.app.clone();
    actix_web::rt::spawn(async move { server.live.drain().await });
    let mut seconds = [0; 8];
    for client in &mut clients {
        let after = client.until("drain").await.pop().unwrap()["afterMs"].as_u64().unwrap();
        seconds[usize::try_from(after / 1_000).unwrap()] += 1;
    }
    assert!(seconds.iter().all(|moves| *moves <= 3), "{seconds:?}: two a second is even");
}
