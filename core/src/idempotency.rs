//! The same command with the same key has one effect (invariant I5).
//!
//! The row is written in the command's first transaction and answered from for 7 days; `subject` names
//! what the command made (a payment), so that a repeat after a crash finds it without a stored reply.

use serde::Serialize;
use uuid::Uuid;

use crate::db::CompanyTx;
use crate::error::{Code, Error, Result};
use crate::id::UserId;
use crate::secret::sha256;

/// A key and what it was used for.
#[derive(Clone, Debug)]
pub struct Command {
    pub key: String,
    pub user_id: UserId,
    /// Method and path, such as `POST /payments/process`.
    pub operation: String,
    pub body_sha256: [u8; 32],
}

impl Command {
    /// `body` is the parsed request, so that white space and key order do not matter.
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
}

/// Claims the key inside the command's first transaction.
///
/// # Errors
/// `Unprocessable(IDEMPOTENCY_KEY_REUSED)` when the key belongs to another body, operation or person.
pub async fn claim(tx: &CompanyTx, command: &Command) -> Result<Claim> {
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
        (Some(status), Some(reply)) => {
            Claim::Done { status: u16::try_from(status).unwrap_or(500), reply, subject }
        }
        _ => Claim::Begun { subject },
    })
}

const INSERT: &str = "INSERT INTO idempotency_keys (company_id, key, user_id, operation, body_sha256, created_at) \
     VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (company_id, key) DO NOTHING";
const READ: &str = "SELECT body_sha256, subject, status, reply FROM idempotency_keys \
     WHERE company_id = $1 AND key = $2";

/// Names what the command made, in the same transaction as `claim`.
pub async fn name_subject(tx: &CompanyTx, key: &str, subject: Uuid) -> Result<()> {
    tx.execute(NAME, &[&tx.company_id(), &key, &subject]).await?;
    Ok(())
}

const NAME: &str = "UPDATE idempotency_keys SET subject = $3 WHERE company_id = $1 AND key = $2";

/// Stores the answer; the first one stands. A `client_secret` is never part of it.
pub async fn answer(tx: &CompanyTx, key: &str, status: u16, reply: &str) -> Result<()> {
    let status = i16::try_from(status).map_err(Error::internal)?;
    tx.execute(ANSWER, &[&tx.company_id(), &key, &status, &reply]).await?;
    Ok(())
}

const ANSWER: &str = "UPDATE idempotency_keys SET status = $3, reply = $4 \
     WHERE company_id = $1 AND key = $2 AND status IS NULL";

pub const STATEMENTS: &[&str] = &[INSERT, READ, NAME, ANSWER];
