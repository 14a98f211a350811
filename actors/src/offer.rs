//! Which payment methods the provider takes: one that it refused as such, whoever would have paid, is unavailable for
//! a while. Told by the workflows, asked by `GET /payments/providers`.
//!
//! Known to this process alone and forgotten with it: whoever does not know of a refusal meets it, and nothing is
//! paid wrongly. A payment that the provider takes ends it at once.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use bipe_core::gateway::ProviderAnswer;
use bipe_core::payment::Method;
use jiff::{SignedDuration, Timestamp};

/// How long a method that was refused is not offered.
pub const REFUSED_FOR: SignedDuration = SignedDuration::from_mins(10);

#[derive(Debug, Default)]
pub struct Offer(Mutex<HashMap<Method, Timestamp>>);

impl Offer {
    /// Until when the method is unavailable; none when it may be tried.
    pub fn unavailable_until(&self, method: Method, now: Timestamp) -> Option<Timestamp> {
        self.refused().get(&method).copied().filter(|until| *until > now)
    }

    /// What became of a payment by this method.
    pub(crate) fn learn<T>(&self, method: Method, answer: &ProviderAnswer<T>, now: Timestamp) {
        match answer {
            ProviderAnswer::Done(_) => {
                self.refused().remove(&method);
            }
            ProviderAnswer::Refused(refusal) if refusal.is_about_the_method() => {
                self.refused().insert(method, now + REFUSED_FOR);
                tracing::error!(
                    method = method.as_str(),
                    minutes = REFUSED_FOR.as_mins(),
                    "the payment provider does not take this payment method: it is not offered"
                );
            }
            ProviderAnswer::Refused(_) | ProviderAnswer::Unknown | ProviderAnswer::Unreachable => {}
        }
    }

    fn refused(&self) -> MutexGuard<'_, HashMap<Method, Timestamp>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
