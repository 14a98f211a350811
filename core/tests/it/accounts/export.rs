//! The export and the column map, held together by a canary in every mapped column; then the erasure of them all.

use bipe_core::id::UserId;
use bipe_core::scope::JobScope;
use bipe_core::{company, purge};
use tokio_postgres::Client;

use super::{Bench, PASSWORD, caller};

const EMAIL: &str = "canario-email@example.com";
const DOCUMENT: &str = "11144477735";

/// How a canary comes into a mapped column of the person `$1`. A column that is missing here fails the test: plant
/// it, export it in `core/src/auth/personal_data/export.rs`, and say in `erasure.rs` beside it what becomes of it.
const PLANT: &[(&str, &str)] = &[
    ("users.name", "UPDATE users SET name = $2 WHERE id = $1"),
    ("users.phone", "UPDATE users SET phone = $2 WHERE id = $1"),
    ("users.birth_date", "UPDATE users SET birth_date = $2::text::date WHERE id = $1"),
    ("users.password_hash", "SELECT $1::uuid, $2::text"),
    // Known since the registration.
    ("users.email", "SELECT $1::uuid, $2::text"),
    ("users.document", "SELECT $1::uuid, $2::text"),
    (
        "totp_factors.secret",
        "INSERT INTO totp_factors (user_id, secret, created_at, confirmed_at) \
        SELECT id, substr(sha256($2::text::bytea), 1, 20), created_at, created_at FROM users WHERE id = $1",
    ),
    (
        "passkeys.name",
        "INSERT INTO passkeys (id, user_id, name, credential_id, public_key, algorithm, counter, transports, \
        created_at) SELECT gen_random_uuid(), id, $2, 'id', 'key', -7, 0, '{}', created_at FROM users WHERE id = $1",
    ),
    ("sessions.device", "UPDATE sessions SET device = $2 WHERE user_id = $1"),
    ("sessions.ip", "UPDATE sessions SET ip = $2 WHERE user_id = $1"),
    (
        "access_records.ip",
        "INSERT INTO access_records (session_id, user_id, at, ip) SELECT gen_random_uuid(), id, created_at, $2 \
        FROM users WHERE id = $1",
    ),
    (
        "undo_links.email",
        "INSERT INTO undo_links (id, user_id, cause, email, token_sha256, issued_at, expires_at) \
        SELECT gen_random_uuid(), id, 'email', $2, '', created_at, created_at FROM users WHERE id = $1",
    ),
    (
        "email_changes.email",
        "INSERT INTO email_changes (user_id, session_id, email, requested_at) \
        SELECT user_id, id, $2, created_at FROM sessions WHERE user_id = $1",
    ),
    ("consents.ip", "UPDATE consents SET ip = $2 WHERE user_id = $1"),
    (
        "invites.email",
        "INSERT INTO invites (id, company_id, email, role, token_sha256, invited_by, created_at, \
        expires_at) SELECT gen_random_uuid(), c.id, $2, 'operator', '', $1, c.created_at, c.created_at \
        FROM companies c",
    ),
    (
        "events.data",
        "INSERT INTO events (channel, seq, name, key, data, at) SELECT 'user/' || $1::uuid::text, \
        1000, 'session.revoked', '', $2, created_at FROM users WHERE id = $1",
    ),
    (
        "events.operator_data",
        "UPDATE events SET operator_data = $2 WHERE channel = 'user/' || $1::uuid::text AND seq = 1000",
    ),
    (
        "jobs.payload",
        "INSERT INTO jobs (id, kind, key, payload, run_at, created_at) SELECT gen_random_uuid(), \
        'mail', gen_random_uuid(), json_build_object('to', email, 'message', $2::text), 'infinity', created_at \
        FROM users WHERE id = $1",
    ),
    (
        "audit_entries.network",
        "INSERT INTO audit_entries (id, at, actor_id, network, action, outcome) \
        SELECT gen_random_uuid(), created_at, id, $2, 'session.start', 'ok' FROM users WHERE id = $1",
    ),
    (
        "mailbox.recipient",
        "INSERT INTO mailbox (id, recipient, subject, body_text, body_html, sent_at) \
        SELECT gen_random_uuid(), $2, '', '', '', created_at FROM users WHERE id = $1",
    ),
    ("mailbox.body_text", "UPDATE mailbox SET body_text = $2 WHERE $1::uuid IS NOT NULL"),
    ("mailbox.body_html", "UPDATE mailbox SET body_html = $2 WHERE $1::uuid IS NOT NULL"),
    (
        "payments.provider_request",
        "INSERT INTO payments (id, company_id, created_by, state, method, amount_cents, \
        currency, change_type, plan_id, billing_cycle, basis, frozen_at, provider, provider_intent, provider_key, \
        provider_request, created_at, updated_at) SELECT gen_random_uuid(), c.id, $1, 'succeeded', 'PIX', 9990, \
        'brl', 'creation', p.id, 'monthly', '', c.created_at, 'stripe', 'pi_1', 'key_1', $2, c.created_at, \
        c.created_at FROM companies c, (SELECT id FROM plans LIMIT 1) p",
    ),
    (
        "invoices.payer_name",
        "INSERT INTO invoices (id, company_id, kind, number, issuer_tax_id, issuer_name, issuer_address, issuer_email, \
        at, issued_at, payer_name, payer_tax_id, payer_address, paid_by, paid_by_name, plan_name, billing_cycle, lines, \
        total_cents, search_text) SELECT gen_random_uuid(), id, 'change', 1, '', '', '', '', created_at, created_at, $2, \
        'canário-invoices-payer_tax_id', 'canário-invoices-payer_address', $1, 'canário-invoices-paid_by_name', 'p', \
        'monthly', '[]', 0, '' FROM companies",
    ),
    ("invoices.payer_tax_id", IN_ITS_ROW),
    ("invoices.payer_address", IN_ITS_ROW),
    ("invoices.paid_by_name", IN_ITS_ROW),
    (
        "renewal_consents.sentence",
        "INSERT INTO renewal_consents (id, company_id, user_id, card, version, sentence, at) \
        SELECT gen_random_uuid(), id, $1, 'pm_1', '1', $2, created_at FROM companies",
    ),
    (
        "billing_profiles.tax_id",
        "INSERT INTO billing_profiles (company_id, version, tax_id, legal_name, postal_code, street, number, district, \
        city, state, emails, changed_by, created_at) SELECT id, 1, $2, 'legal', '01310100', 's', 'n', 'd', 'c', 'SP', \
        '{}', $1, created_at FROM companies",
    ),
    (
        "billing_profiles.legal_name",
        "UPDATE billing_profiles SET legal_name = $2 WHERE changed_by = $1",
    ),
    (
        "billing_profiles.trade_name",
        "UPDATE billing_profiles SET trade_name = $2 WHERE changed_by = $1",
    ),
    (
        "billing_profiles.postal_code",
        "UPDATE billing_profiles SET postal_code = $2 WHERE changed_by = $1",
    ),
    ("billing_profiles.street", "UPDATE billing_profiles SET street = $2 WHERE changed_by = $1"),
    ("billing_profiles.number", "UPDATE billing_profiles SET number = $2 WHERE changed_by = $1"),
    (
        "billing_profiles.complement",
        "UPDATE billing_profiles SET complement = $2 WHERE changed_by = $1",
    ),
    (
        "billing_profiles.district",
        "UPDATE billing_profiles SET district = $2 WHERE changed_by = $1",
    ),
    ("billing_profiles.city", "UPDATE billing_profiles SET city = $2 WHERE changed_by = $1"),
    (
        "billing_profiles.emails",
        "UPDATE billing_profiles SET emails = ARRAY[$2] WHERE changed_by = $1",
    ),
    (
        "notifications.company_name",
        "INSERT INTO notifications (user_id, id, company_id, company_name, topic, source, at) \
        SELECT $1, gen_random_uuid(), id, $2, 'plan.changed', 's', created_at FROM companies",
    ),
    (
        "saved_views.name",
        "INSERT INTO saved_views (id, user_id, list, name, filters, created_at, updated_at) \
        SELECT gen_random_uuid(), id, 'users', $2, '{}', created_at, created_at FROM users WHERE id = $1",
    ),
    (
        "saved_views.filters",
        "UPDATE saved_views SET filters = json_build_object('search', $2::text)::text WHERE user_id = $1",
    ),
    (
        "idempotency_keys.reply",
        "INSERT INTO idempotency_keys (company_id, key, user_id, operation, body_sha256, \
        reply, created_at) SELECT id, 'k', $1, 'pay', '', $2, created_at FROM companies",
    ),
    (
        "webhook_inbox.body",
        "INSERT INTO webhook_inbox (event_id, type, object_id, body, received_at) \
        SELECT 'evt_1', 't', 'pi_1', $2, created_at FROM users WHERE id = $1",
    ),
];
/// Rows of a document never change: its other columns are planted with the first one.
const IN_ITS_ROW: &str = "SELECT $1::uuid, $2::text";
/// Nobody gets a hash to crack or a secret to copy, the person neither.
const SECRETS: &[&str] = &["totp_factors.secret", "users.password_hash"];
/// A part of `events.data`, which is exported.
const PART_OF_ANOTHER: &str = "events.operator_data";
/// What an erasure leaves for as long as the law or the map says.
const KEPT: &[&str] = &[
    "access_records.ip",
    "audit_entries.network",
    "billing_profiles.city",
    "billing_profiles.complement",
    "billing_profiles.district",
    "billing_profiles.emails",
    "billing_profiles.legal_name",
    "billing_profiles.number",
    "billing_profiles.postal_code",
    "billing_profiles.street",
    "billing_profiles.tax_id",
    "billing_profiles.trade_name",
    "consents.ip",
    "invoices.paid_by_name",
    "invoices.payer_address",
    "invoices.payer_name",
    "invoices.payer_tax_id",
    "payments.provider_request",
    "renewal_consents.sentence",
    // Of the access record that is left of a session.
    "sessions.ip",
    "webhook_inbox.body",
];

