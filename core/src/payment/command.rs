//! The command behind `POST /payments/process`: who pays, by which method, and for which choice. The caller has proven
//! the company.

use crate::error::{Code, Error, Result};
use crate::gateway::Payer;
use crate::id::{PlanId, QuoteId};
use crate::idempotency::KeyedRequest;
use crate::money::Cents;
use crate::payment::renewal_consent::RenewalConsent;
use crate::payment_method::{Method, MethodDetails};
use crate::plan::BillingCycle;
use crate::scope::CompanyScope;

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
    /// The sentence that the payer agreed to with saving the card.
    pub renewal_consent: Option<RenewalConsent>,
}

impl StartPayment {
    /// The payer asked to keep the card for later.
    pub fn saves_card(&self) -> bool {
        matches!(self.details, MethodDetails::Card { save: true, .. })
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_method_takes_from_its_least_to_its_most() {
        for (method, least, most) in [
            (Method::CreditCard, 50, 99_999_999),
            (Method::Pix, 50, 99_999_999),
            (Method::BankSlip, 500, 4_999_999),
        ] {
            let takes = |cents| check_amount(method, Cents(cents)).is_ok();
            assert!(takes(least) && takes(most), "{method:?}");
            assert!(!takes(least - 1) && !takes(most + 1), "{method:?}");
        }
    }
}
