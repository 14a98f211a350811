//! Postal codes (CEP), the states and the lengths of addresses.

use super::unmasked;
use crate::column::column;
use crate::words::words;

/// Characters of a street, at most.
pub const STREET_MAX: usize = 100;
/// Characters of a district, a city or a complement, at most.
pub const LINE_MAX: usize = 60;

/// Eight ASCII digits, without a mask.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize)]
pub struct Cep(String);

column!(Cep(String));

impl Cep {
    /// With or without its hyphen; which codes exist, the postal service alone knows.
    pub fn parse(text: &str) -> Option<Self> {
        let digits = unmasked(text);
        let is_code = digits.len() == 8 && digits.bytes().all(|b| b.is_ascii_digit());
        (is_code && digits != "00000000").then_some(Self(digits))
    }

    pub fn digits(&self) -> &str {
        &self.0
    }

    /// `01310-100`
    pub fn formatted(&self) -> String {
        let (area, place) = self.0.split_at_checked(5).unwrap_or_default();
        format!("{area}-{place}")
    }
}

words! {
    /// The states and the Federal District.
    pub enum State {
        Acre = "AC",
        Alagoas = "AL",
        Amapa = "AP",
        Amazonas = "AM",
        Bahia = "BA",
        Ceara = "CE",
        DistritoFederal = "DF",
        EspiritoSanto = "ES",
        Goias = "GO",
        Maranhao = "MA",
        MatoGrosso = "MT",
        MatoGrossoDoSul = "MS",
        MinasGerais = "MG",
        Para = "PA",
        Paraiba = "PB",
        Parana = "PR",
        Pernambuco = "PE",
        Piaui = "PI",
        RioDeJaneiro = "RJ",
        RioGrandeDoNorte = "RN",
        RioGrandeDoSul = "RS",
        Rondonia = "RO",
        Roraima = "RR",
        SantaCatarina = "SC",
        SaoPaulo = "SP",
        Sergipe = "SE",
        Tocantins = "TO",
    }
}

impl State {
    /// As somebody typed it.
    pub fn of_typed(text: &str) -> Option<Self> {
        Self::parse(&text.trim().to_ascii_uppercase())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_postal_code_has_eight_digits_and_perhaps_its_hyphen() {
        for text in ["01310-100", "01310100", " 01310 100 ", "01.310-100"] {
            assert_eq!(Cep::parse(text).unwrap().formatted(), "01310-100", "{text}");
        }
        for text in ["", "0131010", "013101000", "0131o100", "00000-000", "٠١٣١٠١٠٠"] {
            assert_eq!(Cep::parse(text), None, "{text}");
        }
    }

    #[test]
    fn there_are_twenty_six_states_and_the_federal_district() {
        assert_eq!(State::ALL.len(), 27);
        assert_eq!(State::of_typed(" sp "), Some(State::SaoPaulo));
        assert_eq!(State::of_typed("XX"), None);
    }
}
