//! `DELETE /me`: erases a person. One transaction replaces or removes every column that the migrations call personal.
//! The law keeps payments, consents and audit rows; they stay with an id that names nobody.
//!
//! Works as the platform, because a person has rows in several companies. Behind the commit the id is also written to a
//! file beside the data. Every start erases the ids of the file again, so that a restored backup brings nobody back,
//! and adds the ids that the file lacks. The file never names a person whose erasure did not happen.

use crate::audit::{self, AuditAction, Entry};
use crate::auth::Auth;
use crate::auth::account::synthetic_cpf;
use crate::auth::session::{self, Session};
use crate::caller::Caller;
use crate::company::{self, InviteView, MemberStatus, MemberView, inheritance};
use crate::db::PlatformTx;
use crate::error::{Code, Detail, Error, Result};
use crate::event::{Channel, EventName, NewEvent};
use crate::id::{CompanyId, UserId};
use crate::mailer::{self, Message};
use crate::rate_limit;
use crate::row::from_row;
use crate::scope::SignedIn;
use crate::user::store::{self, Anonymous};
use crate::user::{User, UserRole};

/// What a company is to somebody who leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct MembershipFacts {
    is_admin: bool,
    has_others: bool,
    has_other_admin: bool,
    /// A paid subscription runs, or a payment is open.
    is_paying: bool,
}

/// What becomes of a company when one of its members is erased.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CompanyOutcome {
    LosesMember,
    /// It was nobody else's.
    Ends,
}

from_row! { MembershipFacts { is_admin, has_others, has_other_admin, is_paying } }

impl MembershipFacts {
    /// None: somebody or a running payment would be left without anybody to answer for it.
    fn decide(self) -> Option<CompanyOutcome> {
        let is_left_alone = self.is_admin && !self.has_other_admin;
        match self {
            _ if is_left_alone && (self.has_others || self.is_paying) => None,
            Self { has_others: true, .. } => Some(CompanyOutcome::LosesMember),
            Self { has_others: false, .. } => Some(CompanyOutcome::Ends),
        }
    }
}

/// Whether the rules may refuse the erasure. After a restore they may not: the person was erased before.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ErasureMode {
    Requested,
    AfterRestore,
}

impl Auth {
    /// Anonymises the caller, ends the sessions and the companies of nobody else.
    ///
    /// # Errors
    /// `Invalid(password)`, `Conflict(LAST_ADMIN)`, `TooMany` beyond five tries an hour.
    pub async fn erase_me(&self, who: SignedIn, password: &str, caller: &Caller) -> Result<()> {
        self.limit(rate_limit::ERASURE, &["user", &who.user_id.to_string()]).await?;
        let verified = self.prove_password(who, password, AuditAction::UserErase, caller).await?;
        let tx = self.db.platform_tx(&self.platform).await?.caused_by(caller);
        tx.query(LOCK_COMPANIES, &[&who.user_id]).await?;
        tx.query(LOCK_PERSON, &[&who.user_id]).await?;
        // The comparison took a while: a reset in between ends what the old password could do.
        let stored = store::password_hash(&tx, who.user_id).await?;
        let session = session::find(&tx, who.session_id).await?;
        let is_alive = session.is_some_and(|session| session.is_alive(tx.now()));
        if !is_alive || stored != verified {
            return Err(Error::signed_out());
        }
        self.erase_person(tx, who.user_id, caller.audit_of(who, AuditAction::UserErase)).await
    }

    /// Anonymises a person in a transaction that has settled whether that may be, and commits it with the entry. The
    /// commit goes on when the caller goes away, or one that is on its way would be there without its line.
    ///
    /// # Errors
    /// `Conflict(LAST_ADMIN)`, `SignInRequired` for a person who is gone.
    pub async fn erase_person(
        &self,
        mut tx: PlatformTx,
        id: UserId,
        entry: Entry<'_>,
    ) -> Result<()> {
        self.erase(&mut tx, id, ErasureMode::Requested, &entry).await?;
        audit::record(&tx, entry);
        let auth = self.clone();
        let ending = self.db.runtime().spawn(async move {
            tx.commit().await?;
            // The person is erased, whatever becomes of the line: the next start adds it.
            if let Err(error) = auth.erasures.add(auth.db.runtime(), id).await {
                tracing::error!(%error, "erasures.log lacks an erased account: the next start adds it");
            }
            Ok(())
        });
        ending.await.map_err(Error::internal)?
    }

