//! What the contract declares is what the routes answer: every operation is called with and without a token, with
//! bodies that are none, and with values just inside and just outside of each declared bound.

mod schema;
mod source;

use bipe_testkit::{Answer, Person, answer};
use serde_json::{Value, json};

use self::schema::{Operation, named, operations};
use crate::admin::admin;
use crate::app::{TestApp, spawn_app_with};

const UNKNOWN: &str = "019e0000-0000-7000-8000-000000000000";
/// Longer than any bound, shorter than a body may be.
const LONG: usize = 5_000;

/// A platform admin who administers a company, and what the paths of operations name.
struct World {
    server: TestApp,
    root: Person,
    stranger: Person,
    company: String,
    other_company: String,
    plan: String,
    /// What did not hold.
    wrong: Vec<String>,
}

/// One way to call an operation.
#[derive(Clone, Default)]
struct Probe {
    query: String,
    body: Option<(&'static str, String)>,
    key: Option<String>,
}

impl Probe {
    fn json(body: &Value) -> Self {
        Self { body: Some(("application/json", body.to_string())), ..Self::default() }
    }
}

impl World {
    async fn open() -> Self {
        let server = spawn_app_with(&["--rate-limits", "relaxed"]).await;
        let root = admin(&server).await;
        let stranger = server.person("stranger@example.com").await;
        let company = server.company(&root, "Ponto Central").await.to_string();
        let other_company = server.company(&stranger, "Ponto Distante").await.to_string();
        let plans = server.get("/api/subscriptions/plans").await;
        let plan = plans.data(200)["plans"][2]["id"].as_str().unwrap().to_owned();
        Self { server, root, stranger, company, other_company, plan, wrong: Vec::new() }
    }

    /// The path with ids that exist, except where the call would end what the others need.
    fn path(&self, operation: &Operation) -> String {
        let path = operation.path.as_str();
        let takes_away = operation.method == "DELETE";
        let id = match path {
            _ if takes_away => UNKNOWN,
            _ if path.starts_with("/api/admin/plans/") => &self.plan,
            _ if path.starts_with("/api/admin/companies/") => &self.other_company,
            _ if path.starts_with("/api/admin/users/") => return self.of_stranger(path),
            _ if path.starts_with("/api/companies/") => &self.company,
            _ if path.starts_with("/api/subscriptions/company/") => &self.company,
            _ if path.starts_with("/api/subscriptions/plans/") => &self.plan,
            _ => UNKNOWN,
        };
        let company = if takes_away { UNKNOWN } else { &self.company };
        let path = path.replace("{id}", id).replace("{companyId}", company);
        path.replace("{methodId}", "pm_unknown")
            .replace("{userId}", UNKNOWN)
            .replace("{inviteId}", UNKNOWN)
            .replace("{invoiceId}", UNKNOWN)
    }

    fn of_stranger(&self, path: &str) -> String {
        path.replace("{id}", &self.stranger.id.to_string())
    }

    async fn call(&self, operation: &Operation, who: Option<&Person>, probe: &Probe) -> Answer {
        let url = self.server.url(&format!("{}?{}", self.path(operation), probe.query));
        let mut request = reqwest::Client::new().request(operation.method.parse().unwrap(), url);
        if let Some(person) = who {
            request = request.bearer_auth(&person.token);
        }
        if let Some(key) = &probe.key {
            request = request.header("idempotency-key", key);
        }
        if let Some((kind, body)) = &probe.body {
            request = request.header("content-type", *kind).body(body.clone());
        }
        answer(request).await
    }

    /// Calls as the platform admin and holds the answer against what is declared.
    async fn probe(&mut self, operation: &Operation, probe: &Probe) -> Answer {
        let answer = self.call(operation, Some(&self.root), probe).await;
        self.hold(operation, &answer);
        answer
    }

    fn hold(&mut self, operation: &Operation, answer: &Answer) {
        if !operation.declares(answer.status) {
            self.wrong.push(format!(
                "{}: {} is undeclared: {}",
                operation.name(),
                answer.status,
                answer.text
            ));
        }
        let fields = fields(answer);
        if answer.status == 422 && answer.code() == "VALIDATION_ERROR" && fields.is_empty() {
            self.wrong.push(format!("{}: 422 without a field: {}", operation.name(), answer.text));
        }
        let names = operation.names();
        let stray = fields
            .iter()
            .filter(|(name, _)| answer.status == 422 && !names.contains(of_list(name)));
        for (name, _) in stray {
            self.wrong.push(format!("{}: the field {name} is undeclared", operation.name()));
        }
    }

