//! A private certificate authority, for the tests of connections by TLS.
#![allow(clippy::unwrap_used, reason = "whatever a test needs and does not get fails it")]

use std::fs;
use std::path::PathBuf;

use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair, KeyUsagePurpose};

/// Its certificate lies in a PEM file until it is dropped.
pub struct Authority {
    issuer: Issuer<'static, KeyPair>,
    pub file: PathBuf,
}

impl Authority {
    pub fn new(name: &str) -> Self {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.distinguished_name.push(DnType::CommonName, name);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign];
        let key = KeyPair::generate().unwrap();
        let certificate = params.self_signed(&key).unwrap();
        let file = std::env::temp_dir().join(format!("bipe-{}-{name}.pem", std::process::id()));
        fs::write(&file, certificate.pem()).unwrap();
        Self { issuer: Issuer::new(params, key), file }
    }

    /// Certificate and key, both PEM, of a server with these names and addresses.
    pub fn certify(&self, names: &[&str]) -> (String, String) {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let mut params = CertificateParams::new(names).unwrap();
        params.distinguished_name.push(DnType::CommonName, "a server");
        let key = KeyPair::generate().unwrap();
        (params.signed_by(&key, &self.issuer).unwrap().pem(), key.serialize_pem())
    }
}

impl Drop for Authority {
    fn drop(&mut self) {
        drop(fs::remove_file(&self.file));
    }
}
