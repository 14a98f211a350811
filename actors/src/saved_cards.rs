//! The saved cards of a company. The provider holds them; our list is overwritten by the provider's at every look, so
//! that a card saved by a payment appears and one removed at the provider disappears.
//!
//! A card that is saved without a payment is prepared for charges while its holder is away, for which the holder's bank
//! may ask the holder. A job follows such a card, also when the provider's answer about it was lost.
//!
//! Called by the handlers of `/payments/methods`, by that job, and by the one that follows a payment which saved a card.

use std::sync::Arc;
use std::time::Duration;

use bipe_core::audit::{self, AuditAction, Entry};
use bipe_core::caller::Caller;
use bipe_core::company::{self, lock_for};
use bipe_core::db::CompanyTx;
use bipe_core::error::Code;
use bipe_core::gateway::{self, CardSetup, ProviderAnswer, SetupStatus};
use bipe_core::id::{CompanyId, UserId};
use bipe_core::job::{self, CompanyJob, JobKind};
use bipe_core::payment::renewal_consent::{self, RenewalConsent};
use bipe_core::payment::saved_cards::{self, PaymentMethodView};
use bipe_core::scope::{CompanyScope, Permission};
use bipe_core::secret::Secret;
use bipe_core::subscription::{purchase, renewal};
use bipe_core::trace::Span;
use bipe_core::{Error, Result};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use crate::billing_workflow::Steps;

mod fetched;

pub use fetched::{FetchedCards, fetch};

/// How long a request waits for the provider's list.
const LIST_TIMEOUT: Duration = Duration::from_secs(3);
/// When a job looks for a card whose save got no answer: later than any request waits, however the clocks of nodes
/// differ.
const SEARCH_AFTER: SignedDuration = SignedDuration::from_mins(5);
/// How soon a card that waits for its holder's bank is checked, should no event tell of it.
const FIRST_CHECK: SignedDuration = SignedDuration::from_mins(1);
/// When a job reads the list again, in case the answer to a removal is lost.
const READ_AGAIN_AFTER: SignedDuration = SignedDuration::from_mins(1);
/// How long the bank's answer is waited for.
const LONGEST_WAIT: SignedDuration = SignedDuration::from_hours(24);

/// What became of a card that a person saves.
pub struct SavedCard {
    pub methods: Vec<PaymentMethodView>,
    /// The card is not among them yet: its holder's bank asks for the holder, whose browser needs this.
    pub secret: Option<Secret>,
}

/// What is known of a card that waits for its holder's bank: the payload of the job that follows it. Its key is the
/// provider's id of the wait, and before the provider has answered the card's.
#[derive(Serialize, Deserialize)]
pub struct WaitingCard {
    pub company_id: CompanyId,
    pub user_id: Option<UserId>,
    pub consent: Option<RenewalConsent>,
    /// The bucket of the person's network.
    pub network: Option<String>,
    pub asked_at: Timestamp,
    /// The provider was asked to save the card, and nobody has read its answer.
    #[serde(default)]
    pub is_unanswered: bool,
}

impl WaitingCard {
    /// How long to wait before the next check, longer each time; none when the bank was waited for long enough.
    pub fn next_check(&self, now: Timestamp) -> Option<SignedDuration> {
        let age = now.duration_since(self.asked_at);
        (age < LONGEST_WAIT).then(|| age.max(FIRST_CHECK))
    }
}

/// The company's saved cards, as the provider has them now.
///
/// # Errors
/// `Unavailable(PROVIDER_UNAVAILABLE)` when the provider does not answer: an empty list would be wrong.
pub async fn list(steps: &Steps, scope: &CompanyScope) -> Result<Vec<PaymentMethodView>> {
    let Ok(fetched) = tokio::time::timeout(LIST_TIMEOUT, fetch(steps, scope)).await else {
        return Err(Error::provider_unavailable());
    };
    match fetched? {
        None => Ok(Vec::new()),
        Some(ProviderAnswer::Done(fetched)) => fetched.store(steps, scope).await,
        Some(_) => Err(Error::provider_unavailable()),
    }
}

