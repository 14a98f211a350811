//! A payment in PostgreSQL's log.

use bipe_swarm::payments::script::Script;

const LOG: &str = "\
2026-11-21 12:00:00 UTC [7] LOG:  statement: BEGIN; RESET ALL; SELECT pg_advisory_unlock_all(); COMMIT; \
    BEGIN; SET LOCAL bipe.company_id = '019e0000-0000-7000-8000-000000000001'
2026-11-21 12:00:00 UTC [8] LOG:  statement: BEGIN
2026-11-21 12:00:00 UTC [7] LOG:  execute s1: INSERT INTO debit_segments (id, x) VALUES ($1, $2)
2026-11-21 12:00:00 UTC [7] DETAIL:  Parameters: \
    $1 = '019e0000-0000-7000-8000-0000000000aa', $2 = 'it''s, \n\t$3 = 4', $3 = NULL
2026-11-21 12:00:00 UTC [8] LOG:  statement: ROLLBACK
2026-11-21 12:00:00 UTC [7] LOG:  statement: COMMIT
2026-11-21 12:00:00 UTC [8] LOG:  execute s2: WITH w AS (SELECT 1) INSERT INTO jobs SELECT $1
2026-11-21 12:00:00 UTC [8] DETAIL:  Parameters: $1 = '[{\"id\":\"019e0000-0000-7000-8000-0000000000bb\",\
    \"key\":\"019e0000-0000-7000-8000-000000000001\"}]'
2026-11-21 12:00:00 UTC [8] LOG:  statement: BEGIN; RESET ALL; SELECT pg_advisory_unlock_all(); COMMIT
2026-11-21 12:00:00 UTC [8] LOG:  execute s3: SELECT $1
2026-11-21 12:00:00 UTC [8] DETAIL:  Parameters: $1 = '1'
";

#[test]
fn a_payment_is_read_from_the_log_and_made_another_ones() {
    let script = Script::of_payment(LOG, "019e0000-0000-7000-8000-000000000001").unwrap();
    assert_eq!(
        script.statement_count(),
        4,
        "the other session's transaction is not part of it, what it does for the company alone is"
    );
    let again = script.for_company("019e0000-0000-7000-8000-000000000002", 5);
    assert!(again[0].sql.contains("000000000002"));
    let values = again[1].values.clone().unwrap();
    assert_eq!(values[0].as_deref(), Some("019e0000-0000-7000-8000-000000000005"));
    assert_eq!((values[1].as_deref(), &values[2]), (Some("it's, \n$3 = 4"), &None));
    let rows = "[{\"id\":\"019e0000-0000-7000-8000-000000000005\",\
        \"key\":\"019e0000-0000-7000-8000-000000000002\"}]";
    assert_eq!(again[3].values.clone().unwrap()[0].as_deref(), Some(rows));
}
