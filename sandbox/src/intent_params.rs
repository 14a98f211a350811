//! The parameters of create, update and confirm of a PaymentIntent, and their limits.

use bipe_core::money::Cents;

use crate::customers;
use crate::fault::Fault;
use crate::form::Params;
use crate::objects::{Intent, MethodKind, PaymentMethod};
use crate::store::{State, Tx};
use crate::{payment_methods, vouchers};

const COMMON: &[&str] = &[
    "amount",
    "currency",
    "customer",
    "description",
    "metadata",
    "payment_method",
    "payment_method_data",
    "payment_method_options",
    "payment_method_types",
    "receipt_email",
    "setup_future_usage",
    "statement_descriptor",
    "statement_descriptor_suffix",
];
const CREATE: &[&str] = &[
    "automatic_payment_methods",
    "capture_method",
    "confirm",
    "confirmation_method",
    "mandate_data",
    "off_session",
    "return_url",
    "use_stripe_sdk",
];
pub const CONFIRM: &[&str] = &[
    "client_secret",
    "mandate_data",
    "off_session",
    "payment_method",
    "payment_method_data",
    "payment_method_options",
    "receipt_email",
    "return_url",
    "setup_future_usage",
    "use_stripe_sdk",
];

/// Stripe's largest amount has eight digits; the smallest one in reais is R$ 0,50.
const LARGEST: Cents = Cents(99_999_999);
const SMALLEST: Cents = Cents(50);

/// A new intent from the parameters of a create call, not stored yet.
pub fn new_intent(tx: &Tx<'_>, params: &Params) -> Result<Intent, Fault> {
    params.only(&[COMMON, CREATE].concat())?;
    let amount = params.cents("amount")?.ok_or_else(|| Fault::missing("amount"))?;
    params.required("currency")?;
    params.one_of("capture_method", &["automatic", "automatic_async"])?;
    params.one_of("confirmation_method", &["automatic"])?;
    let methods = Methods::read(params)?;
    let id = tx.id("pi");
    let mut row = Intent {
        client_secret: tx.secret(&id),
        id,
        created: tx.now,
        amount,
        automatic: methods.automatic,
        method_types: methods.types,
        redirects: methods.redirects,
        ..Intent::default()
    };
    change(tx.state, &mut row, params)?;
    Ok(row)
}

/// Applies an update. The caller has checked that the intent may still be changed.
pub fn update(state: &State, row: &mut Intent, params: &Params) -> Result<(), Fault> {
    params.only(COMMON)?;
    if params.has("payment_method_types") {
        let methods = Methods::read(params)?;
        (row.automatic, row.redirects) = (methods.automatic, methods.redirects);
        row.method_types = methods.types;
    }
    change(state, row, params)
}

fn change(state: &State, row: &mut Intent, params: &Params) -> Result<(), Fault> {
    row.amount = params.cents("amount")?.unwrap_or(row.amount);
    check_amount(row.amount)?;
    if let Some(currency) = params.text("currency") {
        row.currency = currency.to_ascii_lowercase();
    }
    if !["brl", "eur", "usd"].contains(&row.currency.as_str()) {
        let message = "Invalid currency: the sandbox knows brl, eur and usd.";
        return Err(Fault::param("currency", message));
    }
    fit_currency(row)?;
    if let Some(customer) = customers::named(state, params)? {
        row.customer = Some(customer);
    }
    params.change("description", &mut row.description);
    params.change("statement_descriptor", &mut row.statement_descriptor);
    params.merge_metadata(&mut row.metadata)?;
    confirmable(row, params)
}

/// The parameters that confirm, too, may bring.
pub fn confirmable(row: &mut Intent, params: &Params) -> Result<(), Fault> {
    params.change("receipt_email", &mut row.receipt_email);
    if params.raw("setup_future_usage").is_some() {
        let usage = params.one_of("setup_future_usage", &["off_session", "on_session"])?;
        row.setup_future_usage = usage.map(str::to_owned);
    }
    expiry(row, params)?;
    let wanted = "payment_method_options[card][request_three_d_secure]";
    if let Some(wanted) = params.one_of(wanted, &["automatic", "any", "challenge"])? {
        row.request_three_d_secure = wanted != "automatic";
    }
    Ok(())
}

fn expiry(row: &mut Intent, params: &Params) -> Result<(), Fault> {
    let seconds = "payment_method_options[pix][expires_after_seconds]";
    let at = "payment_method_options[pix][expires_at]";
    let days = "payment_method_options[boleto][expires_after_days]";
    if params.has(seconds) && params.has(at) {
        return Err(Fault::param(
            at,
            "You may only use one of expires_after_seconds and expires_at.",
        ));
    }
    if let Some(value) = params.integer(seconds)? {
        within(seconds, value, vouchers::PIX_LIFETIMES)?;
        (row.expiry.pix_seconds, row.expiry.pix_at) = (Some(value), None);
    }
    if let Some(value) = params.integer(at)? {
        (row.expiry.pix_seconds, row.expiry.pix_at) = (None, Some(value));
    }
    if let Some(value) = params.integer(days)? {
        within(days, value, 0..=60)?;
        row.expiry.boleto_days = Some(value);
    }
    Ok(())
}

