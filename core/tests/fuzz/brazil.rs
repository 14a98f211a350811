//! BR Codes, boletos and tax ids, written by the product and read back. The readers are those of
//! `core/src/testing/parsers.rs`.

use bipe_core::brazil::boleto::{Slip, encode, fator};
use bipe_core::brazil::pix::{Initiation, Payee, PixCode, crc16};
use bipe_core::brazil::postal::Cep;
use bipe_core::brazil::tax_id::TaxId;
use bipe_core::money::Cents;
use bipe_core::testing::parsers::{LineError, read_boleto, read_pix};
use bipe_simulator::for_each_text;
use jiff::ToSpan;
use jiff::civil::date;

const FIELDS: &[&str] = &[
    "ana@example.com",
    "pix.example.com/qr/v2/1",
    "\n",
    "Ponto S\u{e3}o Jo\u{e3}o",
    "S\u{e3}o Paulo",
    "***",
    "9990",
    "0",
    "-1",
    "9223372036854775807",
    "\u{e9}",
    "\u{202e}",
    "  ",
    "\u{fb01}",
    "\u{2105}",
    "0123456789012345678901234",
    "6304",
    "26",
    "\u{0}",
    "\t",
];

fn code(text: &str) -> PixCode {
    let mut lines = text.lines();
    let mut line = || lines.next().unwrap_or_default().to_owned();
    let (payee, name, city, txid, amount) = (line(), line(), line(), line(), line());
    PixCode {
        payee: if payee.contains('/') { Payee::Url(payee) } else { Payee::Key(payee) },
        amount: amount.parse().ok().map(Cents),
        name,
        city,
        txid,
        initiation: match text.len() % 3 {
            0 => None,
            1 => Some(Initiation::Reusable),
            _ => Some(Initiation::OneTime),
        },
    }
}

#[test]
fn a_br_code_is_read_as_it_was_meant_and_a_changed_one_is_refused() {
    for_each_text!("pix", FIELDS, |text: &str| {
        let meant = code(text);
        let Some(built) = meant.build() else { return };
        let read = read_pix(&built).unwrap();
        let PixCode { name, city, .. } = read.clone();
        assert_eq!(read, PixCode { name, city, ..meant });
        assert!(read.name.len() <= 25 && read.city.len() <= 15, "{read:?}");
        assert!(built.bytes().all(|byte| byte.is_ascii_graphic() || byte == b' '), "{built:?}");
        assert_eq!(read.build().as_deref(), Some(built.as_str()), "once plain, always so");
        let covered = built.len() - 4;
        for at in 0..built.len() {
            let mut bytes = built.clone().into_bytes();
            bytes[at] = if bytes[at] == b'0' { b'1' } else { b'0' };
            let changed = String::from_utf8(bytes).unwrap();
            assert!(read_pix(&changed).is_err(), "{at} of {covered}: {changed}");
        }
    });
}

const CODES: &[&str] = &[
    "000201",
    "0014br.gov.bcb.pix",
    "26330014br.gov.bcb.pix0111ana@mail.br",
    "52040000",
    "5303986",
    "54041.00",
    "5802BR",
    "5901A",
    "6001B",
    "62070503***",
    "6304",
    "CRC",
    "01",
    "12",
    "99",
    "\u{e9}",
    "-1",
    "1.005",
];

/// `CRC` stands for the right one of what is before it.
#[test]
fn a_code_of_others_means_the_same_when_it_is_written_again() {
    for_each_text!("pix_codes", CODES, |text: &str| {
        let text = match text.split_once("CRC") {
            Some((before, _)) => format!("{before}{:04X}", crc16(before.as_bytes())),
            None => text.to_owned(),
        };
        let Ok(read) = read_pix(&text) else { return };
        let Some(built) = read.build() else { return };
        let again = read_pix(&built).unwrap();
        let PixCode { name, city, .. } = again.clone();
        assert_eq!(again, PixCode { name, city, ..read });
    });
}

const SLIPS: &[&str] = &[
    "001",
    "\n",
    "0500940144816060680935031",
    "0",
    "9999999999",
    "10000000000",
    "9990",
    "-1",
    "1000",
    "9999",
    "20000",
    "\u{e9}",
    "001\n0500940144816060680935031\n",
    "237\n0000000000000000000000000\n",
];

/// Bank, free digits, centavos, days from the first day of the fator; one a line.
#[test]
fn a_boleto_is_read_as_it_was_meant_and_a_mistyped_field_is_named() {
    for_each_text!("boletos", SLIPS, |text: &str| {
        let mut lines = text.lines();
        let mut line = || lines.next().unwrap_or_default();
        let (bank, free) = (line(), line());
        let amount = Cents(line().parse().unwrap_or(9_990));
        let days: i32 = line().parse().unwrap_or(0);
        let due = (1..=30_000).contains(&days).then(|| date(1997, 10, 7) + days.days());
        let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        let fits = bank.len() == 3 && free.len() == 25 && is_digits(bank) && is_digits(free);
        let slip = encode(bank, free, amount, due);
        assert_eq!(slip.is_some(), fits && (0..=9_999_999_999).contains(&amount.0), "{text:?}");
        let Some(Slip { barcode, digits, line }) = slip else { return };
        assert_eq!((barcode.len(), digits.len()), (44, 47));
        let issued_on = due.unwrap_or(date(2026, 11, 21));
        for written in [&line, &digits] {
            let read = read_boleto(written, issued_on).unwrap();
            assert_eq!((read.barcode.as_str(), read.bank.as_str()), (barcode.as_str(), bank));
            assert_eq!((read.amount, read.due_date), (amount, due));
            assert_eq!(read.fator, due.map_or(0, fator));
        }
        for (fields, error) in
            [(0..10, LineError::Field1), (10..21, LineError::Field2), (21..32, LineError::Field3)]
        {
            for at in fields {
                let mut bytes = digits.clone().into_bytes();
                bytes[at] = if bytes[at] == b'9' { b'0' } else { bytes[at] + 1 };
                let mistyped = String::from_utf8(bytes).unwrap();
                assert_eq!(read_boleto(&mistyped, issued_on), Err(error), "{at} of {mistyped}");
            }
        }
    });
}

const NUMBERS: &[&str] = &[
    "111.444.777-35",
    "11222333000181",
    "12.ABC.345/01DE-35",
    "01001-000",
    "-",
    ".",
    "/",
    " ",
    "\u{661}",
    "\u{e9}",
    "a",
    "0",
    "00000000000",
];

#[test]
fn a_tax_id_and_a_postal_code_are_the_same_with_their_mask_and_without() {
    for_each_text!("numbers", NUMBERS, |text: &str| {
        if let Some(number) = TaxId::parse(text) {
            assert_eq!(TaxId::parse(&number.formatted()), Some(number.clone()));
            assert_eq!(TaxId::parse(number.as_str()), Some(number));
        }
        if let Some(cep) = Cep::parse(text) {
            assert_eq!(Cep::parse(&cep.formatted()), Some(cep));
        }
    });
}
