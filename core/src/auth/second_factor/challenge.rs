//! Challenges: 256 random bits, given to a client as text and stored as SHA-256. The text is the token of the second
//! step of a sign-in and the bytes that an authenticator signs.
//!
//! Invariant: a challenge serves one purpose of one person, once, for five minutes and five tries, on every node and
//! after every restart.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jiff::SignedDuration;

use crate::db::{Db, Tx};
use crate::error::{Error, Result};
use crate::id::{SessionId, UserId};
use crate::scope::SignedIn;
use crate::secret::sha256;
use crate::words::words;

/// Seconds.
pub const LIFETIME: i64 = 300;
pub const MAX_TRIES: i16 = 5;
const LENGTH: usize = 32;

words! {
    pub(super) enum Purpose {
        /// The second step after a right password.
        SignIn = "sign_in",
        /// A passkey alone; whose, is known when it is shown.
        PasskeySignIn = "passkey_sign_in",
        StepUp = "step_up",
        /// A new passkey.
        Enroll = "enroll",
    }
}

/// What had been proven when the challenge was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ChallengeBinding {
    pub user: Option<UserId>,
    pub session: Option<SessionId>,
    /// SHA-256 of the stored hash that the password was compared with.
    pub password_sha256: Option<[u8; 32]>,
}

impl ChallengeBinding {
    /// By the session alone.
    pub fn of(SignedIn { user_id, session_id }: SignedIn) -> Self {
        Self { user: Some(user_id), session: Some(session_id), password_sha256: None }
    }
}

/// Makes a challenge; an older one for the same purpose of the same session is void.
pub(super) async fn issue(tx: &Tx, purpose: Purpose, bound: ChallengeBinding) -> Result<String> {
    let text = URL_SAFE_NO_PAD.encode(tx.clock().bytes::<LENGTH>());
    let lifetime = SignedDuration::from_secs(LIFETIME);
    let expires_at = tx.now().checked_add(lifetime).map_err(Error::internal)?;
    if bound.session.is_some() {
        tx.execute(VOID, &[&purpose, &bound.session]).await?;
    }
    let password = bound.password_sha256.as_ref().map(<[u8; 32]>::as_slice);
    let hash = sha256(text.as_bytes());
    tx.execute(
        ADD,
        &[&hash.as_slice(), &purpose, &bound.user, &bound.session, &password, &expires_at],
    )
    .await?;
    Ok(text)
}

const VOID: &str = "DELETE FROM factor_challenges WHERE purpose = $1 AND session_id = $2";
const ADD: &str = "INSERT INTO factor_challenges \
     (challenge_sha256, purpose, user_id, session_id, password_sha256, expires_at) \
     VALUES ($1, $2, $3, $4, $5, $6)";

/// Counts a try in a commit of its own. None for an unknown, late, used or exhausted challenge alike.
pub(super) async fn count(
    db: &Db,
    purpose: Purpose,
    text: &str,
) -> Result<Option<ChallengeBinding>> {
    let tx = db.tx().await?;
    let hash = sha256(text.as_bytes());
    let row = tx.query_opt(COUNT, &[&hash.as_slice(), &purpose, &tx.now(), &MAX_TRIES]).await?;
    tx.commit().await?;
    let Some(row) = row else { return Ok(None) };
    let password: Option<Vec<u8>> = row.try_get("password_sha256")?;
    Ok(Some(ChallengeBinding {
        user: row.try_get("user_id")?,
        session: row.try_get("session_id")?,
        password_sha256: password.and_then(|bytes| bytes.try_into().ok()),
    }))
}

const COUNT: &str = "UPDATE factor_challenges SET attempts = attempts + 1 \
     WHERE challenge_sha256 = $1 AND purpose = $2 AND expires_at > $3 AND attempts < $4 \
     RETURNING user_id, session_id, password_sha256";

/// Uses the challenge up in the transaction of its effect; false when somebody else did so first.
pub(super) async fn consume(tx: &Tx, text: &str) -> Result<bool> {
    Ok(tx.execute(TAKE, &[&sha256(text.as_bytes()).as_slice()]).await? == 1)
}

const TAKE: &str = "DELETE FROM factor_challenges WHERE challenge_sha256 = $1";
