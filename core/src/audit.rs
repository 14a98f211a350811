//! The append-only audit: who did what, to whom, in which company. Called by every module that acts for somebody, and
//! by the searches of platform admins; `company_audit` shows a company its part. `Tx::commit` writes the entries.
//!
//! Invariant: an entry holds names of fields, never values, and commits with the transaction that it was recorded in.

pub(crate) mod action;

use jiff::{SignedDuration, Timestamp};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::caller::Caller;
use crate::db::{AuditRow, PlatformTx, Tx};
use crate::error::{Error, Result};
use crate::id::{CompanyId, SessionId, UserId};
use crate::row::from_row;
use crate::scope::{AdminScope, CompanyScope, SignedIn};
use crate::words::words;

pub use action::AuditAction;

words! {
    pub enum Outcome {
        Ok = "ok",
        Refused = "refused",
        Failed = "failed",
    }
}

words! {
    /// A field that was changed, or searched by. No word ever changes: rows hold it for five years.
    pub enum AuditField {
        Address = "address", Amount = "amount", BillingEmails = "billingEmails",
        CancelReason = "cancel_reason", CompanyDescription = "companyDescription",
        CompanyName = "companyName", CreatedBy = "created_by", Description = "description",
        DisplayName = "displayName", Features = "features", Hierarchy = "hierarchy",
        IsFree = "isFree", IsPopular = "isPopular", LegalName = "legalName", Limits = "limits",
        MonthlyPrice = "monthlyPrice", Name = "name", QuarterlyPrice = "quarterlyPrice",
        Reason = "reason", ReviewReason = "review_reason", Role = "role", Search = "search",
        Status = "status", TaxId = "taxId", TradeName = "tradeName", UserEmail = "userEmail",
        UserName = "userName", UserPhone = "userPhone", YearlyPrice = "yearlyPrice",
    }
}

/// One audited act.
#[derive(Clone, Debug)]
pub struct Entry<'a> {
    pub actor: Option<UserId>,
    pub session: Option<SessionId>,
    pub company: Option<CompanyId>,
    /// A platform admin acts as such: the company's admins learn no name.
    pub by_platform: bool,
    /// The truncated network (/24 or /48), never a whole address.
    pub network: Option<&'a str>,
    pub action: AuditAction,
    pub target: Option<String>,
    pub outcome: Outcome,
    pub fields: &'a [AuditField],
}

impl Entry<'_> {
    /// A successful act without an actor; set the rest with struct update syntax.
    pub fn of(action: AuditAction) -> Self {
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

    /// The start of an entry about what the person behind a proof did in its company; a job is nobody.
    pub fn in_company(scope: &CompanyScope, action: AuditAction) -> Self {
        Self {
            actor: scope.user_id(),
            session: scope.session_id(),
            company: Some(scope.company_id()),
            ..Self::of(action)
        }
    }

    /// The entry with the object of the act.
    pub fn about(self, target: impl ToString) -> Self {
        Self { target: Some(target.to_string()), ..self }
    }
}

impl Caller {
    /// The start of an entry about this request.
    pub(crate) fn audit(&self, action: AuditAction, outcome: Outcome) -> Entry<'_> {
        Entry { network: Some(&self.audit_network), outcome, ..Entry::of(action) }
    }

    /// The start of an entry about what a person did by this request without a session.
    pub fn audit_by(&self, actor: UserId, action: AuditAction) -> Entry<'_> {
        Entry { actor: Some(actor), ..self.audit(action, Outcome::Ok) }
    }

    /// The start of an entry about what a signed-in person did by this request.
    pub fn audit_of(&self, who: SignedIn, action: AuditAction) -> Entry<'_> {
        Entry { session: Some(who.session_id), ..self.audit_by(who.user_id, action) }
    }
}

/// An entry as platform admins read it.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditEntry {
    pub id: Uuid,
    pub at: Timestamp,
    pub actor_id: Option<UserId>,
    pub actor_name: Option<String>,
    pub company_id: Option<CompanyId>,
    pub company_name: Option<String>,
    /// A row of another version may hold a word that is not listed.
    #[schema(value_type = AuditAction)]
    pub action: String,
    pub target: Option<String>,
    /// `ok`, `refused` or `failed`.
    pub outcome: String,
    /// The truncated address.
    pub network: Option<String>,
    pub request_id: Option<String>,
    /// Names of the fields that changed, or were searched by.
    #[schema(value_type = Vec<AuditField>)]
    pub fields: Vec<String>,
}

/// The start of an entry about what a platform admin did.
pub fn by_admin<'a>(admin: &AdminScope, caller: &'a Caller, action: AuditAction) -> Entry<'a> {
    Entry { by_platform: true, ..caller.audit_of(admin.who(), action) }
}

/// The names of those fields that have changed.
pub fn changed<const N: usize>(fields: [(AuditField, bool); N]) -> Vec<AuditField> {
    fields.into_iter().filter(|(_, has_changed)| *has_changed).map(|(name, _)| name).collect()
}

/// Writes the entry with the commit of the act itself.
pub fn record(tx: &Tx, entry: Entry<'_>) {
    tx.add_audit(AuditRow {
        id: tx.clock().uuid(),
        actor_id: entry.actor,
        session_id: entry.session,
        company_id: entry.company,
        network: entry.network.map(str::to_owned),
        action: entry.action.as_str(),
        target: entry.target,
        outcome: entry.outcome.as_str(),
        fields: entry.fields.iter().map(|field| field.as_str()).collect(),
        by_platform: entry.by_platform,
    });
}

