//! Boletos, PIX codes, bank days, CPFs and card numbers match the golden cases.

use bipe_core::brazil::boleto;
use bipe_core::brazil::calendar;
use bipe_core::brazil::card;
use bipe_core::brazil::cpf::Cpf;
use bipe_core::brazil::pix::{Initiation, Payee, PixCode, crc16};
use bipe_core::brazil::tax_id::TaxId;
use bipe_core::money::Cents;
use bipe_core::testing::parsers::{LineError, due_date, read_boleto, read_pix};
use jiff::Timestamp;
use jiff::civil::Date;
use proptest::prelude::*;
use serde::Deserialize;
use serde_json::json;

use super::{run, run_own};

#[derive(Deserialize)]
#[serde(tag = "op", rename_all = "camelCase", rename_all_fields = "camelCase")]
enum Boleto {
    Fator { due_date: Date },
    DueDate { fator: u16, issued_on: Date },
    BarcodeDigit { digits: String },
    FieldDigit { digits: String },
    Encode { bank: String, free_field: String, amount: Cents, due_date: Option<Date> },
    ReadLine { line: String, issued_on: Date },
}

#[test]
fn boletos_match_the_vectors() {
    run(include_str!("../../vectors/boleto.json"), 50, |input: Boleto| match input {
        Boleto::Fator { due_date } => json!(boleto::fator(due_date)),
        Boleto::DueDate { fator, issued_on } => json!(due_date(fator, issued_on)),
        Boleto::BarcodeDigit { digits } => json!(boleto::barcode_digit(&digits)),
        Boleto::FieldDigit { digits } => json!(boleto::field_digit(&digits)),
        Boleto::Encode { bank, free_field, amount, due_date } => {
            let slip = boleto::encode(&bank, &free_field, amount, due_date).unwrap();
            json!({"barcode": slip.barcode, "line": slip.line, "digits": slip.digits})
        }
        Boleto::ReadLine { line, issued_on } => match read_boleto(&line, issued_on) {
            Ok(line) => json!({
                "valid": true, "barcode": line.barcode, "bank": line.bank, "amount": line.amount,
                "fator": line.fator, "dueDate": line.due_date,
            }),
            Err(reason) => json!({"valid": false, "reason": reason}),
        },
    });
}

#[derive(Deserialize)]
#[serde(tag = "op", rename_all = "camelCase")]
enum Pix {
    Crc16 {
        text: String,
    },
    Build {
        key: Option<String>,
        url: Option<String>,
        amount: Option<Cents>,
        name: String,
        city: String,
        txid: String,
        initiation: Option<String>,
    },
    Read {
        payload: String,
    },
}

fn initiation(text: &str) -> Initiation {
    if text == "11" { Initiation::Reusable } else { Initiation::OneTime }
}

#[test]
fn pix_codes_match_the_vectors() {
    run(include_str!("../../vectors/pix.json"), 31, |input: Pix| match input {
        Pix::Crc16 { text } => json!(format!("{:04X}", crc16(text.as_bytes()))),
        Pix::Build { key, url, amount, name, city, txid, initiation: kind } => {
            let payee = key.map(Payee::Key).or(url.map(Payee::Url)).unwrap();
            let initiation = kind.as_deref().map(initiation);
            let code = PixCode { payee, amount, name, city, txid, initiation };
            json!({"payload": code.build()})
        }
        Pix::Read { payload } => match read_pix(&payload) {
            Ok(code) => {
                let (key, url) = match code.payee {
                    Payee::Key(key) => (Some(key), None),
                    Payee::Url(url) => (None, Some(url)),
                };
                let initiation = code.initiation.map(|kind| match kind {
                    Initiation::Reusable => "11",
                    Initiation::OneTime => "12",
                });
                json!({
                    "valid": true, "key": key, "url": url, "amount": code.amount, "name": code.name,
                    "city": code.city, "txid": code.txid, "initiation": initiation,
                })
            }
            Err(reason) => json!({"valid": false, "reason": reason}),
        },
    });
}

#[derive(Deserialize)]
#[serde(tag = "op", rename_all = "camelCase", rename_all_fields = "camelCase")]
enum Days {
    Holidays { year: i16 },
    IsBusinessDay { date: Date },
    Add { from: Date, n: u8 },
    BoletoDue { issued_at: Timestamp },
}

#[test]
fn business_days_match_the_vectors() {
    run(include_str!("../../vectors/business_days.json"), 62, |input: Days| match input {
        Days::Holidays { year } => calendar::holidays(year)
            .into_iter()
            .map(|(date, name)| json!({"date": date, "name": name}))
            .collect(),
        Days::IsBusinessDay { date } => json!(calendar::is_business_day(date)),
        Days::Add { from, n } => json!(calendar::add_business_days(from, n)),
        Days::BoletoDue { issued_at } => {
            let due = calendar::boleto_due(issued_at);
            json!({
                "issuedOn": due.issued_on, "dueDate": due.due_date,
                "expiresAfterDays": due.expires_after_days, "expiresAt": due.expires_at,
                "closeAt": due.close_at,
            })
        }
    });
}

#[derive(Deserialize)]
#[serde(tag = "op", rename_all = "camelCase")]
enum Document {
    Parse {
        text: String,
    },
    Format {
        digits: String,
    },
    Mask {
        digits: String,
    },
    CheckDigits {
        digits: String,
    },
    /// The mask while typing is the web's.
    Typing {},
}

