//! What PostgreSQL says about the migrated schema: no table escapes isolation, no personal column escapes the map, and
//! no column takes other words than the code knows.

use std::collections::{BTreeMap, BTreeSet};

use bipe_core::audit::Outcome;
use bipe_core::auth::code::Purpose;
use bipe_core::auth::recovery::undo_link::Cause;
use bipe_core::brazil::postal::State;
use bipe_core::company::CompanyStatus;
use bipe_core::invoice::InvoiceKind;
use bipe_core::payment::CloseReason;
use bipe_core::payment::refund::RefundState;
use bipe_core::payment_method::Method;
use bipe_core::plan::{BillingCycle, PlanStatus};
use bipe_core::saved_view::ViewedList;
use bipe_core::scope::Role;
use bipe_core::subscription::{ChangeType, CreditKind, HistoryType, MovementKind, Status};
use bipe_core::testing::TestDb;
use bipe_core::user::{UserRole, UserStatus};
use tokio_postgres::Client;

/// Columns of free content that hold nothing about a person. A new one stands here or carries a `pii:` comment.
const NOT_PERSONAL: &str = "
    alerts: detail kind subject
    audit_entries: action fields request_id target
    channel_heads: channel epoch
    codes: code_mac link_sha256
    acquisition_costs: month
    companies: description name search_name search_text status_reason
    consents: text_sha256 version
    credit_entries: source
    events: cause channel key name
    factor_challenges: challenge_sha256 password_sha256
    idempotency_keys: body_sha256 key operation
    invites: token_sha256
    invoice_issuers: address email name tax_id
    invoices: card_brand card_last4 issuer_address issuer_email issuer_name issuer_tax_id lines plan_name provider
        provider_reference search_text
    jobs: key kind last_error
    known_networks: network_mac
    live_tickets: ticket_sha256
    mailbox: subject
    notification_preferences: kind
    notifications: plan_name source topic
    passkeys: credential_id public_key transports
    payment_methods: brand id last4
    payment_checks: findings
    payments: bank_slip_line bank_slip_pdf basis cancel_reason failure_code failure_detail hosted_url idempotency_key
        metadata payer_bucket pix_code provider provider_intent provider_key review_reason
    plans: description display_name features name
    provider_customers: customer_id
    quotes: basis
    rate_buckets: action key
    recovery_codes: code_sha256
    refunds: idempotency_key provider_key provider_refund provider_request reason refusal
    renewal_consents: card version
    renewal_steps: card kind
    subscription_history: detail plan_name
    subscriptions: cancel_reason
    undo_links: token_sha256
    webhook_inbox: event_id object_id outcome type
";

const COMPANY_TABLES: &str = "FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid \
     WHERE c.relkind IN ('r', 'p') AND c.relnamespace = 'public'::regnamespace \
       AND (a.attname = 'company_id' OR c.relname = 'companies' AND a.attname = 'id') AND NOT a.attisdropped";

async fn names(client: &Client, sql: &str) -> Vec<String> {
    let rows = client.query(sql, &[]).await.unwrap();
    rows.iter().map(|row| row.get(0)).collect()
}

#[tokio::test]
async fn every_table_with_company_data_forces_row_level_security() {
    let test = TestDb::new().await;
    let client = test.owner().await;
    let tables = names(&client, &format!("SELECT c.relname::text {COMPANY_TABLES}")).await;
    assert!(tables.len() >= 12, "the query finds the tables: {tables:?}");

    let open = format!(
        "SELECT c.relname::text {COMPANY_TABLES} AND NOT (c.relrowsecurity AND c.relforcerowsecurity)"
    );
    assert_eq!(names(&client, &open).await, Vec::<String>::new(), "row-level security is off");

    // A policy of bipe_app that forgot the company, in what it shows or in what it lets in.
    // Where it does not say what it lets in, that is what it shows.
    let lax = format!(
        "SELECT (p.polname || ' on ' || c.relname)::text FROM pg_policy p JOIN pg_class c ON c.oid = p.polrelid, \
           LATERAL (SELECT coalesce(pg_get_expr(p.polqual, p.polrelid), '') AS shows) q, \
           LATERAL (SELECT coalesce(pg_get_expr(p.polwithcheck, p.polrelid), q.shows) AS lets_in) w \
         WHERE c.oid IN (SELECT c.oid {COMPANY_TABLES}) \
           AND NOT 'bipe_platform'::regrole = ANY (p.polroles) \
           AND NOT ((p.polcmd = 'a' OR shows ~ 'current_(company|person|invite)') \
                AND (p.polcmd IN ('r', 'd') OR lets_in ~ 'current_company'))"
    );
    assert_eq!(names(&client, &lax).await, Vec::<String>::new(), "policies without a company");
    let planted = "CREATE POLICY planted ON invites FOR UPDATE TO bipe_app \
         USING (token_sha256 = (SELECT current_invite()))";
    client.batch_execute(planted).await.unwrap();
    assert_eq!(names(&client, &lax).await, ["planted on invites"]);

    let bare = format!(
        "SELECT c.relname::text {COMPANY_TABLES} AND NOT EXISTS (\
           SELECT FROM pg_policy p WHERE p.polrelid = c.oid AND 'bipe_app'::regrole = ANY (p.polroles))"
    );
    assert_eq!(names(&client, &bare).await, Vec::<String>::new(), "no policy for bipe_app");
}

