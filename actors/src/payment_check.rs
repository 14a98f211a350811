//! The scheduled check of the payment invariants: compares the provider's payments of 200 companies with ours, of those
//! with an open finding and of those whose payments changed last, within 25 hours. Then it asks the database the rest
//! (`core/src/payment/check`). Called by the jobs, by tests and by the demo.
//!
//! A success that we do not know of yet is read first, so that a lost webhook is not reported as an error.

use bipe_core::gateway::{Intent, IntentStatus, ProviderAnswer};
use bipe_core::id::{CompanyId, PaymentId};
use bipe_core::payment::check::{self, Finding, ProviderFindings, Report, rules};
use bipe_core::payment::{PaymentState, PaymentStatus, Situation};
use bipe_core::scope::CompanyScope;
use bipe_core::{Error, Result};

use crate::billing_workflow::Task;
use crate::directory::Directory;

/// Checks every invariant now.
///
/// # Errors
/// `Unavailable` without a database.
pub async fn run(directory: &Directory) -> Result<Report> {
    let provider = ask_provider(directory).await?;
    check::run(directory.steps().db(), directory.proof(), provider).await
}

async fn ask_provider(directory: &Directory) -> Result<ProviderFindings> {
    let (db, gateway) = (directory.steps().db(), directory.steps().gateway());
    if !gateway.is_alive().await {
        return Ok(ProviderFindings::default());
    }
    let customers = rules::customers(&db.platform_tx(directory.proof()).await?).await?;
    let mut provider = ProviderFindings { answers: true, findings: Vec::new() };
    for (company, customer) in customers {
        let intents = match gateway.intents_of(&customer).await {
            ProviderAnswer::Done(intents) => intents,
            // One customer that is gone there says nothing of the others.
            ProviderAnswer::Refused(_) => continue,
            ProviderAnswer::Unknown | ProviderAnswer::Unreachable => {
                // Each further question might wait as long for nothing.
                provider.answers = false;
                break;
            }
        };
        for intent in &intents {
            provider.findings.extend(compare(directory, company, intent, &intents).await?);
        }
    }
    Ok(provider)
}

/// Compares one object of the provider with our row.
async fn compare(
    directory: &Directory,
    company: CompanyId,
    intent: &Intent,
    all: &[Intent],
) -> Result<Option<Finding>> {
    let named = intent.metadata.get("paymentId").and_then(|id| id.parse::<PaymentId>().ok());
    let Some(id) = named.filter(|id| intent.is_of(*id, company)) else { return Ok(None) };
    let found = |invariant: &str, detail: &str| {
        Some(Finding {
            invariant: invariant.to_owned(),
            company_id: Some(company),
            subject: id.to_string(),
            detail: format!("{}: {detail}", intent.id),
        })
    };
    let paid = intent.status == IntentStatus::Succeeded;
    let twins = |other: &&Intent| {
        other.status == IntentStatus::Succeeded
            && other.metadata.get("paymentId") == intent.metadata.get("paymentId")
    };
    if all.iter().filter(twins).count() > 1 {
        return Ok(found("P1", "one payment has several successes at the provider"));
    }
    let task = Task::of(CompanyScope::of_job(directory.proof(), company), id);
    let mut ours = match directory.steps().load(&task).await {
        Ok(ours) => ours,
        Err(Error::NotFound(_)) if !paid => return Ok(None),
        Err(Error::NotFound(_)) => {
            let restored = directory.steps().restore_lost(directory.proof(), intent).await;
            if !restored.inspect_err(|error| log_unstored(id, error)).is_ok_and(|it| it.is_some()) {
                return Ok(found("P2", "succeeded without a payment here"));
            }
            directory.steps().load(&task).await?
        }
        Err(error) => return Err(error),
    };
    // Money that a platform admin refused stays a success there.
    let is_known = |ours: &Situation| {
        ours.is_reviewed
            || matches!(ours.state, PaymentState::Succeeded { .. } | PaymentState::Conflicted)
    };
    if paid && !is_known(&ours.situation) {
        directory.read(company, id).await.inspect_err(|error| log_unstored(id, error)).ok();
        ours = directory.steps().load(&task).await?;
    }
    let shown = PaymentStatus::of(&ours.situation.state);
    Ok(match (paid, is_known(&ours.situation)) {
        (true, false) => found("P2", "succeeded at the provider alone"),
        (false, true) if shown == PaymentStatus::Success => found("P5", "succeeded here alone"),
        (true, true)
            if shown == PaymentStatus::Success
                && intent.amount_received != ours.situation.came_in() =>
        {
            found("P3", "the provider received another amount")
        }
        _ => None,
    })
}

/// What cannot be stored is a finding, and hides no other one.
fn log_unstored(payment: PaymentId, error: &Error) {
    tracing::warn!(%payment, %error, "a success at the provider cannot be stored");
}
