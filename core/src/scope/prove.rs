//! The proofs that the database gives: what a person is in a company, on the platform, and to an invitation. Called by
//! the server for every request. A role is read from the database each time, never from a token.

use tokio_postgres::Row;

use super::{AdminScope, CompanyScope, Invitee, Member, Permission, SignedIn};
use crate::auth::session::assurance::Assurance;
use crate::db::{CompanyTx, Db, UserTx};
use crate::error::{Code, Error, Result};
use crate::id::{CompanyId, UserId};

/// By the company, the person and the session.
pub(crate) const MEMBER_ROLE: &str = "SELECT m.role, c.created_by = m.user_id AS is_creator, \
     c.status = 'active' AS is_open FROM members m \
     JOIN companies c ON c.id = m.company_id JOIN sessions s ON s.user_id = m.user_id \
     WHERE m.company_id = $1 AND m.user_id = $2 AND s.id = $3 AND s.revoked_at IS NULL";

impl Member {
    /// # Errors
    /// `NotFound` for a company that does not exist or that the person does not belong to.
    pub async fn read(db: &Db, who: SignedIn, company_id: CompanyId) -> Result<Self> {
        let SignedIn { user_id, session_id } = who;
        let row = db.ask_as(user_id, MEMBER_ROLE, &[&company_id, &user_id, &session_id]).await?;
        Self::of(who, company_id, row.as_ref())
    }

    /// What the answer to `MEMBER_ROLE` says.
    ///
    /// # Errors
    /// As [`Member::read`].
    pub(crate) fn of(who: SignedIn, company_id: CompanyId, row: Option<&Row>) -> Result<Self> {
        let row = row.ok_or_else(Error::not_found)?;
        Ok(Self {
            company_id,
            who,
            role: row.try_get("role")?,
            is_creator: row.try_get("is_creator")?,
            is_open: row.try_get("is_open")?,
        })
    }
}

impl CompanyScope {
    /// Reads the role from the database, never from a token.
    ///
    /// # Errors
    /// As [`Member::read`] and [`Member::scope`].
    pub async fn prove(
        db: &Db,
        who: SignedIn,
        company_id: CompanyId,
        permission: Permission,
    ) -> Result<Self> {
        Member::read(db, who, company_id).await?.scope(permission)
    }
}

const IS_ADMIN: &str = "SELECT u.role = 'admin' AS is_admin, u.has_second_factor, s.stepped_up_at FROM users u \
     JOIN sessions s ON s.user_id = u.id \
     WHERE u.id = $1 AND s.id = $2 AND s.revoked_at IS NULL AND u.status = 'active'";

impl AdminScope {
    /// Reads the role from the database, so that a demoted admin is out with the next request.
    ///
    /// # Errors
    /// `Denied` for everybody else.
    pub async fn prove(db: &Db, who: SignedIn) -> Result<Self> {
        Self::of(who, db.ask(IS_ADMIN, &[&who.user_id, &who.session_id]).await?)
    }

    fn of(who: SignedIn, row: Option<Row>) -> Result<Self> {
        let row = row.ok_or(Error::Denied(Code::Forbidden))?;
        if !row.try_get("is_admin")? {
            return Err(Error::Denied(Code::Forbidden));
        }
        let (has_second_factor, stepped_up_at) =
            (row.try_get("has_second_factor")?, row.try_get("stepped_up_at")?);
        Ok(Self { who, assurance: Assurance { has_second_factor, stepped_up_at } })
    }

    /// Proves it again, for a command that waited for its turn.
    ///
    /// # Errors
    /// `Denied` for an admin who was demoted meanwhile.
    pub async fn prove_again(&self, db: &Db) -> Result<()> {
        Self::prove(db, self.who).await.map(drop)
    }

    /// As [`AdminScope::prove_again`], behind the locks of a transaction, on its connection: waiting for a second one
    /// there could keep every connection waiting.
    ///
    /// # Errors
    /// As [`AdminScope::prove_again`].
    pub async fn prove_within(&self, tx: &CompanyTx) -> Result<()> {
        let row = tx.query_opt(IS_ADMIN, &[&self.who.user_id, &self.who.session_id]).await?;
        Self::of(self.who, row).map(drop)
    }
}

/// Row-level security shows a person the invitations to their own proven address alone.
const INVITE_BY_TOKEN: &str = "SELECT id, company_id, role FROM invites WHERE token_sha256 = $1";
const OPEN_INVITES: &str = "SELECT id, company_id, role FROM invites WHERE closed_at IS NULL \
     AND expires_at > $1 AND email = (SELECT email FROM users WHERE id = $2 \
     AND mailbox_proven_at IS NOT NULL) ORDER BY created_at, id";

impl Invitee {
    /// The invitation of a token, also a used one, if it went to the person's address.
    pub async fn by_token(db: &Db, user: UserId, token_sha256: &[u8; 32]) -> Result<Option<Self>> {
        let row = db.ask_as(user, INVITE_BY_TOKEN, &[&token_sha256.as_slice()]).await?;
        row.as_ref().map(|row| Self::of(user, row)).transpose()
    }

    /// Every open invitation to the address of a person, if the reader of the mailbox chose the password. Any other
    /// person joins by the mailed link. Runs in the person's own transaction.
    pub async fn all(tx: &UserTx, user: UserId) -> Result<Vec<Self>> {
        let rows = tx.query(OPEN_INVITES, &[&tx.now(), &user]).await?;
        rows.iter().map(|row| Self::of(user, row)).collect()
    }

    fn of(user_id: UserId, row: &Row) -> Result<Self> {
        Ok(Self {
            user_id,
            company_id: row.try_get("company_id")?,
            invite_id: row.try_get("id")?,
            role: row.try_get("role")?,
        })
    }
}
