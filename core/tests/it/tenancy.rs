//! The second lock alone: row-level security where a statement forgets its `company_id` (invariant I4).

use bipe_core::db::Db;
use bipe_core::id::{CompanyId, UserId};
use bipe_core::scope::{CompanyScope, JobScope};
use bipe_core::secret::sha256;
use bipe_core::testing::{self, TestCompany, TestDb};
use tokio_postgres::Client;

struct Company {
    id: CompanyId,
    admin: UserId,
    name: &'static str,
}

async fn company(test: &TestDb, owner: &Client, name: &'static str) -> Company {
    let TestCompany { id, admin } = testing::company(owner, test.db.clock(), name).await;
    Company { id, admin, name }
}

fn scope(company: &Company) -> CompanyScope {
    CompanyScope::of_job(&JobScope::of_test(), company.id)
}

async fn two_companies() -> (TestDb, Company, Company) {
    let test = TestDb::new().await;
    let owner = test.owner().await;
    let first = company(&test, &owner, "norte").await;
    let second = company(&test, &owner, "sul").await;
    (test, first, second)
}

const ALL_NAMES: &str = "SELECT name FROM companies ORDER BY name";
const ALL_MEMBERS: &str = "SELECT user_id FROM members";

#[tokio::test]
async fn a_company_transaction_sees_one_company_even_without_a_condition() {
    let (test, first, second) = two_companies().await;
    for company in [&first, &second] {
        let tx = test.db.company_tx(&scope(company)).await.unwrap();
        let row = tx.query_one(ALL_NAMES, &[]).await.unwrap();
        assert_eq!(row.get::<_, &str>("name"), company.name);
        let row = tx.query_one(ALL_MEMBERS, &[]).await.unwrap();
        assert_eq!(row.get::<_, UserId>("user_id"), company.admin);
    }
}

#[tokio::test]
async fn a_company_transaction_changes_and_adds_nothing_elsewhere() {
    let (test, first, second) = two_companies().await;
    let tx = test.db.company_tx(&scope(&first)).await.unwrap();
    let touched = tx.execute("UPDATE members SET role = 'finance'", &[]).await.unwrap();
    assert_eq!(touched, 1);
    let moved = "UPDATE members SET company_id = $1";
    assert!(tx.execute(moved, &[&second.id]).await.is_err());
    drop(tx);

    let tx = test.db.company_tx(&scope(&first)).await.unwrap();
    let smuggled = "INSERT INTO members (id, company_id, user_id, role, created_at, updated_at) \
         VALUES ($1, $2, $3, 'admin', now(), now())";
    let id = test.db.clock().uuid();
    assert!(tx.execute(smuggled, &[&id, &second.id, &first.admin]).await.is_err());
    drop(tx);

    let tx = test.db.company_tx(&scope(&second)).await.unwrap();
    let row = tx.query_one("SELECT role FROM members", &[]).await.unwrap();
    assert_eq!(row.get::<_, &str>("role"), "admin", "the other company is as it was");
}

#[tokio::test]
async fn a_plain_transaction_sees_no_company() {
    let (test, _, _) = two_companies().await;
    let tx = test.db.tx().await.unwrap();
    assert!(tx.query(ALL_NAMES, &[]).await.unwrap().is_empty());
    assert!(tx.query(ALL_MEMBERS, &[]).await.unwrap().is_empty());
}

#[tokio::test]
async fn a_person_sees_the_own_companies_alone() {
    let (test, first, _) = two_companies().await;
    let tx = test.db.user_tx(first.admin).await.unwrap();
    let row = tx.query_one(ALL_NAMES, &[]).await.unwrap();
    assert_eq!(row.get::<_, &str>("name"), first.name);
    assert_eq!(tx.execute("UPDATE members SET role = 'finance'", &[]).await.unwrap(), 0);
}

/// An open invitation of the company, written as the owner.
async fn invitation(test: &TestDb, owner: &Client, company: &Company, token: &str, email: &str) {
    let hash = sha256(token.as_bytes());
    let insert = "INSERT INTO invites \
         (id, company_id, email, role, token_sha256, invited_by, created_at, expires_at) \
         VALUES ($1, $2, $3, 'operator', $4, $5, now(), now())";
    let id = test.db.clock().uuid();
    owner
        .execute(insert, &[&id, &company.id, &email, &hash.as_slice(), &company.admin])
        .await
        .unwrap();
}

const ALL_INVITES: &str = "SELECT company_id FROM invites";
const TOUCH_INVITES: &str = "UPDATE invites SET closed_at = now()";

#[tokio::test]
async fn a_token_shows_its_invitation_and_company_and_changes_nothing() {
    let (test, first, second) = two_companies().await;
    let owner = test.owner().await;
    invitation(&test, &owner, &first, "one", "eva@example.com").await;
    invitation(&test, &owner, &second, "two", "eva@example.com").await;
    for (token, company) in [("one", &first), ("two", &second)] {
        let tx = test.db.invite_tx(&sha256(token.as_bytes())).await.unwrap();
        let row = tx.query_one(ALL_INVITES, &[]).await.unwrap();
        assert_eq!(row.get::<_, CompanyId>("company_id"), company.id);
        let row = tx.query_one(ALL_NAMES, &[]).await.unwrap();
        assert_eq!(row.get::<_, &str>("name"), company.name);
        assert!(tx.query(ALL_MEMBERS, &[]).await.unwrap().is_empty());
        assert_eq!(tx.execute(TOUCH_INVITES, &[]).await.unwrap(), 0);
    }
    let tx = test.db.invite_tx(&sha256(b"three")).await.unwrap();
    assert!(tx.query(ALL_INVITES, &[]).await.unwrap().is_empty());
    assert!(tx.query(ALL_NAMES, &[]).await.unwrap().is_empty());
}

