//! Remembers companies: created, edited, deleted, and read with their people. A company's rows are read through a
//! `CompanyTx`; the own list of companies through a `UserTx`.

use tokio_postgres::Row;

use super::invites::INVITES;
use super::lock::{CompanyLock, LOCK};
use super::members::MEMBERS;
use super::view::{VIEW, columns};
use super::{
    Author, BEEPING_WITHOUT_PLAN, CompanyDetail, CompanyStats, CompanyView, InviteView, Locked,
    MemberView, Profile, USERS_WITHOUT_PLAN, members,
};
use crate::audit::{self, AuditAction, AuditField, Entry};
use crate::caller::Caller;
use crate::db::{CompanyTx, Db, Params, Query, Tx, UserTx};
use crate::error::{Error, Result};
use crate::event::{Channel, EventName, NewEvent};
use crate::id::CompanyId;
use crate::job::{self, JobKind};
use crate::notification;
use crate::scope::{CompanyScope, Permission, Role, SignedIn};

/// The companies that the person belongs to, by name.
pub async fn of_person(tx: &UserTx, who: SignedIn) -> Result<Vec<CompanyView>> {
    tx.all(OF_PERSON, &[&who.user_id]).await
}

const OF_PERSON: &str = concat!(
    "SELECT ",
    columns!("m.role"),
    " FROM companies c JOIN members m ON m.company_id = c.id \
     WHERE m.user_id = $1 ORDER BY lower(c.name), c.id"
);

/// Adds a company with the limits of the free plan; its creator becomes the first admin.
///
/// # Errors
/// `SignInRequired` for a person who was erased meanwhile.
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
    let Profile { name, description } = profile;
    let (users, beeping) = (USERS_WITHOUT_PLAN, BEEPING_WITHOUT_PLAN);
    let params: Params<'_> = &[&company, name, description, &who.user_id, &now, &users, &beeping];
    let made = tx.execute(CREATE, params).await?;
    if made == 0 {
        return Err(Error::signed_out());
    }
    members::insert(&tx, who.user_id, Role::Admin).await?;
    let detail = detail(&tx).await?.ok_or_else(Error::not_found)?;
    announce_new(&mut tx, who, &detail)?;
    audit::record(&tx, Author { who, caller }.entry(company, AuditAction::CompanyCreate));
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
    members::membership_changed(tx, who.user_id, company, Some(Role::Admin))
}

/// With the free plan's limits, where one is free. Nothing for a person whose erasure came first: its company would
/// belong to nobody.
const CREATE: &str = "INSERT INTO companies \
     (id, name, description, created_by, max_users, max_beeping, created_at, updated_at) \
     SELECT $1, $2, $3, u.id, coalesce(free.max_users, $6), coalesce(free.max_beeping, $7), $5, $5 \
     FROM users u LEFT JOIN (SELECT max_users, max_beeping FROM plans \
     WHERE is_free AND status = 'active' ORDER BY hierarchy, name LIMIT 1) AS free ON true \
     WHERE u.id = $4 AND u.anonymised_at IS NULL FOR KEY SHARE OF u";

