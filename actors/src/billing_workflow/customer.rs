//! The company's customer at the provider, made on first use, and anew when the provider has lost it. Called before a
//! payment and by the saved cards.

use bipe_core::company::lock;
use bipe_core::gateway::{self, ProviderAnswer};
use bipe_core::payment::saved_cards;
use bipe_core::scope::CompanyScope;
use bipe_core::subscription::{purchase, renewal};
use bipe_core::{Error, Result};

use super::Steps;

/// The operation in the key of a company's first customer. Under that key the provider answers the same customer again,
/// with its payments, for a day: also after a failover made us forget it, and also after it was deleted there.
pub(super) const FIRST: &str = "customer";

impl Steps {
    /// The company's customer at the provider, if it was made.
    pub(crate) async fn known_customer(&self, scope: &CompanyScope) -> Result<Option<String>> {
        saved_cards::customer(&self.db.company_tx(scope).await?).await
    }

    /// The company's customer at the provider, made and remembered where there is none.
    ///
    /// # Errors
    /// `Unavailable(PROVIDER_UNAVAILABLE)`.
    pub(crate) async fn customer(&self, scope: &CompanyScope) -> Result<String> {
        if let Some(known) = self.known_customer(scope).await? {
            return Ok(known);
        }
        let customer = self.make_customer_of(scope, FIRST).await?;
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
    pub(super) async fn make_customer_of(
        &self,
        scope: &CompanyScope,
        operation: &str,
    ) -> Result<String> {
        let mut made = self.ask_for_customer(scope, operation).await;
        if made == ProviderAnswer::Unknown {
            // The provider repeats a failure under the same key for a day, so this try has another key.
            let minute = self.db.clock().now().as_second() / 60;
            made = self.ask_for_customer(scope, &format!("{operation}:{minute}")).await;
        }
        match made {
            ProviderAnswer::Done(customer) => Ok(customer),
            _ => Err(Error::provider_unavailable()),
        }
    }

    /// Makes a new customer for one that is gone at the provider, and forgets the cards that went with it.
    ///
    /// # Errors
    /// `Unavailable(PROVIDER_UNAVAILABLE)`.
    pub(crate) async fn replace_customer(&self, scope: &CompanyScope, gone: &str) -> Result<()> {
        let customer = self.make_customer_of(scope, &format!("{FIRST}:{gone}")).await?;
        let mut tx = self.db.company_tx(scope).await?;
        let mut locked = lock(&mut tx).await?;
        renewal::before_instruments_change(&mut locked).await?;
        if saved_cards::replace_customer(&locked, gone, &customer).await? {
            purchase::announce_instruments(&mut locked).await?;
            let company = scope.company_id();
            tracing::warn!(%company, "the provider has lost the company's customer");
        }
        tx.commit().await
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
