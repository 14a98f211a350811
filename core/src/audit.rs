//! The append-only record of who did what: names of fields, never values.

use jiff::{SignedDuration, Timestamp};
use serde::Serialize;
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::caller::Caller;
use crate::db::{PlatformTx, Tx};
use crate::error::{Error, Result};
use crate::id::{CompanyId, SessionId, UserId};
use crate::scope::AdminScope;
use crate::words::words;

words! {
    pub enum Outcome {
        Ok = "ok",
        Refused = "refused",
        Failed = "failed",
    }
}

/// One audited act. `action` is `noun.verb`, such as `payment.start`.
#[derive(Clone, Debug)]
pub struct Entry<'a> {
    pub actor: Option<UserId>,
    pub session: Option<SessionId>,
    pub company: Option<CompanyId>,
    /// A platform admin acts as such: the company's admins learn no name.
    pub by_platform: bool,
    /// The truncated network (/24 or /48), never a whole address.
    pub network: Option<&'a str>,
    pub action: &'a str,
    pub target: Option<String>,
    pub outcome: Outcome,
    /// Names of the fields that changed, or were searched by.
    pub fields: &'a [&'a str],
}

impl<'a> Entry<'a> {
    /// A successful act without an actor; set the rest with struct update syntax.
    pub fn of(action: &'a str) -> Self {
        Self {
            actor: None,
            session: None,
            company: None,
            by_platform: false,
            network: None,
            action,
            target: None,
            outcome: Outcome::Ok,
            fields: &[],
        }
    }
}

impl Caller {
    /// The start of an entry about this request.
    pub(crate) fn audit(&self, action: &'static str, outcome: Outcome) -> Entry<'_> {
        Entry { network: Some(&self.audit_network), outcome, ..Entry::of(action) }
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
    /// Names of the fields that changed, or were searched by.
    pub fields: Vec<String>,
}

/// The start of an entry about what a platform admin did.
pub fn by_admin<'a>(admin: &AdminScope, caller: &'a Caller, action: &'static str) -> Entry<'a> {
    Entry {
        actor: Some(admin.user_id()),
        session: Some(admin.session_id()),
        by_platform: true,
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
            &entry.by_platform,
        ],
    )
    .await?;
    Ok(())
}

/// How long one entry stands for all searches of the same kind.
const SEARCHING: SignedDuration = SignedDuration::from_secs(60);

/// Writes the entry of a search, unless the session left one with the same fields within the last minute: somebody who
/// types into a search box asks with every key.
pub async fn record_search(tx: &PlatformTx, entry: Entry<'_>) -> Result<()> {
    let since = tx.now().checked_sub(SEARCHING).map_err(Error::internal)?;
    let alike: &[&(dyn ToSql + Sync)] =
        &[&entry.actor, &since, &entry.session, &entry.action, &entry.fields];
    if tx.query_one(SEARCHED, alike).await?.try_get("searched")? {
        return Ok(());
    }
    record(tx, entry).await
}

/// Whose entries are asked for.
#[derive(Clone, Copy, Debug, Default)]
pub struct AuditFilter {
    pub company: Option<CompanyId>,
    pub actor: Option<UserId>,
}

/// Beyond it nobody counts: the list is years long.
pub const MOST_COUNTED: i64 = 10_000;

/// One page, newest first, and how many there are, at most [`MOST_COUNTED`].
pub async fn list(
    tx: &PlatformTx,
    filter: AuditFilter,
    limit: i64,
    offset: i64,
) -> Result<(Vec<AuditEntry>, i64)> {
    let AuditFilter { company, actor } = filter;
    let (list, count) = match (company, actor) {
        (None, None) => (LIST, COUNT),
        (Some(_), _) => (OF_COMPANY, COUNT_OF_COMPANY),
        (None, Some(_)) => (OF_ACTOR, COUNT_OF_ACTOR),
    };
    let rows = tx.query(list, &[&company, &actor, &limit, &offset]).await?;
    let total = tx.query_one(count, &[&company, &actor, &MOST_COUNTED]).await?;
    Ok((rows.iter().map(AuditEntry::try_from).collect::<Result<_>>()?, total.try_get("total")?))
}

impl TryFrom<&Row> for AuditEntry {
    type Error = Error;

