//! The names and documents of a demo, and the dice that draw them. The same number gives the same name, and the same
//! seed gives the same throws.

use bipe_core::brazil::cpf::Cpf;

/// Numbers of people that one company may use.
pub const PEOPLE: usize = 8;

const FIRST: [&str; 24] = [
    "Ana", "Bruno", "Camila", "Diego", "Elisa", "Felipe", "Gabriela", "Henrique", "Isabela",
    "João", "Karina", "Lucas", "Marina", "Nelson", "Olívia", "Paulo", "Renata", "Sérgio",
    "Tatiana", "Ulisses", "Vanessa", "Wagner", "Yasmin", "Zélia",
];
const LAST: [&str; 23] = [
    "Almeida",
    "Barbosa",
    "Cardoso",
    "Dias",
    "Esteves",
    "Ferreira",
    "Gonçalves",
    "Holanda",
    "Ibrahim",
    "Junqueira",
    "Lacerda",
    "Moreira",
    "Nogueira",
    "Oliveira",
    "Pereira",
    "Queiroz",
    "Ribeiro",
    "Souza",
    "Teixeira",
    "Uchoa",
    "Vasconcelos",
    "Xavier",
    "Zanetti",
];
const TRADE: [&str; 7] =
    ["Ponto", "Depósito", "Entregas", "Encomendas", "Galpão", "Expresso", "Central"];
const PLACE: [&str; 29] = [
    "Aclimação",
    "Bela Vista",
    "Campinas",
    "Diadema",
    "Eldorado",
    "Floresta",
    "Guarulhos",
    "Higienópolis",
    "Ipiranga",
    "Jardim Paulista",
    "Lapa",
    "Mooca",
    "Niterói",
    "Osasco",
    "Pampulha",
    "Recreio",
    "Santana",
    "Tatuapé",
    "Uberaba",
    "Vila Mariana",
    "Zona Sul",
    "Boa Viagem",
    "Savassi",
    "Moinhos",
    "Batel",
    "Aldeota",
    "Ponta Negra",
    "Barra",
    "Centro",
];

fn nth<'a>(list: &[&'a str], number: usize) -> &'a str {
    list.iter().cycle().nth(number % list.len().max(1)).copied().unwrap_or_default()
}

/// Founders, who stand `PEOPLE` numbers apart, have all first names as well.
pub fn person(number: usize) -> String {
    format!("{} {}", nth(&FIRST, number * 5 + number / PEOPLE), nth(&LAST, number / 3))
}

/// No real address: the domain is one of this machine.
pub fn email(number: usize) -> String {
    use bipe_core::plan::slug;
    format!("{}.{number}@demo.bipe.localhost", slug(&person(number)).replace('-', "."))
}

/// No real phone: no mobile begins with 90, with which collect calls begin.
pub fn phone(number: usize) -> String {
    let digits = number * 7_919 % 10_000_000;
    format!("(11) 90{:03}-{:04}", digits / 10_000, digits % 10_000)
}

pub fn company(number: usize) -> String {
    let round = number / (TRADE.len() * PLACE.len());
    let name = format!("{} {}", nth(&TRADE, number), nth(&PLACE, number / TRADE.len() + number));
    if round == 0 { name } else { format!("{name} {}", round + 1) }
}

/// A document with right check digits, another one for each number.
pub fn document(number: usize) -> Option<Cpf> {
    let digits = format!("{:09}", 410_000_000 + number * 37);
    (0..100)
        .filter_map(|check| Cpf::parse(&format!("{digits}{check:02}")))
        .find(Cpf::has_valid_check_digits)
}

/// Reproducible numbers (SplitMix64).
#[derive(Clone, Debug)]
pub struct Dice(u64);

impl Dice {
    /// One row of throws for each of many users of a seed.
    pub fn new(seed: u64, row: u64) -> Self {
        let mut dice = Self(seed ^ row.wrapping_mul(0xA24B_AED4_963E_E407));
        dice.next();
        dice
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// From `low` to `high`, both possible.
    pub fn between(&mut self, low: i64, high: i64) -> i64 {
        let width = u64::try_from(high - low).unwrap_or(0) + 1;
        low + i64::try_from(self.next() % width).unwrap_or(0)
    }

    pub fn pick<'a>(&mut self, list: &[&'a str]) -> &'a str {
        let last = i64::try_from(list.len()).unwrap_or(1) - 1;
        nth(list, usize::try_from(self.between(0, last)).unwrap_or(0))
    }

    /// True in so many of a thousand throws.
    pub fn falls(&mut self, of_thousand: i64) -> bool {
        self.between(0, 999) < of_thousand
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use bipe_core::company::CompanyName;
    use bipe_core::user::{Email, Phone, UserName};

    use super::*;

    #[test]
    fn a_thousand_people_and_companies_are_told_apart_and_obey_the_rules() {
        let mut seen = BTreeSet::new();
        for number in 0..1000 {
            assert!(UserName::parse(&person(number)).is_ok());
            assert!(Email::parse(&email(number)).is_ok(), "{}", email(number));
            assert!(Phone::parse(&phone(number)).is_ok());
            assert!(CompanyName::parse(&company(number)).is_ok());
            assert!(seen.insert(email(number)));
            assert!(seen.insert(phone(number)));
            assert!(seen.insert(document(number).unwrap().digits().to_owned()));
        }
    }

    #[test]
    fn no_two_founders_of_a_demo_have_one_name() {
        let founders: BTreeSet<String> = (0..300).map(|company| person(company * PEOPLE)).collect();
        assert_eq!(founders.len(), 300);
    }

    #[test]
    fn the_same_seed_throws_the_same() {
        let throw = |seed, row| {
            let mut dice = Dice::new(seed, row);
            [0; 8].map(|_| dice.between(1, 1_000_000))
        };
        assert_eq!(throw(7, 3), throw(7, 3));
        assert_ne!(throw(7, 3), throw(7, 4));
        assert_ne!(throw(7, 3), throw(8, 3));
        assert!(throw(7, 3).iter().all(|n| (1..=1_000_000).contains(n)));
    }
}
