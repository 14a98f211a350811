//! The one timer of a company's subscription: a job, which `renewal` runs. Set with every write of the row, so that no
//! subscription runs without a timer (invariant I1).

use jiff::Timestamp;

use super::{Subscription, ladder};
use crate::db::CompanyTx;
use crate::error::Result;
use crate::job::{self, CompanyJob, JobKind};

/// Sets the timer for a row that was just written.
pub fn set(tx: &mut CompanyTx, row: &Subscription) -> Result<()> {
    let now = tx.clock().now_seconds();
    put(tx, ladder::first_check(row, now))
}

/// Moves the timer, or takes it back when nothing will fall due.
pub fn put(tx: &mut CompanyTx, at: Option<Timestamp>) -> Result<()> {
    let company_id = tx.company_id();
    let key = company_id.to_string();
    job::reschedule(tx, JobKind::Renewal, &key, at, &CompanyJob { company_id })
}

/// Looks as soon as the transaction has committed.
pub fn wake(tx: &mut CompanyTx) -> Result<()> {
    let company = tx.company_id();
    job::add_for_company(tx, JobKind::Renewal, company)
}
