//! What a payment does to a subscription: the price of a choice, the row while its first payment is open, and the
//! change that the payment pays for.
//!
//! Called by payments inside their own transactions, which hold the company's lock, so that commands and payments take
//! turns. A payment is always for one stored quote. The caller makes sure that a success is applied once. Money that
//! nothing can be applied for becomes credit.

use derive_more::Deref;
use futures_util::future::try_join3;
use jiff::Timestamp;

use super::account_summary::AccountSummary;
use super::billing_account::BillingAccount;
use super::change::{Change, ExecutionFacts, Ledger, execute};
use super::command::PlanChoice;
use super::current_view;
pub use super::invoice_drafts::SuccessfulPayment;
use super::period::whole_seconds;
use super::preview::Pricing;
use super::projection::Projection;
use super::quote::Quote;
use super::store::{self, Cause};
use super::{
    ChangeType, CreditKind, HistoryType, Status, Subscription, invoice_drafts, renewal, timer,
};
use crate::company::Locked;
use crate::db::CompanyTx;
use crate::error::{Error, Result};
use crate::id::{CompanyId, QuoteId, SubscriptionId};
use crate::invoice::Draft;
use crate::money::Cents;
use crate::plan::{self, Plan};

/// A choice with its price, and the account that pays for it. Behind the lock neither changes.
#[derive(Clone, Debug, Deref)]
pub struct PricedChoice {
    #[deref]
    pub quote: Quote,
    pub plan: Plan,
    pub account: BillingAccount,
}

/// The quote to pay: the one that is named, while it lives and its basis holds, else a new one.
///
/// # Errors
/// `NotFound` for the plan, else the refusals of pricing.
pub async fn price_for(
    tx: &mut Locked<'_>,
    choice: PlanChoice,
    quote_id: Option<QuoteId>,
) -> Result<PricedChoice> {
    let named = async {
        match quote_id {
            Some(id) => Quote::find(tx, id).await,
            None => Ok(None),
        }
    };
    let plan = plan::store::find(tx, choice.plan_id);
    let (account, plan, named) = try_join3(BillingAccount::read(tx), plan, named).await?;
    let plan = plan.ok_or_else(Error::not_found)?;
    let now = tx.clock().now_seconds();
    if let Some(quote) = named
        && quote.binds(&account, (&plan, choice.cycle), now)?
    {
        return Ok(PricedChoice { quote, plan, account });
    }
    let (quote, ..) = Quote::make(tx, &account, &plan, choice.cycle).await?;
    Ok(PricedChoice { quote, plan, account })
}

/// What a payment was made for, as it was priced then, and the account of now.
///
/// # Errors
/// `Internal` for a quote that is not the company's.
pub async fn paid_choice(tx: &Locked<'_>, id: QuoteId) -> Result<PricedChoice> {
    let (quote, plan) = (Quote::find(tx, id), plan::store::of_quote(tx, id));
    let (account, quote, plan) = try_join3(BillingAccount::read(tx), quote, plan).await?;
    let (quote, plan) =
        quote.zip(plan).ok_or_else(|| Error::internal(format!("quotes has no {id}")))?;
    Ok(PricedChoice { quote, plan, account })
}

/// Shows a first payment: a company without a running subscription gets its `pending` row. Answers the
/// subscription that the payment is for.
pub async fn open_pending(tx: &mut Locked<'_>, priced: PricedChoice) -> Result<SubscriptionId> {
    let PricedChoice { quote, plan, mut account } = priced;
    let now = tx.clock().now_seconds();
    if let Some(current) = account.projection(now, Some(quote.frozen_at)) {
        renewal::record(tx, &mut account, &current).await?;
    }
    let running = account.stored.as_ref().filter(|row| row.status != Status::Expired);
    if let Some(row) = running.filter(|row| row.status != Status::Pending) {
        return Ok(row.id);
    }
    let id = running.map_or_else(|| SubscriptionId::new(tx.clock()), |row| row.id);
    let mut pending = Subscription::pending(id, tx.company_id(), quote.plan(), now);
    pending.version = store::save(tx, &pending).await?;
    let summary = account.summary.after(tx, &pending, Cents::ZERO).await?;
    current_view::announce_known(tx, &pending, &summary, &plan).await?;
    Ok(pending.id)
}

/// The company's payment ended unpaid: a pending row goes. Doing it twice changes nothing.
pub async fn close_unpaid(tx: &mut Locked<'_>) -> Result<()> {
    match store::remove_pending(tx).await? {
        Some(id) => current_view::announce(tx, id).await,
        // The steps of time that waited for the payment are due now.
        None => timer::wake(tx),
    }
}

/// What became of the money.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PurchaseOutcome {
    /// The change was made.
    Executed,
    /// What was bought is not there any more: all of it became credit.
    Credited,
}

