//! Deletes rows whose time is over (docs/security.md, "Retention"). One job for the whole installation, safe to
//! repeat, run every hour by `actors/src/jobs.rs`.
//!
//! Rows go in batches of 5,000, each in a transaction of its own: no command waits long for one, and none comes near the
//! time-out of a statement, however many rows are left from a long pause. A rule whose statement fails stops no other
//! rule.

use jiff::{SignedDuration, Timestamp};

use crate::db::{Db, PlatformTx};
use crate::error::{Error, Result};
use crate::event;
use crate::rate_limit;
use crate::scope::JobScope;

/// How often it runs.
pub const INTERVAL: SignedDuration = SignedDuration::from_hours(1);
/// When it runs again after it left rows.
pub const CONTINUE_AFTER: SignedDuration = SignedDuration::from_secs(10);
/// Transactions of one run, at most: it ends well within the lease of its job.
const MAX_BATCHES: u32 = 100;

/// At least, whichever of them are leap years.
const FIVE_YEARS: SignedDuration = days(5 * 365 + 2);
/// At least, whichever months they are.
const SIX_MONTHS: SignedDuration = days(184);

/// Rows that one statement deletes.
enum Rows {
    Events,
    RateBuckets,
    /// The statement deletes, or blanks, what is older than `$1`.
    Of(&'static str),
}

use Rows::Of;

/// What is deleted, and how long it is kept.
const RULES: &[(Rows, SignedDuration)] = &[
    // A reader who was away for longer gets a snapshot.
    (Rows::Events, days(1)),
    (Rows::RateBuckets, days(1)),
    (Of(IDEMPOTENCY_KEYS), days(7)),
    (Of(WEBHOOK_BODIES), days(90)),
    (Of(CODES), days(1)),
    (Of(EMAIL_CHANGES), days(1)),
    (Of(UNDO_LINKS), days(1)),
    (Of(FACTOR_CHALLENGES), days(1)),
    (Of(SESSIONS), days(30)),
    (Of(ACCESS_RECORDS), SIX_MONTHS),
    (Of(LIVE_TICKETS), days(1)),
    (Of(QUOTES), days(60)),
    (Of(UNVERIFIED), days(7)),
    (Of(MAILS_GIVEN_UP), days(7)),
    (Of(NETWORKS), days(90)),
    (Of(PAYMENT_CHECKS), days(90)),
    (Of(NOTIFICATIONS), days(90)),
    (Of(INVITES), days(90)),
    (Of(AUDIT), FIVE_YEARS),
    (Of(CONSENTS), FIVE_YEARS),
    (Of(BILLING_PROFILES), days(1)),
    (Of(PAYMENT_REQUESTS), days(1)),
    (Of(COMPANY_NAMES), days(1)),
];

const fn days(count: i64) -> SignedDuration {
    SignedDuration::from_hours(24 * count)
}

/// Deletes what is due now, each batch in a transaction of its own; false when rows are left for the next run.
///
/// # Errors
/// `Unavailable` without a database; the first failure of a rule, once all others have had their turn.
pub async fn run(db: &Db, proof: &JobScope) -> Result<bool> {
    let now = db.clock().now();
    let (mut batches, mut failure) = (0, None);
    for (rows, kept) in RULES {
        let before = now.checked_sub(*kept).map_err(Error::internal)?;
        loop {
            match delete(db.platform_tx(proof).await?, rows, before).await {
                Ok(false) => break,
                Ok(true) => batches += 1,
                Err(error) => {
                    failure.get_or_insert(error);
                    break;
                }
            }
            if batches == MAX_BATCHES {
                return failure.map_or(Ok(false), Err);
            }
        }
    }
    failure.map_or(Ok(true), Err)
}

/// Deletes one batch; whether there was anything to delete.
async fn delete(tx: PlatformTx, rows: &Rows, before: Timestamp) -> Result<bool> {
    let gone = match rows {
        Rows::Events => event::store::purge(&tx, before).await?,
        Rows::RateBuckets => rate_limit::purge(&tx, before).await?,
        Rows::Of(sql) => {
            tx.query_one(NAME_INSTANT, &[&before.to_string()]).await?;
            tx.execute(sql, &[&before]).await?
        }
    };
    tx.commit().await?;
    Ok(gone > 0)
}

/// One batch of the rows that the argument names.
macro_rules! batch {
    ($rows:literal) => {
        concat!(" WHERE ctid = ANY (ARRAY(SELECT ctid FROM ", $rows, " LIMIT 5000))")
    };
}

const IDEMPOTENCY_KEYS: &str =
    concat!("DELETE FROM idempotency_keys", batch!("idempotency_keys WHERE created_at < $1"));
/// Received before it was handled: an index holds the first.
const WEBHOOK_BODIES: &str = concat!(
    "DELETE FROM webhook_inbox",
    batch!("webhook_inbox WHERE received_at < $1 AND handled_at < $1")
);
const CODES: &str = concat!("DELETE FROM codes", batch!("codes WHERE expires_at < $1"));
const EMAIL_CHANGES: &str =
    concat!("DELETE FROM email_changes", batch!("email_changes WHERE requested_at < $1"));
const UNDO_LINKS: &str =
    concat!("DELETE FROM undo_links", batch!("undo_links WHERE expires_at < $1"));
const FACTOR_CHALLENGES: &str =
    concat!("DELETE FROM factor_challenges", batch!("factor_challenges WHERE expires_at < $1"));
/// The law keeps longer who came in when and from where.
const SESSIONS: &str = "WITH gone AS (SELECT id, user_id, created_at, ip FROM sessions \
     WHERE revoked_at < $1 OR last_used_at < $1 LIMIT 5000), \
     kept AS (INSERT INTO access_records (session_id, user_id, at, ip) \
     SELECT id, user_id, created_at, ip FROM gone WHERE ip <> '' ON CONFLICT (session_id) DO NOTHING) \
     DELETE FROM sessions s USING gone WHERE s.id = gone.id";
const ACCESS_RECORDS: &str =
    concat!("DELETE FROM access_records", batch!("access_records WHERE at < $1"));
const LIVE_TICKETS: &str =
    concat!("DELETE FROM live_tickets", batch!("live_tickets WHERE expires_at < $1"));
/// Kept for longer than any payment for one may take to settle. A quote with a payment stays for good, so only those of
/// one month are looked at again.
const QUOTES: &str = concat!(
    "DELETE FROM quotes",
    batch!(
        "quotes q WHERE q.expires_at < $1 AND q.expires_at > $1::timestamptz - interval '30 days' AND NOT EXISTS \
         (SELECT FROM payments p WHERE p.company_id = q.company_id AND p.quote_id = q.id)"
    )
);

/// Whoever signed up with an address of somebody else does not keep it, whether or not a platform admin deactivated the
/// account.
const UNVERIFIED: &str = concat!(
    "DELETE FROM users",
    batch!(
        "users WHERE status <> 'active' AND anonymised_at IS NULL AND email_verified_at IS NULL AND created_at < $1"
    )
);
/// A mail that was given up still holds an address and a text.
const MAILS_GIVEN_UP: &str = concat!(
    "DELETE FROM jobs",
    batch!("jobs WHERE kind IN ('mail', 'code_mail') AND dead_at < $1")
);
/// Many of their addresses belong to nobody who could ask for an erasure.
const INVITES: &str =
    concat!("DELETE FROM invites", batch!("invites WHERE least(closed_at, expires_at) < $1"));
const PAYMENT_CHECKS: &str =
    concat!("DELETE FROM payment_checks", batch!("payment_checks WHERE at < $1"));
const NOTIFICATIONS: &str =
    concat!("DELETE FROM notifications", batch!("notifications WHERE at < $1"));
/// The audit is append-only: its trigger lets a row go only in a transaction that names an instant after it.
const NAME_INSTANT: &str = "SELECT set_config('bipe.purge_before', $1, true)";
const AUDIT: &str = concat!("DELETE FROM audit_entries", batch!("audit_entries WHERE at < $1"));
/// What a person agreed to is kept as long as the account is there, and then as long as anybody may ask.
const CONSENTS: &str = concat!(
    "DELETE FROM consents",
    batch!("consents WHERE user_id IN (SELECT id FROM users WHERE anonymised_at < $1)")
);
/// Those of a company that ended and never paid. Where it paid the law keeps them, as it keeps the payments.
const BILLING_PROFILES: &str = concat!(
    "DELETE FROM billing_profiles",
    batch!(
        "billing_profiles b WHERE company_id IN (SELECT id FROM companies WHERE deleted_at < $1) AND NOT EXISTS \
         (SELECT FROM payments p WHERE p.company_id = b.company_id \
         AND (p.succeeded_at IS NOT NULL OR p.state NOT IN ('declined', 'failed', 'expired', 'canceled')))"
    )
);
/// What the payments of such a company asked of the provider: the payer's name, address and CPF or CNPJ. A payment that
/// has ended asks for nothing again.
const PAYMENT_REQUESTS: &str = concat!(
    "UPDATE payments SET provider_request = '', version = version + 1",
    batch!(
        "payments WHERE provider_request <> '' AND company_id IN (SELECT c.id FROM companies c \
         WHERE c.deleted_at < $1 AND NOT EXISTS (SELECT FROM payments p WHERE p.company_id = c.id \
         AND (p.succeeded_at IS NOT NULL OR p.state NOT IN ('declined', 'failed', 'expired', 'canceled'))))"
    )
);
/// Such a company's name and description, which often name a person. Nobody reads them any more but the administration
/// beside its payments.
const COMPANY_NAMES: &str = concat!(
    "UPDATE companies SET name = 'Sem nome', description = NULL",
    batch!(
        "companies c WHERE deleted_at < $1 AND (name <> 'Sem nome' OR description IS NOT NULL) AND NOT EXISTS \
         (SELECT FROM payments p WHERE p.company_id = c.id \
         AND (p.succeeded_at IS NOT NULL OR p.state NOT IN ('declined', 'failed', 'expired', 'canceled')))"
    )
);
const NETWORKS: &str =
    concat!("DELETE FROM known_networks", batch!("known_networks WHERE seen_at < $1"));
