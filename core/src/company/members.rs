//! Members: added by an invitation, given another role, removed, leaving. Every command holds the company's row
//! lock and looks its giver's own role up again behind it, so that of two admins who remove each other one wins.
//!
//! The company's channel learns of the member, the person's own channel of the membership: that one makes every
//! node look at their sockets again.

use super::decide::{self, Target};
use super::store::{MEMBER, view};
use super::{By, CompanyView, MemberView};
use crate::db::CompanyTx;
use crate::error::{Code, Error, Result};
use crate::event::{Channel, EventName, NewEvent};
use crate::id::{MemberId, UserId};
use crate::scope::{Permission, Role};

/// Puts the commands on one company in line and proves again that their giver may give them: the role may have
/// changed, or the company been suspended, while a command waited for its turn. A job needs no role.
///
/// # Errors
/// `NotFound` for who is no member any more, `Denied` for too low a role.
pub async fn lock(tx: &CompanyTx, permission: Permission) -> Result<()> {
    let company = tx.company_id();
    let row = tx.query_opt(LOCK, &[&company]).await?.ok_or_else(Error::not_found)?;
    let is_open: bool = row.try_get("is_open")?;
    let Some(giver) = tx.scope().user_id() else { return Ok(()) };
    let row = tx.query_opt(ROLE, &[&company, &giver]).await?.ok_or_else(Error::not_found)?;
    let role = Role::parse(row.try_get("role")?)
        .ok_or_else(|| Error::internal("members.role is unknown"))?;
    let may = permission.allows(role) && (is_open || !permission.is_a_change());
    if may { Ok(()) } else { Err(Error::Denied(Code::Forbidden)) }
}

const LOCK: &str = "SELECT status = 'active' AS is_open FROM companies WHERE id = $1 FOR UPDATE";
const ROLE: &str = "SELECT role FROM members WHERE company_id = $1 AND user_id = $2";

/// Gives a member another role; the same role again changes nothing and leaves no trace.
///
/// # Errors
/// `NotFound`, `Denied`, `Conflict` CREATOR_LOCKED or LAST_ADMIN.
pub async fn set_role(
    tx: &mut CompanyTx,
    user: UserId,
    role: Role,
    by: By<'_>,
) -> Result<MemberView> {
    lock(tx, Permission::ManageMembers).await?;
    let target = target(tx, user).await?;
    if decide::change_role(target, role)? {
        let company = tx.company_id();
        tx.execute(SET_ROLE, &[&company, &user, &role.as_str(), &tx.now()]).await?;
        let member = member(tx, user).await?;
        announce(tx, EventName::MemberUpdated, &member)?;
        tell(tx, user, Some(role)).await?;
        by.record(tx, "member.update", &user, &["role"]).await?;
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
pub async fn remove(tx: &mut CompanyTx, user: UserId, by: By<'_>) -> Result<()> {
    let is_leaving = user == by.who.user_id;
    let needed = if is_leaving { Permission::LeaveCompany } else { Permission::ManageMembers };
    lock(tx, needed).await?;
    decide::remove(target(tx, user).await?)?;
    let member = member(tx, user).await?;
    tx.execute(REMOVE, &[&tx.company_id(), &user]).await?;
    announce(tx, EventName::MemberRemoved, &member)?;
    tell(tx, user, None).await?;
    let action = if is_leaving { "member.leave" } else { "member.remove" };
    by.record(tx, action, &user, &[]).await
}

const REMOVE: &str = "DELETE FROM members WHERE company_id = $1 AND user_id = $2";

/// Adds somebody under the company's lock, where a seat was found for them.
pub(super) async fn add(tx: &mut CompanyTx, user: UserId, role: Role) -> Result<MemberView> {
    let id = MemberId::new(tx.clock());
    let company = tx.company_id();
    tx.execute(ADD, &[&id, &company, &user, &role.as_str(), &tx.now()]).await?;
    let member = member(tx, user).await?;
    announce(tx, EventName::MemberAdded, &member)?;
    tell(tx, user, Some(role)).await?;
    Ok(member)
}

pub(super) const ADD: &str = "INSERT INTO members (id, company_id, user_id, role, created_at, \
     updated_at) VALUES ($1, $2, $3, $4, $5, $5)";

/// Removes everybody; the company is about to end.
pub(super) async fn remove_all(tx: &mut CompanyTx, view: &CompanyView) -> Result<()> {
    let rows = tx.query(REMOVE_ALL, &[&tx.company_id()]).await?;
    for row in &rows {
        changed(tx, row.try_get("user_id")?, view, None)?;
    }
    Ok(())
}

const REMOVE_ALL: &str = "DELETE FROM members WHERE company_id = $1 RETURNING user_id";

/// # Errors
/// `NotFound` for who is no member.
pub(super) async fn member(tx: &CompanyTx, user: UserId) -> Result<MemberView> {
    let row = tx.query_opt(MEMBER, &[&tx.company_id(), &user]).await?;
    MemberView::try_from(&row.ok_or_else(Error::not_found)?)
}

async fn target(tx: &CompanyTx, user: UserId) -> Result<Target> {
    let member = member(tx, user).await?;
    let row = tx.query_one(OTHER_ADMIN, &[&tx.company_id(), &user]).await?;
    Ok(Target {
        role: member.role,
        is_creator: member.is_creator,
        has_other_admin: row.try_get("found")?,
    })
}

const OTHER_ADMIN: &str = "SELECT EXISTS (SELECT FROM members m JOIN users u ON u.id = m.user_id \
     WHERE m.company_id = $1 AND m.user_id <> $2 AND m.role = 'admin' AND u.status = 'active') AS found";

fn announce(tx: &mut CompanyTx, name: EventName, member: &MemberView) -> Result<()> {
    let channel = Channel::Company(tx.company_id());
    tx.emit(NewEvent::new(channel, name, member.id, member)?);
    Ok(())
}

/// The person's own channel: what they are in the company from now on; without a role, nobody.
async fn tell(tx: &mut CompanyTx, user: UserId, role: Option<Role>) -> Result<()> {
    let view = view(tx).await?.ok_or_else(Error::not_found)?;
    changed(tx, user, &view, role)
}

fn changed(tx: &mut CompanyTx, user: UserId, view: &CompanyView, role: Option<Role>) -> Result<()> {
    let view = CompanyView { user_role: role, ..view.clone() };
    let channel = Channel::User(user);
    tx.emit(NewEvent::new(channel, EventName::MembershipChanged, view.id, &view)?);
    Ok(())
}

pub const STATEMENTS: &[&str] = &[LOCK, ROLE, SET_ROLE, REMOVE, ADD, REMOVE_ALL, OTHER_ADMIN];
