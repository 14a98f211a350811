//! The provider's events, before and behind their signature.

use bipe_core::gateway::webhook::{Event, SignatureError, sign, verify};
use bipe_core::secret::Secret;
use bipe_simulator::for_each_text;
use jiff::Timestamp;
use serde_json::json;

const EVENTS: &[&str] = &[
    r#"{"id":"evt_1","type":"payment_intent.succeeded","data":{"object":{"id":"pi_1"}}}"#,
    r#"{"id":"evt_1","type":"charge.refunded","data":{"object":"#,
    r#"{"id":"ch_1","payment_intent":"pi_1","#,
    r#""metadata":{"paymentId":"018f0000-0000-7000-8000-000000000001"}"#,
    r#""payment_intent":"#,
    r#"{"id":"#,
    r#","type":"#,
    r#","data":"#,
    r#"{"object":"#,
    r#""id":"#,
    r#""pi_1""#,
    r"\u0000",
    r"\ud800",
    "}}}",
    "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[",
    "\u{e9}",
    "\u{202e}",
    "1e400",
    "null",
];

#[test]
fn an_event_that_is_kept_has_names_that_a_row_holds_and_reads_again_as_the_same() {
    for_each_text!("events", EVENTS, |text: &str| {
        let Some(event) = Event::parse(text.as_bytes()) else { return };
        let Event { id, kind, object, created, company, payment, .. } = &event;
        for name in [Some(id), Some(kind), object.as_ref()].into_iter().flatten() {
            assert!((1..=255).contains(&name.len()), "{name:?}");
            assert!(name.bytes().all(|byte| byte.is_ascii_graphic()), "{name:?}");
        }
        let metadata = json!({"companyId": company, "paymentId": payment});
        let data = json!({"object": {"id": object, "metadata": metadata}});
        let created = created.map(Timestamp::as_second);
        let again = json!({"id": id, "type": kind, "created": created, "data": data}).to_string();
        let untraced = Event { trace: None, ..event.clone() };
        assert_eq!(Event::parse(again.as_bytes()), Some(untraced));
    });
}

/// The second that everything below is asked at.
const NOW: i64 = 1_700_000_000;
/// `GOOD`, `STALE` and `FOREIGN` stand for signatures of this body: of now, of an hour ago, by somebody else.
const HEADERS: &[&str] = &[
    "t=1700000000",
    "t=1699996400",
    "t=1700000299",
    ",",
    "v1=",
    "v0=",
    "GOOD",
    "STALE",
    "FOREIGN",
    "t=1700000000,v1=GOOD\n",
    "t=1700000000,v1=FOREIGN,v1=GOOD\n",
    "\n",
    "{}",
    " ",
    "t=",
    "-",
    "99999999999999999999",
    "\u{e9}",
];

#[test]
fn a_delivery_counts_by_the_signature_of_its_own_bytes_and_of_this_moment_alone() {
    let [ours, theirs] =
        ["whsec_ours", "whsec_theirs"].map(|secret| Secret::new(secret.to_owned()));
    let now = Timestamp::from_second(NOW).unwrap();
    for_each_text!("signatures", HEADERS, |text: &str| {
        let (header, body) = text.split_once('\n').unwrap_or((text, ""));
        let good = sign(&ours, NOW, body.as_bytes());
        let header = header
            .replace("GOOD", &good)
            .replace("STALE", &sign(&ours, NOW - 3_600, body.as_bytes()))
            .replace("FOREIGN", &sign(&theirs, NOW, body.as_bytes()));
        let secrets = std::slice::from_ref(&ours);
        let verdict = verify(&header, body.as_bytes(), secrets, now);
        if verdict.is_ok() {
            let times = header.split(',').filter(|part| part.trim().starts_with("t="));
            assert_eq!(times.collect::<Vec<_>>().len(), 1, "{header}");
            let longer = format!("{body} ");
            let changed = verify(&header, longer.as_bytes(), secrets, now);
            assert_eq!(changed, Err(SignatureError::BadSignature), "{header}");
            let foreign = verify(&header, body.as_bytes(), std::slice::from_ref(&theirs), now);
            assert!(foreign.is_err() || header.contains(&sign(&theirs, NOW, body.as_bytes())));
        }
        if header == format!("t={NOW},v1={good}") {
            assert_eq!(verdict, Ok(()));
        }
    });
}
