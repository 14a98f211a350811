//! Saved cards. The provider holds them; what we keep follows it, so that a card saved by a payment appears
//! by itself and one that was removed there disappears. Called through the directory.

use std::time::Duration;

use bipe_core::audit::{self, Entry};
use bipe_core::company::lock;
use bipe_core::error::Code;
use bipe_core::gateway::{self, Card, ProviderAnswer};
use bipe_core::payment::wallet::{self, PaymentMethodView};
use bipe_core::rate_limit::{Bucket, CARD_SAVED_COMPANY, CARD_SAVED_IP, CARD_SAVED_PERSON};
use bipe_core::scope::CompanyScope;
use bipe_core::subscription::{purchase, renewal};
use bipe_core::{Error, Result};

use crate::billing_workflow::Steps;

/// Nobody waits longer for a list: what the provider does not say is not shown as nothing.
const PATIENCE: Duration = Duration::from_secs(3);

impl Steps {
    pub(crate) async fn cards(&self, scope: CompanyScope) -> Result<Vec<PaymentMethodView>> {
        let tx = self.db().company_tx(&scope).await?;
        let customer = wallet::customer(&tx).await?;
        tx.rollback().await?;
        let Some(customer) = customer else { return Ok(Vec::new()) };
        let asked = tokio::time::timeout(PATIENCE, self.gateway().cards_of(&customer)).await;
        match asked {
            Ok(ProviderAnswer::Done(cards)) => self.remember(&scope, &cards).await,
            _ => Err(provider_unavailable()),
        }
    }

    pub(crate) async fn learn_cards(&self, scope: CompanyScope) -> Result<()> {
        let tx = self.db().company_tx(&scope).await?;
        let customer = wallet::customer(&tx).await?;
        tx.rollback().await?;
        let Some(customer) = customer else { return Ok(()) };
        match self.gateway().cards_of(&customer).await {
            ProviderAnswer::Done(cards) => self.remember(&scope, &cards).await.map(drop),
            ProviderAnswer::Refused(_) => Ok(()),
            ProviderAnswer::Unknown | ProviderAnswer::Unreachable => Err(provider_unavailable()),
        }
    }

    async fn remember(
        &self,
        scope: &CompanyScope,
        cards: &[Card],
    ) -> Result<Vec<PaymentMethodView>> {
        let mut tx = self.db().company_tx(scope).await?;
        let ids: Vec<String> = cards.iter().map(|card| card.id.clone()).collect();
        let before = wallet::list(&tx).await?;
        let default = before.iter().find(|card| card.is_default);
        let stays = default.is_some_and(|default| ids.contains(&default.id));
        if !(stays || before.is_empty() && cards.is_empty()) {
            renewal::before_card_change(&mut lock(&mut tx).await?).await?;
        }
        wallet::keep_only(&tx, &ids).await?;
        for card in cards {
            wallet::keep(&tx, card).await?;
        }
        let mut saved = wallet::list(&tx).await?;
        if let Some(newest) = saved.first().filter(|first| !first.is_default) {
            wallet::make_default(&tx, &newest.id).await?;
            saved = wallet::list(&tx).await?;
        }
        if saved != before {
            purchase::announce_cards(&mut tx).await?;
        }
        tx.commit().await?;
        Ok(saved)
    }

    pub(crate) async fn save_card(
        &self,
        scope: CompanyScope,
        card: String,
        network: Option<String>,
    ) -> Result<Vec<PaymentMethodView>> {
        let customer = self.customer(&scope).await?;
        let network = network.map(|network| self.network_bucket(&network));
        self.may_save(&scope, &card, network.as_ref()).await?;
        // Attaching would take a card from nobody, but tells whose it is only by refusing.
        match self.gateway().attach(&card, &customer).await {
            ProviderAnswer::Done(_) => {}
            ProviderAnswer::Refused(refusal) => {
                if refusal.is_decline() {
                    self.count_declined(&scope, network.as_ref()).await?;
                }
                return Err(Error::conflict(Code::PaymentMethodUnavailable));
            }
            ProviderAnswer::Unknown | ProviderAnswer::Unreachable => {
                return Err(provider_unavailable());
            }
        }
        self.note(&scope, "payment_method.add", &card).await?;
        let saved = self.cards(scope).await?;
        if saved.len() > wallet::MOST_CARDS {
            // others were saved at the same time
            return match self.gateway().detach(&card).await {
                ProviderAnswer::Unknown | ProviderAnswer::Unreachable => {
                    Err(provider_unavailable())
                }
                ProviderAnswer::Done(_) | ProviderAnswer::Refused(_) => {
                    self.cards(scope).await?;
                    Err(Error::conflict(Code::CardLimitReached))
                }
            };
        }
        Ok(saved)
    }