#[test]
fn cpfs_match_the_vectors() {
    run_own(include_str!("../../vectors/cpf.json"), 41, |input: Document| match input {
        Document::Parse { text } => Some(match Cpf::parse(&text) {
            Some(cpf) => json!({"digits": cpf.digits()}),
            None => json!({"error": "DOCUMENT_INVALID"}),
        }),
        Document::Format { digits } => Some(json!(Cpf::parse(&digits).unwrap().formatted())),
        Document::Mask { digits } => Some(json!(Cpf::parse(&digits).unwrap().to_string())),
        Document::CheckDigits { digits } => {
            Some(json!(Cpf::parse(&digits).unwrap().has_valid_check_digits()))
        }
        Document::Typing {} => None,
    });
}

#[derive(Deserialize)]
#[serde(tag = "op", rename_all = "camelCase")]
enum TypedTaxId {
    Parse {
        text: String,
    },
    /// The mask while typing is the web's.
    Typing {},
}

#[test]
fn tax_ids_match_the_vectors() {
    run_own(include_str!("../../vectors/tax_ids.json"), 79, |input: TypedTaxId| match input {
        TypedTaxId::Parse { text } => Some(match TaxId::parse(&text) {
            Some(id) => {
                json!({"kind": id.kind(), "text": id.as_str(), "formatted": id.formatted()})
            }
            None => json!({"error": "DOCUMENT_INVALID"}),
        }),
        TypedTaxId::Typing {} => None,
    });
}

#[derive(Deserialize)]
#[serde(tag = "op", rename_all = "camelCase")]
enum Card {
    /// The brand is the web's.
    Brand {},
    Luhn {
        number: String,
    },
    Valid {
        text: String,
    },
    /// Groups of four are the web's.
    Format {},
}

#[test]
fn cards_match_the_vectors() {
    run_own(include_str!("../../vectors/cards.json"), 93, |input: Card| match input {
        Card::Luhn { number } => Some(json!(card::luhn(&number))),
        Card::Valid { text } => Some(json!(card::is_valid(&text))),
        Card::Brand {} | Card::Format {} => None,
    });
}

proptest! {
    #[test]
    fn a_slip_is_read_back_and_a_changed_digit_is_found(
        free in "[0-9]{25}", amount in 0_i64..=9_999_999_999, days in 0_i32..60, at in 0_usize..47, by in 1_u32..9,
    ) {
        let issued: Date = "2026-11-18".parse().unwrap();
        let due = issued.saturating_add(jiff::Span::new().days(days));
        let slip = boleto::encode("000", &free, Cents(amount), Some(due)).unwrap();
        let line = read_boleto(&slip.line, issued).unwrap();
        prop_assert_eq!(line.due_date, Some(due));
        prop_assert_eq!((line.amount, &line.barcode), (Cents(amount), &slip.barcode));
        let mut digits: Vec<u32> = slip.digits.chars().map(|c| c.to_digit(10).unwrap()).collect();
        digits[at] = (digits[at] + by) % 10;
        let changed: String = digits.iter().map(u32::to_string).collect();
        // mod 11 reads 0, 10 and 11 alike, so only the three fields promise to find every single change
        let found = read_boleto(&changed, issued);
        prop_assert!(at >= 32 || matches!(found, Err(LineError::Field1 | LineError::Field2 | LineError::Field3)));
    }

    #[test]
    fn a_pix_code_is_read_back(
        key in "[a-z0-9]{8,20}", amount in 1_i64..=99_999_999, name in "\\PC{1,40}", city in "\\PC{1,30}",
    ) {
        let code = PixCode {
            payee: Payee::Url(format!("pix.example.com/qr/v2/{key}")), amount: Some(Cents(amount)),
            name, city, txid: "***".into(), initiation: Some(Initiation::OneTime),
        };
        let read = read_pix(&code.build().unwrap()).unwrap();
        prop_assert_eq!((&read.payee, read.amount), (&code.payee, code.amount));
        prop_assert!(read.name.len() <= 25 && read.city.len() <= 15);
    }

    #[test]
    fn a_changed_character_of_a_tax_id_is_found(base in "[0-9A-Z]{12}", at in 0_usize..12, by in 1_u32..10) {
        let whole = (0..100).find_map(|check| TaxId::parse(&format!("{base}{check:02}")));
        let whole = whole.unwrap_or_else(|| panic!("{base} has check digits"));
        prop_assert_eq!(TaxId::parse(&whole.formatted()), Some(whole.clone()));
        let mut text: Vec<char> = whole.as_str().chars().collect();
        // Mod 11 sees every change by less than 11.
        text[at] = char::from_u32(u32::from(text[at]) + by).unwrap();
        let changed: String = text.into_iter().collect();
        let is_letter_or_digit = changed.chars().all(|c| c.is_ascii_digit() || c.is_ascii_uppercase());
        prop_assume!(is_letter_or_digit);
        let found = TaxId::parse(&changed);
        prop_assert!(found.is_none() || changed[12..] == *"00", "{} became {}", whole.as_str(), changed);
    }

    #[test]
    fn any_text_is_read_or_refused_as_a_pix_code(text in "\\PC{0,60}") {
        let _ = read_pix(&text);
    }
}
