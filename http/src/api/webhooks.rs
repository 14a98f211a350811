//! The payment provider's events (docs/contract.md, "Payments"): raw bytes, signature first, stored before the answer.
//! What they mean is read from the provider later; here nothing is derived from them.

use actix_web::{HttpRequest, HttpResponse, post, web};
use bipe_core::gateway::webhook::{BODY_LIMIT, Event, SEEN_ADDRESS, SELF_TEST, verify};
use bipe_core::{Code, Error};

use crate::App;
use crate::error::Reply;
use crate::extract::{ClientIp, read_of_anybody};

/// Events of the provider, signed. 200: stored, or known already. 400: not signed by it.
#[utoipa::path(tag = "payments", request_body(content = String, content_type = "application/json"),
    responses((status = 200)))]
#[post("/webhooks/stripe")]
pub async fn stripe(
    request: HttpRequest,
    payload: web::Payload,
    app: web::Data<App>,
    ip: ClientIp,
) -> Reply {
    let header = request.headers().get("stripe-signature").and_then(|value| value.to_str().ok());
    let header = header.unwrap_or_default().to_owned();
    let body = read_of_anybody(payload.into_inner(), BODY_LIMIT).await?;
    if let Err(bad) = verify(&header, &body, &app.webhook_secrets, app.clock.now()) {
        tracing::warn!(%bad, "a webhook was refused");
        metrics::counter!("bipe_webhooks_refused_total").increment(1);
        app.limits.bad_webhook.take(ip.0)?;
        return Err(Error::Rejected(Code::ValidationError).into());
    }
    let text = std::str::from_utf8(&body).ok();
    match (Event::parse(&body), text) {
        // Only who knows the secret gets here: the address tells nobody else where our proxies stand.
        (Some(event), _) if event.kind == SELF_TEST => {
            return Ok(HttpResponse::Ok().insert_header((SEEN_ADDRESS, ip.0.to_string())).finish());
        }
        (Some(event), Some(text)) => app.actors.jobs.receive(event, text.to_owned()).await?,
        // Signed by the provider, but with nothing to keep it under: sending it again would not help.
        _ => metrics::counter!("bipe_webhooks_unreadable_total").increment(1),
    }
    Ok(HttpResponse::Ok().finish())
}
