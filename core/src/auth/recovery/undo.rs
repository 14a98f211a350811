//! The link "não fui eu" in the mails about a changed password, a changed address, a new sign-in or a new second
//! factor.
//!
//! A person who uses the link holds the mailbox that the account had when the link was mailed. The account goes back
//! to that address. Every session ends. No password opens the account until a reset by mail sets one. A thief may have
//! added second factors: those of the 72 hours before the mail go, and all since; older ones stay. The networks that
//! were known are strange again, because one may be the thief's. The link voids the later links of the account and
//! never the earlier ones: a thief who moved the account to an address of their own cannot void the owner's link.

use jiff::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

use super::undo_link::{Cause, LIFETIME, UndoLink};
use crate::audit::{self, AuditAction, AuditField, Entry};
use crate::auth::Auth;
use crate::auth::password::Hasher;
use crate::auth::personal_data::erasure::{DELETE_CODES, DELETE_EMAIL_CHANGES, DELETE_NETWORKS};
use crate::auth::second_factor;
use crate::caller::Caller;
use crate::company;
use crate::db::{PlatformTx, Tx};
use crate::error::{Code, Error, Result};
use crate::event::{Channel, EventName, NewEvent};
use crate::id::UserId;
use crate::mailer::{self, Message};
use crate::secret::{KeyRing, sha256};
use crate::user::store;
use crate::user::{Email, User};

/// Makes the link that gives the account back to `user.email`, in the transaction of what it undoes. The person's row
/// is locked by then, which keeps the order of the links.
pub async fn issue(tx: &Tx, keys: &KeyRing, user: &User, cause: Cause) -> Result<UndoLink> {
    let key = Some(keys.newest().id());
    let issue = UndoLink { link_id: tx.clock().uuid(), issued_at: tx.now(), key };
    let hash = sha256(issue.token(keys).as_bytes());
    tx.execute(
        ISSUE,
        &[
            &issue.link_id,
            &user.id,
            &cause,
            &user.email,
            &hash.as_slice(),
            &issue.issued_at,
            &issue.expires_at(),
        ],
    )
    .await?;
    Ok(issue)
}

const ISSUE: &str = "INSERT INTO undo_links \
     (id, user_id, cause, email, token_sha256, issued_at, expires_at) VALUES ($1, $2, $3, $4, $5, $6, $7)";

/// What using a link has done.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Undone {
    pub cause: Cause,
    /// Where the account is now, and where a new password is asked for.
    pub user_email: String,
    /// The account had another address and has gone back to this one.
    pub email_restored: bool,
}

impl Auth {
    /// Uses a link: the account goes back to the address that the link was mailed to and needs a new password.
    ///
    /// # Errors
    /// `NotFound(UNDO_INVALID)` for a token that is wrong, used, void or expired.
    pub async fn undo(&self, token: &str, caller: &Caller) -> Result<Undone> {
        let refused = || Error::NotFound(Code::UndoInvalid);
        let hash = sha256(token.as_bytes());
        let now = self.db.clock().now();
        let found = self.db.ask(FIND, &[&hash.as_slice(), &now]).await?;
        let user_id: UserId = found.ok_or_else(refused)?.try_get("user_id")?;
        // As the platform: the companies of the person see the address that they have again.
        let mut tx = self.db.platform_tx(&self.platform).await?.caused_by(caller);
        let person = store::lock_credentials(&tx, user_id).await?.ok_or_else(refused)?.user;
        let row = tx.query_opt(USE, &[&hash.as_slice(), &tx.now()]).await?.ok_or_else(refused)?;
        let (cause, email): (Cause, Email) = (row.try_get("cause")?, row.try_get("email")?);
        let number: i64 = row.try_get("number")?;
        tx.execute(VOID_LATER, &[&user_id, &number, &tx.now()]).await?;
        let email_restored = person.email != email;
        if email_restored {
            move_to(&mut tx, user_id, &email).await?;
        }
        let unmatched = Hasher::unmatched_hash(tx.clock());
        store::set_password(&tx, user_id, &unmatched).await?;
        forget_proofs(&tx, user_id).await?;
        tx.execute(DELETE_NETWORKS, &[&user_id]).await?;
        let issued_at: Timestamp = row.try_get("issued_at")?;
        let since = issued_at.checked_sub(LIFETIME).map_err(Error::internal)?;
        let factors_removed = second_factor::remove_since(&mut tx, user_id, since).await?;
        self.end_sessions(&mut tx, user_id, None).await?;
        let fields: &[AuditField] = if email_restored { &[AuditField::UserEmail] } else { &[] };
        let entry = caller.audit_by(user_id, AuditAction::UserUndo).about(cause.as_str());
        audit::record(&tx, Entry { fields, ..entry });
        let person = User { email, ..person };
        let message = |name, at| Message::AccountProtected { name, at, factors_removed };
        mailer::enqueue_for(&mut tx, &person, message)?;
        tx.commit().await?;
        Ok(Undone { cause, user_email: person.email.as_str().to_owned(), email_restored })
    }
}

/// Gives the account another address and tells everybody who sees it.
///
/// # Errors
/// `Conflict(EMAIL_EXISTS)`.
pub(in crate::auth) async fn move_to(
    tx: &mut PlatformTx,
    user: UserId,
    email: &Email,
) -> Result<()> {
    store::set_email(tx, user, email).await?;
    company::admin_store::announce_member(tx, user).await?;
    tx.emit(NewEvent::new(Channel::User(user), EventName::MembershipChanged, user, &())?);
    Ok(())
}

/// Codes that went to another mailbox, and an address that waits for one, count no longer.
pub(in crate::auth) async fn forget_proofs(tx: &Tx, user: UserId) -> Result<()> {
    tx.execute(DELETE_CODES, &[&user]).await?;
    tx.execute(DELETE_EMAIL_CHANGES, &[&user]).await.map(drop)
}

const FIND: &str = "SELECT user_id FROM undo_links \
     WHERE token_sha256 = $1 AND used_at IS NULL AND expires_at > $2";
const USE: &str = "UPDATE undo_links SET used_at = $2 \
     WHERE token_sha256 = $1 AND used_at IS NULL AND expires_at > $2 RETURNING number, cause, email, issued_at";
const VOID_LATER: &str = "UPDATE undo_links SET used_at = $3 \
     WHERE user_id = $1 AND number > $2 AND used_at IS NULL";
