//! What a PaymentIntent of the provider says about a payment (docs/billing.md, "Payment states"). Pure; called by
//! `decide` alone.

use super::{Action, Failure, FailureCode, Situation};
use crate::gateway::{Intent, IntentError, IntentStatus};
use crate::money::BRL;

/// What the object says, before our own closing and absorbing states are considered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProviderState {
    Created,
    RequiresAction(Action),
    Processing,
    Declined(Failure),
    /// PIX or boleto past its time: to be closed.
    TimedOut,
    Succeeded,
    Canceled,
    Conflicted,
    /// A status or action that this version does not know.
    Nothing,
}

pub fn provider_state(situation: &Situation, intent: &Intent) -> ProviderState {
    match &intent.status {
        IntentStatus::RequiresConfirmation => ProviderState::Created,
        IntentStatus::RequiresPaymentMethod => match &intent.last_error {
            None => ProviderState::Created,
            Some(error) => declined(situation, error),
        },
        IntentStatus::RequiresAction(action) => ProviderState::RequiresAction(action.clone()),
        IntentStatus::Processing => ProviderState::Processing,
        IntentStatus::RequiresCapture => ProviderState::Conflicted,
        IntentStatus::Canceled => ProviderState::Canceled,
        IntentStatus::Succeeded => {
            let ours = intent.amount == situation.amount
                && intent.amount_received == situation.amount
                && intent.currency == BRL;
            if ours { ProviderState::Succeeded } else { ProviderState::Conflicted }
        }
        IntentStatus::Unrecognised => ProviderState::Nothing,
    }
}

fn declined(situation: &Situation, error: &IntentError) -> ProviderState {
    let failure = Failure::of_provider(error.code.as_deref(), error.decline_code.as_deref())
        .advised(error.advice_code.as_deref());
    if situation.method.rules().settles_later && failure.code == FailureCode::PaymentExpired {
        return ProviderState::TimedOut;
    }
    ProviderState::Declined(failure)
}