#[tokio::test]
async fn nothing_in_the_schema_runs_with_its_owners_rights() {
    let test = TestDb::new().await;
    let client = test.owner().await;
    let views = "SELECT relname::text FROM pg_class WHERE relnamespace = 'public'::regnamespace \
         AND (relkind = 'm' OR relkind = 'v' AND NOT coalesce(reloptions @> '{security_invoker=true}', false))";
    assert_eq!(names(&client, views).await, Vec::<String>::new());
    let functions = "SELECT proname::text FROM pg_proc \
         WHERE pronamespace = 'public'::regnamespace AND prosecdef";
    assert_eq!(names(&client, functions).await, Vec::<String>::new());
}

#[tokio::test]
async fn the_working_roles_have_no_power_and_own_nothing() {
    let test = TestDb::new().await;
    let client = test.owner().await;
    let roles = names(
        &client,
        "SELECT rolname::text FROM pg_roles WHERE rolname IN ('bipe_app', 'bipe_platform') \
         AND NOT (rolsuper OR rolbypassrls OR rolcreatedb OR rolcreaterole OR rolreplication) ORDER BY 1",
    )
    .await;
    assert_eq!(roles, ["bipe_app", "bipe_platform"]);
    let owned = "SELECT pg_describe_object(classid, objid, objsubid) FROM pg_shdepend \
         WHERE deptype = 'o' AND refobjid IN ('bipe_app'::regrole, 'bipe_platform'::regrole)";
    assert_eq!(names(&client, owned).await, Vec::<String>::new());

    let tx = test.db.tx().await.unwrap();
    let who = tx.query_one("SELECT current_user::text, session_user::text", &[]).await.unwrap();
    assert_eq!(who.get::<_, &str>(0), "bipe_app", "what all work runs as");
    let create = tx.execute("CREATE TABLE smuggled (id integer)", &[]).await;
    assert!(create.is_err(), "bipe_app cannot create a table");
}

/// The columns that hold the words of each enum.
fn lists() -> Vec<(&'static str, Vec<&'static str>)> {
    vec![
        ("audit_entries.outcome", Outcome::ALL.map(Outcome::as_str).to_vec()),
        ("billing_profiles.state", State::ALL.map(State::as_str).to_vec()),
        ("codes.purpose", Purpose::ALL.map(Purpose::as_str).to_vec()),
        ("companies.status", CompanyStatus::ALL.map(CompanyStatus::as_str).to_vec()),
        ("credit_entries.kind", CreditKind::ALL.map(CreditKind::as_str).to_vec()),
        (
            "invoices.billing_cycle payments.billing_cycle quotes.billing_cycle \
             subscription_history.billing_cycle subscriptions.billing_cycle subscriptions.pending_cycle",
            BillingCycle::ALL.map(BillingCycle::as_str).to_vec(),
        ),
        ("invoices.kind", InvoiceKind::ALL.map(InvoiceKind::as_str).to_vec()),
        ("invoices.method payments.method", Method::ALL.map(Method::as_str).to_vec()),
        ("invites.role members.role notifications.role", Role::ALL.map(Role::as_str).to_vec()),
        ("movements.kind", MovementKind::ALL.map(MovementKind::as_str).to_vec()),
        (
            "payments.change_type quotes.change_type",
            ChangeType::ALL.map(ChangeType::as_str).to_vec(),
        ),
        ("payments.closing", CloseReason::ALL.map(CloseReason::as_str).to_vec()),
        ("plans.status", PlanStatus::ALL.map(PlanStatus::as_str).to_vec()),
        ("refunds.state", RefundState::ALL.map(RefundState::as_str).to_vec()),
        ("saved_views.list", ViewedList::ALL.map(ViewedList::as_str).to_vec()),
        ("subscription_history.type", HistoryType::ALL.map(HistoryType::as_str).to_vec()),
        ("subscriptions.status", Status::ALL.map(Status::as_str).to_vec()),
        ("undo_links.cause", Cause::ALL.map(Cause::as_str).to_vec()),
        ("users.role", UserRole::ALL.map(UserRole::as_str).to_vec()),
        ("users.status", UserStatus::ALL.map(UserStatus::as_str).to_vec()),
    ]
}

