//! Payment methods: test cards, PIX and boleto; who they belong to and whether they may still be used.

use bipe_core::brazil::card as card_rules;
use bipe_core::secret::{hex, sha256};
use serde_json::Value;

use crate::cards::Behaviour;
use crate::customers::{self, change_billing, release};
use crate::expand::{self, PAGING};
use crate::fault::Fault;
use crate::form::{Metadata, Params};
use crate::objects::{BillingDetails, Card, Customer, MethodKind, PaymentMethod};
use crate::pipeline::Call;
use crate::store::{Record, Tx};
use crate::test_cards::{self, TestCard};
use crate::wire;

pub fn create(tx: &mut Tx<'_>, call: &Call) -> Result<Value, Fault> {
    let known = ["allow_redisplay", "billing_details", "boleto", "card", "metadata", "pix", "type"];
    call.params.only(&known)?;
    let row = build(tx, &call.params, "")?;
    let value = wire::payment_method(&row);
    tx.put(Record::Method(row));
    Ok(value)
}

pub fn retrieve(tx: &mut Tx<'_>, call: &Call) -> Result<Value, Fault> {
    let row = resolve(tx, &call.id)?;
    Ok(wire::payment_method(&row))
}

pub fn list(tx: &mut Tx<'_>, call: &Call) -> Result<Value, Fault> {
    call.params.only(&[&PAGING[..], &["customer", "type"]].concat())?;
    let customer = customers::named(tx.state, &call.params)?;
    let customer = customer.ok_or_else(|| Fault::missing("customer"))?;
    list_of(tx, &call.params, &customer, "/v1/payment_methods")
}

pub fn list_of_customer(tx: &mut Tx<'_>, call: &Call) -> Result<Value, Fault> {
    call.params.only(&[&PAGING[..], &["type"]].concat())?;
    let customer = &tx.state.find::<Customer>(&call.id)?.id;
    let url = format!("/v1/customers/{customer}/payment_methods");
    list_of(tx, &call.params, customer, &url)
}

fn list_of(tx: &Tx<'_>, params: &Params, customer: &str, url: &str) -> Result<Value, Fault> {
    let kind = params.text("type");
    let keep = |row: &PaymentMethod| {
        row.customer.as_deref() == Some(customer) && kind.is_none_or(|kind| kind == row.kind.name())
    };
    expand::list(tx, params, url, keep)
}

pub fn attach(tx: &mut Tx<'_>, call: &Call) -> Result<Value, Fault> {
    call.params.only(&["customer"])?;
    let customer = customers::named(tx.state, &call.params)?;
    let customer = customer.ok_or_else(|| Fault::missing("customer"))?;
    let row = resolve(tx, &call.id)?;
    usable(&row)?;
    match (&row.customer, &row.kind) {
        (Some(owner), _) if *owner == customer => return Ok(wire::payment_method(&row)),
        (Some(_), _) => {
            let message =
                "The payment method you provided has already been attached to a customer.";
            return Err(Fault::state("resource_already_exists", message));
        }
        (None, MethodKind::Card(card)) => {
            if let Some(decline) = card.behaviour.refuses_attach() {
                return Err(decline.fault());
            }
        }
        (None, other) => {
            let message = format!(
                "A PaymentMethod of type {} cannot be attached to a customer.",
                other.name()
            );
            return Err(Fault::state("payment_method_not_available", message));
        }
    }
    Ok(attach_to(tx, row, customer))
}

/// Gives the method to the customer and tells so.
pub fn attach_to(tx: &mut Tx<'_>, row: PaymentMethod, customer: String) -> Value {
    tx.save(PaymentMethod { customer: Some(customer), ..row }, "payment_method.attached")
}

