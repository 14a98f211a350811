//! The audit of a company as its own admins read it: who did what, when, to whom. Called by the handlers. The act
//! itself wrote each row (`audit`).
//!
//! Invariants: only rows of the company, read through its `CompanyTx`; no network, session or request of anybody; a
//! person who acts for the platform is called support and has no name.

use jiff::Timestamp;
use serde::Serialize;
use tokio_postgres::Row;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::audit::{self, AuditAction, AuditField, MAX_COUNTED};
use crate::company::Author;
use crate::csv;
use crate::db::CompanyTx;
use crate::error::{Error, FieldErrors, Result};
use crate::id::UserId;
use crate::money::Cents;
use crate::search::{days, optional};
use crate::words::words;

/// Longer than any action.
const ACTION_MAX: usize = 60;
const HEADER: [&str; 7] = ["at", "by", "actorName", "action", "target", "outcome", "fields"];

/// The entries that the filter lets through. Who acts for the platform is marked; rows from before the mark are told by
/// what the person is now.
macro_rules! found {
    () => {
        "(SELECT a.id, a.at, a.actor_id, u.name AS actor_name, a.action, a.target, a.outcome, a.fields, \
         (a.by_platform OR u.role = 'admin' AND NOT EXISTS (SELECT FROM members m \
         WHERE m.company_id = $1 AND m.user_id = a.actor_id)) IS TRUE AS by_platform \
         FROM audit_entries a LEFT JOIN users u ON u.id = a.actor_id WHERE a.company_id = $1 \
         AND ($3::text IS NULL OR a.action = $3 OR split_part(a.action, '.', 1) = $3) \
         AND ($4::timestamptz IS NULL OR a.at >= $4) AND ($5::timestamptz IS NULL OR a.at < $5)) AS e \
         WHERE ($2::uuid IS NULL OR actor_id = $2 AND NOT by_platform)"
    };
}

const PAGE: &str = concat!(
    "WITH page AS (SELECT *, CASE WHEN target ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' \
     THEN target::uuid END AS target_id FROM ",
    found!(),
    " ORDER BY at DESC, id DESC LIMIT $6 OFFSET $7) \
     SELECT p.*, coalesce(t.name, i.email) AS target_name, CASE WHEN d.cents IS NOT NULL THEN d.cents \
     WHEN y.state = 'succeeded' THEN coalesce(y.received_cents, y.amount_cents) \
     ELSE y.amount_cents END AS amount_cents, c.brand, c.last4 \
     FROM page p \
     LEFT JOIN users t ON t.id = p.target_id AND (split_part(p.action, '.', 1) = 'member' \
     OR p.action IN ('second_factor.reset', 'company.inherit')) \
     LEFT JOIN invites i ON i.company_id = $1 AND i.id = p.target_id \
     LEFT JOIN payments y ON y.company_id = $1 AND y.id = p.target_id \
     LEFT JOIN LATERAL (SELECT abs(v.total_cents) AS cents FROM invoices v WHERE v.company_id = $1 \
       AND v.payment_id = y.id AND v.kind = 'refund' AND v.at = p.at \
       AND p.action IN ('payment.refund', 'payment.refuse_refund') \
       UNION ALL SELECT f.amount_cents FROM refunds f WHERE f.company_id = $1 AND f.payment_id = y.id \
       AND (f.created_at = p.at AND p.action = 'payment.ask_refund' \
       OR f.settled_at = p.at AND f.state = 'refused' AND p.action = 'payment.refuse_refund') LIMIT 1) d ON true \
     LEFT JOIN payment_methods c ON c.company_id = $1 AND c.id = p.target \
     ORDER BY p.at DESC, p.id DESC"
);
const COUNT: &str =
    concat!("SELECT count(*) AS total FROM (SELECT FROM ", found!(), " LIMIT $6) AS counted");

words! {
    /// Who is behind an entry.
    pub enum ActorKind {
        Person = "person",
        /// Somebody of the platform.
        Support = "support",
        /// Nobody: a renewal, an expiry, the provider's word.
        System = "system",
    }
}

