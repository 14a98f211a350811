//! The saved cards of a company. The provider holds them; our list is overwritten by the provider's at every look, so
//! that a card saved by a payment appears and one removed at the provider disappears.
//!
//! Called by the handlers of `/payments/methods` and by the job that follows a payment which saved a card.

use std::sync::Arc;
use std::time::Duration;

use bipe_core::audit::{self, Entry};
use bipe_core::company::{lock, lock_for};
use bipe_core::db::CompanyTx;
use bipe_core::error::Code;
use bipe_core::gateway::{Card, ProviderAnswer};
use bipe_core::payment::renewal_consent::{self, RenewalConsent};
use bipe_core::payment::saved_cards::{self, PaymentMethodView};
use bipe_core::scope::{CompanyScope, Permission};
use bipe_core::subscription::{purchase, renewal};
use bipe_core::trace::Span;
use bipe_core::{Error, Result};

use crate::billing_workflow::Steps;

/// How long a request waits for the provider's list.
const PATIENCE: Duration = Duration::from_secs(3);

/// The company's saved cards, as the provider has them now.
///
/// # Errors
/// `Unavailable(PROVIDER_UNAVAILABLE)` when the provider does not answer: an empty list would be wrong.
pub async fn list(steps: &Steps, scope: &CompanyScope) -> Result<Vec<PaymentMethodView>> {
    let Ok(fetched) = tokio::time::timeout(PATIENCE, fetch(steps, scope)).await else {
        return Err(Error::provider_unavailable());
    };
    match fetched? {
        None => Ok(Vec::new()),
        Some(ProviderAnswer::Done(fetched)) => fetched.store(steps, scope).await,
        Some(_) => Err(Error::provider_unavailable()),
    }
}

/// The same for a job, after a payment that saved a card.
///
/// # Errors
/// `Unavailable(PROVIDER_UNAVAILABLE)`: try again.
pub async fn refresh(steps: &Steps, scope: &CompanyScope) -> Result<()> {
    match fetch(steps, scope).await? {
        Some(ProviderAnswer::Done(fetched)) => fetched.store(steps, scope).await.map(drop),
        None | Some(ProviderAnswer::Refused(_)) => Ok(()),
        Some(ProviderAnswer::Unknown | ProviderAnswer::Unreachable) => {
            Err(Error::provider_unavailable())
        }
    }
}

/// Saves a card that the browser made, for a person in this network, with the sentence that the person agreed to; none
/// for a job. Goes on when the caller goes away.
///
/// # Errors
/// `Conflict(PAYMENT_METHOD_UNAVAILABLE, CARD_LIMIT_REACHED)`, `TooMany`, `Unavailable(PROVIDER_UNAVAILABLE)`.
pub async fn save(
    steps: &Arc<Steps>,
    scope: CompanyScope,
    card: String,
    consent: Option<RenewalConsent>,
    network: Option<String>,
) -> Result<Vec<PaymentMethodView>> {
    let (runtime, steps) = (steps.runtime(), steps.clone());
    let work = async move { attach(&steps, &scope, (&card, consent), network).await };
    runtime.spawn(Span::child("save card").around_fallible(work)).await.map_err(Error::internal)?
}

/// Removes a saved card. Goes on when the caller goes away.
///
/// # Errors
/// `NotFound`, `Unavailable(PROVIDER_UNAVAILABLE)`.
pub async fn remove(
    steps: &Arc<Steps>,
    scope: CompanyScope,
    card: String,
) -> Result<Vec<PaymentMethodView>> {
    let (runtime, steps) = (steps.runtime(), steps.clone());
    let work = async move { detach(&steps, &scope, &card).await };
    runtime
        .spawn(Span::child("remove card").around_fallible(work))
        .await
        .map_err(Error::internal)?
}

/// Makes a saved card the default one.
///
/// # Errors
/// `NotFound`; `Denied` for a person whose role has changed, and in a company that was suspended.
pub async fn prefer(
    steps: &Steps,
    scope: &CompanyScope,
    card: String,
) -> Result<Vec<PaymentMethodView>> {
    let mut tx = steps.db().company_tx(scope).await?;
    let locked = &mut lock_for(&mut tx, Permission::ManagePayments).await?;
    // The renewal is looked at anew, because what is due is charged to the new default card at once.
    renewal::before_instruments_change(locked).await?;
    saved_cards::make_default(locked, &card).await?;
    let saved = saved_cards::list(locked).await?;
    purchase::announce_instruments(locked).await?;
    record(locked, "payment_method.prefer", card);
    tx.commit().await?;
    Ok(saved)
}

