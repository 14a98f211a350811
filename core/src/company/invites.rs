//! Invitations as the company's admins handle them: invite, repeat, cancel. `joining` is the invited side.
//!
//! A token is derived from its row and a key that is not in the database, where only its SHA-256 stands: neither
//! the table nor the job that mails it tells the link. Members and open invitations share the plan's seats, which
//! are counted under the company's lock.

use tokio_postgres::Row;

use super::decide::{self, Seats};
use super::invite_link::InviteLink;
use super::members;
use super::view::company_view;
use super::{Author, InviteOutcome, InviteView, Locked, NewInvite, lock_for};
use crate::audit::AuditAction;
use crate::auth::Auth;
use crate::db::CompanyTx;
use crate::error::{Code, Error, Result};
use crate::event::{Channel, EventName, NewEvent};
use crate::id::{CompanyId, InviteId, UserId};
use crate::mailer::{self, InviteNotice, Message, WelcomeNotice};
use crate::rate_limit;
use crate::row::from_row;
use crate::scope::{CompanyScope, Permission};
use crate::secret::sha256;
use crate::user::Email;

/// Adds a person at once whose address is verified and whose password was chosen by the reader of the mailbox. Mails
/// every other address a link. An address has one open invitation: inviting it again mails a new link with the new
/// role.
///
/// # Errors
/// `Conflict` ALREADY_MEMBER or PLAN_LIMIT_REACHED, `TooMany`, `Denied`, `NotFound`.
pub async fn invite(
    auth: &Auth,
    scope: &CompanyScope,
    new: &NewInvite,
    by: Author<'_>,
) -> Result<InviteOutcome> {
    // What the admin can see anyway is refused before it costs a token.
    let mut tx = auth.db.company_tx(scope).await?;
    room_for(&lock_for(&mut tx, Permission::ManageMembers).await?, &new.email).await?;
    tx.rollback().await?;
    spend(auth, scope.company_id(), by, &new.email).await?;
    let mut tx = auth.db.company_tx(scope).await?.caused_by(by.caller);
    let mut locked = lock_for(&mut tx, Permission::ManageMembers).await?;
    let open = room_for(&locked, &new.email).await?;
    // The lock of the account makes a verification under way wait, or waits for it: the person misses no invitation.
    let known = locked.query_opt(ACCOUNT, &[&new.email]).await?;
    let invited = match known {
        Some(person) if person.try_get("is_ready")? => {
            InviteOutcome::User(add_at_once(&mut locked, new, &person, by).await?)
        }
        _ => InviteOutcome::Invite(write(&mut locked, auth, new, open, by).await?),
    };
    tx.commit().await?;
    Ok(invited)
}

/// The open invitation that the address has already, after proving that there is a seat for it.
async fn room_for(tx: &Locked<'_>, email: &Email) -> Result<Option<InviteId>> {
    let company = tx.company_id();
    let row = tx.query_one(ROOM, &[&company, &email, &tx.now()]).await?;
    if row.try_get("is_member")? {
        return Err(Error::conflict(Code::AlreadyMember));
    }
    let open: Option<InviteId> = row.try_get("open")?;
    if open.is_none() {
        decide::take_seat(Seats { taken: row.try_get("taken")?, most: row.try_get("max_users")? })?;
    }
    Ok(open)
}

/// A statement of its own behind the lock: the lock's own would count what stood before it.
const ROOM: &str = "SELECT c.max_users, EXISTS (SELECT FROM members m JOIN users u ON u.id = m.user_id \
     WHERE m.company_id = $1 AND u.email = $2) AS is_member, \
     (SELECT id FROM invites WHERE company_id = $1 AND email = $2 AND closed_at IS NULL \
     AND expires_at > $3) AS open, (SELECT count(*) FROM members WHERE company_id = $1) \
     + (SELECT count(*) FROM invites WHERE company_id = $1 AND closed_at IS NULL AND expires_at > $3) \
     AS taken FROM companies c WHERE c.id = $1";

const ACCOUNT: &str = "SELECT id, name, status = 'active' AND email_verified_at IS NOT NULL \
     AND mailbox_proven_at IS NOT NULL AS is_ready FROM users WHERE email = $1 AND anonymised_at IS NULL FOR SHARE";

/// Row 15 of docs/security.md, "Limits": what an invitation and its repeat cost.
async fn spend(auth: &Auth, company: CompanyId, by: Author<'_>, email: &Email) -> Result<()> {
    let limits = &auth.limits;
    let company = limits.bucket(&["company", &company.to_string()]);
    let inviter = limits.bucket(&["user", &by.who.user_id.to_string()]);
    let address = limits.bucket(&["email", email.as_str()]);
    let wanted = [
        (rate_limit::INVITE_COMPANY, &company),
        (rate_limit::INVITER, &inviter),
        (rate_limit::INVITE_ADDRESS, &address),
    ];
    limits.take(&auth.db, &wanted).await
}

async fn add_at_once(
    tx: &mut Locked<'_>,
    new: &NewInvite,
    person: &Row,
    by: Author<'_>,
) -> Result<super::MemberView> {
    let user: UserId = person.try_get("id")?;
    close_all(tx, &new.email).await?;
    let member = members::add(tx, user, new.role).await?;
    let notice = WelcomeNotice {
        name: person.try_get("name")?,
        company: company_name(tx).await?,
        company_id: Some(tx.company_id()),
        role: new.role,
    };
    mailer::enqueue(tx, new.email.as_str(), Message::AddedToCompany(notice))?;
    by.record(tx, AuditAction::MemberAdd, &user, &[]);
    Ok(member)
}

