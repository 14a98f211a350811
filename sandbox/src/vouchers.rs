//! PIX codes and boletos: how they are made, and how time or a test call ends them.
//!
//! As https://docs.stripe.com/testing: the billing e-mail decides. `succeed_immediately` is paid in
//! seconds, `expire_immediately` fails in seconds, `expire_with_delay` fails after three minutes,
//! `fill_never` lives to its own expiry, anything else is paid after three minutes.

use bipe_core::brazil::{boleto, end_of_day, pix};
use bipe_core::money::Cents;
use bipe_core::secret::hex;
use jiff::ToSpan;
use serde_json::Value;

use crate::charges::{self, unexpected_state, wait};
use crate::fault::Fault;
use crate::objects::{Due, Intent, IntentStatus, MethodKind, Outcome, PaymentMethod, Waiting};
use crate::store::{KEY_LIFETIME, Record, Tx};
use crate::wire;

/// Seconds until a voucher ends whose e-mail says `immediately`.
const QUICK_END: i64 = 2;
/// Seconds until any other voucher ends, unless it lives to its own expiry.
const USUAL_END: i64 = 180;
/// The lifetime of a PIX without `expires_at` in seconds, as at Stripe: one day.
const PIX_LIFETIME: i64 = 86_400;
/// How long a PIX may live, in seconds.
pub const PIX_LIFETIMES: std::ops::RangeInclusive<i64> = 10..=1_209_600;
/// R$ 5,00 and R$ 49.999,99.
const BOLETO_AMOUNTS: std::ops::RangeInclusive<Cents> = Cents(500)..=Cents(4_999_999);

const EXPIRED: &str = "payment_intent_payment_attempt_expired";

/// Refuses an intent that cannot become a voucher, before anything is stored.
pub fn check(intent: &Intent, method: &PaymentMethod) -> Result<(), Fault> {
    let kind = method.kind.name();
    if matches!(method.kind, MethodKind::Card(_)) {
        return Ok(());
    }
    if intent.currency != "brl" {
        return Err(wrong_currency(kind, &intent.currency));
    }
    if kind == "boleto" {
        check_boleto(intent, method)?;
    }
    Ok(())
}

pub fn wrong_currency(kind: &str, currency: &str) -> Fault {
    let message = format!(
        "The currency provided ({currency}) is invalid. Payments with {kind} support the following currencies: brl."
    );
    Fault::param("currency", message)
}

fn check_boleto(intent: &Intent, method: &PaymentMethod) -> Result<(), Fault> {
    if intent.amount < *BOLETO_AMOUNTS.start() {
        return Err(
            Fault::param("amount", "Amount must be at least R$5.00 brl.").coded("amount_too_small")
        );
    }
    if intent.amount > *BOLETO_AMOUNTS.end() {
        let message = "Amount must be no more than R$49,999.99 brl.";
        return Err(Fault::param("amount", message).coded("amount_too_large"));
    }
    let details = &method.billing;
    let address = &details.address;
    let needed = [
        (&details.name, "name"),
        (&details.email, "email"),
        (&address.line1, "address][line1"),
        (&address.city, "address][city"),
        (&address.state, "address][state"),
        (&address.postal_code, "address][postal_code"),
    ];
    if let Some((_, name)) = needed.iter().find(|(value, _)| value.is_none()) {
        return Err(Fault::missing(&format!("billing_details[{name}]")));
    }
    let state = address.state.as_deref().unwrap_or_default();
    if state.len() != 2 || !state.bytes().all(|b| b.is_ascii_alphabetic()) {
        return Err(Fault::param(
            "billing_details[address][state]",
            "Invalid state: must have two letters.",
        ));
    }
    let cep = address.postal_code.as_deref().unwrap_or_default();
    let digits = cep.bytes().filter(u8::is_ascii_digit).count();
    if digits != 8 || !cep.bytes().all(|b| b.is_ascii_digit() || b == b'-') {
        let message = "Invalid postal code: must have eight digits.";
        return Err(Fault::param("billing_details[address][postal_code]", message)
            .coded("postal_code_invalid"));
    }
    Ok(())
}

pub fn open_pix(
    tx: &mut Tx<'_>,
    mut intent: Intent,
    method: PaymentMethod,
) -> Result<Value, Fault> {
    let lifetime = intent.expiry.pix_seconds.unwrap_or(PIX_LIFETIME);
    let expires_at = intent.expiry.pix_at.unwrap_or(tx.now + lifetime);
    if !PIX_LIFETIMES.contains(&expires_at.saturating_sub(tx.now)) {
        let name = "payment_method_options[pix][expires_at]";
        let (least, most) = PIX_LIFETIMES.into_inner();
        let message = format!("The expiry must be between {least} and {most} seconds ahead.");
        return Err(Fault::param(name, message));
    }
    let code = pix::PixCode {
        payee: pix::Payee::Url(format!("pix.example.com/qr/v2/{}", hex(&tx.clock.bytes::<16>()))),
        amount: Some(intent.amount),
        name: "BIPE SANDBOX".to_owned(),
        city: "SAO PAULO".to_owned(),
        txid: "***".to_owned(),
        initiation: Some(pix::Initiation::OneTime),
    };
    let data =
        code.build().ok_or_else(|| Fault::invalid("This amount does not fit into a PIX code."))?;
    intent.due = Some(due(tx, &intent, &method, expires_at));
    Ok(wait(tx, intent, method, Waiting::Pix { data, expires_at }))
}

