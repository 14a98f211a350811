//! The company's customer at the provider, made on first use. Called before a payment and by the saved cards.

use bipe_core::gateway::{self, ProviderAnswer};
use bipe_core::payment::saved_cards;
use bipe_core::scope::CompanyScope;
use bipe_core::{Error, Result};

use super::Steps;

impl Steps {
    pub(crate) async fn known_customer(&self, scope: &CompanyScope) -> Result<Option<String>> {
        saved_cards::customer(&self.db.company_tx(scope).await?).await
    }

    /// # Errors
    /// `Unavailable(PROVIDER_UNAVAILABLE)`.
    pub(crate) async fn customer(&self, scope: &CompanyScope) -> Result<String> {
        if let Some(known) = self.known_customer(scope).await? {
            return Ok(known);
        }
        let customer = self.make_customer_of(scope).await?;
        let tx = self.db.company_tx(scope).await?;
        let customer = saved_cards::remember_customer(&tx, &customer).await?;
        tx.commit().await?;
        Ok(customer)
    }

    /// The company's customer at the provider, which the caller has still to remember. Asked again, the provider answers
    /// the same one.
    ///
    /// # Errors
    /// `Unavailable(PROVIDER_UNAVAILABLE)`.
    pub(super) async fn make_customer_of(&self, scope: &CompanyScope) -> Result<String> {
        // The first key finds the customer again that a failover made us forget, with its payments.
        let mut made = self.ask_for_customer(scope, "customer").await;
        if made == ProviderAnswer::Unknown {
            // A provider keeps a failure, too, and repeats it for a day.
            let minute = self.db.clock().now().as_second() / 60;
            made = self.ask_for_customer(scope, &format!("customer:{minute}")).await;
        }
        match made {
            ProviderAnswer::Done(customer) => Ok(customer),
            _ => Err(Error::provider_unavailable()),
        }
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
