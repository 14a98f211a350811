//! The scheduled check of the payment invariants: what the provider holds for the payments of the last day
//! is compared with ours, then the database is asked the rest (`core/src/payment/check`).
//!
//! A payment that the provider knows further than we do is read again first: a lost webhook is no finding.

use bipe_core::Result;
use bipe_core::gateway::{Intent, IntentStatus, ProviderAnswer};
use bipe_core::id::{CompanyId, PaymentId};
use bipe_core::payment::check::{self, Finding, ProviderSays, Report, rules};
use bipe_core::payment::{PaymentState, PaymentStatus};
use bipe_core::scope::CompanyScope;

use crate::billing_workflow::Case;
use crate::directory::Directory;

impl Directory {
    /// Checks every invariant now.
    ///
    /// # Errors
    /// `Unavailable` without a database.
    pub async fn check_payments(&self) -> Result<Report> {
        let provider = self.ask_provider().await?;
        check::run(self.steps().db(), self.proof(), provider).await
    }

    async fn ask_provider(&self) -> Result<ProviderSays> {
        let (db, gateway) = (self.steps().db(), self.steps().gateway());
        if !gateway.is_alive().await {
            return Ok(ProviderSays::default());
        }
        let tx = db.platform_tx(self.proof()).await?;
        let customers = rules::recent_customers(&tx).await?;
        tx.rollback().await?;
        let mut says = ProviderSays { answers: true, findings: Vec::new() };
        for (company, customer) in customers {
            let ProviderAnswer::Done(intents) = gateway.intents_of(&customer).await else {
                says.answers = false;
                continue;
            };
            for intent in &intents {
                says.findings.extend(self.compare(company, intent, &intents).await?);
            }
        }
        Ok(says)
    }

    /// One object of the provider against our row.
    async fn compare(
        &self,
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
        let case = Case::of(CompanyScope::of_job(self.proof(), company), id);
        let Ok(mut ours) = self.steps().load(&case).await else {
            return Ok(paid.then(|| found("P2", "succeeded without a payment here")).flatten());
        };
        let knows = |state: &PaymentState| {
            matches!(state, PaymentState::Succeeded { .. } | PaymentState::Conflicted)
        };
        if paid && !knows(&ours.situation.state) {
            self.hint(company, id).await?;
            ours = self.steps().load(&case).await?;
        }
        let shown = PaymentStatus::of(&ours.situation.state);
        Ok(match (paid, knows(&ours.situation.state)) {
            (true, false) => found("P2", "succeeded at the provider alone"),
            (false, true) if shown == PaymentStatus::Success => found("P5", "succeeded here alone"),
            (true, true) if shown == PaymentStatus::Success => {
                let equal = intent.amount_received == ours.received().0;
                (!equal).then(|| found("P3", "the provider received another amount")).flatten()
            }
            _ => None,
        })
    }
}
