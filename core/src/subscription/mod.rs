//! A company's subscription: its row, its states over time, and the price and the effect of a change.
//!
//! Pure; `store` remembers. `projection` brings a row to the present, `preview` prices a choice, `change` executes a
//! priced choice, and `decide` is the table of docs/billing.md, "Subscription states". All instants are arguments, in
//! whole seconds.

pub mod account_summary;
pub mod billing_account;
pub mod billing_contact;
pub mod change;
mod change_pt_br;
pub mod command;
pub mod current_view;
pub mod decide;
pub mod invoice_drafts;
pub mod ladder;
pub mod notice;
pub mod period;
pub mod preview;
pub mod price_lines;
pub mod projection;
pub mod proration;
pub mod purchase;
pub mod quote;
pub mod renewal;
pub mod row;
pub mod state;
pub mod steps;
pub mod store;
pub mod target;
pub mod timer;
pub mod view;

use jiff::Timestamp;

use crate::audit::AuditAction;
use crate::id::{CompanyId, PaymentId, PlanId, SubscriptionId};
use crate::money::Cents;
use crate::plan::BillingCycle;
use crate::words::words;
use period::{Anchor, Period};
use proration::Settlement;

words! {
    /// The status on the wire and in the row.
    pub enum Status {
        Pending = "pending", Active = "active", Canceled = "canceled", Suspended = "suspended",
        Expired = "expired",
    }
}

words! {
    /// What a choice of a plan means for the company; classified by the server alone.
    pub enum ChangeType {
        Upgrade = "upgrade", Downgrade = "downgrade", Creation = "creation", Renewal = "renewal",
        Other = "other",
    }
}

/// Which mail about the subscription its payer gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoticeKind {
    /// The saved card will be charged.
    Charge,
    /// It can be paid now.
    Ahead,
    Due,
    Failed,
    /// The bank asks for the payer.
    Confirm,
    /// It runs until its end.
    Canceled,
    /// Canceled and over at once; what was left of the paid time is credit.
    Ended {
        credit: Option<Cents>,
    },
    Suspended,
    Expiring,
    /// Over by time. Where that was before the end of what was paid, the rest of it is credit.
    Expired {
        credit: Option<Cents>,
    },
}

words! {
    /// What the history tells.
    pub enum HistoryType {
        Created = "created", Activated = "activated", Upgraded = "upgraded",
        DowngradeScheduled = "downgrade_scheduled", Downgraded = "downgraded", Changed = "changed",
        PendingChangeWithdrawn = "pending_change_withdrawn", Canceled = "canceled",
        Reactivated = "reactivated", Renewed = "renewed", RenewalFailed = "renewal_failed",
        Suspended = "suspended", Expired = "expired", Credited = "credited",
    }
}

impl HistoryType {
    pub fn audit_action(self) -> AuditAction {
        match self {
            HistoryType::Created => AuditAction::SubscriptionCreate,
            HistoryType::Activated => AuditAction::SubscriptionActivate,
            HistoryType::Upgraded => AuditAction::SubscriptionUpgrade,
            HistoryType::DowngradeScheduled => AuditAction::SubscriptionScheduleDowngrade,
            HistoryType::Downgraded => AuditAction::SubscriptionDowngrade,
            HistoryType::Changed => AuditAction::SubscriptionChange,
            HistoryType::PendingChangeWithdrawn => AuditAction::SubscriptionWithdrawChange,
            HistoryType::Canceled => AuditAction::SubscriptionCancel,
            HistoryType::Reactivated => AuditAction::SubscriptionReactivate,
            HistoryType::Renewed => AuditAction::SubscriptionRenew,
            HistoryType::RenewalFailed => AuditAction::SubscriptionFailRenewal,
            HistoryType::Suspended => AuditAction::SubscriptionSuspend,
            HistoryType::Expired => AuditAction::SubscriptionExpire,
            HistoryType::Credited => AuditAction::SubscriptionCredit,
        }
    }
}

words! {
    /// Why the credit balance moved. `used` and a `carried` debit are negative.
    pub enum CreditKind {
        Proration = "proration", Overpayment = "overpayment", UnappliedPayment = "unapplied_payment",
        EarlyEnd = "early_end", Used = "used", Carried = "carried", Forgiven = "forgiven",
    }
}

words! {
    /// How the yearly revenue of a company moved.
    pub enum MovementKind {
        New = "new", Reactivation = "reactivation", Expansion = "expansion",
        Contraction = "contraction", Churn = "churn",
    }
}

/// Where a paid subscription stands on its anchor, in months: the start of the current period and the
/// end of the last paid one (`P`), one step further when the next period is prepaid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Term {
    pub anchor: Anchor,
    pub month: i32,
    pub paid_until: i32,
}

impl Term {
    /// A first period that begins at an instant.
    pub fn starting(at: Timestamp, cycle: BillingCycle) -> Self {
        Self { anchor: Anchor::at(at), month: 0, paid_until: cycle.months() }
    }

    pub fn current(self, cycle: BillingCycle) -> Period {
        self.anchor.period(self.month, cycle.months())
    }

