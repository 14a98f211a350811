//! Members: added by an invitation, given another role, removed, leaving. Every command holds the company's lock and
//! reads the role of its giver again behind the lock. So of two admins who remove each other one wins.
//!
//! The company's channel learns of the member, the person's own channel of the membership. The second event makes
//! every node look at the person's sockets again. A notification says the same in words.

use tokio_postgres::Row;

use super::decide::{self, MemberFacts};
use super::view::company_view;
use super::{Author, CompanyView, InviteView, Locked, MemberStatus, MemberView, lock_for};
use crate::audit::{AuditAction, AuditField};
use crate::db::{CompanyTx, Tx};
use crate::error::{Error, Result};
use crate::event::{Channel, EventName, NewEvent};
use crate::id::{MemberId, UserId};
use crate::notification::{self, NewNotification, NotificationTopic};
use crate::scope::{Permission, Role};

/// Gives a member another role; the same role again changes nothing and leaves no trace.
///
/// # Errors
/// `NotFound`, `Denied`, `Conflict` CREATOR_LOCKED or LAST_ADMIN.
pub async fn set_role(
    tx: &mut CompanyTx,
    user: UserId,
    role: Role,
    by: Author<'_>,
) -> Result<MemberView> {
    let tx = &mut lock_for(tx, Permission::ManageMembers).await?;
    let target = target(tx, user).await?;
    if decide::change_role(target, role)? {
        let company = tx.company_id();
        tx.execute(SET_ROLE, &[&company, &user, &role, &tx.now()]).await?;
        if target.role == Role::Admin {
            cancel_admin_invites(tx, user, by).await?;
        }
        let member = member(tx, user).await?;
        announce(tx, EventName::MemberUpdated, &member)?;
        announce_membership(tx, user, Some(role)).await?;
        notify(tx, NotificationTopic::MemberRole, user, Some(role));
        by.record(tx, AuditAction::MemberUpdate, &user, &[AuditField::Role]);
        return Ok(member);
    }
    member(tx, user).await
}

const SET_ROLE: &str = "UPDATE members SET role = $3, updated_at = $4 \
     WHERE company_id = $1 AND user_id = $2";

/// Removes a member, or lets the giver of the command leave.
///
/// # Errors
/// As [`set_role`].
pub async fn remove(tx: &mut CompanyTx, user: UserId, by: Author<'_>) -> Result<()> {
    let is_leaving = user == by.who.user_id;
    let needed = if is_leaving { Permission::LeaveCompany } else { Permission::ManageMembers };
    let tx = &mut lock_for(tx, needed).await?;
    let target = target(tx, user).await?;
    decide::remove(target)?;
    let member = member(tx, user).await?;
    tx.execute(REMOVE, &[&tx.company_id(), &user]).await?;
    if target.role == Role::Admin {
        cancel_admin_invites(tx, user, by).await?;
    }
    announce(tx, EventName::MemberRemoved, &member)?;
    announce_membership(tx, user, None).await?;
    if !is_leaving {
        notify(tx, NotificationTopic::MemberRemoved, user, None);
    }
    let action = if is_leaving { AuditAction::MemberLeave } else { AuditAction::MemberRemove };
    by.record(tx, action, &user, &[]);
    Ok(())
}

const REMOVE: &str = "DELETE FROM members WHERE company_id = $1 AND user_id = $2";

/// Takes back the open invitations as admin that a former admin sent, so that no second address leads back in.
async fn cancel_admin_invites(tx: &mut CompanyTx, sender: UserId, by: Author<'_>) -> Result<()> {
    let channel = Channel::Company(tx.company_id());
    let cancelled: Vec<InviteView> =
        tx.all(CANCEL_ADMIN_INVITES, &[&tx.company_id(), &sender, &tx.now()]).await?;
    for view in cancelled {
        tx.emit(NewEvent::new(channel, EventName::InviteRemoved, view.id, &view)?);
        by.record(tx, AuditAction::InviteCancel, &view.id, &[]);
    }
    Ok(())
}

const CANCEL_ADMIN_INVITES: &str = "UPDATE invites SET closed_at = $3 WHERE company_id = $1 AND invited_by = $2 \
     AND role = 'admin' AND closed_at IS NULL RETURNING id, email, role, expires_at";

/// Adds a person for whom a seat was found behind the same lock.
pub(super) async fn add(tx: &mut Locked<'_>, user: UserId, role: Role) -> Result<MemberView> {
    insert(tx, user, role).await?;
    let member = member(tx, user).await?;
    announce(tx, EventName::MemberAdded, &member)?;
    announce_membership(tx, user, Some(role)).await?;
    notify(tx, NotificationTopic::MemberAdded, user, Some(role));
    Ok(member)
}