pub fn open_boleto(
    tx: &mut Tx<'_>,
    mut intent: Intent,
    method: PaymentMethod,
) -> Result<Value, Fault> {
    let last_day = tx.today().checked_add(intent.expiry.boleto_days.unwrap_or(3).days());
    let last_day = last_day.map_err(|_| Fault::invalid("This day does not exist."))?;
    let expires_at = end_of_day(last_day).as_second();
    let free: String = (0..25).map(|_| char::from(b'0' + digit(tx))).collect();
    let slip = boleto::encode("000", &free, intent.amount, Some(last_day));
    let slip = slip.ok_or_else(|| Fault::invalid("This amount does not fit into a boleto."))?;
    intent.due = Some(due(tx, &intent, &method, expires_at));
    let waiting = Waiting::Boleto { line: slip.line, barcode: slip.barcode, expires_at };
    Ok(wait(tx, intent, method, waiting))
}

fn digit(tx: &Tx<'_>) -> u8 {
    u8::try_from(tx.clock.below(10)).unwrap_or(0)
}

/// The outcome that the voucher will have without a call.
fn due(tx: &Tx<'_>, intent: &Intent, method: &PaymentMethod, expires_at: i64) -> Due {
    let customer = intent.customer.as_ref().and_then(|id| tx.state.customers.get(id));
    let email = method.billing.email.as_deref().or(intent.receipt_email.as_deref());
    let email = email.or(customer.and_then(|row| row.email.as_deref())).unwrap_or_default();
    let (at, outcome) = if email.contains("succeed_immediately") {
        (tx.now + QUICK_END, Outcome::Succeeded)
    } else if email.contains("expire_immediately") {
        (tx.now + QUICK_END, Outcome::Expired)
    } else if email.contains("expire_with_delay") {
        (tx.now + USUAL_END, Outcome::Expired)
    } else if email.contains("fill_never") {
        (expires_at, Outcome::Expired)
    } else {
        (tx.now + USUAL_END, Outcome::Succeeded)
    };
    Due { at, outcome }
}

/// Ends every voucher whose time has come, and forgets old answers; returns how many ended.
pub fn settle_due(tx: &mut Tx<'_>) -> usize {
    let now = tx.now;
    let limit = now - KEY_LIFETIME;
    if tx.state.answers.values().next().is_some_and(|oldest| oldest.created <= limit) {
        tx.put(Record::AnswersBefore(limit));
    }
    let due: Vec<(Intent, Outcome)> = tx
        .state
        .due
        .iter()
        .filter_map(|id| tx.state.intents.get(id))
        .filter_map(|row| row.due.filter(|due| due.at <= now).map(|due| (row.clone(), due.outcome)))
        .collect();
    let count = due.len();
    for (intent, outcome) in due {
        if let Err(fault) = settle(tx, intent, outcome) {
            tracing::error!(status = fault.status(), "a due voucher could not be settled");
        }
    }
    count
}

/// Ends an open voucher. An expired one may still be paid: late money is a case that Bipe must survive.
pub fn settle(tx: &mut Tx<'_>, intent: Intent, outcome: Outcome) -> Result<Value, Fault> {
    let open = matches!(intent.waiting, Some(Waiting::Pix { .. } | Waiting::Boleto { .. }));
    let late = outcome == Outcome::Succeeded && is_expired(&intent);
    let method = if open { intent.method.clone() } else { method_of_error(&intent) };
    let method = tx.method(method.as_ref());
    let (true, Some(method)) = (open || late, method) else {
        return Err(unexpected_state(&intent, "settle", tx.base_url));
    };
    let id = intent.id.clone();
    let fault = match outcome {
        Outcome::Succeeded => return Ok(charges::pay(tx, intent, method, false)),
        Outcome::Expired => Fault::state(EXPIRED, "The payment was not made before it expired."),
        Outcome::Failed => {
            Fault::state("payment_intent_payment_attempt_failed", "The payment attempt failed.")
        }
    };
    charges::fail(tx, intent, &method, fault);
    tx.state.find(&id).map(|row| wire::intent(row, tx.base_url))
}

fn is_expired(intent: &Intent) -> bool {
    let code =
        intent.last_error.as_ref().and_then(|error| error.get("code")).and_then(Value::as_str);
    intent.status == IntentStatus::RequiresPaymentMethod && code == Some(EXPIRED)
}

fn method_of_error(intent: &Intent) -> Option<String> {
    let method = intent.last_error.as_ref()?.get("payment_method")?;
    method.get("id")?.as_str().map(str::to_owned)
}
