//! What a page shows of what its sockets were told.

use bipe_nodes::screen::{Answered, Kept, Shown, difference, take};
use serde_json::{Value, json};

fn told(envelopes: &[Value]) -> (Kept, Vec<Value>) {
    let mut kept = Kept::default();
    let asked = envelopes.iter().filter_map(|envelope| take(&mut kept, envelope)).collect();
    (kept, asked)
}

fn snapshot(seq: i64) -> Value {
    let data = json!({
        "company": {"companyName": "Ana"}, "subscription": {"status": "ACTIVE", "version": 1},
        "openPayments": [{"id": "p", "status": "PENDING", "version": 1}],
    });
    json!({"type": "snapshot", "channel": "company/c", "epoch": "e", "seq": seq, "data": data})
}

fn renamed(prev: i64, seq: i64, name: &str) -> Value {
    json!({
        "type": "event", "channel": "company/c", "prev": prev, "seq": seq,
        "name": "company.updated", "data": {"companyName": name},
    })
}

fn shown(envelopes: &[Value]) -> Shown {
    told(envelopes).0.channels.remove("c").unwrap_or_default()
}

#[test]
fn a_skipped_number_is_a_gap_and_what_follows_is_asked_for() {
    let (kept, asked) = told(&[snapshot(4), renamed(4, 5, "Bia"), renamed(6, 7, "Caio")]);
    assert_eq!(kept.gaps, 1);
    assert_eq!(kept.channels["c"].company["companyName"], "Bia", "nothing is guessed");
    let since = json!({"epoch": "e", "seq": 5});
    let sync = json!({"type": "sync", "id": 2, "channel": "company/c", "since": since});
    assert_eq!(asked, [sync]);
}

#[test]
fn a_repeated_event_changes_nothing() {
    let (kept, asked) = told(&[snapshot(4), renamed(4, 5, "Bia"), renamed(4, 5, "Caio")]);
    assert_eq!((kept.gaps, asked.len()), (0, 0));
    assert_eq!(kept.channels["c"].company["companyName"], "Bia");
}

#[test]
fn after_a_reset_nothing_is_shown_until_the_next_snapshot() {
    let reset = json!({"type": "reset", "channel": "company/c"});
    let (kept, _) = told(&[snapshot(4), reset]);
    assert_eq!((kept.resets, kept.channels["c"].payments.len()), (1, 0));
    assert_eq!(kept.channels["c"].company, Value::Null);
}

#[test]
fn a_page_that_shows_something_else_than_rest_differs() {
    let payment = |id: &str, status: &str| json!({"id": id, "status": status, "version": 1});
    let answered = |name: &str, version: u8, payments: Vec<Value>| Answered {
        company: json!({"companyName": name}),
        subscription: json!({"status": "ACTIVE", "version": version}),
        payments: Value::Array(payments),
    };
    let shown = shown(&[snapshot(4)]);
    let pending = || payment("p", "PENDING");
    let differs = |answered| difference(&shown, "c", &answered);
    assert_eq!(differs(answered("Ana", 1, vec![pending(), payment("old", "FAILED")])), None);
    for (answered, what) in [
        (answered("Bia", 1, vec![pending()]), "Bia"),
        (answered("Ana", 2, vec![pending()]), "version of c"),
        (answered("Ana", 1, vec![]), "payment p of c"),
        (answered("Ana", 1, vec![payment("p", "APPROVED")]), "payment p of c"),
        (answered("Ana", 1, vec![pending(), payment("q", "PENDING")]), "q of c is open"),
    ] {
        let said = differs(answered).unwrap_or_default();
        assert!(said.contains(what), "{said:?} does not name {what}");
    }
}
