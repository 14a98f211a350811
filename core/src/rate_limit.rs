//! Limits that survive `kill -9` and are shared by all nodes: token buckets in PostgreSQL.
//!
//! One atomic upsert takes a token. A refusal changes nothing, so hammering does not delay the next token. Keys hold
//! HMACs, never an address or an e-mail. The comments name rows of docs/security.md, "Limits".

use jiff::{SignedDuration, Timestamp};

use crate::audit::{self, AuditAction, Entry, Outcome};
use crate::config::RateLimits;
use crate::db::{Db, Params, Tx};
use crate::error::{Error, Result};
use crate::secret::{Key, KeyRing, hex};

const HOUR: f64 = 3_600.0;
const DAY: f64 = 86_400.0;
/// A refused key is audited once in this time.
const AUDIT_WINDOW: f64 = HOUR;
/// `Retry-After` of a bucket that time does not refill.
const NO_REFILL: u32 = 3_600;

/// One row of the table: a bucket of `burst` tokens.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rule {
    pub action: &'static str,
    pub burst: f64,
    pub per_second: f64,
}

const fn rule(action: &'static str, burst: f64, refill: f64, seconds: f64) -> Rule {
    Rule { action, burst, per_second: refill / seconds }
}

/// Row 1: sign-ins of a network.
pub const SIGN_IN: Rule = rule("sign_in", 20.0, 20.0, 60.0);
/// Rows 3 and 4, failures of an account: known and unknown networks have a bucket each, so that nobody can lock the
/// owner out.
pub const SIGN_IN_UNKNOWN: Rule = rule("sign_in_unknown", 20.0, 20.0, HOUR);
pub const SIGN_IN_KNOWN: Rule = rule("sign_in_known", 20.0, 20.0, HOUR);
/// Row 3: failures in a row from unknown networks; filled again by a sign-in or a reset alone.
pub const SIGN_IN_ROW: Rule = rule("sign_in_row", 100.0, 0.0, 1.0);
/// Row 5: registrations from a network.
pub const REGISTER: Rule = rule("register", 20.0, 60.0, HOUR);
/// Row 6: answers that an account exists, in two windows.
pub const EXISTENCE: [Rule; 2] =
    [rule("existence", 10.0, 20.0, HOUR), rule("existence_day", 60.0, 60.0, DAY)];
/// Row 7, the pause: excess is silent. Each kind of network has its own buckets, so that nobody can use up the
/// owner's mails.
pub const CODE_MAIL_PAUSE: Rule = rule("code_mail_pause", 1.0, 1.0, 60.0);
pub const CODE_MAIL_PAUSE_KNOWN: Rule = rule("code_mail_pause_known", 1.0, 1.0, 60.0);
pub const CODE_MAIL_ADDRESS: [Rule; 2] =
    [rule("code_mail", 5.0, 5.0, HOUR), rule("code_mail_day", 10.0, 10.0, DAY)];
pub const CODE_MAIL_ADDRESS_KNOWN: [Rule; 2] =
    [rule("code_mail_known", 5.0, 5.0, HOUR), rule("code_mail_known_day", 10.0, 10.0, DAY)];
pub const CODE_MAIL_IP: Rule = rule("code_mail_ip", 20.0, 60.0, HOUR);
/// Row 9. The month's bucket refills more slowly than it holds: a full one and its refill stay below the
/// 50 guesses in 30 days that the arithmetic allows.
const WRONG_CODE_UNKNOWN_MONTH: Rule = rule("wrong_code_unknown_month", 30.0, 20.0, 30.0 * DAY);
pub const WRONG_CODE_UNKNOWN: [Rule; 2] =
    [rule("wrong_code_unknown", 10.0, 10.0, DAY), WRONG_CODE_UNKNOWN_MONTH];
pub const WRONG_CODE_KNOWN: Rule = rule("wrong_code_known", 10.0, 10.0, DAY);
pub const WRONG_CODE_IP: Rule = rule("wrong_code_ip", 30.0, 30.0, HOUR);
/// Row 10: unknown networks, the whole system.
pub const WRONG_CODE_SYSTEM: Rule = rule("wrong_code_system", 300.0, 300.0, HOUR);
/// Row 9, wrong second factors: whoever tries them knows the password, and three codes of an app are right at a time.
const WRONG_FACTOR_UNKNOWN_MONTH: Rule = rule("wrong_factor_unknown_month", 30.0, 20.0, 30.0 * DAY);
pub const WRONG_FACTOR_UNKNOWN: [Rule; 2] =
    [rule("wrong_factor_unknown", 10.0, 10.0, DAY), WRONG_FACTOR_UNKNOWN_MONTH];
