//! Reads the provider's answers, counts every call, and logs each refusal and each answer that is not clear. Called by
//! `stripe` alone.
//!
//! The log holds nothing of the payer: types, codes, the name of a parameter and the provider's id of the request. The
//! provider's sentences are left out, because they may repeat what was sent.

use super::stripe_transport::CallError;
use super::{ProviderAnswer, Refusal};

/// The operation that asks for nothing but a sign of life: its refusal is one.
pub const PROBE: &str = "probe";

/// Counts the call.
pub fn noted<T>(operation: &'static str, answer: ProviderAnswer<T>) -> ProviderAnswer<T> {
    let outcome = match &answer {
        ProviderAnswer::Done(_) => "done",
        ProviderAnswer::Refused(_) => "refused",
        ProviderAnswer::Unknown => "unknown",
        ProviderAnswer::Unreachable => "unreachable",
    };
    metrics::counter!("bipe_provider_requests_total", "operation" => operation, "outcome" => outcome)
        .increment(1);
    if let ProviderAnswer::Refused(Refusal { kind, code, decline_code, param, request, .. }) =
        &answer
        && operation != PROBE
    {
        tracing::warn!(
            operation,
            kind,
            code = code.as_deref(),
            decline_code = decline_code.as_deref(),
            param = param.as_deref(),
            request = request.as_deref(),
            "the payment provider refused a request"
        );
    }
    answer
}

/// One try of a call.
pub fn settle<T>(operation: &'static str, result: Result<T, CallError>) -> ProviderAnswer<T> {
    match result {
        Ok(value) => ProviderAnswer::Done(value),
        Err(CallError::Answered(error, status)) => {
            refused(operation, error.refusal(status.as_u16()), status.as_u16())
        }
        Err(CallError::NotConnected(reason)) => {
            tracing::warn!(operation, reason, "the payment provider cannot be reached");
            ProviderAnswer::Unreachable
        }
        Err(CallError::NotMade(problem)) => {
            tracing::error!(operation, problem, "a request to the payment provider cannot be made");
            ProviderAnswer::Unreachable
        }
        Err(CallError::NotAnswered) => {
            tracing::warn!(operation, "the payment provider did not answer");
            ProviderAnswer::Unknown
        }
        Err(CallError::Unreadable) => {
            tracing::warn!(operation, "the payment provider's answer cannot be read");
            ProviderAnswer::Unknown
        }
    }
}

fn refused<T>(operation: &'static str, refusal: Refusal, status: u16) -> ProviderAnswer<T> {
    let Refusal { kind, code, request, .. } = &refusal;
    match (status, kind.as_str()) {
        (409 | 424 | 429 | 500.., _) => {
            let (code, request) = (code.as_deref(), request.as_deref());
            tracing::warn!(operation, status, kind, code, request, "the payment provider failed");
            ProviderAnswer::Unknown
        }
        (401 | 403, _) => {
            tracing::error!(
                operation,
                status,
                code = code.as_deref(),
                request = request.as_deref(),
                "the payment provider refuses our key"
            );
            ProviderAnswer::Unreachable
        }
        (_, "idempotency_error") => {
            // Our bug: the object of the first request may exist, so this is no refusal.
            tracing::error!(
                operation,
                request = request.as_deref(),
                "an idempotency key was sent with other parameters"
            );
            ProviderAnswer::Unknown
        }
        _ => ProviderAnswer::Refused(refusal),
    }
}
