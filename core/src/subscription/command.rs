//! The commands of a company's admins: preview, choose a plan, withdraw, cancel.
//!
//! `http` opens one transaction for each command. The command takes the company's lock, writes down what time has
//! decided, asks `decide` and lets `store` write. A choice that costs money is refused with the amount due until its
//! payment has executed it.

use jiff::civil::Date;
use jiff::{SignedDuration, Timestamp};

use super::billing_account::{BillingAccount, plan_of};
use super::change::{Change, ExecutionFacts, Ledger, end_now, execute};
use super::current_view;
use super::decide::{self, Cancellation, EndAt, Endpoint};
use super::notice::{notify_of_change, notify_payer};
use super::preview::PricingInput;
use super::projection::Projection;
use super::quote::Quote;
use super::store::{self, Cause};
use super::target::Target;
use super::view::{CurrentPlanView, PreviewView, SubscriptionView};
use super::{HistoryType, NoticeKind, Phase, Subscription, invoice_drafts, renewal};
use crate::brazil::local_date;
use crate::company::{Locked, lock_for};
use crate::db::CompanyTx;
use crate::error::{Error, FieldCode, Result};
use crate::id::{InvoiceId, PaymentId, PlanId, SubscriptionId};
use crate::invoice;
use crate::money::{Cents, Reais};
use crate::plan::{self, BillingCycle};
use crate::scope::Permission;

/// A payment that was applied this recently answers the command that it was made for.
const ANSWERS_REPEATS_FOR: SignedDuration = SignedDuration::from_hours(24);

/// A plan and how often it is paid.
#[derive(Clone, Copy, Debug)]
pub struct PlanChoice {
    pub plan_id: PlanId,
    pub cycle: BillingCycle,
}

/// What a choice would mean; stored as a quote, changes nothing else.
///
/// # Errors
/// `NotFound` for the plan, else the refusals of pricing.
pub async fn preview(tx: &CompanyTx, choice: PlanChoice) -> Result<PreviewView> {
    let account = BillingAccount::read(tx).await?;
    let plan = plan::store::find(tx, choice.plan_id).await?.ok_or_else(Error::not_found)?;
    let (quote, input, pricing) = Quote::make(tx, &account, &plan, choice.cycle).await?;
    let running = input.current.filter(|s| !matches!(s.phase, Phase::Pending | Phase::Expired));
    let current = match running {
        Some(Projection { row, .. }) => {
            let name = plan_of(tx, &row).await?.display_name;
            Some(CurrentPlanView { name, price: Reais(row.price) })
        }
        None => None,
    };
    Ok(PreviewView::of(quote.id, quote.expires_at, &plan, current, &pricing))
}

/// The company at the moment of a command, with the clock's steps written down.
struct CommandContext {
    account: BillingAccount,
    input: PricingInput,
    now: Timestamp,
}

impl CommandContext {
    async fn begin(tx: &mut Locked<'_>) -> Result<Self> {
        let now = tx.clock().now_seconds();
        let account = BillingAccount::read(tx).await?;
        let account = renewal::catch_up(tx, account, now).await?;
        let input = account.pricing_input(tx, now, account.waits_since(now)).await?;
        Ok(Self { account, input, now })
    }

    fn projection(&self) -> Option<&Projection> {
        self.input.current.as_ref()
    }
}

fn cause(tx: &CompanyTx, detail: Option<&str>) -> Cause {
    Cause {
        source: tx.clock().uuid().to_string(),
        payment_id: None,
        by: tx.scope().user_id(),
        at: tx.now(),
        detail: detail.unwrap_or_default().to_owned(),
    }
}

async fn answer(tx: &CompanyTx) -> Result<SubscriptionView> {
    current_view::read(tx).await?.ok_or_else(Error::not_found)
}

async fn write(
    tx: &mut Locked<'_>,
    context: &CommandContext,
    change: &Change,
    cause: &Cause,
) -> Result<SubscriptionView> {
    store::write(tx, &context.account, change, cause).await?;
    current_view::announce(tx, change.after.id).await?;
    notify_of_change(tx, change, &cause.source);
    answer(tx).await
}