/// What an act was about; of its details those that are still known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LogTarget {
    pub id: String,
    /// A member's name or an invited address.
    pub name: Option<String>,
    /// A payment's centavos; of a refund, its own.
    #[schema(value_type = Option<i64>)]
    pub amount: Option<Cents>,
    /// A card.
    pub brand: Option<String>,
    pub last4: Option<String>,
}

/// An entry as the company's admins read it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LogEntry {
    pub id: Uuid,
    pub at: Timestamp,
    pub by: ActorKind,
    /// Of a person alone.
    pub actor_id: Option<UserId>,
    pub actor_name: Option<String>,
    /// A row of another version may hold a word that is not listed.
    #[schema(value_type = AuditAction)]
    pub action: String,
    pub target: Option<LogTarget>,
    /// `ok`, `refused` or `failed`.
    pub outcome: String,
    /// Names of the fields that changed.
    #[schema(value_type = Vec<AuditField>)]
    pub fields: Vec<String>,
}

/// Which entries are asked for; nothing is everything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogFilter {
    actor: Option<UserId>,
    /// `payment.start`, or its noun for all of them.
    action: Option<String>,
    from: Option<Timestamp>,
    /// Exclusive.
    until: Option<Timestamp>,
}

impl LogFilter {
    /// `from` and `to` are days of America/Sao_Paulo, both included.
    ///
    /// # Errors
    /// `Invalid` with the fields.
    pub fn parse(
        actor: Option<&str>,
        action: Option<&str>,
        (from, to): (Option<&str>, Option<&str>),
    ) -> Result<Self> {
        let mut errors = FieldErrors::default();
        let actor = errors.take("actor", optional(actor, |text| text.parse().ok()));
        let action = errors.take("action", optional(action, parse_action));
        let days = days(&mut errors, (from, to));
        let (Some(actor), Some(action), Some((from, until))) = (actor, action, days) else {
            return Err(Error::Invalid(errors));
        };
        Ok(Self { actor, action, from, until })
    }
}

fn parse_action(raw: &str) -> Option<String> {
    let is_word = |word: &str| {
        !word.is_empty() && word.chars().all(|letter| letter.is_ascii_lowercase() || letter == '_')
    };
    let is_known = raw.len() <= ACTION_MAX && raw.splitn(2, '.').all(is_word);
    is_known.then(|| raw.to_owned())
}

/// One page, newest first, and how many there are, at most [`MAX_COUNTED`].
pub async fn list(
    tx: &CompanyTx,
    filter: &LogFilter,
    limit: i64,
    offset: i64,
) -> Result<(Vec<LogEntry>, i64)> {
    let entries = page(tx, filter, limit, offset).await?;
    let LogFilter { actor, action, from, until } = filter;
    let company = tx.company_id();
    let total = tx.value(COUNT, &[&company, actor, action, from, until, &MAX_COUNTED]).await?;
    Ok((entries, total))
}

async fn page(
    tx: &CompanyTx,
    LogFilter { actor, action, from, until }: &LogFilter,
    limit: i64,
    offset: i64,
) -> Result<Vec<LogEntry>> {
    let company = tx.company_id();
    tx.all(PAGE, &[&company, actor, action, from, until, &limit, &offset]).await
}

/// The newest [`MAX_COUNTED`] entries, for a file; that they were taken away is an entry itself.
pub async fn export(tx: &CompanyTx, filter: &LogFilter, by: Author<'_>) -> Result<Vec<LogEntry>> {
    let entries = page(tx, filter, MAX_COUNTED, 0).await?;
    audit::record(tx, by.entry(tx.company_id(), AuditAction::AuditExport));
    Ok(entries)
}

