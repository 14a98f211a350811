//! Proofs of what the caller may do. A `CompanyScope` comes only from `Member::scope`, and only a
//! scope opens a `CompanyTx` (invariant I4). The permission table of the product stands here, once.

mod access;

use tokio_postgres::Row;

use crate::auth::second_factor::step_up::Assurance;
use crate::clock::Clock;
use crate::db::{Db, PersonTx};
use crate::error::{Code, Error, Result};
use crate::id::{CompanyId, InviteId, SessionId, UserId};

pub use access::Access;

/// A person's role inside one company.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize, utoipa::ToSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    Admin,
    Operator,
    Finance,
}

impl Role {
    pub const ALL: [Role; 3] = [Role::Admin, Role::Operator, Role::Finance];

    pub fn as_str(self) -> &'static str {
        match self {
            Role::Admin => "admin",
            Role::Operator => "operator",
            Role::Finance => "finance",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Role::ALL.into_iter().find(|role| role.as_str() == text)
    }
}

/// A role of a row.
pub(crate) fn stored_role(text: &str) -> Result<Role> {
    Role::parse(text).ok_or_else(|| Error::internal(format!("the stored role {text} is unknown")))
}

/// What can be done inside a company.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Permission {
    ReadCompany,
    EditCompany,
    /// See [`Permission::is_the_creators`].
    DeleteCompany,
    ManageMembers,
    LeaveCompany,
    /// Who did what in the company.
    ReadAudit,
    ReadSubscription,
    ManageSubscription,
    ReadPayments,
    ManagePayments,
}

impl Permission {
    pub const ALL: [Permission; 10] = [
        Permission::ReadCompany,
        Permission::EditCompany,
        Permission::DeleteCompany,
        Permission::ManageMembers,
        Permission::LeaveCompany,
        Permission::ReadAudit,
        Permission::ReadSubscription,
        Permission::ManageSubscription,
        Permission::ReadPayments,
        Permission::ManagePayments,
    ];

    /// The permission table: operation × role.
    pub fn allows(self, role: Role) -> bool {
        match self {
            Permission::ReadCompany | Permission::LeaveCompany | Permission::ReadSubscription => {
                true
            }
            Permission::EditCompany
            | Permission::DeleteCompany
            | Permission::ManageMembers
            | Permission::ReadAudit => role == Role::Admin,
            Permission::ManageSubscription
            | Permission::ReadPayments
            | Permission::ManagePayments => {
                matches!(role, Role::Admin | Role::Finance)
            }
        }
    }
}

impl Permission {
    /// Beside the role it takes to have created the company.
    pub fn is_the_creators(self) -> bool {
        self == Permission::DeleteCompany
    }

    /// What nobody does in a company that a platform admin has suspended or closed. Leaving it stays possible.
    pub fn is_a_change(self) -> bool {
        match self {
            Permission::ReadCompany
            | Permission::ReadAudit
            | Permission::ReadSubscription
            | Permission::ReadPayments
            | Permission::LeaveCompany => false,
            Permission::EditCompany
            | Permission::DeleteCompany
            | Permission::ManageMembers
            | Permission::ManageSubscription
            | Permission::ManagePayments => true,
        }
    }
}

/// Who sent the request: a live session of an active person, proven from the access token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SignedIn {
    pub user_id: UserId,
    pub session_id: SessionId,
}

/// Proof that a person belongs to a company now and may do what was asked.
#[derive(Clone, Copy, Debug)]
pub struct CompanyScope {
    company_id: CompanyId,
    user_id: Option<UserId>,
    role: Role,
}

const MEMBER_ROLE: &str = "SELECT m.role, c.created_by = m.user_id AS is_creator, \
     c.status = 'active' AS is_open FROM members m \
     JOIN companies c ON c.id = m.company_id JOIN sessions s ON s.user_id = m.user_id \
     WHERE m.company_id = $1 AND m.user_id = $2 AND s.id = $3 AND s.revoked_at IS NULL";

/// What a person is in a company, by the database.
#[derive(Clone, Copy, Debug)]
pub struct Member {
    company_id: CompanyId,
    user_id: UserId,
    role: Role,
    is_creator: bool,
    /// Neither suspended nor closed by a platform admin.
    is_open: bool,
}

impl Member {
    /// # Errors
    /// `NotFound` for a company that does not exist or that the person does not belong to.
    pub async fn read(db: &Db, who: SignedIn, company_id: CompanyId) -> Result<Self> {
        let ids = (company_id, who.user_id, who.session_id);
        let row = db.ask_as(who.user_id, MEMBER_ROLE, &[&ids.0, &ids.1, &ids.2]).await?;
        let row = row.ok_or_else(Error::not_found)?;
        Ok(Self {
            company_id,
            user_id: who.user_id,
            role: stored_role(row.try_get("role")?)?,
            is_creator: row.try_get("is_creator")?,
            is_open: row.try_get("is_open")?,
        })
    }