    /// Counts a try to save a card, before the provider says whether it is good: by company, person and network.
    async fn may_save(
        &self,
        scope: &CompanyScope,
        card: &str,
        network: Option<&Bucket>,
    ) -> Result<()> {
        let company = self.bucket(scope.company_id());
        self.may_charge(&company, network).await?;
        let person = scope.user_id().map(|id| self.limits().bucket(&["person", &id.to_string()]));
        let mut wanted = vec![(CARD_SAVED_COMPANY, &company)];
        wanted.extend(person.as_ref().map(|person| (CARD_SAVED_PERSON, person)));
        wanted.extend(network.map(|network| (CARD_SAVED_IP, network)));
        self.limits().take(self.db(), &wanted).await?;
        let tx = self.db().company_tx(scope).await?;
        let saved = wallet::list(&tx).await?;
        tx.rollback().await?;
        let is_new = !saved.iter().any(|saved| saved.id == card);
        if is_new && saved.len() >= wallet::MOST_CARDS {
            return Err(Error::conflict(Code::CardLimitReached));
        }
        Ok(())
    }

    pub(crate) async fn forget_card(
        &self,
        scope: CompanyScope,
        card: String,
    ) -> Result<Vec<PaymentMethodView>> {
        if !self.cards(scope).await?.iter().any(|saved| saved.id == card) {
            return Err(Error::not_found());
        }
        match self.gateway().detach(&card).await {
            ProviderAnswer::Done(_) | ProviderAnswer::Refused(_) => {}
            ProviderAnswer::Unknown | ProviderAnswer::Unreachable => {
                return Err(provider_unavailable());
            }
        }
        self.note(&scope, "payment_method.remove", &card).await?;
        self.cards(scope).await
    }

    pub(crate) async fn prefer_card(
        &self,
        scope: CompanyScope,
        card: String,
    ) -> Result<Vec<PaymentMethodView>> {
        let mut tx = self.db().company_tx(&scope).await?;
        // what is due is charged to it at once
        renewal::before_card_change(&mut lock(&mut tx).await?).await?;
        wallet::make_default(&tx, &card).await?;
        let saved = wallet::list(&tx).await?;
        purchase::announce_cards(&mut tx).await?;
        let entry = Entry {
            actor: scope.user_id(),
            company: Some(scope.company_id()),
            target: Some(card),
            ..Entry::of("payment_method.prefer")
        };
        audit::record(&tx, entry).await?;
        tx.commit().await?;
        Ok(saved)
    }

    /// The company's customer at the provider, made on first use.
    async fn customer(&self, scope: &CompanyScope) -> Result<String> {
        let tx = self.db().company_tx(scope).await?;
        let known = wallet::customer(&tx).await?;
        tx.rollback().await?;
        if let Some(known) = known {
            return Ok(known);
        }
        let key = gateway::key(scope.company_id(), "customer");
        let made = self.gateway().create_customer(scope.company_id(), &key).await;
        let ProviderAnswer::Done(customer) = made else { return Err(provider_unavailable()) };
        let tx = self.db().company_tx(scope).await?;
        wallet::remember_customer(&tx, &customer).await?;
        // Another command may have been first: its customer stands.
        let customer = wallet::customer(&tx).await?.unwrap_or(customer);
        tx.commit().await?;
        Ok(customer)
    }

    async fn note(&self, scope: &CompanyScope, action: &str, card: &str) -> Result<()> {
        let tx = self.db().company_tx(scope).await?;
        let entry = Entry {
            actor: scope.user_id(),
            company: Some(scope.company_id()),
            target: Some(card.to_owned()),
            ..Entry::of(action)
        };
        audit::record(&tx, entry).await?;
        tx.commit().await
    }
}

fn provider_unavailable() -> Error {
    Error::Unavailable { code: Code::ProviderUnavailable, retry_after: 10 }
}
