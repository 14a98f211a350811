//! What a PaymentIntent of the provider says about a payment (docs/billing.md, "Payment states"). Pure; called by
//! `decide` alone.

use super::{Action, Failure, FailureCode, Situation};
use crate::gateway::{Intent, IntentError, IntentStatus};
use crate::money::BRL;

/// What the object says, before our own closing and absorbing states are considered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Seen {
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

pub fn seen(situation: &Situation, intent: &Intent) -> Seen {
    match &intent.status {
        IntentStatus::RequiresConfirmation => Seen::Created,
        IntentStatus::RequiresPaymentMethod => match &intent.last_error {
            None => Seen::Created,
            Some(error) => declined(situation, error),
        },
        IntentStatus::RequiresAction(action) => Seen::RequiresAction(action.clone()),
        IntentStatus::Processing => Seen::Processing,
        IntentStatus::RequiresCapture => Seen::Conflicted,
        IntentStatus::Canceled => Seen::Canceled,
        IntentStatus::Succeeded => {
            let ours = intent.amount == situation.amount
                && intent.amount_received == situation.amount
                && intent.currency == BRL;
            if ours { Seen::Succeeded } else { Seen::Conflicted }
        }
        IntentStatus::Unrecognised => Seen::Nothing,
    }
}

fn declined(situation: &Situation, error: &IntentError) -> Seen {
    let failure = Failure::of_provider(error.code.as_deref(), error.decline_code.as_deref())
        .advised(error.advice_code.as_deref());
    if situation.method.rules().settles_later && failure.code == FailureCode::PaymentExpired {
        return Seen::TimedOut;
    }
    Seen::Declined(failure)
}
