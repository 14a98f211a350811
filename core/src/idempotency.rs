//! The same command with the same key has one effect (invariant I5).
//!
//! The first transaction of a command writes the row of its key. For 7 days a repeat is answered from the row.
//! `subject` names the payment or the refund that the command made, so that a repeat after a crash finds it even
//! without a stored reply.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::db::{CompanyTx, Db};
use crate::error::{Code, Detail, Error, FieldCode, FieldErrors, Result};
use crate::id::{PaymentId, UserId};
use crate::money::Cents;
use crate::scope::CompanyScope;
use crate::secret::sha256;

/// A key and what it was used for.
#[derive(Clone, Debug)]
pub struct KeyedRequest {
    pub key: String,
    pub user_id: UserId,
    /// Method and path, such as `POST /payments/process`.
    pub operation: String,
    pub body_sha256: [u8; 32],
}

impl KeyedRequest {
    /// `body` is the parsed request, so that white space and key order do not matter. A field that a release adds to it
    /// has `skip_serializing_if = "Option::is_none"`: else a repeat of what the build before took is another body.
    ///
    /// # Errors
    /// `Internal` when the body cannot be serialised.
    pub fn new(
        key: String,
        user_id: UserId,
        operation: impl Into<String>,
        body: &impl Serialize,
    ) -> Result<Self> {
        let operation = operation.into();
        let body = serde_json::to_vec(body).map_err(Error::internal)?;
        let text = [user_id.0.as_bytes(), operation.as_bytes(), b"\0", &body].concat();
        Ok(Self { key, user_id, operation, body_sha256: sha256(&text) })
    }
}

/// What a key means now.
#[derive(Debug)]
pub enum Claim {
    /// Nobody used it: the row stands in this transaction, go on.
    New,
    /// The command has begun and has no answer yet; `subject` is what it made.
    Begun { subject: Option<Uuid> },
    /// The stored answer.
    Done { status: u16, reply: String, subject: Option<Uuid> },
    /// The stored refusal.
    Refused(Error),
}

/// Claims the key inside the command's first transaction.
///
/// # Errors
/// `Unprocessable(IDEMPOTENCY_KEY_REUSED)` when the key belongs to another body, operation or person.
pub async fn claim(tx: &CompanyTx, command: &KeyedRequest) -> Result<Claim> {
    claim_for(tx, command, None).await
}

/// As [`claim`], for a command that knows what it will have made.
///
/// # Errors
/// As [`claim`].
pub async fn claim_for(
    tx: &CompanyTx,
    command: &KeyedRequest,
    subject: Option<Uuid>,
) -> Result<Claim> {
    let company = tx.company_id();
    let inserted = tx
        .execute(
            INSERT,
            &[
                &company,
                &command.key,
                &command.user_id,
                &command.operation,
                &command.body_sha256.as_slice(),
                &tx.now(),
                &subject,
            ],
        )
        .await?;
    if inserted == 1 {
        return Ok(Claim::New);
    }
    let row = tx.query_one(READ, &[&company, &command.key]).await?;
    if row.try_get::<_, &[u8]>("body_sha256")? != command.body_sha256 {
        return Err(Error::Unprocessable(Code::IdempotencyKeyReused));
    }
    let subject = row.try_get("subject")?;
    let status: Option<i16> = row.try_get("status")?;
    Ok(match (status, row.try_get::<_, Option<String>>("reply")?) {
        (Some(REFUSED), Some(reply)) => Claim::Refused(StoredRefusal::read(&reply)?),
        (Some(status), Some(reply)) => {
            Claim::Done { status: u16::try_from(status).unwrap_or(500), reply, subject }
        }
        _ => Claim::Begun { subject },
    })
}

const INSERT: &str = "INSERT INTO idempotency_keys (company_id, key, user_id, operation, body_sha256, created_at, \
     subject) VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (company_id, key) DO NOTHING";
const READ: &str = "SELECT body_sha256, subject, status, reply FROM idempotency_keys \
     WHERE company_id = $1 AND key = $2";

/// What the command has made so far, if it has begun.
pub async fn begun(tx: &CompanyTx, command: &KeyedRequest) -> Result<Option<Uuid>> {
    let body = command.body_sha256.as_slice();
    let subject: Option<Option<Uuid>> =
        tx.find_value(BEGUN, &[&tx.company_id(), &command.key, &body]).await?;
    Ok(subject.flatten())
}

const BEGUN: &str = "SELECT subject FROM idempotency_keys \
     WHERE company_id = $1 AND key = $2 AND body_sha256 = $3";

/// Names what the command made, in the same transaction as `claim`.
pub async fn name_subject(tx: &CompanyTx, key: &str, subject: Uuid) -> Result<()> {
    tx.execute(NAME, &[&tx.company_id(), &key, &subject]).await.map(drop)
}

const NAME: &str = "UPDATE idempotency_keys SET subject = $3 WHERE company_id = $1 AND key = $2";

/// The status of the answer to a command that made something.
pub const CREATED: u16 = 201;