    /// Erases again every person whom a restored backup brought back, and lists whoever is erased and not listed. Called
    /// at the start, before anybody is served, and whenever the database has become another one.
    pub async fn erase_again(&self) -> Result<u32> {
        let listed = self.erasures.read(self.db.runtime()).await?;
        let tx = self.db.platform_tx(&self.platform).await?;
        let back = tx.query(BACK, &[&listed]).await?;
        tx.rollback().await?;
        let mut count = 0;
        for row in &back {
            let id = row.try_get("id")?;
            let mut tx = self.db.platform_tx(&self.platform).await?;
            // Another node may have begun with the same list.
            if store::find(&tx, id).await?.is_none() {
                continue;
            }
            let entry = Entry::of(AuditAction::UserEraseAgain).about(id);
            self.erase(&mut tx, id, ErasureMode::AfterRestore, &entry).await?;
            audit::record(&tx, entry);
            tx.commit().await?;
            count += 1;
        }
        let tx = self.db.platform_tx(&self.platform).await?;
        let erased = tx.query(ERASED, &[]).await?;
        tx.rollback().await?;
        let ids = erased.iter().map(|row| Ok(row.try_get("id")?)).collect::<Result<Vec<_>>>()?;
        self.erasures.add_missing(self.db.runtime(), &ids).await?;
        Ok(count)
    }

    /// The erasure without its audit row, which tells who asked for it. The order of locks: companies, then people.
    async fn erase(
        &self,
        tx: &mut PlatformTx,
        id: UserId,
        mode: ErasureMode,
        entry: &Entry<'_>,
    ) -> Result<()> {
        // Also what the person joined after a caller had asked for the same, and before it held the person's row.
        tx.query(LOCK_COMPANIES, &[&id]).await?;
        tx.query(LOCK_PERSON, &[&id]).await?;
        let person = store::find(tx, id).await?;
        let person = person.ok_or_else(Error::signed_out)?;
        if mode == ErasureMode::Requested && person.role == UserRole::Admin {
            let has_other: bool = tx.value(OTHER_PLATFORM_ADMIN, &[&id]).await?;
            if !has_other {
                return Err(Error::conflict(Code::LastAdmin));
            }
        }
        let anonymous = Anonymous::of(id, synthetic_cpf(tx.clock())?);
        leave_companies(tx, id, &anonymous, mode, entry).await?;
        drop_invites(tx, &person).await?;
        self.blank_sessions(tx, id).await?;
        for sql in OWN_ROWS {
            tx.execute(sql, &[&id]).await?;
        }
        store::anonymise(tx, id, &anonymous).await?;
        if mode == ErasureMode::Requested {
            mailer::enqueue_for(tx, &person, |name, at| Message::AccountDeleted { name, at })?;
        }
        Ok(())
    }

    /// The rows stay until their purge, because other nodes learn from them which sessions ended.
    async fn blank_sessions(&self, tx: &mut PlatformTx, id: UserId) -> Result<()> {
        for session in session::of_user_locked(tx, id).await? {
            self.revoke(tx, &Session { device: String::new(), ..session }).await?;
        }
        tx.execute(KEEP_ACCESS, &[&id]).await?;
        tx.execute(BLANK_SESSIONS, &[&id]).await.map(drop)
    }
}

/// The person's companies lose a member, or end where it was the only one. Their audit has it from whoever asked for the
/// erasure.
///
/// # Errors
/// `Conflict(LAST_ADMIN)` with the first company that needs the person.
async fn leave_companies(
    tx: &mut PlatformTx,
    id: UserId,
    anonymous: &Anonymous,
    mode: ErasureMode,
    entry: &Entry<'_>,
) -> Result<()> {
    let actor = entry.actor.or(Some(id));
    let exit = if actor == Some(id) { AuditAction::MemberLeave } else { AuditAction::MemberRemove };
    for row in tx.query(STANDINGS, &[&id]).await? {
        let company: CompanyId = row.try_get("company_id")?;
        let facts = MembershipFacts::try_from(&row)?;
        let outcome = match facts.decide() {
            Some(outcome) => outcome,
            None if mode == ErasureMode::Requested => {
                let detail = Detail::Company { id: company, name: row.try_get("company_name")? };
                return Err(Error::Conflict(Code::LastAdmin, detail));
            }
            None if facts.has_others => CompanyOutcome::LosesMember,
            None => CompanyOutcome::Ends,
        };
        let act =
            |action| Entry { actor, company: Some(company), action, target: None, ..entry.clone() };
        tx.execute(REMOVE_MEMBER, &[&company, &id]).await?;
        match outcome {
            CompanyOutcome::LosesMember => {
                let member = MemberView {
                    id: row.try_get("id")?,
                    user_id: id,
                    user_name: anonymous.name.clone(),
                    user_email: anonymous.email.clone(),
                    role: row.try_get("role")?,
                    status: MemberStatus::Inactive,
                    is_creator: row.try_get("is_creator")?,
                };
                let channel = Channel::Company(company);
                tx.emit(NewEvent::new(channel, EventName::MemberRemoved, member.id, &member)?);
                audit::record(tx, act(exit).about(id));
                if member.is_creator {
                    inheritance::pass_on(tx, company).await?;
                }
            }
            CompanyOutcome::Ends => {
                company::store::end(tx, company, act(AuditAction::CompanyDelete)).await?;
            }
        }
    }
    Ok(())
}