async fn attach(
    steps: &Steps,
    scope: &CompanyScope,
    (card, consent): (&str, Option<RenewalConsent>),
    network: Option<String>,
) -> Result<Vec<PaymentMethodView>> {
    let customer = steps.customer(scope).await?;
    let limits = steps.card_limits();
    let network = network.map(|network| limits.network(&network));
    limits.may_try(scope.company_id(), network.as_ref()).await?;
    limits.count_save(scope, network.as_ref()).await?;
    check_room(steps, scope, card).await?;
    // The provider refuses a card that another customer has.
    match steps.gateway().attach(card, &customer).await {
        ProviderAnswer::Done(_) => {}
        ProviderAnswer::Refused(refusal) => {
            if refusal.is_decline() {
                limits.count_decline(scope, network.as_ref()).await?;
            }
            return Err(Error::conflict(Code::PaymentMethodUnavailable));
        }
        ProviderAnswer::Unknown | ProviderAnswer::Unreachable => {
            return Err(Error::provider_unavailable());
        }
    }
    let tx = steps.db().company_tx(scope).await?;
    if let Some(consent) = consent {
        renewal_consent::record(&tx, consent, card, None).await?;
    }
    record(&tx, "payment_method.add", card.to_owned());
    tx.commit().await?;
    let saved = list(steps, scope).await?;
    if saved.len() <= saved_cards::MOST_CARDS {
        return Ok(saved);
    }
    // Other cards were saved between `check_room` and here.
    match steps.gateway().detach(card).await {
        ProviderAnswer::Unknown | ProviderAnswer::Unreachable => Err(Error::provider_unavailable()),
        ProviderAnswer::Done(_) | ProviderAnswer::Refused(_) => {
            list(steps, scope).await?;
            Err(Error::conflict(Code::CardLimitReached))
        }
    }
}

async fn detach(steps: &Steps, scope: &CompanyScope, card: &str) -> Result<Vec<PaymentMethodView>> {
    if !list(steps, scope).await?.iter().any(|saved| saved.id == card) {
        return Err(Error::not_found());
    }
    match steps.gateway().detach(card).await {
        ProviderAnswer::Done(_) | ProviderAnswer::Refused(_) => {}
        ProviderAnswer::Unknown | ProviderAnswer::Unreachable => {
            return Err(Error::provider_unavailable());
        }
    }
    let tx = steps.db().company_tx(scope).await?;
    record(&tx, "payment_method.remove", card.to_owned());
    tx.commit().await?;
    list(steps, scope).await
}

/// Refuses a new card when the company has as many as it may.
async fn check_room(steps: &Steps, scope: &CompanyScope, card: &str) -> Result<()> {
    let saved = saved_cards::list(&steps.db().company_tx(scope).await?).await?;
    let is_new = !saved.iter().any(|saved| saved.id == card);
    if is_new && saved.len() >= saved_cards::MOST_CARDS {
        return Err(Error::conflict(Code::CardLimitReached));
    }
    Ok(())
}

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
        let keeps_default = default.is_some_and(|default| !gone.contains(&default.id));
        if !(keeps_default || stored.is_empty() && known.is_empty()) {
            renewal::before_instruments_change(&mut locked).await?;
        }
        saved_cards::forget(&locked, &gone).await?;
        for card in known {
            saved_cards::keep(&locked, card).await?;
        }
        let mut saved = saved_cards::list(&locked).await?;
        if let Some(newest) = saved.first().filter(|first| !first.is_default) {
            saved_cards::make_default(&locked, &newest.id).await?;
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

fn has(list: &[PaymentMethodView], id: &str) -> bool {
    list.iter().any(|card| card.id == id)
}

fn record(tx: &CompanyTx, action: &str, card: String) {
    let scope = tx.scope();
    let entry = Entry {
        actor: scope.user_id(),
        company: Some(scope.company_id()),
        target: Some(card),
        ..Entry::of(action)
    };
    audit::record(tx, entry);
}
