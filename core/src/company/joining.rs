//! The invited side of an invitation: what its link shows, accepting it, and joining by proving the address.
//!
//! An invitation needs its token and a verified address equal to the invited one. It is used once; the person
//! who used it may repeat the call. While a platform admin keeps the company suspended or closed, nobody joins.

use serde::{Deserialize, Serialize};

use super::invites::{CLOSE, announce};
use super::{Author, CompanyDetail, InvitePreview, InviteView, lock, members, store};
use crate::audit::{self, AuditAction, Entry};
use crate::auth::Auth;
use crate::caller::Caller;
use crate::db::{Db, UserTx};
use crate::error::{Code, Error, Result};
use crate::event::EventName;
use crate::id::UserId;
use crate::job::{self, JobKind};
use crate::rate_limit;
use crate::row::from_row;
use crate::scope::{CompanyScope, Invitee, Permission};
use crate::secret::sha256;
use crate::user;

/// How soon a job repeats what a verification could not finish.
const RETRY_AFTER: jiff::SignedDuration = jiff::SignedDuration::from_secs(30);

/// The company, role and address of an open invitation, for the holder of its link.
///
/// # Errors
/// `NotFound(INVITE_INVALID)`, `TooMany` for a network that guesses tokens.
pub async fn preview(auth: &Auth, token: &str, caller: &Caller) -> Result<InvitePreview> {
    refuse_guesser(auth, caller).await?;
    match shown(&auth.db, token).await? {
        Some(preview) => Ok(preview),
        None => Err(guessed(auth, caller).await),
    }
}

async fn shown(db: &Db, token: &str) -> Result<Option<InvitePreview>> {
    let hash = sha256(token.as_bytes());
    let tx = db.invite_tx(&hash).await?;
    tx.find(PREVIEW, &[&hash.as_slice(), &tx.now()]).await
}

const PREVIEW: &str = "SELECT c.name, i.email, i.role, i.expires_at FROM invites i \
     JOIN companies c ON c.id = i.company_id \
     WHERE i.token_sha256 = $1 AND i.closed_at IS NULL AND i.expires_at > $2 \
     AND c.status = 'active'";

from_row! { InvitePreview { company_name: "name", user_email: "email", role, expires_at } }

async fn refuse_guesser(auth: &Auth, caller: &Caller) -> Result<()> {
    let network = auth.limits.bucket(&["ip", &caller.network]);
    auth.limits.check(&auth.db, &[(rate_limit::INVITE_GUESSED, &network)]).await
}

/// INVITE_INVALID, which costs a token of the network.
async fn guessed(auth: &Auth, caller: &Caller) -> Error {
    match auth.limit(rate_limit::INVITE_GUESSED, &["ip", &caller.network]).await {
        Ok(()) => Error::NotFound(Code::InviteInvalid),
        Err(error) => error,
    }
}

/// Makes the signed-in person a member.
///
/// # Errors
/// `NotFound(INVITE_INVALID)`, `Denied` for an invitation that went to another address, `TooMany`.
pub async fn accept(auth: &Auth, token: &str, by: Author<'_>) -> Result<CompanyDetail> {
    refuse_guesser(auth, by.caller).await?;
    let hash = sha256(token.as_bytes());
    let Some(invitee) = Invitee::by_token(&auth.db, by.who.user_id, &hash).await? else {
        let is_anothers = shown(&auth.db, token).await?.is_some();
        let refused = guessed(auth, by.caller).await;
        return Err(match refused {
            Error::NotFound(_) if is_anothers => Error::Denied(Code::Forbidden),
            refused => refused,
        });
    };
    let has_joined = join(&auth.db, &invitee, Some(by)).await?;
    let company = CompanyScope::of_invitee(&invitee).company_id();
    let scope = CompanyScope::prove(&auth.db, by.who, company, Permission::ReadCompany).await;
    let scope = match scope {
        // Used before, and not a member any more.
        Err(Error::NotFound(_)) if !has_joined => {
            return Err(guessed(auth, by.caller).await);
        }
        other => other?,
    };
    store::detail(&auth.db.company_tx(&scope).await?).await?.ok_or_else(Error::not_found)
}

/// Uses the invitation up and adds the member. `false` if the invitation was closed or has expired, or the company is
/// closed. An open invitation has a seat, so the plan's limit is not checked again. A person who is a member already,
/// because their address was changed to the invited one, keeps their role.
async fn join(db: &Db, invitee: &Invitee, by: Option<Author<'_>>) -> Result<bool> {
    let mut tx = db.company_tx(&CompanyScope::of_invitee(invitee)).await?;
    tx.set_cause(by.map(|by| by.caller.request_id.as_str()));
    let (company, now) = (tx.company_id(), tx.now());
    let mut locked = lock(&mut tx).await?;
    if !locked.is_open() {
        return Ok(false);
    }
    let closed = locked.find(CLOSE, &[&company, &invitee.invite_id(), &now]).await?;
    let Some(invite) = closed.filter(|invite: &InviteView| invite.expires_at > now) else {
        return Ok(false);
    };
    announce(&mut locked, EventName::InviteRemoved, &invite)?;
    if !members::is_member(&locked, invitee.user_id()).await? {
        members::add(&mut locked, invitee.user_id(), invite.role).await?;
    }
    match by {
        Some(by) => {
            // Signed in and holding the link: the password and the mailbox are in the same hands.
            user::store::prove_mailbox(&tx, invitee.user_id()).await?;
            by.record(&tx, AuditAction::InviteAccept, &invite.id, &[]);
        }
        None => {
            let (actor, company) = (Some(invitee.user_id()), Some(company));
            let entry = Entry { actor, company, ..Entry::of(AuditAction::InviteAccept) };
            audit::record(&tx, entry.about(invite.id));
        }
    }
    tx.commit().await?;
    Ok(true)
}

/// Payload of a `JoinInvited` job.
#[derive(Debug, Serialize, Deserialize)]
struct JoinJob {
    user_id: UserId,
}

/// Called in the transaction that proves an address: what [`join_all`] cannot finish, a job does.
pub(crate) async fn schedule(tx: &mut UserTx, user: UserId) -> Result<()> {
    if Invitee::all(tx, user).await?.is_empty() {
        return Ok(());
    }
    let at = tx.now().checked_add(RETRY_AFTER).map_err(Error::internal)?;
    let key = user.to_string();
    job::add(tx, JobKind::JoinInvited, &key, at, &JoinJob { user_id: user })
}

/// Every open invitation to the person's address becomes a membership, as far as [`Invitee::all`] goes. Safe to repeat.
pub async fn join_all(db: &Db, user: UserId) -> Result<()> {
    let invitees = Invitee::all(&db.user_tx(user).await?, user).await?;
    for invitee in &invitees {
        join(db, invitee, None).await?;
    }
    Ok(())
}

/// As [`join_all`], right behind the commit that [`schedule`]d it.
pub(crate) async fn join_at_once(db: &Db, user: UserId) {
    if let Err(error) = join_all(db, user).await {
        tracing::warn!(%error, "joining the companies that invited is left to its job");
    }
}

/// Runs a job of kind `JoinInvited`.
pub async fn run_job(db: &Db, job: &job::Job) -> Result<()> {
    let joining: JoinJob = job.payload()?;
    join_all(db, joining.user_id).await
}
