//! Deletes rows whose time is over (docs/security.md, "Retention"). One job for the whole installation, safe to
//! repeat, run every hour by `actors/src/jobs.rs`.

use jiff::{SignedDuration, Timestamp};

use crate::db::Db;
use crate::error::{Error, Result};
use crate::event;
use crate::job::{self, JobKind};
use crate::rate_limit;
use crate::scope::JobScope;

/// How often it runs.
pub const EVERY: SignedDuration = SignedDuration::from_hours(1);

/// At least, whichever of them are leap years.
const FIVE_YEARS: SignedDuration = days(5 * 365 + 2);
/// At least, whichever months they are.
const SIX_MONTHS: SignedDuration = days(184);

/// What is deleted, and how long it is kept.
const RULES: &[(&str, SignedDuration)] = &[
    (IDEMPOTENCY_KEYS, days(7)),
    (WEBHOOK_BODIES, days(90)),
    (CODES, days(1)),
    (EMAIL_CHANGES, days(1)),
    (UNDO_LINKS, days(1)),
    (FACTOR_CHALLENGES, days(1)),
    (SESSIONS, days(30)),
    (ACCESS_RECORDS, SIX_MONTHS),
    (LIVE_TICKETS, days(1)),
    (QUOTES, days(60)),
    (UNVERIFIED, days(7)),
    (NETWORKS, days(90)),
    (PAYMENT_CHECKS, days(90)),
    (AUDIT, FIVE_YEARS),
    (CONSENTS, FIVE_YEARS),
];

const fn days(count: i64) -> SignedDuration {
    SignedDuration::from_hours(24 * count)
}

const IDEMPOTENCY_KEYS: &str = "DELETE FROM idempotency_keys WHERE created_at < $1";
const WEBHOOK_BODIES: &str = "DELETE FROM webhook_inbox WHERE handled_at < $1";
const CODES: &str = "DELETE FROM codes WHERE expires_at < $1";
const EMAIL_CHANGES: &str = "DELETE FROM email_changes WHERE requested_at < $1";
const UNDO_LINKS: &str = "DELETE FROM undo_links WHERE expires_at < $1";
const FACTOR_CHALLENGES: &str = "DELETE FROM factor_challenges WHERE expires_at < $1";
/// The law keeps longer who came in when and from where.
const SESSIONS: &str = "WITH gone AS (DELETE FROM sessions WHERE revoked_at < $1 OR last_used_at < $1 \
     RETURNING id, user_id, created_at, ip) INSERT INTO access_records (session_id, user_id, at, ip) \
     SELECT id, user_id, created_at, ip FROM gone WHERE ip <> '' \
     ON CONFLICT (session_id) DO NOTHING";
const ACCESS_RECORDS: &str = "DELETE FROM access_records WHERE at < $1";
const LIVE_TICKETS: &str = "DELETE FROM live_tickets WHERE expires_at < $1";
/// Longer than any payment that may still settle for one.
const QUOTES: &str = "DELETE FROM quotes q WHERE q.expires_at < $1 AND NOT EXISTS \
     (SELECT FROM payments p WHERE p.company_id = q.company_id AND p.quote_id = q.id)";

/// Adds the job where it is missing.
pub async fn schedule(db: &Db) -> Result<()> {
    let mut tx = db.job_tx().await?;
    let now = tx.now();
    job::add(&mut tx, JobKind::Purge, "purge", now, &()).await?;
    tx.commit().await
}

/// Runs every rule in a transaction of its own, so that none waits for another.
pub async fn run(db: &Db, proof: &JobScope) -> Result<()> {
    let tx = db.platform_tx(proof).await?;
    // A reader who was away for longer gets a snapshot.
    let before = tx.now().checked_sub(days(1)).map_err(Error::internal)?;
    event::store::purge(&tx, before).await?;
    rate_limit::purge(&tx, before).await?;
    tx.commit().await?;
    for (sql, kept) in RULES {
        let tx = db.platform_tx(proof).await?;
        let before: Timestamp = tx.now().checked_sub(*kept).map_err(Error::internal)?;
        tx.query_one(NAME_INSTANT, &[&before.to_string()]).await?;
        let gone = tx.execute(sql, &[&before]).await?;
        tx.commit().await?;
        if gone > 0 {
            metrics::counter!("bipe_purged_rows_total").increment(gone);
        }
    }
    Ok(())
}

/// Whoever signed up with an address of somebody else does not keep it.
const UNVERIFIED: &str = "DELETE FROM users WHERE status = 'pending' AND email_verified_at IS NULL \
     AND created_at < $1";
const PAYMENT_CHECKS: &str = "DELETE FROM payment_checks WHERE at < $1";
/// The audit is append-only: its trigger lets a row go only in a transaction that names an instant after it.
const NAME_INSTANT: &str = "SELECT set_config('bipe.purge_before', $1, true)";
const AUDIT: &str = "DELETE FROM audit_entries WHERE at < $1";
/// What a person agreed to is kept as long as the account is there, and then as long as anybody may ask.
const CONSENTS: &str =
    "DELETE FROM consents c USING users u WHERE u.id = c.user_id AND u.anonymised_at < $1";
const NETWORKS: &str = "DELETE FROM known_networks WHERE seen_at < $1";