/// Reads the provider's list again for a job: after a payment that saved a card, after an event about a saved card, and
/// at the end of a company. Nobody is left then who could remove its cards, so they all go.
///
/// # Errors
/// `Unavailable(PROVIDER_UNAVAILABLE)`: try again.
pub async fn refresh(steps: &Steps, scope: &CompanyScope) -> Result<()> {
    let Some(answer) = fetch(steps, scope).await? else { return Ok(()) };
    let Ok(fetched) = answer.certain()? else { return Ok(()) };
    let saved = fetched.store(steps, scope).await?;
    if saved.is_empty() || !company::store::has_ended(&steps.db().company_tx(scope).await?).await? {
        return Ok(());
    }
    for card in &saved {
        detach(steps, &card.id).await?;
    }
    list(steps, scope).await.map(drop)
}

/// Saves a card that the browser made, for the person of a request, with the sentence that the person agreed to. The
/// holder's bank may have to be asked first. Goes on when the caller goes away.
///
/// # Errors
/// `Conflict(PAYMENT_METHOD_UNAVAILABLE, CARD_LIMIT_REACHED)`, `TooMany`, `Unavailable(PROVIDER_UNAVAILABLE)`.
pub async fn save(
    steps: &Arc<Steps>,
    scope: CompanyScope,
    card: String,
    consent: Option<RenewalConsent>,
    caller: Option<&Caller>,
) -> Result<SavedCard> {
    let (runtime, steps, caller) = (steps.runtime(), steps.clone(), caller.cloned());
    let work = async move { add(&steps, &scope, &card, consent, caller.as_ref()).await };
    runtime.spawn(Span::child("save card").around_fallible(work)).await.map_err(Error::internal)?
}

/// Removes a saved card. Goes on when the caller goes away.
///
/// # Errors
/// `NotFound`, `Unavailable(PROVIDER_UNAVAILABLE)`, `Internal` when the provider keeps the card.
pub async fn remove(
    steps: &Arc<Steps>,
    scope: CompanyScope,
    card: String,
    caller: &Caller,
) -> Result<Vec<PaymentMethodView>> {
    let (runtime, steps, caller) = (steps.runtime(), steps.clone(), caller.clone());
    let work = async move { remove_now(&steps, &scope, &card, &caller).await };
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
    caller: Option<&Caller>,
) -> Result<Vec<PaymentMethodView>> {
    let mut tx = steps.db().company_tx(scope).await?;
    tx.set_cause(caller.map(|caller| caller.request_id.as_str()));
    let locked = &mut lock_for(&mut tx, Permission::ManagePayments).await?;
    // The renewal is looked at anew, because what is due is charged to the new default card at once.
    renewal::before_instruments_change(locked).await?;
    saved_cards::make_default(locked, &card).await?;
    saved_cards::trust(locked, &card).await?;
    let saved = saved_cards::list(locked).await?;
    purchase::announce_instruments(locked).await?;
    record(locked, scope.user_id(), AuditAction::PaymentMethodPrefer, card);
    tx.commit().await?;
    Ok(saved)
}

