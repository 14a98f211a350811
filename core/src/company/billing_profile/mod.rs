//! Whom a company's receipts and boletos are made out to: tax id, names, address, e-mails. As its members type it, as
//! it is kept, and as the API shows it.
//!
//! Pure; `store` remembers. A change is a new version, and no version ever changes. A document copies what it shows.
//! `BillingDetails` are always valid.

pub mod store;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa::openapi::schema::{
    ArrayBuilder, KnownFormat, ObjectBuilder, Schema, SchemaFormat, Type,
};

use crate::audit::{self, AuditField};
use crate::brazil::postal::{Cep, LINE_MAX, STREET_MAX, State};
use crate::brazil::tax_id::{TaxId, TaxIdKind};
use crate::error::{FieldCode, FieldErrors, Result};
use crate::id::UserId;
use crate::json_object;
use crate::user::{Email, parse_name};

pub use store::{current, save};

const NAME: std::ops::RangeInclusive<usize> = 2..=100;
const NUMBER_MAX: usize = 20;
const EMAILS_MAX: usize = 5;

/// Where documents go.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = PostalAddressView)]
pub struct PostalAddress {
    /// Eight digits.
    #[schema(value_type = String)]
    pub postal_code: Cep,
    pub street: String,
    /// `123-A` or `S/N`.
    pub number: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub complement: Option<String>,
    pub district: String,
    pub city: String,
    pub state: State,
}

impl PostalAddress {
    /// As a document shows it: street and number, district and city, postal code.
    pub fn lines(&self) -> [String; 3] {
        let Self { street, number, complement, district, city, state, postal_code } = self;
        let complement = complement.as_ref().map(|text| format!(", {text}")).unwrap_or_default();
        [
            format!("{street}, {number}{complement}"),
            format!("{district}, {city} - {}", state.as_str()),
            postal_code.formatted(),
        ]
    }
}

/// What a version says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BillingDetails {
    pub tax_id: TaxId,
    /// Of a company as it is registered (razão social), of a person in full.
    pub legal_name: String,
    pub trade_name: Option<String>,
    pub address: PostalAddress,
    /// Who gets the documents by mail; at most five, each once.
    pub emails: Vec<Email>,
}

impl BillingDetails {
    /// The fields in which the two differ.
    fn changed_from(&self, before: &Self) -> Vec<AuditField> {
        audit::changed([
            (AuditField::TaxId, self.tax_id != before.tax_id),
            (AuditField::LegalName, self.legal_name != before.legal_name),
            (AuditField::TradeName, self.trade_name != before.trade_name),
            (AuditField::Address, self.address != before.address),
            (AuditField::BillingEmails, self.emails != before.emails),
        ])
    }
}

/// One version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BillingProfile {
    /// From 1.
    pub version: i32,
    pub details: BillingDetails,
    /// The person keeps this id after an erasure, and it names nobody then.
    pub changed_by: Option<UserId>,
    pub created_at: Timestamp,
}

/// The body of `PUT …/billing-profile`.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BillingProfileRequest {
    /// The version that was edited, 0 for none.
    #[schema(minimum = 0)]
    version: i32,
    /// CPF or CNPJ, with or without its mask.
    #[schema(min_length = 1, max_length = 30)]
    tax_id: String,
    #[schema(min_length = 2, max_length = 100)]
    legal_name: String,
    /// 2 characters or more; empty is none.
    #[schema(max_length = 100)]
    trade_name: Option<String>,
    #[serde(deserialize_with = "json_object::read")]
    address: PostalAddressRequest,
    #[serde(default)]
    #[schema(schema_with = emails_schema)]
    billing_emails: Vec<String>,
}

#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PostalAddressRequest {
    /// With or without its hyphen.
    #[schema(min_length = 1, max_length = 20)]
    postal_code: String,
    #[schema(min_length = 1, max_length = 100)]
    street: String,
    #[schema(min_length = 1, max_length = 20)]
    number: String,
    /// Empty is none.
    #[schema(max_length = 60)]
    complement: Option<String>,
    #[schema(min_length = 1, max_length = 60)]
    district: String,
    #[schema(min_length = 1, max_length = 60)]
    city: String,
    #[schema(value_type = State)]
    state: String,
}

fn emails_schema() -> Schema {
    let email = ObjectBuilder::new()
        .schema_type(Type::String)
        .format(Some(SchemaFormat::KnownFormat(KnownFormat::Email)))
        .max_length(Some(254));
    ArrayBuilder::new().items(email).max_items(Some(EMAILS_MAX)).into()
}

