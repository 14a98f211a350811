//! The root secret and the purpose keys derived from it (HKDF-SHA-256), plus the MACs made with them.
//!
//! Another root signs everyone out, voids open codes and mailed links, forgets limits and known networks, and does not
//! prove older backups; nothing else depends on it. Several roots stand side by side while one follows another: the
//! newest signs, all verify.

use aws_lc_rs::{constant_time, digest, hkdf, hmac};
use derive_more::{Debug, From};

/// Text that never shows itself: no `Display`, no serialisation, `[redacted]` in `Debug`.
#[derive(Clone, PartialEq, Eq, Debug, From)]
#[debug("[redacted]")]
#[from(&str, String)]
pub struct Secret(String);

impl Secret {
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The text itself, for the one place that must send or compare it.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Several secrets in one text, newest first, with commas between them.
    pub fn several(&self) -> impl Iterator<Item = Self> {
        self.0.split(',').map(|part| Self::new(part.trim()))
    }
}

/// A 256-bit key for one purpose.
#[derive(Clone, Debug)]
#[debug("[redacted]")]
pub struct Key([u8; 32]);

impl Key {
    /// Derives the key of `purpose`, such as `access-v1`, from the root secret.
    pub fn derive(root: &Secret, purpose: &str) -> Self {
        let mut key = [0; 32];
        let prk = hkdf::Salt::new(hkdf::HKDF_SHA256, b"bipe").extract(root.expose().as_bytes());
        // Expanding one block of SHA-256 cannot fail: the length is below 255 blocks.
        let _ = prk
            .expand(&[purpose.as_bytes()], hkdf::HKDF_SHA256)
            .and_then(|block| block.fill(&mut key));
        Self(key)
    }

    /// HMAC-SHA-256 over the parts, each preceded by its length so that no two lists collide.
    pub fn mac(&self, parts: &[&[u8]]) -> [u8; 32] {
        let mut context = hmac::Context::with_key(&hmac::Key::new(hmac::HMAC_SHA256, &self.0));
        for part in parts {
            context.update(&u64::try_from(part.len()).unwrap_or(u64::MAX).to_be_bytes());
            context.update(part);
        }
        // Of this length always.
        context.sign().as_ref().try_into().unwrap_or_default()
    }

    /// Tells keys apart without telling anything of them.
    pub fn id(&self) -> KeyId {
        let hash = sha256(&self.0);
        KeyId(hash.iter().take(8).fold(0, |id, byte| (id << 8) | u64::from(*byte)))
    }

    /// The raw key, for the JWT library.
    pub fn bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

/// Names the key that something was made with, where it is not stored by itself.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, derive_more::Display, serde::Serialize, serde::Deserialize,
)]
#[display("{_0:016x}")]
pub struct KeyId(u64);

/// The keys of one purpose, one for each root secret: the newest makes, all are good.
#[derive(Clone, Debug)]
pub struct KeyRing {
    newest: Key,
    older: Vec<Key>,
}

impl KeyRing {
    /// `roots` may hold several, see [`Secret::several`].
    pub fn derive(roots: &Secret, purpose: &str) -> Self {
        let mut keys = roots.several().map(|root| Key::derive(&root, purpose));
        let newest = keys.next().unwrap_or_else(|| Key::derive(roots, purpose));
        Self { newest, older: keys.collect() }
    }

    pub fn newest(&self) -> &Key {
        &self.newest
    }

    pub fn older(&self) -> &[Key] {
        &self.older
    }

    /// Newest first.
    pub fn all(&self) -> impl Iterator<Item = &Key> {
        std::iter::once(&self.newest).chain(&self.older)
    }

    /// The key of that name; the newest for one that is gone or that nobody noted.
    pub fn of(&self, id: Option<KeyId>) -> &Key {
        self.all().find(|key| Some(key.id()) == id).unwrap_or(&self.newest)
    }

    /// Whether any of the keys gives the expected bytes. All are tried, so the time tells nothing.
    pub fn any_gives<T: AsRef<[u8]>>(&self, expected: &[u8], make: impl Fn(&Key) -> T) -> bool {
        self.all().fold(false, |found, key| found | equal(make(key).as_ref(), expected))
    }
}

pub fn sha256(bytes: &[u8]) -> [u8; 32] {
    digest::digest(&digest::SHA256, bytes).as_ref().try_into().unwrap_or_default()
}

/// Two lower-case digits a byte.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Compares without telling by the time taken where two values differ.
pub fn equal(a: &[u8], b: &[u8]) -> bool {
    constant_time::verify_slices_are_equal(a, b).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_differ_by_purpose_and_secrets_print_nothing() {
        let root = Secret::new("0123456789abcdef0123456789abcdef");
        let (access, code) = (Key::derive(&root, "access-v1"), Key::derive(&root, "code-v1"));
        assert_ne!(access.bytes(), code.bytes());
        assert_ne!(access.mac(&[b"ab", b"c"]), access.mac(&[b"a", b"bc"]));
        assert_eq!(format!("{root:?} {access:?}"), "[redacted] [redacted]");
    }

    #[test]
    fn a_ring_makes_with_its_first_root_and_takes_what_any_of_them_made() {
        let one = |root: &str| KeyRing::derive(&Secret::new(root), "code-v1");
        let (old, new, both) = (one("old"), one("new"), one("new, old"));
        assert_eq!(both.newest().bytes(), new.newest().bytes());
        let made = old.newest().mac(&[b"it"]);
        assert!(both.any_gives(&made, |key| key.mac(&[b"it"])));
        assert!(!new.any_gives(&made, |key| key.mac(&[b"it"])));
        assert_eq!(both.of(Some(old.newest().id())).bytes(), old.newest().bytes());
        assert_eq!(both.of(None).bytes(), new.newest().bytes());
    }
}