fn canary(column: &str) -> String {
    match column {
        "users.email" | "invites.email" | "mailbox.recipient" => EMAIL.into(),
        "users.document" => DOCUMENT.into(),
        "users.birth_date" => "1987-06-05".into(),
        // As long as their columns let them be.
        "billing_profiles.tax_id" => "CANAR10TAX0137".into(),
        "billing_profiles.postal_code" => "87654321".into(),
        "billing_profiles.number" => "canário-number".into(),
        "users.name" => "Canário Nome".into(),
        other => format!("canário-{}", other.replace('.', "-")),
    }
}

async fn mapped(owner: &Client) -> Vec<String> {
    let map = "SELECT c.relname || '.' || a.attname FROM pg_class c \
         JOIN pg_attribute a ON a.attrelid = c.oid WHERE c.relnamespace = 'public'::regnamespace \
         AND c.relkind IN ('r', 'p') AND a.attgenerated = '' \
         AND col_description(c.oid, a.attnum) LIKE 'pii:%' ORDER BY 1";
    owner.query(map, &[]).await.unwrap().iter().map(|row| row.get(0)).collect()
}

async fn plant(owner: &Client, person: UserId) -> Vec<String> {
    let columns = mapped(owner).await;
    assert!(columns.len() >= 19, "{columns:?}");
    for (column, sql) in PLANT {
        owner.execute(*sql, &[&person, &canary(column)]).await.unwrap();
    }
    for column in &columns {
        let is_planted = PLANT.iter().any(|(planted, _)| planted == column);
        assert!(is_planted, "{column} holds personal data, and no canary is planted in it");
    }
    columns
}