    /// # Errors
    /// `Denied` for too low a role.
    pub fn scope(self, permission: Permission) -> Result<CompanyScope> {
        let is_refused = !permission.allows(self.role)
            || permission.is_the_creators() && !self.is_creator
            || permission.is_a_change() && !self.is_open;
        if is_refused {
            return Err(Error::Denied(Code::Forbidden));
        }
        let (company_id, user_id) = (self.company_id, Some(self.user_id));
        Ok(CompanyScope { company_id, user_id, role: self.role })
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

    /// The company's creator becomes its first admin in the transaction that creates it.
    pub fn of_new_company(clock: &Clock, creator: UserId) -> Self {
        Self { company_id: CompanyId::new(clock), user_id: Some(creator), role: Role::Admin }
    }

    /// Whoever was invited acts in the company with the role that waits for them.
    pub fn of_invitee(invitee: &Invitee) -> Self {
        Self { company_id: invitee.company_id, user_id: Some(invitee.user_id), role: invitee.role }
    }

    /// A platform admin who looks into a company.
    pub fn of_admin(admin: &AdminScope, company_id: CompanyId) -> Self {
        Self { company_id, user_id: Some(admin.user_id()), role: Role::Admin }
    }

    /// A job or webhook that works for the company named in our own row.
    pub fn of_job(_proof: &JobScope, company_id: CompanyId) -> Self {
        Self { company_id, user_id: None, role: Role::Admin }
    }

    pub fn company_id(&self) -> CompanyId {
        self.company_id
    }

    /// The person behind the command; none for jobs.
    pub fn user_id(&self) -> Option<UserId> {
        self.user_id
    }

    pub fn role(&self) -> Role {
        self.role
    }
}

/// Proof that a live session belongs to a platform admin now.
#[derive(Clone, Copy, Debug)]
pub struct AdminScope {
    who: SignedIn,
    assurance: Assurance,
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
        let row = db.ask(IS_ADMIN, &[&who.user_id, &who.session_id]).await?;
        let row = row.ok_or(Error::Denied(Code::Forbidden))?;
        if !row.try_get("is_admin")? {
            return Err(Error::Denied(Code::Forbidden));
        }
        let (has_second_factor, stepped_up_at) =
            (row.try_get("has_second_factor")?, row.try_get("stepped_up_at")?);
        Ok(Self { who, assurance: Assurance { has_second_factor, stepped_up_at } })
    }

    /// The same proof again, for a command that waited for its turn.
    ///
    /// # Errors
    /// `Denied` for who was demoted meanwhile.
    pub async fn prove_again(&self, db: &Db) -> Result<()> {
        Self::prove(db, self.who).await.map(drop)
    }

    pub fn user_id(&self) -> UserId {
        self.who.user_id
    }

    pub fn session_id(&self) -> SessionId {
        self.who.session_id
    }

    pub fn assurance(&self) -> Assurance {
        self.assurance
    }
}

/// Proof that a person has proven the address that an invitation went to.
#[derive(Clone, Copy, Debug)]
pub struct Invitee {
    user_id: UserId,
    company_id: CompanyId,
    invite_id: InviteId,
    role: Role,
}

/// Row-level security shows a person the invitations to their own proven address alone.
const INVITE_BY_TOKEN: &str = "SELECT id, company_id, role FROM invites WHERE token_sha256 = $1";
const OPEN_INVITES: &str = "SELECT id, company_id, role FROM invites WHERE closed_at IS NULL \
     AND expires_at > $1 AND email = (SELECT email FROM users WHERE id = $2 \
     AND mailbox_proven_at IS NOT NULL) ORDER BY created_at, id";

impl Invitee {
    /// The invitation of a token, also a used one, if it went to the person's address.
    pub async fn by_token(db: &Db, user: UserId, token_sha256: &[u8; 32]) -> Result<Option<Self>> {
        let tx = db.person_tx(user).await?;
        let row = tx.query_opt(INVITE_BY_TOKEN, &[&token_sha256.as_slice()]).await?;
        tx.rollback().await?;
        row.as_ref().map(|row| Self::of(user, row)).transpose()
    }

    /// Every open invitation to the address of a person whose password was chosen by whoever reads its mailbox, in
    /// the person's own transaction. Anybody else joins by the link that was mailed.
    pub async fn all(tx: &PersonTx, user: UserId) -> Result<Vec<Self>> {
        let rows = tx.query(OPEN_INVITES, &[&tx.now(), &user]).await?;
        rows.iter().map(|row| Self::of(user, row)).collect()
    }

    fn of(user_id: UserId, row: &Row) -> Result<Self> {
        Ok(Self {
            user_id,
            company_id: row.try_get("company_id")?,
            invite_id: row.try_get("id")?,
            role: stored_role(row.try_get("role")?)?,
        })
    }

    pub fn user_id(&self) -> UserId {
        self.user_id
    }

    pub fn invite_id(&self) -> InviteId {
        self.invite_id
    }
}

/// Proof that the platform itself works: job runner, relay, webhook worker. Made once in `main` and tests.
#[derive(Debug)]
pub struct JobScope(());

impl JobScope {
    /// Called where the background work is started, never in a request.
    pub fn of_this_process() -> Self {
        Self(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_permission_table_is_what_the_contract_says() {
        let table: Vec<(Permission, Vec<&str>)> = Permission::ALL
            .into_iter()
            .map(|p| {
                (p, Role::ALL.into_iter().filter(|r| p.allows(*r)).map(Role::as_str).collect())
            })
            .collect();
        let everyone = vec!["admin", "operator", "finance"];
        let money = vec!["admin", "finance"];
        assert_eq!(
            table,
            [
                (Permission::ReadCompany, everyone.clone()),
                (Permission::EditCompany, vec!["admin"]),
                (Permission::DeleteCompany, vec!["admin"]),
                (Permission::ManageMembers, vec!["admin"]),
                (Permission::LeaveCompany, everyone.clone()),
                (Permission::ReadAudit, vec!["admin"]),
                (Permission::ReadSubscription, everyone),
                (Permission::ManageSubscription, money.clone()),
                (Permission::ReadPayments, money.clone()),
                (Permission::ManagePayments, money),
            ]
        );
        let creators: Vec<Permission> =
            Permission::ALL.into_iter().filter(|p| p.is_the_creators()).collect();
        assert_eq!(creators, [Permission::DeleteCompany]);
    }
}
