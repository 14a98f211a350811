//! Access tokens (JWT, 15 minutes) and refresh tokens (`rt1.<sid>.<ctr>.<mac>`). Pure.
//!
//! `jsonwebtoken` checks signature, issuer, audience and shape. This file compares times with `Clock`, because the
//! crate reads the system's time, which the development clock does not move.

use std::str::FromStr;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jiff::Timestamp;
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, Validation};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::error::{Error, Result};
use crate::id::{SessionId, UserId};
use crate::secret::{Key, KeyRing, sha256};

/// Seconds.
const ACCESS_LIFETIME: i64 = 900;
/// By so many seconds the clock of the node that issued a token may be ahead. A longer difference is refused on the bus,
/// too.
pub(super) const CLOCK_TOLERANCE: i64 = 60;
const ISSUER: &str = "bipe";
const AUDIENCE: &str = "bipe-api";
const TYPE: &str = "at+jwt";
/// Ours have about 400 bytes.
const LONGEST: usize = 2_048;
const REFRESH_PREFIX: &str = "rt1";

/// `tokens` of the contract.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Tokens {
    pub access_token: String,
    pub refresh_token: String,
    /// Seconds.
    pub expires_in: i64,
}

/// What an access token says; nothing personal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claims {
    iss: String,
    aud: String,
    pub sub: UserId,
    pub sid: SessionId,
    /// The rotation that the token was issued with.
    pub ctr: i64,
    pub iat: i64,
    pub exp: i64,
}

/// The tokens of a session at a rotation. The refresh token of a rotation is always the same text.
pub fn issue(
    keys: &crate::auth::Keys,
    user_id: UserId,
    refresh: Refresh,
    now: Timestamp,
) -> Result<Tokens> {
    let claims = Claims {
        iss: ISSUER.into(),
        aud: AUDIENCE.into(),
        sub: user_id,
        sid: refresh.session_id,
        ctr: refresh.counter,
        iat: now.as_second(),
        exp: now.as_second() + ACCESS_LIFETIME,
    };
    Ok(Tokens {
        access_token: sign(keys.access.newest(), &claims)?,
        refresh_token: refresh.text(keys.refresh.newest()),
        expires_in: ACCESS_LIFETIME,
    })
}

fn header(key: &Key) -> Header {
    let kid = URL_SAFE_NO_PAD.encode(sha256(key.bytes()).get(..9).unwrap_or_default());
    Header { typ: Some(TYPE.into()), kid: Some(kid), ..Header::new(Algorithm::HS256) }
}

fn sign(key: &Key, claims: &Claims) -> Result<String> {
    jsonwebtoken::encode(&header(key), claims, &EncodingKey::from_secret(key.bytes()))
        .map_err(Error::internal)
}

/// The claims of a token of ours that is valid now; none for anything else, whatever is wrong with it.
pub fn read_access(keys: &KeyRing, token: &str, now: Timestamp) -> Option<Claims> {
    if token.len() > LONGEST {
        return None;
    }
    // We write one header alone: another algorithm, type, key id, or a key that a header brings along is not ours.
    let given = jsonwebtoken::decode_header(token).ok()?;
    let key = keys.all().find(|key| header(key) == given)?;
    let mut validation = Validation::new(Algorithm::HS256);
    validation.set_issuer(&[ISSUER]);
    validation.set_audience(&[AUDIENCE]);
    validation.set_required_spec_claims(&["iss", "aud", "sub", "exp"]);
    validation.validate_exp = false;
    let key = DecodingKey::from_secret(key.bytes());
    let claims = jsonwebtoken::decode::<Claims>(token, &key, &validation).ok()?.claims;
    let is_timely = claims.exp > now.as_second()
        && claims.iat <= now.as_second() + CLOCK_TOLERANCE
        && claims.exp == claims.iat + ACCESS_LIFETIME;
    is_timely.then_some(claims)
}

/// What a refresh token says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refresh {
    pub session_id: SessionId,
    pub counter: i64,
}

impl Refresh {
    pub fn text(&self, key: &Key) -> String {
        let mac = URL_SAFE_NO_PAD.encode(self.mac(key));
        format!("{REFRESH_PREFIX}.{}.{}.{mac}", self.session_id, self.counter)
    }

    /// None when a single byte differs from what we wrote.
    pub fn parse(keys: &KeyRing, text: &str) -> Option<Self> {
        let mut parts = text.split('.');
        parts.next().filter(|prefix| *prefix == REFRESH_PREFIX)?;
        let session_id = SessionId::from_str(parts.next()?).ok()?;
        let counter = parts.next()?.parse::<i64>().ok().filter(|counter| *counter >= 0)?;
        let refresh = Self { session_id, counter };
        keys.any_gives(text.as_bytes(), |key| refresh.text(key)).then_some(refresh)
    }

