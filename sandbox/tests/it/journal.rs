//! The sandbox forgets nothing that it answered: restarts, torn lines, repeated keys, injected faults.

use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use crate::provider::{Provider, bearer, id};
use bipe_core::clock::Clock;
use bipe_sandbox::{SECRET_KEY, Sandbox, SandboxSettings};

const INTENTS: &str = "/sandbox/v1/payment_intents";
const CARD: &str =
    "amount=100&currency=brl&payment_method_types[]=card&confirm=true&payment_method=pm_card_visa";

#[actix_web::test]
async fn a_repeated_key_replays_the_first_answer_also_after_a_restart() {
    let mut provider = Provider::start().await;
    let first = provider.keyed("k1", INTENTS, CARD).await;
    assert_eq!((first.status, first.header("idempotent-replayed")), (200, ""));
    let reordered = "payment_method=pm_card_visa&currency=brl&payment_method_types[]=card&amount=100&confirm=true";
    let again = provider.keyed("k1", INTENTS, reordered).await;
    assert_eq!(
        (again.text.as_str(), again.header("idempotent-replayed")),
        (first.text.as_str(), "true")
    );
    assert_eq!(again.header("original-request"), first.header("request-id"));

    let other =
        provider.keyed("k1", INTENTS, "amount=200&currency=brl&payment_method_types[]=card").await;
    assert_eq!((other.status, other.error("type")), (400, "idempotency_error"));
    let elsewhere = provider.keyed("k1", "/sandbox/v1/customers", CARD).await;
    assert_eq!(elsewhere.error("type"), "idempotency_error");

    provider.restart().await;
    let after = provider.keyed("k1", INTENTS, CARD).await;
    assert_eq!(
        (after.text.as_str(), after.header("idempotent-replayed")),
        (first.text.as_str(), "true")
    );
    assert_eq!(provider.get(INTENTS).await.json["data"].as_array().unwrap().len(), 1);

    provider.clock.advance(24 * 3600);
    let next_day = provider.keyed("k1", INTENTS, CARD).await;
    assert_eq!(next_day.header("idempotent-replayed"), "", "keys live for 24 hours");
    assert_eq!(provider.get(INTENTS).await.json["data"].as_array().unwrap().len(), 2);
}

#[actix_web::test]
async fn a_decline_is_replayed_and_a_failed_validation_is_not() {
    let provider = Provider::start().await;
    let declined = CARD.replace("pm_card_visa", "pm_card_chargeDeclined");
    let first = provider.keyed("k2", INTENTS, &declined).await;
    let again = provider.keyed("k2", INTENTS, &declined).await;
    assert_eq!(
        (first.status, again.status, again.header("idempotent-replayed")),
        (402, 402, "true")
    );

    assert_eq!(
        provider
            .keyed("k3", INTENTS, "amount=1&currency=brl&payment_method_types[]=card")
            .await
            .status,
        400
    );
    let corrected =
        provider.keyed("k3", INTENTS, "amount=100&currency=brl&payment_method_types[]=card").await;
    assert_eq!((corrected.status, corrected.header("idempotent-replayed")), (200, ""));
    let long = "k".repeat(256);
    assert_eq!(provider.keyed(&long, INTENTS, CARD).await.status, 400);
}

