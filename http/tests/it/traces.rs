//! Traces of the binary at a collector of this test: one payment from the click to the frame, and a collector that is
//! away, refuses or says nothing.

use std::collections::BTreeMap;
use std::time::Duration;

use bipe_core::testing::HttpPeer;
use bipe_testkit::answer;
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value as Any;
use opentelemetry_proto::tonic::trace::v1::Span;
use prost::Message;
use serde_json::{Value, json};

use crate::live_client::Client;
use crate::process::{Installation, Process};

/// Nothing is measured by it: a busy machine may take long.
const TIMEOUT: Duration = Duration::from_secs(60);
const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const CLICK: &str = "00f067aa0ba902b7";

/// A collector that keeps what it is sent.
pub struct Collector(HttpPeer);

impl Collector {
    pub async fn taking() -> Self {
        Self::answering("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n").await
    }

    async fn answering(answer: &str) -> Self {
        Self(HttpPeer::answering(answer).await)
    }

    pub fn endpoint(&self) -> String {
        format!("http://{}", self.0.address)
    }

    /// Everything that was sent, as far as it is text.
    pub fn text(&self) -> String {
        self.0.bodies().iter().map(|body| String::from_utf8_lossy(body)).collect()
    }

    fn spans(&self) -> Vec<Span> {
        let documents = self.0.bodies().into_iter();
        let documents =
            documents.map(|body| ExportTraceServiceRequest::decode(body.as_slice()).unwrap());
        let resources = documents.flat_map(|document| document.resource_spans);
        resources.flat_map(|resource| resource.scope_spans).flat_map(|scope| scope.spans).collect()
    }

    /// What is found among the spans, as soon as they have arrived.
    async fn until<T>(&self, find: impl Fn(&[Span]) -> Option<T>) -> T {
        let arrived = async {
            loop {
                if let Some(found) = find(&self.spans()) {
                    return found;
                }
                self.0.next_call().await;
            }
        };
        let arrived = tokio::time::timeout(TIMEOUT, arrived).await;
        arrived.unwrap_or_else(|_| panic!("not among {:?}", self.names()))
    }

    fn names(&self) -> Vec<String> {
        self.spans().into_iter().map(|span| span.name).collect()
    }

