//! Companies as platform admins find and change them. Reads across companies, so it takes a `PlatformTx`.
//!
//! A suspended or inactive company can be read by its members and changed by none (`scope`); its renewals
//! are not charged.

use jiff::Timestamp;
use tokio_postgres::Row;

use super::admin::{
    AdminCompany, AdminCompanyMetrics, AdminCompanyMonth, AdminCompanyStanding, AdminCompanyUsers,
    AdminSubscription, AdminSubscriptionStatus, CompanyEdit, CompanyFilter, CompanySort,
    CompanySummary,
};
use super::members::{members_where, membership_changed};
use super::view::columns;
use super::{CompanyStatus, CompanyView, MemberView};
use crate::audit::{self, AuditAction, AuditField, Entry};
use crate::brazil;
use crate::caller::Caller;
use crate::db::{Db, Params, PlatformTx};
use crate::error::{Error, Result};
use crate::event::{Channel, EventName, NewEvent};
use crate::id::{CompanyId, UserId};
use crate::job::{self, JobKind};
use crate::money::{Cents, Reais, percent_change};
use crate::scope::AdminScope;
use crate::search::Page;

/// The subscription that a company shows: the running one, else the last one, with its plan. The last one is looked for
/// only where none runs: a list sorts all companies.
macro_rules! shown_subscription {
    () => {
        " LEFT JOIN subscriptions r ON r.company_id = c.id AND r.status <> 'expired' \
         LEFT JOIN LATERAL (SELECT plan_id, status, price_cents, billing_cycle \
         FROM subscriptions WHERE r.id IS NULL AND company_id = c.id \
         ORDER BY created_at DESC, id DESC LIMIT 1) l ON true \
         CROSS JOIN LATERAL (SELECT coalesce(r.plan_id, l.plan_id) AS plan_id, \
         coalesce(r.status, l.status) AS status, coalesce(r.price_cents, l.price_cents) AS price_cents, \
         coalesce(r.billing_cycle, l.billing_cycle) AS billing_cycle) s \
         LEFT JOIN plans p ON p.id = s.plan_id "
    };
}

