//! A company, its people and its invitations as members see them, with the columns of its row; and the audit of what
//! members do in it.

use jiff::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

use super::{Author, CompanyStatus};
use crate::audit::{self, AuditAction, AuditField, Entry};
use crate::db::CompanyTx;
use crate::error::{Error, Result};
use crate::id::{CompanyId, InviteId, MemberId, UserId};
use crate::row::from_row;
use crate::scope::Role;

/// A company in a list; the base of `company`.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CompanyView {
    pub id: CompanyId,
    pub company_name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub company_description: Option<String>,
    /// The caller's role. Left out where the object goes to several people (events and snapshots of a company), and in
    /// `membership.changed` of a person who is no longer a member.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub user_role: Option<Role>,
    pub company_created_by: UserId,
    pub status: CompanyStatus,
    pub created_at: Timestamp,
}

from_row! {
    CompanyView {
        id, company_name: "name", company_description: "description", user_role: "role",
        company_created_by: "created_by", status, created_at,
    }
}

/// The columns of a `CompanyView` in a statement that calls the company `c`, and the caller's role.
macro_rules! columns {
    ($role:literal) => {
        concat!(
            "c.id, c.name, c.description, ",
            $role,
            " AS role, c.created_by, c.status, c.created_at"
        )
    };
}
pub(super) use columns;

/// `company` of the contract: with its people.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CompanyDetail {
    #[serde(flatten)]
    pub company: CompanyView,
    pub users: Vec<MemberView>,
    /// The open ones.
    pub invites: Vec<InviteView>,
    pub stats: CompanyStats,
    /// How many members and open invites its plan allows; `-1` is unlimited.
    pub max_users: i32,
}

/// A member as members see each other.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MemberView {
    pub id: MemberId,
    pub user_id: UserId,
    pub user_name: String,
    pub user_email: String,
    pub role: Role,
    pub status: MemberStatus,
    pub is_creator: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum MemberStatus {
    Active,
    Inactive,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct InviteView {
    pub id: InviteId,
    pub user_email: String,
    pub role: Role,
    pub expires_at: Timestamp,
}

/// What the link of an invitation shows to whoever holds it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct InvitePreview {
    pub company_name: String,
    pub user_email: String,
    pub role: Role,
    pub expires_at: Timestamp,
}

/// The metric cards of a company.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CompanyStats {
    pub total: usize,
    pub active: usize,
    pub admins: usize,
    pub operators: usize,
    pub finance: usize,
}

impl CompanyStats {
    pub fn of(members: &[MemberView]) -> Self {
        let count = |wanted: fn(&MemberView) -> bool| members.iter().filter(|m| wanted(m)).count();
        Self {
            total: members.len(),
            active: count(|m| m.status == MemberStatus::Active),
            admins: count(|m| m.role == Role::Admin),
            operators: count(|m| m.role == Role::Operator),
            finance: count(|m| m.role == Role::Finance),
        }
    }
}

/// The company as it goes to several people.
///
/// # Errors
/// `NotFound` for one that is gone.
pub async fn company_view(tx: &CompanyTx) -> Result<CompanyView> {
    tx.find(VIEW, &[&tx.company_id()]).await?.ok_or_else(Error::not_found)
}

/// With how many people its plan allows.
pub(super) const VIEW: &str =
    concat!("SELECT ", columns!("NULL::text"), ", c.max_users FROM companies c WHERE c.id = $1");

impl Author<'_> {
    /// Audits an act on one object of the transaction's company.
    pub(super) fn record(
        self,
        tx: &CompanyTx,
        action: AuditAction,
        target: &impl ToString,
        fields: &[AuditField],
    ) {
        let entry = self.entry(tx.company_id(), action).about(target.to_string());
        audit::record(tx, Entry { fields, ..entry });
    }
}
