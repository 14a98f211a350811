//! A failover to a standby that had not received the last commits, and a backup that came back: the next events have
//! the sequence numbers of the lost ones, and no reader may take them for those. And a commit that a failover would lose.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use bipe_core::Error;
use bipe_core::clock::Clock;
use bipe_core::db::access::Login;
use bipe_core::db::{Db, OpenedDb, Tx, is_ready};
use bipe_core::embedded_postgres::{EmbeddedPostgres, EmbeddedSettings, IfRunning};
use bipe_core::event::{Audience, Channel, EventName};
use bipe_core::id::CompanyId;
use bipe_core::secret::Secret;
use bipe_core::testing::pair::Pair;
use bipe_core::testing::{lay_migrated_cluster, packages};
use bipe_testkit::{kinds, seqs};
use futures_util::future::join;
use jiff::ToSpan;
use serde_json::json;
use tokio::runtime::Handle;
use tokio::time::timeout;
use tokio_postgres::{Client, NoTls};

use crate::node::Node;

/// A server of its own whose data can be put back to an earlier state.
struct Primary {
    dir: PathBuf,
    /// The folder of its programs.
    bin: PathBuf,
    server: Option<EmbeddedPostgres>,
}

impl Primary {
    async fn start(name: &str) -> Self {
        let dir = std::env::temp_dir().join(format!("bipe-failover-{}-{name}", std::process::id()));
        fs::create_dir(&dir).unwrap();
        let bin = lay_migrated_cluster(&dir).await;
        let mut primary = Self { dir, bin, server: None };
        primary.go_on().await;
        primary
    }

    async fn go_on(&mut self) {
        let (data_dir, binaries) = (self.dir.clone(), Some(self.bin.clone()));
        let settings = EmbeddedSettings { data_dir, binaries, package_dir: packages() };
        self.server = Some(EmbeddedPostgres::start(settings, IfRunning::Fail).await.unwrap());
    }

    async fn stop(&mut self) {
        self.server.take().unwrap().stop().await;
    }

    fn data(&self) -> PathBuf {
        self.dir.join("postgres/data")
    }

    fn standby(&self) -> PathBuf {
        self.dir.join("standby")
    }

    /// Keeps the data of now, as a standby that receives nothing more.
    async fn keep_standby(&mut self) {
        self.stop().await;
        copy(&self.data(), &self.standby());
        self.go_on().await;
    }

    /// The primary that was lost serves again, as it was.
    async fn come_back(&mut self) {
        self.stop().await;
        fs::remove_dir_all(self.data()).unwrap();
        fs::rename(self.lost(), self.data()).unwrap();
        self.go_on().await;
    }

    fn lost(&self) -> PathBuf {
        self.dir.join("lost")
    }

    /// Loses the primary, and everything that the standby has not received; the standby is promoted.
    async fn fail_over(&mut self) {
        self.stop().await;
        fs::rename(self.data(), self.lost()).unwrap();
        copy(&self.standby(), &self.data());
        // Recovery to the end of its log begins a new timeline, as `pg_promote` does.
        let settings = self.data().join("postgresql.auto.conf");
        let text = fs::read_to_string(&settings).unwrap();
        fs::write(&settings, text + "restore_command = 'false'\n").unwrap();
        fs::write(self.data().join("recovery.signal"), "").unwrap();
        self.go_on().await;
    }

    /// A superuser, in the database that the server itself uses.
    async fn admin(&self) -> Client {
        let mut config = self.server.as_ref().unwrap().owner_config();
        let (client, connection) = config.dbname("postgres").connect(NoTls).await.unwrap();
        tokio::spawn(connection);
        client
    }

    fn open(&self) -> OpenedDb {
        let login = Login::local(self.server.as_ref().unwrap().app_config());
        Db::open(login, Handle::current(), Clock::system()).unwrap()
    }
}

impl Drop for Primary {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.dir).unwrap();
    }
}

/// A standby answers before it is promoted, and is refused until then.
async fn until_ready(db: &Db) {
    let promoted = async {
        while !is_ready(db).await {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), promoted).await.expect("a promotion in time");
}

