//! Every statement of core against the migrated schema, and both locks on company data (invariant I4).

use std::collections::BTreeSet;

use bipe_core::testing::TestDb;
use tokio_postgres::error::SqlState;
use tokio_postgres::{Client, SimpleQueryMessage};

use crate::statements::{self, Statement};

/// Read or change rows of a company without naming it, each for its reason.
const WITHOUT_COMPANY: &[(&str, &str)] = &[
    // What has outlived its time goes for all companies at once.
    ("purge.rs", "AUDIT"),
    ("purge.rs", "IDEMPOTENCY_KEYS"),
    ("purge.rs", "INVITES"),
    // An alert is closed by its subject, by the platform alone.
    ("alert.rs", "CLOSE"),
    ("alert.rs", "CLOSE_EACH"),
    ("alert.rs", "CLOSE_OTHERS"),
    // The channel names the company.
    ("event/store.rs", "SINCE"),
    // A person's own rows, in every company at once.
    ("auth/personal_data/erasure.rs", "DELETE_IDEMPOTENCY_KEYS"),
    ("auth/personal_data/erasure.rs", "DELETE_EVENTS"),
    ("auth/personal_data/erasure.rs", "DELETE_NOTIFICATIONS"),
    ("notification/store.rs", "MARK_READ"),
    ("notification/store.rs", "UNREAD"),
    // Retention, the same for everybody.
    ("purge.rs", "NOTIFICATIONS"),
    ("event/store.rs", "PURGE"),
    // A platform admin's figures are about all companies.
    ("audit.rs", "COUNT"),
    ("audit.rs", "COUNT_OF_ACTOR"),
    ("audit.rs", "LOOKED"),
    ("database_status.rs", "ALERTS_OPEN"),
    ("diagnosis.rs", "ALERTS"),
    ("diagnosis.rs", "UNKNOWN_PAYMENTS"),
    ("metrics/check.rs", "ROWS"),
    ("metrics/check.rs", "UNSETTLED"),
    ("metrics/live.rs", "CHANGES"),
    ("metrics/live.rs", "NEWEST_EVENTS"),
    ("metrics/store.rs", "MOVED"),
    ("plan/admin_store.rs", "LIST"),
    ("plan/admin_store.rs", "RUNNING"),
];