    /// `P`: when the next charge falls due.
    pub fn paid_end(self) -> Timestamp {
        self.anchor.boundary(self.paid_until)
    }

    pub fn is_prepaid(self, cycle: BillingCycle) -> bool {
        self.paid_until > self.month + cycle.months()
    }
}

/// A plan in a cycle, its price frozen when it was chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PricedPlan {
    pub plan_id: PlanId,
    pub cycle: BillingCycle,
    pub price: Cents,
}

/// A subscription as its row stands. `term` is absent for a free plan and while pending.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subscription {
    pub id: SubscriptionId,
    pub company_id: CompanyId,
    pub plan_id: PlanId,
    pub cycle: BillingCycle,
    pub price: Cents,
    pub status: Status,
    pub term: Option<Term>,
    pub end_at: Option<Timestamp>,
    pub canceled_at: Option<Timestamp>,
    pub cancel_reason: Option<String>,
    /// A downgrade that waits for `P`.
    pub pending_change: Option<PricedPlan>,
    pub started_at: Timestamp,
    pub version: i64,
}

impl Subscription {
    /// A row whose first payment is open.
    pub fn pending(
        id: SubscriptionId,
        company_id: CompanyId,
        plan: PricedPlan,
        started_at: Timestamp,
    ) -> Self {
        Self {
            id,
            company_id,
            plan_id: plan.plan_id,
            cycle: plan.cycle,
            price: plan.price,
            status: Status::Pending,
            term: None,
            end_at: None,
            canceled_at: None,
            cancel_reason: None,
            pending_change: None,
            started_at,
            version: 1,
        }
    }

    /// The yearly value of its own price: exact, because 12 is a multiple of every cycle.
    pub fn arr(&self) -> Cents {
        self.price.times(i64::from(12 / self.cycle.months()))
    }

    /// The plan in its cycle whose limits the company has; none where it has those of a free plan.
    pub fn entitlement(&self) -> Option<(PlanId, BillingCycle)> {
        let is_entitled = matches!(self.status, Status::Active | Status::Canceled);
        is_entitled.then_some((self.plan_id, self.cycle))
    }

    /// What the next period costs: a scheduled change takes its place in it.
    pub fn next_price(&self) -> Cents {
        self.pending_change.map_or(self.price, |change| change.price)
    }

    /// What is due for the next period after the credit.
    pub fn owed(&self, balance: Cents) -> Cents {
        Settlement::of(self.next_price(), Cents::ZERO, balance).amount_due
    }

    /// When a canceled one ends, or an expired one has ended; none for a free plan.
    pub fn ends_at(&self) -> Option<Timestamp> {
        self.end_at.or(self.term.map(|term| term.paid_end()))
    }
}

/// The state behind the wire status, decided by the clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Phase {
    /// The first payment is open; the row goes when it closes unpaid.
    Pending,
    Free,
    /// Paid, before `P`.
    Active,
    /// Unpaid, `P` to `P` + 3 days.
    Due,
    /// Ends at `end_at`, with the plan's limits until then.
    Canceled,
    /// Unpaid, `P` + 3 to `P` + 15 days, with the free plan's limits.
    Suspended,
    Expired,
}

impl Phase {
    pub fn status(self) -> Status {
        match self {
            Self::Pending => Status::Pending,
            Self::Free | Self::Active | Self::Due => Status::Active,
            Self::Canceled => Status::Canceled,
            Self::Suspended => Status::Suspended,
            Self::Expired => Status::Expired,
        }
    }

    /// Whether it counts as yearly revenue.
    pub fn is_paying(self) -> bool {
        match self {
            Self::Active | Self::Due | Self::Canceled => true,
            Self::Pending | Self::Free | Self::Suspended | Self::Expired => false,
        }
    }

    /// Whether a paid subscription is running, paid or not: it has an own price to compare with.
    pub fn is_running_paid(self) -> bool {
        match self {
            Self::Active | Self::Due | Self::Canceled | Self::Suspended => true,
            Self::Pending | Self::Free | Self::Expired => false,
        }
    }
}

/// A movement of yearly revenue, booked at an instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Movement {
    pub kind: MovementKind,
    pub arr: Cents,
}

impl Movement {
    /// From one yearly value to another; `has_paid` is whether the company ever did before.
    pub fn between(before: Cents, after: Cents, has_paid: bool) -> Option<Self> {
        let kind = match (before, after) {
            (Cents::ZERO, Cents::ZERO) => return None,
            (Cents::ZERO, _) if has_paid => MovementKind::Reactivation,
            (Cents::ZERO, _) => MovementKind::New,
            (_, Cents::ZERO) => MovementKind::Churn,
            (before, after) if after > before => MovementKind::Expansion,
            (before, after) if after < before => MovementKind::Contraction,
            _ => return None,
        };
        Some(Self { kind, arr: (after - before).max(before - after) })
    }
}

/// The company's open payment, told by the payment noun: while it is open no other plan can be chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpenPayment {
    pub payment_id: PaymentId,
    pub plan_id: PlanId,
    pub cycle: BillingCycle,
    pub amount: Cents,
    pub opened_at: Timestamp,
}
