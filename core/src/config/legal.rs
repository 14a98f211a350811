//! The settings of who offers Bipe: receipts, the legal texts and the help name that company. Without a name and a tax
//! id documents are issued all the same and say that their issuer is not configured, so that no payment waits for a
//! setting; the pages say it too.

use super::Config;
use crate::brazil::tax_id::TaxId;
use crate::invoice::Issuer;
use crate::user::Email;

/// As `migrations/V038__invoices.sql` bounds them.
const NAME_MAX: usize = 200;
const ADDRESS_MAX: usize = 200;

impl Config {
    /// Who issues documents; empty while the name or the tax id is missing.
    pub fn issuer(&self) -> Issuer {
        let text =
            |setting: &Option<String>| setting.as_deref().unwrap_or_default().trim().to_owned();
        let issuer = Issuer {
            name: text(&self.legal_name),
            tax_id: self.legal_tax_id.as_deref().and_then(tax_id).unwrap_or_default(),
            address: text(&self.legal_address),
            email: self.help_email().to_owned(),
        };
        if issuer.name.is_empty() || issuer.tax_id.is_empty() { Issuer::default() } else { issuer }
    }

    /// Where people write to who need help; also while the issuer is not named.
    pub fn help_email(&self) -> &str {
        self.legal_email.as_ref().unwrap_or(&self.sales_email).trim()
    }
}

/// One line, where the company is not named whole.
pub(super) fn warning(config: &Config) -> Option<String> {
    let missing: Vec<&str> = [
        (&config.legal_name, "BIPE_LEGAL_NAME"),
        (&config.legal_tax_id, "BIPE_LEGAL_TAX_ID"),
        (&config.legal_address, "BIPE_LEGAL_ADDRESS"),
    ]
    .into_iter()
    .filter(|(setting, _)| setting.as_deref().is_none_or(|text| text.trim().is_empty()))
    .map(|(_, name)| name)
    .collect();
    (!missing.is_empty()).then(|| {
        format!(
            "receipts, the legal texts and the help do not say which company offers this site: set {}. Documents \
             that are issued before never change, and a consent is kept as one to a text that names nobody",
            missing.join(", ")
        )
    })
}

/// One line each.
pub(super) fn problems(config: &Config) -> Vec<String> {
    let mut problems = Vec::new();
    let long = |setting: &Option<String>, most: usize| {
        setting
            .as_deref()
            .is_some_and(|text| text.chars().count() > most || text.contains(char::is_control))
    };
    if long(&config.legal_name, NAME_MAX) || long(&config.legal_address, ADDRESS_MAX) {
        problems.push(format!(
            "BIPE_LEGAL_NAME takes at most {NAME_MAX} characters and BIPE_LEGAL_ADDRESS {ADDRESS_MAX}, in one line"
        ));
    }
    let is_wrong = |text: &str| !text.trim().is_empty() && tax_id(text).is_none();
    if config.legal_tax_id.as_deref().is_some_and(is_wrong) {
        problems.push("BIPE_LEGAL_TAX_ID takes a CNPJ or a CPF".into());
    }
    if config.legal_email.as_deref().is_some_and(|text| Email::parse(text).is_err()) {
        problems.push("BIPE_LEGAL_EMAIL takes an e-mail address".into());
    }
    problems
}

/// Its letters and digits.
fn tax_id(text: &str) -> Option<String> {
    TaxId::parse(text.trim()).map(|tax_id| tax_id.as_str().to_owned())
}

#[cfg(test)]
mod tests {
    use crate::invoice::Issuer;
    use crate::testing::config;

    #[test]
    fn an_issuer_has_a_name_and_a_tax_id_or_is_none() {
        assert_eq!(config(&[]).issuer(), Issuer::default());
        assert_eq!(config(&["--legal-name", "Bipe Ltda."]).issuer(), Issuer::default());
        let whole =
            config(&["--legal-name", " Bipe Ltda. ", "--legal-tax-id", "12.abc.345/01de-35"]);
        assert_eq!(whole.check(), Ok(()));
        let issuer = whole.issuer();
        assert_eq!(
            (issuer.name.as_str(), issuer.tax_id.as_str()),
            ("Bipe Ltda.", "12ABC34501DE35")
        );
        assert_eq!(
            (issuer.email.as_str(), whole.help_email()),
            (&*whole.sales_email, &*whole.sales_email)
        );
        let warned = whole.warnings();
        assert!(warned.len() == 1 && warned[0].contains("BIPE_LEGAL_ADDRESS"), "{warned:?}");
        assert!(!warned[0].contains("BIPE_LEGAL_NAME"), "{warned:?}");
    }

    #[test]
    fn what_cannot_stand_on_a_document_is_refused() {
        let long = "n".repeat(201);
        for wrong in [
            ["--legal-tax-id", "123"],
            ["--legal-tax-id", "12.345.678/0001-96"],
            ["--legal-email", "ana"],
            ["--legal-name", long.as_str()],
            ["--legal-address", "Rua\nA"],
        ] {
            assert_eq!(config(&wrong).check().unwrap_err().len(), 1, "{wrong:?}");
        }
    }
}