/// How long one entry stands for all that are alike.
const ALIKE: SignedDuration = SignedDuration::from_secs(60);

/// Writes the entry of a search, unless the session left one within the last minute: somebody who types into a search
/// box asks with every key.
pub async fn record_search(tx: &PlatformTx, entry: Entry<'_>) -> Result<()> {
    record_view(tx, Entry { fields: &[AuditField::Search], ..entry }).await
}

/// Writes the entry of a view of one object, unless the session left one within the last minute: an open page reads
/// again with every change.
pub async fn record_view(tx: &PlatformTx, entry: Entry<'_>) -> Result<()> {
    let since = tx.now().checked_sub(ALIKE).map_err(Error::internal)?;
    let Entry { actor, session, action, fields, target, .. } = &entry;
    let is_known: bool =
        tx.value(LOOKED, &[actor, &since, session, action, fields, target]).await?;
    if !is_known {
        record(tx, entry);
    }
    Ok(())
}

/// Whose entries are asked for.
#[derive(Clone, Copy, Debug, Default)]
pub struct AuditFilter {
    pub company: Option<CompanyId>,
    pub actor: Option<UserId>,
    /// To whom something was done. That an admin looked is left out.
    pub target: Option<UserId>,
}

/// Beyond it nobody counts: the list is years long.
pub const MAX_COUNTED: i64 = 10_000;

/// One page, newest first, and how many there are, at most [`MAX_COUNTED`].
pub async fn list(
    tx: &PlatformTx,
    filter: AuditFilter,
    limit: i64,
    offset: i64,
) -> Result<(Vec<AuditEntry>, i64)> {
    let AuditFilter { company, actor, target } = filter;
    let (list, count) = match (company, actor, target) {
        (None, None, None) => (LIST, COUNT),
        (_, _, Some(_)) => (OF_TARGET, COUNT_OF_TARGET),
        (Some(_), _, None) => (OF_COMPANY, COUNT_OF_COMPANY),
        (None, Some(_), None) => (OF_ACTOR, COUNT_OF_ACTOR),
    };
    let target = target.map(|person| person.to_string());
    let entries = tx.all(list, &[&company, &actor, &target, &limit, &offset]).await?;
    Ok((entries, tx.value(count, &[&company, &actor, &target, &MAX_COUNTED]).await?))
}

/// The newest entries about one object of a company. That an admin looked at it is no part of its history.
pub async fn about(
    tx: &PlatformTx,
    company: CompanyId,
    target: &str,
    limit: i64,
) -> Result<Vec<AuditEntry>> {
    tx.all(OF_TARGET, &[&company, &None::<UserId>, &target, &limit, &0_i64]).await
}

from_row! {
    AuditEntry {
        id, at, actor_id, actor_name, company_id, company_name, action, target, outcome, network, request_id, fields,
    }
}

macro_rules! entries {
    ($of:literal) => {
        concat!(
            "SELECT a.id, a.at, a.actor_id, u.name AS actor_name, a.company_id, c.name AS company_name, \
             a.action, a.target, a.outcome, a.network, a.request_id, a.fields FROM audit_entries a \
             LEFT JOIN users u ON u.id = a.actor_id LEFT JOIN companies c ON c.id = a.company_id WHERE ",
            $of,
            " ORDER BY a.at DESC, a.id DESC LIMIT $4 OFFSET $5"
        )
    };
}

/// A statement for each question, so that each uses its own index even in a cached generic plan.
const LIST: &str = entries!("$1::uuid IS NULL AND $2::uuid IS NULL AND $3::text IS NULL");
const OF_COMPANY: &str =
    entries!("a.company_id = $1 AND ($2::uuid IS NULL OR a.actor_id = $2) AND $3::text IS NULL");
const OF_ACTOR: &str = entries!("$1::uuid IS NULL AND a.actor_id = $2 AND $3::text IS NULL");
/// The index of targets holds no looks either.
const OF_TARGET: &str = entries!(
    "a.target = $3 AND right(a.action, 5) <> '.read' AND ($1::uuid IS NULL OR a.company_id = $1) \
     AND ($2::uuid IS NULL OR a.actor_id = $2)"
);
const COUNT: &str = "SELECT count(*) AS total FROM (SELECT FROM audit_entries \
     WHERE $1::uuid IS NULL AND $2::uuid IS NULL AND $3::text IS NULL LIMIT $4) AS counted";
const COUNT_OF_COMPANY: &str = "SELECT count(*) AS total FROM (SELECT FROM audit_entries \
     WHERE company_id = $1 AND ($2::uuid IS NULL OR actor_id = $2) AND $3::text IS NULL LIMIT $4) AS counted";
const COUNT_OF_ACTOR: &str = "SELECT count(*) AS total FROM (SELECT FROM audit_entries \
     WHERE $1::uuid IS NULL AND actor_id = $2 AND $3::text IS NULL LIMIT $4) AS counted";
const COUNT_OF_TARGET: &str = "SELECT count(*) AS total FROM (SELECT FROM audit_entries \
     WHERE target = $3 AND right(action, 5) <> '.read' AND ($1::uuid IS NULL OR company_id = $1) \
     AND ($2::uuid IS NULL OR actor_id = $2) LIMIT $4) AS counted";
const LOOKED: &str = "SELECT EXISTS (SELECT FROM audit_entries WHERE actor_id = $1 AND at > $2 \
     AND session_id = $3 AND action = $4 AND fields = $5 AND target IS NOT DISTINCT FROM $6) AS looked";
