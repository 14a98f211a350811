//! What travels together to the database: the cleaning of a connection with its next use, a proof with its
//! beginning and its end, the last event with its commit.

use std::process::Command;
use std::time::Duration;

use bipe_core::audit::{self, AuditAction, Entry};
use bipe_core::db::{CompanyTx, Db, Tx};
use bipe_core::event::{Channel, EventName, NewEvent};
use bipe_core::gateway::webhook::Event;
use bipe_core::id::CompanyId;
use bipe_core::job::{self, JobKind};
use bipe_core::scope::{CompanyScope, JobScope};
use bipe_core::testing::{self, TestDb, until_waiting};
use bipe_core::{Error, payment, webhook_inbox};
use futures_util::FutureExt;
use tokio::time::timeout;
use tokio_postgres::Client;

const PID: &str = "SELECT pg_backend_pid() AS pid";

async fn pid(db: &Db) -> i32 {
    pid_of(db.tx().await.unwrap()).await
}

async fn pid_of(tx: Tx) -> i32 {
    let pid = tx.query_one(PID, &[]).await.unwrap().get("pid");
    tx.rollback().await.unwrap();
    pid
}

async fn count(owner: &Client, sql: &str) -> i64 {
    owner.query_one(sql, &[]).await.unwrap().get(0)
}

async fn end_others(owner: &Client) {
    let others = "FROM pg_stat_activity WHERE datname = current_database() \
         AND pid <> pg_backend_pid() AND backend_type = 'client backend'";
    owner.execute(&format!("SELECT pg_terminate_backend(pid) {others}"), &[]).await.unwrap();
    while count(owner, &format!("SELECT count(*) {others}")).await > 0 {}
}

#[tokio::test]
async fn a_connection_that_the_database_has_ended_is_replaced_unseen() {
    let test = TestDb::new().await;
    let owner = test.owner().await;
    let end_all = async || end_others(&owner).await;
    let first = pid(&test.db).await;
    end_all().await;
    assert_ne!(pid(&test.db).await, first);
    end_all().await;
    let row = test.db.ask("SELECT 7 AS seven", &[]).await.unwrap().unwrap();
    assert_eq!(row.get::<_, i32>("seven"), 7);
}

