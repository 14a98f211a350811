//! Resume tokens: for five minutes a socket that was live comes back with a token, which is checked without a database
//! query. The token holds the end of its session and is never good beyond it.
//!
//! A token is checked against the sessions that this node knows to be revoked. `http/src/live` and the relay feed that
//! set. When nobody has fed it for five seconds, no token is good.

use std::collections::HashMap;
use std::str::FromStr;
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jiff::{SignedDuration, Timestamp};
use parking_lot::Mutex;

use crate::auth::Auth;
use crate::db::Db;
use crate::error::{Error, Result};
use crate::id::{SessionId, UserId};
use crate::scope::SignedIn;
use crate::secret::{Key, KeyRing};

pub const LIFETIME: SignedDuration = SignedDuration::from_mins(5);
/// No resume token is accepted when the set of ended sessions was read longer ago than this.
const MAX_REVOCATIONS_AGE: SignedDuration = SignedDuration::from_secs(5);
/// A revocation is forgotten when no resume token can be older.
const REVOCATION_LIFETIME: SignedDuration = SignedDuration::from_mins(6);
const PREFIX: &str = "rs2";

/// Whose socket it is, and until when their session lives unless it is used again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SocketOwner {
    pub who: SignedIn,
    pub until: Timestamp,
}

impl Auth {
    /// A token for a socket that is live now.
    pub fn issue_resume(&self, owner: SocketOwner, now: Timestamp) -> String {
        let expires = now.checked_add(LIFETIME).unwrap_or(Timestamp::MAX).min(owner.until);
        text(self.keys.resume.newest(), owner, expires.as_second())
    }

    /// The person behind a resume token; none means close code 4302.
    pub fn check_resume(&self, token: &str, now: Timestamp) -> Option<SocketOwner> {
        let (owner, expires) = parse(&self.keys.resume, token)?;
        let is_good = now.as_second() < expires
            && now < owner.until
            && self.revocations.vouch_for(owner.who.session_id, now);
        is_good.then_some(owner)
    }
}

/// Times are whole seconds.
fn text(key: &Key, SocketOwner { who, until }: SocketOwner, expires: i64) -> String {
    let until = until.as_second();
    let parts: [&[u8]; 4] = [
        who.session_id.0.as_bytes(),
        who.user_id.0.as_bytes(),
        &expires.to_be_bytes(),
        &until.to_be_bytes(),
    ];
    let mac = URL_SAFE_NO_PAD.encode(key.mac(&parts));
    format!("{PREFIX}.{}.{}.{expires}.{until}.{mac}", who.session_id, who.user_id)
}

fn parse(keys: &KeyRing, token: &str) -> Option<(SocketOwner, i64)> {
    let mut parts = token.split('.').skip(1);
    let session_id = SessionId::from_str(parts.next()?).ok()?;
    let user_id = UserId::from_str(parts.next()?).ok()?;
    let expires: i64 = parts.next()?.parse().ok()?;
    let until = Timestamp::from_second(parts.next()?.parse().ok()?).ok()?;
    let owner = SocketOwner { who: SignedIn { user_id, session_id }, until };
    let is_ours = keys.any_gives(token.as_bytes(), |key| text(key, owner, expires));
    is_ours.then_some((owner, expires))
}

/// Sessions that ended in the last minutes, on any node. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Revocations(Arc<Mutex<RevokedSessions>>);

#[derive(Debug, Default)]
struct RevokedSessions {
    ended: HashMap<SessionId, Timestamp>,
    /// When the database was last asked.
    fed_at: Option<Timestamp>,
}

impl Revocations {
    /// Asks the database: before the listener opens, then once a second.
    pub async fn refresh(&self, db: &Db) -> Result<()> {
        let tx = db.job_tx().await?;
        let now = tx.now();
        let since = now.checked_sub(REVOCATION_LIFETIME).map_err(Error::internal)?;
        let rows = tx.query(ENDED_SINCE, &[&since]).await?;
        let mut known = self.0.lock();
        known.ended.retain(|_, at| *at >= since);
        for row in &rows {
            known.ended.insert(row.try_get("id")?, row.try_get("revoked_at")?);
        }
        known.fed_at = Some(now);
        Ok(())
    }

    /// A session ends: just before the commit of this node, or after the event of another one.
    pub fn note(&self, session_id: SessionId, at: Timestamp) {
        self.0.lock().ended.insert(session_id, at);
    }

    fn vouch_for(&self, session_id: SessionId, now: Timestamp) -> bool {
        let known = self.0.lock();
        let is_fresh =
            known.fed_at.is_some_and(|fed| now.duration_since(fed) <= MAX_REVOCATIONS_AGE);
        is_fresh && !known.ended.contains_key(&session_id)
    }
}

const ENDED_SINCE: &str = "SELECT id, revoked_at FROM sessions WHERE revoked_at >= $1";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Clock;
    use crate::secret::Secret;

    fn setup() -> (KeyRing, SocketOwner, Timestamp) {
        let clock = Clock::fixed("2026-11-21T12:00:00Z".parse().unwrap(), 7);
        let key = KeyRing::derive(&Secret::new("0".repeat(32)), "resume-v1");
        let who = SignedIn { user_id: UserId::new(&clock), session_id: SessionId::new(&clock) };
        let until = clock.now().checked_add(SignedDuration::from_mins(60)).unwrap();
        (key, SocketOwner { who, until }, clock.now())
    }

    #[test]
    fn a_resume_token_has_one_spelling() {
        let (key, owner, now) = setup();
        let token = text(key.newest(), owner, now.as_second());
        assert_eq!(parse(&key, &token), Some((owner, now.as_second())));
        for index in 0..token.len() {
            let mut bytes = token.clone().into_bytes();
            bytes[index] = if bytes[index] == b'0' { b'1' } else { b'0' };
            assert_eq!(parse(&key, &String::from_utf8(bytes).unwrap()), None, "byte {index}");
        }
    }

    #[test]
    fn only_a_fresh_set_without_the_session_vouches() {
        let (_, SocketOwner { who, .. }, now) = setup();
        let set = Revocations::default();
        assert!(!set.vouch_for(who.session_id, now), "never fed");
        set.0.lock().fed_at = Some(now);
        let late = now.checked_add(SignedDuration::from_secs(6)).unwrap();
        assert!(set.vouch_for(who.session_id, now));
        assert!(!set.vouch_for(who.session_id, late), "the feed is old");
        set.note(who.session_id, now);
        assert!(!set.vouch_for(who.session_id, now), "revoked");
    }
}