    /// Notes whether the status stands in the contract exactly when it is answered.
    fn agree(&mut self, operation: &Operation, status: u16, answered: bool) {
        if operation.declares(status) != answered {
            let says = if answered { "answers" } else { "does not answer" };
            self.wrong.push(format!("{} {says} {status}, the contract differs", operation.name()));
        }
    }

    fn demand(&mut self, operation: &Operation, holds: bool, what: String, answer: &Answer) {
        if !holds {
            self.wrong.push(format!(
                "{}: {what}: {} {}",
                operation.name(),
                answer.status,
                answer.text
            ));
        }
    }

    fn finish(self) {
        assert!(self.wrong.is_empty(), "{} wrong:\n{}", self.wrong.len(), self.wrong.join("\n"));
    }
}

fn fields(answer: &Answer) -> Vec<(String, String)> {
    let fields = answer.body["error"]["fields"].as_object().into_iter().flatten();
    fields
        .map(|(name, code)| (name.clone(), code.as_str().unwrap_or_default().to_owned()))
        .collect()
}

/// The list of an entry that is named by its place: `features` of `features[1]`.
fn of_list(name: &str) -> &str {
    name.split_once('[').map_or(name, |(list, _)| list)
}

/// The code of that field in a refusal.
fn code_of(answer: &Answer, name: &str) -> Option<String> {
    fields(answer).into_iter().find(|(known, _)| known == name).map(|(_, code)| code)
}

#[actix_web::test]
async fn no_answer_that_comes_before_the_handler_is_undeclared() {
    let mut world = World::open().await;
    for operation in &operations() {
        let plain = Probe { body: Some(("text/plain", "x".to_owned())), ..Probe::default() };
        let nobody = world.call(operation, None, &plain).await;
        world.hold(operation, &nobody);
        let has_token = operation.value.get("security").is_some();
        let asks = nobody.status == 401;
        world.demand(operation, has_token == asks, "who has to sign in".into(), &nobody);
        let stranger = world.call(operation, Some(&world.stranger), &Probe::json(&json!({}))).await;
        world.hold(operation, &stranger);

        let kind = world.probe(operation, &plain).await;
        let reads = operation.filler.is_some();
        world.agree(operation, 415, kind.status == 415);
        let hidden = Probe { query: "x=%00".to_owned(), ..Probe::json(&json!({})) };
        let hidden = world.probe(operation, &hidden).await;
        world.agree(operation, 400, hidden.status == 400);
        if reads {
            let broken = Probe { body: Some(("application/json", "{".into())), ..Probe::default() };
            let broken = world.probe(operation, &broken).await;
            world.agree(operation, 400, broken.status == 400);
            let large = json!({"x": "a".repeat(65 * 1024)});
            let large = world.probe(operation, &Probe::json(&large)).await;
            world.agree(operation, 413, large.status == 413);
        }
        let long = Probe { key: Some("k".repeat(256)), ..Probe::json(&json!({})) };
        let long = world.probe(operation, &long).await;
        let refused = code_of(&long, "Idempotency-Key").is_some();
        world.demand(
            operation,
            refused == operation.takes_key(),
            "a long Idempotency-Key".into(),
            &long,
        );
        let paged = Probe { query: "page=0&limit=101".into(), ..Probe::json(&json!({})) };
        world.probe(operation, &paged).await;
    }
    world.finish();
}

#[actix_web::test]
async fn no_value_inside_of_its_bounds_is_refused_and_none_outside_is_taken() {
    let mut world = World::open().await;
    for operation in &operations() {
        for (path, schema) in &operation.fields {
            for case in cases(schema) {
                let Case { value, allowed, .. } = &case;
                let body = world.body(operation, path, value);
                let answer = world.probe(operation, &Probe::json(&body)).await;
                let code = code_of(&answer, named(path));
                let absent = answer.status == 404 && case.may_be_absent;
                let holds = match allowed {
                    true => code.as_deref().is_none_or(|code| !case.codes.contains(&code)),
                    false => code.is_some() || absent,
                };
                let shown: String = value.to_string().chars().take(60).collect();
                let what = format!(
                    "{path} = {shown} is {}",
                    if *allowed { "allowed" } else { "not allowed" }
                );
                world.demand(operation, holds, what, &answer);
            }
        }
        for (name, schema) in &operation.query {
            for case in cases(schema).into_iter().filter(|case| !case.value.is_object()) {
                let text = case.value.as_str().map_or(case.value.to_string(), str::to_owned);
                let query = format!("{name}={}", text.replace('é', "%C3%A9"));
                let answer = world.probe(operation, &Probe { query, ..Probe::default() }).await;
                let code = code_of(&answer, name);
                let what =
                    format!("{name}={} in the query", text.chars().take(60).collect::<String>());
                // An empty filter is none.
                if !text.is_empty() {
                    let holds = if case.allowed { code.is_none() } else { code.is_some() };
                    world.demand(operation, holds, what, &answer);
                }
            }
        }
    }
    world.finish();
}

impl World {
    /// A body of the right types whose field at `path` is `value`.
    fn body(&self, operation: &Operation, path: &str, value: &Value) -> Value {
        let mut body = operation.filler.clone().unwrap();
        if let Some(metadata) = body.get_mut("metadata") {
            metadata["companyId"] = json!(self.company);
            metadata["planId"] = json!(self.plan);
        }
        let mut at = &mut body;
        let mut walked = String::new();
        for name in path.split('.') {
            walked = if walked.is_empty() { name.to_owned() } else { format!("{walked}.{name}") };
            if at.get(name).is_none() {
                at[name] = json!({});
            }
            at = &mut at[name];
        }
        *at = value.clone();
        body
    }
}

/// A value for a field, and whether it stands inside of the field's bounds.
struct Case {
    value: Value,
    allowed: bool,
    /// The codes that say it was the bound; others say that it is wrong for another reason.
    codes: &'static [&'static str],
    /// An id of the right shape or not: what is unknown is 404.
    may_be_absent: bool,
}

