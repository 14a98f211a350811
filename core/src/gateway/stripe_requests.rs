//! The requests that move money, as the provider wants them, and the one that prepares a card. The texts of those that
//! move money are rendered once and stored before they are sent. Called by `stripe` alone.

use std::collections::HashMap;

use stripe_core::PaymentIntentSetupFutureUsage;
use stripe_core::payment_intent::{
    CreatePaymentIntent, CreatePaymentIntentAutomaticPaymentMethods,
    CreatePaymentIntentAutomaticPaymentMethodsAllowRedirects as Redirects,
    CreatePaymentIntentOffSession as OffSession,
    CreatePaymentIntentPaymentMethodData as MethodData,
    CreatePaymentIntentPaymentMethodDataBillingDetails as BillingDetails,
    CreatePaymentIntentPaymentMethodDataBillingDetailsAddress as BillingAddress,
    CreatePaymentIntentPaymentMethodDataBoleto as BoletoData,
    CreatePaymentIntentPaymentMethodDataType as MethodType,
    CreatePaymentIntentPaymentMethodOptions as MethodOptions,
    CreatePaymentIntentPaymentMethodOptionsBoleto as BoletoOptions,
    CreatePaymentIntentPaymentMethodOptionsPix as PixOptions,
};
use stripe_core::refund::CreateRefund;
use stripe_core::setup_intent::{
    CreateSetupIntent, CreateSetupIntentAutomaticPaymentMethods,
    CreateSetupIntentAutomaticPaymentMethodsAllowRedirects as SetupRedirects,
    CreateSetupIntentUsage,
};
use stripe_types::Currency;

use super::NewIntent;
use super::wire::{NAMED, TRACEPARENT};
use crate::brazil::calendar::boleto_due;
use crate::brazil::latin;
use crate::id::RefundId;
use crate::money::Cents;
use crate::payment_method::{Address, Instrument, MethodDetails, PIX_LIFE};

/// The refund's own name alone: its intent tells whose it is.
pub fn refund_request(intent: &str, amount: Cents, refund: RefundId) -> CreateRefund {
    let metadata = HashMap::from([(NAMED.to_owned(), refund.to_string())]);
    CreateRefund::new().payment_intent(intent).amount(amount.0).metadata(metadata)
}

/// The holder's bank is asked now, so that it need not be asked at a renewal.
pub fn setup_request(card: &str, customer: &str) -> CreateSetupIntent {
    // As for a payment: nothing that leaves our page.
    let mut methods = CreateSetupIntentAutomaticPaymentMethods::new(true);
    methods.allow_redirects = Some(SetupRedirects::Never);
    CreateSetupIntent::new()
        .customer(customer)
        .payment_method(card)
        .automatic_payment_methods(methods)
        .usage(CreateSetupIntentUsage::OffSession)
        .confirm(true)
}

pub fn create_request(charge: &NewIntent<'_>) -> CreatePaymentIntent {
    let mut metadata = HashMap::from([
        ("paymentId".to_owned(), charge.payment_id.to_string()),
        ("companyId".to_owned(), charge.company_id.to_string()),
        ("subscriptionId".to_owned(), charge.subscription.clone()),
        ("planId".to_owned(), charge.plan_id.to_string()),
        ("billingCycle".to_owned(), charge.cycle.as_str().to_owned()),
        ("changeType".to_owned(), charge.change_type.as_str().to_owned()),
        ("method".to_owned(), charge.details.method().as_str().to_owned()),
        ("env".to_owned(), charge.environment.to_owned()),
    ]);
    metadata.extend(charge.trace.map(|trace| (TRACEPARENT.to_owned(), trace.to_string())));
    // Methods that leave our page would need an address to come back to.
    let mut methods = CreatePaymentIntentAutomaticPaymentMethods::new(true);
    methods.allow_redirects = Some(Redirects::Never);
    let request = CreatePaymentIntent::new(charge.amount.0, Currency::BRL)
        .customer(charge.customer)
        .metadata(metadata)
        .automatic_payment_methods(methods)
        .expand(expanded());
    match charge.details {
        MethodDetails::Card { payment_method, save } => {
            let request = request.payment_method(payment_method.as_str());
            if *save {
                request.setup_future_usage(PaymentIntentSetupFutureUsage::OffSession)
            } else {
                request
            }
        }
        MethodDetails::Saved(Instrument::Card(id)) => {
            request.payment_method(id.as_str()).off_session(OffSession::Bool(true)).confirm(true)
        }
        MethodDetails::Pix => {
            let mut data = MethodData::new(MethodType::Pix);
            data.billing_details = Some(billing(&charge.payer.name, &charge.payer.email));
            let mut pix = PixOptions::new();
            pix.expires_after_seconds = Some(PIX_LIFE.as_secs());
            let mut options = MethodOptions::new();
            options.pix = Some(pix);
            request.payment_method_data(data).payment_method_options(options).confirm(true)
        }
        MethodDetails::Boleto { tax_id, address } => {
            let mut details = billing(&ascii(&charge.payer.name), &charge.payer.email);
            details.address = Some(billing_address(address));
            let mut data = MethodData::new(MethodType::Boleto);
            data.boleto = Some(BoletoData::new(tax_id.as_str()));
            data.billing_details = Some(details);
            let mut boleto = BoletoOptions::new();
            boleto.expires_after_days =
                u32::try_from(boleto_due(charge.at).expires_after_days).ok();
            let mut options = MethodOptions::new();
            options.boleto = Some(boleto);
            request.payment_method_data(data).payment_method_options(options).confirm(true)
        }
    }
}

fn billing(name: &str, email: &str) -> BillingDetails {
    let mut details = BillingDetails::new();
    details.name = Some(name.to_owned());
    details.email = Some(email.to_owned());
    details
}

/// A boleto carries ASCII only; that it can be written so was checked with the request.
fn ascii(text: &str) -> String {
    latin::ascii(text).unwrap_or_default()
}

fn billing_address(address: &Address) -> BillingAddress {
    let mut wire = BillingAddress::new();
    wire.line1 = Some(ascii(&address.line1));
    wire.city = Some(ascii(&address.city));
    wire.state = Some(address.state.clone());
    wire.postal_code = Some(address.postal_code.clone());
    wire.country = Some("BR".into());
    wire
}

/// The charge tells when the money came.
pub fn expanded() -> Vec<String> {
    vec!["latest_charge".into()]
}
