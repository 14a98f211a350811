//! The body of `POST /payments/process`: raw text first, all wrong fields at once, then the command. A field
//! that is not known is refused, because a typo could cost money.

use bipe_core::brazil;
use bipe_core::brazil::cpf::Cpf;
use bipe_core::brazil::postal::{Cep, State};
use bipe_core::company::billing_profile;
use bipe_core::error::{Error, FieldCode, FieldErrors, Result};
use bipe_core::gateway::Payer;
use bipe_core::id::{CompanyId, UserId};
use bipe_core::idempotency::KeyedRequest;
use bipe_core::json_object;
use bipe_core::money::{BRL, Cents};
use bipe_core::payment::command::StartPayment;
use bipe_core::payment::renewal_consent::RenewalConsent;
use bipe_core::payment_method::{Address, Method, MethodDetails};
use bipe_core::plan::BillingCycle;
use bipe_core::scope::CompanyScope;
use bipe_core::user::{Email, parse_name};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::error::ApiError;

const MAX_TEXT: usize = 200;
/// The key of a card's set-up holds its id and the customer's, and has 255 characters at most.
const MAX_PROVIDER_ID: usize = 200;
const TEST_CPF: &str = "00000000000";
const OPERATION: &str = "POST /payments/process";

#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ProcessPayment {
    /// Minor units; what the server computes as due.
    #[schema(value_type = i64, minimum = 1)]
    amount: Cents,
    #[schema(pattern = "^brl$")]
    currency: String,
    /// Id of a card at the provider.
    #[schema(min_length = 1, max_length = 200, pattern = "^[A-Za-z0-9_]+$")]
    #[serde(rename = "payment_method")]
    card: Option<String>,
    #[serde(default, deserialize_with = "json_object::read_optional")]
    payment_method: Option<WantedMethod>,
    #[serde(deserialize_with = "json_object::read")]
    customer: Customer,
    save_method: Option<bool>,
    /// Version of the sentence that was shown: saving a card lets it pay the renewals.
    renewal_consent: Option<String>,
    /// Take the place of the company's open payment.
    replace: Option<bool>,
    #[serde(default, deserialize_with = "json_object::read_optional")]
    billing: Option<Billing>,
    #[serde(deserialize_with = "json_object::read")]
    metadata: Metadata,
}

#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct WantedMethod {
    #[serde(rename = "type")]
    #[schema(value_type = Method)]
    kind: String,
}

#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Customer {
    id: Option<String>,
    #[schema(min_length = 1, max_length = 200)]
    name: String,
    #[schema(format = Email, max_length = 254)]
    email: String,
    document: Option<String>,
}

/// Looked at for a boleto alone.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Billing {
    /// CPF or CNPJ with right check digits, with or without its mask.
    tax_id: Option<String>,
    #[serde(default, deserialize_with = "json_object::read_optional")]
    address: Option<BillingAddress>,
}

#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct BillingAddress {
    line1: String,
    city: String,
    state: String,
    postal_code: String,
}

#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Metadata {
    #[schema(format = Uuid)]
    company_id: String,
    #[schema(format = Uuid)]
    plan_id: String,
    #[schema(value_type = BillingCycle)]
    billing_cycle: String,
    /// A hint: the server classifies the change itself.
    change_type: Option<String>,
    #[schema(format = Uuid)]
    quote_id: Option<String>,
    #[schema(min_length = 1, max_length = 200)]
    source: Option<String>,
}

/// Names the fields below `billing` as `requiredFields` of the offer does: `address.city`, not `billing.address.city`.
pub fn as_offered(refused: ApiError) -> ApiError {
    let ApiError::Core(Error::Invalid(FieldErrors(fields))) = refused else { return refused };
    let named = fields.into_iter().map(|(name, code)| match name.strip_prefix("billing.") {
        Some(rest) => (rest.to_owned().into(), code),
        None => (name, code),
    });
    Error::Invalid(FieldErrors(named.collect())).into()
}

impl ProcessPayment {
    /// The company that pays, before anything else is looked at: its scope is proven first.
    pub fn company(&self) -> Result<CompanyId> {
        let company = self.metadata.company_id.parse();
        company.map_err(|_no_id| Error::invalid("metadata.companyId", FieldCode::Invalid))
    }

    /// # Errors
    /// `Invalid` with every field that is wrong.
    pub fn into_command(
        self,
        scope: CompanyScope,
        user: UserId,
        key: Option<String>,
    ) -> Result<StartPayment> {
        let command = |key| KeyedRequest::new(key, user, OPERATION, &self);
        let key = key.map(command).transpose()?;
        let mut errors = FieldErrors::default();
        let start = self.read(&mut errors, scope, key);
        errors.into_result(start)
    }

