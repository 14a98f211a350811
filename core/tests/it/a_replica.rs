//! Reads of platform admins on a replica: which ones go there, how old they say they are, and that no trouble of a
//! replica reaches anybody.

use std::time::Duration;

use bipe_core::Error;
use bipe_core::audit::{self, AuditAction};
use bipe_core::clock::Clock;
use bipe_core::db::access::{Login, ReplicaLogin};
use bipe_core::db::{Db, PlatformTx, WithAge};
use bipe_core::id::{SessionId, UserId};
use bipe_core::scope::{AdminScope, SignedIn};
use bipe_core::testing::pair::Pair;
use bipe_core::testing::{TestDb, caller, company};
use tokio::runtime::Handle;
use tokio::time::{Instant, sleep, timeout};
use tokio_postgres::Client;

/// Nothing is measured by it: a busy machine may take long.
const TIMEOUT: Duration = Duration::from_secs(60);
/// What a frozen replica may cost the first read, on a machine that does other work.
const ONE_WAIT: Duration = Duration::from_secs(4);
const COMPANIES: &str = "SELECT count(*) AS companies FROM companies";

async fn admin(db: &Db, owner: &Client) -> AdminScope {
    let clock = Clock::system();
    let user_id: UserId = company(owner, &clock, "Ponto Azul").await.admin;
    let session_id = SessionId::new(&clock);
    let session = "INSERT INTO sessions (id, user_id, rotated_at, device, ip, created_at, last_used_at) \
         VALUES ($1, $2, now(), '', '', now(), now())";
    owner.execute(session, &[&session_id, &user_id]).await.unwrap();
    owner.execute("UPDATE users SET role = 'admin' WHERE id = $1", &[&user_id]).await.unwrap();
    AdminScope::prove(db, SignedIn { user_id, session_id }).await.unwrap()
}

async fn count(tx: &PlatformTx) -> Result<i64, Error> {
    tx.value(COMPANIES, &[]).await
}

async fn companies(db: &Db, admin: &AdminScope) -> WithAge<i64> {
    db.figures(admin, count).await.unwrap()
}

async fn until_avoided(db: &Db, reason: Option<&str>) {
    let waiting = async {
        while db.replica_avoided() != reason {
            sleep(Duration::from_millis(20)).await;
        }
    };
    assert!(timeout(TIMEOUT, waiting).await.is_ok(), "{:?}", db.replica_avoided());
}

