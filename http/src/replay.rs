//! Commands of a company that run in one transaction. An `Idempotency-Key` gives them one effect and one answer, also
//! when the answer is a refusal (invariant I5).
//!
//! Called for subscriptions and for mailing a document; payments and refunds take the header alone. The key is
//! claimed, the command runs and its answer is stored in the same transaction, so that a crash leaves all of it or
//! nothing. Keyed commands of a company take turns.

use actix_web::http::StatusCode;
use actix_web::http::header::{HeaderName, HeaderValue};
use actix_web::{HttpResponse, ResponseError};
use bipe_core::company::lock;
use bipe_core::db::{CompanyTx, Db};
use bipe_core::idempotency::{self, Claim, KeyedRequest};
use bipe_core::payment;
use bipe_core::scope::CompanyScope;
use bipe_core::{Code, Error};
use serde::Serialize;
use serde_json::value::RawValue;

use crate::error::{Answer, ApiError, Reply};
use crate::extract::IdempotencyKey;

const REPLAYED: HeaderName = HeaderName::from_static("idempotent-replayed");

/// A command as it arrived.
pub struct CommandCall<'a, B> {
    /// Method and path.
    pub operation: &'a str,
    pub key: IdempotencyKey,
    pub request_id: &'a str,
    /// Two requests with the same key must have the same body.
    pub body: &'a B,
    /// The status of its success.
    pub status: StatusCode,
}

/// Runs a command, or gives the answer that its key was given before.
///
/// # Errors
/// Those of the command; `REQUEST_IN_PROGRESS` while the first one runs, `IDEMPOTENCY_KEY_REUSED`.
pub async fn run_once<T: Serialize, B: Serialize>(
    db: &Db,
    scope: &CompanyScope,
    call: CommandCall<'_, B>,
    work: impl AsyncFnOnce(&mut CompanyTx) -> bipe_core::Result<T>,
) -> Reply {
    let mut tx = db.company_tx(scope).await?;
    tx.set_cause(Some(call.request_id));
    let user = scope.user_id().ok_or_else(Error::signed_out)?;
    let command = match call.key.0 {
        Some(key) => Some(KeyedRequest::new(key, user, call.operation, call.body)?),
        None => None,
    };
    if let Some(command) = &command {
        // The row of the key shares the company's row. Two commands that share it, and then lock it, would wait for each
        // other.
        lock(&mut tx).await?;
        match idempotency::claim(&tx, command).await? {
            Claim::New => {}
            Claim::Begun { .. } => return Err(Error::conflict(Code::RequestInProgress).into()),
            Claim::Done { status, reply, .. } => return replay(status, reply),
            Claim::Refused(error) => return refused(error, true),
        }
    }
    let data = match work(&mut tx).await {
        Ok(data) => serde_json::to_string(&data).map_err(Error::internal)?,
        Err(error) => {
            tx.rollback().await?;
            idempotency::keep_refusal(db, scope, command.as_ref(), &error).await?;
            return Err(error.into());
        }
    };
    payment::store::show_open_payment(&mut tx).await?;
    if let Some(command) = &command {
        idempotency::answer(&tx, &command.key, call.status.as_u16(), &data).await?;
    }
    tx.commit().await?;
    answer(call.status, data)
}

fn replay(status: u16, data: String) -> Reply {
    let status = StatusCode::from_u16(status).map_err(Error::internal)?;
    answer(status, data).map(replayed)
}

/// Says in a header that the answer was given before.
pub fn replayed(mut response: HttpResponse) -> HttpResponse {
    response.headers_mut().insert(REPLAYED, HeaderValue::from_static("true"));
    response
}

/// A refusal, and whether the same command was refused before.
pub fn refused(error: Error, is_replayed: bool) -> Reply {
    let error = ApiError::from(error);
    if is_replayed { Ok(replayed(error.error_response())) } else { Err(error) }
}

/// The stored text is answered as it stands, the first time and every later one.
fn answer(status: StatusCode, data: String) -> Reply {
    let data = RawValue::from_string(data).map_err(Error::internal)?;
    Ok(HttpResponse::build(status).json(Answer::of(data)))
}