/// Owners and rights stay: the server runs as another user where the tests run as root.
fn copy(from: &Path, to: &Path) {
    let status = Command::new("cp").arg("-a").arg(from).arg(to).status().unwrap();
    assert!(status.success());
}

#[actix::test]
async fn no_reader_takes_the_events_after_a_failover_for_the_lost_ones() {
    let mut primary = Primary::start("lost").await;
    let OpenedDb { db, committed, .. } = primary.open();
    let company = CompanyId::new(db.clock());
    let channel = Channel::Company(company);
    let node = Node::start(db, committed);
    node.emit(company, EventName::CompanyUpdated, 1).await;
    let sweep = "INSERT INTO jobs (id, kind, key, payload, run_at, created_at) \
         VALUES ($1, 'event_sweep', 'events', '{}', $2, $2)";
    let later = node.db.clock().now().checked_add(1.hour()).unwrap();
    let tx = node.db.job_tx().await.unwrap();
    tx.execute(sweep, &[&node.db.clock().uuid(), &later]).await.unwrap();
    tx.commit().await.unwrap();
    primary.keep_standby().await;

    let (mut reader, mut late) = (node.socket(), node.socket());
    reader.subscribe(channel, None, Audience::Finance);
    let before = reader.until("live").await[0]["epoch"].as_str().unwrap().to_owned();
    node.emit(company, EventName::CompanyUpdated, 2).await;
    assert_eq!(seqs(&reader.events(1).await), [2]);

    primary.fail_over().await;
    until_ready(&node.db).await;
    node.emit(company, EventName::CompanyUpdated, 3).await;
    let answer = reader.until("live").await;
    assert_eq!(kinds(&answer), ["reset", "snapshot", "live"], "{answer:?}");
    assert_eq!((&answer[0]["reason"], &answer[1]["seq"]), (&json!("epoch"), &json!(2)));
    late.subscribe(channel, Some((&before, 2)), Audience::Finance);
    assert_eq!(late.until("live").await[0]["reason"], "epoch");
    node.emit(company, EventName::CompanyUpdated, 4).await;
    assert_eq!(seqs(&reader.events(1).await), [3]);
    let tx = node.db.job_tx().await.unwrap();
    let due: bool = tx.value("SELECT run_at <= $1 AS due FROM jobs", &[&tx.now()]).await.unwrap();
    assert!(due, "the provider is asked at once about payments that were forgotten");
    drop(tx);
    primary.stop().await;
}

#[actix::test]
async fn no_reader_takes_the_events_after_a_restored_backup_for_the_lost_ones() {
    let mut primary = Primary::start("backup").await;
    let admin = primary.admin().await;
    let OpenedDb { db, committed, .. } = primary.open();
    let company = CompanyId::new(db.clock());
    let channel = Channel::Company(company);
    let node = Node::start(db, committed);
    node.emit(company, EventName::CompanyUpdated, 1).await;
    let back_up = [
        "ALTER DATABASE bipe ALLOW_CONNECTIONS false",
        "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = 'bipe'",
        "CREATE DATABASE backup TEMPLATE bipe",
        "ALTER DATABASE bipe ALLOW_CONNECTIONS true",
    ];
    for sql in back_up {
        admin.batch_execute(sql).await.unwrap();
    }

    let mut reader = node.socket();
    reader.subscribe(channel, None, Audience::Finance);
    reader.until("live").await;
    node.emit(company, EventName::CompanyUpdated, 2).await;
    assert_eq!(seqs(&reader.events(1).await), [2]);
    admin.batch_execute("DROP DATABASE bipe WITH (FORCE)").await.unwrap();
    admin.batch_execute("ALTER DATABASE backup RENAME TO bipe").await.unwrap();

    until_ready(&node.db).await;
    node.emit(company, EventName::CompanyUpdated, 3).await;
    let answer = reader.until("live").await;
    assert_eq!(kinds(&answer), ["reset", "snapshot", "live"], "{answer:?}");
    assert_eq!((&answer[0]["reason"], &answer[1]["seq"]), (&json!("epoch"), &json!(2)));
    primary.stop().await;
}

