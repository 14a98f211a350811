//! The database of one company in memory: its rows, what is unique in them, and how a company's money is read. Every
//! change is one transaction, because every transaction that moves money holds the company's lock.

use std::collections::{BTreeMap, BTreeSet};

use bipe_core::id::{CompanyId, PaymentId, QuoteId, RefundId, SubscriptionId};
use bipe_core::money::Cents;
use bipe_core::payment::refund::Refund;
use bipe_core::payment::{Payment, PaymentState};
use bipe_core::payment_method::Instrument;
use bipe_core::subscription::account_summary::AccountSummary;
use bipe_core::subscription::billing_account::BillingAccount;
use bipe_core::subscription::ladder::{self, Attempt, Decline};
use bipe_core::subscription::proration::Segment;
use bipe_core::subscription::quote::Quote;
use bipe_core::subscription::{CreditKind, OpenPayment, Status, Subscription};
use jiff::{SignedDuration, Timestamp};
use uuid::Uuid;

use crate::provider::Request;

pub const COMPANY: CompanyId = CompanyId(Uuid::from_u128(1));
/// How long a job is its node's.
const LEASE: SignedDuration = SignedDuration::from_secs(60);

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum JobKey {
    Reconcile(PaymentId),
    Refund(RefundId),
    /// An event of the provider.
    Webhook(usize),
    SavedCards,
    Renewal,
}

#[derive(Clone, Copy, Debug)]
pub struct Job {
    pub run_at: Timestamp,
    /// A job that is set anew begins to count anew, and so stays when the run before it ends.
    pub attempts: u32,
    leased_until: Option<Timestamp>,
}

impl Job {
    pub fn is_due(&self, now: Timestamp) -> bool {
        self.due_at() <= now
    }

    pub fn due_at(&self) -> Timestamp {
        self.leased_until.map_or(self.run_at, |until| until.max(self.run_at))
    }
}

#[derive(Clone, Debug)]
pub struct Debit {
    pub id: Uuid,
    pub subscription: SubscriptionId,
    pub segment: Segment,
    pub payment: Option<PaymentId>,
}

#[derive(Clone, Debug)]
pub struct PaymentRow {
    pub payment: Payment,
    pub request: Request,
    pub effects_at: Option<Timestamp>,
    /// The payer was told how to pay it.
    pub was_payable: bool,
}

impl PaymentRow {
    pub fn is_open(&self) -> bool {
        !self.payment.situation.state.is_final()
    }

    pub fn holds_the_slot(&self) -> bool {
        self.is_open() && !self.payment.situation.superseded
    }

    /// What its failure means for its card.
    pub fn decline(&self) -> Decline {
        let detail = match &self.payment.situation.state {
            PaymentState::Declined(failure) | PaymentState::Failed(failure) => {
                failure.detail.as_deref()
            }
            _ => None,
        };
        ladder::decline(detail)
    }
}

/// A charge by a job, for the period that began at an instant.
#[derive(Clone, Debug)]
pub struct ChargeStep {
    pub subscription: SubscriptionId,
    pub period_start: Timestamp,
    pub kind: String,
    pub instrument: Instrument,
    pub payment: PaymentId,
    pub at: Timestamp,
}

#[derive(Clone, Debug)]
pub struct RefundRow {
    pub refund: Refund,
    pub amount: Cents,
    pub shown: bool,
}

#[derive(Clone, Default)]
pub struct Rows {
    /// In the order of their creation.
    pub subscriptions: Vec<Subscription>,
    pub debits: Vec<Debit>,
    pub credits: BTreeMap<(String, CreditKind), Cents>,
    pub quotes: BTreeMap<QuoteId, Quote>,
    pub payments: BTreeMap<PaymentId, PaymentRow>,
    pub charges: Vec<ChargeStep>,
    pub paid_periods: Vec<(SubscriptionId, Timestamp)>,
    pub refunds: BTreeMap<RefundId, RefundRow>,
    /// The saved cards, the newest last, and the default one.
    pub cards: Vec<usize>,
    pub default_card: Option<usize>,
    /// Those that no renewal charges any more.
    pub declined_cards: BTreeSet<usize>,
    pub jobs: BTreeMap<JobKey, Job>,
    /// What the keys of the clients' commands belong to; none for a refusal.
    pub keys: BTreeMap<u128, Option<PaymentId>>,
    /// Debits that were given up when a subscription ended.
    pub forgiven: Cents,
    pub has_paid: bool,
}

pub fn instrument(card: usize) -> Instrument {
    Instrument::Card(card.to_string())
}

