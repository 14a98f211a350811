//! The world of one seed: the server with what it is about to do, the provider, what is on its way between them, and the
//! payer. A crash forgets what the server was about to do, and nothing else.

use std::collections::BTreeSet;

use bipe_core::gateway::{IntentStatus, key};
use bipe_core::id::{PaymentId, RefundId};
use bipe_core::money::Cents;
use bipe_core::payment::refund::{self, Refund, RefundState};
use bipe_core::payment::{CloseReason, Input};
use bipe_core::subscription::ChangeType;
use bipe_core::subscription::decide::{EndAt, Endpoint};
use bipe_simulator::search::{Broken, Story, holds};
use jiff::{SignedDuration, Timestamp};

use crate::payments::Intention;
use crate::provider::{Charge, Provider};
use crate::rows::{COMPANY, Job, JobKey, PaymentRow, RefundRow};
use crate::server::Server;
use crate::steps::{After, Ahead, Call, Delivery, Outcome, Run, Step};
use crate::{Planted, Purchase, rules};

/// What is unknown while the provider answers is learnt within this time.
const LEARNT_WITHIN: SignedDuration = SignedDuration::from_hours(2);
/// A history goes on for so long after the last disturbance: longer than any renewal is tried.
const REST: SignedDuration = SignedDuration::from_hours(17 * 24);
/// Jobs within which everything is settled.
const MAX_JOBS: usize = 4_000;

pub struct World<'a> {
    pub server: Server<'a>,
    pub provider: Provider,
    pub runs: Vec<Run>,
    pub intentions: Vec<Intention>,
    /// Events of the provider whose webhooks come later.
    pub late: Vec<usize>,
    sent: usize,
    pub received: BTreeSet<usize>,
    pub ahead: Ahead,
}

impl<'a> World<'a> {
    pub fn new(now: Timestamp, planted: Planted, story: &'a mut Story) -> Self {
        Self {
            server: Server::new(now, planted, story),
            provider: Provider::new(now),
            runs: Vec::new(),
            intentions: Vec::new(),
            late: Vec::new(),
            sent: 0,
            received: BTreeSet::new(),
            ahead: Ahead::default(),
        }
    }

    pub fn count(&mut self, what: &'static str) {
        self.server.story.count(what);
    }

    /// Time passes, and nothing else happens. The server's clock tells any two instants apart.
    pub fn pass(&mut self, time: SignedDuration) {
        self.server.now += time;
        self.provider.pass_to(self.server.now);
        self.send();
    }

    pub fn tick(&mut self) {
        self.pass(SignedDuration::from_millis(1));
    }

    /// The provider sends what has happened.
    pub fn send(&mut self) {
        for event in self.sent..self.provider.events.len() {
            match self.ahead.webhooks.pop_front() {
                None | Some(Delivery::InTime) => self.receive(event),
                Some(Delivery::Late) => self.late.push(event),
                Some(Delivery::Lost) => self.count("a webhook was lost"),
            }
        }
        self.sent = self.provider.events.len();
    }

    pub fn run(&mut self, step: Step, after: Vec<After>) {
        self.runs.push(Run { step, after });
    }

    pub fn follow(payment: PaymentId, input: Input, seen: &PaymentRow) -> Step {
        Step::Follow { payment, input, seen: Box::new(seen.clone()), call: None }
    }

    /// The payer previews a choice, and pays for it or takes it where nothing is due.
    ///
    /// # Errors
    /// The rule that breaks.
    pub fn buy(&mut self, wanted: Purchase) -> Result<(), Broken> {
        let Purchase { mut plan, mut cycle, method, card, saves_card, replace, again } = wanted;
        if let Some(current) = self.server.rows.stored().filter(|_| again) {
            (plan, cycle) = (current.plan_id, current.cycle);
        }
        let Some(quote) = self.server.quote(plan, cycle) else { return Ok(()) };
        if quote.amount_due == Cents::ZERO {
            let endpoint = match quote.change_type {
                ChangeType::Creation => Endpoint::Create,
                ChangeType::Renewal => Endpoint::Renew,
                ChangeType::Downgrade => Endpoint::Downgrade,
                ChangeType::Upgrade | ChangeType::Other => Endpoint::Upgrade,
            };
            return self.server.choose(endpoint, (plan, cycle)).map(drop);
        }
        let (key, amount) = (self.server.id().as_u128(), quote.amount_due);
        let quote = quote.id;
        let wanted =
            Intention { key, plan, cycle, method, card, saves_card, replace, quote, amount };
        self.intentions.push(wanted);
        self.run(Step::Open(wanted, None), Vec::new());
        Ok(())
    }

    /// The client sends an earlier command again, with its key.
    pub fn repeat(&mut self, which: usize) {
        if let Some(wanted) = one_of(self.intentions.iter().rev(), which).copied() {
            self.count("a command was sent again");
            self.run(Step::Open(wanted, None), Vec::new());
        }
    }