    pub async fn span(&self, name: &str) -> Span {
        self.until(|spans| spans.iter().find(|span| span.name == name).cloned()).await
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn note(span: &Span, key: &str) -> Option<Any> {
    let found = span.attributes.iter().find(|attribute| attribute.key == key)?;
    found.value.clone()?.value
}

/// The spans of one trace by their ids.
struct Trace(BTreeMap<String, Span>);

impl Trace {
    fn of(spans: &[Span]) -> Self {
        let own = spans.iter().filter(|span| hex(&span.trace_id) == TRACE);
        Self(own.map(|span| (hex(&span.span_id), span.clone())).collect())
    }

    /// The names from a span up to the click; none while one of them has not ended.
    fn way_up(&self, from: &Span) -> Option<Vec<&str>> {
        let (mut names, mut at) = (Vec::new(), hex(&from.span_id));
        while at != CLICK {
            let span = self.0.get(&at)?;
            names.push(span.name.as_str());
            at = hex(&span.parent_span_id);
        }
        Some(names)
    }

    /// One of the spans has this way: its beginning, anything, its end.
    fn has(&self, (beginning, end): (&[&str], &[&str])) -> bool {
        let mut ways = self.0.values().filter_map(|span| self.way_up(span));
        ways.any(|way| way.starts_with(beginning) && way.ends_with(end))
    }
}

/// A person of the binary with a company and a plan to buy.
struct Payer {
    token: String,
    company: String,
    plan: String,
}

impl Payer {
    async fn at(server: &Process) -> Self {
        server.register().await;
        let code = server.code().await;
        server.verify(&code).await.data(200);
        let (token, _) = server.tokens().await;
        let client = reqwest::Client::new();
        let new = client.post(server.url("/api/companies")).json(&json!({"companyName": "Ponto"}));
        let company = answer(new.bearer_auth(&token)).await.data(201)["company"].clone();
        let plans = answer(client.get(server.url("/api/subscriptions/plans"))).await;
        let plans = plans.data(200)["plans"].as_array().unwrap().clone();
        let plan = plans.iter().find(|plan| plan["displayName"] == "Profissional").unwrap();
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        Self { token, company: text(&company["id"]), plan: text(&plan["id"]) }
    }

    async fn socket(&self, server: &Process) -> Client {
        let ticket = reqwest::Client::new().post(server.url("/api/auth/live-ticket"));
        let ticket = answer(ticket.json(&json!({})).bearer_auth(&self.token)).await;
        let ticket = ticket.data(200)["ticket"].clone();
        let mut client = Client::connect(server.url("").trim_start_matches("http://")).await;
        let channels = json!([{"channel": format!("company/{}", self.company)}]);
        let hello = json!({"type": "hello", "id": 1, "ticket": ticket, "subscriptions": channels});
        client.send(hello).await;
        client.until("live").await;
        client
    }

    /// As the web app pays by PIX, and the payer's bank.
    async fn pay(&self, server: &Process) {
        let body = json!({
            "amount": 9990, "currency": "brl", "paymentMethod": {"type": "PIX"},
            "customer": {"name": "Ana", "email": "ana@example.com"},
            "metadata": {"companyId": self.company, "planId": self.plan, "billingCycle": "monthly"},
        });
        let click = reqwest::Client::new().post(server.url("/api/payments/process")).json(&body);
        let click = click.header("traceparent", format!("00-{TRACE}-{CLICK}-00"));
        let begun = answer(click.bearer_auth(&self.token)).await;
        let intent = begun.data(201)["payment"]["transactionId"].as_str().unwrap().to_owned();
        let settle = server.url(&format!("/sandbox/v1/test/payment_intents/{intent}/settle"));
        let settle = reqwest::Client::new().post(settle).bearer_auth("sk_test_sandbox");
        assert_eq!(answer(settle.form(&[("outcome", "succeeded")])).await.status, 200);
    }
}

#[actix_web::test]
async fn one_trace_goes_from_the_click_over_the_webhook_to_the_frame() {
    let (home, collector) = (Installation::new().await, Collector::taking().await);
    let server = home.start_with(&["--otlp-endpoint", &collector.endpoint()]);
    let payer = Payer::at(&server).await;
    let (mut socket, _another) = (payer.socket(&server).await, payer.socket(&server).await);
    payer.pay(&server).await;
    let paid = loop {
        let event = socket.event("payment.updated").await;
        if event["data"]["status"] == "SUCCESS" {
            break event;
        }
    };
    let seq = Any::IntValue(paid["seq"].as_i64().unwrap());
    let channel = Any::StringValue(format!("company/{}", payer.company));
    let is_frame = |span: &Span| {
        let is_at = |key, value: &Any| note(span, key).as_ref() == Some(value);
        span.name == "push" && is_at("bipe.channel", &channel) && is_at("bipe.seq", &seq)
    };
    let click = ["start payment", "POST /api/payments/process"];
    let from_click = |way: &[&'static str]| [way, &click[..]].concat();
    // Transaction A, the call to the provider, transaction B, and the mail about it.
    let whole = [
        from_click(&["transaction", "open payment"]),
        from_click(&["create_payment", "call provider"]),
        from_click(&["transaction", "follow"]),
        from_click(&["mail", "follow"]),
    ];
    // Transaction C.
    let above = ["push", "transaction", "follow", "read payment", "webhook", "webhook received"];
    let arrived = |spans: &[Span]| {
        let trace = Trace::of(spans);
        let is_whole = whole.iter().all(|way| trace.has((way, way)));
        let frame = trace.0.values().find(|span| is_frame(span))?;
        let way = trace.way_up(frame)?;
        (is_whole && way.starts_with(&above) && way.ends_with(&click)).then(|| frame.clone())
    };
    let frame = collector.until(arrived).await;
    assert_eq!(note(&frame, "bipe.event"), Some(Any::StringValue("payment.updated".into())));
    let frames = collector.spans().iter().filter(|span| is_frame(span)).count();
    assert_eq!(frames, 1, "one span of an event, however many sockets read it");

    let log = std::fs::read_to_string(home.log()).unwrap();
    let line = log.lines().find(|line| line.contains("route=\"/api/payments/process\""));
    assert!(line.unwrap().contains(&format!("trace_id={TRACE}")), "{line:?}");
}

/// What `/metrics` says of spans that were dropped for the reason.
async fn dropped(server: &Process, reason: &str) -> u64 {
    let metrics = answer(reqwest::Client::new().get(server.url("/metrics"))).await.text;
    let name = format!("bipe_spans_dropped_total{{reason=\"{reason}\"}} ");
    let line = metrics.lines().find_map(|line| line.strip_prefix(&name));
    line.map_or(0, |count| count.parse().unwrap())
}

#[actix_web::test]
async fn requests_are_answered_while_the_collector_refuses_is_away_or_says_nothing() {
    let refusing =
        "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
    let (refusing, silent) = (Collector::answering(refusing).await, Collector::answering("").await);
    let away = Collector::taking().await.endpoint();
    let home = Installation::new().await;
    for endpoint in [refusing.endpoint(), away, silent.endpoint()] {
        let server = home.start_with(&["--otlp-endpoint", &endpoint]);
        let get = || reqwest::Client::new().get(server.url("/api/subscriptions/plans"));
        answer(get()).await.data(200);
        if endpoint == silent.endpoint() {
            // From here on it holds the sender.
            silent.0.next_call().await;
        }
        answer(get()).await.data(200);
        let counting = async { while dropped(&server, "collector").await == 0 {} };
        tokio::time::timeout(TIMEOUT, counting).await.unwrap();
        answer(get()).await.data(200);
    }
}