/// Writes the invitation, or renews the open one, and mails its link.
async fn write(
    tx: &mut CompanyTx,
    auth: &Auth,
    new: &NewInvite,
    open: Option<InviteId>,
    by: Author<'_>,
) -> Result<InviteView> {
    if open.is_none() {
        // One that has expired still stands in the way of the index.
        close_all(tx, &new.email).await?;
    }
    let invite_id = open.unwrap_or_else(|| InviteId::new(tx.clock()));
    let key = Some(auth.keys.code.newest().id());
    let issue = InviteLink { invite_id, issued_at: tx.now(), key };
    let hash = sha256(issue.token(&auth.keys.code).as_bytes());
    let row = tx
        .query_one(
            WRITE,
            &[
                &invite_id,
                &tx.company_id(),
                &new.email,
                &new.role,
                &hash.as_slice(),
                &by.who.user_id,
                &issue.issued_at,
                &issue.expires_at(),
            ],
        )
        .await?;
    let view = InviteView::try_from(&row)?;
    mail_link(tx, &view, issue, by).await?;
    announce(tx, EventName::InviteCreated, &view)?;
    let action = if open.is_some() { AuditAction::InviteResend } else { AuditAction::InviteCreate };
    by.record(tx, action, &invite_id, &[]);
    Ok(view)
}

const WRITE: &str = "INSERT INTO invites \
     (id, company_id, email, role, token_sha256, invited_by, created_at, expires_at) \
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (id) DO UPDATE SET role = excluded.role, \
     token_sha256 = excluded.token_sha256, invited_by = excluded.invited_by, \
     expires_at = excluded.expires_at RETURNING id, email, role, expires_at";

async fn mail_link(
    tx: &mut CompanyTx,
    view: &InviteView,
    issue: InviteLink,
    by: Author<'_>,
) -> Result<()> {
    let inviter = tx.value(NAME, &[&by.who.user_id]).await?;
    let notice = InviteNotice { company: company_name(tx).await?, inviter, role: view.role, issue };
    mailer::enqueue(tx, &view.user_email, Message::Invite(notice))
}

const NAME: &str = "SELECT name FROM users WHERE id = $1";

async fn company_name(tx: &CompanyTx) -> Result<String> {
    Ok(company_view(tx).await?.company_name)
}

/// Mails a new link for an open invitation; the older link is void and the seven days begin again.
///
/// # Errors
/// `NotFound` for one that is used, cancelled or expired, `TooMany`, `Denied`.
pub async fn resend(auth: &Auth, scope: &CompanyScope, id: InviteId, by: Author<'_>) -> Result<()> {
    let email = open(&auth.db.company_tx(scope).await?, id).await?.email;
    spend(auth, scope.company_id(), by, &email).await?;
    let mut tx = auth.db.company_tx(scope).await?.caused_by(by.caller);
    let mut locked = lock_for(&mut tx, Permission::ManageMembers).await?;
    let same = open(&locked, id).await?;
    write(&mut locked, auth, &same, Some(id), by).await?;
    tx.commit().await
}

async fn open(tx: &CompanyTx, id: InviteId) -> Result<NewInvite> {
    let open = tx.find(OPEN, &[&tx.company_id(), &id, &tx.now()]).await?;
    open.ok_or_else(Error::not_found)
}

from_row! { NewInvite { email, role } }

const OPEN: &str = "SELECT email, role FROM invites \
     WHERE company_id = $1 AND id = $2 AND closed_at IS NULL AND expires_at > $3";

/// Takes an invitation back: its link is void.
///
/// # Errors
/// `NotFound` for one that is closed, `Denied`.
pub async fn cancel(tx: &mut CompanyTx, id: InviteId, by: Author<'_>) -> Result<()> {
    let tx = &mut lock_for(tx, Permission::ManageMembers).await?;
    let closed = tx.find(CLOSE, &[&tx.company_id(), &id, &tx.now()]).await?;
    let view: InviteView = closed.ok_or_else(Error::not_found)?;
    announce(tx, EventName::InviteRemoved, &view)?;
    by.record(tx, AuditAction::InviteCancel, &id, &[]);
    Ok(())
}

pub(super) const CLOSE: &str = "UPDATE invites SET closed_at = $3 \
     WHERE company_id = $1 AND id = $2 AND closed_at IS NULL RETURNING id, email, role, expires_at";

/// Closes what is open for an address, expired or not.
async fn close_all(tx: &mut CompanyTx, email: &Email) -> Result<()> {
    for view in tx.all(CLOSE_ALL, &[&tx.company_id(), &email, &tx.now()]).await? {
        announce(tx, EventName::InviteRemoved, &view)?;
    }
    Ok(())
}

const CLOSE_ALL: &str = "UPDATE invites SET closed_at = $3 \
     WHERE company_id = $1 AND email = $2 AND closed_at IS NULL RETURNING id, email, role, expires_at";

pub(super) fn announce(tx: &mut CompanyTx, name: EventName, invite: &InviteView) -> Result<()> {
    let channel = Channel::Company(tx.company_id());
    tx.emit(NewEvent::new(channel, name, invite.id, invite)?);
    Ok(())
}

/// The open invitations of the company, the oldest first.
pub(super) const INVITES: &str = "SELECT id, email, role, expires_at FROM invites \
     WHERE company_id = $1 AND closed_at IS NULL AND expires_at > $2 ORDER BY created_at, id";

from_row! { InviteView { id, user_email: "email", role, expires_at } }
