//! This server as the relying party of passkeys (WebAuthn): the options it sends to an authenticator, and the check of
//! the answer. Pure; `passki` checks signatures, flags, origin and challenge with aws-lc-rs.
//!
//! Invariant: an authenticator always verifies its user, so a passkey alone stands for both factors.

use std::net::IpAddr;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use passki::{
    AuthenticationCredential, AuthenticationState, Passki, RegistrationCredential,
    RegistrationState, StoredPasskey,
};
use serde_json::{Value, json};

use super::challenge::LIFETIME;
use super::passkey::{Assertion, CREDENTIAL_ID, NewPasskey, Passkey};
use crate::config::Config;
use crate::config::network::host_of;
use crate::user::User;

const NAME: &str = "Bipe";
/// ES256, EdDSA, RS256: what authenticators have, the best first.
const ALGORITHMS: [i32; 3] = [-7, -8, -257];

/// The domain that passkeys belong to and the origins that may ask for them.
#[derive(Clone, Debug)]
pub struct RelyingParty {
    domain: Option<String>,
    origins: Vec<String>,
}

impl RelyingParty {
    /// An address is no domain: without a name there are no passkeys, in development those of `localhost`.
    pub fn of(config: &Config) -> Self {
        let url = config.public_url();
        let named = host_of(&url).filter(|host| host.parse::<IpAddr>().is_err());
        let domain = match named {
            None if !config.is_production() => Some("localhost"),
            named => named,
        };
        let is_ours = |origin: &String| {
            domain.zip(host_of(origin)).is_some_and(|(domain, host)| {
                host == domain || host.strip_suffix(domain).is_some_and(|sub| sub.ends_with('.'))
            })
        };
        let origins = config.origins().into_iter().filter(is_ours).collect();
        Self { domain: domain.map(str::to_owned), origins }
    }

    /// None where passkeys cannot be.
    pub fn domain(&self) -> Option<&str> {
        self.domain.as_deref()
    }

    /// `PublicKeyCredentialCreationOptionsJSON`.
    pub(super) fn ask_to_create(
        &self,
        user: &User,
        challenge: &str,
        known: &[Passkey],
    ) -> Option<Value> {
        let handle = URL_SAFE_NO_PAD.encode(user.id.0.as_bytes());
        let algorithm = |alg: &i32| json!({"type": "public-key", "alg": alg});
        Some(json!({
            "rp": {"id": self.domain()?, "name": NAME},
            "user": {"id": handle, "name": user.email.as_str(), "displayName": user.name.as_str()},
            "challenge": challenge,
            "pubKeyCredParams": ALGORITHMS.iter().map(algorithm).collect::<Vec<_>>(),
            "timeout": LIFETIME * 1000,
            "attestation": "none",
            "authenticatorSelection":
                {"residentKey": "required", "requireResidentKey": true, "userVerification": "required"},
            "excludeCredentials": descriptors(known),
        }))
    }

    /// `PublicKeyCredentialRequestOptionsJSON`; without passkeys, any of this domain may answer.
    pub(super) fn ask_to_show(&self, challenge: &str, allowed: &[Passkey]) -> Option<Value> {
        Some(json!({
            "rpId": self.domain()?,
            "challenge": challenge,
            "timeout": LIFETIME * 1000,
            "userVerification": "required",
            "allowCredentials": descriptors(allowed),
        }))
    }

    fn passki(&self) -> Option<Passki> {
        Some(Passki::new(self.domain()?, &self.origins, NAME))
    }

    /// The passkey that an authenticator made for this challenge.
    pub(super) fn read_new(&self, credential: &Value, challenge: &str) -> Option<NewPasskey> {
        let credential: RegistrationCredential = serde_json::from_value(credential.clone()).ok()?;
        let user = json!({"id": "", "name": "", "displayName": ""});
        let state: RegistrationState = serde_json::from_value(json!({
            "challenge": URL_SAFE_NO_PAD.decode(challenge).ok()?,
            "user": user,
            "user_verification": "required",
        }))
        .ok()?;
        let made = self.passki()?.finish_passkey_registration(&credential, &state).ok()?;
        let is_asked_for = ALGORITHMS.contains(&made.algorithm)
            && CREDENTIAL_ID.contains(&made.credential_id.len());
        let transports = serde_json::to_value(&made.transports).ok()?;
        is_asked_for.then_some(NewPasskey {
            credential_id: made.credential_id,
            public_key: made.public_key,
            algorithm: made.algorithm,
            counter: i64::from(made.counter),
            transports: serde_json::from_value(transports).ok()?,
        })
    }

    /// Whether the passkey has signed this challenge for one of our origins, with its user verified. Whether its
    /// counter went on is for the database to say, after this: an unsigned counter says nothing.
    pub(super) fn verify(
        &self,
        credential: &Value,
        challenge: &str,
        known: &Passkey,
    ) -> Option<Assertion> {
        let credential: AuthenticationCredential =
            serde_json::from_value(credential.clone()).ok()?;
        let state: AuthenticationState = serde_json::from_value(json!({
            "challenge": URL_SAFE_NO_PAD.decode(challenge).ok()?,
            "allowed_credentials": [known.credential_id],
            "user_verification": "required",
        }))
        .ok()?;
        let mut stored = StoredPasskey::default();
        stored.credential_id.clone_from(&known.credential_id);
        stored.public_key.clone_from(&known.public_key);
        stored.algorithm = known.algorithm;
        let shown =
            self.passki()?.finish_passkey_authentication(&credential, &state, &stored).ok()?;
        let handle = shown.user_handle.as_deref();
        let is_owners = handle.is_none_or(|handle| handle == known.user_id.0.as_bytes());
        is_owners.then(|| Assertion {
            id: known.id,
            name: known.name.clone(),
            counter: i64::from(shown.counter),
        })
    }
}

fn descriptors(passkeys: &[Passkey]) -> Vec<Value> {
    let descriptor = |passkey: &Passkey| {
        let id = URL_SAFE_NO_PAD.encode(&passkey.credential_id);
        json!({"type": "public-key", "id": id, "transports": passkey.transports})
    };
    passkeys.iter().map(descriptor).collect()
}

/// What the client says it has signed; to find the question by.
pub(super) fn challenge_of(credential: &Value) -> Option<String> {
    let text = credential.pointer("/response/clientDataJSON")?.as_str()?;
    Some(passki::ClientData::from_base64(text).ok()?.challenge)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::config;

    fn party(flags: &[&str]) -> RelyingParty {
        RelyingParty::of(&config(flags))
    }

    #[test]
    fn passkeys_belong_to_the_domain_that_people_type() {
        let live = ["--env", "production", "--public-url", "https://bipe.example"];
        let origins = [
            "--allowed-origins",
            "https://bipe.example,https://app.bipe.example,https://notbipe.example",
        ];
        let party = party(&[&live[..], &origins[..]].concat());
        assert_eq!(party.domain(), Some("bipe.example"));
        assert_eq!(party.origins, ["https://bipe.example", "https://app.bipe.example"]);
    }

    #[test]
    fn an_address_has_no_passkeys_but_those_of_localhost_while_developing() {
        let url = ["--public-url", "https://203.0.113.7"];
        assert_eq!(party(&[&["--env", "production"], &url[..]].concat()).domain(), None);
        let developing = party(&[]);
        assert_eq!(developing.domain(), Some("localhost"));
        assert_eq!(developing.origins, ["http://localhost:8080", "http://localhost:5173"]);
        assert_eq!(party(&["--public-url", "http://[::1]:8080"]).domain(), Some("localhost"));
    }
}
