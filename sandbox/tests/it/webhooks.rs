//! The sandbox's events: signed, repeated for three days, and spoilt by injected faults.

use std::collections::BTreeSet;
use std::sync::atomic::Ordering;
use std::time::Duration;

use aws_lc_rs::hmac;
use tokio::time::timeout;

use crate::provider::{Provider, WEBHOOK_SECRETS};

const INTENTS: &str = "/sandbox/v1/payment_intents";
const CARD: &str =
    "amount=100&currency=brl&payment_method_types[]=card&confirm=true&payment_method=pm_card_visa";

fn is_signed(signature: &str, body: &str, secret: &str, now: i64) -> bool {
    let key = hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes());
    let tag = hmac::sign(&key, format!("{now}.{body}").as_bytes());
    let hex: String = tag.as_ref().iter().map(|byte| format!("{byte:02x}")).collect();
    signature.starts_with(&format!("t={now},")) && signature.contains(&format!(",v1={hex}"))
}

#[actix_web::test]
async fn events_are_signed_with_every_secret_and_delivered_once() {
    let provider = Provider::start().await;
    provider.post(INTENTS, CARD).await;
    let events = provider.events().await;
    let kinds: Vec<&str> = events.iter().map(|event| event["type"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["payment_intent.succeeded"], "only what is subscribed is delivered");
    assert_eq!(events[0]["data"]["object"]["object"], "payment_intent");
    let (signature, body) = provider.mail.lock().unwrap()[0].clone();
    for secret in WEBHOOK_SECRETS {
        assert!(
            is_signed(&signature, &body, secret, provider.clock.now().as_second()),
            "{signature}"
        );
    }
    assert_eq!(provider.events().await.len(), 1, "nothing is due any more");
    let listed = provider.get("/sandbox/v1/events?type=payment_intent.succeeded").await;
    assert_eq!(listed.json["data"][0]["id"], events[0]["id"]);
    assert_eq!(listed.json["data"][0]["pending_webhooks"], 0);
}

#[actix_web::test]
async fn a_list_of_events_is_asked_for_by_twenty_types_at_most() {
    let provider = Provider::start().await;
    for (count, status) in [(20, 200), (21, 400)] {
        let types = vec!["types[]=payment_intent.succeeded"; count].join("&");
        let listed = provider.get(&format!("/sandbox/v1/events?{types}")).await;
        assert_eq!(listed.status, status, "{count}: {}", listed.text);
    }
}

#[actix_web::test]
async fn an_event_does_not_wait_for_the_answer_to_an_earlier_one() {
    let provider = Provider::start().await;
    let sandbox = actix_web::rt::spawn(provider.sandbox.clone().run());
    let held = provider.endpoint_hold.write().await;
    let arrived = async |count: usize| {
        while provider.mail.lock().unwrap().len() < count {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    for count in [1, 2, 3] {
        provider.post(INTENTS, CARD).await;
        timeout(Duration::from_secs(8), arrived(count)).await.expect("it waits for the others");
    }
    drop(held);
    assert_eq!(provider.events().await.len(), 3, "each was sent once");
    sandbox.abort();
}

#[actix_web::test]
async fn a_refused_event_is_tried_for_three_days_with_a_new_time_each() {
    let mut provider = Provider::start().await;
    provider.endpoint_status.store(500, Ordering::Relaxed);
    provider.post(INTENTS, CARD).await;
    assert_eq!(provider.events().await.len(), 1);
    provider.clock.advance(4);
    assert_eq!(provider.events().await.len(), 1, "not before its time");
    provider.clock.advance(1);
    assert_eq!(provider.events().await.len(), 2);
    provider.restart().await;
    provider.clock.advance(30);
    assert_eq!(provider.events().await.len(), 3, "a restart forgets no delivery");
    let times: BTreeSet<String> =
        provider.mail.lock().unwrap().iter().map(|(signature, _)| signature.clone()).collect();
    assert_eq!(times.len(), 3);

    for _ in 0..14 {
        provider.clock.advance(6 * 3600);
        provider.sandbox.run_due().await;
    }
    let tries = provider.mail.lock().unwrap().len();
    provider.endpoint_status.store(200, Ordering::Relaxed);
    provider.clock.advance(24 * 3600);
    assert_eq!(provider.events().await.len(), tries, "given up");
    let listed = provider.get("/sandbox/v1/events?type=payment_intent.succeeded").await;
    assert_eq!(listed.json["data"].as_array().unwrap().len(), 1, "and still listed");
}

#[actix_web::test]
async fn injected_faults_duplicate_drop_and_delay_events() {
    let provider = Provider::start().await;
    let inject = async |webhooks: &str| {
        let json = format!(r#"{{"webhooks":{webhooks}}}"#);
        let injected = provider.control("/sandbox/v1/test/faults", &json).await;
        assert_eq!(injected.status, 200);
        injected.json["metSoFar"].as_u64().unwrap()
    };
    assert_eq!(inject(r#"{"duplicate":2}"#).await, 0);
    provider.post(INTENTS, CARD).await;
    for _ in 0..3 {
        provider.sandbox.run_due().await;
    }
    let events = provider.events().await;
    let ids: BTreeSet<&str> = events.iter().map(|event| event["id"].as_str().unwrap()).collect();
    assert_eq!((events.len(), ids.len()), (3, 1));

    assert_eq!(inject(r#"{"drop":true}"#).await, 1);
    provider.post(INTENTS, CARD).await;
    assert_eq!(provider.events().await.len(), 3);

    inject(r#"{"delayMs":5000}"#).await;
    provider.post(INTENTS, CARD).await;
    assert_eq!(provider.events().await.len(), 3);
    provider.clock.advance(5);
    assert_eq!(provider.events().await.len(), 4);

    inject(r#"{"shuffle":true}"#).await;
    for _ in 0..6 {
        provider.post(INTENTS, CARD).await;
    }
    provider.clock.advance(1);
    let events = provider.events().await;
    let arrived: Vec<&str> =
        events[4..].iter().map(|event| event["id"].as_str().unwrap()).collect();
    assert_eq!(arrived.len(), 6);
    let listed = provider.get("/sandbox/v1/events?type=payment_intent.succeeded&limit=6").await;
    let made: Vec<&str> = listed.json["data"]
        .as_array()
        .unwrap()
        .iter()
        .rev()
        .map(|e| e["id"].as_str().unwrap())
        .collect();
    assert_ne!(arrived, made, "not in the order they happened");
    assert_eq!(arrived.iter().collect::<BTreeSet<_>>(), made.iter().collect::<BTreeSet<_>>());
    assert_eq!(
        provider.control("/sandbox/v1/test/faults", r#"{"webhooks":{"duplicate":6}}"#).await.status,
        400
    );
}
