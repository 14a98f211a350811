//! `PUT /me/password`: another password while signed in.
//!
//! The session that asks keeps its tokens. Every other session ends. The owner is mailed a link that undoes the
//! change.

use crate::audit::{self, AuditAction};
use crate::auth::Auth;
use crate::auth::recovery::undo;
use crate::auth::recovery::undo_link::Cause;
use crate::caller::Caller;
use crate::error::Result;
use crate::mailer::{self, Message};
use crate::scope::SignedIn;
use crate::user::Password;
use crate::user::store;

const ACTION: AuditAction = AuditAction::UserChangePassword;

impl Auth {
    /// # Errors
    /// `Invalid(currentPassword)` for a wrong one, `TooMany` as at sign-in, `Unavailable` when too many passwords are
    /// being compared.
    pub async fn change_password(
        &self,
        who: SignedIn,
        current: &str,
        new: &Password,
        caller: &Caller,
    ) -> Result<()> {
        let given = ("currentPassword", current);
        let proven = self.prove_current_password(who, given, (ACTION, caller)).await?;
        let hash = self.hasher.hash(new.as_str()).await?;
        let mut tx = self.db.tx().await?.caused_by(caller);
        let person = self.still_proven(&tx, &proven).await?;
        store::set_password(&tx, person.id, &hash).await?;
        self.end_sessions(&mut tx, person.id, Some(who.session_id)).await?;
        audit::record(&tx, caller.audit_of(who, ACTION));
        let undo = Some(undo::issue(&tx, &self.keys.code, &person, Cause::Password).await?);
        let message = |name, at| Message::PasswordChanged { name, at, undo };
        mailer::enqueue_for(&mut tx, &person, message)?;
        tx.commit().await
    }
}
