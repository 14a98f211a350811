//! Companies: their names, descriptions and invitations, parsed from requests, and the views that their members get.
//!
//! Pure, like `decide`; `store` remembers companies, `view` shows one, `members` has its people, `invites` and
//! `joining` both sides of an invitation. The subscription writes the company's limits (`max_users`, `max_beeping`).

pub mod admin;
pub mod admin_store;
pub mod billing_profile;
pub mod decide;
pub mod inheritance;
pub mod invite_link;
pub mod invites;
pub mod joining;
pub mod lock;
pub mod members;
pub mod store;
pub mod view;

use derive_more::Display;
use jiff::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

use crate::audit::{AuditAction, Entry};
use crate::caller::Caller;
use crate::column::column;
use crate::error::{FieldCode, FieldErrors, Result};
use crate::id::{CompanyId, InviteId, MemberId, UserId};
use crate::scope::{Role, SignedIn};
use crate::user::{Email, parse_name, parse_note};
use crate::words::words;

pub use lock::{CompanyLock, Locked, begin_command, begin_locked, lock, lock_for};

const NAME: std::ops::RangeInclusive<usize> = 2..=100;

/// Trimmed, 2 to 100 characters, none of them deceptive.
#[derive(Clone, Debug, PartialEq, Eq, Display)]
pub struct CompanyName(String);

impl CompanyName {
    pub fn parse(raw: &str) -> Result<Self, FieldCode> {
        parse_name(raw, NAME).map(Self)
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

column!(CompanyName(String));

/// What a company is called: the body of its creation and of its edit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Profile {
    pub name: CompanyName,
    pub description: Option<String>,
}

impl Profile {
    /// # Errors
    /// `Invalid` with the fields.
    pub fn parse(name: &str, description: Option<&str>) -> Result<Self> {
        let mut errors = FieldErrors::default();
        let name = errors.take("companyName", CompanyName::parse(name));
        let description = errors.take("companyDescription", parse_note(description));
        let (name, description) = errors.into_result(name.zip(description))?;
        Ok(Self { name, description })
    }
}

/// A role as somebody named it.
pub fn parse_role(raw: &str) -> Result<Role, FieldCode> {
    match raw {
        "" => Err(FieldCode::Required),
        text => Role::parse(text).ok_or(FieldCode::Invalid),
    }
}

/// Who is invited as what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewInvite {
    pub email: Email,
    pub role: Role,
}

impl NewInvite {
    /// # Errors
    /// `Invalid` with the fields.
    pub fn parse(email: &str, role: &str) -> Result<Self> {
        let mut errors = FieldErrors::default();
        let email = errors.take("userEmail", Email::parse(email));
        let role = errors.take("role", parse_role(role));
        let (email, role) = errors.into_result(email.zip(role))?;
        Ok(Self { email, role })
    }
}

/// Who gives a command, for the audit and as the cause of its events.
#[derive(Clone, Copy, Debug)]
pub struct Author<'a> {
    pub who: SignedIn,
    pub caller: &'a Caller,
}

impl<'a> Author<'a> {
    /// The entry of an act that succeeded.
    pub(crate) fn entry(self, company: CompanyId, action: AuditAction) -> Entry<'a> {
        Entry { company: Some(company), ..self.caller.audit_of(self.who, action) }
    }
}

words! {
    pub enum CompanyStatus {
        Active = "active",
        Inactive = "inactive",
        Suspended = "suspended",
    }
}

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

/// What came of inviting somebody.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InviteOutcome {
    /// The account had a proven mailbox; its person is a member now.
    User(MemberView),
    /// The address was mailed a link.
    Invite(InviteView),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;

    #[test]
    fn a_company_is_named_with_two_to_a_hundred_characters() {
        assert_eq!(CompanyName::parse("  Depósito Norte ").unwrap().as_str(), "Depósito Norte");
        let cases = [
            (String::from("  "), FieldCode::Required),
            ("A".into(), FieldCode::NameTooShort),
            ("é".repeat(101), FieldCode::TooLong),
            ("Norte\u{202e}".into(), FieldCode::Invalid),
        ];
        for (raw, code) in cases {
            assert_eq!(CompanyName::parse(&raw), Err(code), "{raw}");
        }
        assert!(CompanyName::parse(&"é".repeat(100)).is_ok());
    }

    #[test]
    fn an_invitation_names_an_address_and_a_role() {
        let new = NewInvite::parse("Bia@Example.com", "finance").unwrap();
        assert_eq!((new.email.as_str(), new.role), ("bia@example.com", Role::Finance));
        for (email, role, wrong) in [
            ("", "", [FieldCode::Required, FieldCode::Required]),
            ("bia", "owner", [FieldCode::EmailInvalid, FieldCode::Invalid]),
        ] {
            let Err(Error::Invalid(FieldErrors(fields))) = NewInvite::parse(email, role) else {
                panic!("{email} {role}")
            };
            assert_eq!([fields["userEmail"], fields["role"]], wrong);
        }
    }

    #[test]
    fn both_fields_are_refused_at_once() {
        let refused = Profile::parse("", Some(&"a".repeat(501))).unwrap_err();
        let Error::Invalid(FieldErrors(fields)) = refused else { panic!("{refused}") };
        assert_eq!(fields.len(), 2);
    }
}
