//! People: the rules of names, e-mails, phones, birth dates and passwords, and the view of a person.
//!
//! Pure; `store` remembers. A raw string becomes one of these types once, where the request is read. Nothing else
//! checks it again.

pub mod activity;
pub mod admin;
pub mod admin_store;
mod password;
pub mod store;

use std::ops::RangeInclusive;

use jiff::{Timestamp, civil::Date};
use serde::Serialize;
use utoipa::ToSchema;

use crate::brazil;
use crate::brazil::cpf::Cpf;
use crate::column::column;
use crate::error::FieldCode;
use crate::id::UserId;
use crate::invisible::{is_ignorable, is_selector};
use crate::words::words;

const NAME: RangeInclusive<usize> = 2..=200;
const NOTE_MAX: usize = 500;
const EMAIL_MAX: usize = 254;
const LOCAL_PART_MAX: usize = 64;
const PHONE_MIN: usize = 10;
const PHONE_MAX: usize = 32;
const OLDEST_BIRTH_YEAR: i16 = 1900;

macro_rules! text {
    ($($(#[$doc:meta])* $name:ident),+ $(,)?) => {$(
        $(#[$doc])*
        /// Personal data stays out of logs.
        #[derive(Clone, PartialEq, Eq, Hash, derive_more::Debug)]
        #[debug("{}(…)", stringify!($name))]
        pub struct $name(String);

        impl $name {
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        column!($name(String));
    )+};
}

text! {
    /// A person's full name: trimmed, 2 to 200 characters, none of them deceptive.
    UserName,
    /// An address as it is compared: lower case, ASCII alone.
    Email,
    /// Free text with at least ten characters of a phone number.
    Phone,
    /// A password that obeys the policy; never trimmed, cut or normalised.
    Password,
}

/// A control or bidirectional character, or a break of a line: it could make a text look like another one. The joiners
/// that Persian words and families of emoji are written with are none.
pub fn is_deceptive(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{206f}')
}

/// Shows nothing by itself: it may stand inside of a text, but no text is made of it alone. U+2800 is Braille's cell
/// without dots.
fn is_blank(c: char) -> bool {
    c.is_whitespace() || c == '\u{2800}' || is_ignorable(c) && !is_deceptive(c)
}

/// Without the space and the invisible characters around it. What belongs to the last character stays.
fn trimmed(text: &str) -> &str {
    text.trim_start_matches(is_blank).trim_end_matches(|c| is_blank(c) && !is_selector(c))
}

/// A name of that many characters: trimmed, none of them deceptive.
pub fn parse_name(raw: &str, length: RangeInclusive<usize>) -> Result<String, FieldCode> {
    let name = trimmed(raw);
    match name.chars().count() {
        0 => Err(FieldCode::Required),
        count if count < *length.start() => Err(FieldCode::NameTooShort),
        count if count > *length.end() => Err(FieldCode::TooLong),
        _ if name.chars().any(is_deceptive) => Err(FieldCode::Invalid),
        _ => Ok(name.to_owned()),
    }
}

/// A text of at most 500 characters that may have line breaks, such as a reason: trimmed; an empty one is none.
///
/// # Errors
/// `TooLong`, `Invalid` for characters that deceive.
pub fn parse_note(raw: Option<&str>) -> Result<Option<String>, FieldCode> {
    let text = trimmed(raw.unwrap_or_default());
    match text.chars().count() {
        0 => Ok(None),
        length if length > NOTE_MAX => Err(FieldCode::TooLong),
        _ if text.chars().any(|c| is_deceptive(c) && !matches!(c, '\n' | '\r' | '\t')) => {
            Err(FieldCode::Invalid)
        }
        _ => Ok(Some(text.to_owned())),
    }
}

/// As [`parse_note`], for a note that must not be empty.
///
/// # Errors
/// `Required`; those of [`parse_note`].
pub fn required_note(raw: Option<&str>) -> Result<String, FieldCode> {
    parse_note(raw)?.ok_or(FieldCode::Required)
}

impl UserName {
    pub fn parse(raw: &str) -> Result<Self, FieldCode> {
        parse_name(raw, NAME).map(Self)
    }
}

impl Email {
    pub fn parse(raw: &str) -> Result<Self, FieldCode> {
        if raw.is_empty() {
            return Err(FieldCode::Required);
        }
        let email = raw.to_ascii_lowercase();
        let (local, domain) = email.rsplit_once('@').ok_or(FieldCode::EmailInvalid)?;
        let fits = email.len() <= EMAIL_MAX && (1..=LOCAL_PART_MAX).contains(&local.len());
        // ASCII alone: letters that only look like these would be other people's addresses.
        let plain = |c: char| c.is_ascii_graphic() && !"\"(),:;<>[]\\@".contains(c);
        let is_ok = fits
            && local.chars().all(plain)
            && is_domain(domain)
            // What the mail library refuses can never be sent.
            && lettre::Address::new(local, domain).is_ok();
        if is_ok { Ok(Self(email)) } else { Err(FieldCode::EmailInvalid) }
    }
}

/// At least two labels of ASCII letters, digits and inner hyphens. The last one is no number: a mail server may read
/// `10.0.0.1` as the address of a machine beside it.
fn is_domain(domain: &str) -> bool {
    let is_label = |label: &str| {
        (1..=63).contains(&label.len())
            && label.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    let is_name = |(_, last): (&str, &str)| !last.bytes().all(|b| b.is_ascii_digit());
    domain.split('.').all(is_label) && domain.rsplit_once('.').is_some_and(is_name)
}

impl Phone {
    pub fn parse(raw: &str) -> Result<Self, FieldCode> {
        let phone = raw.trim();
        if phone.is_empty() {
            return Err(FieldCode::Required);
        }
        let rest = phone.strip_prefix('+').unwrap_or(phone);
        let is_ok = (PHONE_MIN..=PHONE_MAX).contains(&phone.len())
            && rest.bytes().all(|b| b.is_ascii_digit() || b" -()".contains(&b));
        if is_ok { Ok(Self(phone.to_owned())) } else { Err(FieldCode::PhoneInvalid) }
    }
}

impl Password {
    pub fn parse(raw: &str) -> Result<Self, FieldCode> {
        password::check(raw)?;
        Ok(Self(raw.to_owned()))
    }
}

/// A CPF as typed, with or without its mask.
pub fn parse_cpf(raw: &str) -> Result<Cpf, FieldCode> {
    if raw.trim().is_empty() {
        return Err(FieldCode::Required);
    }
    Cpf::parse(raw).ok_or(FieldCode::DocumentInvalid)
}

/// A day of birth, old enough on `now`'s day in São Paulo.
pub fn parse_birth_date(raw: &str, min_age: u8, now: Timestamp) -> Result<Date, FieldCode> {
    if raw.is_empty() {
        return Err(FieldCode::Required);
    }
    let born = brazil::parse_day(raw).ok_or(FieldCode::Invalid)?;
    let today = brazil::local_date(now);
    if born > today || born.year() < OLDEST_BIRTH_YEAR {
        return Err(FieldCode::Invalid);
    }
    if age(born, today) < i16::from(min_age) {
        return Err(FieldCode::TooYoung);
    }
    Ok(born)
}

/// Full years; who was born on 29 February has the birthday on 1 March of a common year.
pub fn age(born: Date, today: Date) -> i16 {
    let had_birthday = (today.month(), today.day()) >= (born.month(), born.day());
    today.year() - born.year() - i16::from(!had_birthday)
}

words! {
    /// What a person is on the whole platform.
    pub enum UserRole {
        User = "user",
        /// Platform administrator.
        Admin = "admin",
    }
}

words! {
    pub enum UserStatus {
        /// The e-mail was never verified.
        Pending = "pending",
        Active = "active",
        Inactive = "inactive",
    }
}

/// A row of `users`, without the password.
#[derive(Clone, Debug)]
pub struct User {
    pub id: UserId,
    pub name: UserName,
    pub email: Email,
    pub document: Cpf,
    pub phone: Phone,
    pub birth_date: Date,
    pub role: UserRole,
    pub status: UserStatus,
    pub email_verified: bool,
    pub created_at: Timestamp,
}

/// Who looks at a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Viewer {
    Oneself,
    Somebody,
}

/// A person as the API shows them.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct UserView {
    pub id: UserId,
    pub user_name: String,
    pub user_email: String,
    /// `***.456.789-**` for everybody but the person.
    pub user_document: String,
    pub user_phone: String,
    #[schema(value_type = String, format = Date)]
    pub user_birth_date: Date,
    pub user_role: UserRole,
    pub status: UserStatus,
    pub email_verified: bool,
    pub created_at: Timestamp,
}

impl User {
    pub fn view(&self, viewer: Viewer) -> UserView {
        UserView {
            id: self.id,
            user_name: self.name.0.clone(),
            user_email: self.email.0.clone(),
            user_document: match viewer {
                Viewer::Oneself => self.document.formatted(),
                Viewer::Somebody => self.document.to_string(),
            },
            user_phone: self.phone.0.clone(),
            user_birth_date: self.birth_date,
            user_role: self.role,
            status: self.status,
            email_verified: self.email_verified,
            created_at: self.created_at,
        }
    }
}

#[cfg(test)]
mod tests;