/// What may change of a method: who it bills, notes, and when a card expires.
pub fn update(tx: &mut Tx<'_>, call: &Call) -> Result<Value, Fault> {
    let params = &call.params;
    params.only(&["allow_redisplay", "billing_details", "card", "metadata"])?;
    let mut row = tx.state.find::<PaymentMethod>(&call.id)?.clone();
    if row.customer.is_none() {
        let message = "You must attach this PaymentMethod to a customer before you can update it.";
        return Err(Fault::invalid(message));
    }
    change_billing(&mut row.billing, params, "billing_details");
    match &mut row.kind {
        MethodKind::Card(card) => {
            let month = params.integer("card[exp_month]")?.unwrap_or(card.exp_month);
            let year = params.integer("card[exp_year]")?.unwrap_or(card.exp_year);
            if params.has("card") {
                check_expiry(tx, month, year)?;
            }
            (card.exp_month, card.exp_year) = (month, full_year(year));
        }
        MethodKind::Pix | MethodKind::Boleto { .. } if params.has("card") => {
            return Err(Fault::param("card", "This PaymentMethod is no card."));
        }
        MethodKind::Pix | MethodKind::Boleto { .. } => {}
    }
    params.merge_metadata(&mut row.metadata)?;
    Ok(tx.save(row, "payment_method.updated"))
}

pub fn detach(tx: &mut Tx<'_>, call: &Call) -> Result<Value, Fault> {
    call.params.only(&[])?;
    let row = tx.state.find::<PaymentMethod>(&call.id)?.clone();
    let Some(customer) = &row.customer else {
        let message = "The payment method you provided is not attached to a customer so detachment is impossible.";
        return Err(Fault::invalid(message).begun());
    };
    let owner = tx.state.customers.get(customer).cloned();
    let owner = owner.filter(|owner| owner.default_payment_method.as_ref() == Some(&row.id));
    let released = release(tx, row);
    if let Some(mut owner) = owner {
        owner.default_payment_method = None;
        tx.put(Record::Customer(owner));
    }
    Ok(released)
}

/// The method of this id; a token such as `pm_card_visa` makes a new one, as at Stripe.
pub fn resolve(tx: &mut Tx<'_>, id: &str) -> Result<PaymentMethod, Fault> {
    let Some(found) = test_cards::by_token(id) else { return tx.state.find(id).cloned() };
    let card = card_of(&found, lasting(tx));
    let row = new_row(tx, BillingDetails::default(), MethodKind::Card(card));
    tx.put(Record::Method(row.clone()));
    Ok(row)
}

/// The expiry of a card that a token names.
fn lasting(tx: &Tx<'_>) -> (i64, i64) {
    (12, i64::from(tx.today().year()) + 4)
}

/// Refuses a method that was used up; as at Stripe, without a code.
pub fn usable(row: &PaymentMethod) -> Result<(), Fault> {
    if row.spent {
        let message = "The provided PaymentMethod was previously used with a PaymentIntent without Customer \
                       attachment, or was detached from a Customer. It may not be used again.";
        return Err(Fault::invalid(message).begun());
    }
    Ok(())
}

/// A method from the parameters at `prefix` (`payment_method_data`, or the request itself).
pub fn build(tx: &Tx<'_>, params: &Params, prefix: &str) -> Result<PaymentMethod, Fault> {
    let at = |name: &str| match prefix {
        "" => name.to_owned(),
        prefix => match name.split_once('[') {
            Some((root, rest)) => format!("{prefix}[{root}][{rest}"),
            None => format!("{prefix}[{name}]"),
        },
    };
    let kind = match params.one_of(&at("type"), &MethodKind::NAMES)? {
        Some("card") => MethodKind::Card(read_card(tx, params, &at)?),
        Some("pix") => MethodKind::Pix,
        Some("boleto") => MethodKind::Boleto {
            tax_id: read_tax_id(params.required(&at("boleto[tax_id]"))?, &at("boleto[tax_id]"))?,
        },
        _ => return Err(Fault::missing(&at("type"))),
    };
    let mut billing = BillingDetails::default();
    change_billing(&mut billing, params, &at("billing_details"));
    let mut row = new_row(tx, billing, kind);
    if prefix.is_empty() {
        params.merge_metadata(&mut row.metadata)?;
    }
    Ok(row)
}

fn new_row(tx: &Tx<'_>, billing: BillingDetails, kind: MethodKind) -> PaymentMethod {
    let id = tx.id("pm");
    let metadata = Metadata::new();
    PaymentMethod { id, created: tx.now, billing, customer: None, kind, metadata, spent: false }
}