pub const WRONG_FACTOR_KNOWN: Rule = rule("wrong_factor_known", 10.0, 10.0, DAY);
pub const WRONG_FACTOR_IP: Rule = rule("wrong_factor_ip", 30.0, 30.0, HOUR);
/// Row 22: challenges for a sign-in by passkey. Every opened sign-in page asks for one.
pub const PASSKEY_ASKED: Rule = rule("passkey_asked", 60.0, 60.0, 60.0);
/// Row 22: passwords given to add a first factor.
pub const FACTOR_CHANGE: Rule = rule("factor_change", 10.0, 10.0, HOUR);
/// Row 15: invitations and their repeats. An address is spared over all companies.
pub const INVITE_COMPANY: Rule = rule("invite_company", 20.0, 50.0, DAY);
pub const INVITER: Rule = rule("inviter", 20.0, 20.0, HOUR);
pub const INVITE_ADDRESS: Rule = rule("invite_address", 3.0, 3.0, DAY);
/// Row 24: documents mailed once more.
pub const INVOICE_SENT: Rule = rule("invoice_sent", 10.0, 10.0, HOUR);
/// Row 26: years of documents drawn for a person.
pub const INVOICES_PACKED: Rule = rule("invoices_packed", 10.0, 10.0, HOUR);
/// Row 27: audits of companies that a person took away.
pub const AUDIT_EXPORTED: Rule = rule("audit_exported", 20.0, 20.0, HOUR);
/// Row 16: payments that a company begins.
pub const PAYMENT_BEGUN: Rule = rule("payment_begun", 10.0, 10.0, 60.0);
/// Row 29: cancellations of a company. Each is mailed to its payer.
pub const CANCELLATION: Rule = rule("cancellation", 10.0, 10.0, HOUR);
/// Row 17: by company. PIX and boleto stay.
pub const CARD_DECLINED: [Rule; 2] =
    [rule("card_declined_hour", 5.0, 5.0, HOUR), rule("card_declined_day", 10.0, 10.0, DAY)];
/// Row 17: by the payer's network.
pub const CARD_DECLINED_IP: Rule = rule("card_declined_ip", 10.0, 10.0, HOUR);
/// Row 21: cards saved without a payment. Whoever tries stolen ones learns by each answer whether it is good.
pub const CARD_SAVED_COMPANY: Rule = rule("card_saved_company", 10.0, 20.0, DAY);
pub const CARD_SAVED_PERSON: Rule = rule("card_saved_person", 10.0, 10.0, HOUR);
pub const CARD_SAVED_IP: Rule = rule("card_saved_ip", 10.0, 20.0, HOUR);
/// Row 20: exports, erasures and new companies of a person.
pub const EXPORT: Rule = rule("export", 3.0, 3.0, DAY);
pub const ERASURE: Rule = rule("erasure", 5.0, 5.0, HOUR);
pub const COMPANY_CREATED: Rule = rule("company_created", 10.0, 20.0, DAY);
/// Row 20: tokens of invitations that were not good.
pub const INVITE_GUESSED: Rule = rule("invite_guessed", 10.0, 20.0, HOUR);
/// A bucket that never empties. Stands in for a limit that known networks are spared: the same statements run, so the
/// time of an answer does not tell a neighbour in the owner's network that there is an owner.
pub const UNMETERED: Rule = rule("unmetered", 1e9, 1e9, 1.0);
/// Row 23: the owner of an address hears at most once a day that somebody signed up with it.
pub const EXISTS_NOTICE: Rule = rule("exists_notice", 1.0, 1.0, DAY);

/// Row 2: failures of an account from one network that cost nothing.
const FREE_FAILURES: f64 = 5.0;
const LONGEST_WAIT: f64 = 900.0;
/// Failures older than this are forgotten.
const FAILURES_KEPT: SignedDuration = SignedDuration::from_hours(24);
const PAIR: &str = "sign_in_pair";
const SLOW_KEPT: SignedDuration = SignedDuration::from_hours(365 * 24);

/// Whose tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bucket {
    name: String,
    /// What it was called by the keys of older root secrets.
    older: Vec<String>,
}

impl Bucket {
    /// As it is stored beside what it counts.
    pub fn as_str(&self) -> &str {
        &self.name
    }

    pub fn stored(text: &str) -> Self {
        Self { name: text.to_owned(), older: Vec::new() }
    }

    fn names(&self) -> Vec<&str> {
        std::iter::once(&self.name).chain(&self.older).map(String::as_str).collect()
    }
}

