//! A real standby of the database, as platform admins and Prometheus see it: named, late, waited for, gone.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use bipe_core::clock::Clock;
use bipe_core::config::{DEMO_ADMIN_EMAIL, DEMO_ADMIN_PASSWORD};
use bipe_core::testing::pair::{Pair, STANDBY};
use bipe_testkit::answer;
use serde_json::{Value, json};
use tokio::time::{sleep, timeout};

use crate::process::{Process, url_of};

/// Nothing is measured by it: a busy machine may take long.
const TIMEOUT: Duration = Duration::from_secs(60);
const MOMENT: Duration = Duration::from_millis(100);

/// A server, and its demo administrator.
struct Watched {
    server: Process,
    token: String,
    dir: PathBuf,
}

impl Drop for Watched {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.dir));
    }
}

impl Watched {
    async fn start(pair: &Pair) -> Self {
        let dir = std::env::temp_dir().join(format!("bipe-watched-{}", Clock::system().uuid()));
        fs::create_dir_all(&dir).unwrap();
        let server = Process::serve(&dir, &url_of(&pair.primary.owner_config()), &[]);
        let login = json!({"userEmail": DEMO_ADMIN_EMAIL, "password": DEMO_ADMIN_PASSWORD});
        let signed_in = server.post("/api/auth/login", &login).await;
        let token = signed_in.data(200)["tokens"]["accessToken"].as_str().unwrap().to_owned();
        Self { server, token, dir }
    }

    async fn page(&self) -> Value {
        let url = self.server.url("/api/admin/nodes");
        answer(reqwest::Client::new().get(url).bearer_auth(&self.token)).await.data(200).clone()
    }

    /// The page, once it fits.
    async fn until(&self, what: &str, fits: impl Fn(&Value) -> bool) -> Value {
        let mut last = Value::Null;
        let looking = async {
            loop {
                last = self.page().await;
                if fits(&last) {
                    return;
                }
                sleep(MOMENT).await;
            }
        };
        let in_time = timeout(TIMEOUT, looking).await.is_ok();
        assert!(in_time, "{what}: {}, {}", last["problems"], last["database"]);
        last
    }

    /// The value of a line of `/metrics`.
    async fn metric(&self, line: &str) -> f64 {
        let text = answer(reqwest::Client::new().get(self.server.url("/metrics"))).await.text;
        let value = text.lines().find_map(|found| found.strip_prefix(line)?.strip_prefix(' '));
        value.unwrap_or_else(|| panic!("no {line}: {text}")).parse().unwrap()
    }

    async fn until_metric(&self, line: &str, fits: impl Fn(f64) -> bool) {
        let looking = async {
            while !fits(self.metric(line).await) {
                sleep(MOMENT).await;
            }
        };
        timeout(TIMEOUT, looking).await.expect(line);
    }

    async fn standbys(&self) -> (f64, f64) {
        let count = self.metric("bipe_database_standbys").await;
        (count, self.metric("bipe_database_synchronous_standbys").await)
    }

    async fn lag(&self, unit: &str) -> f64 {
        let name = format!("bipe_database_replication_lag_{unit}{{standby=\"{STANDBY}\"}}");
        self.metric(&name).await
    }
}

fn standby(page: &Value) -> &Value {
    &page["database"]["standbys"][0]
}

