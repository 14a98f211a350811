//! Six-digit codes for verification, reset and another address, and the long link in the mail of a reset.
//!
//! A code is derived from its row and from a key that is not in the database. It is stored nowhere, not even in the
//! job that mails it. A try is counted, in a committed statement of its own, before the code is compared. A link has
//! no count: nobody guesses 256 bits, and without a count nobody can use the tries of the owner up.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jiff::{SignedDuration, Timestamp};

use crate::db::{Db, Tx};
use crate::error::{Error, FieldCode, Result};
use crate::id::UserId;
use crate::job::{self, JobKind};
use crate::secret::{Key, KeyId, KeyRing, sha256};
use crate::user::Email;
use crate::words::words;

pub const LIFETIME: SignedDuration = SignedDuration::from_mins(15);
pub const MAX_TRIES: i16 = 5;
/// A code younger than this is not replaced. Shorter than the minute between two requests, because the job
/// that makes the code may run a moment after its request.
pub const PAUSE: SignedDuration = SignedDuration::from_secs(30);
const CODES: u64 = 1_000_000;

words! {
    pub enum Purpose {
        Verification = "verification",
        Reset = "reset",
        /// Another address for an account, which is where the code goes.
        Email = "email",
    }
}

/// Payload of a `CodeMail` job: a person has asked for a code.
#[derive(Debug, serde::Serialize, serde::Deserialize)]
pub struct CodeRequest {
    pub email: String,
    pub purpose: Purpose,
    /// The account that asked for another address; none when the code goes to the address of an account.
    pub user_id: Option<UserId>,
}

/// Adds the job that mails a code to the address.
pub(super) fn request_mail(
    tx: &mut Tx,
    email: &Email,
    purpose: Purpose,
    user_id: Option<UserId>,
) -> Result<()> {
    let request = CodeRequest { email: email.as_str().to_owned(), purpose, user_id };
    let (key, now) = (tx.clock().uuid().to_string(), tx.now());
    job::add(tx, JobKind::CodeMail, &key, now, &request)
}

/// Six digits as somebody typed them.
#[derive(Clone, PartialEq, Eq)]
pub struct Digits(String);

impl Digits {
    pub fn parse(raw: &str) -> Result<Self, FieldCode> {
        match raw.trim() {
            "" => Err(FieldCode::Required),
            text if text.len() == 6 && text.bytes().all(|b| b.is_ascii_digit()) => {
                Ok(Self(text.to_owned()))
            }
            _ => Err(FieldCode::CodeInvalid),
        }
    }

    pub(super) fn as_str(&self) -> &str {
        &self.0
    }
}

/// Which code: the one that was issued to a person for a purpose at an instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct IssuedCode {
    pub user_id: UserId,
    pub purpose: Purpose,
    pub issued_at: Timestamp,
    /// The key that it was issued with.
    #[serde(default)]
    pub key: Option<KeyId>,
}

impl IssuedCode {
    /// Six uniform digits: 64 bits of the MAC, of which 10⁶ leaves no bias worth a name.
    pub fn digits(&self, keys: &KeyRing) -> String {
        let mac = self.mac(keys.of(self.key), b"digits", b"");
        let number = mac.iter().take(8).fold(0_u64, |sum, byte| (sum << 8) | u64::from(*byte));
        format!("{:06}", number % CODES)
    }

    /// What the link of a reset ends with: 256 bits that nobody can make without the key.
    pub fn link(&self, keys: &KeyRing) -> String {
        URL_SAFE_NO_PAD.encode(self.mac(keys.of(self.key), b"link", b""))
    }

    pub fn expires_at(&self) -> Timestamp {
        self.issued_at.checked_add(LIFETIME).unwrap_or(Timestamp::MAX)
    }

    /// What the row keeps.
    fn code_mac(&self, key: &Key, digits: &str) -> [u8; 32] {
        self.mac(key, b"code", digits.as_bytes())
    }

