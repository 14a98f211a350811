//! `/metrics` and its list: the code counts what the list names, a run gives it, and the page says so.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use bipe_http::telemetry::list::PARTS;
use bipe_http::telemetry::metric::{Kind, Metric, Values, page};
use bipe_testkit::answer;
use tokio::time::{sleep, timeout};

use crate::app::spawn_app_with;
use crate::auth::registration;
use crate::payments::shop::Shop;
use crate::process::Installation;

const CARD: &str = "4242424242424242";

fn listed() -> BTreeMap<&'static str, &'static Metric> {
    PARTS.iter().flat_map(|(_, metrics)| *metrics).map(|metric| (metric.name, metric)).collect()
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The text of every Rust file below the folder.
fn sources(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|end| end == "rs") {
            found.push(fs::read_to_string(path).unwrap());
        }
    }
    found
}

/// Name, type and labels of every metric that the text counts.
fn counted(text: &str) -> Vec<(String, Kind, BTreeSet<String>)> {
    let kinds =
        [("counter", Kind::Counter), ("gauge", Kind::Gauge), ("histogram", Kind::Histogram)];
    let mut found = Vec::new();
    for (word, kind) in kinds {
        for call in text.split(&format!("metrics::{word}!(")).skip(1) {
            let Some(rest) = call.trim_start().strip_prefix('"') else { continue };
            let (name, rest) = rest.split_once('"').unwrap();
            let mut depth = 1;
            let end = rest.find(|char: char| {
                depth += i32::from(char == '(') - i32::from(char == ')');
                depth == 0
            });
            let labels = &rest[..end.unwrap()];
            let labels = labels.split("=>").map(|part| part.trim().rsplit('"').nth(1));
            let mut labels: Vec<_> = labels.map(|name| name.unwrap_or("").to_owned()).collect();
            // Behind the last arrow stands a value.
            labels.pop();
            found.push((name.to_owned(), kind, labels.into_iter().collect()));
        }
    }
    found
}

#[test]
fn the_list_names_what_the_code_counts_with_its_type_and_labels() {
    let folders = ["core/src", "actors/src", "http/src", "sandbox/src"];
    let texts: Vec<String> =
        folders.iter().flat_map(|folder| sources(&root().join(folder))).collect();
    let counted = texts.iter().flat_map(|text| counted(text));
    let counted: BTreeSet<_> =
        counted.map(|(name, kind, labels)| (name, kind.as_str(), labels)).collect();
    let named: BTreeSet<_> = listed()
        .values()
        .map(|metric| {
            let labels = metric.labels.iter().map(|label| label.name.to_owned()).collect();
            (metric.name.to_owned(), metric.kind.as_str(), labels)
        })
        .collect();
    assert_eq!(counted, named);
}

#[test]
fn the_page_is_up_to_date() {
    let kept = fs::read_to_string(root().join("docs/metrics.md")).unwrap();
    assert_eq!(kept, page(&PARTS), "docs/metrics.md is stale: run make schema");
}

/// The value of a line of `/metrics`; 0 without one.
pub fn value(text: &str, line: &str) -> f64 {
    let found = text.lines().find_map(|found| found.strip_prefix(line)?.strip_prefix(' '));
    found.map_or(0.0, |value| value.parse().unwrap())
}

#[actix_web::test]
async fn a_payment_is_counted_once_it_is_committed_and_everything_that_a_run_gives_is_listed() {
    let shop = Shop::open().await;
    let began = r#"bipe_payments_total{method="CREDIT_CARD",by="payer",state="submitting"}"#;
    let succeeded = r#"bipe_payments_total{method="CREDIT_CARD",by="payer",state="succeeded"}"#;
    let before = shop.server.get("/metrics").await.text;
    let (payment, secret) = shop.begin(&shop.card(CARD).await).await;
    shop.confirm(&payment, &secret.unwrap(), None).await;
    shop.server.run().await;
    assert_eq!(shop.status(&payment).await["status"], "SUCCESS");
    let text = shop.server.get("/metrics").await.text;
    let activated = r#"bipe_subscription_steps_total{step="activated"}"#;
    let cents = r#"bipe_payments_approved_cents_total{method="CREDIT_CARD"}"#;
    let approvals = r#"bipe_payment_approval_seconds_count{method="CREDIT_CARD"}"#;
    // Other tests of this process count beside it.
    for line in [began, succeeded, activated, approvals] {
        assert!(value(&text, line) >= value(&before, line) + 1.0, "{line}\n{text}");
    }
    assert!(value(&text, cents) >= value(&before, cents) + 9990.0, "{text}");
    assert!(value(&text, "bipe_relay_rounds_total") >= 1.0, "{text}");
    check_against_the_list(&text);
}

