//! The link of an invitation as a mail's job keeps it: which link it is, and the token that its address ends with.
//! Made by `invites`, printed by the mailer.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jiff::{SignedDuration, Timestamp};

use crate::id::InviteId;
use crate::secret::{KeyId, KeyRing};

pub const LIFETIME: SignedDuration = SignedDuration::from_hours(7 * 24);

/// Which link: the one that was mailed for an invitation at an instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct InviteLink {
    pub invite_id: InviteId,
    pub issued_at: Timestamp,
    /// The key that it was issued with.
    #[serde(default)]
    pub key: Option<KeyId>,
}

impl InviteLink {
    /// 256 bits that nobody can make without the key.
    pub fn token(&self, keys: &KeyRing) -> String {
        let at = self.issued_at.as_microsecond().to_be_bytes();
        URL_SAFE_NO_PAD.encode(keys.of(self.key).mac(&[
            b"invite",
            self.invite_id.0.as_bytes(),
            &at,
        ]))
    }

    pub fn expires_at(&self) -> Timestamp {
        self.issued_at.checked_add(LIFETIME).unwrap_or(Timestamp::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Clock;
    use crate::secret::Secret;

    #[test]
    fn a_link_belongs_to_one_invitation_instant_and_key() {
        let clock = Clock::fixed("2026-11-21T12:00:00Z".parse().unwrap(), 7);
        let key = |root: &str| KeyRing::derive(&Secret::new(root.repeat(32)), "code-v1");
        let issue =
            InviteLink { invite_id: InviteId::new(&clock), issued_at: clock.now(), key: None };
        let token = issue.token(&key("0"));
        assert_eq!(token.len(), 43, "256 bits");
        clock.advance(1);
        assert_ne!(InviteLink { issued_at: clock.now(), ..issue }.token(&key("0")), token);
        assert_ne!(
            InviteLink { invite_id: InviteId::new(&clock), ..issue }.token(&key("0")),
            token
        );
        assert_ne!(issue.token(&key("1")), token);
        assert_eq!(issue.token(&key("0")), token);
    }
}