    fn mac(&self, key: &Key, use_: &[u8], text: &[u8]) -> [u8; 32] {
        let at = self.issued_at.as_microsecond().to_be_bytes();
        key.mac(&[use_, self.purpose.as_str().as_bytes(), self.user_id.0.as_bytes(), &at, text])
    }
}

/// Makes the person's code for a purpose; an older one is void, and so is its link.
pub async fn issue(
    tx: &Tx,
    keys: &KeyRing,
    user_id: UserId,
    purpose: Purpose,
) -> Result<IssuedCode> {
    let key = Some(keys.newest().id());
    let issue = IssuedCode { user_id, purpose, issued_at: tx.now(), key };
    let mac = issue.code_mac(keys.newest(), &issue.digits(keys));
    let link = (purpose == Purpose::Reset).then(|| sha256(issue.link(keys).as_bytes()));
    tx.execute(
        ISSUE,
        &[
            &user_id,
            &purpose,
            &mac.as_slice(),
            &issue.issued_at,
            &issue.expires_at(),
            &link.as_ref().map(|link| link.as_slice()),
        ],
    )
    .await?;
    Ok(issue)
}

const ISSUE: &str = "INSERT INTO codes (user_id, purpose, code_mac, issued_at, expires_at, link_sha256) \
     VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (user_id, purpose) DO UPDATE SET \
     code_mac = excluded.code_mac, issued_at = excluded.issued_at, link_sha256 = excluded.link_sha256, \
     expires_at = excluded.expires_at, attempts = 0, consumed_at = NULL";

/// Whether a code was issued a moment ago.
pub async fn is_fresh(tx: &Tx, user_id: UserId, purpose: Purpose) -> Result<bool> {
    let since = tx.now().checked_sub(PAUSE).map_err(Error::internal)?;
    tx.value(IS_FRESH, &[&user_id, &purpose, &since]).await
}

const IS_FRESH: &str = "SELECT EXISTS (SELECT 1 FROM codes WHERE user_id = $1 AND purpose = $2 \
     AND issued_at > $3) AS fresh";

/// A right code that still has to be consumed.
#[derive(Debug)]
pub struct MatchingCode {
    pub user_id: UserId,
    purpose: Purpose,
    code_mac: Vec<u8>,
}

/// Counts a try and compares. None for an unknown address, a dead, expired, used or wrong code alike.
pub async fn try_code(
    db: &Db,
    keys: &KeyRing,
    purpose: Purpose,
    email: &Email,
    digits: &Digits,
) -> Result<Option<MatchingCode>> {
    let tx = db.tx().await?;
    let row = tx.query_one(COUNT, &[&purpose, &email, &tx.now(), &MAX_TRIES]).await?;
    tx.commit().await?;
    let counted: Option<UserId> = row.try_get("user_id")?;
    // For nobody the work of a comparison all the same, which no digits can pass.
    let user_id = counted.unwrap_or(UserId(uuid::Uuid::nil()));
    let issued_at: Option<Timestamp> = row.try_get("issued_at")?;
    let code_mac: Option<Vec<u8>> = row.try_get("code_mac")?;
    let code_mac = code_mac.unwrap_or_else(|| vec![0; 32]);
    let issued_at = issued_at.unwrap_or(Timestamp::UNIX_EPOCH);
    let issue = IssuedCode { user_id, purpose, issued_at, key: None };
    let gives = keys.any_gives(&code_mac, |key| issue.code_mac(key, &digits.0));
    let is_right = gives && counted.is_some();
    Ok(is_right.then_some(MatchingCode { user_id: issue.user_id, purpose, code_mac }))
}

/// A commit that wrote something waits for the disk; one that did not would answer sooner and tell. So the
/// statement writes when it counts nothing, too.
const COUNT: &str = "WITH counted AS (UPDATE codes SET attempts = attempts + 1 WHERE purpose = $1 \
     AND user_id = (SELECT id FROM users WHERE email = $2) \
     AND consumed_at IS NULL AND expires_at > $3 AND attempts < $4 \
     RETURNING user_id, code_mac, issued_at) \
     SELECT c.user_id, c.code_mac, c.issued_at, CASE WHEN c.user_id IS NULL \
     THEN pg_logical_emit_message(true, 'bipe', ''::text)::text END AS written \
     FROM (SELECT) AS one LEFT JOIN counted c ON true";