/// Creates, upgrades, downgrades or renews; `None` as choice is the running plan again.
///
/// # Errors
/// The refusals of the state table; `PaymentRequired` until a payment has executed the choice.
pub async fn choose(
    tx: &mut CompanyTx,
    endpoint: Endpoint,
    choice: Option<PlanChoice>,
    reason: Option<&str>,
) -> Result<SubscriptionView> {
    let tx = &mut lock_for(tx, Permission::ManageSubscription).await?;
    let context = CommandContext::begin(tx).await?;
    let choice = match (choice, context.projection()) {
        (Some(choice), _) => choice,
        (None, Some(Projection { row, .. })) => {
            PlanChoice { plan_id: row.plan_id, cycle: row.cycle }
        }
        (None, None) => return Err(Error::not_found()),
    };
    let plan = plan::store::find(tx, choice.plan_id).await?.ok_or_else(Error::not_found)?;
    let target = Target::chosen(context.projection(), &plan, choice.cycle);
    if was_just_paid(tx, &context, &target).await? {
        return answer(tx).await;
    }
    let pricing =
        decide::choose(&context.input, endpoint, &target, context.account.open, context.now)?;
    let repeated = context.projection().is_some_and(|s| {
        s.phase == Phase::Active
            && s.row.pending_change.is_some_and(|p| target.is_for(p.plan_id, p.cycle))
    });
    if repeated {
        return answer(tx).await;
    }
    let facts = ExecutionFacts {
        company_id: tx.company_id(),
        new_id: SubscriptionId::new(tx.clock()),
        at: context.now,
        paid: Cents::ZERO,
        has_paid: context.account.has_paid,
    };
    let change = execute(&context.input, &target, &pricing, &facts);
    let (id, cause) = (InvoiceId::new(tx.clock()), cause(tx, reason));
    if let Some(draft) = invoice_drafts::of_change(id, &plan, &pricing, &change, &cause) {
        invoice::store::issue(tx, draft, Cents::ZERO).await?;
    }
    write(tx, &context, &change, &cause).await
}

/// Whether a payment for this very choice was applied within `ANSWERS_REPEATS_FOR`: the command is then answered as
/// done.
async fn was_just_paid(tx: &CompanyTx, context: &CommandContext, target: &Target) -> Result<bool> {
    let Some(Projection { row, phase: Phase::Active, .. }) = context.projection() else {
        return Ok(false);
    };
    if row.pending_change.is_some() || !target.is_for(row.plan_id, row.cycle) {
        return Ok(false);
    }
    store::was_paid_since(tx, row.id, tx.now() - ANSWERS_REPEATS_FOR).await
}

/// `effectiveDate` of a downgrade is absent or the local day of `P`.
///
/// # Errors
/// `Invalid` for another day.
pub async fn check_effective_date(tx: &CompanyTx, day: Option<Date>) -> Result<()> {
    let Some(day) = day else { return Ok(()) };
    let account = BillingAccount::read(tx).await?;
    let now = tx.clock().now_seconds();
    let current = account.projection(now, account.waits_since(now));
    let paid_end = current.and_then(|s| s.row.term).map(|term| local_date(term.paid_end()));
    if paid_end == Some(day) {
        return Ok(());
    }
    Err(Error::invalid("effectiveDate", FieldCode::Invalid))
}

/// Takes a scheduled downgrade back.
pub async fn withdraw(tx: &mut CompanyTx) -> Result<SubscriptionView> {
    let tx = &mut lock_for(tx, Permission::ManageSubscription).await?;
    let context = CommandContext::begin(tx).await?;
    match decide::withdraw(context.projection())? {
        Some(after) => {
            let change = plain(&context, after, HistoryType::PendingChangeWithdrawn);
            let cause = cause(tx, None);
            write(tx, &context, &change, &cause).await
        }
        None => answer(tx).await,
    }
}

/// The open payment that is closed before the subscription is canceled; none where the cancellation would be refused.
pub async fn payment_to_close(tx: &CompanyTx, when: EndAt) -> Result<Option<PaymentId>> {
    let account = BillingAccount::read(tx).await?;
    let now = tx.clock().now_seconds();
    let current = account.projection(now, account.waits_since(now));
    let is_refused = decide::cancel(current.as_ref(), when, None, now).is_err();
    Ok(account.open.filter(|_| !is_refused).map(|open| open.payment_id))
}

/// Cancels at the end of what is paid, on a day before it, or at once.
pub async fn cancel(
    tx: &mut CompanyTx,
    when: EndAt,
    reason: Option<&str>,
) -> Result<SubscriptionView> {
    let tx = &mut lock_for(tx, Permission::ManageSubscription).await?;
    let context = CommandContext::begin(tx).await?;
    let change = match decide::cancel(context.projection(), when, reason, context.now)? {
        Cancellation::Unchanged => return answer(tx).await,
        Cancellation::Scheduled(after) => {
            notify_payer(tx, &after, NoticeKind::Canceled, after.price, after.end_at).await?;
            renewal::skip_ending(tx, &after, context.now).await?;
            plain(&context, *after, HistoryType::Canceled)
        }
        Cancellation::Ends => {
            let row = context.projection().map(|s| s.row.clone()).ok_or_else(Error::not_found)?;
            let mut change = end_now(&context.input, &row, context.now);
            change.after.cancel_reason = reason.map(str::to_owned).or(row.cancel_reason);
            let notice = NoticeKind::Ended { credit: change.amount };
            notify_payer(tx, &change.after, notice, change.after.price, None).await?;
            change
        }
    };
    let cause = cause(tx, reason);
    write(tx, &context, &change, &cause).await
}

/// A change of the row alone: no money, no revenue.
fn plain(context: &CommandContext, after: Subscription, history: HistoryType) -> Change {
    Change {
        after,
        segments: context.input.segments.clone(),
        opened: None,
        ledger: Ledger::new(),
        history,
        amount: None,
        renews: None,
        movement: None,
    }
}
