//! People as platform admins find and change them. Reads across companies, so it takes a `PlatformTx`.
//! `auth::by_admin` puts together what a change means for sessions and companies.

use tokio_postgres::Row;

use super::admin::{
    AdminRole, AdminUser, AdminUserDetail, ConsentView, Membership, UserCompany, UserEdit,
    UserFilter, UserSort, UserSummary,
};
use super::{Viewer, store};
use crate::db::{Params, PlatformTx};
use crate::error::{Code, Error, Result};
use crate::id::UserId;
use crate::row::from_row;
use crate::scope::{AdminScope, Role};
use crate::search::Page;

/// One row: how many match, and the ids of the page in order. What is searched for is found by an index.
const PAGE: &str = "WITH found AS MATERIALIZED (\
     SELECT id FROM users WHERE search_text LIKE searchable($1) UNION \
     SELECT m.user_id FROM companies c JOIN members m ON m.company_id = c.id \
     WHERE c.search_name LIKE searchable($1) UNION SELECT id FROM users WHERE document = $7::text), \
     matched AS MATERIALIZED (SELECT u.id, u.search_text, u.email, u.status, u.created_at, u.last_login_at \
     FROM users u WHERE u.anonymised_at IS NULL AND ($1::text IS NULL OR u.id IN (SELECT id FROM found)) \
     AND ($2::text IS NULL OR u.status = $2) AND ($3::text IS NULL OR $3 = \
     CASE WHEN u.role = 'admin' THEN 'admin' WHEN u.id IN (SELECT user_id FROM members \
     WHERE role = 'admin' AND company_id IS NOT NULL) THEN 'company_admin' ELSE 'user' END)) \
     SELECT (SELECT count(*) FROM matched) AS total, ARRAY(SELECT id FROM matched ORDER BY \
     CASE $4 WHEN 'name' THEN search_text WHEN 'email' THEN email WHEN 'status' THEN status END, \
     CASE $4 WHEN '-name' THEN search_text WHEN '-email' THEN email WHEN '-status' THEN status END DESC, \
     CASE $4 WHEN 'createdAt' THEN created_at WHEN 'lastLogin' THEN last_login_at END NULLS FIRST, \
     CASE $4 WHEN '-createdAt' THEN created_at WHEN '-lastLogin' THEN last_login_at END DESC NULLS LAST, \
     id LIMIT $5 OFFSET $6) AS ids";
const ROWS: &str = "SELECT u.id, u.name, u.email, u.phone, u.role, u.status, u.last_login_at, \
     u.created_at, EXISTS (SELECT FROM members m WHERE m.user_id = u.id AND m.role = 'admin') AS is_company_admin, \
     own.company_id, own.company_name FROM users u LEFT JOIN LATERAL (\
     SELECT c.id AS company_id, c.name AS company_name FROM members m JOIN companies c ON c.id = m.company_id \
     WHERE m.user_id = u.id ORDER BY m.created_at, m.id LIMIT 1) own ON true \
     WHERE u.id = ANY ($1) ORDER BY array_position($1, u.id)";
const SUMMARY: &str = "SELECT count(*) AS total, count(*) FILTER (WHERE status = 'active') AS active, \
     count(*) FILTER (WHERE status = 'pending') AS pending, count(*) FILTER (WHERE role = 'admin' \
     OR id IN (SELECT user_id FROM members WHERE role = 'admin' AND company_id IS NOT NULL)) AS admins \
     FROM users WHERE anonymised_at IS NULL";
const SIGN_IN: &str = "SELECT last_login_at, has_second_factor FROM users WHERE id = $1";
const MEMBERSHIPS: &str = "SELECT m.company_id, c.name, m.role FROM members m \
     JOIN companies c ON c.id = m.company_id WHERE m.user_id = $1 ORDER BY m.created_at, m.id";
const CONSENTS: &str = "SELECT kind, version, accepted_at FROM consents WHERE user_id = $1 \
     ORDER BY accepted_at DESC, kind";
/// The platform admins and the person who is changed, in one order: two admins who take the role from each
/// other wait for one another, and the second finds that it is none any more.
const LOCK: &str = "SELECT id, role = 'admin' AND status = 'active' AS is_admin FROM users \
     WHERE id = $1 OR role = 'admin' AND status = 'active' ORDER BY id FOR UPDATE";
