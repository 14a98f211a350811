//! The link "não fui eu" as a mail's job keeps it: which link it is, and the token that the address of the link ends
//! with. Made and used by `undo`, printed by the mailer.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::secret::{KeyId, KeyRing};
use crate::words::words;

pub const LIFETIME: SignedDuration = SignedDuration::from_hours(72);

words! {
    /// What the mail with the link was about.
    pub enum Cause {
        Password = "password",
        Email = "email",
        SignIn = "sign_in",
        SecondFactor = "second_factor",
    }
}

/// Which link: the one that was made at an instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UndoLink {
    pub link_id: Uuid,
    pub issued_at: Timestamp,
    /// The key that it was issued with.
    #[serde(default)]
    pub key: Option<KeyId>,
}

impl UndoLink {
    /// 256 bits that nobody can make without the key.
    pub fn token(&self, keys: &KeyRing) -> String {
        let at = self.issued_at.as_microsecond().to_be_bytes();
        URL_SAFE_NO_PAD.encode(keys.of(self.key).mac(&[b"undo", self.link_id.as_bytes(), &at]))
    }

    pub fn expires_at(&self) -> Timestamp {
        self.issued_at.checked_add(LIFETIME).unwrap_or(Timestamp::MAX)
    }
}
