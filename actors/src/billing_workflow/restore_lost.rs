//! Takes back a payment that the database has lost and the provider still holds (`core/src/payment/lost.rs`). Called for
//! a webhook that names an unknown payment, and by the check of the payments.

use bipe_core::audit::AuditAction;
use bipe_core::company::lock;
use bipe_core::gateway::Intent;
use bipe_core::id::{CompanyId, PaymentId};
use bipe_core::payment::lost::LostPayment;
use bipe_core::scope::{CompanyScope, JobScope};
use bipe_core::{Error, Result};

use super::{Steps, open};

impl Steps {
    /// Stores the payment of an intent again. The provider is asked for it next, as for any other payment. None when
    /// the intent is another environment's, its company is unknown, or the payment is stored.
    pub(crate) async fn restore_lost(
        &self,
        proof: &JobScope,
        intent: &Intent,
    ) -> Result<Option<(CompanyId, PaymentId)>> {
        let Some(lost) = LostPayment::read(intent, &self.environment) else { return Ok(None) };
        let mut tx = self.db.company_tx(&CompanyScope::of_job(proof, lost.company_id)).await?;
        let mut locked = match lock(&mut tx).await {
            Ok(locked) => locked,
            Err(Error::NotFound(_)) => return Ok(None),
            Err(error) => return Err(error),
        };
        let Some(payment) = lost.store(&locked, self.gateway.name()).await? else {
            return Ok(None);
        };
        open::announce(&mut locked, &payment, AuditAction::PaymentAdopt)?;
        tx.commit().await?;
        tracing::warn!(payment = %lost.id, company = %lost.company_id, "a lost payment is taken back from the provider");
        metrics::counter!("bipe_payments_adopted_total").increment(1);
        Ok(Some((lost.company_id, lost.id)))
    }
}