async fn add(
    steps: &Steps,
    scope: &CompanyScope,
    card: &str,
    consent: Option<RenewalConsent>,
    caller: Option<&Caller>,
) -> Result<SavedCard> {
    let customer = steps.customer(scope).await?;
    let limits = steps.card_limits();
    let network = limits.network_bucket(caller.map(|caller| caller.network.as_str()));
    limits.check(scope.company_id(), network.as_ref()).await?;
    limits.count_save(scope, network.as_ref()).await?;
    let waiting = WaitingCard {
        company_id: scope.company_id(),
        user_id: scope.user_id(),
        consent,
        network: network.as_ref().map(|network| network.as_str().to_owned()),
        asked_at: steps.db().clock().now(),
        is_unanswered: true,
    };
    let stored = expect_card(steps, scope, card, &waiting).await?;
    // The provider refuses a card that another customer has. After no clear answer the job looks for the card.
    let setup = match set_up(steps, card, &customer).await.certain()? {
        Ok(setup) => setup,
        Err(refusal) => {
            if refusal.is_decline() {
                limits.count_decline(scope, network.as_ref()).await?;
            }
            give_up(steps, scope, card).await?;
            return Err(Error::conflict(Code::PaymentMethodUnavailable));
        }
    };
    match setup.status {
        SetupStatus::Saved => {
            let methods = list_with(steps, scope, card).await;
            // A list that cannot be read leaves the card saved.
            let is_gone = matches!(methods, Err(Error::Conflict(..)));
            let mut tx = steps.db().company_tx(scope).await?;
            tx.set_cause(caller.map(|caller| caller.request_id.as_str()));
            // Whoever takes the job notes the card.
            if job::take(&tx, JobKind::CardSetup, card).await? && !is_gone {
                note(&tx, waiting.user_id, waiting.consent.as_ref(), card).await?;
            }
            tx.commit().await?;
            Ok(SavedCard { methods: methods?, secret: None })
        }
        SetupStatus::Waiting => {
            follow(steps, scope, &setup.id, card, waiting).await?;
            Ok(SavedCard { methods: stored, secret: setup.client_secret })
        }
        SetupStatus::Failed | SetupStatus::Canceled => {
            give_up(steps, scope, card).await?;
            Err(Error::conflict(Code::PaymentMethodUnavailable))
        }
    }
}

/// The same card is asked for under the same key, so that its repeat is one request at the provider.
async fn set_up(steps: &Steps, card: &str, customer: &str) -> ProviderAnswer<CardSetup> {
    let subject = format!("{customer}:{card}");
    let key = gateway::key(&subject, "setup");
    match steps.gateway().set_up_card(card, customer, &key).await {
        ProviderAnswer::Unknown => {
            // The provider repeats a failure under the same key for a day, so this try has another key. Two set-ups of
            // one card save it once.
            let minute = steps.db().clock().now().as_second() / 60;
            let key = gateway::key(&subject, &format!("setup:{minute}"));
            steps.gateway().set_up_card(card, customer, &key).await
        }
        answer => answer,
    }
}

/// The job keeps the card when its holder's bank has agreed, also without the browser.
async fn follow(
    steps: &Steps,
    scope: &CompanyScope,
    setup: &str,
    card: &str,
    waiting: WaitingCard,
) -> Result<()> {
    let mut tx = steps.db().company_tx(scope).await?;
    let waiting = WaitingCard { is_unanswered: false, ..waiting };
    leave_job(&mut tx, setup, FIRST_CHECK, &waiting)?;
    job::remove(&mut tx, JobKind::CardSetup, card);
    tx.commit().await
}

fn leave_job(
    tx: &mut CompanyTx,
    key: &str,
    wait: SignedDuration,
    waiting: &WaitingCard,
) -> Result<()> {
    let check_at = tx.now().checked_add(wait).map_err(Error::internal)?;
    job::add(tx, JobKind::CardSetup, key, check_at, waiting)
}

/// The provider's list with a card that was just saved. If others were saved since `expect_card`, and the company now
/// has more than it may keep, the new card is removed again.
///
/// # Errors
/// `Conflict(PAYMENT_METHOD_UNAVAILABLE)` for a card that is not there any more, `Conflict(CARD_LIMIT_REACHED)`,
/// `Unavailable(PROVIDER_UNAVAILABLE)`.
pub async fn list_with(
    steps: &Steps,
    scope: &CompanyScope,
    card: &str,
) -> Result<Vec<PaymentMethodView>> {
    let saved = list(steps, scope).await?;
    if !has(&saved, card) {
        return Err(Error::conflict(Code::PaymentMethodUnavailable));
    }
    if saved.len() <= saved_cards::MAX_CARDS {
        return Ok(saved);
    }
    detach(steps, card).await?;
    list(steps, scope).await?;
    Err(Error::conflict(Code::CardLimitReached))
}

