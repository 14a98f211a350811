//! A passkey in software, as WebAuthn has it: what a browser would send for the options that it was given.

use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::signature::{ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, KeyPair};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bipe_core::secret::sha256;
use serde_json::{Value, json};

const PRESENT: u8 = 0x01;
const VERIFIED: u8 = 0x04;
const ATTESTED: u8 = 0x40;

pub struct Authenticator {
    key: EcdsaKeyPair,
    pub id: Vec<u8>,
    pub counter: u32,
    pub origin: String,
    /// It asks its user for a PIN or a finger.
    pub verifies: bool,
    domain: String,
    /// Of the person, as the relying party named it.
    handle: String,
}

fn encode(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

impl Authenticator {
    pub fn new(origin: &str) -> Self {
        let key = EcdsaKeyPair::generate(&ECDSA_P256_SHA256_ASN1_SIGNING).unwrap();
        let id = sha256(key.public_key().as_ref())[..16].to_vec();
        Self {
            key,
            id,
            counter: 0,
            origin: origin.to_owned(),
            verifies: true,
            domain: String::new(),
            handle: String::new(),
        }
    }

    fn client_data(&self, kind: &str, options: &Value) -> Vec<u8> {
        let data = json!({"type": kind, "challenge": options["challenge"], "origin": self.origin});
        data.to_string().into_bytes()
    }

    fn data(&self, flags: u8) -> Vec<u8> {
        let verified = if self.verifies { VERIFIED } else { 0 };
        let mut data = sha256(self.domain.as_bytes()).to_vec();
        data.push(flags | PRESENT | verified);
        data.extend(self.counter.to_be_bytes());
        data
    }

    /// `RegistrationResponseJSON`.
    pub fn create(&mut self, options: &Value) -> Value {
        self.domain = options["rp"]["id"].as_str().unwrap().to_owned();
        self.handle = options["user"]["id"].as_str().unwrap().to_owned();
        let point = self.key.public_key().as_ref();
        let mut data = self.data(ATTESTED);
        data.extend([0; 16]);
        data.extend(u16::try_from(self.id.len()).unwrap().to_be_bytes());
        data.extend(&self.id);
        // COSE: EC2, ES256, P-256, x, y.
        data.extend([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20]);
        data.extend(&point[1..33]);
        data.extend([0x22, 0x58, 0x20]);
        data.extend(&point[33..65]);
        // CBOR: {"fmt": "none", "attStmt": {}, "authData": …}
        let mut attestation = b"\xa3\x63fmt\x64none\x67attStmt\xa0\x68authData\x59".to_vec();
        attestation.extend(u16::try_from(data.len()).unwrap().to_be_bytes());
        attestation.extend(data);
        let client = self.client_data("webauthn.create", options);
        json!({"id": encode(&self.id), "rawId": encode(&self.id), "type": "public-key",
            "clientExtensionResults": {}, "response": {"clientDataJSON": encode(&client),
            "attestationObject": encode(&attestation), "transports": ["internal"]}})
    }

    /// `AuthenticationResponseJSON`; it has counted.
    pub fn get(&mut self, options: &Value) -> Value {
        self.counter += 1;
        let data = self.data(0);
        let client = self.client_data("webauthn.get", options);
        let signed = [data.as_slice(), sha256(&client).as_slice()].concat();
        let signature = self.key.sign(&SystemRandom::new(), &signed).unwrap();
        json!({"id": encode(&self.id), "rawId": encode(&self.id), "type": "public-key",
            "clientExtensionResults": {}, "response": {"clientDataJSON": encode(&client),
            "authenticatorData": encode(&data), "signature": encode(signature.as_ref()),
            "userHandle": self.handle}})
    }
}
