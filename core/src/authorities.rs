//! Authorities for the certificates of servers, from the PEM files that settings name. Called by the database's login and
//! by the check of the bus. Invariant: a file that was taken holds a certificate.

use std::fmt::Display;
use std::path::Path;

use rustls::RootCertStore;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;

/// Adds the certificates of the file that `setting` names. Blocking.
///
/// # Errors
/// One line that begins with the setting.
pub(crate) fn add(roots: &mut RootCertStore, setting: &str, path: &Path) -> Result<(), String> {
    let failed = |why: &dyn Display| format!("{setting} {}: {why}", path.display());
    let mut found = false;
    for certificate in CertificateDer::pem_file_iter(path).map_err(|error| failed(&error))? {
        let certificate = certificate.map_err(|error| failed(&error))?;
        roots.add(certificate).map_err(|error| failed(&error))?;
        found = true;
    }
    if found { Ok(()) } else { Err(failed(&"holds no certificate in PEM form")) }
}
