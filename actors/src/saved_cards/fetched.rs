//! The provider's list of a company's cards, and how our list is overwritten with it. Part of the saved cards.

use bipe_core::Result;
use bipe_core::company::lock;
use bipe_core::gateway::{Card, ProviderAnswer};
use bipe_core::payment::saved_cards::{self, CardView, PaymentMethodView};
use bipe_core::scope::CompanyScope;
use bipe_core::subscription::{purchase, renewal};

use super::has;
use crate::billing_workflow::Steps;

/// Our list as it was when the provider was asked, and the provider's. Another list may be stored in between.
pub struct FetchedCards {
    before: Vec<PaymentMethodView>,
    cards: Vec<Card>,
}

/// Asks the provider; none for a company that is no customer yet, or whose customer was gone.
///
/// # Errors
/// `Unavailable` without a database, or when the provider does not answer about a new customer.
pub async fn fetch(
    steps: &Steps,
    scope: &CompanyScope,
) -> Result<Option<ProviderAnswer<FetchedCards>>> {
    let tx = steps.db().company_tx(scope).await?;
    let Some(customer) = saved_cards::customer(&tx).await? else { return Ok(None) };
    let before = saved_cards::list(&tx).await?;
    tx.rollback().await?;
    let answer = steps.gateway().cards_of(&customer).await;
    if let ProviderAnswer::Refused(refusal) = &answer
        && refusal.is_about_the_customer()
    {
        steps.replace_customer(scope, &customer).await?;
        return Ok(None);
    }
    Ok(Some(answer.map(|cards| FetchedCards { before, cards })))
}

impl FetchedCards {
    /// Overwrites our list with the provider's, but for cards that came or went here since the provider was asked: of
    /// those a list that comes late knows nothing. Without a default card, the newest becomes it.
    ///
    /// # Errors
    /// `Unavailable` without a database.
    pub async fn store(
        self,
        steps: &Steps,
        scope: &CompanyScope,
    ) -> Result<Vec<PaymentMethodView>> {
        let mut tx = steps.db().company_tx(scope).await?;
        let mut locked = lock(&mut tx).await?;
        let stored = saved_cards::list(&locked).await?;
        let gone = self.gone(&stored);
        let known: Vec<&Card> = self.known(&stored).collect();
        let default = stored.iter().find(|card| card.is_default);
        let changes = |default: &PaymentMethodView| {
            gone.contains(&default.id) || default.is_declined && is_changed(default, &known)
        };
        let keeps_default = default.is_some_and(|default| !changes(default));
        if !(keeps_default || stored.is_empty() && known.is_empty()) {
            renewal::before_instruments_change(&mut locked).await?;
        }
        saved_cards::forget(&locked, &gone).await?;
        for card in known {
            saved_cards::keep(&locked, card).await?;
        }
        let mut saved = saved_cards::list(&locked).await?;
        let heir = saved.iter().find(|card| !card.is_declined).or(saved.first());
        if let Some(heir) = heir.filter(|_| !saved.iter().any(|card| card.is_default)) {
            saved_cards::make_default(&locked, &heir.id).await?;
            saved = saved_cards::list(&locked).await?;
        }
        if saved != stored {
            purchase::announce_instruments(&mut locked).await?;
        }
        tx.commit().await?;
        Ok(saved)
    }

    /// What the provider does not hold any more.
    fn gone(&self, stored: &[PaymentMethodView]) -> Vec<String> {
        let is_listed = |id: &str| self.cards.iter().any(|card| card.id == id);
        let ids = stored.iter().map(|card| &card.id);
        ids.filter(|id| has(&self.before, id) && !is_listed(id)).cloned().collect()
    }

    /// What the provider holds and nobody has removed here meanwhile.
    fn known(&self, stored: &[PaymentMethodView]) -> impl Iterator<Item = &Card> {
        self.cards.iter().filter(|card| has(stored, &card.id) || !has(&self.before, &card.id))
    }
}

/// The provider shows another number or another end of the card: it may pay again.
fn is_changed(stored: &PaymentMethodView, known: &[&Card]) -> bool {
    let CardView { last4, exp_month, exp_year, .. } = &stored.card;
    let shown = known.iter().find(|card| card.id == stored.id);
    shown.is_some_and(|card| {
        (&card.last4, card.exp_month, card.exp_year) != (last4, *exp_month, *exp_year)
    })
}
