//! Calls for people and tests: end a waiting payment, answer 3-D Secure, inject faults.

use actix_web::{HttpMessage as _, HttpRequest, HttpResponse, web};
use serde_json::{Value, json};

use crate::fault::Fault;
use crate::injected_faults::InjectedFaults;
use crate::objects::{Intent, Outcome, Waiting};
use crate::pipeline::{Call, body};
use crate::store::Tx;
use crate::{Sandbox, confirm, intents, vouchers};

/// `POST /v1/test/payment_intents/{id}/settle`
pub fn settle(tx: &mut Tx<'_>, call: &Call) -> Result<Value, Fault> {
    call.params.only(&["outcome"])?;
    let outcome = match call.params.one_of("outcome", &["succeeded", "expired", "failed"])? {
        Some("succeeded") => Outcome::Succeeded,
        Some("expired") => Outcome::Expired,
        Some(_) => Outcome::Failed,
        None => return Err(Fault::missing("outcome")),
    };
    let row = tx.state.find::<Intent>(&call.id)?.clone();
    let done = if matches!(row.waiting, Some(Waiting::ThreeDSecure { .. })) {
        confirm::authenticated(tx, row, outcome == Outcome::Succeeded)
    } else {
        vouchers::settle(tx, row, outcome)
    };
    done.map(|value| intents::shown(call, value))
}

/// `POST /v1/test/payment_intents/{id}/authenticate`
pub fn authenticate(tx: &mut Tx<'_>, call: &Call) -> Result<Value, Fault> {
    call.params.only(&["client_secret", "outcome"])?;
    let outcome = call.params.one_of("outcome", &["succeeded", "failed"])?;
    let succeeded = outcome.ok_or_else(|| Fault::missing("outcome"))? == "succeeded";
    let row = intents::permitted(tx.state, call)?.clone();
    confirm::authenticated(tx, row, succeeded).map(|value| intents::shown(call, value))
}

/// `POST /v1/test/faults`. The faults apply to later calls, so this is no transaction.
pub async fn faults(
    sandbox: web::Data<Sandbox>,
    request: HttpRequest,
    payload: web::Payload,
) -> HttpResponse {
    let is_json = request.content_type() == "application/json";
    let faults = match body(payload).await {
        Ok(_) if !is_json => Err(Fault::invalid("Send JSON.")),
        Ok(bytes) => InjectedFaults::parse(&bytes),
        Err(fault) => Err(fault),
    };
    match faults {
        Ok(faults) => {
            let met = sandbox.inject(faults);
            HttpResponse::Ok().json(json!({"ordered": true, "metSoFar": met}))
        }
        Err(fault) => refuse(&fault),
    }
}

/// Any other address below the sandbox.
pub async fn unknown(request: HttpRequest) -> HttpResponse {
    let path: String = request.path().chars().take(200).collect();
    let message = format!("Unrecognized request URL ({}: {path}).", request.method());
    refuse(&Fault::not_found(message))
}

fn refuse(fault: &Fault) -> HttpResponse {
    let status = actix_web::http::StatusCode::from_u16(fault.status());
    HttpResponse::build(status.unwrap_or(actix_web::http::StatusCode::BAD_REQUEST))
        .json(fault.envelope())
}