/// The company of the transaction with its people. `userRole` is the scope's, none for jobs.
pub async fn detail(tx: &CompanyTx) -> Result<Option<CompanyDetail>> {
    let (company, now) = (tx.company_id(), tx.now());
    let queries: [Query<'_>; 3] =
        [(VIEW, &[&company]), (MEMBERS, &[&company]), (INVITES, &[&company, &now])];
    detail_of(tx.scope(), &tx.query_all(queries).await?)
}

/// As [`detail`], in one round trip, for a request that reads nothing else.
pub async fn read_detail(db: &Db, scope: &CompanyScope) -> Result<Option<CompanyDetail>> {
    let (company, now) = (scope.company_id(), db.clock().now());
    let queries: [Query<'_>; 3] =
        [(VIEW, &[&company]), (MEMBERS, &[&company]), (INVITES, &[&company, &now])];
    detail_of(scope, &db.ask_company(scope, queries).await?)
}

fn detail_of(scope: &CompanyScope, rows: &[Vec<Row>; 3]) -> Result<Option<CompanyDetail>> {
    let [company, users, invites] = rows;
    let Some(row) = company.first() else { return Ok(None) };
    let mut company = CompanyView::try_from(row)?;
    company.user_role = scope.user_id().map(|_| scope.role());
    let users: Vec<MemberView> = users.iter().map(MemberView::try_from).collect::<Result<_>>()?;
    let invites = invites.iter().map(InviteView::try_from).collect::<Result<_>>()?;
    let stats = CompanyStats::of(&users);
    let max_users = row.try_get("max_users")?;
    Ok(Some(CompanyDetail { company, users, invites, stats, max_users }))
}

/// Changes name and description. An edit that changes nothing leaves no trace. Two round trips, so that the next command
/// waits for little: one begins, takes the lock, writes and reads, the other one commits.
///
/// # Errors
/// `NotFound`, or `Denied` when the role is too low or the company closed behind the lock.
pub async fn edit(
    db: &Db,
    scope: &CompanyScope,
    profile: &Profile,
    caller: &Caller,
) -> Result<CompanyDetail> {
    let (company, now) = (scope.company_id(), db.clock().now());
    let Profile { name, description } = profile;
    let queries: [Query<'_>; 6] = [
        (LOCK, &[&company]),
        (BEFORE_EDIT, &[&company, &scope.user_id()]),
        (EDIT, &[&company, name, description, &now]),
        (VIEW, &[&company]),
        (MEMBERS, &[&company]),
        (INVITES, &[&company, &now]),
    ];
    let (mut tx, rows) = db.company_tx_with(scope, queries).await?;
    tx.set_cause(Some(&caller.request_id));
    let [lock, before, _, company_after, users, invites] = rows;
    let lock = CompanyLock::of(&lock, &before)?;
    lock.held_by(&mut tx).prove(Permission::EditCompany).await?;
    let before = before.first().ok_or_else(Error::not_found)?;
    let (name_before, description_before): (String, Option<String>) =
        (before.try_get("name")?, before.try_get("description")?);
    let rows = [company_after, users, invites];
    let detail = detail_of(scope, &rows)?.ok_or_else(Error::not_found)?;
    let fields = audit::changed([
        (AuditField::CompanyName, name_before != name.as_str()),
        (AuditField::CompanyDescription, description_before != *description),
    ]);
    if !fields.is_empty() {
        let shared = CompanyView { user_role: None, ..detail.company.clone() };
        let channel = Channel::Company(company);
        tx.emit(NewEvent::new(channel, EventName::CompanyUpdated, company, &shared)?);
        let entry = Entry {
            network: Some(&caller.audit_network),
            fields: &fields,
            ..Entry::in_company(scope, AuditAction::CompanyEdit)
        };
        audit::record(&tx, entry);
    }
    tx.commit().await?;
    Ok(detail)
}

/// With the role of the person behind the command.
const BEFORE_EDIT: &str = "SELECT c.name, c.description, m.role FROM companies c \
     JOIN members m ON m.company_id = c.id WHERE c.id = $1 AND m.user_id = $2";

/// An edit that changes nothing leaves the row as it is.
const EDIT: &str = "UPDATE companies SET name = $2, description = $3, updated_at = $4 \
     WHERE id = $1 AND (name, description) IS DISTINCT FROM ($2, $3)";

/// Ends the company: nobody belongs to it any more. Whether it may end is decided by `company_end`, which knows what
/// stands right of companies.
pub(crate) async fn delete(tx: &mut Locked<'_>, by: Author<'_>) -> Result<()> {
    let company = tx.company_id();
    let view = end(tx, company, by.entry(company, AuditAction::CompanyDelete)).await?;
    members::remove_all(tx, &view).await
}

/// Ends the company: its links are void, its saved cards go, its row stays for the rows that must be kept. The caller
/// holds its lock and removes its members.
pub(crate) async fn end(tx: &mut Tx, company: CompanyId, entry: Entry<'_>) -> Result<CompanyView> {
    tx.execute(CLOSE_INVITES, &[&company, &tx.now()]).await?;
    notification::store::forget_company(tx, company).await?;
    tx.execute(END_FREE_PLAN, &[&company, &tx.now()]).await?;
    let ended: Option<CompanyView> = tx.find(END, &[&company, &tx.now()]).await?;
    let view = ended.ok_or_else(Error::not_found)?;
    job::add_for_company(tx, JobKind::SavedCards, company)?;
    tx.emit(NewEvent::new(Channel::Company(company), EventName::CompanyDeleted, company, &view)?);
    audit::record(tx, entry);
    Ok(view)
}

/// Nobody belongs to it any more.
pub async fn has_ended(tx: &CompanyTx) -> Result<bool> {
    tx.value(HAS_ENDED, &[&tx.company_id()]).await
}

const HAS_ENDED: &str = "SELECT deleted_at IS NOT NULL FROM companies WHERE id = $1";
const CLOSE_INVITES: &str = "UPDATE invites SET closed_at = $2 \
     WHERE company_id = $1 AND closed_at IS NULL";
/// Nothing but the company's end ends a free plan. Left active it would count as a subscription.
const END_FREE_PLAN: &str = "UPDATE subscriptions SET status = 'expired', end_at = $2, version = version + 1, \
     updated_at = $2 WHERE company_id = $1 AND status = 'active' AND anchor_local IS NULL";
const END: &str = concat!(
    "UPDATE companies c SET status = 'inactive', deleted_at = $2, updated_at = $2 WHERE c.id = $1 RETURNING ",
    columns!("NULL::text")
);
