//! Counts payments for `/metrics`: every state that one enters, and what was approved, once the transaction that wrote
//! it has committed. Called by `store` and by the billing workflow. The database stays the truth: a commit whose answer
//! is lost is not counted.

use super::{Method, PaymentState, Situation};
use crate::db::CompanyTx;

/// For a payment that is about to be stored.
pub(super) fn count_created(tx: &CompanyTx, method: Method) {
    count_state(tx, method, tx.scope().user_id().is_none(), "submitting");
}

/// For a change that is about to be written; nothing where the state stays.
pub fn count_transition(tx: &CompanyTx, before: &Situation, after: &Situation) {
    let state = after.state.name();
    if before.state.name() == state {
        return;
    }
    count_state(tx, after.method, after.off_session, state);
    if !matches!(after.state, PaymentState::Succeeded { .. }) {
        return;
    }
    let method = after.method.as_str();
    let cents = u64::try_from(after.came_in().0).unwrap_or_default();
    let took = after.changed_at.duration_since(after.created_at).as_secs_f64().max(0.0);
    tx.after_commit(move || {
        metrics::counter!("bipe_payments_approved_cents_total", "method" => method)
            .increment(cents);
        metrics::histogram!("bipe_payment_approval_seconds", "method" => method).record(took);
    });
}

/// `payer` is a person at the screen, `renewal` a charge of what the company has saved.
fn count_state(tx: &CompanyTx, method: Method, off_session: bool, state: &'static str) {
    let (method, by) = (method.as_str(), if off_session { "renewal" } else { "payer" });
    tx.after_commit(move || {
        metrics::counter!("bipe_payments_total", "method" => method, "by" => by, "state" => state)
            .increment(1);
    });
}
