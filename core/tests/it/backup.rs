//! A backup that is filled into a new database: the same rows behind the same locks, or nothing at all.

use bipe_core::backup::load::{Loaded, Opened, Signer};
use bipe_core::backup::take::{Source, take};
use bipe_core::backup::{BackupError, PURPOSE};
use bipe_core::db::access::Login;
use bipe_core::id::UserId;
use bipe_core::secret::{KeyRing, Secret};
use bipe_core::testing::{TestDb, company};
use tokio_postgres::Client;

fn keys() -> KeyRing {
    KeyRing::derive(&Secret::new("a secret of thirty-two bytes, or more"), PURPOSE)
}

async fn backup_of(test: &TestDb, erased: &[UserId]) -> Vec<u8> {
    let (login, keys) = (Login::local(test.config()), keys());
    let source = Source { login: &login, erased, keys: &keys, clock: test.db.clock() };
    take(&source, Vec::new()).await.unwrap().1
}

async fn fill(test: &TestDb, backup: &[u8]) -> Result<Loaded, BackupError> {
    let owner = Login::local(test.owner_config());
    Opened::read(backup, Signer::Ours(&keys())).await?.fill(&owner).await?.commit().await
}

/// Rights, triggers, policies, and whether they hold for the owner.
const PROTECTION: &str = "SELECT string_agg(line, E'\\n' ORDER BY line) FROM (\
     SELECT format('%s %s %s %s', relname, relrowsecurity, relforcerowsecurity, relacl) AS line FROM pg_class \
       WHERE relnamespace = 'public'::regnamespace UNION ALL \
     SELECT format('%s %s %s', tgrelid::regclass, tgname, tgenabled) FROM pg_trigger WHERE NOT tgisinternal UNION ALL \
     SELECT format('%s %s %s', tablename, policyname, qual) FROM pg_policies) AS lines";
const HISTORY: &str = "SELECT id::text FROM database_history";

async fn text(owner: &Client, sql: &str) -> String {
    owner.query_one(sql, &[]).await.unwrap().get(0)
}

#[tokio::test]
async fn a_new_database_gets_the_rows_the_locks_and_a_history_of_its_own() {
    let (old, new) = (TestDb::new().await, TestDb::new().await);
    let (from, to) = (old.owner().await, new.owner().await);
    company(&from, old.db.clock(), "Ponto").await;
    company(&from, old.db.clock(), "Outro").await;
    let (protection, history) = (text(&to, PROTECTION).await, text(&to, HISTORY).await);
    let erased = UserId(old.db.clock().uuid());
    let loaded = fill(&new, &backup_of(&old, &[erased]).await).await.unwrap();
    assert_eq!(loaded.erased, [erased]);
    assert_eq!(text(&to, PROTECTION).await, protection);
    let names = "SELECT string_agg(name, ', ' ORDER BY name) FROM companies";
    assert_eq!(text(&to, names).await, "Outro, Ponto");
    let steps = "SELECT string_agg(id || noun, ', ' ORDER BY id) FROM head_counts";
    assert_eq!(text(&to, steps).await, text(&from, steps).await, "no trigger counted again");
    assert_ne!(text(&to, HISTORY).await, history, "readers load their state anew");
    let known = "SELECT reltuples::bigint::text FROM pg_class WHERE oid = 'companies'::regclass";
    assert_eq!(text(&to, known).await, "2", "the planner knows what the tables hold");
    // The next number follows the last one of the backup.
    let next =
        "INSERT INTO head_counts (noun, at, step) VALUES ('users', now(), 1) RETURNING id::text";
    assert_eq!(text(&to, next).await, text(&from, next).await);

    let again = fill(&new, &backup_of(&old, &[]).await).await;
    assert!(matches!(again, Err(BackupError::NotEmpty)), "{again:?}");
    assert_eq!(text(&to, names).await, "Outro, Ponto");
}

#[tokio::test]
async fn what_is_cut_or_bent_leaves_an_empty_database_that_still_takes_the_whole() {
    let (old, new) = (TestDb::new().await, TestDb::new().await);
    let (from, to) = (old.owner().await, new.owner().await);
    company(&from, old.db.clock(), "Ponto").await;
    let whole = backup_of(&old, &[]).await;
    // Everything but the signature, and the name of the company.
    let cut = fill(&new, &whole[..whole.len() - 2048]).await;
    assert!(matches!(cut, Err(BackupError::Truncated)), "{cut:?}");
    let at = whole.windows(5).position(|window| window == b"Ponto").unwrap();
    let mut bent = whole.clone();
    bent[at] = b'p';
    let bent = fill(&new, &bent).await;
    assert!(matches!(bent, Err(BackupError::Altered(_))), "{bent:?}");
    let count = "SELECT count(*)::text FROM companies";
    assert_eq!(text(&to, count).await, "0");
    fill(&new, &whole).await.unwrap();
    assert_eq!(text(&to, count).await, "1");
}
