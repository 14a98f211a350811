//! Companies: their names, descriptions and invitations, parsed from requests.
//!
//! Pure, like `decide`; `store` remembers companies, `view` has what their members get, `members` the people, `invites`
//! and `joining` both sides of an invitation. The subscription writes the company's limits (`max_users`, `max_beeping`).

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

use crate::audit::{AuditAction, Entry};
use crate::caller::Caller;
use crate::column::column;
use crate::error::{FieldCode, FieldErrors, Result};
use crate::id::CompanyId;
use crate::scope::{Role, SignedIn};
use crate::user::{Email, parse_name, parse_note};
use crate::words::words;

pub use lock::{CompanyLock, Locked, begin_command, begin_locked, lock, lock_for};
pub use view::{
    CompanyDetail, CompanyStats, CompanyView, InvitePreview, InviteView, MemberStatus, MemberView,
};

const NAME: std::ops::RangeInclusive<usize> = 2..=100;
/// What a company has where no plan is free. `plan` makes its limits of it: `company` may not import them.
pub(crate) const USERS_WITHOUT_PLAN: i32 = 1;
pub(crate) const BEEPING_WITHOUT_PLAN: i32 = 0;

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

/// What came of inviting somebody.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InviteOutcome {
    /// The account had a proven mailbox; its person is a member now.
    User(MemberView),
    /// The address was mailed a link.
    Invite(InviteView),
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