#[tokio::test]
async fn a_person_sees_the_invitations_to_the_own_proven_address_alone() {
    let (test, first, second) = two_companies().await;
    let owner = test.owner().await;
    // The second company invites the first one's admin, and somebody else.
    let address = format!("{}@example.com", first.admin);
    invitation(&test, &owner, &second, "one", &address).await;
    invitation(&test, &owner, &second, "two", "eva@example.com").await;
    let seen = async || {
        let tx = test.db.user_tx(first.admin).await.unwrap();
        assert_eq!(tx.execute(TOUCH_INVITES, &[]).await.unwrap(), 0);
        tx.query(ALL_INVITES, &[]).await.unwrap().len()
    };
    assert_eq!(seen().await, 0, "not proven yet");
    let prove = "UPDATE users SET email_verified_at = now() WHERE id = $1";
    owner.execute(prove, &[&first.admin]).await.unwrap();
    assert_eq!(seen().await, 1);
}

#[tokio::test]
async fn a_person_sees_the_own_notifications_alone_and_changes_no_more_than_that_they_are_read() {
    let (test, first, second) = two_companies().await;
    let owner = test.owner().await;
    let insert = "INSERT INTO notifications (user_id, id, company_id, company_name, topic, source, at) \
         VALUES ($1, $2, $3, $4, 'plan.changed', 's', now())";
    for company in [&first, &second] {
        let id = test.db.clock().uuid();
        owner.execute(insert, &[&company.admin, &id, &company.id, &company.name]).await.unwrap();
    }
    let names = "SELECT company_name FROM notifications";
    for company in [&first, &second] {
        let tx = test.db.user_tx(company.admin).await.unwrap();
        let row = tx.query_one(names, &[]).await.unwrap();
        assert_eq!(row.get::<_, &str>("company_name"), company.name);
        let read = "UPDATE notifications SET read_at = now()";
        assert_eq!(tx.execute(read, &[]).await.unwrap(), 1);
        assert_eq!(tx.execute("DELETE FROM notifications", &[]).await.unwrap(), 0);
        let tx = test.db.company_tx(&scope(company)).await.unwrap();
        let row = tx.query_one(names, &[]).await.unwrap();
        assert_eq!(row.get::<_, &str>("company_name"), company.name);
    }
    for forged in ["topic = 'payment.approved'", "amount_cents = 1", "user_id = company_id"] {
        let tx = test.db.user_tx(first.admin).await.unwrap();
        let forged = format!("UPDATE notifications SET {forged}");
        assert!(tx.execute(&forged, &[]).await.is_err(), "{forged}");
    }
    let tx = test.db.tx().await.unwrap();
    assert!(tx.query(names, &[]).await.unwrap().is_empty());
}

#[tokio::test]
async fn a_person_sees_and_changes_the_own_saved_views_alone() {
    let (test, first, second) = two_companies().await;
    let owner = test.owner().await;
    let insert = "INSERT INTO saved_views (id, user_id, list, name, filters, created_at, updated_at) \
         VALUES (gen_random_uuid(), $1, 'users', $2, '{}', now(), now())";
    for company in [&first, &second] {
        owner.execute(insert, &[&company.admin, &company.name]).await.unwrap();
    }
    let names = "SELECT name FROM saved_views";
    for company in [&first, &second] {
        let tx = test.db.user_tx(company.admin).await.unwrap();
        let row = tx.query_one(names, &[]).await.unwrap();
        assert_eq!(row.get::<_, &str>("name"), company.name);
        assert_eq!(tx.execute("UPDATE saved_views SET name = 'x'", &[]).await.unwrap(), 1);
        assert_eq!(tx.execute("DELETE FROM saved_views", &[]).await.unwrap(), 1);
    }
    let tx = test.db.user_tx(first.admin).await.unwrap();
    assert!(tx.execute(insert, &[&second.admin, &"x"]).await.is_err(), "in another's name");
    let tx = test.db.user_tx(first.admin).await.unwrap();
    let moved = "UPDATE saved_views SET user_id = $1";
    assert!(tx.execute(moved, &[&second.admin]).await.is_err());
    for tx in [test.db.tx().await.unwrap(), test.db.job_tx().await.unwrap()] {
        assert!(tx.query(names, &[]).await.unwrap().is_empty());
    }
    let tx = test.db.company_tx(&scope(&first)).await.unwrap();
    assert!(tx.query(names, &[]).await.unwrap().is_empty());
}

#[tokio::test]
async fn the_platform_sees_every_company() {
    let (test, first, second) = two_companies().await;
    let tx = test.db.platform_tx(&JobScope::of_test()).await.unwrap();
    let rows = tx.query(ALL_NAMES, &[]).await.unwrap();
    let names: Vec<&str> = rows.iter().map(|row| row.get("name")).collect();
    assert_eq!(names, [first.name, second.name]);
}

#[tokio::test]
async fn a_connection_forgets_its_company_with_the_transaction() {
    let (test, first, _) = two_companies().await;
    // More turns than the pool has connections, so that each comes back at least once.
    for _ in 0..20 {
        test.db.company_tx(&scope(&first)).await.unwrap().commit().await.unwrap();
        assert!(sees_nothing(&test.db).await);
    }
}

async fn sees_nothing(db: &Db) -> bool {
    let tx = db.tx().await.unwrap();
    let rows = tx.query(ALL_NAMES, &[]).await.unwrap();
    tx.rollback().await.unwrap();
    rows.is_empty()
}
