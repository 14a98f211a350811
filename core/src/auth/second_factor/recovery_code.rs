//! Recovery codes: ten at a time, 80 random bits each, shown once and stored as SHA-256. A code of that length needs
//! no slow hash. Each is good once; a new set voids the old one.

use crate::db::Tx;
use crate::error::Result;
use crate::id::UserId;
use crate::secret::sha256;

pub const COUNT: usize = 10;
const LENGTH: usize = 10;
/// Crockford's digits: nobody has to tell I from 1 and O from 0.
const DIGITS: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/// Sixteen digits in groups of four.
fn spelled(bytes: [u8; LENGTH]) -> String {
    let number = bytes.iter().fold(0_u128, |sum, byte| (sum << 8) | u128::from(*byte));
    let digit = |place: usize| {
        let index = usize::try_from((number >> (75 - 5 * place)) & 31).unwrap_or_default();
        char::from(DIGITS.get(index).copied().unwrap_or(b'0'))
    };
    let groups: Vec<String> =
        (0..4).map(|group| (0..4).map(|place| digit(group * 4 + place)).collect()).collect();
    groups.join("-")
}

/// The hash of a code as somebody typed it: in any case, with or without its separators.
pub(super) fn hash(typed: &str) -> [u8; 32] {
    let read = |c: char| match c.to_ascii_uppercase() {
        'O' => Some('0'),
        'I' | 'L' => Some('1'),
        c if c.is_ascii_alphanumeric() => Some(c),
        _ => None,
    };
    let plain: String = typed.chars().take(100).filter_map(read).collect();
    sha256(plain.as_bytes())
}

/// Ten new codes; those from before are void.
pub(super) async fn replace(tx: &Tx, user: UserId) -> Result<Vec<String>> {
    drop_all(tx, user).await?;
    let codes: Vec<String> = (0..COUNT).map(|_| spelled(tx.clock().bytes())).collect();
    let hashes: Vec<Vec<u8>> = codes.iter().map(|code| hash(code).to_vec()).collect();
    tx.execute(ADD, &[&user, &hashes]).await?;
    Ok(codes)
}

const ADD: &str = "INSERT INTO recovery_codes (user_id, code_sha256) \
     SELECT $1, unnest($2::bytea[])";

pub(super) async fn drop_all(tx: &Tx, user: UserId) -> Result<()> {
    tx.execute(DROP, &[&user]).await.map(drop)
}

const DROP: &str = "DELETE FROM recovery_codes WHERE user_id = $1";

pub(super) async fn is_unused(tx: &Tx, user: UserId, sha256: &[u8; 32]) -> Result<bool> {
    Ok(tx.query_opt(FIND, &[&user, &sha256.as_slice()]).await?.is_some())
}

const FIND: &str = "SELECT FROM recovery_codes \
     WHERE user_id = $1 AND code_sha256 = $2 AND used_at IS NULL";

/// Uses a code up; false when somebody else did so first.
pub(super) async fn consume(tx: &Tx, user: UserId, sha256: &[u8; 32]) -> Result<bool> {
    Ok(tx.execute(TAKE, &[&user, &sha256.as_slice(), &tx.now()]).await? == 1)
}

const TAKE: &str = "UPDATE recovery_codes SET used_at = $3 \
     WHERE user_id = $1 AND code_sha256 = $2 AND used_at IS NULL";

/// How many are unused.
pub(super) async fn left(tx: &Tx, user: UserId) -> Result<i64> {
    tx.value(LEFT, &[&user]).await
}

const LEFT: &str =
    "SELECT count(*) AS unused FROM recovery_codes WHERE user_id = $1 AND used_at IS NULL";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_spells_all_its_bits() {
        assert_eq!(spelled([0; LENGTH]), "0000-0000-0000-0000");
        assert_eq!(spelled([255; LENGTH]), "ZZZZ-ZZZZ-ZZZZ-ZZZZ");
        let mut one = [0; LENGTH];
        one[LENGTH - 1] = 1;
        assert_eq!(spelled(one), "0000-0000-0000-0001");
        one[0] = 128;
        assert_eq!(spelled(one), "G000-0000-0000-0001");
    }

    #[test]
    fn however_it_is_typed_it_is_the_same_code() {
        let right = hash("10AB-CDEF-GHJK-MNPQ");
        for typed in ["10abcdefghjkmnpq", " ioab cdef ghjk mnpq ", "lOAB-cdef-GHJK-mnpq"] {
            assert_eq!(hash(typed), right, "{typed}");
        }
        assert_ne!(hash("10AB-CDEF-GHJK-MNPR"), right);
    }
}
