//! Who pays, as the tax office numbers them: the CPF of a person or the CNPJ of a company.
//!
//! Called by the billing profile and where a boleto asks for its payer. A `TaxId` always has right check digits.

use super::cnpj::Cnpj;
use super::cpf::Cpf;
use crate::words::words;

words! {
    pub enum TaxIdKind {
        /// A person's.
        Cpf = "cpf",
        /// A company's.
        Cnpj = "cnpj",
    }
}

/// `Debug` shows no whole CPF.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum TaxId {
    Cpf(Cpf),
    Cnpj(Cnpj),
}

impl TaxId {
    /// With or without its mask.
    pub fn parse(text: &str) -> Option<Self> {
        let cpf = Cpf::parse(text).filter(Cpf::has_valid_check_digits);
        cpf.map(Self::Cpf).or_else(|| Cnpj::parse(text).map(Self::Cnpj))
    }

    pub fn kind(&self) -> TaxIdKind {
        match self {
            TaxId::Cpf(_) => TaxIdKind::Cpf,
            TaxId::Cnpj(_) => TaxIdKind::Cnpj,
        }
    }

    /// Without a mask: eleven digits or fourteen characters.
    pub fn as_str(&self) -> &str {
        match self {
            TaxId::Cpf(cpf) => cpf.digits(),
            TaxId::Cnpj(cnpj) => cnpj.as_str(),
        }
    }

    /// `123.456.789-09` or `12.345.678/0001-95`.
    pub fn formatted(&self) -> String {
        match self {
            TaxId::Cpf(cpf) => cpf.formatted(),
            TaxId::Cnpj(cnpj) => cnpj.formatted(),
        }
    }
}