/// CSV for a spreadsheet, in the words of the API.
pub fn csv(entries: &[LogEntry]) -> String {
    let row = |entry: &LogEntry| {
        [
            entry.at.to_string(),
            entry.by.as_str().to_owned(),
            entry.actor_name.clone().unwrap_or_default(),
            entry.action.clone(),
            entry.target.as_ref().map(LogTarget::text).unwrap_or_default(),
            entry.outcome.clone(),
            entry.fields.join(","),
        ]
    };
    csv::file(HEADER, entries.iter().map(row))
}

impl LogTarget {
    fn text(&self) -> String {
        let card = self.brand.as_ref().zip(self.last4.as_ref());
        let card = card.map(|(brand, last4)| format!("{brand} {last4}"));
        self.name.clone().or(card).unwrap_or_else(|| self.id.clone())
    }
}

impl TryFrom<&Row> for LogEntry {
    type Error = Error;

    fn try_from(row: &Row) -> Result<Self> {
        let actor_id: Option<UserId> = row.try_get("actor_id")?;
        let by = match (row.try_get("by_platform")?, actor_id) {
            (true, _) => ActorKind::Support,
            (false, Some(_)) => ActorKind::Person,
            (false, None) => ActorKind::System,
        };
        let is_person = by == ActorKind::Person;
        let target: Option<String> = row.try_get("target")?;
        let target = target.map(|id| {
            Ok::<_, Error>(LogTarget {
                id,
                name: row.try_get("target_name")?,
                amount: row.try_get("amount_cents")?,
                brand: row.try_get("brand")?,
                last4: row.try_get("last4")?,
            })
        });
        Ok(Self {
            id: row.try_get("id")?,
            at: row.try_get("at")?,
            by,
            actor_id: actor_id.filter(|_| is_person),
            actor_name: row.try_get::<_, Option<String>>("actor_name")?.filter(|_| is_person),
            action: row.try_get("action")?,
            target: target.transpose()?,
            outcome: row.try_get("outcome")?,
            fields: row.try_get("fields")?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::FieldCode;

    #[test]
    fn a_filter_names_what_is_wrong_with_it() {
        let nothing = LogFilter::parse(Some(""), None, (Some(""), None)).unwrap();
        assert_eq!(nothing, LogFilter::default());
        let one_day = ("2026-11-21", "2026-11-22T03:00:00Z");
        let day = LogFilter::parse(None, Some("payment"), (Some(one_day.0), Some(one_day.0)));
        assert_eq!(day.unwrap().until.unwrap().to_string(), one_day.1);
        for (actor, action, from, to, field) in [
            (Some("me"), None, None, None, "actor"),
            (None, Some("Payment;"), None, None, "action"),
            (None, Some("a.b.c"), None, None, "action"),
            (None, None, Some("21/11/2026"), None, "from"),
            (None, None, Some("2026-02-30"), None, "from"),
            (None, None, None, Some("2026-11-21T10:00"), "to"),
            (None, None, Some("2026-11-22"), Some("2026-11-21"), "to"),
        ] {
            let refused = LogFilter::parse(actor, action, (from, to)).unwrap_err();
            let expected = FieldErrors::one(field, FieldCode::Invalid);
            assert!(matches!(&refused, Error::Invalid(fields) if *fields == expected), "{refused}");
        }
    }

    #[test]
    fn no_cell_of_the_file_starts_a_formula() {
        let entry = LogEntry {
            id: Uuid::nil(),
            at: "2026-11-21T12:00:00Z".parse().unwrap(),
            by: ActorKind::Person,
            actor_id: None,
            actor_name: Some("=HYPERLINK(\"x\";\"y\")".into()),
            action: "invite.create".into(),
            target: Some(LogTarget {
                id: "i".into(),
                name: Some("+1@example.com".into()),
                amount: None,
                brand: None,
                last4: None,
            }),
            outcome: "ok".into(),
            fields: vec![],
        };
        assert_eq!(
            csv(&[entry]),
            "\u{feff}at;by;actorName;action;target;outcome;fields\r\n\
             2026-11-21T12:00:00Z;person;\"'=HYPERLINK(\"\"x\"\";\"\"y\"\")\";invite.create;'+1@example.com;ok;\r\n"
        );
    }
}