/// Every table as text, with its name.
async fn dump(owner: &Client) -> Vec<(String, String)> {
    let tables = "SELECT relname::text FROM pg_class WHERE relkind IN ('r', 'p') \
         AND relnamespace = 'public'::regnamespace ORDER BY 1";
    let mut found = Vec::new();
    for row in owner.query(tables, &[]).await.unwrap() {
        let table: String = row.get(0);
        let all = format!("SELECT coalesce(string_agg(t::text, ' '), '') FROM {table} t");
        found.push((table, owner.query_one(&all, &[]).await.unwrap().get(0)));
    }
    found
}

/// The columns whose canaries still stand somewhere.
async fn left(owner: &Client, columns: &[String]) -> Vec<String> {
    let dump = dump(owner).await;
    let stands = |column: &&String| dump.iter().any(|(_, rows)| rows.contains(&canary(column)));
    columns.iter().filter(stands).cloned().collect()
}

#[tokio::test]
async fn every_mapped_column_is_exported_and_then_forgotten() {
    let bench = Bench::new().await;
    let db = &bench.test.db;
    bench.test.load_plans().await;
    let who = bench.somebody(EMAIL, DOCUMENT).await;
    let profile = company::Profile::parse("Ponto Central", None).unwrap();
    company::store::create(db, who, &profile, &caller("10.0.0.1")).await.unwrap();
    let owner = bench.test.owner().await;
    let columns = plant(&owner, who.user_id).await;
    assert_eq!(
        left(&owner, &columns).await.len(),
        columns.len() - SECRETS.len(),
        "secrets have no canary"
    );

    let proof = JobScope::of_test();
    let from = caller("10.0.0.1");
    let file = bench.auth.export_me(who, &from).await.unwrap();
    let file = serde_json::to_string(&file).unwrap();
    for column in &columns {
        let is_left_out = SECRETS.contains(&column.as_str()) || column == PART_OF_ANOTHER;
        assert_eq!(file.contains(&canary(column)), !is_left_out, "{column}: {file}");
    }
    assert!(!file.contains("argon2"), "{file}");

    bench.auth.erase_me(who, PASSWORD, &from).await.unwrap();
    // The farewell is the last that knows the address; with a mail server no mailbox keeps it.
    let farewell = bench.mails(EMAIL).await;
    assert_eq!(farewell.len(), 1);
    assert_eq!(farewell[0].subject, "Sua conta do Bipe foi excluída");
    owner.execute("DELETE FROM mailbox", &[]).await.unwrap();
    // Events of the companies are kept for a day.
    bench.advance(86_401);
    purge::run(db, &proof).await.unwrap();
    assert_eq!(left(&owner, &columns).await, KEPT);
    // What opened the account has no canary.
    let opens = "SELECT (SELECT count(*) FROM users WHERE id = $1 AND password_hash <> '') \
         + (SELECT count(*) FROM totp_factors WHERE user_id = $1) \
         + (SELECT count(*) FROM passkeys WHERE user_id = $1)";
    assert_eq!(owner.query_one(opens, &[&who.user_id]).await.unwrap().get::<_, i64>(0), 0);
}

#[tokio::test]
async fn an_export_is_a_persons_own_and_may_be_had_three_times_a_day() {
    let bench = Bench::new().await;
    let ana = bench.somebody("ana@example.com", "11144477735").await;
    let bia = bench.somebody("bia@example.com", "52998224725").await;
    let from = caller("10.0.0.1");
    for _ in 0..3 {
        let file = bench.auth.export_me(ana, &from).await.unwrap();
        let text = serde_json::to_string(&file).unwrap();
        assert!(!text.contains("bia@example.com") && !text.contains("52998224725"), "{text}");
        assert_eq!(file["profile"]["userDocument"], "11144477735");
        assert_eq!(file["consents"].as_array().unwrap().len(), 3);
        assert_eq!(file["consents"][0]["version"], "1.0");
        assert_eq!(file["activity"].as_array().unwrap().len(), 1, "the sign-in");
    }
    let refused = bench.auth.export_me(ana, &from).await.unwrap_err();
    assert!(matches!(refused, bipe_core::Error::TooMany { .. }), "{refused}");
    bench.auth.export_me(bia, &from).await.unwrap();
}