/// Takes tokens and gives them back: the key of the HMACs, and how strict the limits are. Cheap to clone.
#[derive(Clone, Debug)]
pub struct RateLimiter {
    keys: KeyRing,
    times: f64,
}

impl RateLimiter {
    pub fn new(keys: KeyRing, strictness: RateLimits) -> Self {
        Self { keys, times: strictness.factor().into() }
    }

    /// The bucket of what the parts name together, such as an e-mail and a network.
    pub fn bucket(&self, parts: &[&str]) -> Bucket {
        let parts: Vec<&[u8]> = parts.iter().map(|part| part.as_bytes()).collect();
        let name = |key: &Key| hex(&key.mac(&parts));
        let older = self.keys.older().iter().map(name).collect();
        Bucket { name: name(self.keys.newest()), older }
    }

    /// A network as `known_networks` keeps it.
    pub fn network_mac(&self, network: &str) -> [u8; 32] {
        self.keys.newest().mac(&[b"network", network.as_bytes()])
    }

    /// As [`RateLimiter::network_mac`], by every key, newest first.
    pub fn network_macs(&self, network: &str) -> Vec<[u8; 32]> {
        self.keys.all().map(|key| key.mac(&[b"network", network.as_bytes()])).collect()
    }

    /// Takes one token of each, or none: a refusal is `TooMany`, counted and audited in its own transaction.
    pub async fn take(&self, db: &Db, wanted: &[(Rule, &Bucket)]) -> Result<()> {
        let tx = db.tx().await?;
        for (rule, bucket) in wanted {
            if let Some(retry_after) = self.try_take(&tx, *rule, bucket).await? {
                tx.rollback().await?;
                return Err(refused(db, *rule, bucket, retry_after).await?);
            }
        }
        tx.commit().await
    }

    /// Takes one token in the caller's transaction. Returns the seconds to wait, or `None` if the token was taken.
    pub async fn try_take(&self, tx: &Tx, rule: Rule, bucket: &Bucket) -> Result<Option<u32>> {
        let rule = self.scaled(rule);
        rename(tx, rule.action, bucket).await?;
        let taken = tx
            .execute(TAKE, &[&rule.action, &bucket.name, &rule.burst, &tx.now(), &rule.per_second])
            .await?;
        if taken == 1 {
            return Ok(None);
        }
        Ok(Some(wait(tx, rule, bucket).await?.max(1)))
    }

    /// Takes one token for a command that a refusal ends: `TooMany`, counted; not audited, because all is rolled back.
    pub async fn take_within(&self, tx: &Tx, rule: Rule, bucket: &Bucket) -> Result<()> {
        let Some(retry_after) = self.try_take(tx, rule, bucket).await? else { return Ok(()) };
        count_refusal(rule.action);
        Err(Error::TooMany { retry_after })
    }

    /// Refuses when a bucket is empty, and takes nothing: before a look-up whose answer would cost a token.
    pub async fn check(&self, db: &Db, wanted: &[(Rule, &Bucket)]) -> Result<()> {
        let tx = db.tx().await?;
        for (rule, bucket) in wanted {
            let retry_after = wait(&tx, self.scaled(*rule), bucket).await?;
            if retry_after > 0 {
                tx.rollback().await?;
                return Err(refused(db, *rule, bucket, retry_after).await?);
            }
        }
        tx.rollback().await
    }

    /// Whether the next token would be refused. Takes nothing, and notes nothing.
    pub async fn is_empty(&self, tx: &Tx, rule: Rule, bucket: &Bucket) -> Result<bool> {
        Ok(wait(tx, self.scaled(rule), bucket).await? > 0)
    }

    /// Puts a token back: the try that it stood for was no failure.
    pub async fn give_back(&self, tx: &Tx, rule: Rule, bucket: &Bucket) -> Result<()> {
        let rule = self.scaled(rule);
        tx.execute(GIVE_BACK, &[&rule.action, &bucket.name, &rule.burst]).await.map(drop)
    }

    /// Forgets the bucket: it is full again.
    pub async fn refill(&self, tx: &Tx, rule: Rule, bucket: &Bucket) -> Result<()> {
        tx.execute(FORGET, &[&rule.action, &bucket.names()]).await.map(drop)
    }