impl BillingProfileRequest {
    /// What is to be kept, and the version that it was made of.
    ///
    /// # Errors
    /// `Invalid` with every field that is wrong.
    pub fn parse(&self) -> Result<(BillingDetails, i32)> {
        let mut errors = FieldErrors::default();
        let version = if self.version < 0 { Err(FieldCode::Invalid) } else { Ok(self.version) };
        let version = errors.take("version", version);
        let details = self.details(&mut errors);
        errors.into_result(details.zip(version))
    }

    fn details(&self, errors: &mut FieldErrors) -> Option<BillingDetails> {
        let tax_id = errors.take("taxId", tax_id(&self.tax_id));
        let legal_name = errors.take("legalName", parse_name(&self.legal_name, NAME));
        let trade_name = optional(self.trade_name.as_deref(), |text| parse_name(text, NAME));
        let trade_name = errors.take("tradeName", trade_name);
        let address = self.address.parse(errors);
        let emails = emails(&self.billing_emails, errors);
        Some(BillingDetails {
            tax_id: tax_id?,
            legal_name: legal_name?,
            trade_name: trade_name?,
            address: address?,
            emails: emails?,
        })
    }
}

impl PostalAddressRequest {
    fn parse(&self, errors: &mut FieldErrors) -> Option<PostalAddress> {
        let line = |text: &str, most| parse_name(text, 1..=most);
        let postal_code = read(&self.postal_code, Cep::parse);
        let postal_code = errors.take("address.postalCode", postal_code);
        let street = errors.take("address.street", line(&self.street, STREET_MAX));
        let number = errors.take("address.number", line(&self.number, NUMBER_MAX));
        let complement = optional(self.complement.as_deref(), |text| line(text, LINE_MAX));
        let complement = errors.take("address.complement", complement);
        let district = errors.take("address.district", line(&self.district, LINE_MAX));
        let city = errors.take("address.city", line(&self.city, LINE_MAX));
        let state = errors.take("address.state", read(&self.state, State::of_typed));
        Some(PostalAddress {
            postal_code: postal_code?,
            street: street?,
            number: number?,
            complement: complement?,
            district: district?,
            city: city?,
            state: state?,
        })
    }
}

/// A CPF or a CNPJ whose check digits are right.
///
/// # Errors
/// `REQUIRED` or `DOCUMENT_INVALID`.
pub fn tax_id(text: &str) -> Result<TaxId, FieldCode> {
    if text.trim().is_empty() {
        return Err(FieldCode::Required);
    }
    TaxId::parse(text).ok_or(FieldCode::DocumentInvalid)
}

fn read<T>(text: &str, parse: impl FnOnce(&str) -> Option<T>) -> Result<T, FieldCode> {
    let missing = if text.trim().is_empty() { FieldCode::Required } else { FieldCode::Invalid };
    parse(text).ok_or(missing)
}

/// Absent and blank are the same: a form sends every field it has.
fn optional(
    text: Option<&str>,
    parse: impl FnOnce(&str) -> Result<String, FieldCode>,
) -> Result<Option<String>, FieldCode> {
    match text.map(parse) {
        None | Some(Err(FieldCode::Required)) => Ok(None),
        Some(parsed) => parsed.map(Some),
    }
}

/// Each once, in the order in which they were typed.
fn emails(typed: &[String], errors: &mut FieldErrors) -> Option<Vec<Email>> {
    if typed.len() > EMAILS_MAX {
        errors.add("billingEmails", FieldCode::TooLong);
        return None;
    }
    let mut emails = Vec::with_capacity(typed.len());
    let mut are_right = true;
    for (place, text) in typed.iter().enumerate() {
        match Email::parse(text) {
            Ok(email) if emails.contains(&email) => {}
            Ok(email) => emails.push(email),
            Err(code) => {
                errors.add(format!("billingEmails[{place}]"), code);
                are_right = false;
            }
        }
    }
    are_right.then_some(emails)
}

/// `billingProfile` of the contract.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BillingProfileView {
    /// A change names the version that it was made of.
    #[schema(minimum = 1)]
    pub version: i32,
    /// Without a mask: eleven digits or fourteen characters.
    pub tax_id: String,
    pub tax_id_kind: TaxIdKind,
    pub legal_name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub trade_name: Option<String>,
    pub address: PostalAddress,
    pub billing_emails: Vec<String>,
    /// When this version was saved.
    pub updated_at: Timestamp,
}

impl From<BillingProfile> for BillingProfileView {
    fn from(profile: BillingProfile) -> Self {
        let BillingProfile { version, details, created_at, .. } = profile;
        let BillingDetails { tax_id, legal_name, trade_name, address, emails } = details;
        Self {
            version,
            tax_id: tax_id.as_str().to_owned(),
            tax_id_kind: tax_id.kind(),
            legal_name,
            trade_name,
            address,
            billing_emails: emails.iter().map(|email| email.as_str().to_owned()).collect(),
            updated_at: created_at,
        }
    }
}

#[cfg(test)]
mod tests;
