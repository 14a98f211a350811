//! What the provider's answer to a write is for `decide` (docs/billing.md, "Provider calls"). Pure; called by the steps
//! of the billing workflow.
//!
//! Only what was certainly never sent ends a payment. What may have been sent is unclear until a read shows it.

use jiff::Timestamp;

use super::Input;
use crate::gateway::{Intent, ProviderAnswer};

impl Input {
    /// `maybe_sent`: the creation may have been sent before; `started_at`: when this call began.
    pub fn of_created(
        answer: ProviderAnswer<Intent>,
        maybe_sent: bool,
        started_at: Timestamp,
    ) -> Self {
        match answer {
            ProviderAnswer::Done(intent) => Self::of_read(intent, started_at),
            ProviderAnswer::Refused(refusal) => Self::CreateRefused(refusal),
            ProviderAnswer::Unreachable if !maybe_sent => Self::CreateUnsent,
            ProviderAnswer::Unknown | ProviderAnswer::Unreachable => Self::Unclear,
        }
    }

    pub fn of_canceled(answer: ProviderAnswer<Intent>, started_at: Timestamp) -> Self {
        match answer {
            ProviderAnswer::Done(intent) => Self::of_read(intent, started_at),
            ProviderAnswer::Refused(_) => Self::CancelRefused,
            ProviderAnswer::Unknown | ProviderAnswer::Unreachable => Self::Unclear,
        }
    }

    /// The object as a call showed it that began at the instant.
    pub fn of_read(intent: Intent, started_at: Timestamp) -> Self {
        Self::Read { intent: Box::new(intent), started_at }
    }
}
