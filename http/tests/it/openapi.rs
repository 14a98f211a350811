//! The checked-in contract is the one that this build generates.

#[test]
fn the_checked_in_contract_is_the_generated_one() {
    let file = include_str!("../../openapi.json");
    let generated = bipe_http::openapi::served::contract().unwrap();
    assert!(file == generated.text, "http/openapi.json is out of date: run make schema");
}

#[test]
fn every_operation_has_an_answer_and_a_tag() {
    let document = serde_json::to_value(bipe_http::openapi::document()).unwrap();
    let paths = document["paths"].as_object().unwrap();
    assert!(!paths.is_empty());
    for (path, operations) in paths {
        for (method, operation) in operations.as_object().unwrap() {
            assert!(operation["tags"].is_array(), "{method} {path} has no tag");
            let answers = operation["responses"].as_object().unwrap();
            let good = |status: &String| status.starts_with('2') || status == "101";
            assert!(answers.keys().any(good), "{method} {path}");
        }
    }
}

/// Generators of clients refuse a document without them.
#[test]
fn every_answer_has_a_description() {
    let document = serde_json::to_value(bipe_http::openapi::document()).unwrap();
    let paths = document["paths"].as_object().unwrap().values();
    let operations = paths.flat_map(|path| path.as_object().unwrap().values());
    let owners = operations.chain([&document["components"]]);
    for (status, answer) in owners.flat_map(|owner| owner["responses"].as_object().unwrap()) {
        let description = answer["description"].as_str().unwrap_or_default();
        assert!(answer["$ref"].is_string() || !description.is_empty(), "{status}: {answer}");
    }
}

#[test]
fn an_answer_that_may_be_a_repeat_says_how_it_is_told() {
    let document = serde_json::to_value(bipe_http::openapi::document()).unwrap();
    let paths = document["paths"].as_object().unwrap().values();
    for operation in paths.flat_map(|path| path.as_object().unwrap().values()) {
        let mut parameters = operation["parameters"].as_array().into_iter().flatten();
        let takes_key = parameters.any(|parameter| parameter["name"] == "Idempotency-Key");
        for status in ["200", "201"] {
            let answer = &operation["responses"][status];
            let is_told = answer["headers"]["Idempotent-Replayed"].is_object();
            assert_eq!(is_told, takes_key && answer.is_object(), "{}", operation["operationId"]);
        }
    }
}

#[test]
fn what_is_left_out_is_never_null() {
    let document = serde_json::to_value(bipe_http::openapi::document()).unwrap();
    for place in [
        "ErrorDetail",
        "SubscriptionView",
        "StateView",
        "PreviewView",
        "Subscription",
        "HistoryView/properties/amount",
        "CompanySnapshot/properties/openPayments",
    ] {
        let schema = document.pointer(&format!("/components/schemas/{place}")).unwrap();
        assert!(!schema.to_string().contains("\"null\""), "{place}: {schema}");
    }
}