/// One row: how many match, and the ids of the page in order. Yearly revenue is that of the running row. Plans are
/// sorted by their rank, subscriptions by how well they stand; `$7` is 30 days ago, where the revenue begins. `$1`, and
/// `$8` to `$10`, are the search, each by an index of its own.
const PAGE: &str = concat!(
    "WITH found AS MATERIALIZED (\
     SELECT id FROM companies WHERE search_text LIKE searchable($1) UNION \
     SELECT c.id FROM users u JOIN companies c ON c.created_by = u.id \
     WHERE u.search_text LIKE searchable($1) AND searchable(u.email) LIKE searchable($1) UNION \
     SELECT company_id FROM billing_profiles WHERE tax_id = $8::text OR emails @> ARRAY[$9::text] \
     OR searchable(legal_name) LIKE searchable($1) UNION \
     SELECT id FROM companies WHERE id = $10::uuid), \
     matched AS MATERIALIZED (SELECT c.id, c.search_name, c.created_at, CASE WHEN s.status IN ('active', 'canceled') \
     THEN s.price_cents * CASE s.billing_cycle WHEN 'monthly' THEN 12 WHEN 'quarterly' THEN 4 ELSE 1 END \
     ELSE 0 END AS arr, coalesce(p.hierarchy, 0) AS rank, CASE s.status WHEN 'active' THEN 1 WHEN 'canceled' THEN 2 \
     WHEN 'pending' THEN 3 WHEN 'suspended' THEN 4 WHEN 'expired' THEN 4 ELSE 5 END AS standing \
     FROM companies c",
    shown_subscription!(),
    "WHERE c.deleted_at IS NULL AND ($1::text IS NULL OR c.id IN (SELECT id FROM found)) \
     AND ($2::text IS NULL OR c.status = $2) \
     AND ($3::text IS NULL OR coalesce(p.name, 'none') = $3)) \
     SELECT (SELECT count(*) FROM matched) AS total, ARRAY(SELECT id FROM matched ORDER BY \
     CASE $4 WHEN 'name' THEN search_name END, CASE $4 WHEN '-name' THEN search_name END DESC, \
     CASE $4 WHEN 'createdAt' THEN created_at END, CASE $4 WHEN '-createdAt' THEN created_at END DESC, \
     CASE $4 WHEN 'mrr' THEN arr END, CASE $4 WHEN '-mrr' THEN arr END DESC, \
     CASE $4 WHEN 'users' THEN (SELECT count(*) FROM members m WHERE m.company_id = matched.id) END, \
     CASE $4 WHEN '-users' THEN (SELECT count(*) FROM members m WHERE m.company_id = matched.id) END DESC, \
     CASE $4 WHEN 'plan' THEN rank WHEN 'subscription' THEN standing END, \
     CASE $4 WHEN '-plan' THEN rank WHEN '-subscription' THEN standing END DESC, \
     CASE WHEN $4 IN ('revenue', '-revenue') THEN CASE $4 WHEN 'revenue' THEN 1 ELSE -1 END * coalesce((\
     SELECT sum(greatest(coalesce(m.received_cents, m.amount_cents) - m.refunded_cents, 0)) FROM payments m \
     WHERE m.company_id = matched.id AND m.state = 'succeeded' AND m.succeeded_at >= $7), 0) END, \
     id LIMIT $5 OFFSET $6) AS ids"
);
/// $2 and $3: 30 and 60 days ago. Revenue is what came in and was not given back.
const ROWS: &str = concat!(
    "SELECT c.id, c.name, c.description, c.status, c.created_at, c.created_by, c.status_reason, \
     u.email, s.plan_id, p.display_name AS plan, s.status AS subscription, s.price_cents, s.billing_cycle, \
     people.total, people.active, people.admins, \
     coalesce((SELECT sum(greatest(coalesce(m.received_cents, m.amount_cents) - m.refunded_cents, 0)) \
     FROM payments m WHERE m.company_id = c.id AND m.state = 'succeeded' \
     AND m.succeeded_at >= $2), 0)::bigint AS revenue, \
     coalesce((SELECT sum(greatest(coalesce(m.received_cents, m.amount_cents) - m.refunded_cents, 0)) FROM payments m \
     WHERE m.company_id = c.id AND m.state = 'succeeded' \
     AND m.succeeded_at >= $3 AND m.succeeded_at < $2), 0)::bigint AS earlier FROM companies c \
     JOIN users u ON u.id = c.created_by",
    shown_subscription!(),
    "CROSS JOIN LATERAL (SELECT count(*) AS total, \
     count(*) FILTER (WHERE mu.status = 'active') AS active, count(*) FILTER (WHERE m.role = 'admin') AS admins \
     FROM members m JOIN users mu ON mu.id = m.user_id WHERE m.company_id = c.id) people \
     WHERE c.id = ANY ($1) AND c.deleted_at IS NULL ORDER BY array_position($1, c.id)"
);
const SUMMARY: &str = "SELECT count(*) AS total, count(*) FILTER (WHERE c.status = 'active') AS active, \
     count(*) FILTER (WHERE c.status = 'suspended') AS suspended, \
     coalesce(sum(s.price_cents * CASE s.billing_cycle WHEN 'monthly' THEN 12 WHEN 'quarterly' THEN 4 ELSE 1 END) \
     FILTER (WHERE s.status IN ('active', 'canceled')), 0)::bigint AS arr FROM companies c \
     LEFT JOIN subscriptions s ON s.company_id = c.id AND s.status <> 'expired' WHERE c.deleted_at IS NULL";
/// Movements and payments of one company by the month that `$2` begins at each of its instants.
const MONTHS: &str = "SELECT width_bucket(at, $2::timestamptz[]) AS bucket, \
     sum(CASE WHEN kind IN ('churn', 'contraction') THEN -arr_cents ELSE arr_cents END)::bigint AS arr, \
     0::bigint AS revenue FROM movements WHERE company_id = $1 AND at < $3 GROUP BY bucket UNION ALL \
     SELECT width_bucket(succeeded_at, $2::timestamptz[]), 0, \
     sum(greatest(coalesce(received_cents, amount_cents) - refunded_cents, 0))::bigint FROM payments \
     WHERE company_id = $1 AND state = 'succeeded' AND succeeded_at < $3 GROUP BY 1";
const LOCK: &str = "SELECT name, description, status, status_reason FROM companies \
     WHERE id = $1 AND deleted_at IS NULL FOR UPDATE";
const EDIT: &str = concat!(
    "UPDATE companies c SET name = $2, description = $3, status = $4, status_reason = $5, updated_at = $6 \
     WHERE c.id = $1 RETURNING ",
    columns!("NULL::text")
);
const ROLES: &str = "SELECT user_id, role FROM members WHERE company_id = $1 ORDER BY user_id";
/// A person in each of their companies.
const MEMBER: &str = members_where!("m.user_id = $1 ORDER BY m.company_id");

