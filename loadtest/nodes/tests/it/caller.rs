//! Which answers of a server promise something.

use bipe_nodes::caller::Answer;
use bipe_nodes::ledger::Ended;
use serde_json::json;

#[test]
fn only_an_answer_that_says_so_is_done_or_refused() {
    let answer = |status, code: &str| Answer { status, body: json!({"error": {"code": code}}) };
    assert_eq!(answer(Some(201), "").ended(7), Ended::Ok(7));
    assert_eq!(answer(Some(422), "VALIDATION_ERROR").ended(7), Ended::Failed);
    for unknown in [
        answer(None, ""),
        answer(Some(429), "RATE_LIMITED"),
        answer(Some(500), "INTERNAL_ERROR"),
        answer(Some(503), "SERVICE_UNAVAILABLE"),
        answer(Some(409), "REQUEST_IN_PROGRESS"),
    ] {
        assert_eq!(unknown.ended(7), Ended::Unknown);
    }
}
