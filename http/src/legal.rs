//! The three legal texts as the web app shows them, and what is kept of a consent to them. Called by the sign-up and by
//! the demo. A text that changes gets a new version: what a person agreed to can always be told from what came later.

use bipe_core::config::Config;
use bipe_core::secret::sha256;
use bipe_core::user::store::Consent;

/// The version that the three pages show.
const VERSION: &str = "1.8";
const TEXTS: [(&str, &str); 3] = [
    ("legal", include_str!("../../web/src/features/legal/terms.tsx")),
    ("privacy", include_str!("../../web/src/features/legal/privacy.tsx")),
    ("lgpd", include_str!("../../web/src/features/legal/lgpd.tsx")),
];

/// The consents of a sign-up under these settings. The texts name the company that offers Bipe and the age from which on
/// a person may use it, so the proof is of all of them.
pub fn consents(config: &Config) -> [Consent; 3] {
    let issuer = config.issuer();
    let age = config.min_age.to_string();
    let named =
        [&*issuer.name, &issuer.tax_id, &issuer.address, config.help_email(), &age].join("\n");
    TEXTS.map(|(kind, text)| Consent {
        kind,
        version: VERSION,
        text_sha256: sha256(format!("{text}\n{named}").as_bytes()),
    })
}

#[cfg(test)]
mod tests {
    use base64::Engine;
    use base64::engine::general_purpose::STANDARD;
    use bipe_core::testing::config;

    use super::*;

    #[test]
    fn a_text_that_changes_has_a_new_version_which_its_page_shows() {
        let versions = TEXTS.map(|(kind, text)| {
            assert!(text.contains(&format!("version=\"{VERSION}\"")), "{kind}");
            STANDARD.encode(sha256(text.as_bytes()))
        });
        // Of version 1.8. What people agreed to is known by these: change them together with VERSION only.
        let known = [
            "ZR9nYNZ/b21vlAEwe2DNNNiGPVtCzj3wqSpDOrH9yTk=",
            "t0kKwdtaFKrKDxQ9DjQFK5MGsfBv39iDQ9CQqJdAgNA=",
            "iDQhRnAyjWD+BFSB43r3Il8bTRVTd9ca4d4UIRCS590=",
        ];
        assert_eq!(versions.each_ref().map(String::as_str), known);
    }

    #[test]
    fn a_consent_is_to_the_text_and_to_the_settings_that_it_names() {
        let flags = ["--legal-name", "Bipe Ltda.", "--legal-tax-id", "12.abc.345/01de-35"];
        let moved = [&flags[..], &["--legal-address", "Rua das Flores, 100"]].concat();
        let written = [&flags[..], &["--legal-email", "ajuda@bipe.com.br"]].concat();
        let younger = [&flags[..], &["--min-age", "16"]].concat();
        let proofs =
            [&[][..], &flags, &moved, &written, &younger].map(|flags| consents(&config(flags)));
        for (index, one) in proofs.iter().enumerate() {
            for other in &proofs[index + 1..] {
                assert!(one.iter().zip(other).all(|(a, b)| a.text_sha256 != b.text_sha256));
            }
        }
        assert_eq!(proofs[0].each_ref().map(|consent| consent.kind), ["legal", "privacy", "lgpd"]);
        assert_eq!(proofs[1][0].text_sha256, consents(&config(&flags))[0].text_sha256);
    }
}
