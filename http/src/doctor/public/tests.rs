//! Good and bad of each judgement over the public address.

use bipe_core::testing::config;

use super::*;
use crate::doctor::report::Outcome::{self, Finding, Ok as Good, Skipped};

fn answered(status: u16, certificate_days: Option<u64>) -> Result<Answer, String> {
    let mut answer = Answer::of_status(status);
    answer.certificate_days = certificate_days;
    Ok(answer)
}

fn nobody() -> Result<Answer, String> {
    Err("connection refused".to_owned())
}

#[test]
fn the_public_address_answers_by_itself_that_it_is_ready() {
    let judge = |answer| ready("https://bipe.example", answer);
    assert_eq!(judge(answered(200, None)).outcome, Good);
    for status in [301, 404, 502, 503] {
        let found = judge(answered(status, None));
        assert_eq!(found.outcome, Finding);
        assert!(found.says.contains(&status.to_string()), "{}", found.says);
    }
    assert!(judge(nobody()).says.ends_with("connection refused"));
}

#[test]
fn a_certificate_is_good_for_two_weeks_at_least() {
    let judge = |url: &str, days| certificate(url, &answered(200, days)).outcome;
    let away = "https://bipe.example";
    assert_eq!((judge(away, Some(MAX_DAYS)), judge(away, Some(14))), (Good, Good));
    assert_eq!((judge(away, Some(13)), judge(away, Some(0))), (Finding, Finding));
    assert_eq!(judge("http://bipe.example", None), Finding);
    for here in ["http://127.0.0.1:8080", "http://localhost", "http://[::1]:8080"] {
        assert_eq!(judge(here, None), Skipped, "{here}");
    }
    assert_eq!(certificate(away, &nobody()).outcome, Skipped);
}

#[test]
fn a_live_socket_opens_through_the_proxy() {
    assert_eq!(live(answered(101, None)).outcome, Good);
    let advice = |answer| live(answer).advice.unwrap();
    assert!(advice(answered(403, None)).contains("BIPE_ALLOWED_ORIGINS"));
    assert!(advice(answered(429, None)).contains("in a minute"));
    assert!(advice(answered(400, None)).contains("Upgrade"));
    assert!(advice(nobody()).contains("Upgrade"));
    assert_eq!([502, 503].map(|status| advice(answered(status, None))), [NO_NODE; 2]);
}

#[test]
fn a_webhook_with_our_signature_is_taken() {
    assert_eq!(webhook(answered(200, None)).outcome, Good);
    let read = |answer| webhook(answer).read;
    assert_eq!(read(answered(400, None)), Some(guide::WEBHOOKS));
    assert_eq!(
        (read(answered(404, None)), read(nobody())),
        (Some(guide::STRIPE), Some(guide::STRIPE))
    );
    let advice = |status| webhook(answered(status, None)).advice.unwrap();
    assert!(advice(404).contains("pass at the proxy"));
    assert_eq!([advice(502), advice(503)], [NO_NODE; 2]);
}

/// `by_server`, `here`, `there`, and the trusted network.
fn judge(addresses: [&str; 3], trusted: &str, is_here: bool) -> (Outcome, String) {
    let [by_server, here, there] = addresses.map(|text| text.parse().unwrap());
    let trusted = TrustedProxies::of(&config(&["--trusted-proxies", trusted]));
    let check = client_address(Some(&SeenAddresses { by_server, here, there }), &trusted, is_here);
    (check.outcome, check.advice.unwrap_or_default())
}

#[test]
fn the_server_sees_the_client_and_no_proxy() {
    let (me, proxy, inner) = ("203.0.113.7", "198.51.100.1", "10.0.0.9");
    assert_eq!(judge([me, me, proxy], "10.0.0.0/8", false).0, Good);
    assert_eq!(judge([me, "192.168.1.5", proxy], "10.0.0.0/8", false).0, Good, "behind a router");
    assert_eq!(judge(["127.0.0.1"; 3], "", true).0, Good, "without a proxy, on one machine");
    let forged = judge([CLAIMED, me, proxy], "10.0.0.0/8", false);
    assert!(forged.0 == Finding && forged.1.contains("replace the header"), "{forged:?}");
    let silent = judge([inner, me, proxy], "10.0.0.0/8", false);
    assert!(silent.0 == Finding && silent.1.contains("set X-Forwarded-For"), "{silent:?}");
    for unknown in [inner, proxy, "127.0.0.1"] {
        let found = judge([unknown, me, proxy], "", false);
        assert!(found.0 == Finding && found.1.contains("BIPE_TRUSTED_PROXIES"), "{found:?}");
    }
    assert_eq!(client_address(None, &TrustedProxies::default(), false).outcome, Skipped);
}

#[test]
fn a_machine_that_the_server_cannot_tell_from_a_proxy_asks_from_elsewhere() {
    let public = "203.0.113.9";
    let container = judge(["172.30.1.2", "172.30.1.3", public], "172.30.1.0/24", false);
    assert_eq!(container.0, Skipped, "its address is among the trusted ones");
    let behind = judge([public, "10.0.0.5", public], "127.0.0.1", false);
    assert_eq!(behind.0, Skipped, "its router gives it the public address");
    let forged = judge([CLAIMED, "172.30.1.3", public], "172.30.1.0/24", false);
    assert_eq!(forged.0, Finding);
    let silent = judge([public, "10.0.0.5", public], "203.0.113.9", false);
    assert_eq!(silent.0, Finding, "the proxy that is trusted names nobody");
}
