//! Ends a company for its creator. Stands right of every noun, because money decides whether a company may end.
//!
//! A company stays while a paid plan runs or a payment is open. The rows that must be kept stay; nobody can reach
//! them.

use crate::company::{Author, lock_for, store};
use crate::db::CompanyTx;
use crate::error::{Code, Error, Result};
use crate::scope::Permission;
use crate::subscription::billing_account::BillingAccount;
use crate::subscription::{Phase, renewal};

/// Ends the company of the transaction.
///
/// # Errors
/// `Conflict` COMPANY_HAS_ACTIVE_SUBSCRIPTION, `NotFound` when it has ended, `Denied`.
pub async fn delete(tx: &mut CompanyTx, by: Author<'_>) -> Result<()> {
    tx.set_cause(Some(&by.caller.request_id));
    let tx = &mut lock_for(tx, Permission::DeleteCompany).await?;
    let now = tx.clock().now_seconds();
    let account = BillingAccount::read(tx).await?;
    // Written down first, so that a free plan that has just begun ends with its company.
    let account = renewal::catch_up(tx, account, now).await?;
    let current = account.projection(now, account.waits_since(now));
    check_end(current.map(|current| current.phase), account.open.is_some())?;
    store::delete(tx, by).await
}

/// Refuses the end of a company with a paid plan that runs, or with an open payment. Who wants a canceled plan to end
/// before its time cancels it at once; then the company can go.
fn check_end(phase: Option<Phase>, has_open_payment: bool) -> Result<()> {
    if phase.is_some_and(Phase::is_running_paid) || has_open_payment {
        return Err(Error::conflict(Code::CompanyHasActiveSubscription));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_company_ends_when_nothing_is_owed_to_it_or_by_it() {
        let code = |phase, has_open_payment| {
            check_end(phase, has_open_payment).err().map(|error| error.code())
        };
        let stays = Some(Code::CompanyHasActiveSubscription);
        for phase in [Phase::Active, Phase::Due, Phase::Canceled, Phase::Suspended] {
            assert_eq!(code(Some(phase), false), stays, "{phase:?}");
        }
        for phase in [None, Some(Phase::Pending), Some(Phase::Free), Some(Phase::Expired)] {
            assert_eq!(code(phase, false), None, "{phase:?}");
            assert_eq!(code(phase, true), stays, "{phase:?}");
        }
    }
}
