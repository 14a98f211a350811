//! Payments as platform admins list them. Reads across companies, so it takes a `PlatformTx`. A decision about a
//! payment goes through the billing workflow, like everything that moves a payment.

use tokio_postgres::Row;

use super::admin::{AdminPayment, PaymentFilter};
use super::store::columns;
use super::{Payment, PaymentStatus, PaymentView};
use crate::db::PlatformTx;
use crate::error::{Error, Result};
use crate::id::PaymentId;

/// Beyond it nobody counts: the list is years long.
pub const MOST_COUNTED: i64 = 10_000;

macro_rules! listed {
    () => {
        concat!(
            "SELECT ",
            columns!(),
            ", c.name AS company_name, pl.display_name AS plan_name FROM payments p \
             JOIN companies c ON c.id = p.company_id JOIN plans pl ON pl.id = p.plan_id WHERE "
        )
    };
}

/// A statement for payments under review, so that it uses their own index even in a cached generic plan.
const REVIEWED: &str = concat!(
    listed!(),
    "p.state = 'conflicted' AND ($1::text[] IS NULL OR p.state = ANY ($1)) \
     ORDER BY p.created_at DESC, p.id DESC LIMIT $2 OFFSET $3"
);
const COUNT_REVIEWED: &str = "SELECT count(*) AS total FROM (SELECT company_id FROM payments \
     WHERE state = 'conflicted' AND ($1::text[] IS NULL OR state = ANY ($1)) LIMIT $2) AS counted";
const LIST: &str = concat!(
    listed!(),
    "$1::text[] IS NULL OR p.state = ANY ($1) \
     ORDER BY p.created_at DESC, p.id DESC LIMIT $2 OFFSET $3"
);
const COUNT: &str = "SELECT count(*) AS total FROM (SELECT company_id FROM payments \
     WHERE $1::text[] IS NULL OR state = ANY ($1) LIMIT $2) AS counted";
const FIND: &str = concat!(listed!(), "p.id = $1");

/// One page, newest first, and how many there are, at most [`MOST_COUNTED`].
pub async fn list(
    tx: &PlatformTx,
    filter: PaymentFilter,
    limit: i64,
    offset: i64,
) -> Result<(Vec<AdminPayment>, i64)> {
    let states = filter.status.map(PaymentStatus::states);
    let (list, count) = if filter.review { (REVIEWED, COUNT_REVIEWED) } else { (LIST, COUNT) };
    let payments = tx.all(list, &[&states, &limit, &offset]).await?;
    Ok((payments, tx.value(count, &[&states, &MOST_COUNTED]).await?))
}

/// # Errors
/// `NotFound`.
pub async fn find(tx: &PlatformTx, id: PaymentId) -> Result<AdminPayment> {
    tx.find(FIND, &[&id]).await?.ok_or_else(Error::not_found)
}

impl TryFrom<&Row> for AdminPayment {
    type Error = Error;

    fn try_from(row: &Row) -> Result<Self> {
        let payment = Payment::try_from(row)?;
        Ok(Self {
            payment: PaymentView::from(&payment),
            company_name: row.try_get("company_name")?,
            plan_name: row.try_get("plan_name")?,
            received: payment.situation.received,
            review_reason: payment.review_reason,
        })
    }
}