fn read_card(tx: &Tx<'_>, params: &Params, at: &dyn Fn(&str) -> String) -> Result<Card, Fault> {
    let token = at("card[token]");
    if let Some(id) = params.text(&token) {
        let found = test_cards::by_card_token(id);
        let found = found.ok_or_else(|| Fault::no_such("token", id).named_by(&token))?;
        return Ok(card_of(&found, lasting(tx)));
    }
    let param = at("card[number]");
    let incorrect = || invalid_card("incorrect_number", "number", "Your card number is incorrect.");
    let digits = card_rules::digits(params.required(&param)?).ok_or_else(incorrect)?;
    if !card_rules::is_valid(&digits) {
        return Err(incorrect());
    }
    let month = params.required_integer(&at("card[exp_month]"))?;
    let year = params.required_integer(&at("card[exp_year]"))?;
    check_expiry(tx, month, year)?;
    let cvc = params.text(&at("card[cvc]"));
    if cvc.is_some_and(|cvc| {
        !(3..=4).contains(&cvc.len()) || !cvc.bytes().all(|b| b.is_ascii_digit())
    }) {
        return Err(invalid_card("invalid_cvc", "cvc", "Your card's security code is invalid."));
    }
    let found = test_cards::by_number(&digits).ok_or_else(|| {
        let message = "Your card was declined. Your request was in test mode, but used a non test card. \
                       For a list of valid test cards, visit: https://stripe.com/docs/testing.";
        let fault = Fault::card("card_declined", message).before_work();
        fault.with("decline_code", "test_mode_live_card".into())
    })?;
    Ok(card_of(&found, (month, full_year(year))))
}

/// A card that cannot be is a failed validation: nothing of it is kept.
fn invalid_card(code: &str, param: &str, message: &str) -> Fault {
    Fault::card(code, message).with("param", param.into()).before_work()
}

fn full_year(year: i64) -> i64 {
    if year < 100 { 2000 + year } else { year }
}

fn check_expiry(tx: &Tx<'_>, month: i64, year: i64) -> Result<(), Fault> {
    let today = tx.today();
    let (this_year, this_month) = (i64::from(today.year()), i64::from(today.month()));
    let year = full_year(year);
    if !(1..=12).contains(&month) || (year == this_year && month < this_month) {
        let message = "Your card's expiration month is invalid.";
        return Err(invalid_card("invalid_expiry_month", "exp_month", message));
    }
    if year < this_year || year > this_year + 50 {
        let message = "Your card's expiration year is invalid.";
        return Err(invalid_card("invalid_expiry_year", "exp_year", message));
    }
    Ok(())
}

fn card_of(found: &TestCard, (exp_month, exp_year): (i64, i64)) -> Card {
    let last4 = found.number.get(found.number.len().saturating_sub(4)..).unwrap_or_default();
    let fingerprint = hex(&sha256(found.number.as_bytes()));
    Card {
        behaviour: found.behaviour,
        brand: found.brand.to_owned(),
        country: found.country.to_owned(),
        exp_month,
        exp_year,
        fingerprint: fingerprint.get(..16).unwrap_or_default().to_owned(),
        funding: found.funding.to_owned(),
        last4: last4.to_owned(),
        set_up: found.behaviour == Behaviour::AlreadySetUp,
    }
}

/// A CPF (its check digits count here, and 000.000.000-00 passes) or the fourteen characters of a CNPJ, which may have
/// letters.
fn read_tax_id(text: &str, param: &str) -> Result<String, Fault> {
    use bipe_core::brazil::tax_id::TaxId;
    let is_mark = |c: &char| ".-/ ".contains(*c);
    let plain: String = text.chars().filter(|c| !is_mark(c)).collect();
    let is_cnpj = plain.len() == 14 && plain.bytes().all(|b| b.is_ascii_alphanumeric());
    if is_cnpj || plain == "00000000000" || TaxId::parse(text).is_some() {
        return Ok(text.to_owned());
    }
    Err(Fault::param(param, "Invalid boleto tax ID.").coded("tax_id_invalid"))
}
