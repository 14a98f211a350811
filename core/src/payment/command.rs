//! The command behind `POST /payments/process`: who pays, by which method, and for which choice. The caller has proven
//! the company.

use crate::error::{Code, Error, Result};
use crate::gateway::{Address, IntentMethod, Payer};
use crate::id::{PlanId, QuoteId};
use crate::idempotency::KeyedRequest;
use crate::money::Cents;
use crate::payment_method::{Instrument, Method, PIX_LIFE};
use crate::plan::BillingCycle;
use crate::scope::CompanyScope;
use crate::{brazil, clock};

/// One payment to be started.
#[derive(Clone, Debug)]
pub struct StartPayment {
    pub scope: CompanyScope,
    /// The request id, named by the events as their cause.
    pub request_id: Option<String>,
    /// The `Idempotency-Key` and what it was used for.
    pub key: Option<KeyedRequest>,
    /// What the client believes to be due.
    pub amount: Cents,
    pub plan_id: PlanId,
    pub cycle: BillingCycle,
    pub quote_id: Option<QuoteId>,
    pub payer: Payer,
    pub details: MethodDetails,
    /// Take the place of an open payment.
    pub replace: bool,
    pub source: Option<String>,
}

/// How the payer wants to pay.
#[derive(Clone, Debug)]
pub enum MethodDetails {
    Card {
        payment_method: String,
        save: bool,
    },
    /// By a job, with nobody there.
    Saved(Instrument),
    Pix,
    Boleto {
        tax_id: String,
        address: Address,
    },
}

impl StartPayment {
    pub fn method(&self) -> Method {
        match &self.details {
            MethodDetails::Card { .. } => Method::CreditCard,
            MethodDetails::Saved(instrument) => instrument.method(),
            MethodDetails::Pix => Method::Pix,
            MethodDetails::Boleto { .. } => Method::BankSlip,
        }
    }

    /// The payer asked to keep the card for later.
    pub fn saves_card(&self) -> bool {
        matches!(self.details, MethodDetails::Card { save: true, .. })
    }

    /// What the provider is asked for; PIX and boleto get their time from here.
    pub fn means(&self, clock: &clock::Clock) -> IntentMethod {
        let payer = self.payer.clone();
        match &self.details {
            MethodDetails::Card { payment_method, save } => {
                IntentMethod::Card { payment_method: payment_method.clone(), save: *save }
            }
            MethodDetails::Saved(instrument) => IntentMethod::Saved(instrument.clone()),
            MethodDetails::Pix => {
                IntentMethod::Pix { payer, expires_after_seconds: PIX_LIFE.as_secs() }
            }
            MethodDetails::Boleto { tax_id, address } => {
                let due = brazil::calendar::boleto_due(clock.now());
                let days = u32::try_from(due.expires_after_days).unwrap_or(0);
                let tax_id = tax_id.clone();
                let (payer, address) = (ascii_payer(&payer), ascii_address(address));
                IntentMethod::Boleto { payer, tax_id, address, expires_after_days: days }
            }
        }
    }
}

/// Whether the provider takes this amount by this method.
///
/// # Errors
/// `PAYMENT_METHOD_UNAVAILABLE`.
pub fn check_amount(method: Method, amount: Cents) -> Result<()> {
    if method.rules().amounts.contains(&amount) {
        Ok(())
    } else {
        Err(Error::conflict(Code::PaymentMethodUnavailable))
    }
}

/// A boleto carries ASCII only; that it can be written so was checked with the request.
fn ascii(text: &str) -> String {
    brazil::latin::ascii(text).unwrap_or_default()
}

fn ascii_payer(payer: &Payer) -> Payer {
    Payer { name: ascii(&payer.name), email: payer.email.clone() }
}

fn ascii_address(address: &Address) -> Address {
    Address {
        line1: ascii(&address.line1),
        city: ascii(&address.city),
        state: address.state.clone(),
        postal_code: address.postal_code.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_boleto_has_its_limits() {
        assert!(check_amount(Method::BankSlip, Cents(499)).is_err());
        assert!(check_amount(Method::BankSlip, Cents(500)).is_ok());
        assert!(check_amount(Method::Pix, Cents(49)).is_err());
    }
}