    fn mac(&self, key: &Key) -> [u8; 32] {
        key.mac(&[self.session_id.0.as_bytes(), &self.counter.to_be_bytes()])
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::auth::Keys;
    use crate::clock::Clock;
    use crate::secret::Secret;
    use crate::testing::figures;
    use serde_json::{Value, json};

    fn now() -> Timestamp {
        "2026-11-21T12:00:00Z".parse().unwrap()
    }

    fn later(seconds: i64) -> Timestamp {
        Timestamp::from_second(now().as_second() + seconds).unwrap()
    }

    fn setup() -> (Keys, Tokens, Refresh) {
        let clock = Clock::fixed(now(), 7);
        let keys = Keys::derive(&Secret::new("0123456789abcdef0123456789abcdef"));
        let refresh = Refresh { session_id: SessionId::new(&clock), counter: 3 };
        let tokens = issue(&keys, UserId::new(&clock), refresh, now()).unwrap();
        (keys, tokens, refresh)
    }

    #[test]
    fn an_access_token_lives_fifteen_minutes_by_the_given_clock() {
        let (keys, tokens, refresh) = setup();
        let read = |at| read_access(&keys.access, &tokens.access_token, at);
        let claims = read(now()).unwrap();
        assert_eq!((claims.sid, claims.ctr), (refresh.session_id, 3));
        assert!(read(later(899)).is_some());
        assert_eq!(read(later(900)), None);
        assert!(read(later(-60)).is_some(), "issued by a node whose clock is ahead");
        assert_eq!(read(later(-61)), None, "issued in the future");
    }

    #[test]
    fn an_access_token_says_nothing_personal() {
        let (_, tokens, _) = setup();
        let payload = tokens.access_token.split('.').nth(1).unwrap();
        let claims: Value =
            serde_json::from_slice(&URL_SAFE_NO_PAD.decode(payload).unwrap()).unwrap();
        let names: Vec<&String> = claims.as_object().unwrap().keys().collect();
        assert_eq!(names, ["aud", "ctr", "exp", "iat", "iss", "sid", "sub"]);
    }

    /// A token with this header and these claims, rightly signed.
    fn forged(key: &Key, header: &Value, claims: &Value) -> String {
        let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let signed = format!("{}.{}", part(header), part(claims));
        let hmac_key = aws_lc_rs::hmac::Key::new(aws_lc_rs::hmac::HMAC_SHA256, key.bytes());
        let tag = aws_lc_rs::hmac::sign(&hmac_key, signed.as_bytes());
        format!("{signed}.{}", URL_SAFE_NO_PAD.encode(tag.as_ref()))
    }

    #[test]
    fn nothing_but_our_own_token_is_accepted() {
        let (keys, tokens, _) = setup();
        let parts: Vec<&str> = tokens.access_token.split('.').collect();
        let decode = |part: &str| -> Value {
            serde_json::from_slice(&URL_SAFE_NO_PAD.decode(part).unwrap()).unwrap()
        };
        let (header, claims) = (decode(parts[0]), decode(parts[1]));
        let tried = Cell::new(0);
        let accepted = |token: &str| {
            tried.set(tried.get() + 1);
            read_access(&keys.access, token, now()).is_some()
        };
        assert!(
            accepted(&forged(keys.access.newest(), &header, &claims)),
            "the forge itself works"
        );

        let changed = |base: &Value, name: &str, value: Value| {
            let mut changed = base.clone();
            changed.as_object_mut().unwrap().insert(name.into(), value);
            changed
        };
        let headers = [
            ("alg", json!("none")),
            ("alg", json!("HS512")),
            ("alg", json!("RS256")),
            ("typ", json!("JWT")),
            ("kid", json!("other")),
            ("jku", json!("https://x.example")),
            ("x5u", json!("https://x.example")),
            ("crit", json!(["exp"])),
        ];
        for (name, value) in headers {
            let token =
                forged(keys.access.newest(), &changed(&header, name, value.clone()), &claims);
            assert!(!accepted(&token), "header {name} = {value}");
        }
        let wrong = [
            ("iss", json!("other")),
            ("aud", json!("other")),
            ("exp", json!("1794830400")),
            ("exp", json!(1.7e9)),
            ("iat", json!(null)),
            ("ctr", json!("3")),
            ("sub", json!("x")),
            ("exp", json!(now().as_second() + 86_400)),
            ("role", json!("admin")),
        ];
        for (name, value) in wrong {
            let token =
                forged(keys.access.newest(), &header, &changed(&claims, name, value.clone()));
            assert!(!accepted(&token), "claim {name} = {value}");
        }
        for name in ["iss", "aud", "sub", "sid", "ctr", "iat", "exp"] {
            let mut without = claims.clone();
            without.as_object_mut().unwrap().remove(name);
            assert!(!accepted(&forged(keys.access.newest(), &header, &without)), "without {name}");
        }
        assert!(!accepted(&forged(keys.refresh.newest(), &header, &claims)), "another key");
        figures(&[("tokens", tried.get())]);
    }

    #[test]
    fn a_cut_flipped_or_padded_token_is_refused() {
        let (keys, tokens, _) = setup();
        let token = tokens.access_token.as_str();
        figures(&[("tokens", token.len())]);
        for length in 0..token.len() {
            assert_eq!(read_access(&keys.access, &token[..length], now()), None);
        }
        for index in (0..token.len()).step_by(7) {
            let mut bytes = token.as_bytes().to_vec();
            bytes[index] = if bytes[index] == b'A' { b'B' } else { b'A' };
            let flipped = String::from_utf8(bytes).unwrap();
            assert_eq!(read_access(&keys.access, &flipped, now()), None, "byte {index}");
        }
        assert_eq!(
            read_access(&keys.access, &format!("{token}{}", "A".repeat(8_192)), now()),
            None
        );
    }

    #[test]
    fn a_refresh_token_has_one_spelling() {
        let (keys, tokens, refresh) = setup();
        let text = tokens.refresh_token.as_str();
        assert_eq!(Refresh::parse(&keys.refresh, text), Some(refresh));
        let spellings = [
            text.to_uppercase(),
            text.replace(".3.", ".03."),
            text.replace(".3.", ".+3."),
            text.replace(".3.", ".4."),
            text.replace("rt1", "rt2"),
            format!("{text}."),
            text.replace('-', ""),
            text[..text.len() - 1].to_owned(),
            String::new(),
        ];
        for other in spellings {
            assert_eq!(Refresh::parse(&keys.refresh, &other), None, "{other}");
        }
        assert_eq!(Refresh::parse(&keys.access, text), None, "another key");
    }
}
