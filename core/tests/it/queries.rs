//! Every statement of core against the migrated schema, and both locks on company data (invariant I4).

use std::collections::BTreeSet;

use bipe_core::testing::TestDb;
use bipe_core::{
    alert, audit, auth, company, company_audit, development, event, idempotency, job, mailer,
    metrics, payment, plan, purge, rate_limit, subscription, user, webhook_inbox,
};
use tokio_postgres::Client;
use tokio_postgres::error::SqlState;

use crate::tree::{self, Source};

/// Each store registers its statements; a new store adds its line.
const REGISTERED: &[(&str, &[&str])] = &[
    ("alert.rs", alert::STATEMENTS),
    ("audit.rs", audit::STATEMENTS),
    ("auth/credentials/change_email.rs", auth::credentials::change_email::STATEMENTS),
    ("auth/code.rs", auth::code::STATEMENTS),
    ("auth/personal_data/erasure.rs", auth::personal_data::erasure::STATEMENTS),
    ("auth/personal_data/erasure.rs", auth::personal_data::erasure::OWN_ROWS),
    ("auth/personal_data/export.rs", auth::personal_data::export::STATEMENTS),
    ("auth/session/resume.rs", auth::session::resume::STATEMENTS),
    ("auth/second_factor/challenge.rs", auth::second_factor::challenge::STATEMENTS),
    ("auth/second_factor/mod.rs", auth::second_factor::STATEMENTS),
    ("auth/second_factor/passkey.rs", auth::second_factor::passkey::STATEMENTS),
    ("auth/second_factor/recovery_code.rs", auth::second_factor::recovery_code::STATEMENTS),
    ("auth/second_factor/reset.rs", auth::second_factor::reset::STATEMENTS),
    ("auth/second_factor/totp.rs", auth::second_factor::totp::STATEMENTS),
    ("auth/session/mod.rs", auth::session::STATEMENTS),
    ("auth/session/ticket.rs", auth::session::ticket::STATEMENTS),
    ("auth/recovery/undo.rs", auth::recovery::undo::STATEMENTS),
    ("company_audit.rs", company_audit::STATEMENTS),
    ("company/admin_store.rs", company::admin_store::STATEMENTS),
    ("company/inheritance.rs", company::inheritance::STATEMENTS),
    ("company/invites.rs", company::invites::STATEMENTS),
    ("company/joining.rs", company::joining::STATEMENTS),
    ("company/lock.rs", company::lock::STATEMENTS),
    ("company/members.rs", company::members::STATEMENTS),
    ("company/store.rs", company::store::STATEMENTS),
    ("company/view.rs", company::view::STATEMENTS),
    ("development.rs", development::STATEMENTS),
    ("development/load.rs", development::load::STATEMENTS),
    ("event/store.rs", event::store::STATEMENTS),
    ("idempotency.rs", idempotency::STATEMENTS),
    ("job.rs", job::STATEMENTS),
    ("mailer/mod.rs", mailer::STATEMENTS),
    ("metrics/check.rs", metrics::check::STATEMENTS),
    ("metrics/live.rs", metrics::live::STATEMENTS),
    ("metrics/store.rs", metrics::store::STATEMENTS),
    ("payment/admin_store.rs", payment::admin_store::STATEMENTS),
    ("payment/check/rules.rs", payment::check::rules::STATEMENTS),
    ("payment/store.rs", payment::store::STATEMENTS),
    ("payment/wallet.rs", payment::wallet::STATEMENTS),
    ("plan/admin_store.rs", plan::admin_store::STATEMENTS),
    ("plan/store.rs", plan::store::STATEMENTS),
    ("purge.rs", purge::STATEMENTS),
    ("rate_limit.rs", rate_limit::STATEMENTS),
    ("subscription/billing_account.rs", subscription::billing_account::STATEMENTS),
    ("subscription/position.rs", subscription::position::STATEMENTS),
    ("subscription/quote.rs", subscription::quote::STATEMENTS),
    ("subscription/row.rs", subscription::row::STATEMENTS),
    ("subscription/steps.rs", subscription::steps::STATEMENTS),
    ("subscription/store.rs", subscription::store::STATEMENTS),
    ("user/activity.rs", user::activity::STATEMENTS),
    ("user/admin_store.rs", user::admin_store::STATEMENTS),
    ("user/store.rs", user::store::STATEMENTS),
    ("webhook_inbox.rs", webhook_inbox::STATEMENTS),
];
/// SQL that opens transactions, proves scopes or writes events; it is run by every test that uses a database.
const UNREGISTERED: [&str; 2] = ["db/", "scope"];
/// Read or change rows of a company without naming it, each for its reason.
const WITHOUT_COMPANY: &[(&str, &str)] = &[
    // What has outlived its time goes for all companies at once.
    ("purge.rs", "AUDIT"),
    ("purge.rs", "IDEMPOTENCY_KEYS"),
    // An alert is closed by its subject, by the platform alone.
    ("alert.rs", "CLOSE"),
    ("alert.rs", "CLOSE_OTHERS"),
    // The channel names the company.
    ("event/store.rs", "SINCE"),
    // A person's own rows, in every company at once.
    ("auth/personal_data/erasure.rs", "REPLIES"),
    ("auth/personal_data/erasure.rs", "EVENTS"),
    // Retention, the same for everybody.
    ("event/store.rs", "PURGE"),
    // A platform admin's figures are about all companies.
    ("audit.rs", "COUNT"),
    ("audit.rs", "COUNT_OF_ACTOR"),
    ("audit.rs", "SEARCHED"),
    ("company/admin_store.rs", "SUMMARY"),
    ("metrics/check.rs", "ROWS"),
    ("metrics/check.rs", "UNSETTLED"),
    ("metrics/live.rs", "CHANGES"),
    ("metrics/live.rs", "TOLD"),
    ("metrics/store.rs", "MOVED"),
    ("plan/admin_store.rs", "LIST"),
    ("plan/admin_store.rs", "RUNNING"),
];

