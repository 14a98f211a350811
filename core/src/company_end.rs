//! The end of a company by its creator: it stands right of every noun, because money decides whether it may end.
//!
//! A company whose plan still renews, or for which money is on its way, stays. What must be kept of it stays in
//! its rows, which nobody reaches any more.

use crate::company::{By, store};
use crate::db::CompanyTx;
use crate::error::{Code, Detail, Error, Result};
use crate::id::PaymentId;
use crate::subscription::Phase;
use crate::subscription::books::{self, Books};

/// Ends the company of the transaction. The caller has proven `Permission::DeleteCompany`.
///
/// # Errors
/// `Conflict` COMPANY_HAS_ACTIVE_SUBSCRIPTION or PAYMENT_IN_PROGRESS, `NotFound` when it has ended.
pub async fn delete(tx: &mut CompanyTx, by: By<'_>) -> Result<()> {
    tx.set_cause(Some(&by.caller.request_id));
    books::lock(tx).await?;
    let read = Books::read(tx).await?;
    let now = tx.clock().now_seconds();
    let standing = read.standing(now, read.waits_since(now));
    let open = read.open.as_ref().map(|open| open.payment_id);
    may_end(standing.map(|standing| standing.phase), open)?;
    store::delete(tx, by).await
}

fn may_end(phase: Option<Phase>, open: Option<PaymentId>) -> Result<()> {
    match phase {
        Some(Phase::Active | Phase::Due | Phase::Suspended) => {
            return Err(Error::conflict(Code::CompanyHasActiveSubscription));
        }
        // A canceled plan only runs out: the refusal asks for exactly that.
        None | Some(Phase::Pending | Phase::Free | Phase::Canceled | Phase::Expired) => {}
    }
    match open {
        Some(open) => Err(Error::Conflict(Code::PaymentInProgress, Detail::PaymentId(open))),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_company_ends_when_nothing_is_owed_to_it_or_by_it() {
        let open = Some(PaymentId(uuid::Uuid::nil()));
        let code = |phase, open| may_end(phase, open).err().map(|error| error.code());
        for phase in [Phase::Active, Phase::Due, Phase::Suspended] {
            assert_eq!(code(Some(phase), open), Some(Code::CompanyHasActiveSubscription));
            assert_eq!(code(Some(phase), None), Some(Code::CompanyHasActiveSubscription));
        }
        let idle = [Phase::Pending, Phase::Free, Phase::Canceled, Phase::Expired].map(Some);
        for phase in idle.into_iter().chain([None]) {
            assert_eq!(code(phase, None), None, "{phase:?}");
            assert_eq!(code(phase, open), Some(Code::PaymentInProgress), "{phase:?}");
        }
    }
}
