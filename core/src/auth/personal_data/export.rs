//! `GET /me/export`: all personal data of a person at once (Lei 13.709/2018, art. 18).
//!
//! The `pii:` comments of the migrations say which columns are personal. A test plants a value in every such column
//! and looks for it here, so that a new column fails the test until a section reads it. Read as the platform, because
//! a person has rows in several companies.

use jiff::Timestamp;
use jiff::civil::Date;
use serde_json::{Map, Value, json};
use tokio_postgres::Row;
use tokio_postgres::types::Type;
use uuid::Uuid;

use crate::audit::{self, AuditAction};
use crate::auth::Auth;
use crate::caller::Caller;
use crate::error::{Error, Result};
use crate::rate_limit;
use crate::scope::SignedIn;

/// Name in the file and statement, which takes the person's id.
const SECTIONS: &[(&str, &str)] = &[
    ("consents", CONSENTS),
    ("authenticatorApps", AUTHENTICATOR_APPS),
    ("passkeys", PASSKEYS),
    ("sessions", SESSIONS),
    ("accessRecords", ACCESS_RECORDS),
    ("activity", ACTIVITY),
    ("emailChanges", EMAIL_CHANGES),
    ("undoLinks", UNDO_LINKS),
    ("memberships", MEMBERSHIPS),
    ("invites", INVITES),
    ("payments", PAYMENTS),
    ("invoices", INVOICES),
    ("renewalConsents", RENEWAL_CONSENTS),
    ("billingProfiles", BILLING_PROFILES),
    ("providerNotices", PROVIDER_NOTICES),
    ("repliesKept", REPLIES),
    ("events", EVENTS),
    ("notifications", NOTIFICATIONS),
    ("notificationPreferences", NOTIFICATION_PREFERENCES),
    ("savedViews", SAVED_VIEWS),
    ("audit", AUDIT),
    ("mailsWaiting", MAILS_WAITING),
    ("mailbox", MAILBOX),
];

impl Auth {
    /// The file's content.
    ///
    /// # Errors
    /// `TooMany` beyond three a day.
    pub async fn export_me(&self, who: SignedIn, caller: &Caller) -> Result<Map<String, Value>> {
        self.limit(rate_limit::EXPORT, &["user", &who.user_id.to_string()]).await?;
        let tx = self.db.figures_tx(&self.platform).await?.caused_by(caller);
        let profile = tx.query_opt(PROFILE, &[&who.user_id]).await?;
        let profile = profile.ok_or_else(Error::signed_out)?;
        let mut file = Map::new();
        file.insert("exportedAt".into(), json!(tx.now()));
        file.insert("profile".into(), object(&profile)?);
        for (name, sql) in SECTIONS {
            let rows = tx.query(sql, &[&who.user_id]).await?;
            let rows = rows.iter().map(object).collect::<Result<Vec<_>>>()?;
            file.insert((*name).to_owned(), Value::Array(rows));
        }
        audit::record(&tx, caller.audit_of(who, AuditAction::UserExport));
        tx.commit().await?;
        Ok(file)
    }
}

/// A row under the names that its statement gives.
fn object(row: &Row) -> Result<Value> {
    let mut object = Map::new();
    for (index, column) in row.columns().iter().enumerate() {
        object.insert(column.name().to_owned(), value(row, index, column.type_())?);
    }
    Ok(Value::Object(object))
}

fn value(row: &Row, index: usize, kind: &Type) -> Result<Value> {
    Ok(match *kind {
        Type::TEXT => json!(row.try_get::<_, Option<String>>(index)?),
        Type::TEXT_ARRAY => json!(row.try_get::<_, Option<Vec<String>>>(index)?),
        Type::UUID => json!(row.try_get::<_, Option<Uuid>>(index)?),
        Type::TIMESTAMPTZ => json!(row.try_get::<_, Option<Timestamp>>(index)?),
        Type::DATE => json!(row.try_get::<_, Option<Date>>(index)?),
        Type::INT8 => json!(row.try_get::<_, Option<i64>>(index)?),
        Type::BOOL => json!(row.try_get::<_, Option<bool>>(index)?),
        ref other => return Err(Error::internal(format!("the export knows no {other}"))),
    })
}

const PROFILE: &str = "SELECT id, name AS \"userName\", email AS \"userEmail\", \
     document AS \"userDocument\", phone AS \"userPhone\", birth_date AS \"userBirthDate\", \
     role AS \"userRole\", status, email_verified_at AS \"emailVerifiedAt\", \
     last_login_at AS \"lastLoginAt\", created_at AS \"createdAt\", updated_at AS \"updatedAt\" \
     FROM users WHERE id = $1 AND anonymised_at IS NULL";
const CONSENTS: &str = "SELECT kind, version, encode(text_sha256, 'hex') AS \"textSha256\", \
     accepted_at AS \"acceptedAt\", ip FROM consents WHERE user_id = $1 ORDER BY accepted_at, kind";
/// Without their secrets, as below.
const AUTHENTICATOR_APPS: &str = "SELECT confirmed_at AS \"enabledAt\" FROM totp_factors \
     WHERE user_id = $1 AND confirmed_at IS NOT NULL";
const PASSKEYS: &str = "SELECT id, name, created_at AS \"createdAt\", last_used_at AS \"lastUsedAt\" \
     FROM passkeys WHERE user_id = $1 ORDER BY created_at, id";
const SESSIONS: &str = "SELECT id, device, ip, created_at AS \"createdAt\", \
     last_used_at AS \"lastUsedAt\", revoked_at AS \"endedAt\" FROM sessions WHERE user_id = $1 \
     ORDER BY created_at, id";
