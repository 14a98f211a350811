//! Counts the platform's figures over all companies. A level is the sum of the steps before an instant, so one pass
//! over a table answers any number of instants.

use std::collections::BTreeMap;

use jiff::Timestamp;
use tokio_postgres::Row;

use super::{AcquisitionSpend, MovementSums};
use crate::db::PlatformTx;
use crate::error::{Error, Result};
use crate::money::Cents;
use crate::row::from_row;
use crate::subscription::MovementKind;

/// $1: instants in order, $2: the last of them.
const MOVED: &str = "SELECT width_bucket(at, $1::timestamptz[]) AS bucket, kind, \
     sum(arr_cents)::bigint AS arr, count(*) AS count FROM movements WHERE at < $2 GROUP BY bucket, kind";
/// Companies that stopped once more than they began in a window paid at its start and not at its end.
const LOST: &str = "SELECT ord, count(*) AS lost FROM (SELECT w.ord, m.company_id \
     FROM unnest($1::timestamptz[], $2::timestamptz[]) WITH ORDINALITY AS w (a, b, ord) \
     JOIN movements m ON m.at >= w.a AND m.at < w.b GROUP BY w.ord, m.company_id \
     HAVING count(*) FILTER (WHERE m.kind = 'churn') > count(*) FILTER (WHERE m.kind IN ('new', 'reactivation'))) \
     AS gone GROUP BY ord";
/// A spell of activity counts from its first act until 30 days after its last one; platform admins never do.
const HEADS: &str = "SELECT noun, bucket, sum(step)::bigint AS steps FROM (\
     SELECT noun, width_bucket(at, $1::timestamptz[]) AS bucket, step FROM head_counts WHERE at < $2 UNION ALL \
     SELECT 'mau', width_bucket(from_at, $1::timestamptz[]), 1 FROM activity_spells WHERE from_at < $2 \
     AND user_id NOT IN (SELECT id FROM users WHERE role = 'admin') UNION ALL \
     SELECT 'mau', width_bucket(to_at + interval '720 hours', $1::timestamptz[]), -1 FROM activity_spells \
     WHERE to_at < $2 - interval '720 hours' AND user_id NOT IN (SELECT id FROM users WHERE role = 'admin')) \
     AS steps GROUP BY noun, bucket";
const VERIFIED: &str = "SELECT width_bucket(email_verified_at, $1::timestamptz[]) AS bucket, count(*) AS count \
     FROM users WHERE email_verified_at >= ($1::timestamptz[])[1] AND email_verified_at < $2 GROUP BY bucket";
const COSTS: &str =
    "SELECT month, amount_cents FROM acquisition_costs ORDER BY month DESC LIMIT 240";
const SET_COST: &str = "INSERT INTO acquisition_costs (month, amount_cents, updated_at) VALUES ($1, $2, $3) \
     ON CONFLICT (month) DO UPDATE SET amount_cents = $2, updated_at = $3";
/// Each part by its own index, then the newest of all.
const ACTIVITY: &str = "SELECT id, source, what, subject, detail, amount, at FROM (\
     (SELECT h.id, 'history' AS source, h.type AS what, c.name AS subject, h.plan_name AS detail, \
     h.amount_cents AS amount, h.at FROM subscription_history h JOIN companies c ON c.id = h.company_id \
     WHERE h.at < $2 ORDER BY h.at DESC LIMIT $1) UNION ALL \
     (SELECT u.id, 'user', 'verified', u.name, '', NULL, u.email_verified_at FROM users u \
     WHERE u.email_verified_at < $2 AND u.anonymised_at IS NULL ORDER BY u.email_verified_at DESC LIMIT $1) UNION ALL \
     (SELECT p.id, 'payment', p.state, c.name, p.method, \
     CASE WHEN p.state = 'succeeded' THEN coalesce(p.received_cents, p.amount_cents) ELSE p.amount_cents END, \
     p.updated_at FROM payments p JOIN companies c ON c.id = p.company_id WHERE p.updated_at < $2 \
     AND p.state IN ('conflicted', 'succeeded', 'declined', 'failed', 'expired', 'canceled') \
     ORDER BY p.updated_at DESC LIMIT $1)) \
     AS lately ORDER BY at DESC, id DESC LIMIT $1";

/// What moved before each of the instants.
pub async fn movement_sums(
    tx: &PlatformTx,
    instants: &[Timestamp],
) -> Result<BTreeMap<Timestamp, MovementSums>> {
    let sorted = SortedInstants::of(instants);
    let mut steps = vec![MovementSums::default(); sorted.instants.len()];
    for row in tx.query(MOVED, &[&sorted.instants, &sorted.last]).await? {
        let kind: MovementKind = row.try_get("kind")?;
        let (arr, count) = (row.try_get("arr")?, row.try_get("count")?);
        // What is in a bucket lies before its upper instant and all later ones.
        for moved in steps.iter_mut().skip(bucket(&row)?) {
            moved.add(kind, arr, count);
        }
    }
    Ok(sorted.instants.into_iter().zip(steps).collect())
}

