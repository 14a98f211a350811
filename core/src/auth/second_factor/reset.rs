//! Help for a member who has lost every factor and the recovery codes: another admin of the company removes the
//! factors. That admin never learns the password, and a sign-in still asks for it.
//!
//! Invariant: the admin must be an admin in every company of the member, so that nobody weakens an account that
//! another company relies on. Each factor must be younger than the membership: anybody can make a stranger a member
//! of a company of their own.

use crate::audit::{self, AuditAction};
use crate::auth::Auth;
use crate::auth::personal_data::erasure::{
    DELETE_CHALLENGES, DELETE_PASSKEYS, DELETE_TOTP_FACTORS, LOCK_COMPANIES,
};
use crate::company::Author;
use crate::error::{Code, Error, Result};
use crate::id::{CompanyId, UserId};
use crate::mailer::{self, Message};
use crate::user::store;

use super::{lock, note_change};

impl Auth {
    /// Removes the factors of a member, ends the sessions and mails the person. Without a factor nothing happens.
    ///
    /// # Errors
    /// `NotFound` for a person who is no member, `Denied` for oneself and for a platform admin,
    /// `Conflict` MEMBER_OF_OTHER_COMPANIES or SECOND_FACTOR_OLDER_THAN_MEMBERSHIP.
    pub async fn reset_second_factor(
        &self,
        company: CompanyId,
        member: UserId,
        by: Author<'_>,
    ) -> Result<()> {
        if member == by.who.user_id {
            return Err(Error::Denied(Code::Forbidden));
        }
        let mut tx = self.db.platform_tx(&self.platform).await?.caused_by(by.caller);
        tx.query(LOCK_COMPANIES, &[&member]).await?;
        let row = tx.query_opt(STANDING, &[&company, &member, &by.who.user_id]).await?;
        let row = row.ok_or_else(Error::not_found)?;
        let (is_platform_admin, is_givers): (bool, bool) =
            (row.try_get("is_platform_admin")?, row.try_get("is_givers")?);
        if is_platform_admin || !is_givers {
            return Err(Error::Denied(Code::Forbidden));
        }
        if row.try_get("is_elsewhere")? {
            return Err(Error::conflict(Code::MemberOfOtherCompanies));
        }
        if !lock(&tx, member).await? {
            return Ok(());
        }
        if tx.value(HAS_OLDER, &[&company, &member]).await? {
            return Err(Error::conflict(Code::SecondFactorOlderThanMembership));
        }
        for sql in [DELETE_TOTP_FACTORS, DELETE_PASSKEYS, DELETE_CHALLENGES] {
            tx.execute(sql, &[&member]).await?;
        }
        note_change(&mut tx, member).await?;
        self.end_sessions(&mut tx, member, None).await?;
        let person = store::find(&tx, member).await?.ok_or_else(Error::not_found)?;
        let company_name = row.try_get("company_name")?;
        let message = |name, at| Message::SecondFactorReset { name, at, company: company_name };
        mailer::enqueue_for(&mut tx, &person, message)?;
        audit::record(&tx, by.entry(company, AuditAction::SecondFactorReset).about(member));
        tx.commit().await
    }
}

/// A factor that the person had before the membership.
const HAS_OLDER: &str = "SELECT EXISTS (SELECT FROM members m WHERE m.company_id = $1 AND m.user_id = $2 \
     AND (EXISTS (SELECT FROM totp_factors t WHERE t.user_id = $2 AND t.confirmed_at < m.created_at) \
     OR EXISTS (SELECT FROM passkeys p WHERE p.user_id = $2 AND p.created_at < m.created_at)))";

/// The companies are locked, so that none of this changes meanwhile.
const STANDING: &str = "SELECT c.name AS company_name, u.role = 'admin' AS is_platform_admin, \
     EXISTS (SELECT FROM members g WHERE g.company_id = $1 AND g.user_id = $3 AND g.role = 'admin') AS is_givers, \
     EXISTS (SELECT FROM members o WHERE o.user_id = $2 AND NOT EXISTS (SELECT FROM members g \
     WHERE g.company_id = o.company_id AND g.user_id = $3 AND g.role = 'admin')) AS is_elsewhere \
     FROM members m JOIN companies c ON c.id = m.company_id JOIN users u ON u.id = m.user_id \
     WHERE m.company_id = $1 AND m.user_id = $2 AND c.status = 'active'";
