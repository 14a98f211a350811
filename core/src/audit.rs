//! The append-only record of who did what: names of changed fields, never values.

use jiff::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::auth::Caller;
use crate::db::Tx;
use crate::error::Result;
use crate::id::{CompanyId, SessionId, UserId};
use crate::scope::AdminScope;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Ok,
    Refused,
    Failed,
}

impl Outcome {
    fn as_str(self) -> &'static str {
        match self {
            Outcome::Ok => "ok",
            Outcome::Refused => "refused",
            Outcome::Failed => "failed",
        }
    }
}

/// One audited act. `action` is `noun.verb`, such as `payment.start`.
#[derive(Clone, Debug)]
pub struct Entry<'a> {
    pub actor: Option<UserId>,
    pub session: Option<SessionId>,
    pub company: Option<CompanyId>,
    /// The truncated network (/24 or /48), never a whole address.
    pub network: Option<&'a str>,
    pub action: &'a str,
    pub target: Option<String>,
    pub outcome: Outcome,
    /// Names of the fields that changed.
    pub fields: &'a [&'a str],
}

impl<'a> Entry<'a> {
    /// A successful act of nobody in particular; set the rest with struct update syntax.
    pub fn of(action: &'a str) -> Self {
        Self {
            actor: None,
            session: None,
            company: None,
            network: None,
            action,
            target: None,
            outcome: Outcome::Ok,
            fields: &[],
        }
    }
}

/// An entry as platform admins read it.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditEntry {
    pub id: Uuid,
    #[schema(value_type = String, format = DateTime)]
    pub at: Timestamp,
    pub actor_id: Option<UserId>,
    pub actor_name: Option<String>,
    pub company_id: Option<CompanyId>,
    pub company_name: Option<String>,
    /// `noun.verb`, such as `payment.start`.
    pub action: String,
    pub target: Option<String>,
    /// `ok`, `refused` or `failed`.
    pub outcome: String,
    /// The truncated address.
    pub network: Option<String>,
    pub request_id: Option<String>,
    /// Names of the fields that changed.
    pub fields: Vec<String>,
}

/// The start of an entry about what a platform admin did.
pub fn by_admin<'a>(admin: &AdminScope, caller: &'a Caller, action: &'static str) -> Entry<'a> {
    Entry {
        actor: Some(admin.user_id()),
        session: Some(admin.session_id()),
        ..caller.audit(action, Outcome::Ok)
    }
}

/// Writes the entry in the transaction of the act itself.
pub async fn record(tx: &Tx, entry: Entry<'_>) -> Result<()> {
    tx.execute(
        RECORD,
        &[
            &tx.clock().uuid(),
            &tx.now(),
            &entry.actor,
            &entry.session,
            &entry.company,
            &entry.network,
            &entry.action,
            &entry.target,
            &entry.outcome.as_str(),
            &tx.cause(),
            &entry.fields,
        ],
    )
    .await?;
    Ok(())
}

const RECORD: &str = "INSERT INTO audit_entries \
     (id, at, actor_id, session_id, company_id, network, action, target, outcome, request_id, fields) \
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)";

pub const STATEMENTS: &[&str] = &[RECORD];