const ACCESS_RECORDS: &str = "SELECT session_id AS \"sessionId\", at, ip FROM access_records \
     WHERE user_id = $1 ORDER BY at, session_id";
const ACTIVITY: &str = "SELECT from_at AS \"from\", to_at AS \"to\" FROM activity_spells \
     WHERE user_id = $1 ORDER BY from_at";
const EMAIL_CHANGES: &str = "SELECT email AS \"userEmail\", requested_at AS \"requestedAt\" \
     FROM email_changes WHERE user_id = $1";
const UNDO_LINKS: &str = "SELECT cause, email AS \"userEmail\", issued_at AS \"issuedAt\", \
     expires_at AS \"expiresAt\", used_at AS \"usedAt\" FROM undo_links WHERE user_id = $1 ORDER BY number";
const MEMBERSHIPS: &str = "SELECT m.company_id AS \"companyId\", c.name AS \"companyName\", m.role, \
     c.created_by = m.user_id AS \"isCreator\", m.created_at AS \"createdAt\" \
     FROM members m JOIN companies c ON c.id = m.company_id WHERE m.user_id = $1 ORDER BY m.created_at, m.id";
const INVITES: &str = "SELECT i.id, i.company_id AS \"companyId\", c.name AS \"companyName\", \
     i.email AS \"userEmail\", i.role, i.created_at AS \"createdAt\", i.expires_at AS \"expiresAt\", \
     i.closed_at AS \"closedAt\" FROM invites i JOIN companies c ON c.id = i.company_id \
     WHERE i.email = (SELECT email FROM users WHERE id = $1) ORDER BY i.created_at, i.id";
const PAYMENTS: &str = "SELECT id, company_id AS \"companyId\", method, amount_cents AS amount, currency, \
     state, provider_request AS request, created_at AS \"createdAt\", succeeded_at AS \"paidAt\" \
     FROM payments WHERE created_by = $1 ORDER BY created_at, id";
const INVOICES: &str = "SELECT id, company_id AS \"companyId\", number, kind, at, payer_name AS \"payerName\", \
     payer_tax_id AS \"payerTaxId\", payer_address AS \"payerAddress\", paid_by_name AS \"paidBy\", \
     plan_name AS \"planName\", total_cents AS total, lines FROM invoices WHERE paid_by = $1 ORDER BY at, number";
const RENEWAL_CONSENTS: &str = "SELECT company_id AS \"companyId\", card, payment_id AS \"paymentId\", \
     version, sentence, at AS \"agreedAt\" FROM renewal_consents WHERE user_id = $1 ORDER BY at, id";
/// What the person has typed.
const BILLING_PROFILES: &str = "SELECT company_id AS \"companyId\", version::bigint AS version, tax_id AS \"taxId\", \
     legal_name AS \"legalName\", trade_name AS \"tradeName\", postal_code AS \"postalCode\", street, number, \
     complement, district, city, state, emails AS \"billingEmails\", created_at AS \"createdAt\" \
     FROM billing_profiles WHERE changed_by = $1 ORDER BY created_at, company_id, version";
const PROVIDER_NOTICES: &str = "SELECT w.event_id AS id, p.company_id AS \"companyId\", w.type, w.body, \
     w.received_at AS \"receivedAt\" FROM webhook_inbox w JOIN payments p ON p.provider_intent = w.object_id \
     WHERE p.created_by = $1 ORDER BY w.received_at, w.event_id";
const REPLIES: &str = "SELECT company_id AS \"companyId\", operation, reply, created_at AS \"createdAt\" \
     FROM idempotency_keys WHERE user_id = $1 ORDER BY created_at, key";
const EVENTS: &str = "SELECT company_id AS \"companyId\", name, data, at FROM events \
     WHERE channel = 'user/' || $1::uuid::text ORDER BY seq";
const NOTIFICATIONS: &str = "SELECT id, company_id AS \"companyId\", company_name AS \"companyName\", topic, \
     plan_name AS \"planName\", amount_cents AS amount, deadline, role, payment_id AS \"paymentId\", at, \
     read_at AS \"readAt\" FROM notifications WHERE user_id = $1 ORDER BY id";
const NOTIFICATION_PREFERENCES: &str = "SELECT kind, screen, email, updated_at AS \"updatedAt\" \
     FROM notification_preferences WHERE user_id = $1 ORDER BY kind";
const SAVED_VIEWS: &str = "SELECT id, list, name, filters, created_at AS \"createdAt\", \
     updated_at AS \"updatedAt\" FROM saved_views WHERE user_id = $1 ORDER BY created_at, id";
const AUDIT: &str = "SELECT at, action, outcome, target, fields, network, session_id AS \"sessionId\", \
     company_id AS \"companyId\" FROM audit_entries WHERE actor_id = $1 ORDER BY at, id";
const MAILS_WAITING: &str = "SELECT kind, payload, created_at AS \"createdAt\" FROM jobs \
     WHERE kind IN ('mail', 'code_mail') AND (SELECT email FROM users WHERE id = $1) \
     IN (payload::jsonb ->> 'to', payload::jsonb ->> 'email') ORDER BY created_at, id";
const MAILBOX: &str = "SELECT recipient AS \"to\", subject, body_text AS text, body_html AS html, \
     sent_at AS at FROM mailbox WHERE recipient = (SELECT email FROM users WHERE id = $1) ORDER BY sent_at, id";