    /// Counts a sign-in as failed before its password is looked at: after five, each next one waits twice as
    /// long as the last. A success clears the count.
    pub async fn count_sign_in(&self, db: &Db, pair: &Bucket) -> Result<()> {
        let tx = db.tx().await?;
        rename(&tx, PAIR, pair).await?;
        let free = FREE_FAILURES * self.times;
        let since = tx.now().checked_sub(FAILURES_KEPT).map_err(Error::internal)?;
        let counted = tx
            .execute(COUNT_PAIR, &[&PAIR, &pair.name, &tx.now(), &free, &LONGEST_WAIT, &since])
            .await?;
        if counted == 1 {
            return tx.commit().await;
        }
        let params: Params<'_> = &[&PAIR, &pair.name, &tx.now(), &free, &LONGEST_WAIT];
        let wait = whole_seconds(tx.value(PAIR_WAIT, params).await?).max(1);
        tx.rollback().await?;
        Err(refused(db, rule(PAIR, 1.0, 1.0, 1.0), pair, wait).await?)
    }

    /// Takes back one failure that `count_sign_in` counted. The wait before the next try still starts at that try.
    pub async fn give_sign_in_back(&self, tx: &Tx, pair: &Bucket) -> Result<()> {
        tx.execute(UNCOUNT_PAIR, &[&PAIR, &pair.name]).await.map(drop)
    }

    pub async fn clear_sign_in(&self, tx: &Tx, pair: &Bucket) -> Result<()> {
        tx.execute(FORGET, &[&PAIR, &pair.names()]).await.map(drop)
    }

    fn scaled(&self, rule: Rule) -> Rule {
        Rule { burst: rule.burst * self.times, per_second: rule.per_second * self.times, ..rule }
    }
}

/// Seconds until the bucket has a token.
async fn wait(tx: &Tx, rule: Rule, bucket: &Bucket) -> Result<u32> {
    rename(tx, rule.action, bucket).await?;
    let params: Params<'_> =
        &[&rule.action, &bucket.name, &rule.burst, &tx.now(), &rule.per_second];
    let Some(tokens) = tx.find_value::<f64>(LEFT, params).await? else { return Ok(0) };
    if tokens >= 1.0 {
        return Ok(0);
    }
    if rule.per_second <= 0.0 {
        return Ok(NO_REFILL);
    }
    Ok(whole_seconds((1.0 - tokens) / rule.per_second).max(1))
}

/// One audit row a key and window.
async fn refused(db: &Db, rule: Rule, bucket: &Bucket, retry_after: u32) -> Result<Error> {
    let tx = db.tx().await?;
    let noted = format!("{}:{}", rule.action, bucket.name);
    let once = self::rule("audited", 1.0, 1.0, AUDIT_WINDOW);
    let is_first =
        tx.execute(TAKE, &[&once.action, &noted, &once.burst, &tx.now(), &once.per_second]).await?;
    if is_first == 1 {
        let entry = Entry::of(AuditAction::RateLimitExceed).about(rule.action);
        audit::record(&tx, Entry { outcome: Outcome::Refused, ..entry });
    }
    tx.commit().await?;
    count_refusal(rule.action);
    Ok(Error::TooMany { retry_after })
}

/// Counts what a limit refused, wherever the limit lives.
pub fn count_refusal(action: &'static str) {
    metrics::counter!("bipe_rate_limited_total", "action" => action).increment(1);
}

/// A bucket that an older key named gets its name by the newest, with what is in it.
async fn rename(tx: &Tx, action: &str, bucket: &Bucket) -> Result<()> {
    if !bucket.older.is_empty() {
        tx.execute(RENAME, &[&action, &bucket.name, &bucket.older]).await?;
    }
    Ok(())
}

/// Rounded up, so that a client that waits as told succeeds.
fn whole_seconds(seconds: f64) -> u32 {
    let bounded = seconds.ceil().clamp(0.0, 31_536_000.0);
    #[expect(
        clippy::as_conversions,
        reason = "clamped to a year of seconds on the line above; floats have no TryFrom"
    )]
    let whole = bounded as u32;
    whole
}

/// Deletes a batch of the buckets that are full, untouched since. Those that refill slowly, or never, stay for a year.
pub async fn purge(tx: &Tx, before: Timestamp) -> Result<u64> {
    let slow =
        [SIGN_IN_ROW, WRONG_CODE_UNKNOWN_MONTH, WRONG_FACTOR_UNKNOWN_MONTH].map(|rule| rule.action);
    let long_before = before.checked_sub(SLOW_KEPT).map_err(Error::internal)?;
    tx.execute(PURGE, &[&before, &slow.as_slice(), &long_before]).await
}

