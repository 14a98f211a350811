//! Which payment methods the provider accepts. A method that it refused as such, whoever the payer was, is not offered
//! for ten minutes; a payment that it accepts ends that at once.
//!
//! The workflows report, `GET /payments/providers` asks. Kept in memory by each process for itself: a process that
//! does not know of a refusal tries the method and is refused, and nothing is paid wrongly.

use std::collections::HashMap;

use bipe_core::gateway::ProviderAnswer;
use bipe_core::payment_method::Method;
use jiff::{SignedDuration, Timestamp};
use parking_lot::Mutex;

/// How long a refused method is not offered.
const REFUSED_FOR: SignedDuration = SignedDuration::from_mins(10);

#[derive(Debug, Default)]
pub struct AvailableMethods {
    refused_until: Mutex<HashMap<Method, Timestamp>>,
}

impl AvailableMethods {
    /// Until when the method is unavailable; none when it may be tried.
    pub fn unavailable_until(&self, method: Method, now: Timestamp) -> Option<Timestamp> {
        self.refused_until.lock().get(&method).copied().filter(|until| *until > now)
    }

    /// Notes the provider's answer to a payment by this method.
    pub(super) fn note<T>(&self, method: Method, answer: &ProviderAnswer<T>, now: Timestamp) {
        match answer {
            ProviderAnswer::Done(_) => {
                self.refused_until.lock().remove(&method);
            }
            ProviderAnswer::Refused(refusal) if refusal.is_about(method) => {
                self.refused_until.lock().insert(method, now + REFUSED_FOR);
                tracing::error!(
                    method = method.as_str(),
                    minutes = REFUSED_FOR.as_mins(),
                    "the payment provider does not accept this payment method: it is not offered"
                );
            }
            ProviderAnswer::Refused(_) | ProviderAnswer::Unknown | ProviderAnswer::Unreachable => {}
        }
    }
}