impl Rows {
    pub fn balance(&self) -> Cents {
        self.credits.values().copied().sum()
    }

    /// The running row, else the newest ended one.
    pub fn stored(&self) -> Option<&Subscription> {
        let running = self.subscriptions.iter().rev().find(|row| row.status != Status::Expired);
        running.or(self.subscriptions.last())
    }

    pub fn slot(&self) -> Option<&PaymentRow> {
        self.payments.values().find(|row| row.holds_the_slot())
    }

    pub fn debits_of(&self, id: SubscriptionId) -> impl Iterator<Item = &Debit> {
        self.debits.iter().filter(move |debit| debit.subscription == id)
    }

    /// As `AccountSummary::read` and `BillingAccount::read` do it.
    pub fn account(&self, now: Timestamp) -> BillingAccount {
        let stored = self.stored().cloned();
        let slot = self.slot();
        let open = slot.map(|row| self.open_payment(row));
        let closes_at = slot.and_then(|row| row.payment.situation.method.rules().closes_at);
        let mut segments: Vec<(Uuid, Segment)> = stored.iter().fold(Vec::new(), |mut all, row| {
            all.extend(self.debits_of(row.id).map(|debit| {
                (debit.id, Segment { returned: self.returned(debit), ..debit.segment })
            }));
            all
        });
        segments.sort_by_key(|(id, segment)| (segment.from, *id));
        let default_card = self.default_card.filter(|card| !self.declined_cards.contains(card));
        let summary = AccountSummary {
            attempts: stored.as_ref().map_or_else(Vec::new, |row| self.attempts(row, now)),
            stored,
            own_limits: None,
            balance: self.balance(),
            instrument: default_card.map(instrument),
            card: None,
            is_active: true,
            open_by_job: slot.is_some_and(|row| row.payment.situation.off_session),
            open_until: open.zip(closes_at).map(|(open, closes_at)| closes_at(open.opened_at)),
            open,
        };
        BillingAccount { summary, segments, seats: 1, has_paid: self.has_paid }
    }

    /// What went back of the money that paid for it.
    pub fn returned(&self, debit: &Debit) -> Cents {
        let payment = debit.payment.and_then(|id| self.payments.get(&id));
        payment.map_or(Cents::ZERO, |row| row.payment.situation.refunded)
    }

    fn open_payment(&self, row: &PaymentRow) -> OpenPayment {
        let quote = &self.quotes[&row.payment.quote_id];
        OpenPayment {
            payment_id: row.payment.id,
            plan_id: quote.plan_id,
            cycle: quote.cycle,
            amount: row.payment.situation.amount,
            opened_at: row.payment.situation.created_at,
        }
    }

    fn attempts(&self, row: &Subscription, now: Timestamp) -> Vec<Attempt> {
        let Some(due_at) = row.term.map(|term| term.paid_end()).filter(|due_at| *due_at <= now)
        else {
            return Vec::new();
        };
        let of_period =
            |step: &&ChargeStep| (step.subscription, step.period_start) == (row.id, due_at);
        let attempt = |step: &ChargeStep| Attempt {
            kind: step.kind.clone(),
            instrument: step.instrument.clone(),
            decline: self.payments[&step.payment].decline(),
        };
        self.charges.iter().filter(of_period).map(attempt).collect()
    }

    /// Moves a job to a time, or adds it.
    pub fn reschedule(&mut self, key: JobKey, run_at: Timestamp) {
        let leased_until = self.jobs.get(&key).and_then(|job| job.leased_until);
        self.jobs.insert(key, Job { run_at, attempts: 0, leased_until });
    }

    /// Adds a job; one that is there runs at the earlier time.
    pub fn add_job(&mut self, key: JobKey, run_at: Timestamp) {
        let earlier = self.jobs.get(&key).map_or(run_at, |job| job.run_at.min(run_at));
        self.reschedule(key, earlier);
    }

    /// Takes the job for a node; answers how often it was tried.
    pub fn claim(&mut self, key: JobKey, now: Timestamp) -> u32 {
        let job = self.jobs.get_mut(&key).unwrap();
        job.attempts += 1;
        job.leased_until = Some(now + LEASE);
        job.attempts
    }

    /// The run that was the job's `attempts`th is over; with a time it is tried again then.
    pub fn release(&mut self, key: JobKey, attempts: u32, again_at: Option<Timestamp>) {
        let Some(job) = self.jobs.get_mut(&key) else { return };
        job.leased_until = None;
        match again_at {
            _ if job.attempts != attempts => {}
            Some(again_at) => job.run_at = again_at,
            None => {
                self.jobs.remove(&key);
            }
        }
    }
}
