//! Reads the provider's answers, counts every call, and logs each refusal and each answer that is not clear. Called by
//! `stripe` alone.
//!
//! The log holds nothing of the payer: types, codes, the name of a parameter and the provider's id of the request. The
//! provider's sentences are left out, because they may repeat what was sent.

use stripe::{ApiErrors, ApiErrorsType, StripeError};

use super::{ProviderAnswer, Refusal};

/// The operation that asks for nothing but a sign of life: its refusal is one.
pub const PROBE: &str = "probe";
/// hyper names a connection that was never made this way; nothing else is certain not to have been sent.
const NO_CONNECTION: &str = "client error (Connect)";

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
            ?code,
            ?decline_code,
            ?param,
            ?request,
            "the payment provider refused a request"
        );
    }
    answer
}

/// One try of a call.
pub fn settle<T>(operation: &'static str, result: Result<T, StripeError>) -> ProviderAnswer<T> {
    match result {
        Ok(value) => ProviderAnswer::Done(value),
        Err(StripeError::Stripe(error, status)) => refused(operation, &error, status),
        Err(StripeError::ClientError(text)) if text.starts_with(NO_CONNECTION) => {
            tracing::warn!(operation, "the payment provider cannot be reached");
            ProviderAnswer::Unreachable
        }
        Err(StripeError::ConfigError(text)) => {
            tracing::error!(operation, problem = %text, "a request to the payment provider cannot be made");
            ProviderAnswer::Unreachable
        }
        Err(StripeError::ClientError(_) | StripeError::Timeout) => {
            tracing::warn!(operation, "the payment provider did not answer");
            ProviderAnswer::Unknown
        }
        Err(StripeError::JSONDeserialize(_)) => {
            tracing::warn!(operation, "the payment provider's answer cannot be read");
            ProviderAnswer::Unknown
        }
    }
}

fn refused<T>(operation: &'static str, error: &ApiErrors, status: u16) -> ProviderAnswer<T> {
    let refusal = refusal(error, status);
    let Refusal { kind, code, request, .. } = &refusal;
    match (status, &error.type_) {
        (409 | 424 | 429 | 500.., _) => {
            tracing::warn!(operation, status, kind, ?code, ?request, "the payment provider failed");
            ProviderAnswer::Unknown
        }
        (401 | 403, _) => {
            tracing::error!(
                operation,
                status,
                ?code,
                ?request,
                "the payment provider refuses our key"
            );
            ProviderAnswer::Unreachable
        }
        (_, ApiErrorsType::IdempotencyError) => {
            // Our bug: the object of the first request may exist, so this is no refusal.
            tracing::error!(
                operation,
                ?request,
                "an idempotency key was sent with other parameters"
            );
            ProviderAnswer::Unknown
        }
        _ => ProviderAnswer::Refused(refusal),
    }
}

fn refusal(error: &ApiErrors, status: u16) -> Refusal {
    let code = error.code.as_ref().map(|code| code.as_str().to_owned());
    Refusal {
        kind: error.type_.as_str().to_owned(),
        missing: status == 404 || code.as_deref() == Some("resource_missing"),
        code,
        decline_code: error.decline_code.clone(),
        param: error.param.clone(),
        intent: error.payment_intent.as_ref().map(|intent| intent.id.as_str().to_owned()),
        request: error.request_log_url.as_deref().and_then(request_of),
    }
}

/// `req_…` of the address of the provider's own log.
fn request_of(url: &str) -> Option<String> {
    let last = url.rsplit('/').next()?.split('?').next()?;
    last.starts_with("req_").then(|| last.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_provider_s_request_is_read_from_the_address_of_its_log() {
        let url = "https://dashboard.stripe.com/test/logs/req_A1b2C3?t=1700000000";
        assert_eq!(request_of(url).as_deref(), Some("req_A1b2C3"));
        assert_eq!(request_of("https://dashboard.stripe.com/test/logs"), None);
    }
}