#[actix_web::test]
async fn injected_faults_lose_refuse_or_spoil_an_answer_once() {
    let provider = Provider::start().await;
    let inject = async |replies: &str| {
        let json = format!(r#"{{"replies":{replies}}}"#);
        assert_eq!(provider.control("/sandbox/v1/test/faults", &json).await.status, 200);
    };
    let count = async || provider.get(INTENTS).await.json["data"].as_array().unwrap().len();
    let secret = bearer(SECRET_KEY);
    let headers = [("authorization", secret.as_str()), ("idempotency-key", "lost")];

    inject(r#"{"lose":true,"times":1}"#).await;
    assert!(
        provider.try_send("POST", INTENTS, CARD, &headers).await.is_none(),
        "the answer is lost"
    );
    assert_eq!(count().await, 1, "and the work is done");
    let replay = provider.keyed("lost", INTENTS, CARD).await;
    assert_eq!(
        (replay.json["status"].as_str(), replay.header("idempotent-replayed")),
        (Some("succeeded"), "true")
    );

    inject(r#"{"status":503}"#).await;
    assert_eq!(provider.keyed("refused", INTENTS, CARD).await.status, 503);
    assert_eq!(count().await, 1, "nothing ran");
    assert_eq!(provider.keyed("refused", INTENTS, CARD).await.status, 200);

    inject(r#"{"status":500,"lose":true}"#).await;
    assert_eq!(provider.keyed("spoilt", INTENTS, CARD).await.status, 500);
    assert_eq!(count().await, 3, "the work is done");
    let replay = provider.keyed("spoilt", INTENTS, CARD).await;
    assert_eq!((replay.status, replay.header("idempotent-replayed")), (500, "true"));
    inject(r#"{"status":500,"kept":true}"#).await;
    assert_eq!(provider.keyed("kept", INTENTS, CARD).await.status, 500);
    let replay = provider.keyed("kept", INTENTS, CARD).await;
    assert_eq!((replay.status, replay.header("idempotent-replayed")), (500, "true"));
    assert_eq!(count().await, 3, "nothing ran");
    inject(r#"{"status":429,"reads":true,"times":2}"#).await;
    assert_eq!(
        (provider.get(INTENTS).await.status, provider.get(INTENTS).await.status),
        (429, 429)
    );
    assert_eq!(count().await, 3, "met twice, and over");
    assert_eq!(provider.control("/sandbox/v1/test/faults", r#"{"replys":{}}"#).await.status, 400);
}

#[actix_web::test]
async fn a_key_in_flight_is_a_conflict() {
    let provider = Provider::start().await;
    provider.control("/sandbox/v1/test/faults", r#"{"replies":{"delayMs":60000,"times":1}}"#).await;
    let secret = bearer(SECRET_KEY);
    let headers = [("authorization", secret.as_str()), ("idempotency-key", "slow")];
    let slow = provider.try_send("POST", INTENTS, CARD, &headers);
    let watch = async {
        while provider.get(INTENTS).await.json["data"].as_array().unwrap().is_empty() {
            tokio::task::yield_now().await;
        }
        provider.keyed("slow", INTENTS, CARD).await
    };
    let conflict = tokio::select! {
        _ = slow => panic!("the first answer is held back for a minute"),
        conflict = watch => conflict,
    };
    assert_eq!((conflict.status, conflict.error("code")), (409, "idempotency_key_in_use"));
}

#[actix_web::test]
async fn a_torn_last_line_is_dropped_and_everything_before_it_stays() {
    let mut provider = Provider::start().await;
    let intent = id(&provider.post(INTENTS, CARD).await);
    let mut file = std::fs::OpenOptions::new().append(true).open(provider.journal()).unwrap();
    file.write_all(br#"[{"put":"customer","row":{"id":"cus_to"#).unwrap();
    provider.restart().await;
    let read = provider.get(&format!("{INTENTS}/{intent}")).await;
    assert_eq!(read.json["status"], "succeeded");
    let more = id(&provider.post(INTENTS, CARD).await);
    provider.restart().await;
    assert_eq!(provider.get(&format!("{INTENTS}/{more}")).await.status, 200);
}

#[test]
fn a_damaged_line_is_named_with_a_way_out() {
    let data_dir = std::env::temp_dir().join(format!("bipe-damaged-{}", std::process::id()));
    std::fs::create_dir_all(&data_dir).unwrap();
    std::fs::write(data_dir.join("sandbox-v1.journal"), "no record\n[]\n").unwrap();
    let settings = SandboxSettings {
        data_dir: data_dir.clone(),
        clock: Clock::system(),
        base_url: String::new(),
        webhook_url: None,
        webhook_secrets: Vec::new(),
    };
    let error = Sandbox::open(settings).err().unwrap().to_string();
    std::fs::remove_dir_all(data_dir).unwrap();
    assert!(error.contains("sandbox-v1.journal is damaged at line 1: "), "{error}");
    assert!(error.contains("move it away"), "{error}");
}

#[actix_web::test]
async fn a_waiting_pix_is_paid_by_the_clock_after_a_restart_too() {
    let mut provider = Provider::start().await;
    let form = "amount=100&currency=brl&confirm=true&payment_method_types[]=pix&payment_method_data[type]=pix";
    let intent = id(&provider.post(INTENTS, form).await);
    provider.restart().await;
    provider.clock.advance(180);
    provider.sandbox.run_due().await;
    assert_eq!(provider.get(&format!("{INTENTS}/{intent}")).await.json["status"], "succeeded");
}

#[actix_web::test]
async fn a_journal_that_cannot_be_written_ends_all_answers_and_forgets_only_the_unanswered() {
    let mut provider = Provider::start().await;
    let intent = format!("{INTENTS}/{}", id(&provider.post(INTENTS, CARD).await));
    provider.sandbox.fill_disk().unwrap();
    assert_eq!(provider.post(INTENTS, CARD).await.status, 500);
    assert_eq!(provider.get(&intent).await.status, 500, "not even a read is answered");
    let sent = provider.events().await;
    assert!(sent.is_empty(), "and nothing is sent whose outcome cannot be noted");
    provider.restart().await;
    assert_eq!(provider.get(&intent).await.json["status"], "succeeded");
    assert_eq!(provider.get(INTENTS).await.json["data"].as_array().unwrap().len(), 1);
    assert!(!provider.events().await.is_empty(), "what was due is sent");
}

#[actix_web::test]
async fn nobody_else_reads_the_journal() {
    let provider = Provider::start().await;
    let journal = provider.journal();
    let folder = journal.parent().unwrap();
    let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(folder), 0o700);
    for file in std::fs::read_dir(folder).unwrap() {
        assert_eq!(mode(&file.unwrap().path()), 0o600);
    }
}
