//! A platform admin reads, edits or erases somebody's account, or ends its sessions. Every act, and every reading,
//! leaves an audit row in its own transaction.

use super::Auth;
use super::personal_data::erasure::LOCK_COMPANIES;
use super::session;
use crate::audit::{self, AuditAction, AuditField, Entry};
use crate::caller::Caller;
use crate::company;
use crate::db::PlatformTx;
use crate::error::{Code, Error, FieldCode, Result};
use crate::event::{Channel, EventName, NewEvent};
use crate::id::UserId;
use crate::scope::AdminScope;
use crate::user::admin::{AdminUserDetail, UserEdit};
use crate::user::{UserStatus, admin_store};

impl Auth {
    /// One person.
    ///
    /// # Errors
    /// `NotFound`.
    pub async fn view_user(
        &self,
        admin: &AdminScope,
        id: UserId,
        caller: &Caller,
    ) -> Result<AdminUserDetail> {
        let tx = self.db.admin_tx(admin).await?.caused_by(caller);
        let detail = person(&tx, id).await?;
        audit::record(&tx, audit::by_admin(admin, caller, AuditAction::UserRead).about(id));
        tx.commit().await?;
        Ok(detail)
    }

    /// Changes name, phone, role or status. Whoever is deactivated is signed out everywhere; a role counts from
    /// the next request and the next frame. An edit that changes nothing is audited as a view.
    ///
    /// # Errors
    /// `NotFound`, `Denied` for the own role and status, `Denied(STEP_UP_REQUIRED)` for a role, `Invalid(status)` to
    /// activate a person whose address is not verified.
    pub async fn edit_user(
        &self,
        admin: &AdminScope,
        id: UserId,
        edit: &UserEdit,
        caller: &Caller,
    ) -> Result<AdminUserDetail> {
        let mut tx = self.db.admin_tx(admin).await?.caused_by(caller);
        admin_store::lock(&tx, admin, id).await?;
        let before = person(&tx, id).await?;
        admin_store::edit(&tx, id, edit).await?;
        let after = person(&tx, id).await?;
        let [was, is] = [&before, &after].map(|person| person.user.status);
        if edit.status == Some(UserStatus::Active) && [was, is] == [UserStatus::Pending; 2] {
            return Err(Error::invalid("status", FieldCode::Invalid));
        }
        let fields = changes(&before, &after);
        if fields.is_empty() {
            audit::record(&tx, audit::by_admin(admin, caller, AuditAction::UserRead).about(id));
            tx.commit().await?;
            return Ok(after);
        }
        let is_own_standing =
            fields.iter().any(|field| matches!(field, AuditField::Role | AuditField::Status));
        if fields.contains(&AuditField::Role) {
            admin.assurance().prove_fresh(tx.now())?;
        }
        if id == admin.user_id() && is_own_standing {
            return Err(Error::Denied(Code::Forbidden));
        }
        if after.user.status == UserStatus::Inactive {
            self.end_sessions(&mut tx, id, None).await?;
        }
        company::admin_store::announce_member(&mut tx, id).await?;
        tx.emit(NewEvent::new(Channel::User(id), EventName::MembershipChanged, id, &())?);
        let entry = audit::by_admin(admin, caller, AuditAction::UserEdit).about(id);
        audit::record(&tx, Entry { fields: &fields, ..entry });
        tx.commit().await?;
        Ok(after)
    }

    /// Signs the person out everywhere.
    ///
    /// # Errors
    /// `NotFound`.
    pub async fn end_sessions_of(
        &self,
        admin: &AdminScope,
        id: UserId,
        caller: &Caller,
    ) -> Result<()> {
        let mut tx = self.db.admin_tx(admin).await?.caused_by(caller);
        admin_store::lock(&tx, admin, id).await?;
        person(&tx, id).await?;
        self.end_sessions(&mut tx, id, None).await?;
        audit::record(&tx, audit::by_admin(admin, caller, AuditAction::UserEndSessions).about(id));
        tx.commit().await
    }

    /// Anonymises the person, as `DELETE /me` does.
    ///
    /// # Errors
    /// `NotFound`, `Denied` for oneself, `Denied(STEP_UP_REQUIRED)`, `Conflict(LAST_ADMIN)`
    /// for the only admin of a company.
    pub async fn erase_user(&self, admin: &AdminScope, id: UserId, caller: &Caller) -> Result<()> {
        if id == admin.user_id() {
            return Err(Error::Denied(Code::Forbidden));
        }
        admin.assurance().prove_fresh(self.db.clock().now())?;
        let tx = self.db.admin_tx(admin).await?.caused_by(caller);
        // The order of locks: companies, then people, then the admins, so that no two admins erase each other.
        tx.query(LOCK_COMPANIES, &[&id]).await?;
        admin_store::lock(&tx, admin, id).await?;
        person(&tx, id).await?;
        let entry = audit::by_admin(admin, caller, AuditAction::UserErase).about(id);
        self.erase_person(tx, id, entry).await
    }
}

/// # Errors
/// `NotFound`, also for somebody who was erased.
async fn person(tx: &PlatformTx, id: UserId) -> Result<AdminUserDetail> {
    let sessions = session::of_user(tx, id).await?.len();
    admin_store::detail(tx, id, sessions).await
}

fn changes(before: &AdminUserDetail, after: &AdminUserDetail) -> Vec<AuditField> {
    let (old, new) = (&before.user, &after.user);
    audit::changed([
        (AuditField::UserName, old.user_name != new.user_name),
        (AuditField::UserPhone, old.user_phone != new.user_phone),
        (AuditField::Role, old.user_role != new.user_role),
        (AuditField::Status, old.status != new.status),
    ])
}
