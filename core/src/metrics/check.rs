//! Invariant P11: compares the live figures that were published last with a recount of people, companies and subscriptions.
//! Run every hour by `actors/src/jobs.rs`, in one snapshot.
//!
//! The live figures are counted from steps (`movements`, `head_counts`); the recount does not read those. A changed
//! document is published first, so that a stream that slept is compared as well. Nothing is set right: the next
//! document has the same steps.

use jiff::SignedDuration;

use super::live;
use super::view::{DashboardMetrics, Metric};
use crate::alert::{self, Alert, AlertKind};
use crate::db::{Db, PlatformTx};
use crate::error::Result;
use crate::money::{Cents, Decimal};
use crate::scope::JobScope;

/// How often it runs.
pub const INTERVAL: SignedDuration = SignedDuration::from_hours(1);
/// When the check runs again if rows carry its own instant or a later one, or the last live document is too young.
pub const RETRY_AFTER: SignedDuration = SignedDuration::from_secs(10);

/// Steps that carry this instant or a later one are in the rows already and not yet in the document.
const UNSETTLED: &str = "SELECT EXISTS (SELECT FROM movements WHERE at >= $1) \
     OR EXISTS (SELECT FROM head_counts WHERE noun IN ('users', 'companies', 'subscriptions') AND at >= $1) AS found";
const ROWS: &str = "SELECT (SELECT count(*) FROM users WHERE status = 'active') AS users, \
     (SELECT count(*) FROM companies WHERE status = 'active') AS companies, \
     (SELECT count(*) FROM subscriptions WHERE status = 'active') AS subscriptions, \
     (SELECT coalesce(sum(price_cents * CASE billing_cycle WHEN 'monthly' THEN 12 WHEN 'quarterly' THEN 4 \
       ELSE 1 END), 0)::bigint FROM subscriptions WHERE status IN ('active', 'canceled') \
       AND anchor_local IS NOT NULL) AS arr";

/// The names of the cards that differ; none when it has to be done again in a moment.
pub async fn run(db: &Db, proof: &JobScope) -> Result<Option<Vec<&'static str>>> {
    let mut tx = db.figures_tx(proof).await?;
    let unsettled: bool = tx.value(UNSETTLED, &[&tx.now()]).await?;
    if unsettled || live::publish_figures(&mut tx).await?.is_none() {
        return Ok(None);
    }
    let wrong = compare(&tx, &live::figures(&tx).await?.metrics).await?;
    tx.commit().await?;
    // In a transaction of its own: an alert waits for a transaction that raises the same one.
    let tx = db.platform_tx(proof).await?;
    for name in &wrong {
        let detail = "the live figure differs from a recount of the rows";
        let kind = AlertKind::MetricsDrift;
        alert::raise(&tx, Alert { kind, company: None, subject: name, detail }).await?;
    }
    let subjects: Vec<String> = wrong.iter().map(|name| (*name).to_owned()).collect();
    alert::close_others(&tx, AlertKind::MetricsDrift, &subjects).await?;
    tx.commit().await?;
    Ok(Some(wrong))
}

async fn compare(tx: &PlatformTx, published: &DashboardMetrics) -> Result<Vec<&'static str>> {
    let rows = tx.query_one(ROWS, &[]).await?;
    let arr: Cents = rows.try_get("arr")?;
    let mut pairs: Vec<(&'static str, &Metric, Decimal)> =
        vec![("arr", &published.arr, arr.into()), ("mrr", &published.mrr, arr.share(1, 12).into())];
    for (name, metric, column) in [
        ("totalUsers", &published.total_users, "users"),
        ("totalCompanies", &published.total_companies, "companies"),
        ("totalSubscriptions", &published.total_subscriptions, "subscriptions"),
    ] {
        pairs.push((name, metric, Decimal::whole(rows.try_get(column)?)));
    }
    let differs = |(name, metric, rows): (&'static str, &Metric, Decimal)| {
        (metric.value != Some(rows)).then_some(name)
    };
    Ok(pairs.into_iter().filter_map(differs).collect())
}