    /// Reads every field before it gives up, so that `errors` names each one that is wrong.
    fn read(
        &self,
        errors: &mut FieldErrors,
        scope: CompanyScope,
        key: Option<KeyedRequest>,
    ) -> Option<StartPayment> {
        let amount = errors.take("amount", valid(self.amount, self.amount > Cents::ZERO));
        errors.take("currency", valid((), self.currency == BRL));
        let plan_id = errors.take("metadata.planId", id(&self.metadata.plan_id));
        let cycle = BillingCycle::parse(&self.metadata.billing_cycle).ok_or(FieldCode::Invalid);
        let cycle = errors.take("metadata.billingCycle", cycle);
        let quote_id = self.metadata.quote_id.as_deref().map(id).transpose();
        let quote_id = errors.take("metadata.quoteId", quote_id);
        let source = self.metadata.source.as_deref().map(text).transpose();
        let source = errors.take("metadata.source", source);
        let name = errors.take("customer.name", text(&self.customer.name));
        let email = errors.take("customer.email", email(&self.customer.email));
        let details = self.details(errors);
        let renewal_consent = errors.take("renewalConsent", self.consent());
        Some(StartPayment {
            scope,
            request_id: None,
            key,
            amount: amount?,
            plan_id: plan_id?,
            cycle: cycle?,
            quote_id: quote_id?,
            payer: Payer { name: name?, email: email? },
            details: details?,
            replace: self.replace.unwrap_or(false),
            source: source?,
            renewal_consent: renewal_consent?,
        })
    }

    /// Only with a card that is to be saved.
    fn consent(&self) -> Result<Option<RenewalConsent>, FieldCode> {
        let named = consent(self.renewal_consent.as_deref())?;
        let saves_card = self.card.is_some() && self.save_method == Some(true);
        let is_valid = named.is_none() || saves_card;
        valid(named, is_valid)
    }

    fn details(&self, errors: &mut FieldErrors) -> Option<MethodDetails> {
        let kind = self.payment_method.as_ref().map(|method| Method::parse(&method.kind));
        match (&self.card, kind) {
            (Some(card), None | Some(Some(Method::CreditCard))) => {
                let payment_method = errors.take("payment_method", provider_id(card))?;
                Some(MethodDetails::Card {
                    payment_method,
                    save: self.save_method.unwrap_or(false),
                })
            }
            (None, Some(Some(Method::Pix))) => Some(MethodDetails::Pix),
            (None, Some(Some(Method::BankSlip))) => self.boleto(errors),
            (None, None | Some(Some(Method::CreditCard))) => {
                errors.add("payment_method", FieldCode::Required);
                None
            }
            (_, Some(None)) => {
                errors.add("paymentMethod.type", FieldCode::Invalid);
                None
            }
            (Some(_), Some(_)) => {
                errors.add("paymentMethod", FieldCode::Invalid);
                None
            }
        }
    }

    fn boleto(&self, errors: &mut FieldErrors) -> Option<MethodDetails> {
        let billing = self.billing.as_ref();
        errors.take("customer.name", latin(&self.customer.name));
        let document = billing.and_then(|b| b.tax_id.as_deref());
        let document = document.or(self.customer.document.as_deref());
        let document = document.ok_or(FieldCode::Required);
        let tax_id = errors.take("taxId", document.and_then(tax_id));
        let Some(address) = billing.and_then(|b| b.address.as_ref()) else {
            for field in ["address.line1", "address.city", "address.state", "address.postalCode"] {
                errors.add(field, FieldCode::Required);
            }
            return None;
        };
        let line1 = errors.take("address.line1", latin(&address.line1));
        let city = errors.take("address.city", latin(&address.city));
        let state = errors.take("address.state", state(&address.state));
        let postal_code = errors.take("address.postalCode", postal_code(&address.postal_code));
        let address =
            Address { line1: line1?, city: city?, state: state?, postal_code: postal_code? };
        Some(MethodDetails::Boleto { tax_id: tax_id?, address })
    }
}

fn valid<T>(value: T, is_valid: bool) -> Result<T, FieldCode> {
    if is_valid { Ok(value) } else { Err(FieldCode::Invalid) }
}

fn id<T: std::str::FromStr>(value: &str) -> Result<T, FieldCode> {
    value.parse().map_err(|_no_id| FieldCode::Invalid)
}

fn text(value: &str) -> Result<String, FieldCode> {
    parse_name(value, 1..=MAX_TEXT)
}

/// Text that a boleto can carry.
fn latin(value: &str) -> Result<String, FieldCode> {
    let value = text(value)?;
    let is_latin = brazil::latin::ascii(&value).is_some();
    valid(value, is_latin)
}

/// A version that is no longer good was shown by a page of before: it is loaded again.
pub fn consent(version: Option<&str>) -> Result<Option<RenewalConsent>, FieldCode> {
    let named = |version| RenewalConsent::named(version).ok_or(FieldCode::Invalid);
    version.map(named).transpose()
}

/// As every address is read; the provider is told this spelling.
fn email(value: &str) -> Result<String, FieldCode> {
    let value = value.trim();
    Email::parse(value).map(|_| value.to_owned())
}

/// It becomes part of an address at the provider.
pub fn provider_id(value: &str) -> Result<String, FieldCode> {
    let plain = value.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    valid(value.to_owned(), plain && (1..=MAX_PROVIDER_ID).contains(&value.len()))
}

/// As the provider takes it: without a mask. Its own CPF for tests passes here; with live keys the provider refuses it.
fn tax_id(value: &str) -> Result<String, FieldCode> {
    let is_test = |cpf: Cpf| cpf.digits() == TEST_CPF;
    if Cpf::parse(value).is_some_and(is_test) {
        return Ok(TEST_CPF.to_owned());
    }
    billing_profile::tax_id(value).map(|id| id.as_str().to_owned())
}

fn postal_code(value: &str) -> Result<String, FieldCode> {
    Cep::parse(value).map(|cep| cep.digits().to_owned()).ok_or(FieldCode::Invalid)
}

fn state(value: &str) -> Result<String, FieldCode> {
    State::of_typed(value).map(|state| state.as_str().to_owned()).ok_or(FieldCode::Invalid)
}