async fn run(client: &Client, sql: &str) {
    client.batch_execute(sql).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn reads_come_from_the_standby_and_say_how_old_they_are() {
    let pair = Pair::new().await;
    let (primary, standby) = (pair.primary.owner().await, pair.standby.owner().await);
    let db = pair.opened().await.db;
    let root = admin(&db, &primary).await;
    pair.until_caught_up().await;
    assert_eq!(companies(&db, &root).await, WithAge { value: 1, age: Some(Duration::ZERO) });
    let on_standby = async |tx: &PlatformTx| {
        tx.value::<bool>(
            "SELECT pg_is_in_recovery() AND current_user = 'bipe_platform' AS on_standby",
            &[],
        )
        .await
    };
    assert!(db.figures(&root, on_standby).await.unwrap().value);
    assert!(db.search(&root, on_standby).await.unwrap().value);

    run(&standby, "SELECT pg_wal_replay_pause()").await;
    company(&primary, &Clock::system(), "Ponto Verde").await;
    sleep(Duration::from_millis(1_200)).await;
    let WithAge { value, age: Some(age) } = companies(&db, &root).await else {
        panic!("the primary")
    };
    assert_eq!(value, 1);
    assert!(age > Duration::from_secs(1) && age < TIMEOUT, "{age:?}");
    // A removed admin is known to the primary alone, which decides.
    primary
        .execute("UPDATE users SET role = 'user' WHERE id = $1", &[&root.user_id()])
        .await
        .unwrap();
    let role = "SELECT role FROM users WHERE id = $1";
    let known = async |tx: &PlatformTx| tx.value::<String>(role, &[&root.user_id()]).await;
    assert_eq!(db.figures(&root, known).await.unwrap().value, "admin");
    let refused = AdminScope::prove(&db, root.who()).await;
    assert!(matches!(refused, Err(Error::Denied(_))), "{refused:?}");

    run(&standby, "SELECT pg_wal_replay_resume()").await;
    pair.until_caught_up().await;
    assert_eq!(companies(&db, &root).await, WithAge { value: 2, age: Some(Duration::ZERO) });
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_reads_what_they_did_and_writes_nothing_on_the_replica() {
    let pair = Pair::new().await;
    let (primary, standby) = (pair.primary.owner().await, pair.standby.owner().await);
    let db = pair.opened().await.db;
    let (ana, bia) = (admin(&db, &primary).await, admin(&db, &primary).await);
    pair.until_caught_up().await;
    run(&standby, "SELECT pg_wal_replay_pause()").await;
    let caller = caller();
    let act = async |action| {
        let tx = db.admin_tx(&ana).await.unwrap();
        audit::record(&tx, audit::by_admin(&ana, &caller, action));
        tx.commit().await.unwrap();
    };
    act(AuditAction::CompanySearch).await;
    assert!(companies(&db, &ana).await.age.is_some(), "a search changes nothing");
    act(AuditAction::CompanyEdit).await;
    assert_eq!(companies(&db, &ana).await.age, None);
    assert!(companies(&db, &bia).await.age.is_some());
    assert_eq!(db.replica_avoided(), None, "the replica is good for others");
    run(&standby, "SELECT pg_wal_replay_resume()").await;
    pair.until_caught_up().await;
    assert!(companies(&db, &ana).await.age.is_some());

    let write = async |tx: &PlatformTx| tx.execute("DELETE FROM members", &[]).await;
    assert!(db.figures(&ana, write).await.is_err());
    let kept = primary.query_one("SELECT count(*) FROM members", &[]).await.unwrap();
    assert_eq!(kept.get::<_, i64>(0), 2);
    // The other reads and the transactions of the primary go on.
    assert_eq!(companies(&db, &ana).await.value, 2);
    act(AuditAction::CompanyEdit).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_frozen_replica_costs_one_wait_and_comes_back() {
    let mut pair = Pair::new().await;
    let primary = pair.primary.owner().await;
    let db = pair.opened().await.db;
    let root = admin(&db, &primary).await;
    pair.until_caught_up().await;
    assert!(companies(&db, &root).await.age.is_some());

    pair.standby.freeze();
    let began = Instant::now();
    assert_eq!(companies(&db, &root).await, WithAge { value: 1, age: None });
    assert!(began.elapsed() < ONE_WAIT, "{:?}", began.elapsed());
    assert_eq!(db.replica_avoided(), Some("unreachable"));
    db.take_statements();
    for _ in 0..20 {
        assert_eq!(companies(&db, &root).await.age, None);
    }
    // Who tries the replica asks the primary first what it has. The watch does, after ten seconds.
    let asked = db.take_statements();
    let tries = asked.iter().filter(|sql| sql.contains("AS newest_act")).count();
    assert!(tries < 5, "{tries} of 20");
    pair.standby.thaw();
    until_avoided(&db, None).await;
    assert!(companies(&db, &root).await.age.is_some());

    // It freezes under a read that has begun: nobody waits for the time that a statement may take.
    let began = Instant::now();
    let read = async |tx: &PlatformTx| {
        if tx.value::<bool>("SELECT pg_is_in_recovery() AS on_standby", &[]).await? {
            pair.standby.freeze();
        }
        count(tx).await
    };
    assert_eq!(db.figures(&root, read).await.unwrap(), WithAge { value: 1, age: None });
    assert!(began.elapsed() < 2 * ONE_WAIT, "{:?}", began.elapsed());
    pair.standby.thaw();
    until_avoided(&db, None).await;

    pair.standby.stop().await;
    assert_eq!(companies(&db, &root).await, WithAge { value: 1, age: None });
}

#[tokio::test(flavor = "multi_thread")]
async fn a_standby_that_is_late_or_was_promoted_is_not_read() {
    let mut pair = Pair::new().await;
    let primary = pair.primary.owner().await;
    let db = pair.opened().await.db;
    let root = admin(&db, &primary).await;
    let standby = pair.standby.owner().await;
    run(&standby, "ALTER SYSTEM SET recovery_min_apply_delay = '1h'").await;
    // What it replays late would end whoever reads it meanwhile.
    run(&standby, "ALTER SYSTEM SET max_standby_streaming_delay = -1").await;
    drop(standby);
    pair.standby.stop().await;
    pair.standby.start().await;
    company(&primary, &Clock::system(), "Ponto Verde").await;
    // Neither this node nor the standby, which has just started, knows how old the last commit there is.
    let replica = ReplicaLogin { login: pair.standby.login(), refuses_unbound: true };
    let (login, runtime) = (pair.primary.login(), Handle::current());
    let late = Db::open_reading(login, Some(replica), runtime, Clock::system()).unwrap().db;
    until_avoided(&late, Some("behind")).await;
    assert_eq!(companies(&late, &root).await, WithAge { value: 2, age: None });

    let standby = pair.standby.owner().await;
    run(&standby, "ALTER SYSTEM RESET recovery_min_apply_delay").await;
    run(&standby, "SELECT pg_reload_conf()").await;
    pair.until_caught_up().await;
    until_avoided(&late, None).await;
    run(&standby, "SELECT pg_promote()").await;
    until_avoided(&late, Some("other_database")).await;
    assert_eq!(companies(&late, &root).await.age, None);
}

#[tokio::test(flavor = "multi_thread")]
async fn another_installation_and_a_mighty_login_are_refused_and_the_database_itself_is_not() {
    let (test, other) = (TestDb::new().await, TestDb::new().await);
    let root = admin(&test.db, &test.owner().await).await;
    let node =
        |login, refuses_unbound| test.reading_node(ReplicaLogin { login, refuses_unbound }).db;
    let mut nowhere = test.config();
    nowhere.dbname("bipe_nowhere");
    let mut empty = test.owner_config();
    empty.dbname("postgres");
    let others = [
        (other.config(), "other_database"),
        (nowhere, "other_database"),
        (empty, "other_database"),
    ];
    for (config, reason) in others {
        let db = node(Login::local(config), false);
        until_avoided(&db, Some(reason)).await;
        assert_eq!(companies(&db, &root).await, WithAge { value: 1, age: None });
        db.close();
    }
    let db = node(Login::local(test.owner_config()), true);
    until_avoided(&db, Some("login")).await;
    assert_eq!(companies(&db, &root).await.age, None);
    db.close();
    for (config, is_production) in [(test.owner_config(), false), (test.config(), true)] {
        let db = node(Login::local(config), is_production);
        until_avoided(&db, None).await;
        let role = async |tx: &PlatformTx| {
            tx.value::<String>("SELECT current_user::text AS role", &[]).await
        };
        let read = db.figures(&root, role).await.unwrap();
        assert_eq!(read, WithAge { value: "bipe_platform".into(), age: Some(Duration::ZERO) });
        db.close();
    }
}