    fn try_from(row: &Row) -> Result<Self> {
        Ok(Self {
            id: row.try_get("id")?,
            at: row.try_get("at")?,
            actor_id: row.try_get("actor_id")?,
            actor_name: row.try_get("actor_name")?,
            company_id: row.try_get("company_id")?,
            company_name: row.try_get("company_name")?,
            action: row.try_get("action")?,
            target: row.try_get("target")?,
            outcome: row.try_get("outcome")?,
            network: row.try_get("network")?,
            request_id: row.try_get("request_id")?,
            fields: row.try_get("fields")?,
        })
    }
}

/// Three statements for each question, so that each uses its own index even in a cached generic plan.
const LIST: &str = "SELECT a.id, a.at, a.actor_id, u.name AS actor_name, a.company_id, \
     c.name AS company_name, a.action, a.target, a.outcome, a.network, a.request_id, a.fields \
     FROM audit_entries a LEFT JOIN users u ON u.id = a.actor_id LEFT JOIN companies c ON c.id = a.company_id \
     WHERE $1::uuid IS NULL AND $2::uuid IS NULL ORDER BY a.at DESC, a.id DESC LIMIT $3 OFFSET $4";
const OF_COMPANY: &str = "SELECT a.id, a.at, a.actor_id, u.name AS actor_name, a.company_id, \
     c.name AS company_name, a.action, a.target, a.outcome, a.network, a.request_id, a.fields \
     FROM audit_entries a LEFT JOIN users u ON u.id = a.actor_id LEFT JOIN companies c ON c.id = a.company_id \
     WHERE a.company_id = $1 AND ($2::uuid IS NULL OR a.actor_id = $2) \
     ORDER BY a.at DESC, a.id DESC LIMIT $3 OFFSET $4";
const OF_ACTOR: &str = "SELECT a.id, a.at, a.actor_id, u.name AS actor_name, a.company_id, \
     c.name AS company_name, a.action, a.target, a.outcome, a.network, a.request_id, a.fields \
     FROM audit_entries a LEFT JOIN users u ON u.id = a.actor_id LEFT JOIN companies c ON c.id = a.company_id \
     WHERE $1::uuid IS NULL AND a.actor_id = $2 ORDER BY a.at DESC, a.id DESC LIMIT $3 OFFSET $4";
const COUNT: &str = "SELECT count(*) AS total FROM (SELECT FROM audit_entries \
     WHERE $1::uuid IS NULL AND $2::uuid IS NULL LIMIT $3) AS counted";
const COUNT_OF_COMPANY: &str = "SELECT count(*) AS total FROM (SELECT FROM audit_entries \
     WHERE company_id = $1 AND ($2::uuid IS NULL OR actor_id = $2) LIMIT $3) AS counted";
const COUNT_OF_ACTOR: &str = "SELECT count(*) AS total FROM (SELECT FROM audit_entries \
     WHERE $1::uuid IS NULL AND actor_id = $2 LIMIT $3) AS counted";
const RECORD: &str = "INSERT INTO audit_entries \
     (id, at, actor_id, session_id, company_id, network, action, target, outcome, request_id, fields, \
     by_platform) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)";
const SEARCHED: &str = "SELECT EXISTS (SELECT FROM audit_entries WHERE actor_id = $1 AND at > $2 \
     AND session_id = $3 AND action = $4 AND fields = $5) AS searched";

pub const STATEMENTS: &[&str] =
    &[LIST, OF_COMPANY, OF_ACTOR, COUNT, COUNT_OF_COMPANY, COUNT_OF_ACTOR, RECORD, SEARCHED];