/// Name and text of each SQL constant.
fn statements(source: &Source) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for part in source.text.split("const ").skip(1) {
        let Some((name, rest)) = part.split_once(": &str =") else { continue };
        let Some(literal) = rest.trim_start().strip_prefix('"') else { continue };
        let Some(end) = literal.find("\";") else { continue };
        let text = unfold(&literal[..end]);
        if ["SELECT ", "INSERT ", "UPDATE ", "DELETE ", "WITH "]
            .iter()
            .any(|verb| text.starts_with(verb))
        {
            found.push((name.to_owned(), text));
        }
    }
    found
}

/// A backslash at the end of a line swallows the next line's indentation.
fn unfold(literal: &str) -> String {
    let mut parts = literal.split("\\\n");
    let first = parts.next().unwrap_or_default().to_owned();
    parts
        .fold(first, |text, part| text + part.trim_start())
        .replace("\\\"", "\"")
        .replace("\\n", "\n")
}

#[test]
fn every_statement_is_registered_by_its_file() {
    let mut missing = Vec::new();
    for source in tree::sources("core/src", "rs") {
        if UNREGISTERED.iter().any(|path| source.path.starts_with(path))
            || tree::testing(&source.path)
        {
            continue;
        }
        for (name, text) in statements(&source) {
            let is_listed = |(path, list): &(&str, &[&str])| {
                *path == source.path && list.contains(&text.as_str())
            };
            if !REGISTERED.iter().any(is_listed) {
                missing.push(format!("{}: {name}", source.path));
            }
        }
    }
    assert!(
        missing.is_empty(),
        "add to STATEMENTS of the file, and the file to this test: {missing:#?}"
    );
}

#[tokio::test]
async fn every_statement_prepares_and_a_working_role_may_run_it() {
    let test = TestDb::new().await;
    let owner = test.owner().await;
    let mut wrong = Vec::new();
    for (path, statements) in REGISTERED {
        for sql in *statements {
            if let Some(problem) = problem(&owner, sql).await {
                wrong.push(format!("{path}: {problem}: {sql}"));
            }
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
    for source in tree::sources("core/src", "rs") {
        for (name, text) in statements(&source) {
            let words: BTreeSet<&str> =
                text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').collect();
            let touches = tables.iter().any(|table| words.contains(table.as_str()));
            let excused = WITHOUT_COMPANY.contains(&(source.path.as_str(), name.as_str()));
            if touches && !words.contains("company_id") && !excused && !tree::testing(&source.path)
            {
                careless.push(format!("{}: {name}", source.path));
            }
        }
    }
    assert!(careless.is_empty(), "company data without company_id: {careless:#?}");
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