const EDIT: &str = "UPDATE users SET name = coalesce($2, name), phone = coalesce($3, phone), \
     role = coalesce($4, role), updated_at = $6, status = CASE WHEN $5::text = 'active' \
     AND email_verified_at IS NULL THEN 'pending' ELSE coalesce($5, status) END WHERE id = $1";

/// The people of a page and how many match.
pub async fn list(
    tx: &PlatformTx,
    filter: &UserFilter,
    page: Page<UserSort>,
) -> Result<(Vec<AdminUser>, i64)> {
    let UserFilter { search, document, role, status } = filter;
    let Page { sort, limit, offset } = page;
    let params: Params<'_> = &[search, status, role, &sort, &limit, &offset, document];
    let found = tx.query_one(PAGE, params).await?;
    let ids: Vec<UserId> = found.try_get("ids")?;
    Ok((tx.all(ROWS, &[&ids]).await?, found.try_get("total")?))
}

pub async fn summary(tx: &PlatformTx) -> Result<UserSummary> {
    UserSummary::try_from(&tx.query_one(SUMMARY, &[]).await?)
}

/// One person with companies and consents; `sessions` is how many sessions of the person are alive.
///
/// # Errors
/// `NotFound`, also for somebody who was erased.
pub async fn detail(tx: &PlatformTx, id: UserId, sessions: usize) -> Result<AdminUserDetail> {
    let user = store::find(tx, id).await?.ok_or_else(Error::not_found)?;
    let sign_in = tx.query_one(SIGN_IN, &[&id]).await?;
    let companies = memberships(tx, id).await?;
    let is_company_admin = companies.iter().any(|company| company.role == Role::Admin);
    Ok(AdminUserDetail {
        role: AdminRole::of(user.role, is_company_admin),
        user: user.view(Viewer::Somebody),
        last_login: sign_in.try_get("last_login_at")?,
        sessions,
        has_second_factor: sign_in.try_get("has_second_factor")?,
        companies,
        consents: tx.all(CONSENTS, &[&id]).await?,
    })
}

/// The companies of a person, the longest membership first.
pub async fn memberships(tx: &PlatformTx, id: UserId) -> Result<Vec<Membership>> {
    tx.all(MEMBERSHIPS, &[&id]).await
}

/// Holds the person and all platform admins until the end of the transaction.
///
/// # Errors
/// `NotFound`; `Denied` when the caller is no admin any more.
pub async fn lock(tx: &PlatformTx, admin: &AdminScope, id: UserId) -> Result<()> {
    let (mut is_there, mut is_admin_still) = (false, false);
    for row in tx.query(LOCK, &[&id]).await? {
        let found: UserId = row.try_get("id")?;
        is_there |= found == id;
        is_admin_still |= found == admin.user_id() && row.try_get("is_admin")?;
    }
    match (is_admin_still, is_there) {
        (false, _) => Err(Error::Denied(Code::Forbidden)),
        (true, false) => Err(Error::not_found()),
        (true, true) => Ok(()),
    }
}

/// Writes what the edit names; the rest stays.
pub async fn edit(tx: &PlatformTx, id: UserId, edit: &UserEdit) -> Result<()> {
    let UserEdit { name, phone, role, status } = edit;
    tx.execute(EDIT, &[&id, name, phone, role, status, &tx.now()]).await.map(drop)
}

impl TryFrom<&Row> for AdminUser {
    type Error = Error;

    fn try_from(row: &Row) -> Result<Self> {
        let company = match (row.try_get("company_id")?, row.try_get("company_name")?) {
            (Some(id), Some(name)) => Some(UserCompany { id, name }),
            _ => None,
        };
        Ok(Self {
            id: row.try_get("id")?,
            name: row.try_get("name")?,
            email: row.try_get("email")?,
            phone: row.try_get("phone")?,
            role: AdminRole::of(row.try_get("role")?, row.try_get("is_company_admin")?),
            status: row.try_get("status")?,
            company,
            last_login: row.try_get("last_login_at")?,
            created_at: row.try_get("created_at")?,
        })
    }
}

from_row! { UserSummary { total, active, admins, pending } }
from_row! { Membership { id: "company_id", name, role } }
from_row! { ConsentView { kind, version, accepted_at } }