/// Writes the row and tells nobody: the creator of a company is announced with the company.
pub(super) async fn insert(tx: &CompanyTx, user: UserId, role: Role) -> Result<()> {
    let id = MemberId::new(tx.clock());
    tx.execute(INSERT, &[&id, &tx.company_id(), &user, &role, &tx.now()]).await.map(drop)
}

const INSERT: &str = "INSERT INTO members (id, company_id, user_id, role, created_at, \
     updated_at) VALUES ($1, $2, $3, $4, $5, $5)";

/// Removes everybody from a company that ends.
pub(super) async fn remove_all(tx: &mut Locked<'_>, view: &CompanyView) -> Result<()> {
    let rows = tx.query(REMOVE_ALL, &[&tx.company_id()]).await?;
    let mut people = Vec::with_capacity(rows.len());
    for row in &rows {
        let user = row.try_get("user_id")?;
        membership_changed(tx, user, view, None)?;
        people.push(user);
    }
    notification::store::notify(
        tx,
        NewNotification::of_people(NotificationTopic::CompanyEnded, people),
    );
    Ok(())
}

const REMOVE_ALL: &str = "DELETE FROM members WHERE company_id = $1 RETURNING user_id";

/// Rows of `MemberView`, with their companies.
macro_rules! members_where {
    ($condition:literal) => {
        concat!(
            "SELECT m.company_id, m.id, m.user_id, u.name, u.email, m.role, u.status = 'active' AS active, \
             m.user_id = c.created_by AS is_creator FROM members m JOIN users u ON u.id = m.user_id \
             JOIN companies c ON c.id = m.company_id WHERE ",
            $condition
        )
    };
}
pub(super) use members_where;

/// The members of the company, the oldest first.
pub(super) const MEMBERS: &str = members_where!("m.company_id = $1 ORDER BY m.created_at, m.id");

/// # Errors
/// `NotFound` for a person who is no member.
pub(super) async fn member(tx: &CompanyTx, user: UserId) -> Result<MemberView> {
    tx.find(MEMBER, &[&tx.company_id(), &user]).await?.ok_or_else(Error::not_found)
}

pub(super) const MEMBER: &str = members_where!("m.company_id = $1 AND m.user_id = $2");

/// Whether the person is a member.
pub(super) async fn is_member(tx: &Locked<'_>, user: UserId) -> Result<bool> {
    tx.value(IS_MEMBER, &[&tx.company_id(), &user]).await
}

const IS_MEMBER: &str =
    "SELECT EXISTS (SELECT FROM members WHERE company_id = $1 AND user_id = $2) AS found";

async fn target(tx: &CompanyTx, user: UserId) -> Result<MemberFacts> {
    let member = member(tx, user).await?;
    let has_other_admin = tx.value(OTHER_ADMIN, &[&tx.company_id(), &user]).await?;
    Ok(MemberFacts { role: member.role, is_creator: member.is_creator, has_other_admin })
}

const OTHER_ADMIN: &str = "SELECT EXISTS (SELECT FROM members m JOIN users u ON u.id = m.user_id \
     WHERE m.company_id = $1 AND m.user_id <> $2 AND m.role = 'admin' AND u.status = 'active') AS found";

fn announce(tx: &mut CompanyTx, name: EventName, member: &MemberView) -> Result<()> {
    let channel = Channel::Company(tx.company_id());
    tx.emit(NewEvent::new(channel, name, member.id, member)?);
    Ok(())
}

/// The person's own channel: what they are in the company from now on; without a role, nobody.
async fn announce_membership(tx: &mut CompanyTx, user: UserId, role: Option<Role>) -> Result<()> {
    let view = company_view(tx).await?;
    membership_changed(tx, user, &view, role)
}

pub(super) fn membership_changed(
    tx: &mut Tx,
    user: UserId,
    view: &CompanyView,
    role: Option<Role>,
) -> Result<()> {
    let view = CompanyView { user_role: role, ..view.clone() };
    tx.emit(NewEvent::new(Channel::User(user), EventName::MembershipChanged, view.id, &view)?);
    Ok(())
}

/// Notifies the person of what they are in the company from now on.
fn notify(tx: &mut CompanyTx, topic: NotificationTopic, user: UserId, role: Option<Role>) {
    notification::store::notify(
        tx,
        NewNotification { role, ..NewNotification::of_people(topic, vec![user]) },
    );
}

impl TryFrom<&Row> for MemberView {
    type Error = Error;

    fn try_from(row: &Row) -> Result<Self> {
        let is_active: bool = row.try_get("active")?;
        Ok(Self {
            id: row.try_get("id")?,
            user_id: row.try_get("user_id")?,
            user_name: row.try_get("name")?,
            user_email: row.try_get("email")?,
            role: row.try_get("role")?,
            status: if is_active { MemberStatus::Active } else { MemberStatus::Inactive },
            is_creator: row.try_get("is_creator")?,
        })
    }
}