#[actix::test]
async fn an_old_primary_that_comes_back_is_never_written() {
    let mut primary = Primary::start("back").await;
    let OpenedDb { db, .. } = primary.open();
    db.tx().await.unwrap().rollback().await.unwrap();
    primary.keep_standby().await;
    primary.fail_over().await;
    until_ready(&db).await;
    primary.come_back().await;
    assert!(matches!(db.tx().await, Err(Error::Unavailable { .. })));
    assert!(!is_ready(&db).await);
    primary.stop().await;
}

#[actix::test]
async fn a_primary_that_was_replaced_and_goes_on_is_not_written_over_a_connection_that_was_kept() {
    let pair = Pair::new().await;
    let (primary, standby) = (pair.primary.owner().await, pair.standby.owner().await);
    let second = pair.standby.url();
    let host = second.split(' ').next().and_then(|word| word.strip_prefix("host=")).unwrap();
    let both = pair.primary.url().replacen(" user=", &format!(",{host} user="), 1);
    let login = Login::of_url("DATABASE_URL", &Secret::new(both), None).unwrap();
    let OpenedDb { db, .. } = Db::open(login, Handle::current(), Clock::system()).unwrap();
    let timeline = async |tx: &Tx| {
        tx.value::<i64>("SELECT current_timeline() AS timeline", &[]).await.unwrap()
    };
    let kept = db.tx().await.unwrap();
    assert_eq!(timeline(&kept).await, 1);
    // The primary stalled. Afterwards it serves who is connected, and here nobody else.
    standby.batch_execute("SELECT pg_promote()").await.unwrap();
    primary.batch_execute("ALTER ROLE bipe_app NOLOGIN").await.unwrap();
    let met = db.tx().await.unwrap();
    assert_eq!(timeline(&met).await, 2);
    kept.rollback().await.unwrap();
    met.rollback().await.unwrap();
    let (one, other) = (db.tx().await.unwrap(), db.tx().await.unwrap());
    assert_eq!((timeline(&one).await, timeline(&other).await), (2, 2));
}

#[actix::test]
async fn a_commit_that_no_synchronous_standby_confirms_is_no_success() {
    let mut primary = Primary::start("unconfirmed").await;
    let OpenedDb { db, committed, .. } = primary.open();
    let company = CompanyId::new(db.clock());
    let node = Node::start(db, committed);
    node.emit(company, EventName::CompanyUpdated, 1).await;
    let admin = primary.admin().await;
    admin.batch_execute("ALTER SYSTEM SET synchronous_standby_names = 'gone'").await.unwrap();
    admin.batch_execute("SELECT pg_reload_conf()").await.unwrap();
    let waits = "SELECT count(*) FROM pg_settings \
         WHERE name = 'synchronous_standby_names' AND setting = 'gone'";
    while admin.query_one(waits, &[]).await.unwrap().get::<_, i64>(0) == 0 {}
    // Commits wait once the checkpointer has read the setting, too. It does so before its next checkpoint.
    admin.batch_execute("CHECKPOINT").await.unwrap();
    let written = async || {
        let tx = node.db.job_tx().await.unwrap();
        let mail = "INSERT INTO mailbox (id, recipient, subject, body_text, body_html, sent_at) \
             VALUES ($1, '', '', '', '', now())";
        tx.execute(mail, &[&node.db.clock().uuid()]).await.unwrap();
        tx
    };
    // Somebody ends the wait, and the server answers a success with a warning, long before the time is over.
    let tx = written().await;
    let end_wait = async {
        let end =
            "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'";
        while admin.query(end, &[]).await.unwrap().is_empty() {}
    };
    let ended = timeout(Duration::from_secs(5), join(tx.commit(), end_wait)).await.unwrap().0;
    assert!(matches!(ended, Err(Error::Unavailable { .. })), "{ended:?}");
    assert!(matches!(written().await.commit().await, Err(Error::Unavailable { .. })));
    primary.stop().await;
}
