//! Runs the SQL of docs/operations.md, "Database", to the letter, and tries the logins that production refuses.

use bipe_core::backup::PURPOSE;
use bipe_core::backup::load::{Opened, Signer};
use bipe_core::backup::take::{Source, take};
use bipe_core::clock::Clock;
use bipe_core::db::{self, Db, migrate, roles, upgrade};
use bipe_core::scope::JobScope;
use bipe_core::secret::{KeyRing, Secret};
use tokio::runtime::Handle;

use super::{Login, Postgres};

const OPERATIONS: &str = include_str!("../../../../docs/operations.md");

/// The statements of docs/operations.md, "Database", for an administrator of the server: those before the first start,
/// and those after it.
fn recipe() -> (Vec<&'static str>, Vec<&'static str>) {
    let (_, recipe) = OPERATIONS.split_once("```sql\n").unwrap();
    let (recipe, _) = recipe.split_once("```").unwrap();
    let (before, after) = recipe.split_once("-- after the first start\n").unwrap();
    let lines = |text: &'static str| text.lines().filter(|line| !line.starts_with("--")).collect();
    (lines(before), lines(after))
}

/// Whether the login serves: every kind of transaction begins, and company rows stay closed to a plain one.
async fn serves(login: &Login) {
    let db = Db::open(login.clone(), Handle::current(), Clock::system()).unwrap().db;
    assert!(db::is_ready(&db).await);
    let tx = db.platform_tx(&JobScope::of_test()).await.unwrap();
    let id = db.clock().uuid();
    let insert = "INSERT INTO companies (id, name, created_by, max_users, max_beeping, created_at, updated_at) \
         VALUES ($1, 'norte', $1, 1, 1, now(), now())";
    let person = "INSERT INTO users \
         (id, name, email, document, phone, birth_date, password_hash, created_at, updated_at) \
         VALUES ($1, 'Ana Souza', $2, $2, '', '1990-01-01', '', now(), now())";
    tx.execute(person, &[&id, &id.to_string()]).await.unwrap();
    tx.execute(insert, &[&id]).await.unwrap();
    tx.commit().await.unwrap();
    let count = async |tx: &db::Tx| {
        let row = tx.query_one("SELECT count(*) FROM companies", &[]).await.unwrap();
        row.get::<_, i64>(0)
    };
    let plain = db.tx().await.unwrap();
    assert_eq!(count(&plain).await, 0);
    plain.rollback().await.unwrap();
    let platform = db.platform_tx(&JobScope::of_test()).await.unwrap();
    assert!(count(&platform).await > 0);
    platform.rollback().await.unwrap();
    db.close();
}

#[tokio::test(flavor = "multi_thread")]
async fn the_login_of_the_operations_page_migrates_serves_and_starts_again() {
    let postgres = Postgres::start("recipe", None).await;
    let admin = postgres.superuser("postgres").await;
    // As a managed service gives them out: no superuser.
    admin.batch_execute("CREATE ROLE managed CREATEROLE CREATEDB").await.unwrap();
    admin.batch_execute("SET SESSION AUTHORIZATION managed").await.unwrap();
    let (before, after) = recipe();
    for line in &before {
        admin.batch_execute(line).await.unwrap();
    }
    let login = postgres.local("bipe:choose-one", "bipe");
    roles::refuse_unbound(&login).await.unwrap();
    assert_eq!(migrate::migrate(&login).await.unwrap(), upgrade::migrations().unwrap().len());
    serves(&login).await;
    for line in &after {
        admin.batch_execute(line).await.unwrap();
    }
    assert_eq!(migrate::migrate(&login).await.unwrap(), 0);
    serves(&login).await;

    // A login that owns nothing and may change nothing serves what the owner has migrated.
    admin.batch_execute("CREATE ROLE other LOGIN PASSWORD 'pw'").await.unwrap();
    let other = postgres.local("other:pw", "bipe");
    let refused = migrate::migrate(&other).await.unwrap_err().to_string();
    assert!(refused.contains("GRANT bipe_app"), "nothing is left to migrate: {refused}");
    admin.batch_execute("GRANT bipe_app TO other").await.unwrap();
    assert_eq!(migrate::migrate(&other).await.unwrap(), 0);
    serves(&other).await;

    // It takes backups, and the restricted owner of a new database restores them.
    admin.batch_execute("CREATE DATABASE restored OWNER bipe").await.unwrap();
    restores(&other, &postgres.local("bipe:choose-one", "restored")).await;
}

async fn restores(login: &Login, owner: &Login) {
    let keys = KeyRing::derive(&Secret::new("a secret of thirty-two bytes, or more"), PURPOSE);
    let source = Source { login, erased: &[], keys: &keys, clock: &Clock::system() };
    let (taken, backup) = take(&source, Vec::new()).await.unwrap();
    let companies = taken.tables.iter().find(|table| table.name == "companies").unwrap();
    assert_eq!(companies.sum.rows, 3, "row-level security hides no company from a backup");
    let opened = Opened::read(&backup[..], Signer::Ours(&keys)).await.unwrap();
    let filled = opened.fill(owner).await.unwrap();
    assert_eq!(filled.commit().await.unwrap().manifest, taken);
    serves(owner).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn production_refuses_a_login_that_passes_row_level_security() {
    let postgres = Postgres::start("unbound", None).await;
    let admin = postgres.superuser("postgres").await;
    let cases = [
        ("one", "SUPERUSER", "one is a superuser"),
        ("two", "BYPASSRLS", "two is allowed to bypass row-level security"),
        ("three", "IN ROLE two", "three may become two, which is allowed to bypass"),
    ];
    for (name, power, said) in cases {
        let make = format!("CREATE ROLE {name} LOGIN PASSWORD 'pw' {power}");
        admin.batch_execute(&make).await.unwrap();
        let login = postgres.local(&format!("{name}:pw"), "postgres");
        let refused = roles::refuse_unbound(&login).await.unwrap_err().to_string();
        assert!(refused.contains(said), "{refused}");
    }
    admin.batch_execute("CREATE ROLE four LOGIN CREATEROLE PASSWORD 'pw'").await.unwrap();
    roles::refuse_unbound(&postgres.local("four:pw", "postgres")).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_login_without_the_right_to_make_roles_hears_what_to_grant() {
    let postgres = Postgres::start("powerless", None).await;
    let admin = postgres.superuser("postgres").await;
    admin.batch_execute("CREATE ROLE plain LOGIN PASSWORD 'pw'").await.unwrap();
    admin.batch_execute("CREATE DATABASE plain OWNER plain").await.unwrap();
    let login = postgres.local("plain:pw", "plain");
    let refused = migrate::migrate(&login).await.unwrap_err().to_string();
    assert!(refused.starts_with("internal: the login that migrates can neither"), "{refused}");
    assert!(refused.contains("CREATEROLE"), "{refused}");
}
