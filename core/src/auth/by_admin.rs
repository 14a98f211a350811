//! A platform admin reads, edits or erases somebody's account, or ends its sessions. Every act, and every reading,
//! leaves an audit row in its own transaction.

use super::personal_data::erasure::LOCK_COMPANIES;
use super::{Auth, session};
use crate::audit::{self, Entry};
use crate::caller::Caller;
use crate::company;
use crate::db::{Db, PlatformTx};
use crate::error::{Code, Error, Result};
use crate::event::{Channel, EventName, NewEvent};
use crate::id::{SessionId, UserId};
use crate::scope::AdminScope;
use crate::user::admin::{AdminUserDetail, UserEdit};
use crate::user::{UserStatus, admin_store};

impl Auth {
    /// One person.
    ///
    /// # Errors
    /// `NotFound`.
    pub async fn look_at(
        &self,
        db: &Db,
        admin: &AdminScope,
        id: UserId,
        caller: &Caller,
    ) -> Result<AdminUserDetail> {
        let mut tx = db.admin_tx(admin).await?;
        tx.set_cause(Some(&caller.request_id));
        let detail = admin_store::detail(&tx, id).await?;
        let entry = audit::by_admin(admin, caller, "user.read");
        audit::record(&tx, Entry { target: Some(id.to_string()), ..entry }).await?;
        tx.commit().await?;
        Ok(detail)
    }

    /// Changes name, phone, role or status. Whoever is deactivated is signed out everywhere; a role counts from
    /// the next request and the next frame. An edit that changes nothing is a look.
    ///
    /// # Errors
    /// `NotFound`, `Denied` for the own role and status, `Denied(STEP_UP_REQUIRED)` for a role.
    pub async fn edit_user(
        &self,
        db: &Db,
        admin: &AdminScope,
        (id, edit): (UserId, &UserEdit),
        caller: &Caller,
    ) -> Result<AdminUserDetail> {
        let mut tx = db.admin_tx(admin).await?;
        tx.set_cause(Some(&caller.request_id));
        admin_store::lock(&tx, admin, id).await?;
        let before = admin_store::detail(&tx, id).await?;
        admin_store::edit(&tx, id, edit).await?;
        let after = admin_store::detail(&tx, id).await?;
        let fields = changes(&before, &after);
        if fields.is_empty() {
            let entry = audit::by_admin(admin, caller, "user.read");
            audit::record(&tx, Entry { target: Some(id.to_string()), ..entry }).await?;
            tx.commit().await?;
            return Ok(after);
        }
        let is_own_standing = fields.iter().any(|field| matches!(*field, "role" | "status"));
        if fields.contains(&"role") {
            admin.assurance().prove_fresh(tx.now())?;
        }
        if id == admin.user_id() && is_own_standing {
            return Err(Error::Denied(Code::Forbidden));
        }
        let ended = match after.user.status {
            UserStatus::Inactive => end_sessions(&mut tx, id).await?,
            UserStatus::Active | UserStatus::Pending => Vec::new(),
        };
        company::admin_store::announce_member(&mut tx, id).await?;
        tx.emit(NewEvent::new(Channel::User(id), EventName::MembershipChanged, id, &())?);
        let entry = Entry { fields: &fields, ..audit::by_admin(admin, caller, "user.edit") };
        audit::record(&tx, Entry { target: Some(id.to_string()), ..entry }).await?;
        self.commit_ended(tx, ended).await?;
        Ok(after)
    }

    /// Signs the person out everywhere.
    ///
    /// # Errors
    /// `NotFound`.
    pub async fn end_sessions_of(
        &self,
        db: &Db,
        admin: &AdminScope,
        id: UserId,
        caller: &Caller,
    ) -> Result<()> {
        let mut tx = db.admin_tx(admin).await?;
        tx.set_cause(Some(&caller.request_id));
        admin_store::lock(&tx, admin, id).await?;
        let ended = end_sessions(&mut tx, id).await?;
        let entry = audit::by_admin(admin, caller, "user.end_sessions");
        audit::record(&tx, Entry { target: Some(id.to_string()), ..entry }).await?;
        self.commit_ended(tx, ended).await
    }

    /// Anonymises the person, as `DELETE /me` does.
    ///
    /// # Errors
    /// `NotFound`, `Denied` for oneself, `Denied(STEP_UP_REQUIRED)`, `Conflict(LAST_ADMIN)`
    /// for the only admin of a company.
    pub async fn erase_user(
        &self,
        db: &Db,
        admin: &AdminScope,
        id: UserId,
        caller: &Caller,
    ) -> Result<()> {
        if id == admin.user_id() {
            return Err(Error::Denied(Code::Forbidden));
        }
        admin.assurance().prove_fresh(db.clock().now())?;
        let mut tx = db.admin_tx(admin).await?;
        tx.set_cause(Some(&caller.request_id));
        // The order of locks: companies, then people, then the admins, so that no two admins erase each other.
        tx.query(LOCK_COMPANIES, &[&id]).await?;
        admin_store::lock(&tx, admin, id).await?;
        admin_store::detail(&tx, id).await?;
        let entry = audit::by_admin(admin, caller, "user.erase");
        let entry = Entry { target: Some(id.to_string()), ..entry };
        self.erase_person(db, tx, id, entry).await
    }

    /// The node refuses the ended sessions from the commit on.
    async fn commit_ended(&self, tx: PlatformTx, ended: Vec<SessionId>) -> Result<()> {
        let now = tx.now();
        tx.commit().await?;
        for session in ended {
            self.revocations.note(session, now);
        }
        Ok(())
    }
}

async fn end_sessions(tx: &mut PlatformTx, id: UserId) -> Result<Vec<SessionId>> {
    let mut ended = Vec::new();
    for session in session::of_user_locked(tx, id).await? {
        session::revoke(tx, &session).await?;
        ended.push(session.id);
    }
    Ok(ended)
}

fn changes(before: &AdminUserDetail, after: &AdminUserDetail) -> Vec<&'static str> {
    let (old, new) = (&before.user, &after.user);
    let fields = [
        ("userName", old.user_name != new.user_name),
        ("userPhone", old.user_phone != new.user_phone),
        ("role", old.user_role != new.user_role),
        ("status", old.status != new.status),
    ];
    fields.into_iter().filter(|(_, changed)| *changed).map(|(name, _)| name).collect()
}