/// Makes the change that was paid for, or credits the money when its basis has changed. Answers the document of the
/// payment, which the caller issues in the same transaction.
pub async fn apply_paid(
    tx: &mut Locked<'_>,
    paid: &SuccessfulPayment,
    choice: PricedChoice,
) -> Result<(PurchaseOutcome, Draft)> {
    let ids = (tx.company_id(), SubscriptionId::new(tx.clock()));
    let now = tx.clock().now_seconds();
    let Some(Purchase { current, pricing, mut change, .. }) =
        purchase(&choice.account, (&choice.quote, &choice.plan), paid, ids, now)?
    else {
        store::remove_pending(tx).await?;
        let draft = credit_unapplied(tx, paid, &choice).await?;
        return Ok((PurchaseOutcome::Credited, draft));
    };
    let PricedChoice { plan, mut account, .. } = choice;
    if let Some(current) = &current {
        renewal::record(tx, &mut account, current).await?;
    }
    let cause = Cause {
        source: paid.means.id.to_string(),
        payment_id: Some(paid.means.id),
        by: paid.by,
        at: tx.now(),
        detail: String::new(),
    };
    change.after.version = store::write(tx, &account, &change, &cause).await?;
    let moved = change.ledger.values().copied().sum();
    let summary = account.summary.after(tx, &change.after, moved).await?;
    current_view::announce_known(tx, &change.after, &summary, &plan).await?;
    Ok((PurchaseOutcome::Executed, invoice_drafts::of_purchase(paid, &plan, &pricing, &change)))
}

/// What money buys.
#[derive(Clone, Debug)]
pub struct Purchase {
    /// The subscription at the instant of the purchase, with the steps of time that are to be written down before it.
    pub current: Option<Projection>,
    pub pricing: Pricing,
    pub change: Change,
    /// From when the price counts.
    pub at: Timestamp,
}

/// What a payment buys; none when the basis of its quote has changed. The ids are the company's, and that of a row
/// which does not exist yet.
///
/// # Errors
/// `Internal`.
pub fn purchase(
    account: &BillingAccount,
    (quote, plan): (&Quote, &Plan),
    paid: &SuccessfulPayment,
    (company_id, new_id): (CompanyId, SubscriptionId),
    now: Timestamp,
) -> Result<Option<Purchase>> {
    // while it was open, neither suspension nor expiry came
    let current = account.projection(now, Some(quote.frozen_at));
    let at = instant_of(quote, paid);
    if !quote.holds(current.as_ref())? {
        return Ok(None);
    }
    let Ok((input, target, pricing)) = quote.reprice(account, plan, at) else { return Ok(None) };
    let has_paid = account.has_paid;
    let facts = ExecutionFacts { company_id, new_id, at, paid: paid.amount, has_paid };
    let change = execute(&input, &target, &pricing, &facts);
    Ok(Some(Purchase { current: input.current, pricing, change, at }))
}

/// A first period begins when its payment succeeded; PIX and boleto count from there, a card from the
/// frozen instant.
fn instant_of(quote: &Quote, paid: &SuccessfulPayment) -> Timestamp {
    let success = whole_seconds(paid.succeeded_at).max(quote.frozen_at);
    let waits =
        paid.means.method.rules().settles_later || quote.change_type == ChangeType::Creation;
    if waits { success } else { quote.frozen_at }
}

/// Money for which nothing is applied (a superseded boleto, a second success, a payment that had ended)
/// becomes credit. A company without a subscription sees it in its history all the same. The subscription is looked at
/// again: the credit may pay what is due, and the steps of time that waited for the payment are due.
pub async fn credit_unapplied(
    tx: &mut Locked<'_>,
    paid: &SuccessfulPayment,
    choice: &PricedChoice,
) -> Result<Draft> {
    let source = paid.means.id.to_string();
    let ledger = Ledger::from([(CreditKind::UnappliedPayment, paid.amount)]);
    store::write_credits(tx, &ledger, &source).await?;
    timer::wake(tx)?;
    let cause = Cause {
        source,
        payment_id: Some(paid.means.id),
        by: None,
        at: tx.now(),
        detail: String::new(),
    };
    let quote = &choice.quote;
    // The line names what the money was for, as its document does, and not the plan that runs.
    let row = match AccountSummary::read(tx).await?.stored {
        Some(row) => Subscription { plan_id: quote.plan_id, cycle: quote.cycle, ..row },
        None => unbought(tx.company_id(), quote),
    };
    store::write_history(tx, &row, HistoryType::Credited, Some(paid.amount), &cause).await?;
    current_view::announce(tx, row.id).await?;
    Ok(invoice_drafts::of_credit(paid, &choice.plan, choice.quote.cycle))
}

/// What was to be bought, as a row that nobody stores.
fn unbought(company_id: CompanyId, quote: &Quote) -> Subscription {
    let id = SubscriptionId(quote.id.0);
    Subscription::pending(id, company_id, quote.plan(), quote.frozen_at)
}

/// Announces the subscription after a change of the saved instruments, which may change how it renews.
pub async fn announce_instruments(tx: &mut CompanyTx) -> Result<()> {
    if let Some(view) = current_view::read(tx).await? {
        current_view::stage(tx, view.id, Some(view));
    }
    Ok(())
}
