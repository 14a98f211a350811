//! Refunds for platform admins: a part of a payment, or all of it, goes back to the payer at the provider. Nothing is
//! decided here.

use actix_web::{post, web};
use bipe_actors::refunds::{self, RefundOutcome};
use bipe_core::Error;
use bipe_core::id::PaymentId;
use bipe_core::payment::refund::{RefundRequest, RefundState, RefundView};
use serde::Serialize;
use serde_json::value::RawValue;
use utoipa::ToSchema;

use crate::App;
use crate::error::{Answer, ApiError, Reply, accepted, created};
use crate::extract::{AdminBody, Caller, IdempotencyKey};
use crate::replay::{refused, replayed};

#[derive(Serialize, ToSchema)]
pub struct OneRefund {
    #[schema(value_type = RefundView)]
    refund: Box<RawValue>,
}

impl OneRefund {
    fn of(refund: String) -> Result<Self, ApiError> {
        Ok(Self { refund: RawValue::from_string(refund).map_err(Error::internal)? })
    }
}

/// Gives money back at the provider. 201: the provider gives it back; 202: its answer is still out, and the refund goes
/// on. The subscription that was paid for stays as it is.
#[utoipa::path(tag = "admin", security(("bearer" = [])),
    params(("id" = PaymentId, Path), ("Idempotency-Key" = Option<String>, Header)),
    request_body = RefundRequest,
    responses((status = 201, body = Answer<OneRefund>), (status = 202, body = Answer<OneRefund>),
        (status = 409)))]
#[post("/payments/{id}/refunds")]
pub async fn create(
    app: web::Data<App>,
    id: web::Path<PaymentId>,
    caller: Caller,
    key: IdempotencyKey,
    command: AdminBody<RefundRequest>,
) -> Reply {
    let AdminBody { admin, body } = command;
    admin.assurance().prove_fresh(app.clock.now())?;
    let command = body.parse(*id, key.0, admin, &caller)?;
    match refunds::start(&app.actors.directory, *id, command).await? {
        RefundOutcome::Refund(view) => {
            let is_pending = view.state == RefundState::Pending;
            let refund = OneRefund::of(serde_json::to_string(&view).map_err(Error::internal)?)?;
            Ok(if is_pending { accepted(refund) } else { created(refund) })
        }
        RefundOutcome::Replay { reply } => Ok(replayed(created(OneRefund::of(reply)?))),
        RefundOutcome::Refused { error, replayed } => refused(error, replayed),
    }
}