#[actix_web::test]
async fn a_standby_is_shown_by_its_name_its_state_and_its_lag_until_it_is_gone() {
    let mut pair = Pair::new().await;
    let watched = Watched::start(&pair).await;
    let owner = pair.primary.owner().await;
    let hidden = watched.until("it is there", |page| standby(page)["name"] == STANDBY).await;
    assert_eq!(hidden["database"]["canReadStandbys"], false);
    assert_eq!(
        (&standby(&hidden)["state"], &standby(&hidden)["lagBytes"]),
        (&json!(null), &json!(null))
    );
    let grant = hidden["database"]["grant"].as_str().unwrap();
    assert_eq!(hidden["problems"], json!([]));
    assert!(watched.lag("bytes").await.is_nan() && watched.lag("seconds").await.is_nan());
    let (count, synchronous) = watched.standbys().await;
    assert!(count.is_nan() && synchronous.is_nan(), "a base backup would look alike");

    owner.batch_execute(grant).await.unwrap();
    let has_all = |page: &Value| standby(page)["lagBytes"] == 0;
    let shown = watched.until("it has all", has_all).await;
    let found = standby(&shown);
    assert_eq!((&found["state"], &found["syncState"]), (&json!("streaming"), &json!("async")));
    assert_eq!(shown["database"]["grant"], json!(null));
    assert_eq!((watched.lag("bytes").await, watched.standbys().await), (0.0, (1.0, 0.0)));

    // It receives and does not replay: 70 MiB are more than a standby may lack.
    let copy = pair.standby.owner().await;
    copy.batch_execute("SELECT pg_wal_replay_pause()").await.unwrap();
    let write = "SELECT pg_logical_emit_message(false, 'lag', repeat('x', 70 << 20))";
    owner.batch_execute(write).await.unwrap();
    let is_late = |page: &Value| {
        page["problems"] == json!(["standbyBehind"])
            && standby(page)["lagSeconds"].as_f64().is_some_and(|seconds| seconds > 1.0)
    };
    let late = watched.until("it is late", is_late).await;
    assert!(standby(&late)["lagBytes"].as_i64().unwrap() >= 70 << 20, "{late}");
    assert!(watched.lag("bytes").await >= f64::from(70 << 20));
    assert!(watched.lag("seconds").await > 1.0);
    copy.batch_execute("SELECT pg_wal_replay_resume()").await.unwrap();
    drop(copy);
    let caught_up = watched.until("it has all again", has_all).await;
    assert_eq!(caught_up["problems"], json!([]));

    let name = format!("ALTER SYSTEM SET synchronous_standby_names = '{STANDBY}'");
    owner.batch_execute(&name).await.unwrap();
    owner.batch_execute("SELECT pg_reload_conf()").await.unwrap();
    let waited_for = |page: &Value| standby(page)["syncState"] == "sync";
    let synchronous = watched.until("commits wait for it", waited_for).await;
    assert_eq!((&synchronous["problems"], watched.standbys().await), (&json!([]), (1.0, 1.0)));

    pair.standby.stop().await;
    let is_gone = |page: &Value| page["database"]["standbys"] == json!([]);
    let gone = watched.until("it is gone", is_gone).await;
    assert_eq!(gone["problems"], json!(["standbyMissing"]));
    assert_eq!(watched.standbys().await, (0.0, 0.0));
    assert!(watched.lag("bytes").await.is_nan() && watched.lag("seconds").await.is_nan());
    drop(watched);
    owner.batch_execute("ALTER SYSTEM RESET synchronous_standby_names").await.unwrap();
}

/// Of whatever login, because an administrator granted it.
#[actix_web::test]
async fn the_metrics_show_the_oldest_transaction_and_how_the_pools_are_used() {
    let pair = Pair::new().await;
    let watched = Watched::start(&pair).await;
    let oldest = "bipe_database_oldest_transaction_seconds";
    let granting = pair.primary.owner().await;
    watched.page().await;
    // The login is the owner's, and the server works as `bipe_app`, which does not see it.
    assert!(watched.metric(oldest).await.is_nan());
    granting.batch_execute("GRANT pg_read_all_stats TO bipe_platform").await.unwrap();
    watched.until_metric(oldest, |seconds| seconds < 1.0).await;
    let mut somebody = pair.primary.owner().await;
    let open = somebody.transaction().await.unwrap();
    open.batch_execute("SELECT 1").await.unwrap();
    watched.until_metric(oldest, |seconds| seconds > 2.0).await;
    open.rollback().await.unwrap();
    watched.until_metric(oldest, |seconds| seconds < 1.0).await;
    for pool in ["requests", "jobs"] {
        let count = async |state: &str| {
            let line = format!("bipe_database_connections{{pool=\"{pool}\",state=\"{state}\"}}");
            watched.metric(&line).await
        };
        assert!(count("used").await + count("idle").await >= 1.0, "{pool}");
        assert_eq!(count("waiting").await, 0.0, "{pool}");
    }
}

#[actix_web::test]
async fn what_a_database_said_that_is_gone_is_no_number_any_more() {
    let mut pair = Pair::new().await;
    let owner = pair.primary.owner().await;
    owner.batch_execute("GRANT pg_read_all_stats TO bipe_platform").await.unwrap();
    let watched = Watched::start(&pair).await;
    watched.until("it is there", |page| standby(page)["name"] == STANDBY).await;
    let lag = format!("bipe_database_replication_lag_bytes{{standby=\"{STANDBY}\"}}");
    let told = [
        "bipe_jobs_due",
        "bipe_jobs_oldest_due_seconds",
        "bipe_database_standbys",
        "bipe_database_synchronous_standbys",
        "bipe_database_oldest_transaction_seconds",
        lag.as_str(),
    ];
    watched.until_metric("bipe_database_answers", |answers| answers == 1.0).await;
    for line in told {
        watched.until_metric(line, |figure| !figure.is_nan()).await;
    }
    drop(owner);
    pair.primary.stop().await;
    watched.until_metric("bipe_database_answers", |answers| answers == 0.0).await;
    for line in told {
        assert!(watched.metric(line).await.is_nan(), "{line}");
    }
    pair.primary.start().await;
    watched.until_metric("bipe_database_answers", |answers| answers == 1.0).await;
    for line in told {
        watched.until_metric(line, |figure| !figure.is_nan()).await;
    }
}
