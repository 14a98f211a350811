//! People as platform admins see and change them: the list's rows, one person, the fields of an edit.
//!
//! Pure; `admin_store` remembers. A CPF stays masked here too.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Phone, UserName, UserRole, UserStatus, UserView};
use crate::brazil::cpf::Cpf;
use crate::error::{FieldCode, FieldErrors, Result};
use crate::id::{CompanyId, UserId};
use crate::scope::Role;
use crate::words::words;

words! {
    /// What somebody administers.
    pub enum AdminRole {
        /// The platform.
        Admin = "admin",
        /// A company at least.
        CompanyAdmin = "company_admin",
        User = "user",
    }
}

impl AdminRole {
    pub fn of(role: UserRole, is_company_admin: bool) -> Self {
        match role {
            UserRole::Admin => Self::Admin,
            UserRole::User if is_company_admin => Self::CompanyAdmin,
            UserRole::User => Self::User,
        }
    }
}

words! {
    /// The order of the list; a minus turns it.
    pub enum UserSort {
        Name = "name", NameDown = "-name", Email = "email", EmailDown = "-email",
        CreatedAt = "createdAt", CreatedAtDown = "-createdAt", LastLogin = "lastLogin",
        LastLoginDown = "-lastLogin", Status = "status", StatusDown = "-status",
    }
}

/// Which people are asked for.
#[derive(Clone, Debug, Default)]
pub struct UserFilter {
    /// Contained in name, e-mail or the name of a company, whatever the case and the accents.
    pub search: Option<String>,
    /// The same text as a CPF, where it is one: whoever has it is found, too.
    pub document: Option<Cpf>,
    pub role: Option<AdminRole>,
    pub status: Option<UserStatus>,
}

/// A row of the admin's list.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AdminUser {
    pub id: UserId,
    pub name: String,
    pub email: String,
    pub phone: String,
    pub role: AdminRole,
    pub status: UserStatus,
    /// The company that the person joined first.
    pub company: Option<UserCompany>,
    pub last_login: Option<Timestamp>,
    pub created_at: Timestamp,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct UserCompany {
    pub id: CompanyId,
    pub name: String,
}

/// Everybody, whatever the filter shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct UserSummary {
    pub total: i64,
    pub active: i64,
    /// Of the platform or of a company.
    pub admins: i64,
    pub pending: i64,
}

/// One person.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AdminUserDetail {
    #[serde(flatten)]
    pub user: UserView,
    pub role: AdminRole,
    pub last_login: Option<Timestamp>,
    /// Sign-ins that neither a person nor time has ended.
    #[schema(value_type = i64)]
    pub sessions: usize,
    pub has_second_factor: bool,
    pub companies: Vec<Membership>,
    pub consents: Vec<ConsentView>,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Membership {
    pub id: CompanyId,
    pub name: String,
    pub role: Role,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConsentView {
    /// `legal`, `privacy` or `lgpd`.
    pub kind: String,
    pub version: String,
    pub accepted_at: Timestamp,
}

/// The body of the admin's edit; what is left out stays.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct UserEditRequest {
    #[schema(min_length = 2, max_length = 200)]
    user_name: Option<String>,
    #[schema(min_length = 10, max_length = 32, pattern = r"^\s*\+?[0-9 ()-]+\s*$")]
    user_phone: Option<String>,
    role: Option<UserRole>,
    /// `active` or `inactive`; an account whose e-mail was never verified becomes `pending` again.
    #[schema(value_type = Option<String>, pattern = "^(active|inactive)$")]
    status: Option<UserStatus>,
}

/// An edit whose fields are proven.
#[derive(Clone, Debug, Default)]
pub struct UserEdit {
    pub name: Option<UserName>,
    pub phone: Option<Phone>,
    pub role: Option<UserRole>,
    pub status: Option<UserStatus>,
}

impl UserEditRequest {
    /// # Errors
    /// `Invalid` with every field that is wrong.
    pub fn parse(&self) -> Result<UserEdit> {
        let mut errors = FieldErrors::default();
        let name = self.user_name.as_deref().map(UserName::parse);
        let phone = self.user_phone.as_deref().map(Phone::parse);
        let edit = UserEdit {
            name: name.and_then(|name| errors.take("userName", name)),
            phone: phone.and_then(|phone| errors.take("userPhone", phone)),
            role: self.role,
            status: self.status,
        };
        if self.status == Some(UserStatus::Pending) {
            errors.add("status", FieldCode::Invalid);
        }
        errors.into_result(Some(edit))
    }
}