#[tokio::test]
async fn every_statement_prepares_and_a_working_role_may_run_it() {
    let test = TestDb::new().await;
    let owner = test.owner().await;
    let mut wrong = Vec::new();
    let all = statements::all();
    assert!(all.len() > 300, "{} statements are found", all.len());
    for Statement { path, sql, .. } in all {
        if let Some(problem) = problem(&owner, &sql).await {
            wrong.push(format!("{path}: {problem}: {sql}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

async fn problem(owner: &Client, sql: &str) -> Option<String> {
    if let Err(error) = owner.prepare(sql).await {
        return Some(message(&error));
    }
    let mut problem = None;
    for role in ["bipe_app", "bipe_platform"] {
        // Planning checks the rights on tables and columns; nothing is run. PostgreSQL 15 cannot do it.
        let plan = format!("BEGIN; SET LOCAL ROLE {role}; EXPLAIN (GENERIC_PLAN) {sql}");
        let planned = owner.batch_execute(&plan).await;
        owner.batch_execute("ROLLBACK").await.unwrap();
        match planned {
            Err(error) if error.code() != Some(&SqlState::SYNTAX_ERROR) => {
                problem = Some(message(&error));
            }
            _ => return None,
        }
    }
    problem
}

fn message(error: &tokio_postgres::Error) -> String {
    error.as_db_error().map_or_else(|| error.to_string(), |error| error.message().to_owned())
}

#[tokio::test]
async fn every_statement_on_company_data_names_the_company() {
    let test = TestDb::new().await;
    let owner = test.owner().await;
    let tables = "SELECT c.relname::text FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid \
         WHERE c.relkind IN ('r', 'p') AND c.relnamespace = 'public'::regnamespace \
           AND a.attname = 'company_id' AND NOT a.attisdropped";
    let tables: BTreeSet<String> =
        owner.query(tables, &[]).await.unwrap().iter().map(|row| row.get(0)).collect();
    let mut careless = Vec::new();
    for Statement { path, name, sql } in statements::all() {
        let words: BTreeSet<&str> =
            sql.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').collect();
        let touches = tables.iter().any(|table| words.contains(table.as_str()));
        if touches && !words.contains("company_id") {
            careless.push((path, name));
        }
    }
    let careless: BTreeSet<(&str, &str)> =
        careless.iter().map(|(path, name)| (path.as_str(), name.as_str())).collect();
    let excused: BTreeSet<(&str, &str)> = WITHOUT_COMPANY.iter().copied().collect();
    let (new, stale) = (&careless - &excused, &excused - &careless);
    assert!(new.is_empty(), "company data without company_id: {new:#?}");
    assert!(stale.is_empty(), "excused for nothing: {stale:#?}");
}

/// Without one, each account that is deleted reads the whole table.
#[tokio::test]
async fn what_refers_to_a_person_is_found_by_an_index() {
    let test = TestDb::new().await;
    let owner = test.owner().await;
    let unserved = "SELECT c.conrelid::regclass::text FROM pg_constraint c \
         WHERE c.contype = 'f' AND c.confrelid = 'users'::regclass AND NOT EXISTS (\
         SELECT FROM pg_index i WHERE i.indrelid = c.conrelid AND i.indkey[0] = c.conkey[1] AND i.indpred IS NULL)";
    let unserved: Vec<String> =
        owner.query(unserved, &[]).await.unwrap().iter().map(|row| row.get(0)).collect();
    assert_eq!(unserved, [""; 0]);
}

/// Preparing those ways took longer than the row.
#[tokio::test]
async fn a_company_is_read_without_a_plan_for_other_ways_to_see_it() {
    let test = TestDb::new().await;
    let owner = test.owner().await;
    owner.batch_execute("BEGIN; SET LOCAL ROLE bipe_app").await.unwrap();
    let read = "EXPLAIN SELECT status FROM companies WHERE id = gen_random_uuid()";
    let plan = owner.query(read, &[]).await.unwrap();
    let scans: Vec<&str> =
        plan.iter().map(|row| row.get(0)).filter(|line: &&str| line.contains(" on ")).collect();
    assert!(matches!(scans[..], [scan] if scan.contains(" on companies")), "{scans:?}");
}

#[tokio::test]
async fn a_claim_reads_no_more_jobs_than_it_takes() {
    let test = TestDb::new().await;
    let owner = test.owner().await;
    let due = "INSERT INTO jobs (id, kind, key, payload, run_at, created_at) \
         SELECT gen_random_uuid(), kind, n::text, '{}', now() - make_interval(secs => n), now() \
         FROM generate_series(1, 20000) n, unnest('{mail,webhook,renewal}'::text[]) kind; ANALYZE jobs";
    owner.batch_execute(due).await.unwrap();
    let all = statements::all();
    let claim = all.iter().find(|s| s.path == "job.rs" && s.name == "CLAIM").unwrap();
    owner.batch_execute(&format!("PREPARE claim AS {}", claim.sql)).await.unwrap();
    for (limits, of_queues) in
        [("16, 4, 8, 2", [4, 8, 0]), ("16, 0, 16, 0", [0, 16, 0]), ("4, 4, 4, 4", [0, 4, 0])]
    {
        let explain = format!(
            "EXPLAIN (ANALYZE, TIMING OFF) EXECUTE claim(now(), now(), now(), \
             '{{mail,webhook,renewal}}', '{{purge}}', {limits}); "
        );
        owner.batch_execute("BEGIN").await.unwrap();
        let plan = owner.query(&explain, &[]).await.unwrap();
        owner.batch_execute("ROLLBACK").await.unwrap();
        let plan: Vec<String> = plan.iter().map(|row| row.get(0)).collect();
        for (index, rows) in ["jobs_mails", "jobs_general", "jobs_claim"].into_iter().zip(of_queues)
        {
            let scan = plan.iter().find(|line| line.contains(index)).unwrap();
            let read = format!("actual rows={rows}");
            assert!(
                scan.contains(&read) || rows == 0 && scan.contains("never executed"),
                "{plan:#?}"
            );
        }
        assert_eq!(skipped(&plan), 0, "{plan:#?}");
    }
}

/// A connection plans while the table is small, and keeps that plan when thousands of jobs have gone through the table.
#[tokio::test]
async fn a_finished_job_is_found_by_an_index_even_by_a_plan_of_the_first_day() {
    let test = TestDb::new().await;
    let all = statements::all();
    let finish = all.iter().find(|s| s.path == "job.rs" && s.name == "FINISH").unwrap();
    let explain = format!("EXPLAIN (GENERIC_PLAN) {}", finish.sql);
    let plan = plan(&test.owner().await.simple_query(&explain).await.unwrap());
    assert!(!plan.iter().any(|line| line.contains("Seq Scan on jobs")), "{plan:#?}");
    assert!(plan.iter().any(|line| line.contains("using jobs_pkey")), "{plan:#?}");
}

#[tokio::test]
async fn the_next_due_job_is_found_by_the_first_row_of_each_queue() {
    let test = TestDb::new().await;
    let owner = test.owner().await;
    let later = "INSERT INTO jobs (id, kind, key, payload, run_at, created_at) \
         SELECT gen_random_uuid(), kind, n::text, '{}', now() + make_interval(secs => n), now() \
         FROM generate_series(1, 5000) n, unnest('{mail,webhook,renewal}'::text[]) kind; ANALYZE jobs";
    owner.batch_execute(later).await.unwrap();
    let all = statements::all();
    let next = all.iter().find(|s| s.path == "job.rs" && s.name == "NEXT_DUE").unwrap();
    let explain = format!(
        "PREPARE next AS {}; EXPLAIN (ANALYZE, TIMING OFF) EXECUTE next('{{webhook}}')",
        next.sql
    );
    let plan = plan(&owner.simple_query(&explain).await.unwrap());
    for index in ["jobs_mails", "jobs_general", "jobs_claim"] {
        let scan =
            plan.iter().find(|line| line.contains(index)).unwrap_or_else(|| panic!("{plan:#?}"));
        assert!(scan.contains("actual rows=1"), "{plan:#?}");
    }
}

/// Rows that were read and not taken.
fn skipped(plan: &[String]) -> u64 {
    let removed =
        plan.iter().filter_map(|line| line.trim().strip_prefix("Rows Removed by Filter: "));
    removed.map(|count| count.parse::<u64>().unwrap()).sum()
}

/// A hundred thousand refused inserts take longer than a statement may run.
#[tokio::test]
async fn a_start_inserts_only_the_timers_that_are_missing() {
    let test = TestDb::new().await;
    let all = statements::all();
    let add = all
        .iter()
        .find(|s| s.path == "subscription/steps.rs" && s.name == "ADD_MISSING_TIMERS")
        .unwrap();
    let explain = format!("EXPLAIN (GENERIC_PLAN) {}", add.sql);
    let plan = plan(&test.owner().await.simple_query(&explain).await.unwrap());
    assert!(plan.iter().any(|line| line.contains("Anti Join")), "{plan:#?}");
}

fn plan(answer: &[SimpleQueryMessage]) -> Vec<String> {
    let line = |message: &SimpleQueryMessage| match message {
        SimpleQueryMessage::Row(row) => row.get(0).map(str::to_owned),
        _ => None,
    };
    answer.iter().filter_map(line).collect()
}

/// Three hundred companies with five documents each, so that the plans are those of a filled table.
const DOCUMENTS: &str = "SET session_replication_role = replica; \
     WITH rows AS (SELECT gen_random_uuid() AS id, n FROM generate_series(1, 1500) n) \
     INSERT INTO invoices (id, company_id, kind, number, issuer_tax_id, issuer_name, issuer_address, issuer_email, at, \
       issued_at, payer_name, plan_name, billing_cycle, lines, total_cents, payment_id, search_text) \
     SELECT id, md5((n % 300)::text)::uuid, 'payment', n, '', '', '', '', now(), now(), '', '', 'monthly', '', 1, id, '' \
     FROM rows; ANALYZE invoices; RESET session_replication_role";

#[tokio::test]
async fn what_a_company_reads_about_its_money_never_walks_the_rows_of_all_companies() {
    let test = TestDb::new().await;
    let owner = test.owner().await;
    owner.batch_execute(DOCUMENTS).await.unwrap();
    // Row-level security keeps conditions out of an index that other roles use.
    owner.batch_execute("SET enable_seqscan = off; SET ROLE bipe_app").await.unwrap();
    let of_companies = ["credit_entries", "invoices", "payments", "subscription_history"]
        .map(|t| format!("on {t} "));
    let all = statements::all();
    let read: Vec<&Statement> =
        all.iter().filter(|statement| statement.path.starts_with("statement/")).collect();
    assert!(read.len() >= 6, "{} statements are found", read.len());
    for Statement { name, sql, .. } in read {
        let explain = format!("EXPLAIN (GENERIC_PLAN) {sql}");
        let plan = plan(&owner.simple_query(&explain).await.unwrap());
        assert!(!plan.is_empty(), "{name} has a plan");
        // A scan of a table that no index serves stands there even where it is the last resort.
        let walks = |line: &&String| {
            line.contains("Seq Scan") && of_companies.iter().any(|table| line.contains(table))
        };
        assert!(!plan.iter().any(|line| walks(&line)), "{name}: {plan:#?}");
        // The document of one line is not looked for among all documents of the company, and a search looks through
        // these once.
        let mut looked_up = plan.iter().filter(|line| line.contains("on invoices i "));
        assert!(looked_up.all(|line| line.contains("invoices_pkey")), "{name}: {plan:#?}");
        let lines_with = |part: &str| plan.iter().filter(|line| line.contains(part)).count();
        let (searches, once) = (lines_with("on invoices v"), lines_with("(hashed SubPlan"));
        assert!(searches <= once, "{name}: {plan:#?}");
    }
}

/// What is read of one company or one person, often or behind a lock, in tables that grow with all of them.
#[tokio::test]
async fn what_belongs_to_one_is_found_by_an_index() {
    let test = TestDb::new().await;
    let owner = test.owner().await;
    owner.batch_execute("SET enable_seqscan = off").await.unwrap();
    let all = statements::all();
    for (path, name, index) in [
        ("subscription/billing_account.rs", "SEGMENTS", "debit_segments_subscription"),
        ("invoice/backfill.rs", "OLD", "debit_segments_subscription"),
        ("payment/saved_cards.rs", "LIST", "payment_methods_company"),
        ("auth/personal_data/export.rs", "INVOICES", "invoices_paid_by"),
    ] {
        let read = all.iter().find(|s| s.path == path && s.name == name).expect(name);
        let explain = format!("EXPLAIN (GENERIC_PLAN) {}", read.sql);
        let plan = plan(&owner.simple_query(&explain).await.unwrap());
        assert!(plan.iter().any(|line| line.contains(index)), "{plan:#?}");
    }
}

#[tokio::test]
async fn the_index_of_open_payments_serves_the_function_that_names_their_states() {
    let test = TestDb::new().await;
    let owner = test.owner().await;
    owner.batch_execute("SET enable_seqscan = off").await.unwrap();
    let explain = "EXPLAIN SELECT id FROM payments WHERE company_id = gen_random_uuid() \
         AND payment_is_open(state) AND NOT superseded";
    let plan = owner.query(explain, &[]).await.unwrap();
    let plan: Vec<String> = plan.iter().map(|row| row.get(0)).collect();
    assert!(plan.iter().any(|line| line.contains("payments_one_open")), "{plan:?}");
}
