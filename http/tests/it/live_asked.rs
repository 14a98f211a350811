//! What a client may ask of a channel and what it is owed meanwhile: `subscribe`, `sync`, `heads`, `pong`
//! (docs/contract.md, "Sequences").

use std::time::Duration;

use bipe_http::live::sweeper::Timing;
use bipe_testkit::{kinds, seqs};
use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::protocol::Message;

use crate::app::{spawn_app, spawn_app_timed};
use crate::live::{channel, company_of_ana};
use crate::live_revoked::membership_changed;

/// A ping every fifth of a second, so that heads come soon; everything else has all the time of a busy machine.
const QUICK_PINGS: Timing = Timing {
    sweep: Duration::from_millis(50),
    hello: Duration::from_secs(60),
    heartbeat: Duration::from_millis(200),
    pong: Duration::from_secs(60),
    progress: Duration::from_secs(60),
    grace: Duration::from_secs(2),
};

#[actix_web::test]
async fn heads_name_the_channel_of_a_lagged_reader_until_it_asks() {
    let app = spawn_app_timed(QUICK_PINGS).await;
    let (ana, company) = company_of_ana(&app).await;
    let otto = app.person("otto@example.com").await;
    app.join(&otto, company, "operator").await;
    let mut page = app.live(&otto, &[json!({"channel": channel(company)})]).await;
    page.until("live").await;
    let owner = app.database.owner().await;
    let update = "UPDATE members SET role = 'finance' WHERE user_id = $1";
    owner.execute(update, &[&otto.id]).await.unwrap();
    membership_changed(&app, &otto).await;
    assert_eq!(page.until("reset").await.pop().unwrap()["reason"], "lagged");

    app.rename(&ana, company, "Beta").await;
    let count = "SELECT seq FROM channel_heads WHERE channel = $1";
    let head: i64 = owner.query_one(count, &[&channel(company)]).await.unwrap().get(0);
    let mut pings = 0;
    loop {
        let came = page.until("heads").await;
        assert!(kinds(&came).iter().all(|kind| matches!(*kind, "ping" | "heads")), "{came:?}");
        // The rename may be on its way to the hub.
        let named = came.last().unwrap()["heads"][0].clone();
        if (&named[0], &named[2]) == (&json!(channel(company)), &json!(head)) {
            break;
        }
        pings += 1;
        assert!(pings < 100, "{named}");
    }
    page.send(json!({"type": "sync", "id": 2, "channel": channel(company)})).await;
    let answer = page.until("live").await;
    assert_eq!(answer.last().unwrap()["seq"], json!(head), "everything up to the head: {answer:?}");
}

#[actix_web::test]
async fn a_channel_is_synced_by_subscribe_too_but_only_while_it_is_read() {
    let app = spawn_app().await;
    let (ana, company) = company_of_ana(&app).await;
    let name = channel(company);
    let mut page = app.live(&ana, &[]).await;
    let (none, id) = (Value::Null, 3);
    page.send(json!({"type": "sync", "id": id, "channel": name, "since": none})).await;
    let refused = page.until("error").await.pop().unwrap();
    let expected =
        json!({"type": "error", "id": id, "code": "NOT_FOUND", "retry": false, "channel": name});
    assert_eq!(refused, expected);
    app.rename(&ana, company, "Beta").await;

    page.send(json!({"type": "subscribe", "id": 4, "channel": name})).await;
    let answer = page.until("live").await;
    assert_eq!(kinds(&answer), ["snapshot", "live"], "a refused sync reads nothing");
    let (epoch, seq) = (&answer[0]["epoch"], answer[0]["seq"].as_i64().unwrap());
    app.rename(&ana, company, "Gama").await;
    page.until("event").await;
    let since = json!({"epoch": epoch, "seq": seq});
    page.send(json!({"type": "subscribe", "id": 5, "channel": name, "since": since})).await;
    let missed = page.until("live").await;
    assert_eq!((kinds(&missed), seqs(&missed)), (vec!["event", "live"], vec![seq + 1]));

    // It draws on the same bucket, of five and one a second.
    let again: Vec<Value> =
        (100..130).map(|id| json!({"type": "subscribe", "id": id, "channel": name})).collect();
    page.send(json!(again)).await;
    let refused = page.until("error").await.pop().unwrap();
    let told = (&refused["code"], &refused["retry"], &refused["channel"]);
    assert_eq!(told, (&json!("RATE_LIMITED"), &json!(true), &json!(name)));

    page.send(json!({"type": "unsubscribe", "id": 6, "channel": name})).await;
    page.until("ok").await;
    page.send(json!({"type": "sync", "id": 7, "channel": name})).await;
    loop {
        let error = page.until("error").await.pop().unwrap();
        if error["id"] == 7 {
            assert_eq!(error["code"], "NOT_FOUND");
            break;
        }
    }
}