async fn remove_now(
    steps: &Steps,
    scope: &CompanyScope,
    card: &str,
    caller: &Caller,
) -> Result<Vec<PaymentMethodView>> {
    if !has(&list(steps, scope).await?, card) {
        return Err(Error::not_found());
    }
    look_again(steps, scope).await?;
    detach(steps, card).await?;
    let tx = steps.db().company_tx(scope).await?.caused_by(caller);
    record(&tx, scope.user_id(), AuditAction::PaymentMethodRemove, card.to_owned());
    tx.commit().await?;
    list(steps, scope).await
}

/// Leaves a job that reads the list: a renewal must not charge a card that is gone at the provider, though its answer
/// was lost, or this node with it.
async fn look_again(steps: &Steps, scope: &CompanyScope) -> Result<()> {
    let mut tx = steps.db().company_tx(scope).await?;
    let company_id = scope.company_id();
    let key = company_id.to_string();
    let at = tx.now().checked_add(READ_AGAIN_AFTER).map_err(Error::internal)?;
    job::add(&mut tx, JobKind::SavedCards, &key, at, &CompanyJob { company_id })?;
    tx.commit().await
}

/// Takes a card from the company's customer. The provider refuses one that is gone already, without a code that says
/// so: the card itself is read.
async fn detach(steps: &Steps, card: &str) -> Result<()> {
    let Err(refusal) = steps.gateway().detach(card).await.certain()? else { return Ok(()) };
    let is_gone = match steps.gateway().card(card).await.certain()? {
        Ok(read) => read.customer.is_none(),
        Err(unread) => unread.missing,
    };
    if is_gone { Ok(()) } else { Err(refusal.error()) }
}

/// Refuses a new card when the company has as many as it may. Answers those that it has, and leaves a job that looks
/// for the card: the provider's answer may be lost, and nobody else would note what the person agreed to.
async fn expect_card(
    steps: &Steps,
    scope: &CompanyScope,
    card: &str,
    waiting: &WaitingCard,
) -> Result<Vec<PaymentMethodView>> {
    let mut tx = steps.db().company_tx(scope).await?;
    let saved = saved_cards::list(&tx).await?;
    if !has(&saved, card) && saved.len() >= saved_cards::MAX_CARDS {
        return Err(Error::conflict(Code::CardLimitReached));
    }
    leave_job(&mut tx, card, SEARCH_AFTER, waiting)?;
    tx.commit().await?;
    Ok(saved)
}

/// The provider has answered that it does not keep the card.
async fn give_up(steps: &Steps, scope: &CompanyScope, card: &str) -> Result<()> {
    let mut tx = steps.db().company_tx(scope).await?;
    job::remove(&mut tx, JobKind::CardSetup, card);
    tx.commit().await
}

fn has(list: &[PaymentMethodView], id: &str) -> bool {
    list.iter().any(|card| card.id == id)
}

/// Notes who saved a card, with the sentence that the person agreed to.
pub async fn note(
    tx: &CompanyTx,
    person: Option<UserId>,
    consent: Option<&RenewalConsent>,
    card: &str,
) -> Result<()> {
    if let Some(consent) = consent {
        renewal_consent::record(tx, person, consent, card, None).await?;
    }
    record(tx, person, AuditAction::PaymentMethodAdd, card.to_owned());
    Ok(())
}

fn record(tx: &CompanyTx, person: Option<UserId>, action: AuditAction, card: String) {
    let entry = Entry { actor: person, ..Entry::in_company(tx.scope(), action) };
    audit::record(tx, entry.about(card));
}