    pub fn cancel(&mut self, when: EndAt) {
        let step = match self.server.payment_to_close(when) {
            Some(open) => {
                let row = &self.server.rows.payments[&open];
                let asked = Input::CancelAsked(CloseReason::Cancel);
                return self.run(Self::follow(open, asked, row), vec![After::Cancel(when)]);
            }
            None => Step::Cancel(when),
        };
        self.run(step, Vec::new());
    }

    pub fn cancel_payment(&mut self) {
        if let Some(row) = self.server.rows.slot() {
            let asked = Input::CancelAsked(CloseReason::Cancel);
            self.run(Self::follow(row.payment.id, asked, row), Vec::new());
        }
    }

    /// A platform admin gives a part of a payment back, in tenths.
    pub fn refund(&mut self, which: usize, tenths: i64) {
        let now = self.server.now;
        let paid = |row: &&PaymentRow| row.effects_at.is_some();
        let rows = self.server.rows.payments.values().rev();
        let Some(row) = one_of(rows.filter(paid), which) else { return };
        let (payment, amount) =
            (row.payment.clone(), row.payment.situation.came_in().share(tenths, 10));
        let of_payment = |it: &&RefundRow| {
            it.refund.payment_id == payment.id
                && it.refund.state != RefundState::Refused
                && !it.shown
        };
        let rows = &mut self.server.rows;
        let outstanding = rows.refunds.values().filter(of_payment).map(|it| it.amount).sum();
        if refund::check(&payment, outstanding, amount, now).is_err() {
            return;
        }
        let id = RefundId(self.server.id());
        let refund = Refund {
            id,
            company_id: COMPANY,
            payment_id: payment.id,
            state: RefundState::Pending,
            idempotency_key: None,
            provider_key: key(id, "refund"),
            provider_request: String::new(),
            intent: payment.situation.intent.unwrap_or_default(),
            tries: 1,
            created_at: now,
        };
        self.server.rows.refunds.insert(id, RefundRow { refund, amount, shown: false });
        self.server.rows.add_job(JobKey::Refund(id), now + refund::RETRY_AFTER);
        self.count("a refund was asked for");
        self.run(Step::Refund(id, true), Vec::new());
    }

    /// The payer's browser confirms the card of an intent that it knows.
    pub fn confirm(&mut self, which: usize, other_card: Option<usize>) {
        let Some(id) = self.known_intent(which, Charge::waits_for_a_card) else { return };
        let card = other_card.or(self.provider.charges[&id].request.card).unwrap_or_default();
        self.provider.confirm(&id, card);
        self.count("a payer confirmed");
    }

    /// The payer pays what waits, or the bank answers; or nothing comes of it.
    pub fn settle(&mut self, which: usize, pays: bool) {
        let Some(id) = self.known_intent(which, Charge::waits) else { return };
        self.provider.settle(&id, pays);
        self.count("a payer or a bank settled");
    }

    /// One of those that are like this, the newest first.
    fn known_intent(&self, which: usize, is_like_this: fn(&Charge) -> bool) -> Option<String> {
        let rows = self.server.rows.payments.values().rev();
        let known = rows.filter_map(|row| row.payment.situation.intent.as_ref());
        let charges = known.filter_map(|id| self.provider.charges.get(id));
        one_of(charges.filter(|charge| is_like_this(charge)), which).map(|it| it.intent.id.clone())
    }

    pub fn give_back_elsewhere(&mut self, which: usize) {
        let is_paid = |charge: &Charge| charge.intent.status == IntentStatus::Succeeded;
        let Some(id) = self.known_intent(which, is_paid) else { return };
        if self.provider.give_back(&id, Cents(100)) {
            self.count("money went back elsewhere");
        }
    }

    /// The provider's list of events brings what no webhook brought.
    pub fn sweep(&mut self) {
        (0..self.provider.events.len()).for_each(|event| self.receive(event));
    }

    fn receive(&mut self, event: usize) {
        if self.received.insert(event) {
            self.server.rows.add_job(JobKey::Webhook(event), self.server.now);
        }
    }

    /// A webhook comes late, or again.
    pub fn deliver(&mut self, which: usize) {
        let Some(event) = one_of(self.late.iter().rev(), which).copied() else { return };
        self.count(if self.received.contains(&event) {
            "a webhook came again"
        } else {
            "a webhook came late"
        });
        self.receive(event);
    }

    pub fn crash(&mut self) {
        let between = |run: &Run| matches!(&run.step, Step::Follow { call: Some(_), .. });
        if self.runs.iter().any(between) {
            self.count("a crash between call and commit");
        }
        self.runs.clear();
    }

