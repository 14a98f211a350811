//! Which statements share a round trip.

use bipe_swarm::payments::replay::travelling_together;
use bipe_swarm::payments::script::Statement;

#[test]
fn what_is_staged_travels_with_its_commit_and_nothing_else_does() {
    let statement = |sql: &str| Statement { sql: sql.to_owned(), values: None };
    let all = [
        "BEGIN",
        "UPDATE companies SET name = $1",
        "DELETE FROM jobs WHERE kind = $1 AND key = $2",
        "WITH audited AS (INSERT INTO audit_entries (id) SELECT 1) INSERT INTO jobs SELECT 1",
        "WITH head AS (SELECT 1), appended AS (INSERT INTO events (seq) SELECT 1) SELECT 1",
        "COMMIT",
    ]
    .map(statement);
    assert_eq!([0, 1, 2].map(|from| travelling_together(&all[from..])), [1, 1, 4]);
    assert_eq!(travelling_together(&all[2..5]), 1, "no commit follows");
}