/// What a link stands for; none for one that is unknown, late or used.
pub async fn by_link(db: &Db, link: &str) -> Result<Option<MatchingCode>> {
    let hash = sha256(link.as_bytes());
    let row = db.ask(BY_LINK, &[&hash.as_slice(), &db.clock().now()]).await?;
    let right = row.map(|row| {
        let (user_id, code_mac) = (row.try_get("user_id")?, row.try_get("code_mac")?);
        Ok::<_, Error>(MatchingCode { user_id, purpose: Purpose::Reset, code_mac })
    });
    right.transpose()
}

const BY_LINK: &str = "SELECT user_id, code_mac FROM codes WHERE link_sha256 = $1 \
     AND expires_at > $2 AND consumed_at IS NULL";

/// Uses the code and its link up in the transaction of its effect; false when somebody else did so first.
pub async fn consume(tx: &Tx, right: &MatchingCode) -> Result<bool> {
    let MatchingCode { user_id, purpose, code_mac } = right;
    Ok(tx.execute(CONSUME, &[&tx.now(), user_id, purpose, code_mac]).await? == 1)
}

const CONSUME: &str = "UPDATE codes SET consumed_at = $1 \
     WHERE user_id = $2 AND purpose = $3 AND code_mac = $4 AND consumed_at IS NULL";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Clock;
    use crate::secret::Secret;

    fn issue(clock: &Clock) -> IssuedCode {
        let (user_id, issued_at) = (UserId::new(clock), clock.now());
        IssuedCode { user_id, purpose: Purpose::Reset, issued_at, key: None }
    }

    #[test]
    fn six_digits_are_six_ascii_digits() {
        assert!(Digits::parse(" 012345 ").is_ok());
        assert_eq!(Digits::parse("").err(), Some(FieldCode::Required));
        for raw in ["12345", "1234567", "12345a", "+12345", "１２３４５６"] {
            assert_eq!(Digits::parse(raw).err(), Some(FieldCode::CodeInvalid), "{raw}");
        }
    }

    #[test]
    fn codes_are_uniform_and_keep_their_zeros() {
        let clock = Clock::fixed("2026-11-21T12:00:00Z".parse().unwrap(), 7);
        let key = KeyRing::derive(&Secret::new("0".repeat(32)), "code-v1");
        let mut counts = [[0_u32; 10]; 6];
        let rounds = 20_000;
        for _ in 0..rounds {
            let digits = issue(&clock).digits(&key);
            assert_eq!(digits.len(), 6);
            for (place, digit) in digits.bytes().enumerate() {
                counts[place][usize::from(digit - b'0')] += 1;
            }
        }
        for place in counts {
            let expected = f64::from(rounds) / 10.0;
            let chi: f64 =
                place.iter().map(|n| (f64::from(*n) - expected).powi(2) / expected).sum();
            // 9 degrees of freedom: 27.9 is passed by one run in a thousand, and this run is always the same.
            assert!(chi < 27.9, "χ² = {chi}");
        }
    }

    #[test]
    fn a_code_belongs_to_one_purpose_person_and_instant() {
        let clock = Clock::fixed("2026-11-21T12:00:00Z".parse().unwrap(), 7);
        let key = KeyRing::derive(&Secret::new("0".repeat(32)), "code-v1");
        let one = issue(&clock);
        let digits = one.digits(&key);
        let other_purpose = IssuedCode { purpose: Purpose::Verification, ..one };
        let other_person = IssuedCode { user_id: UserId::new(&clock), ..one };
        for other in [other_purpose, other_person] {
            let mac = |issue: IssuedCode| issue.code_mac(key.newest(), &digits);
            assert_ne!(mac(one), mac(other));
            assert_ne!(one.link(&key), other.link(&key));
        }
    }
}