/// The companies of a page and how many match.
pub async fn list(
    tx: &PlatformTx,
    filter: &CompanyFilter,
    page: Page<CompanySort>,
) -> Result<(Vec<AdminCompany>, i64)> {
    let CompanyFilter { search, status, plan } = filter;
    let Page { sort, limit, offset } = page;
    let recent = brazil::days_before(tx.now(), 30);
    let search = search.as_ref();
    let pattern = search.map(|search| &search.pattern);
    let (tax_id, text) =
        (search.and_then(|search| search.tax_id.as_ref()), search.map(|search| &search.text));
    let id = search.and_then(|search| search.text.parse::<CompanyId>().ok());
    let params: Params<'_> =
        &[&pattern, status, plan, &sort, &limit, &offset, &recent, &tax_id, &text, &id];
    let found = tx.query_one(PAGE, params).await?;
    let ids: Vec<CompanyId> = found.try_get("ids")?;
    let rows = rows(tx, &ids).await?;
    Ok((rows.iter().map(AdminCompany::try_from).collect::<Result<_>>()?, found.try_get("total")?))
}

async fn rows(tx: &PlatformTx, ids: &[CompanyId]) -> Result<Vec<Row>> {
    let (recent, earlier) = (brazil::days_before(tx.now(), 30), brazil::days_before(tx.now(), 60));
    tx.query(ROWS, &[&ids, &recent, &earlier]).await
}

pub async fn summary(tx: &PlatformTx) -> Result<CompanySummary> {
    let row = tx.query_one(SUMMARY, &[]).await?;
    Ok(CompanySummary {
        total: row.try_get("total")?,
        active: row.try_get("active")?,
        suspended: row.try_get("suspended")?,
        mrr: monthly(row.try_get("arr")?),
    })
}

/// One company as the list has it, and what only a platform admin knows of it.
///
/// # Errors
/// `NotFound`.
pub async fn standing(tx: &PlatformTx, id: CompanyId) -> Result<AdminCompanyStanding> {
    let rows = rows(tx, &[id]).await?;
    let row = rows.first().ok_or_else(Error::not_found)?;
    Ok(AdminCompanyStanding {
        company: row.try_into()?,
        created_by: row.try_get("created_by")?,
        status_reason: row.try_get("status_reason")?,
        months: months(tx, id).await?,
    })
}

/// The last twelve months, oldest first; the running one ends now.
async fn months(tx: &PlatformTx, id: CompanyId) -> Result<Vec<AdminCompanyMonth>> {
    let firsts = brazil::last_months(tx.now(), 12);
    let starts: Vec<Timestamp> = firsts.iter().map(|first| brazil::day_start(*first)).collect();
    let mut sums = vec![(Cents::ZERO, Cents::ZERO); firsts.len() + 1];
    for row in tx.query(MONTHS, &[&id, &starts, &tx.now()]).await? {
        let bucket = usize::try_from(row.try_get::<_, i32>("bucket")?).unwrap_or_default();
        if let Some((arr, revenue)) = sums.get_mut(bucket) {
            *arr += row.try_get::<_, Cents>("arr")?;
            *revenue += row.try_get::<_, Cents>("revenue")?;
        }
    }
    let mut sums = sums.into_iter();
    let mut arr = sums.next().unwrap_or_default().0;
    let months = firsts.iter().zip(sums).map(|(first, (moved, revenue))| {
        arr += moved;
        let month = first.strftime("%Y-%m").to_string();
        AdminCompanyMonth { month, mrr: monthly(arr), revenue: Reais(revenue) }
    });
    Ok(months.collect())
}

