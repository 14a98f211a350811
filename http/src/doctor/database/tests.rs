//! Good and bad of each judgement over the database.

use std::collections::BTreeMap;

use bipe_core::database_status::Standby;
use jiff::{SignedDuration, Timestamp};

use super::*;
use crate::doctor::report::Outcome::{Finding, Ok as Good, Skipped};

fn no<T>() -> Result<T, String> {
    Err("no answer".to_owned())
}

#[test]
fn the_login_may_serve_and_in_production_no_more_than_that() {
    assert_eq!(rights(Ok(()), None).outcome, Good);
    assert_eq!(rights(Ok(()), Some(Ok(()))).outcome, Good);
    let powerless = rights(no(), None);
    assert_eq!(powerless.outcome, Finding);
    assert!(powerless.advice.unwrap().contains("bipe migrate"), "its server may lack the role");
    let superuser = rights(Ok(()), Some(Err("the login x is a superuser".into())));
    assert_eq!((superuser.outcome, superuser.says.contains("superuser")), (Finding, true));
}

#[test]
fn the_schema_is_within_the_window_of_the_binary() {
    assert_eq!(schema(42, Ok((42, 33))).outcome, Good);
    assert_eq!(
        schema(42, Ok((45, 42))).outcome,
        Good,
        "a newer build migrated, and this one may serve"
    );
    let (old, behind) = (schema(42, Ok((45, 43))), schema(42, Ok((41, 33))));
    assert_eq!((old.outcome, behind.outcome), (Finding, Finding));
    assert!(old.says.contains("asks for schema 43") && behind.says.contains("has schema 41"));
    assert!(schema(42, no()).advice.unwrap().contains("bipe migrate"));
}

#[test]
fn the_limits_of_a_session_reach_the_server() {
    assert_eq!(limits(Ok(None)).outcome, Good);
    let lost = LostSetting {
        name: "statement_timeout",
        wanted: "5000",
        found: "0".into(),
        role: "bipe_app".into(),
    };
    let lost = limits(Ok(Some(lost)));
    assert_eq!((lost.outcome, lost.read), (Finding, Some(guide::POOLER)));
    assert!(lost.says.contains("statement_timeout 0 instead of 5000"), "{}", lost.says);
    assert_eq!(limits(no()).outcome, Finding);
}

#[test]
fn a_collation_that_changed_is_a_finding() {
    assert_eq!(collation(Ok(None)).outcome, Good);
    let recorded = "2.31".to_owned();
    let told = |found: Option<&str>| {
        let found = found.map(str::to_owned);
        collation(Ok(Some(CollationChange { recorded: recorded.clone(), found })))
    };
    let changed = told(Some("2.36"));
    assert_eq!((changed.outcome, changed.read), (Finding, Some(guide::DATABASE)));
    let says = "made with version 2.31 of its collation, and the system has version 2.36";
    assert!(changed.says.ends_with(says), "{}", changed.says);
    assert!(told(None).says.ends_with("has none"));
    assert_eq!(collation(no()).outcome, Finding);
}

fn status() -> DatabaseStatus {
    DatabaseStatus {
        server_version: "18.4".into(),
        timeline: 1,
        history: "x/1".into(),
        schema: 42,
        oldest_schema: 33,
        commits_are_durable: true,
        waits_for_standby: false,
        can_read_standbys: true,
        grant: None,
        standbys: Vec::new(),
        jobs_due: 0,
        oldest_due_job_seconds: 0.0,
        alerts_open: BTreeMap::new(),
        oldest_transaction_seconds: None,
        as_of: Timestamp::UNIX_EPOCH,
    }
}

fn standby(state: &str) -> Standby {
    Standby {
        name: "second".into(),
        state: Some(state.into()),
        sync_state: Some("sync".into()),
        lag_bytes: Some(0),
        lag_seconds: None,
    }
}

#[test]
fn standbys_follow_or_are_named() {
    let with = |standbys| DatabaseStatus { standbys, ..status() };
    assert_eq!(standbys(&status()).outcome, Skipped);
    assert_eq!(standbys(&with(vec![standby("streaming")])).outcome, Good);
    let late = standbys(&with(vec![standby("streaming"), standby("catchup")]));
    assert_eq!((late.outcome, late.read), (Finding, Some(guide::STANDBY_LATE)));
    assert!(late.says.ends_with("second"), "{}", late.says);
    let waits = DatabaseStatus { waits_for_standby: true, ..status() };
    assert_eq!(standbys(&waits).read, Some(guide::STANDBY_LOST));
    let unread = Some("GRANT pg_read_all_stats TO bipe_platform");
    let unread = DatabaseStatus {
        grant: unread,
        can_read_standbys: false,
        ..with(vec![standby("streaming")])
    };
    assert!(standbys(&unread).advice.unwrap().contains("GRANT"));
}

#[test]
fn a_commit_that_a_crash_may_take_is_a_finding() {
    let outcome =
        |durable| copies(&DatabaseStatus { commits_are_durable: durable, ..status() })[0].outcome;
    assert_eq!((outcome(true), outcome(false)), (Good, Finding));
}

#[test]
fn the_pools_of_the_nodes_fit_into_the_room() {
    let judge = |connections, used, pool| {
        connection_usage(Ok(Some(ConnectionUsage { connections, used })), pool)
    };
    let usual = judge(97, 12, 22);
    assert_eq!(usual.outcome, Good);
    assert!(usual.says.ends_with("pools of 22 fit for 3 nodes"), "{}", usual.says);
    assert_eq!(judge(32, 0, 22).outcome, Good);
    assert_eq!(judge(31, 0, 22).outcome, Finding);
    assert_eq!(judge(97, 88, 22).outcome, Finding, "nine of ten are used");
    assert_eq!(judge(-3, 0, 22).outcome, Finding);
    assert_eq!(connection_usage(Ok(None), 22).outcome, Skipped);
    assert_eq!(connection_usage(no(), 22).outcome, Finding);
}

#[test]
fn clocks_differ_by_no_more_than_two_seconds() {
    let judge = |millis: i64| {
        let (ahead, took) = (SignedDuration::from_millis(millis), SignedDuration::from_millis(10));
        clock(Ok(Some(ClockDifference { ahead, took }))).outcome
    };
    assert_eq!((judge(0), judge(2_004), judge(-2_004)), (Good, Good, Good));
    assert_eq!((judge(2_006), judge(-2_006)), (Finding, Finding));
    assert_eq!((clock(Ok(None)).outcome, clock(no()).outcome), (Skipped, Finding));
}
