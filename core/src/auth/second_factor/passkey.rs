//! The rows of passkeys: at most ten a person, each with a name that its owner gave it.
//!
//! Invariant: the counter of a passkey only grows. An assertion with an old counter is refused.

use std::ops::RangeInclusive;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::db::Tx;
use crate::error::{Error, Result};
use crate::id::UserId;
use crate::row::from_row;

pub const MAX_PER_USER: usize = 10;
/// Bytes of the id that an authenticator gave it, as WebAuthn bounds it.
pub(super) const CREDENTIAL_ID: RangeInclusive<usize> = 1..=1023;
/// What its owner called a passkey has as many characters.
pub(super) const NAME: RangeInclusive<usize> = 1..=60;

/// A passkey that an authenticator has just made.
#[derive(Clone, Debug)]
pub(super) struct NewPasskey {
    pub credential_id: Vec<u8>,
    /// COSE.
    pub public_key: Vec<u8>,
    pub algorithm: i32,
    pub counter: i64,
    pub transports: Vec<String>,
}

/// A passkey of a person.
#[derive(Clone, Debug)]
pub(super) struct Passkey {
    pub id: Uuid,
    pub user_id: UserId,
    pub name: String,
    pub credential_id: Vec<u8>,
    pub public_key: Vec<u8>,
    pub algorithm: i32,
    pub transports: Vec<String>,
    pub created_at: Timestamp,
    pub last_used_at: Option<Timestamp>,
}

/// What a passkey has signed: its counter then.
#[derive(Clone, Debug)]
pub(super) struct Assertion {
    pub id: Uuid,
    pub name: String,
    pub counter: i64,
}

/// A passkey as its owner sees it.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PasskeyView {
    pub id: Uuid,
    pub name: String,
    pub created_at: Timestamp,
    pub last_used_at: Option<Timestamp>,
}

impl From<Passkey> for PasskeyView {
    fn from(passkey: Passkey) -> Self {
        let Passkey { id, name, created_at, last_used_at, .. } = passkey;
        Self { id, name, created_at, last_used_at }
    }
}

from_row! {
    Passkey {
        id, user_id, name, credential_id, public_key, algorithm, transports, created_at, last_used_at,
    }
}

/// The columns of a `Passkey`.
macro_rules! passkeys_where {
    ($condition:literal) => {
        concat!(
            "SELECT id, user_id, name, credential_id, public_key, algorithm, transports, created_at, last_used_at \
             FROM passkeys WHERE ",
            $condition
        )
    };
}

/// The oldest first.
pub(super) async fn of_user(tx: &Tx, user: UserId) -> Result<Vec<Passkey>> {
    tx.all(OF_USER, &[&user]).await
}

const OF_USER: &str = passkeys_where!("user_id = $1 ORDER BY created_at, id");

/// The passkey that a client shows; its owner is not known yet.
pub(super) async fn of_credential(tx: &Tx, credential: &Value) -> Result<Option<Passkey>> {
    let Some(id) = credential_id_of(credential) else { return Ok(None) };
    tx.find(OF_CREDENTIAL, &[&id]).await
}

const OF_CREDENTIAL: &str = passkeys_where!("credential_id = $1");

/// # Errors
/// `Conflict` for a passkey that somebody has already.
pub(super) async fn add(
    tx: &Tx,
    user: UserId,
    name: &str,
    new: &NewPasskey,
) -> Result<PasskeyView> {
    let id = tx.clock().uuid();
    tx.execute(
        ADD,
        &[
            &id,
            &user,
            &name,
            &new.credential_id,
            &new.public_key,
            &new.algorithm,
            &new.counter,
            &new.transports,
            &tx.now(),
        ],
    )
    .await?;
    Ok(PasskeyView { id, name: name.to_owned(), created_at: tx.now(), last_used_at: None })
}

const ADD: &str = "INSERT INTO passkeys (id, user_id, name, credential_id, public_key, algorithm, \
     counter, transports, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)";

/// Takes the counter of an assertion over; false when it did not go on. Some authenticators do not count: theirs
/// stays 0.
pub(super) async fn advance_counter(tx: &Tx, assertion: &Assertion) -> Result<bool> {
    Ok(tx.execute(TAKE_COUNTER, &[&assertion.id, &assertion.counter, &tx.now()]).await? == 1)
}

const TAKE_COUNTER: &str = "UPDATE passkeys SET counter = $2, last_used_at = $3 \
     WHERE id = $1 AND (counter < $2 OR counter = 0 AND $2 = 0)";

/// The name of the passkey that went.
///
/// # Errors
/// `NotFound` for somebody else's too.
pub(super) async fn remove(tx: &Tx, user: UserId, id: Uuid) -> Result<String> {
    tx.find_value(REMOVE, &[&user, &id]).await?.ok_or_else(Error::not_found)
}

const REMOVE: &str = "DELETE FROM passkeys WHERE user_id = $1 AND id = $2 RETURNING name";

/// The credential that a client shows.
fn credential_id_of(credential: &Value) -> Option<Vec<u8>> {
    URL_SAFE_NO_PAD.decode(credential.get("rawId")?.as_str()?).ok()
}