fn within(name: &str, value: i64, allowed: std::ops::RangeInclusive<i64>) -> Result<(), Fault> {
    if allowed.contains(&value) {
        return Ok(());
    }
    let message = format!("{name} must be between {} and {}.", allowed.start(), allowed.end());
    Err(Fault::param(name, message))
}

fn check_amount(amount: Cents) -> Result<(), Fault> {
    if amount < SMALLEST {
        let message = "Amount must be at least R$0.50 brl.";
        return Err(Fault::param("amount", message).coded("amount_too_small"));
    }
    if amount > LARGEST {
        let message = "Amount must be no more than R$999,999.99 brl.";
        return Err(Fault::param("amount", message).coded("amount_too_large"));
    }
    Ok(())
}

/// The payment methods that an intent allows.
pub struct Methods {
    pub types: Vec<String>,
    /// `automatic_payment_methods[enabled]`, which is what holds when nothing is said.
    pub automatic: bool,
    /// Also by what leaves the page: then a confirmation has to say where to come back to.
    pub redirects: bool,
}

impl Methods {
    pub fn read(params: &Params) -> Result<Self, Fault> {
        let enabled = "automatic_payment_methods[enabled]";
        let redirects = "automatic_payment_methods[allow_redirects]";
        let said = params.has("automatic_payment_methods");
        let automatic = params.flag(enabled)?;
        if said && params.text(enabled).is_none() {
            return Err(Fault::missing(enabled));
        }
        let leaves = params.one_of(redirects, &["always", "never"])? != Some("never");
        let all = MethodKind::NAMES;
        let listed = params.list("payment_method_types");
        if let Some(other) = listed.iter().find(|kind| !all.contains(kind)) {
            let message = format!("The payment method type \"{other}\" is invalid.");
            return Err(Fault::param("payment_method_types", message));
        }
        if !listed.is_empty() && automatic {
            let message = "You may only specify one of these parameters: automatic_payment_methods, \
                           payment_method_types.";
            return Err(Fault::invalid(message).coded("parameters_exclusive"));
        }
        let automatic = listed.is_empty() && (automatic || !said);
        let types = match (automatic, listed.is_empty()) {
            (true, _) => all.to_vec(),
            (false, true) => vec!["card"],
            (false, false) => listed,
        };
        let types = types.into_iter().map(str::to_owned).collect();
        Ok(Self { types, automatic, redirects: automatic && leaves })
    }
}

/// PIX and boleto are Brazilian: another currency offers neither, and naming them with it is wrong.
fn fit_currency(row: &mut Intent) -> Result<(), Fault> {
    if row.currency == "brl" {
        return Ok(());
    }
    if row.automatic {
        row.method_types.retain(|kind| kind == "card");
    }
    match row.method_types.iter().find(|kind| *kind != "card") {
        None => Ok(()),
        Some(kind) => Err(vouchers::wrong_currency(kind, &row.currency)),
    }
}

/// A confirmation of what may leave the page says where to come back to, unless nobody is there to leave it or
/// Stripe.js, which is told by `use_stripe_sdk`, stays on it.
pub fn check_return(redirects: bool, params: &Params, off_session: bool) -> Result<(), Fault> {
    let stays = off_session || params.flag("use_stripe_sdk")?;
    if !redirects || stays || params.text("return_url").is_some() {
        return Ok(());
    }
    let message = "This intent is configured to accept payment methods enabled in your Dashboard. Because some of \
                   these payment methods might redirect your customer off of your page, you must provide a \
                   `return_url`. If you don't want to accept redirect-based payment methods, set \
                   `automatic_payment_methods[enabled]` to `true` and \
                   `automatic_payment_methods[allow_redirects]` to `never` when creating Setup Intents and \
                   Payment Intents.";
    Err(Fault::param("return_url", message))
}

/// The method that the parameters name or describe, not stored when it is new; `None`: they say nothing.
pub fn method(tx: &mut Tx<'_>, params: &Params) -> Result<Option<PaymentMethod>, Fault> {
    if let Some(id) = params.owned("payment_method") {
        let found = payment_methods::resolve(tx, &id);
        return found.map(Some).map_err(|fault| fault.named_by("payment_method"));
    }
    if params.has("payment_method_data") {
        return payment_methods::build(tx, params, "payment_method_data").map(Some);
    }
    Ok(None)
}
