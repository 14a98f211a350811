//! The checked-in contract is the one that this build generates.

use serde_json::Value;

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
fn headers_that_clients_read_are_declared() {
    let document = serde_json::to_value(bipe_http::openapi::document()).unwrap();
    let declared = |answer: &Value, header: &str| answer["headers"][header].is_object();
    let shared = &document["components"]["responses"];
    assert!(declared(&shared["Unauthorized"], "WWW-Authenticate"));
    for refusal in ["PaymentRequired", "Forbidden", "NotFound", "Conflict", "UnprocessableEntity"] {
        assert!(declared(&shared[refusal], "Idempotent-Replayed"), "{refusal}");
    }
    let is_file = |path: &str| {
        declared(&document["paths"][path]["get"]["responses"]["200"], "Content-Disposition")
    };
    for path in [
        "/api/admin/analytics/export",
        "/api/auth/me/export",
        "/api/companies/{id}/audit/export",
        "/api/companies/{id}/invoices/zip",
        "/api/companies/{id}/invoices/{invoiceId}/pdf",
    ] {
        assert!(is_file(path), "{path}");
    }
    assert!(!is_file("/api/config"));
}

/// Generators of clients for Python refuse a schema that is a boolean, except in `additionalProperties`.
#[test]
fn no_list_has_a_boolean_as_the_schema_of_its_items() {
    let document = serde_json::to_value(bipe_http::openapi::document()).unwrap();
    assert!(!document.to_string().contains(r#""items":false"#));
    let head = &document["components"]["schemas"]["HeadsFrame"]["properties"]["heads"]["items"];
    assert_eq!([&head["minItems"], &head["maxItems"]], [3, 3], "still three places");
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