/// The clock of a bucket never goes back, whichever node's request comes first.
const TAKE: &str = "INSERT INTO rate_buckets AS b (action, key, tokens, filled_at) \
     VALUES ($1, $2, $3::float8 - 1, $4::timestamptz) ON CONFLICT (action, key) DO UPDATE SET \
     tokens = least($3, b.tokens + $5::float8 * greatest(0, extract(epoch FROM $4 - b.filled_at)::float8)) - 1, \
     filled_at = greatest(b.filled_at, $4) \
     WHERE least($3, b.tokens + $5 * greatest(0, extract(epoch FROM $4 - b.filled_at)::float8)) >= 1";
const LEFT: &str = "SELECT least($3::float8, tokens + $5::float8 * greatest(0, \
     extract(epoch FROM $4::timestamptz - filled_at)::float8)) AS tokens \
     FROM rate_buckets WHERE action = $1 AND key = $2";
const GIVE_BACK: &str = "UPDATE rate_buckets SET tokens = least($3::float8, tokens + 1) \
     WHERE action = $1 AND key = $2";
const FORGET: &str = "DELETE FROM rate_buckets WHERE action = $1 AND key = ANY ($2)";
const RENAME: &str = "UPDATE rate_buckets SET key = $2 WHERE action = $1 AND key = \
     (SELECT key FROM rate_buckets WHERE action = $1 AND key = ANY ($3) ORDER BY filled_at DESC LIMIT 1) \
     AND NOT EXISTS (SELECT FROM rate_buckets WHERE action = $1 AND key = $2)";
/// `tokens` counts failures here, `filled_at` is the last one.
const COUNT_PAIR: &str = "INSERT INTO rate_buckets AS b (action, key, tokens, filled_at) \
     VALUES ($1, $2, 1, $3::timestamptz) ON CONFLICT (action, key) DO UPDATE SET filled_at = $3, \
     tokens = CASE WHEN b.filled_at < $6::timestamptz THEN 1 ELSE b.tokens + 1 END \
     WHERE b.tokens < $4::float8 OR extract(epoch FROM $3 - b.filled_at)::float8 \
     >= least($5::float8, power(2, least(b.tokens - $4, 20)))";
const UNCOUNT_PAIR: &str = "UPDATE rate_buckets SET tokens = greatest(tokens - 1, 0) \
     WHERE action = $1 AND key = $2";
const PAIR_WAIT: &str = "SELECT CASE WHEN tokens < $4::float8 THEN 0 \
     ELSE least($5::float8, power(2, least(tokens - $4, 20))) \
     - extract(epoch FROM $3::timestamptz - filled_at)::float8 END AS seconds \
     FROM rate_buckets WHERE action = $1 AND key = $2";
const PURGE: &str = "DELETE FROM rate_buckets WHERE ctid = ANY (ARRAY(SELECT ctid FROM rate_buckets \
     WHERE filled_at < $1 AND (action <> ALL ($2::text[]) OR filled_at < $3) LIMIT 5000))";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::secret::Secret;

    fn limits(strictness: RateLimits) -> RateLimiter {
        RateLimiter::new(KeyRing::derive(&Secret::new("0".repeat(32)), "limit-key-v1"), strictness)
    }

    #[test]
    fn a_bucket_shows_nothing_of_what_it_is_for() {
        let bucket = limits(RateLimits::Strict).bucket(&["ana@example.com", "10.0.0.1"]);
        assert_eq!(bucket.name.len(), 64);
        assert!(bucket.name.bytes().all(|b| b.is_ascii_hexdigit()));
    }

    #[test]
    fn relaxed_limits_are_a_thousand_times_the_strict_ones() {
        let scaled = limits(RateLimits::Relaxed).scaled(SIGN_IN);
        assert_eq!(scaled.burst, 20_000.0);
        assert_eq!(scaled.per_second, SIGN_IN.per_second * 1_000.0);
    }

    /// docs/security.md, "Limits": the arithmetic below its table.
    #[test]
    fn guessing_codes_stays_hopeless() {
        let tries_a_code = f64::from(crate::auth::code::MAX_TRIES);
        assert!(tries_a_code / 1e6 <= 5e-6, "one code");
        let account_a_day = WRONG_CODE_UNKNOWN[0].burst / 1e6;
        assert!(account_a_day <= 1e-5, "one account a day");
        // A full bucket at the start of the month and a month of refill.
        let month = WRONG_CODE_UNKNOWN[1].burst + WRONG_CODE_UNKNOWN[1].per_second * 30.0 * DAY;
        assert!(month / 1e6 <= 5e-5, "one account in 30 days: {month} guesses");
        let system_a_day = WRONG_CODE_SYSTEM.per_second * DAY / 1e6;
        assert!(system_a_day <= 0.01, "the whole system a day");
    }
}