/// Changes name, description or status. Its members hear of it and of what they may still do. An edit that
/// changes nothing leaves no trace.
///
/// # Errors
/// `NotFound`.
pub async fn edit(
    db: &Db,
    admin: &AdminScope,
    id: CompanyId,
    edit: CompanyEdit,
    caller: &Caller,
) -> Result<()> {
    let mut tx = db.admin_tx(admin).await?.caused_by(caller);
    let before = tx.query_opt(LOCK, &[&id]).await?.ok_or_else(Error::not_found)?;
    let (old_name, old_description): (String, Option<String>) =
        (before.try_get("name")?, before.try_get("description")?);
    let (old_status, old_reason): (CompanyStatus, Option<String>) =
        (before.try_get("status")?, before.try_get("status_reason")?);
    let CompanyEdit { name, description, status, reason } = edit;
    let name = name.as_ref().map_or(old_name.as_str(), |name| name.as_str());
    let description = description.unwrap_or_else(|| old_description.clone());
    let reason = if status.is_some() { reason } else { old_reason.clone() };
    let status = status.unwrap_or(old_status);
    let fields = audit::changed([
        (AuditField::Name, name != old_name),
        (AuditField::Description, description != old_description),
        (AuditField::Status, status != old_status),
        (AuditField::Reason, reason != old_reason),
    ]);
    if fields.is_empty() {
        return Ok(());
    }
    let row = tx.query_one(EDIT, &[&id, &name, &description, &status, &reason, &tx.now()]).await?;
    announce(&mut tx, &CompanyView::try_from(&row)?).await?;
    if status == CompanyStatus::Active && old_status != status {
        // Its subscription was not charged meanwhile.
        job::add_for_company(&mut tx, JobKind::Renewal, id)?;
    }
    let entry = audit::by_admin(admin, caller, AuditAction::CompanyEdit).about(id);
    audit::record(&tx, Entry { company: Some(id), fields: &fields, ..entry });
    tx.commit().await
}

/// To the company's channel, and to each member's own, because their list of companies shows it too.
async fn announce(tx: &mut PlatformTx, view: &CompanyView) -> Result<()> {
    let id = view.id;
    tx.emit(NewEvent::new(Channel::Company(id), EventName::CompanyUpdated, id, view)?);
    for row in tx.query(ROLES, &[&id]).await? {
        membership_changed(tx, row.try_get("user_id")?, view, row.try_get("role")?)?;
    }
    Ok(())
}

/// Tells every company of a person what became of the member.
pub async fn announce_member(tx: &mut PlatformTx, user: UserId) -> Result<()> {
    for row in tx.query(MEMBER, &[&user]).await? {
        let member = MemberView::try_from(&row)?;
        let channel = Channel::Company(row.try_get("company_id")?);
        tx.emit(NewEvent::new(channel, EventName::MemberUpdated, member.id, &member)?);
    }
    Ok(())
}

/// Yearly centavos as monthly reais, rounded once.
fn monthly(arr: Cents) -> Reais {
    Reais(arr.share(1, 12))
}

impl TryFrom<&Row> for AdminCompany {
    type Error = Error;

    fn try_from(row: &Row) -> Result<Self> {
        let (revenue, earlier): (Cents, Cents) = (row.try_get("revenue")?, row.try_get("earlier")?);
        Ok(Self {
            id: row.try_get("id")?,
            name: row.try_get("name")?,
            email: row.try_get("email")?,
            description: row.try_get("description")?,
            status: row.try_get("status")?,
            subscription: subscription(row)?,
            users: AdminCompanyUsers {
                total: row.try_get("total")?,
                active: row.try_get("active")?,
                admins: row.try_get("admins")?,
            },
            metrics: AdminCompanyMetrics {
                orders: None,
                revenue: Reais(revenue),
                growth: percent_change(revenue.into(), earlier.into()),
            },
            created_at: row.try_get("created_at")?,
        })
    }
}

fn subscription(row: &Row) -> Result<Option<AdminSubscription>> {
    let (Some(plan_id), Some(plan)) = (row.try_get("plan_id")?, row.try_get("plan")?) else {
        return Ok(None);
    };
    let damaged = |column| Error::internal(format!("subscriptions.{column} is unknown"));
    let (status, is_paying) = match row.try_get("subscription")? {
        "active" => (AdminSubscriptionStatus::Active, true),
        "canceled" => (AdminSubscriptionStatus::Cancelled, true),
        "suspended" | "expired" => (AdminSubscriptionStatus::Expired, false),
        "pending" => (AdminSubscriptionStatus::Pending, false),
        _ => return Err(damaged("status")),
    };
    let price: Cents = row.try_get("price_cents")?;
    let months = match row.try_get("billing_cycle")? {
        "monthly" => 1,
        "quarterly" => 3,
        "yearly" => 12,
        _ => return Err(damaged("billing_cycle")),
    };
    let mrr = Reais(if is_paying { price.share(1, months) } else { Cents::ZERO });
    Ok(Some(AdminSubscription { plan_id, plan, status, mrr }))
}
