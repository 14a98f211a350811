//! The company's customer at the provider, made on first use. Called before a payment and by the saved cards.

use bipe_core::Result;
use bipe_core::gateway::{self, ProviderAnswer};
use bipe_core::payment::wallet;
use bipe_core::scope::CompanyScope;

use super::Steps;
use super::step::provider_unavailable;

impl Steps {
    pub(crate) async fn known_customer(&self, scope: &CompanyScope) -> Result<Option<String>> {
        wallet::customer(&self.db.company_tx(scope).await?).await
    }

    /// # Errors
    /// `Unavailable(PROVIDER_UNAVAILABLE)`.
    pub(crate) async fn customer(&self, scope: &CompanyScope) -> Result<String> {
        if let Some(known) = self.known_customer(scope).await? {
            return Ok(known);
        }
        // The first key finds the customer again that a failover made us forget, with its payments.
        let mut made = self.ask_for_customer(scope, "customer").await;
        if made == ProviderAnswer::Unknown {
            // A provider keeps a failure, too, and repeats it for a day.
            let minute = self.db.clock().now().as_second() / 60;
            made = self.ask_for_customer(scope, &format!("customer:{minute}")).await;
        }
        let ProviderAnswer::Done(customer) = made else { return Err(provider_unavailable()) };
        let tx = self.db.company_tx(scope).await?;
        wallet::remember_customer(&tx, &customer).await?;
        // Another request may have stored a customer first: that one counts.
        let customer = wallet::customer(&tx).await?.unwrap_or(customer);
        tx.commit().await?;
        Ok(customer)
    }

    async fn ask_for_customer(
        &self,
        scope: &CompanyScope,
        operation: &str,
    ) -> ProviderAnswer<String> {
        let company = scope.company_id();
        self.gateway.create_customer(company, &gateway::key(company, operation)).await
    }
}