    /// A job that is due is taken.
    ///
    /// # Errors
    /// The rule that breaks.
    pub fn work(&mut self, which: usize) -> Result<(), Broken> {
        self.tick();
        let now = self.server.now;
        let due = self.server.rows.jobs.iter().filter(|(_, job)| job.is_due(now));
        let Some(job) = one_of(due.map(|(job, _)| *job), which) else { return Ok(()) };
        let attempts = self.server.rows.claim(job, now);
        let after = vec![After::Release(job, attempts)];
        match job {
            JobKey::Reconcile(payment) => {
                let row = &self.server.rows.payments[&payment];
                self.run(Self::follow(payment, Input::Due, row), after);
            }
            JobKey::Refund(refund) => self.run(Step::Refund(refund, false), after),
            JobKey::Webhook(event) => self.handle(event, after),
            JobKey::SavedCards => {
                self.server.store_cards(&self.provider.saved)?;
                self.server.rows.release(job, attempts, None);
            }
            JobKey::Renewal => match self.server.renew()? {
                Some(payment) => {
                    self.run(Step::Call(payment, Call::Create { maybe_sent: true }), after);
                }
                None => self.server.rows.release(job, attempts, None),
            },
        }
        Ok(())
    }

    /// A webhook is a hint: the payment is read.
    fn handle(&mut self, event: usize, after: Vec<After>) {
        let intent = self.provider.events[event].clone();
        let named = self.provider.charges[&intent].request.payment;
        let row = &self.server.rows.payments[&named];
        let is_ignored = self.server.planted == Planted::EndIgnoresWebhook && !row.is_open();
        let step = match &row.payment.situation.intent {
            Some(known) if *known == intent && !is_ignored => Step::Call(named, Call::Read),
            None => Self::follow(named, Input::Due, row),
            Some(_) => return self.go_on(after, Outcome::Shown),
        };
        self.run(step, after);
    }

    /// The server works for a time, and nothing is in its way.
    ///
    /// # Errors
    /// The rule that breaks.
    pub fn live(&mut self, time: SignedDuration) -> Result<(), Broken> {
        let end = self.server.now + time;
        loop {
            self.finish()?;
            if !self.next_job(end)? {
                break;
            }
        }
        self.pass(end.duration_since(self.server.now).max(SignedDuration::ZERO));
        Ok(())
    }

    /// Everything that runs comes to its end.
    fn finish(&mut self) -> Result<(), Broken> {
        while !self.runs.is_empty() {
            self.advance(0)?;
        }
        Ok(())
    }

    /// Time passes to the next job, and it begins. False when none is due until `end`.
    fn next_job(&mut self, end: Timestamp) -> Result<bool, Broken> {
        let next = self.server.rows.jobs.values().map(Job::due_at).min();
        let Some(next) = next.filter(|at| *at <= end) else { return Ok(false) };
        self.pass(next.duration_since(self.server.now).max(SignedDuration::ZERO));
        self.work(0)?;
        Ok(true)
    }

    /// Nothing disturbs any more, nobody buys anything, and time passes until everything is settled.
    ///
    /// # Errors
    /// The rule that does not hold.
    pub fn rest(&mut self) -> Result<(), Broken> {
        self.server.story.tell(|| "nothing is disturbed any more".to_owned());
        self.ahead = Ahead::default();
        self.sweep();
        let began = self.server.now;
        for _ in 0..MAX_JOBS {
            self.finish()?;
            self.banks_answer();
            rules::always(&self.server.rows, &self.provider)?;
            self.learnt(began)?;
            let is_over = self.server.now.duration_since(began) >= REST;
            if is_over && self.is_settled() {
                return rules::at_rest(&self.server.rows, &self.provider);
            }
            let end = if is_over { Timestamp::MAX } else { began + REST };
            if !self.next_job(end)? && !is_over {
                self.pass(end.duration_since(self.server.now));
            }
        }
        holds(false, "everything is settled in bounded time", || {
            format!("{:?}", self.server.rows.jobs)
        })
    }

    fn banks_answer(&mut self) {
        let ponders = self
            .provider
            .charges
            .values()
            .find(|charge| charge.intent.status == IntentStatus::Processing);
        if let Some(id) = ponders.map(|charge| charge.intent.id.clone()) {
            self.provider.settle(&id, true);
            self.send();
        }
    }

    fn learnt(&self, began: Timestamp) -> Result<(), Broken> {
        let is_old = |row: &&PaymentRow| {
            let since = row.payment.situation.changed_at.max(began);
            self.server.now.duration_since(since) > LEARNT_WITHIN
        };
        let mut unknown = self.server.rows.payments.values();
        let unknown =
            unknown.find(|row| row.is_open() && row.payment.situation.unknown && is_old(row));
        holds(unknown.is_none(), "P10: what is unknown is learnt", || format!("{unknown:?}"))
    }

    fn is_settled(&self) -> bool {
        let rows = &self.server.rows;
        let is_given = |row: &RefundRow| match row.refund.state {
            RefundState::Pending => false,
            RefundState::Accepted => row.shown,
            RefundState::Refused => true,
        };
        !rows.payments.values().any(PaymentRow::is_open) && rows.refunds.values().all(is_given)
    }
}

/// One of them, if there is any.
pub fn one_of<T>(mut all: impl Iterator<Item = T> + Clone, which: usize) -> Option<T> {
    let count = all.clone().count();
    all.nth(which.checked_rem(count)?)
}
