//! Proofs of what the caller may do. Only a proof opens a transaction that sees a company's rows: `CompanyScope` a
//! `CompanyTx`, `AdminScope` and `JobScope` a `PlatformTx` (invariant I4). The permission table of the product stands
//! here, once. `prove` reads the database; `access` reads for many sockets at once.

mod access;
mod prove;

use crate::auth::session::assurance::Assurance;
use crate::clock::Clock;
use crate::error::{Code, Error, Result};
use crate::id::{CompanyId, InviteId, SessionId, UserId};
use crate::words::words;

pub use access::Access;
pub(crate) use prove::MEMBER_ROLE;

words! {
    /// A person's role inside one company.
    pub enum Role {
        Admin = "admin",
        Operator = "operator",
        Finance = "finance",
    }
}

macro_rules! permissions {
    ($($(#[$doc:meta])* $name:ident),+ $(,)?) => {
        /// What can be done inside a company.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Permission { $($(#[$doc])* $name),+ }

        impl Permission {
            #[cfg(test)]
            const ALL: &[Permission] = &[$(Permission::$name),+];
        }

        /// Each permission as a type, so that a handler's signature says what it needs.
        pub mod needs {
            use super::Permission;

            pub trait Needs: 'static {
                const PERMISSION: Permission;
            }

            $(
                /// See [`Permission`].
                #[derive(Debug)]
                pub struct $name;

                impl Needs for $name {
                    const PERMISSION: Permission = Permission::$name;
                }
            )+
        }
    };
}

permissions! {
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

    /// Whether only the company's creator may do it, in addition to the role that it needs.
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
    session_id: Option<SessionId>,
    role: Role,
}

/// What a person is in a company, by the database.
#[derive(Clone, Copy, Debug)]
pub struct Member {
    company_id: CompanyId,
    who: SignedIn,
    role: Role,
    is_creator: bool,
    /// Neither suspended nor closed by a platform admin.
    is_open: bool,
}

impl Member {
    /// # Errors
    /// `Denied` for too low a role.
    pub fn scope(self, permission: Permission) -> Result<CompanyScope> {
        let is_refused = !permission.allows(self.role)
            || permission.is_the_creators() && !self.is_creator
            || permission.is_a_change() && !self.is_open;
        if is_refused {
            return Err(Error::Denied(Code::Forbidden));
        }
        let SignedIn { user_id, session_id } = self.who;
        let (user_id, session_id) = (Some(user_id), Some(session_id));
        Ok(CompanyScope { company_id: self.company_id, user_id, session_id, role: self.role })
    }
}

impl CompanyScope {
    /// The company's creator becomes its first admin in the transaction that creates it.
    pub fn of_new_company(clock: &Clock, creator: UserId) -> Self {
        let (company_id, user_id) = (CompanyId::new(clock), Some(creator));
        Self { company_id, user_id, session_id: None, role: Role::Admin }
    }

    /// Whoever was invited acts in the company with the role that waits for them.
    pub fn of_invitee(invitee: &Invitee) -> Self {
        let (company_id, user_id) = (invitee.company_id, Some(invitee.user_id));
        Self { company_id, user_id, session_id: None, role: invitee.role }
    }

    /// A platform admin who looks into a company.
    pub fn of_admin(admin: &AdminScope, company_id: CompanyId) -> Self {
        let SignedIn { user_id, session_id } = admin.who;
        let (user_id, session_id) = (Some(user_id), Some(session_id));
        Self { company_id, user_id, session_id, role: Role::Admin }
    }

    /// A job or webhook that works for the company named in our own row.
    pub fn of_job(_proof: &JobScope, company_id: CompanyId) -> Self {
        Self { company_id, user_id: None, session_id: None, role: Role::Admin }
    }

    pub fn company_id(&self) -> CompanyId {
        self.company_id
    }

    /// The person behind the command; none for jobs.
    pub fn user_id(&self) -> Option<UserId> {
        self.user_id
    }

    /// The session that gave the command; none for jobs, and where somebody joins or begins a company.
    pub fn session_id(&self) -> Option<SessionId> {
        self.session_id
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

impl AdminScope {
    pub fn who(&self) -> SignedIn {
        self.who
    }

    pub fn user_id(&self) -> UserId {
        self.who.user_id
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

impl Invitee {
    pub fn user_id(&self) -> UserId {
        self.user_id
    }

    pub fn invite_id(&self) -> InviteId {
        self.invite_id
    }
}

/// Proof that the platform itself works: job runner, relay, webhook worker. Opening the database gives the only one
/// (`db::OpenedDb`); the parts of a process that work for the platform are handed clones of it.
#[derive(Clone, Debug)]
pub struct JobScope(());

impl JobScope {
    /// Called by `Db::open` alone; a test of the tree holds it to that.
    pub(crate) fn of_opened_database() -> Self {
        Self(())
    }

    /// For tests that work as the platform.
    #[cfg(feature = "testing")]
    pub fn of_test() -> Self {
        Self(())
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[test]
    fn the_permission_table_is_what_the_contract_says() {
        let table: Vec<(Permission, Vec<&str>)> = Permission::ALL
            .iter()
            .map(|&p| {
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
            Permission::ALL.iter().copied().filter(|p| p.is_the_creators()).collect();
        assert_eq!(creators, [Permission::DeleteCompany]);
    }

    #[test]
    fn a_member_does_what_their_role_their_company_and_its_creation_allow() {
        let scope = |role, is_creator, is_open, permission| {
            let (company_id, user_id) = (CompanyId(Uuid::from_u128(1)), UserId(Uuid::from_u128(2)));
            let who = SignedIn { user_id, session_id: SessionId(Uuid::from_u128(3)) };
            Member { company_id, who, role, is_creator, is_open }.scope(permission)
        };
        let refused = |role, is_creator, is_open| -> Vec<Permission> {
            let is_refused = |p: &Permission| scope(role, is_creator, is_open, *p).is_err();
            Permission::ALL.iter().copied().filter(is_refused).collect()
        };
        assert_eq!(refused(Role::Admin, true, true), []);
        assert_eq!(refused(Role::Admin, false, true), [Permission::DeleteCompany]);
        let changes = [
            Permission::EditCompany,
            Permission::DeleteCompany,
            Permission::ManageMembers,
            Permission::ManageSubscription,
            Permission::ManagePayments,
        ];
        assert_eq!(refused(Role::Admin, true, false), changes, "in a suspended company");
        let of_admins = [
            Permission::EditCompany,
            Permission::DeleteCompany,
            Permission::ManageMembers,
            Permission::ReadAudit,
        ];
        assert_eq!(refused(Role::Finance, true, true), of_admins, "though they created it");
        let given = scope(Role::Finance, false, true, Permission::ManagePayments).unwrap();
        let (company, person) = (given.company_id(), given.user_id());
        assert_eq!((company.0.as_u128(), person.map(|id| id.0.as_u128())), (1, Some(2)));
        assert_eq!(given.role(), Role::Finance);
    }
}
