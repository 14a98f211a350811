//! Which answers a replica may give, and how they say so. What a replica does to them is in
//! `core/tests/it/a_replica.rs`.

use std::time::Duration;

use bipe_core::db::access::Login;
use bipe_core::testing::TestDb;
use reqwest::header::HeaderValue;
use tokio::time::{sleep, timeout};

use super::{admin, audited};
use crate::app::{TestApp, spawn_app};

/// Nothing is measured by it: a busy machine may take long.
const TIMEOUT: Duration = Duration::from_secs(30);
const BY_THE_REPLICA: [&str; 11] = [
    "analytics/dashboard",
    "analytics/metrics/mrr",
    "analytics/metrics/arr",
    "analytics/metrics/churn",
    "analytics/metrics/mau",
    "analytics/metrics/revenue",
    "analytics/activity",
    "analytics/export",
    "payments/figures",
    "users?search=root",
    "companies?search=ponto",
];
/// Money, single records, what a person has just written.
const BY_THE_PRIMARY: [&str; 5] =
    ["payments", "plans", "audit", "nodes", "analytics/acquisition-costs"];

async fn until_avoided(server: &TestApp, reason: Option<&str>) {
    let waiting = async {
        while server.app.db.replica_avoided() != reason {
            sleep(Duration::from_millis(20)).await;
        }
    };
    assert!(timeout(TIMEOUT, waiting).await.is_ok(), "{:?}", server.app.db.replica_avoided());
}

#[actix_web::test]
async fn figures_files_and_searches_say_how_old_they_are() {
    let first = spawn_app().await;
    let root = admin(&first).await;
    // The database itself, which is never behind.
    let server = first.second_reading(Login::local(first.database.config())).await;
    until_avoided(&server, None).await;
    let now = HeaderValue::from_static("0");
    for (server, age) in [(&server, Some(&now)), (&first, None)] {
        for path in BY_THE_REPLICA {
            let answer = server.get_as(&root, &format!("/api/admin/{path}")).await;
            assert_eq!((answer.status, answer.headers.get("x-data-age")), (200, age), "{path}");
        }
    }
    let details = [format!("users/{}", root.id)];
    for path in BY_THE_PRIMARY.into_iter().map(str::to_owned).chain(details) {
        let answer = server.get_as(&root, &format!("/api/admin/{path}")).await;
        assert_eq!((answer.status, answer.headers.get("x-data-age")), (200, None), "{path}");
    }
    let owner = first.database.owner().await;
    for action in ["metrics.export", "user.search", "company.search"] {
        assert!(!audited(&owner, action).await.is_empty(), "{action}");
    }
}

#[actix_web::test]
async fn a_foreign_replica_fails_no_request_and_is_counted() {
    let (first, other) = (spawn_app().await, TestDb::new().await);
    let root = admin(&first).await;
    let server = first.second_reading(Login::local(other.config())).await;
    until_avoided(&server, Some("other_database")).await;
    for path in BY_THE_REPLICA {
        let answer = server.get_as(&root, &format!("/api/admin/{path}")).await;
        assert_eq!((answer.status, answer.headers.get("x-data-age")), (200, None), "{path}");
    }
    let metrics = server.get("/metrics").await.text;
    for line in [
        "bipe_database_read_fallback_total{reason=\"other_database\"}",
        "bipe_database_refused_total{reason=\"other_database\"}",
        "bipe_database_read_age_seconds ",
    ] {
        assert!(metrics.contains(line), "{line}\n{metrics}");
    }
}