#[actix_web::test]
async fn a_mail_that_nobody_tries_again_is_counted() {
    let server = spawn_app_with(&["--smtp-url", "smtp://127.0.0.1:9"]).await;
    let line = r#"bipe_jobs_given_up_total{kind="mail"}"#;
    let count = async || value(&server.get("/metrics").await.text, line);
    let before = count().await;
    let body = registration("ana@example.com", "11144477735");
    server.post("/api/auth/register", &body).await.data(201);
    server.run().await;
    let owner = server.database.owner().await;
    let after_a_day = "UPDATE jobs SET attempts = 99, run_at = created_at WHERE kind = 'mail'";
    assert_eq!(owner.execute(after_a_day, &[]).await.unwrap(), 1);
    server.run().await;
    assert!(count().await >= before + 1.0);
    // A test ends with no dead job.
    let dead = "DELETE FROM jobs WHERE kind = 'mail' AND dead_at IS NOT NULL";
    assert_eq!(owner.execute(dead, &[]).await.unwrap(), 1);
}

#[actix_web::test]
async fn an_open_alert_is_counted_whoever_raised_it_until_it_is_closed() {
    let home = Installation::new().await;
    let server = home.start_with(&[]);
    let owner = home.database.owner().await;
    let shows = async |count: f64| {
        let line = r#"bipe_alerts_open{kind="payment.invariant"}"#;
        let shown = async || {
            let text = answer(reqwest::Client::new().get(server.url("/metrics"))).await.text;
            text.lines().any(|found| found == format!("{line} {count}"))
        };
        let looking = async {
            while !shown().await {
                sleep(Duration::from_millis(100)).await;
            }
        };
        timeout(Duration::from_secs(60), looking).await.unwrap();
    };
    let raise = "INSERT INTO alerts (id, at, kind, subject, detail) \
         SELECT gen_random_uuid(), now(), 'payment.invariant', name, '' FROM unnest(ARRAY['a', 'b']) AS name";
    owner.batch_execute(raise).await.unwrap();
    shows(2.0).await;
    owner.batch_execute("UPDATE alerts SET closed_at = now()").await.unwrap();
    shows(0.0).await;
}

fn check_against_the_list(text: &str) {
    let listed = listed();
    let types = text.lines().filter_map(|line| line.strip_prefix("# TYPE ")?.split_once(' '));
    let types: BTreeMap<&str, &str> = types.collect();
    for (name, metric) in &listed {
        // A node's watch over the database is not part of a test's server.
        let is_always = metric.only.is_none() && metric.kind == Kind::Counter;
        let is_open = metric.labels.iter().any(|label| matches!(label.values, Values::Open(_)));
        assert!(!is_always || is_open || types.contains_key(*name), "{name} is missing\n{text}");
    }
    for (name, kind) in types {
        let metric = listed.get(name).unwrap_or_else(|| panic!("{name} is not listed"));
        assert_eq!(metric.kind.as_str(), kind, "{name}");
    }
    for line in text.lines().filter(|line| !line.starts_with('#') && line.contains('{')) {
        let (name, rest) = line.split_once('{').unwrap();
        let base = ["_bucket", "_sum", "_count"].iter().find_map(|end| name.strip_suffix(end));
        let metric = listed.get(name).or_else(|| listed.get(base?)).unwrap();
        let (labels, _) = rest.split_once("} ").unwrap();
        for (label, word) in labels.split(',').map(|label| label.split_once('=').unwrap()) {
            if label == "le" {
                continue;
            }
            let known = metric.labels.iter().find(|known| known.name == label);
            let known = known.unwrap_or_else(|| panic!("{name} has no label {label}"));
            if let Values::Words(words) = known.values {
                assert!(words().contains(&word.trim_matches('"')), "{line}");
            }
        }
    }
}

#[test]
fn labels_are_read_from_calls_of_every_shape() {
    let text = "metrics::counter!(\"bipe_a\").increment(1);\nmetrics::gauge!(\n \"bipe_b\", \"x\" => y(1).z(), \
                \"w\" => v)\n .set(1.0)";
    let of = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    assert_eq!(
        counted(text),
        [
            ("bipe_a".to_owned(), Kind::Counter, of(&[])),
            ("bipe_b".to_owned(), Kind::Gauge, of(&["x", "w"])),
        ]
    );
}
