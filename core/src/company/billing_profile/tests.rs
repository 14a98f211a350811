//! What somebody types, and what becomes of it.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::error::Error;

fn typed() -> Value {
    json!({
        "version": 0, "taxId": "11.222.333/0001-81", "legalName": "  Entregas Norte Ltda ", "tradeName": " ",
        "address": {"postalCode": "01310-100", "street": "Avenida Paulista", "number": "1000", "complement": "Sala 4",
            "district": "Bela Vista", "city": "São Paulo", "state": "sp"},
        "billingEmails": ["Contas@Example.com", "nf@example.com", "contas@example.com"],
    })
}

fn parse(typed: &Value) -> Result<(BillingDetails, i32)> {
    serde_json::from_value::<BillingProfileRequest>(typed.clone()).unwrap().parse()
}

fn fields(typed: &Value) -> Vec<(String, FieldCode)> {
    let Err(Error::Invalid(FieldErrors(fields))) = parse(typed) else { panic!("{typed}") };
    fields.into_iter().map(|(name, code)| (name.into_owned(), code)).collect()
}

#[test]
fn what_is_kept_is_normalised() {
    let (details, version) = parse(&typed()).unwrap();
    assert_eq!(version, 0);
    assert_eq!(details.tax_id.formatted(), "11.222.333/0001-81");
    assert_eq!((details.legal_name.as_str(), &details.trade_name), ("Entregas Norte Ltda", &None));
    assert_eq!(
        details.address.lines(),
        ["Avenida Paulista, 1000, Sala 4", "Bela Vista, São Paulo - SP", "01310-100"]
    );
    let emails: Vec<&str> = details.emails.iter().map(Email::as_str).collect();
    assert_eq!(emails, ["contas@example.com", "nf@example.com"], "each once");
}

#[test]
fn every_wrong_field_is_named_at_once() {
    let wrong = json!({
        "version": -1, "taxId": "111.444.777-34", "legalName": "A", "tradeName": "Norte\u{202e}",
        "address": {"postalCode": "0131", "street": "", "number": " ", "complement": "x".repeat(61), "district": "a\u{0}",
            "city": "", "state": "XX"},
        "billingEmails": ["nf@example.com", "nf", ""],
    });
    let named = [
        ("address.city", FieldCode::Required),
        ("address.complement", FieldCode::TooLong),
        ("address.district", FieldCode::Invalid),
        ("address.number", FieldCode::Required),
        ("address.postalCode", FieldCode::Invalid),
        ("address.state", FieldCode::Invalid),
        ("address.street", FieldCode::Required),
        ("billingEmails[1]", FieldCode::EmailInvalid),
        ("billingEmails[2]", FieldCode::Required),
        ("legalName", FieldCode::NameTooShort),
        ("taxId", FieldCode::DocumentInvalid),
        ("tradeName", FieldCode::Invalid),
        ("version", FieldCode::Invalid),
    ];
    assert_eq!(fields(&wrong), named.map(|(name, code)| (name.to_owned(), code)));
}

#[test]
fn names_have_at_most_a_hundred_characters_whatever_they_are() {
    for (name, refused) in [
        ("é".repeat(100), None),
        ("👩‍👩‍👧".repeat(20), None),
        ("é".repeat(101), Some(FieldCode::TooLong)),
        // It would turn the line of a receipt around.
        ("Norte\u{200f}Sul".into(), Some(FieldCode::Invalid)),
        ("Norte\nSul".into(), Some(FieldCode::Invalid)),
    ] {
        let mut typed = typed();
        typed["legalName"] = json!(name);
        match refused {
            None => assert_eq!(parse(&typed).unwrap().0.legal_name, name),
            Some(code) => assert_eq!(fields(&typed), [("legalName".to_owned(), code)], "{name}"),
        }
    }
}

#[test]
fn there_are_at_most_five_addresses_and_perhaps_none() {
    let mut typed = typed();
    typed["billingEmails"] =
        json!((0..6).map(|n| format!("nf{n}@example.com")).collect::<Vec<_>>());
    assert_eq!(fields(&typed), [("billingEmails".to_owned(), FieldCode::TooLong)]);
    typed["billingEmails"] = json!([]);
    assert_eq!(parse(&typed).unwrap().0.emails, []);
}

#[test]
fn an_optional_line_that_shows_nothing_is_none() {
    let mut typed = typed();
    typed["tradeName"] = json!("\u{200b}");
    typed["address"]["complement"] = json!(" \u{200d} ");
    let (details, _) = parse(&typed).unwrap();
    assert_eq!((details.trade_name, details.address.complement), (None, None));
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in "\\PC{0,40}", number in "[0-9A-Za-z./ -]{0,20}") {
        let mut typed = typed();
        typed["taxId"] = json!(number);
        typed["address"]["street"] = json!(text);
        if let Ok((details, _)) = parse(&typed) {
            prop_assert_eq!(TaxId::parse(&details.tax_id.formatted()), Some(details.tax_id));
            prop_assert!((1..=100).contains(&details.address.street.chars().count()));
        }
    }
}
