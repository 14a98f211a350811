//! `bipe doctor` beside a `bipe serve` of its own on a real database: what is well, what is found, and what it leaves
//! alone.

use std::path::{Path, PathBuf};
use std::process::Output;
use std::time::Duration;

use bipe_core::clock::Clock;
use bipe_core::testing::TestDb;
use bipe_testkit::NatsServer;
use serde_json::Value;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use crate::process::{Process, database_url};
use crate::program::bipe;

const TIMEOUT: Duration = Duration::from_secs(120);
const SECRET: &str = "whsec_of_the_doctor";

pub struct Folder(pub PathBuf);

impl Folder {
    pub fn new() -> Self {
        let path = std::env::temp_dir().join(format!("bipe-doctor-{}", Clock::system().uuid()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

async fn run(folder: &Path, database: Option<String>, arguments: &[&str]) -> Output {
    run_bipe(&["doctor"], folder, database, arguments).await
}

pub async fn run_bipe(
    words: &[&str],
    folder: &Path,
    database: Option<String>,
    arguments: &[&str],
) -> Output {
    let mut command = bipe(words);
    command.args(["--data-dir", folder.to_str().unwrap()]).args(arguments);
    if let Some(url) = database {
        command.env("DATABASE_URL", url);
    }
    let asking = spawn_blocking(move || command.output().unwrap());
    timeout(TIMEOUT, asking).await.unwrap().unwrap()
}

/// The report, whose number of findings the exit status confirms.
async fn report(folder: &Path, database: Option<String>, arguments: &[&str]) -> Value {
    read_report(&run(folder, database, &[arguments, &["--json"]].concat()).await)
}

pub fn read_report(output: &Output) -> Value {
    let said = String::from_utf8_lossy(&output.stderr);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{said}"));
    let found = report["findings"].as_u64().unwrap();
    assert_eq!(output.status.code(), Some(i32::from(found > 0)), "{report:#}");
    report
}

pub fn check<'a>(report: &'a Value, name: &str) -> &'a Value {
    let checks = report["checks"].as_array().unwrap();
    let found = checks.iter().find(|check| check["check"] == name);
    found.unwrap_or_else(|| panic!("no {name}: {report:#}"))
}

pub fn outcome<'a>(report: &'a Value, name: &str) -> &'a str {
    check(report, name)["outcome"].as_str().unwrap()
}

#[actix_web::test]
async fn a_running_installation_is_well_and_what_it_lacks_is_skipped() {
    let (folder, database) = (Folder::new(), TestDb::with_clock(Clock::system()).await);
    let url = database_url(&database);
    let server = Process::serve(&folder.0, &url, &["--stripe-webhook-secret", SECRET]);
    let public = server.url("");
    let asked = ["--public-url", &public, "--stripe-webhook-secret", SECRET];
    let report = report(&folder.0, Some(url), &asked).await;
    // The disk is this machine's.
    let mut checks = report["checks"].as_array().unwrap().iter();
    let found = checks.find(|c| c["outcome"] == "finding" && c["check"] != "disk.data");
    assert_eq!(found, None);
    for name in [
        "database.reached",
        "database.rights",
        "database.schema",
        "database.limits",
        "database.collation",
        "database.connections",
        "clock.database",
        "jobs.due",
        "mail.waiting",
        "payments.unknown",
        "alerts.open",
        "public.ready",
        "public.live",
        "public.webhook",
        "public.client_address",
    ] {
        assert_eq!(outcome(&report, name), "ok", "{name}: {report:#}");
    }
    for name in [
        "database.standbys",
        "bus.reached",
        "provider.reached",
        "public.certificate",
        "mail.server",
    ] {
        assert_eq!(outcome(&report, name), "skipped", "{name}: {report:#}");
    }
    let owner = database.owner().await;
    let kept = owner.query_one("SELECT count(*) FROM webhook_inbox", &[]).await.unwrap();
    assert_eq!(kept.get::<_, i64>(0), 0, "the doctor's own webhook is kept nowhere");
}