/// Columns whose words are no public enum.
const OTHER_LISTS: [&str; 5] = [
    "consents.kind",
    "factor_challenges.purpose",
    "head_counts.noun",
    "payments.action",
    "payments.state",
];

#[tokio::test]
async fn a_column_takes_the_words_that_the_code_knows() {
    let test = TestDb::new().await;
    let client = test.owner().await;
    let checks = "SELECT c.relname || '.' || a.attname, ARRAY(SELECT word[1] \
           FROM regexp_matches(pg_get_constraintdef(k.oid), '''([^'']+)''::text', 'g') AS word) \
         FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid \
         JOIN pg_attribute a ON a.attrelid = c.oid AND k.conkey = ARRAY[a.attnum] \
         WHERE k.contype = 'c' AND c.relnamespace = 'public'::regnamespace \
           AND pg_get_constraintdef(k.oid) ~ '= ANY \\(ARRAY\\[''[^'']+''::text'";
    let mut taken = BTreeMap::<String, BTreeSet<String>>::new();
    for row in client.query(checks, &[]).await.unwrap() {
        taken.entry(row.get(0)).or_default().extend(row.get::<_, Vec<String>>(1));
    }
    for (columns, words) in lists() {
        let words: BTreeSet<String> = words.into_iter().map(str::to_owned).collect();
        for column in columns.split(' ') {
            assert_eq!(taken.remove(column).as_ref(), Some(&words), "{column}");
        }
    }
    assert_eq!(taken.into_keys().collect::<Vec<_>>(), OTHER_LISTS, "add it to `lists`");
}

#[tokio::test]
async fn every_column_of_personal_data_says_so() {
    let test = TestDb::new().await;
    let client = test.owner().await;
    // Free content: not a number, a time, an id, nor one of a fixed list of words.
    let unmapped = names(
        &client,
        "SELECT c.relname || '.' || a.attname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid \
         WHERE c.relkind IN ('r', 'p') AND c.relnamespace = 'public'::regnamespace \
           AND a.attnum > 0 AND NOT a.attisdropped AND c.relname <> 'refinery_schema_history' \
           AND a.atttypid IN ('text'::regtype, 'text[]'::regtype, 'json'::regtype, 'jsonb'::regtype, \
                              'bytea'::regtype, 'date'::regtype, 'inet'::regtype, 'varchar'::regtype) \
           AND NOT EXISTS (SELECT FROM pg_constraint k WHERE k.conrelid = c.oid AND k.contype = 'c' \
                 AND k.conkey = ARRAY[a.attnum] AND pg_get_constraintdef(k.oid) ~ '= (ANY \\(ARRAY|''brl'')') \
           AND coalesce(col_description(c.oid, a.attnum), '') !~ '^pii:[a-z]+ basis:[a-z]+ keep:.+' \
         ORDER BY 1",
    )
    .await;
    let listed = not_personal();
    let missing: Vec<_> = unmapped.iter().filter(|column| !listed.contains(column)).collect();
    let stale: Vec<_> = listed.iter().filter(|column| !unmapped.contains(column)).collect();
    assert!(missing.is_empty(), "neither a pii: comment nor listed as not personal: {missing:?}");
    assert!(stale.is_empty(), "listed as not personal, but gone or commented: {stale:?}");
}

fn not_personal() -> Vec<String> {
    let mut table = "";
    let mut columns = Vec::new();
    for word in NOT_PERSONAL.split_whitespace() {
        match word.strip_suffix(':') {
            Some(name) => table = name,
            None => columns.push(format!("{table}.{word}")),
        }
    }
    columns
}
