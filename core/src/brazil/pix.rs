//! The PIX BR Code: the text behind a QR code.
//!
//! TLV fields of two-digit id, two-digit length and value, closed by a CRC over everything before it
//! (Manual de Padrões para Iniciação do Pix, <https://github.com/bacen/pix-api>). The sandbox builds codes; a
//! provider's code is shown as it came. Tests read them back (`core/src/testing/parsers.rs`).

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use crate::money::Cents;

pub(crate) const GUI: &str = "br.gov.bcb.pix";
const NAME_MAX: usize = 25;
const CITY_MAX: usize = 15;

/// Where the money goes: a key of the payee, or the URL of a charge (without its scheme).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Payee {
    Key(String),
    Url(String),
}

/// Whether a code may be paid more than once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Initiation {
    Reusable,
    OneTime,
}

/// The fields of a BR Code. `txid` is `***` when there is none; static ones have up to 25 alphanumerics.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PixCode {
    pub payee: Payee,
    pub amount: Option<Cents>,
    pub name: String,
    pub city: String,
    pub txid: String,
    pub initiation: Option<Initiation>,
}

impl PixCode {
    /// The payload text; `None` when a field does not fit into its 99 characters, or has other than visible ASCII.
    pub fn build(&self) -> Option<String> {
        let account = match &self.payee {
            Payee::Key(key) => tlv("00", GUI)? + &tlv("01", key)?,
            Payee::Url(url) => tlv("00", GUI)? + &tlv("25", url)?,
        };
        let mut out = tlv("00", "01")?;
        match self.initiation {
            Some(Initiation::Reusable) => out += &tlv("01", "11")?,
            Some(Initiation::OneTime) => out += &tlv("01", "12")?,
            None => {}
        }
        out += &tlv("26", &account)?;
        out += &tlv("52", "0000")?;
        out += &tlv("53", "986")?;
        if let Some(Cents(cents)) = self.amount {
            let cents = u64::try_from(cents).ok()?;
            out += &tlv("54", &format!("{}.{:02}", cents / 100, cents % 100))?;
        }
        out += &tlv("58", "BR")?;
        out += &tlv("59", &plain(&self.name, NAME_MAX))?;
        out += &tlv("60", &plain(&self.city, CITY_MAX))?;
        out += &tlv("62", &tlv("05", &self.txid)?)?;
        out += "6304";
        let crc = crc16(out.as_bytes());
        Some(format!("{out}{crc:04X}"))
    }
}

/// CRC-16/CCITT-FALSE: polynomial 0x1021, initial 0xFFFF, no reflection, no final xor.
pub fn crc16(bytes: &[u8]) -> u16 {
    bytes.iter().fold(0xFFFF, |crc, byte| {
        (0..8).fold(crc ^ (u16::from(*byte) << 8), |crc, _| {
            if crc & 0x8000 == 0 { crc << 1 } else { (crc << 1) ^ 0x1021 }
        })
    })
}

fn tlv(id: &str, value: &str) -> Option<String> {
    // A reader takes a control character for the end of the code.
    let is_visible = value.bytes().all(|byte| byte.is_ascii_graphic() || byte == b' ');
    (value.len() <= 99 && is_visible).then(|| format!("{id}{:02}{value}", value.len()))
}

/// Names travel without accents: decomposed, marks and the rest of non-ASCII dropped, single spaces, cut.
fn plain(text: &str, max: usize) -> String {
    let ascii: String = text
        .nfkd()
        .filter(|c| !is_combining_mark(*c) && (c.is_ascii_graphic() || *c == ' '))
        .collect();
    let spaced = ascii.split_whitespace().collect::<Vec<_>>().join(" ");
    spaced.chars().take(max).collect::<String>().trim_end().to_owned()
}