#[tokio::test]
async fn a_job_s_statement_that_is_refused_as_read_only_leaves_no_connection_behind() {
    let test = TestDb::new().await;
    let owner = test.owner().await;
    let refuse_writes = async |refuses: bool| {
        let name: String = owner.query_one("SELECT current_database()", &[]).await.unwrap().get(0);
        let sql = format!("ALTER DATABASE {name} SET default_transaction_read_only = {refuses}");
        owner.batch_execute(&sql).await.unwrap();
    };
    refuse_writes(true).await;
    end_others(&owner).await;
    let make_due = || job::make_due(&test.db, JobKind::Purge, "nothing");
    assert!(make_due().await.is_err());
    refuse_writes(false).await;
    assert!(!make_due().await.unwrap());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_freezes_is_given_up_and_its_connection_not_used_again() {
    let test = TestDb::new().await;
    let tx = test.db.tx().await.unwrap();
    let pid: i32 = tx.query_one(PID, &[]).await.unwrap().get("pid");
    let signal = |name: &str| {
        let status = Command::new("kill").args([name, &pid.to_string()]).status().unwrap();
        assert!(status.success());
    };
    signal("-STOP");
    let answer = timeout(Duration::from_secs(15), tx.query_one(PID, &[])).await;
    drop(tx);
    let next = self::pid(&test.db).await;
    signal("-CONT");
    assert!(matches!(answer, Ok(Err(Error::Unavailable { .. }))), "{answer:?}");
    assert_ne!(next, pid);
}

#[tokio::test]
async fn nothing_of_the_last_user_of_a_connection_is_left() {
    let test = TestDb::new().await;
    let tx = test.db.tx().await.unwrap();
    let pid: i32 = tx.query_one(PID, &[]).await.unwrap().get("pid");
    let id = CompanyId::new(test.db.clock()).to_string();
    let stay = "SELECT set_config('bipe.company_id', $1, false), pg_advisory_lock(7)";
    tx.query_one(stay, &[&id]).await.unwrap();
    tx.commit().await.unwrap();
    let read = "SELECT pg_backend_pid() AS pid, current_setting('bipe.company_id', true) AS company, \
         (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()) AS locks";
    let row = test.db.ask(read, &[]).await.unwrap().unwrap();
    assert_eq!(row.get::<_, i32>("pid"), pid, "another connection proves nothing");
    assert_eq!(row.get::<_, Option<&str>>("company").unwrap_or_default(), "");
    assert_eq!(row.get::<_, i64>("locks"), 0);
}

/// What a transaction sends before its own statements.
async fn opening(test: &TestDb, begin: impl Future<Output = bipe_core::Result<Tx>>) -> Vec<String> {
    test.db.take_statement_log();
    let tx = begin.await.unwrap();
    let sent = test.db.take_statement_log();
    tx.rollback().await.unwrap();
    sent.into_iter().map(|sent| sent.sql).collect()
}

#[tokio::test]
async fn a_connection_is_cleaned_of_no_more_than_may_be_left_on_it() {
    let test = TestDb::new().await;
    let read = async || test.db.ask("SELECT set_config('bipe.company_id', '7', false)", &[]).await;
    let company = "SELECT current_setting('bipe.company_id', true) AS company";
    let clean = ["BEGIN", "RESET ALL", "SELECT pg_advisory_unlock_all()", "COMMIT", "BEGIN"];
    let opening = async || opening(&test, test.db.tx()).await;
    assert_eq!(opening().await, ["BEGIN"], "a new one");
    assert_eq!(opening().await, clean, "whatever the last transaction did");

    // Rolled back, a setting of the session is one no more.
    read().await.unwrap();
    assert_eq!(opening().await, ["BEGIN"]);
    read().await.unwrap();
    let row = test.db.ask(company, &[]).await.unwrap().unwrap();
    assert_eq!(row.get::<_, Option<&str>>("company").unwrap_or_default(), "");

    assert!(test.db.ask("SELECT 1 / 0 AS none", &[]).await.is_err());
    let rescue = [&["ROLLBACK"][..], &clean].concat();
    assert_eq!(opening().await, rescue, "nobody heard of its end");
}

#[tokio::test]
async fn a_statement_of_the_jobs_leaves_nothing_to_clean() {
    let test = TestDb::new().await;
    let begin = async || opening(&test, test.db.job_tx()).await;
    assert_eq!(begin().await, ["BEGIN"], "a new one");
    let cleaning = begin().await;
    assert!(cleaning.len() > 1, "{cleaning:?}");
    job::next_due(&test.db).await.unwrap();
    assert_eq!(begin().await, ["BEGIN"]);
}

#[tokio::test]
async fn a_proof_cannot_write() {
    let test = TestDb::new().await;
    let write = "INSERT INTO mailbox (id, recipient, subject, body_text, body_html, sent_at) \
         VALUES (gen_random_uuid(), '', '', '', '', now()) RETURNING id";
    assert!(test.db.ask(write, &[]).await.is_err());
    let tx = test.db.tx().await.unwrap();
    tx.query_one(write, &[]).await.unwrap();
    tx.rollback().await.unwrap();
    assert!(test.db.ask("SELECT 1 AS one", &[]).await.is_ok(), "the connection is good again");
}

#[tokio::test]
async fn an_event_that_cannot_be_written_takes_its_transaction_along() {
    let test = TestDb::new().await;
    let mut tx = test.db.tx().await.unwrap();
    let mail = "INSERT INTO mailbox (id, recipient, subject, body_text, body_html, sent_at) \
         VALUES ($1, '', '', '', '', now())";
    tx.execute(mail, &[&test.db.clock().uuid()]).await.unwrap();
    // No company's scope is open: its row-level security refuses the event.
    let company = CompanyId::new(test.db.clock());
    let event = NewEvent::new(Channel::Company(company), EventName::CompanyUpdated, company, &"");
    tx.emit(event.unwrap());
    assert!(tx.commit().await.is_err());
    let owner = test.owner().await;
    assert_eq!(count(&owner, "SELECT count(*) FROM mailbox").await, 0);
    assert_eq!(count(&owner, "SELECT count(*) FROM channel_heads").await, 0);
}

/// Jobs, audit and an event that row-level security refuses, staged for the end of a company's transaction. Answers the
/// process behind its connection.
async fn staged(test: &TestDb, owner: &Client, event_of: Option<CompanyId>) -> (CompanyTx, i32) {
    let mine = testing::company(owner, test.db.clock(), "norte").await.id;
    let scope = CompanyScope::of_job(&JobScope::of_test(), mine);
    let mut tx = test.db.company_tx(&scope).await.unwrap();
    let pid = tx.query_one(PID, &[]).await.unwrap().get("pid");
    let now = tx.now();
    job::add(&mut tx, JobKind::Purge, "purge", now, &()).unwrap();
    audit::record(&tx, Entry { company: Some(mine), ..Entry::of(AuditAction::CompanyEdit) });
    let company = event_of.unwrap_or(mine);
    let event = NewEvent::new(Channel::Company(company), EventName::CompanyUpdated, company, &"");
    tx.emit(event.unwrap());
    (tx, pid)
}

/// The connection is back in its pool, soon without a transaction; its next user sees no company, and a statement that is a
/// transaction by itself is committed on it.
async fn prove_clean(test: &TestDb, owner: &Client, pid: i32) {
    prove_idle(test, owner, pid).await;
    let body = r#"{"id":"evt_1","type":"moon.landed"}"#;
    let event = Event::parse(body.as_bytes()).unwrap();
    webhook_inbox::receive(&test.db, &event, body, false).await.unwrap();
    assert_eq!(count(owner, "SELECT count(*) FROM webhook_inbox").await, 1);
    prove_unscoped(test.db.job_tx().await.unwrap(), pid).await;
}

async fn prove_idle(test: &TestDb, owner: &Client, pid: i32) {
    while test.db.pools().iter().all(|pool| pool.idle == 0) {
        tokio::task::yield_now().await;
    }
    let left = "SELECT state || ' ' || (SELECT count(*) FROM pg_locks l WHERE l.pid = a.pid) AS left \
         FROM pg_stat_activity a WHERE pid = $1";
    // What the caller left unread is still carried out.
    let is_idle = async || {
        while owner.query_one(left, &[&pid]).await.unwrap().get::<_, String>("left") != "idle 0" {
            tokio::task::yield_now().await;
        }
    };
    timeout(Duration::from_secs(10), is_idle()).await.expect("a transaction or a lock is left");
}

async fn prove_unscoped(tx: Tx, pid: i32) {
    let seen = "SELECT pg_backend_pid() AS pid, current_setting('bipe.company_id', true) AS company, \
         (SELECT count(*) FROM companies) AS companies, current_user::text AS role";
    let row = tx.query_one(seen, &[]).await.unwrap();
    assert_eq!(row.get::<_, i32>("pid"), pid, "another connection proves nothing");
    assert_eq!(row.get::<_, Option<&str>>("company").unwrap_or_default(), "");
    assert_eq!((row.get("companies"), row.get("role")), (0_i64, "bipe_app"));
}

/// A company, the scope of a job for it, and the process behind the connection that the next job takes.
async fn reader(test: &TestDb, owner: &Client) -> (CompanyScope, i32) {
    let company = testing::company(owner, test.db.clock(), "norte").await.id;
    let scope = CompanyScope::of_job(&JobScope::of_test(), company);
    (scope, pid_of(test.db.job_tx().await.unwrap()).await)
}

#[tokio::test]
async fn reads_of_a_company_travel_together_and_leave_nothing_of_it() {
    let test = TestDb::new().await;
    let owner = test.owner().await;
    let (scope, pid) = reader(&test, &owner).await;
    test.db.take_statement_log();
    let found = payment::store::view_with_subscription(&test.db, &scope).await.unwrap();
    assert!(found.0.is_none() && found.1.is_none());
    let sent = test.db.take_statement_log();
    let queries = sent.iter().filter(|sent| !sent.is_transaction_control).count();
    assert_eq!(queries, 3, "{sent:?}");
    assert!(sent.iter().all(|statement| statement.transaction == sent[0].transaction));
    prove_idle(&test, &owner, pid).await;
    prove_unscoped(test.db.job_tx().await.unwrap(), pid).await;
}

#[tokio::test]
async fn reads_of_a_company_that_fail_or_are_left_leave_a_clean_connection() {
    let test = TestDb::new().await;
    let owner = test.owner().await;
    let (scope, pid) = reader(&test, &owner).await;
    let read = || payment::store::view_with_subscription(&test.db, &scope);
    // The middle one of the queries fails; what travels behind it still ends the transaction.
    owner.batch_execute("ALTER TABLE plans RENAME COLUMN is_popular TO moved").await.unwrap();
    assert!(read().await.is_err());
    owner.batch_execute("ALTER TABLE plans RENAME COLUMN moved TO is_popular").await.unwrap();
    assert!(read().await.is_ok());
    // Polled until everything is sent, and given up before the answer.
    owner.batch_execute("BEGIN; LOCK TABLE plans").await.unwrap();
    tokio::select! {
        _answered = read() => panic!("nothing was waited for"),
        () = until_waiting(&owner, 1) => {}
    }
    owner.batch_execute("ROLLBACK").await.unwrap();
    prove_idle(&test, &owner, pid).await;
    prove_unscoped(test.db.job_tx().await.unwrap(), pid).await;
}

/// The caller goes away after its commit was sent. No answer came before: somebody else held the head of the channel.
async fn leave_once_sent(
    (test, owner): (&TestDb, &Client),
    channel: Channel,
    commit: impl Future<Output = Result<(), Error>>,
) {
    let hold = format!(
        "BEGIN; INSERT INTO channel_heads (channel, epoch, seq) VALUES ('{}', 'held', 1) \
         ON CONFLICT (channel) DO UPDATE SET seq = channel_heads.seq",
        channel.stored()
    );
    owner.batch_execute(&hold).await.unwrap();
    let mut commit = Box::pin(commit);
    test.db.take_statements();
    while test.db.take_statements().is_empty() {
        let early = (&mut commit).now_or_never();
        assert!(early.is_none(), "{early:?}");
        tokio::task::yield_now().await;
    }
    drop(commit);
    owner.batch_execute("ROLLBACK").await.unwrap();
}

const WRITTEN: [&str; 3] = [
    "SELECT count(*) FROM jobs WHERE kind = 'purge'",
    "SELECT count(*) FROM audit_entries",
    "SELECT count(*) FROM events",
];

#[tokio::test]
async fn a_failure_within_the_end_of_a_transaction_leaves_a_clean_connection_and_no_row() {
    let test = TestDb::new().await;
    let owner = test.owner().await;
    let foreign = CompanyId::new(test.db.clock());
    let (tx, pid) = staged(&test, &owner, Some(foreign)).await;
    assert!(tx.commit().await.is_err());
    prove_clean(&test, &owner, pid).await;
    for written in WRITTEN {
        assert_eq!(count(&owner, written).await, 0, "{written}");
    }
}

#[tokio::test]
async fn a_caller_that_goes_away_within_the_end_of_a_transaction_leaves_a_clean_connection() {
    let test = TestDb::new().await;
    let owner = test.owner().await;
    let (tx, pid) = staged(&test, &owner, None).await;
    let channel = Channel::Company(tx.company_id());
    leave_once_sent((&test, &owner), channel, tx.commit()).await;
    prove_clean(&test, &owner, pid).await;
    let [jobs, audits, events] = WRITTEN.map(|written| count(&owner, written));
    let (jobs, audits, events) = tokio::join!(jobs, audits, events);
    assert!(jobs == audits && audits == events, "all of it or nothing");
}

#[tokio::test]
async fn an_error_of_the_database_names_code_and_constraint_and_no_value_of_a_row() {
    let test = TestDb::new().await;
    let owner = test.owner().await;
    let table =
        "CREATE TABLE birds (name text CONSTRAINT birds_short CHECK (length(name) < 3), age int)";
    owner.batch_execute(table).await.unwrap();
    let said = async |sql: &str| {
        let error = Error::from(owner.batch_execute(sql).await.unwrap_err());
        assert!(!error.to_string().contains("canary"), "{error}");
        error.to_string()
    };
    assert_eq!(
        said("INSERT INTO birds VALUES ('canary')").await,
        "internal: 23514 new row for relation \"birds\" violates check constraint \"birds_short\""
    );
    assert_eq!(said("INSERT INTO birds (age) SELECT 'canary'::text::int").await, "internal: 22P02");
    assert!(said("SELECT wings FROM birds").await.contains("42703 column \"wings\""));
}

#[tokio::test]
async fn commits_that_the_relay_is_not_told_of_are_counted() {
    let mut test = TestDb::new().await;
    let changed = async |db: &Db| {
        let mut tx = db.tx().await.unwrap();
        let (channel, name) = (Channel::Plans, EventName::PlanUpdated);
        tx.emit(NewEvent::of_text(channel, name, "1".into(), "{}".into()));
        tx
    };
    changed(&test.db).await.commit().await.unwrap();
    assert_eq!(test.db.unannounced(), 0);

    let commit = changed(&test.db).await.commit();
    leave_once_sent((&test, &test.owner().await), Channel::Plans, commit).await;
    assert_eq!(test.db.unannounced(), 1);

    drop(test.take_committed());
    changed(&test.db).await.commit().await.unwrap();
    assert_eq!(test.db.unannounced(), 2);
}

#[tokio::test]
async fn a_caller_that_goes_away_while_its_transaction_begins_leaves_no_lock() {
    let test = TestDb::new().await;
    let owner = test.owner().await;
    let (scope, pid) = reader(&test, &owner).await;
    let hold =
        format!("BEGIN; SELECT FROM companies WHERE id = '{}' FOR UPDATE", scope.company_id());
    owner.batch_execute(&hold).await.unwrap();
    let begin = || payment::saved_cards::begin_locked(&test.db, &scope);
    tokio::select! {
        _begun = begin() => panic!("nothing was waited for"),
        () = until_waiting(&owner, 1) => {}
    }
    owner.batch_execute("ROLLBACK").await.unwrap();
    let (tx, _, customer) = timeout(Duration::from_secs(5), begin()).await.unwrap().unwrap();
    assert_ne!(tx.query_one(PID, &[]).await.unwrap().get::<_, i32>("pid"), pid);
    assert_eq!(customer, None);
}

#[tokio::test]
async fn a_warning_that_greets_a_session_makes_no_commit_unconfirmed() {
    let test = TestDb::new().await;
    // As after an upgrade of the C library that sorts the database's texts.
    let resorted = "UPDATE pg_database SET datcollversion = '0' WHERE datname = current_database()";
    test.owner().await.execute(resorted, &[]).await.unwrap();
    let node = test.second_node();
    job::next_due(&node.db).await.unwrap();
}