fn cases(schema: &Value) -> Vec<Case> {
    let mut cases = Vec::new();
    let mut add = |value: Value, allowed: bool, codes: &'static [&'static str]| {
        cases.push(Case { value, allowed, codes, may_be_absent: false });
    };
    if schema["oneOf"].is_array() {
        // Of the integers without a range.
        add(json!(0), false, &[]);
        add(json!(-1), true, &["INVALID"]);
        return cases;
    }
    match schema["type"].as_str().unwrap_or("object") {
        "object" => add(json!(5), false, &[]),
        "boolean" => add(json!({"a": 1}), false, &[]),
        "integer" | "number" => {
            add(json!({"a": 1}), false, &[]);
            if let Some(least) = schema["minimum"].as_i64() {
                add(json!(least - 1), false, &[]);
                add(json!(least), true, &["INVALID"]);
            }
            if let Some(most) = schema["maximum"].as_i64() {
                add(json!(most + 1), false, &[]);
                add(json!(most), true, &["INVALID"]);
            }
        }
        "array" => {
            add(json!({"a": 1}), false, &[]);
            if let Some(most) = schema["maxItems"].as_u64() {
                let items = |count| json!(vec!["x"; usize::try_from(count).unwrap()]);
                add(items(most + 1), false, &[]);
                add(items(most), true, &["INVALID", "TOO_LONG"]);
            }
        }
        _ => {
            add(json!({"a": 1}), false, &[]);
            texts(schema, &mut add);
        }
    }
    if schema["format"] == "uuid" {
        cases.iter_mut().for_each(|case| case.may_be_absent = true);
    }
    cases
}

fn texts(schema: &Value, add: &mut impl FnMut(Value, bool, &'static [&'static str])) {
    let is_free = ["enum", "pattern"].iter().all(|key| schema[key].is_null())
        && (schema["format"].is_null() || schema["format"] == "password");
    for word in schema["enum"].as_array().into_iter().flatten() {
        add(word.clone(), true, &["INVALID"]);
    }
    if !is_free {
        add(json!("é!é"), false, &[]);
    }
    match schema["maxLength"].as_u64() {
        Some(most) => {
            let most = usize::try_from(most).unwrap();
            add(json!("x".repeat(most + 1)), false, &[]);
            add(json!("x".repeat(most)), true, &["TOO_LONG"]);
        }
        None => add(json!("x".repeat(LONG)), is_free, &["TOO_LONG"]),
    }
    let is_bound = schema["minLength"].as_u64().is_some_and(|least| least > 0);
    add(json!(""), is_free && !is_bound, &["REQUIRED", "NAME_TOO_SHORT"]);
}