#[actix_web::test]
async fn a_server_that_believes_every_address_and_late_work_are_found() {
    let (folder, database) = (Folder::new(), TestDb::with_clock(Clock::system()).await);
    let url = database_url(&database);
    let flags = ["--stripe-webhook-secret", SECRET, "--trusted-proxies", "127.0.0.1"];
    let server = Process::serve(&folder.0, &url, &flags);
    let late = "INSERT INTO jobs (id, kind, key, payload, run_at, created_at) \
         VALUES (gen_random_uuid(), $1, 'x', '{}', now() - interval '1 hour', now())";
    let owner = database.owner().await;
    owner.execute(late, &[&"of_a_newer_build"]).await.unwrap();
    let public = server.url("");
    let asked = [&["--public-url", &public], &flags[..]].concat();
    let found = report(&folder.0, Some(url.clone()), &asked).await;
    let address = check(&found, "public.client_address");
    assert!(address["says"].as_str().unwrap().contains("X-Forwarded-For"), "{address}");
    assert_eq!(address["read"], "docs/operations.md#reverse-proxy");
    assert_eq!(outcome(&found, "jobs.due"), "ok", "it waits for a newer node");

    let other = ["--public-url", &public, "--stripe-webhook-secret", "whsec_another"];
    let found = report(&folder.0, Some(url.clone()), &other).await;
    assert_eq!(outcome(&found, "public.webhook"), "finding");
    assert_eq!(outcome(&found, "public.client_address"), "skipped");

    drop(server);
    owner.execute(late, &[&"renewal"]).await.unwrap();
    let found = report(&folder.0, Some(url), &other).await;
    assert_eq!(outcome(&found, "jobs.due"), "finding");
    assert_eq!(check(&found, "jobs.due")["read"], "docs/runbooks/work.md#bipejobslate");
}

#[actix_web::test]
async fn a_bus_is_well_or_its_secret_or_its_password_is_wrong() {
    let Some(nats) = NatsServer::start_with(&["--user", "bipe", "--pass", "right"]).await else {
        return;
    };
    let (folder, database) = (Folder::new(), TestDb::with_clock(Clock::system()).await);
    let url = database_url(&database);
    let bus = |password| format!("nats://bipe:{password}@127.0.0.1:{}", nats.port);
    let (right, wrong) = (bus("right"), bus("wrong"));
    let (secret, other) = ("s".repeat(32), "o".repeat(32));
    let server = Process::serve(&folder.0, &url, &["--nats-url", &right, "--secret", &secret]);
    let public = server.url("");
    let ask = async |bus: &str, secret: &str| {
        let asked = ["--nats-url", bus, "--secret", secret, "--public-url", &public];
        report(&folder.0, Some(url.clone()), &asked).await
    };
    let well = ask(&right, &secret).await;
    for name in ["bus.reached", "bus.nodes", "clock.nodes", "bus.refused"] {
        assert_eq!(outcome(&well, name), "ok", "{name}: {well:#}");
    }
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(check(&well, "bus.nodes")["says"], format!("nodes heard: 1 of {version}"));

    let forged = ask(&right, &other).await;
    assert_eq!(outcome(&forged, "bus.reached"), "ok", "{forged:#}");
    assert_eq!(outcome(&forged, "bus.nodes"), "finding");
    let refused = check(&forged, "bus.refused");
    assert!(refused["says"].as_str().unwrap().contains("another BIPE_SECRET"), "{refused}");
    assert_eq!(refused["read"], "docs/runbooks/nodes.md#bipebusrefused");

    let strange = ask(&wrong, &secret).await;
    let reached = check(&strange, "bus.reached");
    assert!(reached["says"].as_str().unwrap().contains("authorization violation"), "{reached}");
    assert_eq!(outcome(&strange, "bus.nodes"), "skipped");
}

#[actix_web::test]
async fn an_installation_that_is_down_is_found_and_not_started() {
    let folder = Folder::new();
    let data = folder.0.join("never-made");
    let nobody = ["--bind", "127.0.0.1:1"];
    let found = report(&data, None, &nobody).await;
    assert!(check(&found, "database.reached")["says"].as_str().unwrap().contains("bipe serve"));
    assert_eq!(outcome(&found, "public.ready"), "finding");
    assert_eq!((outcome(&found, "jobs.due"), outcome(&found, "disk.data")), ("skipped", "skipped"));
    assert!(!data.exists(), "nothing is made");
    let output = run(&data, None, &nobody).await;
    let warned = String::from_utf8(output.stderr).unwrap();
    assert!(warned.starts_with("warning: ") && warned.contains("BIPE_LEGAL_NAME"), "{warned}");
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("FINDING  database.reached"), "{text}");
    assert!(text.contains("read  docs/operations.md#database"), "{text}");
}

#[actix_web::test]
async fn settings_that_start_nothing_examine_nothing() {
    let folder = Folder::new();
    for wrong in [&["--env", "production"][..], &["--no-such-flag"]] {
        let output = run(&folder.0, None, wrong).await;
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{wrong:?}");
    }
}