/// Invitations to the person's address, and the open ones as admin that the person sent. The companies see them go.
async fn drop_invites(tx: &mut PlatformTx, person: &User) -> Result<()> {
    for row in tx.query(DROP_INVITES, &[&person.email, &person.id]).await? {
        if row.try_get("is_open")? {
            let view = InviteView::try_from(&row)?;
            let channel = Channel::Company(row.try_get("company_id")?);
            tx.emit(NewEvent::new(channel, EventName::InviteRemoved, view.id, &view)?);
        }
    }
    Ok(())
}

const BACK: &str = "SELECT id FROM users WHERE id = ANY ($1) AND anonymised_at IS NULL";
const ERASED: &str = "SELECT id FROM users WHERE anonymised_at IS NOT NULL";
pub(in crate::auth) const LOCK_COMPANIES: &str = "SELECT id FROM companies \
     WHERE id IN (SELECT company_id FROM members WHERE user_id = $1) ORDER BY id FOR UPDATE";
/// With a platform admin all of them, in the order of `admin_store::lock`: of two who leave at once the second finds
/// that no other is left.
const LOCK_PERSON: &str = "SELECT id FROM users WHERE id = $1 OR role = 'admin' AND status = 'active' \
     AND EXISTS (SELECT FROM users WHERE id = $1 AND role = 'admin') ORDER BY id FOR UPDATE";
const OTHER_PLATFORM_ADMIN: &str = "SELECT EXISTS (SELECT FROM users WHERE role = 'admin' \
     AND status = 'active' AND id <> $1) AS found";
const STANDINGS: &str = "SELECT m.id, m.company_id, c.name AS company_name, m.role, \
     m.role = 'admin' AS is_admin, c.created_by = m.user_id AS is_creator, \
     EXISTS (SELECT FROM members o WHERE o.company_id = m.company_id AND o.user_id <> m.user_id) AS has_others, \
     EXISTS (SELECT FROM members o JOIN users u ON u.id = o.user_id WHERE o.company_id = m.company_id \
     AND o.user_id <> m.user_id AND o.role = 'admin' AND u.status = 'active') AS has_other_admin, \
     EXISTS (SELECT FROM subscriptions s WHERE s.company_id = m.company_id \
     AND s.price_cents > 0 AND s.status IN ('active', 'canceled', 'suspended')) \
     OR EXISTS (SELECT FROM payments p WHERE p.company_id = m.company_id AND NOT p.superseded \
     AND payment_is_open(p.state)) AS is_paying \
     FROM members m JOIN companies c ON c.id = m.company_id WHERE m.user_id = $1 ORDER BY m.company_id";
const REMOVE_MEMBER: &str = "DELETE FROM members WHERE company_id = $1 AND user_id = $2";
const DROP_INVITES: &str = "DELETE FROM invites WHERE email = $1 \
     OR invited_by = $2 AND role = 'admin' AND closed_at IS NULL \
     RETURNING id, company_id, email, role, expires_at, closed_at IS NULL AS is_open";
/// Kept for its time, whoever asked to be forgotten.
const KEEP_ACCESS: &str = "INSERT INTO access_records (session_id, user_id, at, ip) \
     SELECT id, user_id, created_at, ip FROM sessions WHERE user_id = $1 AND ip <> '' \
     ON CONFLICT (session_id) DO NOTHING";