#[actix_web::test]
async fn a_channel_that_is_left_and_asked_for_again_draws_on_the_limit_of_its_syncs() {
    let app = spawn_app().await;
    let (ana, company) = company_of_ana(&app).await;
    let name = channel(company);
    let mut page = app.live(&ana, &[]).await;
    let asked = |id: u64| {
        let kind = if id.is_multiple_of(2) { "subscribe" } else { "unsubscribe" };
        json!({"type": kind, "id": id, "channel": name})
    };
    let frames: Vec<Value> = (2..62).map(asked).collect();
    page.send(json!(frames)).await;
    let refused = page.until("error").await.pop().unwrap();
    let told = (&refused["code"], &refused["retry"], &refused["channel"]);
    assert_eq!(told, (&json!("RATE_LIMITED"), &json!(true), &json!(name)));
}

#[actix_web::test]
async fn a_channel_that_a_hello_names_often_is_answered_once() {
    let app = spawn_app().await;
    let (ana, company) = company_of_ana(&app).await;
    let often = vec![json!({"channel": "plans"}); 100];
    let mut page = app.live(&ana, &often).await;
    page.until("live").await;
    page.send(json!({"type": "subscribe", "id": 2, "channel": channel(company)})).await;
    let next = page.until("live").await;
    assert_eq!(kinds(&next), ["snapshot", "live"]);
    assert_eq!(next[1]["channel"], json!(channel(company)));
}

#[actix_web::test]
async fn a_socket_that_reads_32_channels_gets_no_other_one_until_it_leaves_one() {
    let app = spawn_app_timed(Timing { heartbeat: Duration::from_secs(60), ..QUICK_PINGS }).await;
    let ana = app.person("ana@example.com").await;
    let mut names = Vec::new();
    for number in 0..33 {
        names.push(channel(app.company(&ana, &format!("Ponto {number}")).await));
    }
    let (one_more, first) = (names.pop().unwrap(), names[0].clone());
    let channels: Vec<Value> = names.iter().map(|name| json!({"channel": name})).collect();
    let mut page = app.live(&ana, &channels).await;
    for _ in names {
        page.until("live").await;
    }
    page.send(json!({"type": "subscribe", "id": 2, "channel": one_more})).await;
    let refused = page.until("error").await.pop().unwrap();
    let expected = json!({"type": "error", "id": 2, "code": "RATE_LIMITED", "retry": false,
        "channel": one_more});
    assert_eq!(refused, expected, "time frees no place");

    page.send(json!({"type": "subscribe", "id": 3, "channel": first})).await;
    assert_eq!(page.until("live").await.pop().unwrap()["channel"], json!(first), "read already");
    page.send(json!({"type": "unsubscribe", "id": 4, "channel": first})).await;
    page.until("ok").await;
    page.send(json!({"type": "subscribe", "id": 5, "channel": one_more})).await;
    assert_eq!(page.until("live").await.pop().unwrap()["channel"], json!(one_more));
}

#[actix_web::test]
async fn a_client_that_talks_but_answers_no_ping_is_closed() {
    let timing = Timing { pong: Duration::from_secs(2), ..QUICK_PINGS };
    let app = spawn_app_timed(timing).await;
    let (ana, _) = company_of_ana(&app).await;
    let mut page = app.live(&ana, &[]).await;
    page.answers_pings = false;
    page.until("ping").await;
    page.send(json!([{"type": "ack", "frames": 0}, {"type": "pong", "n": 100}])).await;
    loop {
        match page.next().await {
            Message::Close(frame) => break assert_eq!(u16::from(frame.unwrap().code), 4107),
            Message::Text(text) => panic!("{text}: something else stood for the pong"),
            _ => {}
        }
    }
}
