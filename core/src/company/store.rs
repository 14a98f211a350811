//! Remembers companies: created, edited, deleted, and read with their people. A company's rows are read through a
//! `CompanyTx`; the own list of companies through a `PersonTx`.

use super::view::company_view;
use super::{
    Author, CompanyDetail, CompanyStats, CompanyView, Locked, Profile, invites, lock, members,
};
use crate::audit::{self, Entry, Outcome};
use crate::caller::Caller;
use crate::db::{CompanyTx, Db, PersonTx};
use crate::error::{Error, Result};
use crate::event::{Channel, EventName, NewEvent};
use crate::scope::{CompanyScope, Role, SignedIn};

/// The companies that the person belongs to, by name.
pub async fn of_person(tx: &PersonTx, who: SignedIn) -> Result<Vec<CompanyView>> {
    tx.all(OF_PERSON, &[&who.user_id]).await
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
    let mut tx = db.company_tx(&scope).await?.caused_by(caller);
    let company = scope.company_id();
    let now = tx.now();
    tx.execute(CREATE, &[&company, &profile.name, &profile.description, &who.user_id, &now])
        .await?;
    members::insert(&tx, who.user_id, Role::Admin).await?;
    let detail = detail(&tx).await?.ok_or_else(Error::not_found)?;
    announce_new(&mut tx, who, &detail)?;
    audit::record(&tx, Author { who, caller }.entry(company, "company.create"));
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
    let Some(mut view) = company_view(tx).await? else { return Ok(None) };
    view.user_role = tx.scope().user_id().map(|_| tx.scope().role());
    let users = members::all(tx).await?;
    let invites = invites::all_open(tx).await?;
    let stats = CompanyStats::of(&users);
    let max_users = tx.value(MAX_USERS, &[&tx.company_id()]).await?;
    Ok(Some(CompanyDetail { company: view, users, invites, stats, max_users }))
}

const MAX_USERS: &str = "SELECT max_users FROM companies WHERE id = $1";

/// Renames the company. An edit that changes nothing leaves no trace.
pub async fn edit(tx: &mut CompanyTx, profile: &Profile, caller: &Caller) -> Result<CompanyDetail> {
    let company = tx.company_id();
    tx.set_cause(Some(&caller.request_id));
    let tx = &mut lock(tx).await?;
    let before = company_view(tx).await?.ok_or_else(Error::not_found)?;
    let fields = audit::changed([
        ("companyName", before.company_name != profile.name.as_str()),
        ("companyDescription", before.company_description != profile.description),
    ]);
    if !fields.is_empty() {
        let now = tx.now();
        tx.execute(EDIT, &[&company, &profile.name, &profile.description, &now]).await?;
        let view = company_view(tx).await?.ok_or_else(Error::not_found)?;
        let channel = Channel::Company(company);
        tx.emit(NewEvent::new(channel, EventName::CompanyUpdated, company, &view)?);
        let entry = Entry {
            actor: tx.scope().user_id(),
            company: Some(company),
            fields: &fields,
            ..caller.audit("company.edit", Outcome::Ok)
        };
        audit::record(tx, entry);
    }
    detail(tx).await?.ok_or_else(Error::not_found)
}

const EDIT: &str =
    "UPDATE companies SET name = $2, description = $3, updated_at = $4 WHERE id = $1";

/// Ends the company: nobody belongs to it any more, its links are void, its row stays for what must be kept.
/// Whether it may end is decided by `company_end`, which knows what stands right of companies.
pub(crate) async fn delete(tx: &mut Locked<'_>, by: Author<'_>) -> Result<()> {
    let company = tx.company_id();
    let view = company_view(tx).await?.ok_or_else(Error::not_found)?;
    tx.execute(CLOSE_INVITES, &[&company, &tx.now()]).await?;
    tx.emit(NewEvent::new(Channel::Company(company), EventName::CompanyDeleted, company, &view)?);
    members::remove_all(tx, &view).await?;
    tx.execute(DELETE, &[&company, &tx.now()]).await?;
    audit::record(tx, by.entry(company, "company.delete"));
    Ok(())
}

const CLOSE_INVITES: &str = "UPDATE invites SET closed_at = $2 \
     WHERE company_id = $1 AND closed_at IS NULL";
const DELETE: &str = "UPDATE companies SET status = 'inactive', deleted_at = $2, updated_at = $2 \
     WHERE id = $1";
