//! What live sockets may read. `http/src/live` asks for many sessions at once. Invariant: a session that has ended,
//! for whatever reason, reads nothing.

use std::collections::HashMap;

use jiff::Timestamp;

use super::{JobScope, Role, SignedIn};
use crate::auth::session::ends_at;
use crate::db::Db;
use crate::error::Result;
use crate::id::{CompanyId, SessionId};
use crate::user::UserRole;

/// What a person may read, for the live channels: every membership at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    /// A platform admin whom the platform shows itself to.
    pub is_platform_admin: bool,
    /// Until when the session lives unless it is used again.
    pub until: Timestamp,
    roles: HashMap<CompanyId, Role>,
}

const ACCESS: &str = "SELECT s.id AS session_id, s.user_id, s.created_at, s.last_used_at, \
     u.role AS user_role, u.has_second_factor, m.company_id, m.role \
     FROM sessions s JOIN users u ON u.id = s.user_id AND u.status = 'active' \
     LEFT JOIN members m ON m.user_id = u.id \
     WHERE s.id = ANY ($1) AND s.revoked_at IS NULL";

impl Access {
    /// What many people may read. Who is missing has no session any more (ended, too old, unused for too long) or no
    /// active account. Where admins need a second factor, an admin without one reads as a plain user.
    pub async fn of(
        db: &Db,
        proof: &JobScope,
        people: &[SignedIn],
        admins_need_second_factor: bool,
    ) -> Result<HashMap<SignedIn, Self>> {
        let sessions: Vec<SessionId> = people.iter().map(|who| who.session_id).collect();
        let tx = db.platform_tx(proof).await?;
        let now = tx.now();
        let rows = tx.query(ACCESS, &[&sessions]).await?;
        let mut found: HashMap<SignedIn, Self> = HashMap::new();
        for row in &rows {
            let (session_id, user_id) = (row.try_get("session_id")?, row.try_get("user_id")?);
            let role: UserRole = row.try_get("user_role")?;
            let until = ends_at(role, row.try_get("created_at")?, row.try_get("last_used_at")?);
            if until < now {
                continue;
            }
            let has_factor: bool = row.try_get("has_second_factor")?;
            let is_shown = has_factor || !admins_need_second_factor;
            let is_platform_admin = role == UserRole::Admin && is_shown;
            let nothing = || Self { is_platform_admin, until, roles: HashMap::new() };
            let access = found.entry(SignedIn { user_id, session_id }).or_insert_with(nothing);
            if let (Some(company), Some(role)) = (row.try_get("company_id")?, row.try_get("role")?)
            {
                access.roles.insert(company, role);
            }
        }
        Ok(found)
    }

    pub fn role(&self, company: CompanyId) -> Option<Role> {
        self.roles.get(&company).copied()
    }
}