/// For each window the companies that paid at its start and not at its end.
pub async fn lost(tx: &PlatformTx, windows: &[(Timestamp, Timestamp)]) -> Result<Vec<i64>> {
    let (starts, ends): (Vec<Timestamp>, Vec<Timestamp>) = windows.iter().copied().unzip();
    let mut lost = vec![0; windows.len()];
    for row in tx.query(LOST, &[&starts, &ends]).await? {
        let place = usize::try_from(row.try_get::<_, i64>("ord")? - 1).ok();
        if let Some(count) = place.and_then(|place| lost.get_mut(place)) {
            *count = row.try_get("lost")?;
        }
    }
    Ok(lost)
}

/// How many there are at an instant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HeadCounts {
    /// Verified and active people.
    pub users: i64,
    /// Active ones.
    pub companies: i64,
    /// Active ones, free included.
    pub subscriptions: i64,
    /// People who did something in the 30 days before.
    pub mau: i64,
}

pub async fn head_counts(
    tx: &PlatformTx,
    instants: &[Timestamp],
) -> Result<BTreeMap<Timestamp, HeadCounts>> {
    let sorted = SortedInstants::of(instants);
    let mut levels = vec![HeadCounts::default(); sorted.instants.len()];
    for row in tx.query(HEADS, &[&sorted.instants, &sorted.last]).await? {
        let noun: &str = row.try_get("noun")?;
        let steps: i64 = row.try_get("steps")?;
        for heads in levels.iter_mut().skip(bucket(&row)?) {
            match noun {
                "users" => heads.users += steps,
                "companies" => heads.companies += steps,
                "subscriptions" => heads.subscriptions += steps,
                "mau" => heads.mau += steps,
                _ => return Err(Error::internal(format!("head_counts.noun {noun} is unknown"))),
            }
        }
    }
    Ok(sorted.instants.into_iter().zip(levels).collect())
}

/// Accounts verified between each two neighbours of the instants.
pub async fn verified(tx: &PlatformTx, instants: &[Timestamp]) -> Result<Vec<i64>> {
    let sorted = SortedInstants::of(instants);
    let mut counts = vec![0; sorted.instants.len().saturating_sub(1)];
    for row in tx.query(VERIFIED, &[&sorted.instants, &sorted.last]).await? {
        let place = bucket(&row)?.checked_sub(1);
        if let Some(count) = place.and_then(|place| counts.get_mut(place)) {
            *count = row.try_get("count")?;
        }
    }
    Ok(counts)
}

/// What was spent, the newest month first.
pub async fn costs(tx: &PlatformTx) -> Result<Vec<AcquisitionSpend>> {
    tx.all(COSTS, &[]).await
}

from_row!(AcquisitionSpend { month, amount: "amount_cents" });

pub async fn set_cost(tx: &PlatformTx, spend: AcquisitionSpend) -> Result<()> {
    tx.execute(SET_COST, &[&spend.month, &spend.amount, &tx.now()]).await?;
    Ok(())
}

/// Something that happened, as its row tells it.
#[derive(Clone, Debug)]
pub struct ActivityRow {
    pub id: uuid::Uuid,
    /// `history`, `user` or `payment`.
    pub source: String,
    /// The history's type or the payment's state.
    pub what: String,
    /// A company's or a person's name.
    pub subject: String,
    /// The plan or the payment method.
    pub detail: String,
    pub amount: Option<Cents>,
    pub at: Timestamp,
}

/// The newest of histories, accounts and payments up to now.
pub async fn recent_activity(tx: &PlatformTx, limit: i64) -> Result<Vec<ActivityRow>> {
    // What is written now belongs to it.
    let end = tx.now().checked_add(jiff::SignedDuration::from_secs(1)).map_err(Error::internal)?;
    tx.all(ACTIVITY, &[&limit, &end]).await
}

from_row!(ActivityRow { id, source, what, subject, detail, amount, at });

/// Instants in order, each once.
struct SortedInstants {
    instants: Vec<Timestamp>,
    last: Timestamp,
}

impl SortedInstants {
    fn of(instants: &[Timestamp]) -> Self {
        let mut instants = instants.to_vec();
        instants.sort_unstable();
        instants.dedup();
        let last = instants.last().copied().unwrap_or(Timestamp::MIN);
        Self { instants, last }
    }
}

/// `width_bucket`: 0 before the first instant, n at or after the n-th.
fn bucket(row: &Row) -> Result<usize> {
    usize::try_from(row.try_get::<_, i32>("bucket")?).map_err(Error::internal)
}
