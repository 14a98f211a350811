//! A payment that the provider holds and the database has lost, as after an asynchronous failover or a restored backup.
//! The metadata of the provider's intent are all that is left of it. Called by the billing steps alone.
//!
//! It comes back as superseded: it holds no slot. While it can be, it is cancelled at the provider; once paid it becomes
//! credit. It buys nothing, because its payer may have bought the same again since.

use super::{CloseReason, Method, Payment, PaymentMetadata, store};
use crate::company::Locked;
use crate::error::{Error, Result};
use crate::gateway::{self, Intent};
use crate::id::{CompanyId, PaymentId, PlanId};
use crate::money::{BRL, Cents};
use crate::plan::{self, BillingCycle};
use crate::subscription::ChangeType;
use crate::subscription::quote::Quote;

/// What the intent still tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LostPayment {
    pub id: PaymentId,
    pub company_id: CompanyId,
    intent: String,
    amount: Cents,
    method: Method,
    plan_id: PlanId,
    cycle: BillingCycle,
    change_type: ChangeType,
}

impl LostPayment {
    /// None for an intent of another environment, or one that does not tell enough.
    pub fn read(intent: &Intent, environment: &str) -> Option<Self> {
        let field = |key: &str| intent.metadata.get(key).map(String::as_str);
        let is_ours = field("env") == Some(environment) && intent.currency == BRL;
        let lost = Self {
            id: field("paymentId")?.parse().ok()?,
            company_id: field("companyId")?.parse().ok()?,
            intent: intent.id.clone(),
            amount: intent.amount,
            method: Method::parse(field("method")?)?,
            plan_id: field("planId")?.parse().ok()?,
            cycle: BillingCycle::parse(field("billingCycle")?)?,
            change_type: ChangeType::parse(field("changeType")?)?,
        };
        let is_payable = lost.method.rules().amounts.contains(&lost.amount);
        (is_ours && is_payable).then_some(lost)
    }

    /// Stores it again; none when it is stored already, or when its plan is lost too.
    pub async fn store(&self, tx: &Locked<'_>, provider: &str) -> Result<Option<Payment>> {
        let is_known =
            tx.query_opt(KNOWN, &[&tx.company_id(), &self.id, &self.intent]).await?.is_some();
        if is_known || plan::store::find(tx, self.plan_id).await?.is_none() {
            return Ok(None);
        }
        let quote =
            Quote::of_lost(tx, (self.plan_id, self.cycle), self.change_type, self.amount).await?;
        let metadata = PaymentMetadata {
            company_id: self.company_id,
            plan_id: self.plan_id,
            billing_cycle: self.cycle,
            change_type: self.change_type,
            quote_id: Some(quote.id),
            source: None,
            cancel_reason: None,
        };
        let metadata = serde_json::to_string(&metadata).map_err(Error::internal)?;
        let key = gateway::key(self.id, "create");
        tx.execute(
            INSERT,
            &[
                &self.id,
                &tx.company_id(),
                &self.method,
                &self.amount,
                &BRL,
                &self.change_type,
                &self.plan_id,
                &self.cycle,
                &quote.id,
                &quote.basis,
                &quote.frozen_at,
                &provider,
                &self.intent,
                &key,
                &metadata,
                &tx.now(),
                &CloseReason::Replace,
            ],
        )
        .await?;
        store::load(tx, self.id).await.map(Some)
    }
}

const KNOWN: &str =
    "SELECT FROM payments WHERE company_id = $1 AND (id = $2 OR provider_intent = $3)";

/// Without the text of its creation, which is lost: nobody sends it again, because the intent is there.
const INSERT: &str = "INSERT INTO payments (id, company_id, state, superseded, closing, method, amount_cents, currency, \
     change_type, plan_id, billing_cycle, quote_id, basis, frozen_at, provider, provider_intent, provider_key, \
     provider_request, metadata, created_at, updated_at) \
     VALUES ($1, $2, 'created', true, $17, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, '', $15, $16, $16)";

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::gateway::IntentStatus;

    fn intent() -> Intent {
        let id = "01890a5d-ac96-774b-bcce-b302099a8057";
        let metadata = [
            ("paymentId", id),
            ("companyId", id),
            ("planId", id),
            ("billingCycle", "monthly"),
            ("changeType", "creation"),
            ("method", "PIX"),
            ("env", "production"),
        ];
        Intent {
            id: "pi_1".into(),
            status: IntentStatus::Succeeded,
            amount: Cents(9990),
            amount_received: Cents(9990),
            currency: BRL.into(),
            client_secret: None,
            last_error: None,
            charged_at: None,
            refunded: Cents::ZERO,
            disputed: false,
            payment_method: None,
            card: None,
            metadata: BTreeMap::from(metadata.map(|(key, text)| (key.to_owned(), text.to_owned()))),
        }
    }

    #[test]
    fn only_a_whole_intent_of_this_environment_is_a_lost_payment() {
        let lost = LostPayment::read(&intent(), "production").unwrap();
        assert_eq!(
            (lost.intent.as_str(), lost.amount, lost.method),
            ("pi_1", Cents(9990), Method::Pix)
        );
        assert_eq!(LostPayment::read(&intent(), "staging"), None);
        for key in intent().metadata.keys() {
            let mut lacking = intent();
            lacking.metadata.remove(key);
            assert_eq!(LostPayment::read(&lacking, "production"), None, "without {key}");
            let mut strange = intent();
            strange.metadata.insert(key.clone(), "?".into());
            assert_eq!(LostPayment::read(&strange, "production"), None, "strange {key}");
        }
        assert_eq!(
            LostPayment::read(&Intent { currency: "usd".into(), ..intent() }, "production"),
            None
        );
        assert_eq!(LostPayment::read(&Intent { amount: Cents(1), ..intent() }, "production"), None);
    }
}
