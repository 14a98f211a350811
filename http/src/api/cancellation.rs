//! Closes the open payment at the provider before a subscription is canceled, so that no payer pays for it afterwards.
//! An issued boleto and money that is on its way cannot be stopped; they become credit when they arrive.

use bipe_actors::billing_workflow::{PaymentOutcome, PaymentProgress, Task};
use bipe_core::company::lock;
use bipe_core::db::CompanyTx;
use bipe_core::error::{Code, Error, Result};
use bipe_core::idempotency::{self, Claim, KeyedRequest};
use bipe_core::payment::PaymentStatus;
use bipe_core::rate_limit::CANCELLATION;
use bipe_core::scope::CompanyScope;
use bipe_core::subscription::command;
use bipe_core::subscription::decide::EndAt;
use serde::Serialize;

use crate::App;
use crate::replay::CommandCall;

/// Counts a cancellation in its transaction: it is mailed to the company's payer, who need not be the one that cancels.
///
/// # Errors
/// `TooMany`.
pub async fn count_cancellation(app: &App, tx: &CompanyTx) -> Result<()> {
    let company = app.auth.limits.bucket(&["company", &tx.company_id().to_string()]);
    app.auth.limits.take_within(tx, CANCELLATION, &company).await
}

/// Does nothing for a command that was answered before, nor for one that will be refused.
///
/// # Errors
/// `TooMany`. `PROVIDER_UNAVAILABLE` when the provider cannot say whether it is closed. The subscription is unchanged
/// then, but the payment's timer goes on closing the payment. The repeated command finds it closed, or tries again.
pub async fn close_open_payment<B: Serialize>(
    app: &App,
    scope: &CompanyScope,
    call: &CommandCall<'_, B>,
    when: EndAt,
) -> Result<()> {
    let mut tx = app.db.company_tx(scope).await?;
    let is_new = match (&call.key.0, scope.user_id()) {
        (Some(key), Some(user)) => {
            // As in `replay.rs`: the row of the key shares the company's row.
            lock(&mut tx).await?;
            let command = KeyedRequest::new(key.clone(), user, call.operation, call.body)?;
            matches!(idempotency::claim(&tx, &command).await?, Claim::New)
        }
        _ => true,
    };
    let open = if is_new { command::payment_to_close(&tx, when).await? } else { None };
    if open.is_some() {
        // Taken back with the rest, and counted again: a cancellation that is refused closes nothing.
        count_cancellation(app, &tx).await?;
    }
    tx.rollback().await?;
    let Some(payment) = open else { return Ok(()) };
    let task = Task { scope: *scope, payment, cause: Some(call.request_id.to_owned()) };
    match app.actors.directory.cancel(task, None).await? {
        // Its creation has no answer.
        PaymentOutcome::Payment { progress: PaymentProgress::Unanswered, .. } => {
            Err(Error::provider_unavailable())
        }
        // Its payer can still confirm it, a declined one with another card.
        PaymentOutcome::Payment { view, progress: PaymentProgress::Open, .. }
            if view.status != PaymentStatus::Processing =>
        {
            Err(Error::provider_unavailable())
        }
        // The provider's object under its id is another one: there is nothing to close.
        PaymentOutcome::Payment { .. }
        | PaymentOutcome::Foreign(_)
        | PaymentOutcome::Replay { .. } => Ok(()),
        PaymentOutcome::Refused {
            error: Error::Conflict(Code::PaymentNotCancellable, _), ..
        } => Ok(()),
        PaymentOutcome::Refused { error, .. } => Err(error),
        PaymentOutcome::Unread(_) => Err(Error::provider_unavailable()),
    }
}
