//! The generated contract as the probes of `mod.rs` read it: operations, and the fields of what they take.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

pub struct Operation {
    pub method: String,
    pub path: String,
    pub value: Value,
    /// Of its JSON body: dotted path and schema.
    pub fields: Vec<(String, Value)>,
    /// A body of the right types, with what is required alone.
    pub filler: Option<Value>,
    /// Name and schema.
    pub query: Vec<(String, Value)>,
}

impl Operation {
    pub fn name(&self) -> String {
        format!("{} {}", self.method, self.path)
    }

    pub fn declares(&self, status: u16) -> bool {
        self.value["responses"].get(status.to_string()).is_some()
    }

    pub fn takes_key(&self) -> bool {
        let parameters = self.value["parameters"].as_array().into_iter().flatten();
        parameters.into_iter().any(|parameter| parameter["name"] == "Idempotency-Key")
    }

    /// What a refusal may name.
    pub fn names(&self) -> BTreeSet<&str> {
        let fields = self.fields.iter().map(|(path, _)| named(path));
        let query = self.query.iter().map(|(name, _)| name.as_str());
        fields.chain(query).chain(self.takes_key().then_some("Idempotency-Key")).collect()
    }
}

/// Below `billing` errors use the names of `requiredFields`.
pub fn named(path: &str) -> &str {
    path.strip_prefix("billing.").unwrap_or(path)
}

pub fn operations() -> Vec<Operation> {
    let document = serde_json::to_value(bipe_http::openapi::document()).unwrap();
    let mut found = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, value) in item.as_object().unwrap() {
            let body = &value["requestBody"]["content"]["application/json"]["schema"];
            let body = Some(resolved(&document, body)).filter(|body| body["type"] == "object");
            let mut fields = Vec::new();
            if let Some(body) = &body {
                collect(&document, body, "", &mut fields);
            }
            let parameters = value["parameters"].as_array().into_iter().flatten();
            let query = parameters.filter(|parameter| parameter["in"] == "query");
            let query = query.map(|parameter| {
                let name = parameter["name"].as_str().unwrap().to_owned();
                (name, resolved(&document, &parameter["schema"]))
            });
            found.push(Operation {
                method: method.to_uppercase(),
                path: path.clone(),
                fields,
                filler: body.map(|body| filler(&document, &body)),
                query: query.collect(),
                value: value.clone(),
            });
        }
    }
    assert!(found.len() > 60, "{}", found.len());
    found
}

/// Without references and without `null`.
fn resolved(document: &Value, schema: &Value) -> Value {
    if let Some(target) = schema["$ref"].as_str() {
        return resolved(document, document.pointer(&target[1..]).unwrap());
    }
    let mut one = schema.clone();
    if let Some(choices) = schema["oneOf"].as_array() {
        let filled: Vec<&Value> =
            choices.iter().filter(|choice| choice["type"] != "null").collect();
        if let [only] = filled[..] {
            return resolved(document, only);
        }
    }
    if let Some(kinds) = schema["type"].as_array() {
        one["type"] = kinds.iter().find(|kind| *kind != "null").unwrap().clone();
    }
    one
}

fn collect(document: &Value, object: &Value, at: &str, fields: &mut Vec<(String, Value)>) {
    for (name, schema) in object["properties"].as_object().into_iter().flatten() {
        let path = if at.is_empty() { name.clone() } else { format!("{at}.{name}") };
        let schema = resolved(document, schema);
        collect(document, &schema, &path, fields);
        fields.push((path, schema));
    }
}

fn filler(document: &Value, schema: &Value) -> Value {
    let schema = resolved(document, schema);
    if let Some(words) = schema["enum"].as_array() {
        return words[0].clone();
    }
    if let Some(choices) = schema["oneOf"].as_array() {
        return filler(document, &choices[0]);
    }
    match schema["type"].as_str().unwrap_or("object") {
        "object" => {
            let required = schema["required"].as_array().into_iter().flatten();
            let filled: Map<String, Value> = required
                .map(|name| {
                    let name = name.as_str().unwrap();
                    (name.to_owned(), filler(document, &schema["properties"][name]))
                })
                .collect();
            Value::Object(filled)
        }
        "integer" | "number" => schema["minimum"].as_i64().map_or(json!(1), |least| json!(least)),
        "boolean" => json!(true),
        "array" => json!([]),
        _ => match schema["format"].as_str() {
            Some("uuid") => json!("019e0000-0000-7000-8000-000000000000"),
            Some("email") => json!("nobody@example.com"),
            Some("date") => json!("1990-01-01"),
            _ => json!("xxxxxxxxxx"),
        },
    }
}