/// Stores the answer; the first one stands. A `client_secret` is never part of it.
pub async fn answer(tx: &CompanyTx, key: &str, status: u16, reply: &str) -> Result<()> {
    let status = i16::try_from(status).map_err(Error::internal)?;
    tx.execute(ANSWER, &[&tx.company_id(), &key, &status, &reply]).await.map(drop)
}

const ANSWER: &str = "UPDATE idempotency_keys SET status = $3, reply = $4 \
     WHERE company_id = $1 AND key = $2 AND status IS NULL";

/// Stored in place of a status: `http` has the table of statuses.
const REFUSED: i16 = 0;

/// A refusal as it is kept.
#[derive(Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum StoredRefusal {
    NotFound {
        code: Code,
    },
    Denied {
        code: Code,
    },
    Conflict {
        code: Code,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        expected: Option<Cents>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        payment_id: Option<PaymentId>,
    },
    PaymentRequired {
        expected: Cents,
    },
    Invalid {
        #[serde(default)]
        fields: Vec<(String, FieldCode)>,
    },
}

impl StoredRefusal {
    /// None for what the same command may get past a moment later: nothing of it is kept.
    fn of(error: &Error) -> Option<Self> {
        Some(match error {
            Error::NotFound(code) => Self::NotFound { code: *code },
            Error::Denied(code) => Self::Denied { code: *code },
            Error::PaymentRequired { expected } => Self::PaymentRequired { expected: *expected },
            Error::Conflict(code, detail) => {
                let (expected, payment_id) = match detail {
                    // no command with a key is refused with a company
                    Detail::None | Detail::Company { .. } => (None, None),
                    Detail::PaymentId(id) => (None, Some(*id)),
                    Detail::Expected(due) => (Some(*due), None),
                };
                Self::Conflict { code: *code, expected, payment_id }
            }
            Error::Invalid(FieldErrors(fields)) => {
                let fields = fields.iter().map(|(name, code)| (name.to_string(), *code));
                Self::Invalid { fields: fields.collect() }
            }
            _ => return None,
        })
    }

    fn read(reply: &str) -> Result<Error> {
        Ok(match serde_json::from_str(reply).map_err(Error::internal)? {
            Self::NotFound { code } => Error::NotFound(code),
            Self::Denied { code } => Error::Denied(code),
            Self::PaymentRequired { expected } => Error::PaymentRequired { expected },
            Self::Conflict { code, expected, payment_id } => {
                let detail = match (expected, payment_id) {
                    (Some(due), _) => Detail::Expected(due),
                    (_, Some(id)) => Detail::PaymentId(id),
                    _ => Detail::None,
                };
                Error::Conflict(code, detail)
            }
            Self::Invalid { fields } => {
                let fields = fields.into_iter().map(|(name, code)| (name.into(), code));
                Error::Invalid(FieldErrors(fields.collect()))
            }
        })
    }
}

/// Claims the key for a command that was refused, so that a repeat is refused alike. The refused transaction was rolled
/// back: this is one of its own. Errors that may pass are not kept.
pub async fn keep_refusal(
    db: &Db,
    scope: &CompanyScope,
    command: Option<&KeyedRequest>,
    error: &Error,
) -> Result<()> {
    let (Some(command), Some(refusal)) = (command, StoredRefusal::of(error)) else {
        return Ok(());
    };
    let reply = serde_json::to_string(&refusal).map_err(Error::internal)?;
    let tx = db.company_tx(scope).await?;
    if matches!(claim(&tx, command).await?, Claim::New) {
        tx.execute(ANSWER, &[&tx.company_id(), &command.key, &REFUSED, &reply]).await?;
    }
    tx.commit().await
}

/// Stores the refusal of a command that has begun; the first answer stands. Errors that may pass are not kept.
pub async fn refuse_begun(tx: &CompanyTx, key: &str, error: &Error) -> Result<()> {
    let Some(refusal) = StoredRefusal::of(error) else { return Ok(()) };
    let reply = serde_json::to_string(&refusal).map_err(Error::internal)?;
    tx.execute(ANSWER, &[&tx.company_id(), &key, &REFUSED, &reply]).await.map(drop)
}

/// Frees the key of a command that had no effect at all, so that a repeat runs.
pub async fn forget(tx: &CompanyTx, key: &str) -> Result<()> {
    tx.execute(FORGET, &[&tx.company_id(), &key]).await.map(drop)
}

const FORGET: &str =
    "DELETE FROM idempotency_keys WHERE company_id = $1 AND key = $2 AND status IS NULL";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kept_refusal_reads_back_as_it_was() {
        let field = FieldErrors::one("amount", FieldCode::TooLong);
        let refusals = [
            Error::not_found(),
            Error::Invalid(field),
            Error::Conflict(Code::AmountMismatch, Detail::Expected(Cents(2961))),
            Error::conflict(Code::ChangeNotAllowed),
            Error::PaymentRequired { expected: Cents(9990) },
        ];
        for refusal in refusals {
            let kept = serde_json::to_string(&StoredRefusal::of(&refusal).unwrap()).unwrap();
            let read = StoredRefusal::read(&kept).unwrap();
            assert_eq!(format!("{read:?}"), format!("{refusal:?}"));
        }
        assert!(StoredRefusal::of(&Error::unavailable(1)).is_none());
    }
}
