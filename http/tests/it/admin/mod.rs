//! The platform admin's area as a client sees it.

mod analytics;
mod audit;
mod companies;
mod disputes;
mod live;
mod nodes;
mod payment_search;
mod payments;
mod plans;
mod refund_failures;
mod refunds;
mod replica;
mod roles;
mod users;
mod views;

use bipe_core::testing::TestDb;
use bipe_testkit::Person;
use tokio_postgres::Client;

use crate::app::TestApp;

/// A platform admin who is signed in.
pub async fn admin(server: &TestApp) -> Person {
    let root = server.person("root@example.com").await;
    set_role(&server.database, &root, "admin").await;
    root
}

/// As another platform admin would, past every rule.
async fn set_role(database: &TestDb, person: &Person, role: &str) {
    let owner = database.owner().await;
    owner.execute("UPDATE users SET role = $2 WHERE id = $1", &[&person.id, &role]).await.unwrap();
}

/// What the audit has about an action: target and fields, oldest first.
async fn audited(owner: &Client, action: &str) -> Vec<(String, Vec<String>)> {
    let sql = "SELECT target, fields FROM audit_entries WHERE action = $1 AND outcome = 'ok' \
         AND actor_id IS NOT NULL AND session_id IS NOT NULL AND network IS NOT NULL ORDER BY at, id";
    let rows = owner.query(sql, &[&action]).await.unwrap();
    rows.iter()
        .map(|row| (row.get::<_, Option<String>>(0).unwrap_or_default(), row.get(1)))
        .collect()
}
