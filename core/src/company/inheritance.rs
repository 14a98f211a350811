//! The creator of a company has erased the account: the admin who belongs to the company the longest becomes its
//! creator, so that somebody may delete it. Called by the erasure, under the company's lock, after the creator has
//! left.

use super::members::{MEMBER, membership_changed};
use super::view::columns;
use super::{CompanyView, MemberView};
use crate::audit::{self, AuditAction, AuditField, Entry};
use crate::db::PlatformTx;
use crate::error::{Error, Result};
use crate::event::{Channel, EventName, NewEvent};
use crate::id::{CompanyId, UserId};
use crate::scope::Role;

const HEIR: &str = "SELECT m.user_id FROM members m JOIN users u ON u.id = m.user_id \
     WHERE m.company_id = $1 AND m.role = 'admin' AND u.status = 'active' \
     ORDER BY m.created_at, m.id LIMIT 1";
const PASS_ON: &str = concat!(
    "UPDATE companies c SET created_by = $2, updated_at = $3 WHERE c.id = $1 RETURNING ",
    columns!("NULL::text")
);

/// Does nothing where no admin is left, as after a restore.
pub async fn pass_on(tx: &mut PlatformTx, company: CompanyId) -> Result<()> {
    let heir: Option<UserId> = tx.find_value(HEIR, &[&company]).await?;
    let Some(heir) = heir else { return Ok(()) };
    let row = tx.query_one(PASS_ON, &[&company, &heir, &tx.now()]).await?;
    let view = CompanyView::try_from(&row)?;
    let member: Option<MemberView> = tx.find(MEMBER, &[&company, &heir]).await?;
    let member = member.ok_or_else(Error::not_found)?;
    let channel = Channel::Company(company);
    tx.emit(NewEvent::new(channel, EventName::CompanyUpdated, company, &view)?);
    tx.emit(NewEvent::new(channel, EventName::MemberUpdated, member.id, &member)?);
    membership_changed(tx, heir, &view, Some(Role::Admin))?;
    let entry = Entry::of(AuditAction::CompanyInherit).about(heir);
    audit::record(tx, Entry { company: Some(company), fields: &[AuditField::CreatedBy], ..entry });
    Ok(())
}
