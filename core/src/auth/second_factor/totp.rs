//! Codes of an authenticator app (RFC 6238): SHA-1, six digits, 30 seconds, one step to either side.
//!
//! Invariant: the code of a step is taken once; an older step than the newest one taken is refused.

use jiff::Timestamp;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use tokio_postgres::Row;
use totp_rs::{Builder, Secret, Totp};

use crate::auth::code::Digits;
use crate::db::Tx;
use crate::error::{Error, Result};
use crate::id::UserId;
use crate::user::Email;

/// 160 bits.
const LENGTH: usize = 20;
const ISSUER: &str = "Bipe";
/// All but what RFC 3986 calls unreserved.
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// What an authenticator app is set up with. Shown once.
#[derive(Clone, PartialEq, Eq)]
pub struct Offer {
    /// Base32, for who types it.
    pub secret: String,
    /// `otpauth://`, for the QR code.
    pub uri: String,
}

fn app(secret: [u8; LENGTH]) -> Result<Totp> {
    Builder::new().with_secret(secret).build().map_err(|error| Error::internal(error.to_string()))
}

impl Offer {
    fn of(secret: [u8; LENGTH], email: &Email) -> Self {
        let secret = Secret::from(secret).to_base32();
        let account = utf8_percent_encode(email.as_str(), RESERVED);
        let uri = format!(
            "otpauth://totp/{ISSUER}:{account}?secret={secret}&issuer={ISSUER}&algorithm=SHA1&digits=6&period=30"
        );
        Self { secret, uri }
    }
}

/// The step whose code these digits are at that instant.
fn matching_step(secret: [u8; LENGTH], digits: &Digits, now: Timestamp) -> Result<Option<i64>> {
    let Ok(seconds) = u64::try_from(now.as_second()) else { return Ok(None) };
    let step = app(secret)?.check(digits.as_str(), seconds);
    Ok(step.and_then(|step| i64::try_from(step).ok()))
}

/// Offers a new secret; one that was offered before is void. None while an app is set up already.
pub(super) async fn offer(tx: &Tx, user: UserId, email: &Email) -> Result<Option<Offer>> {
    let secret: [u8; LENGTH] = tx.clock().bytes();
    let is_new = tx.execute(OFFER, &[&user, &secret.as_slice(), &tx.now()]).await? == 1;
    Ok(is_new.then(|| Offer::of(secret, email)))
}

const OFFER: &str = "INSERT INTO totp_factors AS t (user_id, secret, created_at) VALUES ($1, $2, $3) \
     ON CONFLICT (user_id) DO UPDATE SET secret = excluded.secret, created_at = excluded.created_at, \
     last_step = 0 WHERE t.confirmed_at IS NULL";

/// The step of a code of the app that is set up; none for a wrong or an old one.
pub(super) async fn step_of(tx: &Tx, user: UserId, digits: &Digits) -> Result<Option<i64>> {
    let row = tx.query_opt(FIND, &[&user]).await?;
    row.map_or(Ok(None), |row| new_step(&row, digits, tx.now()))
}

const FIND: &str = "SELECT secret, last_step FROM totp_factors \
     WHERE user_id = $1 AND confirmed_at IS NOT NULL";

/// As [`step_of`], of the app that was offered since then.
pub(super) async fn step_of_offered(
    tx: &Tx,
    user: UserId,
    digits: &Digits,
    since: Timestamp,
) -> Result<Option<i64>> {
    let row = tx.query_opt(FIND_OFFERED, &[&user, &since]).await?;
    row.map_or(Ok(None), |row| new_step(&row, digits, tx.now()))
}

const FIND_OFFERED: &str = "SELECT secret, last_step FROM totp_factors \
     WHERE user_id = $1 AND confirmed_at IS NULL AND created_at > $2";

fn new_step(row: &Row, digits: &Digits, now: Timestamp) -> Result<Option<i64>> {
    let secret: Vec<u8> = row.try_get("secret")?;
    let secret = secret.try_into().map_err(|_| Error::internal("a TOTP secret has 20 bytes"))?;
    let last: i64 = row.try_get("last_step")?;
    Ok(matching_step(secret, digits, now)?.filter(|step| *step > last))
}

/// Uses the code of a step up; false when it or a newer one was used before.
pub(super) async fn consume_step(tx: &Tx, user: UserId, step: i64) -> Result<bool> {
    Ok(tx.execute(TAKE_STEP, &[&user, &step]).await? == 1)
}

const TAKE_STEP: &str = "UPDATE totp_factors SET last_step = $2 \
     WHERE user_id = $1 AND last_step < $2 AND confirmed_at IS NOT NULL";

/// The offered app becomes a factor by the code of that step.
pub(super) async fn confirm(tx: &Tx, user: UserId, step: i64) -> Result<()> {
    tx.execute(CONFIRM, &[&user, &step, &tx.now()]).await.map(drop)
}

const CONFIRM: &str = "UPDATE totp_factors SET last_step = $2, confirmed_at = $3 \
     WHERE user_id = $1 AND confirmed_at IS NULL";

/// False when there was none.
pub(super) async fn remove(tx: &Tx, user: UserId) -> Result<bool> {
    Ok(tx.execute(REMOVE, &[&user]).await? == 1)
}

const REMOVE: &str = "DELETE FROM totp_factors WHERE user_id = $1 AND confirmed_at IS NOT NULL";

/// Since when an app is set up.
pub(super) async fn confirmed_at(tx: &Tx, user: UserId) -> Result<Option<Timestamp>> {
    Ok(tx.find_value::<Option<Timestamp>>(CONFIRMED_AT, &[&user]).await?.flatten())
}

const CONFIRMED_AT: &str = "SELECT confirmed_at FROM totp_factors WHERE user_id = $1";

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: [u8; LENGTH] = *b"12345678901234567890";

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn step(digits: &str, second: i64) -> Option<i64> {
        matching_step(SECRET, &Digits::parse(digits).unwrap(), at(second)).unwrap()
    }

    /// RFC 6238, appendix B, the last six of its eight digits.
    #[test]
    fn codes_are_those_of_the_standard() {
        let vectors = [
            (59, "287082"),
            (1_111_111_109, "081804"),
            (1_111_111_111, "050471"),
            (1_234_567_890, "005924"),
            (2_000_000_000, "279037"),
            (20_000_000_000, "353130"),
        ];
        for (second, digits) in vectors {
            assert_eq!(step(digits, second), Some(second / 30), "{digits}");
        }
    }

    #[test]
    fn a_code_is_good_in_its_step_and_the_next_and_the_one_before() {
        let taken = |second| step("050471", second).is_some();
        let start = 1_111_111_111 / 30 * 30;
        assert!(!taken(start - 31));
        assert!(taken(start - 30) && taken(start) && taken(start + 59));
        assert!(!taken(start + 60));
    }

    #[test]
    fn an_app_learns_the_secret_and_whose_it_is() {
        let email = Email::parse("ana+bipe@example.com").unwrap();
        let offer = Offer::of(SECRET, &email);
        assert_eq!(offer.secret, "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ");
        assert_eq!(
            offer.uri,
            "otpauth://totp/Bipe:ana%2Bbipe%40example.com?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ\
             &issuer=Bipe&algorithm=SHA1&digits=6&period=30"
        );
    }
}
