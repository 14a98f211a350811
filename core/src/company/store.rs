//! Remembers companies: created, edited, deleted, and read with their people. A company's rows are read through a
//! `CompanyTx`; the own list of companies through a `PersonTx`.

use tokio_postgres::Row;

use super::members::{self, ADD};
use super::{
    By, CompanyDetail, CompanyStats, CompanyStatus, CompanyView, InviteView, MemberStatus,
    MemberView, Profile,
};
use crate::audit::{self, Entry, Outcome};
use crate::auth::Caller;
use crate::db::{CompanyTx, Db, PersonTx};
use crate::error::{Error, Result};
use crate::event::{Channel, EventName, NewEvent};
use crate::id::{CompanyId, MemberId};
use crate::scope::{CompanyScope, Role, SignedIn, stored_role};

impl TryFrom<&Row> for CompanyView {
    type Error = Error;

    fn try_from(row: &Row) -> Result<Self> {
        let id: CompanyId = row.try_get("id")?;
        let status = CompanyStatus::parse(row.try_get("status")?)
            .ok_or_else(|| Error::internal(format!("companies.status of {id} is unknown")))?;
        let role: Option<&str> = row.try_get("role")?;
        Ok(Self {
            id,
            company_name: row.try_get("name")?,
            company_description: row.try_get("description")?,
            user_role: role.map(stored_role).transpose()?,
            company_created_by: row.try_get("created_by")?,
            status,
            created_at: row.try_get("created_at")?,
        })
    }
}

impl TryFrom<&Row> for MemberView {
    type Error = Error;

    fn try_from(row: &Row) -> Result<Self> {
        let is_active: bool = row.try_get("active")?;
        Ok(Self {
            id: row.try_get("id")?,
            user_id: row.try_get("user_id")?,
            user_name: row.try_get("name")?,
            user_email: row.try_get("email")?,
            role: stored_role(row.try_get("role")?)?,
            status: if is_active { MemberStatus::Active } else { MemberStatus::Inactive },
            is_creator: row.try_get("is_creator")?,
        })
    }
}

impl TryFrom<&Row> for InviteView {
    type Error = Error;

    fn try_from(row: &Row) -> Result<Self> {
        Ok(Self {
            id: row.try_get("id")?,
            user_email: row.try_get("email")?,
            role: stored_role(row.try_get("role")?)?,
            expires_at: row.try_get("expires_at")?,
        })
    }
}

impl By<'_> {
    /// Audits an act on one object of the transaction's company.
    pub(super) async fn record(
        self,
        tx: &CompanyTx,
        action: &'static str,
        target: &impl ToString,
        fields: &[&str],
    ) -> Result<()> {
        let entry = self.entry(tx.company_id(), action);
        audit::record(tx, Entry { target: Some(target.to_string()), fields, ..entry }).await
    }
}

/// The companies that the person belongs to, by name.
pub async fn of_person(tx: &PersonTx, who: SignedIn) -> Result<Vec<CompanyView>> {
    tx.query(OF_PERSON, &[&who.user_id]).await?.iter().map(CompanyView::try_from).collect()
}

const OF_PERSON: &str = "SELECT c.id, c.name, c.description, m.role, c.created_by, c.status, \
     c.created_at FROM companies c JOIN members m ON m.company_id = c.id \
     WHERE m.user_id = $1 ORDER BY lower(c.name), c.id";

/// Adds a company with the limits of the free plan; its creator becomes the first admin.
pub async fn create(
    db: &Db,
    who: SignedIn,
    profile: &Profile,
    caller: &Caller,
) -> Result<CompanyDetail> {
    let scope = CompanyScope::of_new_company(db.clock(), who.user_id);
    let mut tx = db.company_tx(&scope).await?;
    tx.set_cause(Some(&caller.request_id));
    let company = scope.company_id();
    let now = tx.now();
    tx.execute(
        CREATE,
        &[&company, &profile.name.as_str(), &profile.description, &who.user_id, &now],
    )
    .await?;
    let member = MemberId::new(tx.clock());
    tx.execute(ADD, &[&member, &company, &who.user_id, &Role::Admin.as_str(), &now]).await?;
    let detail = detail(&tx).await?.ok_or_else(Error::not_found)?;
    announce_new(&mut tx, who, &detail)?;
    let entry = Entry {
        actor: Some(who.user_id),
        session: Some(who.session_id),
        company: Some(company),
        ..caller.audit("company.create", Outcome::Ok)
    };
    audit::record(&tx, entry).await?;
    tx.commit().await?;
    Ok(detail)
}

/// The person's other tabs learn of the company, and its own channel begins with it.
fn announce_new(tx: &mut CompanyTx, who: SignedIn, detail: &CompanyDetail) -> Result<()> {
    let company = &detail.company;
    let channel = Channel::Company(company.id);
    let shared = CompanyView { user_role: None, ..company.clone() };
    tx.emit(NewEvent::new(channel, EventName::CompanyUpdated, company.id, &shared)?);
    for member in &detail.users {
        tx.emit(NewEvent::new(channel, EventName::MemberAdded, member.id, member)?);
    }
    let mine = CompanyView { user_role: Some(Role::Admin), ..company.clone() };
    let channel = Channel::User(who.user_id);
    tx.emit(NewEvent::new(channel, EventName::MembershipChanged, company.id, &mine)?);
    Ok(())
}