const BLANK_SESSIONS: &str = "UPDATE sessions SET device = '', ip = '' WHERE user_id = $1";
/// The rest of what is the person's own, in every company at once.
const OWN_ROWS: &[&str] = &[
    DELETE_CODES,
    DELETE_TOTP_FACTORS,
    DELETE_PASSKEYS,
    DELETE_RECOVERY_CODES,
    DELETE_CHALLENGES,
    DELETE_NETWORKS,
    DELETE_IDEMPOTENCY_KEYS,
    DELETE_EVENTS,
    DELETE_NOTIFICATIONS,
    DELETE_NOTIFICATION_PREFERENCES,
    DELETE_SAVED_VIEWS,
    DELETE_MAILS_WAITING,
    DELETE_MAILBOX,
    // After the mails, whose addresses they know.
    DELETE_EMAIL_CHANGES,
    DELETE_UNDO_LINKS,
];
pub(in crate::auth) const DELETE_CODES: &str = "DELETE FROM codes WHERE user_id = $1";
pub(in crate::auth) const DELETE_TOTP_FACTORS: &str = "DELETE FROM totp_factors WHERE user_id = $1";
pub(in crate::auth) const DELETE_PASSKEYS: &str = "DELETE FROM passkeys WHERE user_id = $1";
const DELETE_RECOVERY_CODES: &str = "DELETE FROM recovery_codes WHERE user_id = $1";
pub(in crate::auth) const DELETE_CHALLENGES: &str =
    "DELETE FROM factor_challenges WHERE user_id = $1";
pub(in crate::auth) const DELETE_NETWORKS: &str = "DELETE FROM known_networks WHERE user_id = $1";
const DELETE_IDEMPOTENCY_KEYS: &str = "DELETE FROM idempotency_keys WHERE user_id = $1";
const DELETE_EVENTS: &str = "DELETE FROM events WHERE channel = 'user/' || $1::uuid::text";
const DELETE_NOTIFICATIONS: &str = "DELETE FROM notifications WHERE user_id = $1";
const DELETE_NOTIFICATION_PREFERENCES: &str =
    "DELETE FROM notification_preferences WHERE user_id = $1";
/// Also those of others that look for the person.
const DELETE_SAVED_VIEWS: &str = "DELETE FROM saved_views v USING users u WHERE u.id = $1 \
     AND (v.user_id = u.id OR lower(v.filters::jsonb ->> 'search') = u.email \
     OR regexp_replace(v.filters::jsonb ->> 'search', '[^0-9]', '', 'g') = u.document)";
/// Also those to an address that the account had until lately. To one that it was about to have, which may be somebody
/// else's, the own codes alone.
const DELETE_MAILS_WAITING: &str = "WITH own AS (SELECT email FROM users WHERE id = $1 \
     UNION SELECT email FROM undo_links WHERE user_id = $1) \
     DELETE FROM jobs WHERE kind IN ('mail', 'code_mail') AND (\
     EXISTS (SELECT FROM own WHERE email IN (payload::jsonb ->> 'to', payload::jsonb ->> 'email')) \
     OR $1::uuid::text IN (payload::jsonb ->> 'user_id', payload::jsonb #>> '{message,issue,user_id}'))";
const DELETE_MAILBOX: &str = "DELETE FROM mailbox WHERE recipient IN (SELECT email FROM users WHERE id = $1 \
     UNION SELECT email FROM undo_links WHERE user_id = $1 \
     UNION SELECT email FROM email_changes WHERE user_id = $1)";
pub(in crate::auth) const DELETE_EMAIL_CHANGES: &str =
    "DELETE FROM email_changes WHERE user_id = $1";
const DELETE_UNDO_LINKS: &str = "DELETE FROM undo_links WHERE user_id = $1";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_and_no_running_payment_is_left_without_an_admin() {
        let bits = |n: u8| [1, 2, 4, 8].map(|bit| n & bit != 0);
        for [is_admin, has_others, has_other_admin, is_paying] in (0..16).map(bits) {
            let facts = MembershipFacts { is_admin, has_others, has_other_admin, is_paying };
            let expected = match (is_admin && !has_other_admin, has_others, is_paying) {
                (true, true, _) | (true, _, true) => None,
                (_, true, _) => Some(CompanyOutcome::LosesMember),
                (_, false, _) => Some(CompanyOutcome::Ends),
            };
            assert_eq!(facts.decide(), expected, "{facts:?}");
        }
    }
}