/// The free plan's limits, or one user where nothing is free (`plan` stands right of `company`).
const CREATE: &str = "INSERT INTO companies \
     (id, name, description, created_by, max_users, max_beeping, created_at, updated_at) \
     SELECT $1, $2, $3, $4, coalesce(free.max_users, 1), coalesce(free.max_beeping, 0), $5, $5 \
     FROM (SELECT) AS one LEFT JOIN (SELECT max_users, max_beeping FROM plans \
     WHERE is_free AND status = 'active' ORDER BY hierarchy, name LIMIT 1) AS free ON true";

/// The company of the transaction with its people. `userRole` is the scope's, none for jobs.
pub async fn detail(tx: &CompanyTx) -> Result<Option<CompanyDetail>> {
    let company = tx.company_id();
    let Some(mut view) = view(tx).await? else { return Ok(None) };
    view.user_role = tx.scope().user_id().map(|_| tx.scope().role());
    let rows = tx.query(MEMBERS, &[&company]).await?;
    let users = rows.iter().map(MemberView::try_from).collect::<Result<Vec<_>>>()?;
    let rows = tx.query(INVITES, &[&company, &tx.now()]).await?;
    let invites = rows.iter().map(InviteView::try_from).collect::<Result<Vec<_>>>()?;
    let stats = CompanyStats::of(&users);
    Ok(Some(CompanyDetail { company: view, users, invites, stats }))
}

/// The company as it goes to several people.
pub async fn view(tx: &CompanyTx) -> Result<Option<CompanyView>> {
    let row = tx.query_opt(VIEW, &[&tx.company_id()]).await?;
    row.as_ref().map(CompanyView::try_from).transpose()
}

const VIEW: &str = "SELECT id, name, description, NULL::text AS role, created_by, status, created_at \
     FROM companies WHERE id = $1";
pub(super) const MEMBER: &str = "SELECT m.id, m.user_id, u.name, u.email, m.role, \
     u.status = 'active' AS active, m.user_id = c.created_by AS is_creator FROM members m \
     JOIN users u ON u.id = m.user_id JOIN companies c ON c.id = m.company_id \
     WHERE m.company_id = $1 AND m.user_id = $2";
const MEMBERS: &str = "SELECT m.id, m.user_id, u.name, u.email, m.role, u.status = 'active' AS active, \
     m.user_id = c.created_by AS is_creator FROM members m JOIN users u ON u.id = m.user_id \
     JOIN companies c ON c.id = m.company_id WHERE m.company_id = $1 ORDER BY m.created_at, m.id";
const INVITES: &str = "SELECT id, email, role, expires_at FROM invites \
     WHERE company_id = $1 AND closed_at IS NULL AND expires_at > $2 ORDER BY created_at, id";

/// Renames the company. An edit that changes nothing leaves no trace.
pub async fn edit(tx: &mut CompanyTx, profile: &Profile, caller: &Caller) -> Result<CompanyDetail> {
    let company = tx.company_id();
    tx.set_cause(Some(&caller.request_id));
    let before = tx.query_opt(LOCK, &[&company]).await?.ok_or_else(Error::not_found)?;
    let changed = [
        ("companyName", before.try_get::<_, &str>("name")? != profile.name.as_str()),
        (
            "companyDescription",
            before.try_get::<_, Option<String>>("description")? != profile.description,
        ),
    ];
    let fields: Vec<&str> = changed.iter().filter(|(_, is)| *is).map(|(name, _)| *name).collect();
    if !fields.is_empty() {
        let now = tx.now();
        tx.execute(EDIT, &[&company, &profile.name.as_str(), &profile.description, &now]).await?;
        let view = view(tx).await?.ok_or_else(Error::not_found)?;
        let channel = Channel::Company(company);
        tx.emit(NewEvent::new(channel, EventName::CompanyUpdated, company, &view)?);
        let entry = Entry {
            actor: tx.scope().user_id(),
            company: Some(company),
            fields: &fields,
            ..caller.audit("company.edit", Outcome::Ok)
        };
        audit::record(tx, entry).await?;
    }
    detail(tx).await?.ok_or_else(Error::not_found)
}

const LOCK: &str = "SELECT name, description FROM companies WHERE id = $1 FOR UPDATE";
const EDIT: &str =
    "UPDATE companies SET name = $2, description = $3, updated_at = $4 WHERE id = $1";

/// Ends the company: nobody belongs to it any more, its links are void, its row stays for what must be kept.
/// Whether it may end is decided by `company_end`, which knows what stands right of companies.
pub(crate) async fn delete(tx: &mut CompanyTx, by: By<'_>) -> Result<()> {
    let company = tx.company_id();
    let view = view(tx).await?.ok_or_else(Error::not_found)?;
    tx.execute(CLOSE_INVITES, &[&company, &tx.now()]).await?;
    tx.emit(NewEvent::new(Channel::Company(company), EventName::CompanyDeleted, company, &view)?);
    members::remove_all(tx, &view).await?;
    tx.execute(DELETE, &[&company, &tx.now()]).await?;
    audit::record(tx, by.entry(company, "company.delete")).await
}

const CLOSE_INVITES: &str = "UPDATE invites SET closed_at = $2 \
     WHERE company_id = $1 AND closed_at IS NULL";
const DELETE: &str = "UPDATE companies SET status = 'inactive', deleted_at = $2, updated_at = $2 \
     WHERE id = $1";

pub const STATEMENTS: &[&str] =
    &[OF_PERSON, CREATE, VIEW, MEMBER, MEMBERS, INVITES, LOCK, EDIT, CLOSE_INVITES, DELETE];
