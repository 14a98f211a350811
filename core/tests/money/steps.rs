//! The steps of commands and jobs between the server and the provider, each a transaction or a call and never both, so
//! that others come between any two of them. `actors/src/billing_workflow` and `actors/src/refunds.rs` have the real
//! ones.

use std::collections::VecDeque;

use bipe_core::gateway::ProviderAnswer;
use bipe_core::id::{PaymentId, RefundId};
use bipe_core::payment::refund::{RefundState, Resolution};
use bipe_core::payment::{CloseReason, Effect, Input, PaymentState};
use bipe_core::subscription::decide::EndAt;
use bipe_simulator::search::Broken;
use jiff::{SignedDuration, Timestamp};

use crate::Planted;
use crate::payments::{Intention, Opened};
use crate::provider::Fault;
use crate::rows::{JobKey, PaymentRow};
use crate::world::{World, one_of};

/// So long an answer of the provider is waited for.
const TIMEOUT: SignedDuration = SignedDuration::from_secs(12);

/// A call to the provider, as the billing workflow makes it.
#[derive(Clone, Copy, Debug)]
pub enum Call {
    Create { maybe_sent: bool },
    Find,
    Read,
    Cancel,
}

#[derive(Clone, Debug)]
pub enum Step {
    Open(Intention, Option<PaymentId>),
    Call(PaymentId, Call),
    /// What happened waits for its transaction. `call`: it is the answer to a call that began at an instant.
    Follow {
        payment: PaymentId,
        input: Input,
        seen: Box<PaymentRow>,
        call: Option<(Call, Timestamp)>,
    },
    Cancel(EndAt),
    Refund(RefundId, bool),
    Settle(RefundId, Resolution),
}

/// What a run goes on with when its payment is as far as it gets.
#[derive(Clone, Copy, Debug)]
pub enum After {
    Open(Intention, PaymentId),
    Cancel(EndAt),
    Release(JobKey, u32),
    /// The payment shows the refund.
    Shown(RefundId),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Shown,
    /// Shown, and the payer may still pay.
    Payable,
    Refused,
    Unread,
}

/// A command or a job, between two of its steps.
#[derive(Clone, Debug)]
pub struct Run {
    pub step: Step,
    pub after: Vec<After>,
}

/// What becomes of a webhook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delivery {
    InTime,
    Late,
    Lost,
}

/// What will disturb, whatever the server does then.
#[derive(Default)]
pub struct Ahead {
    /// Of the next calls.
    pub faults: VecDeque<Fault>,
    /// Of the next webhooks: whether they are lost, or come later.
    pub webhooks: VecDeque<Delivery>,
    /// After so many steps the server crashes.
    pub crash: Option<usize>,
}

impl World<'_> {
    /// One step of a run.
    ///
    /// # Errors
    /// The rule that breaks.
    pub fn advance(&mut self, which: usize) -> Result<(), Broken> {
        let Some(at) = one_of(0..self.runs.len(), which) else { return Ok(()) };
        if let Some(steps) = self.ahead.crash {
            self.ahead.crash = steps.checked_sub(1);
            if steps == 0 {
                self.crash();
                return Ok(());
            }
        }
        self.tick();
        let Run { step, mut after } = self.runs.remove(at);
        let calls = matches!(step, Step::Call(..) | Step::Refund(..));
        let fault = if calls { self.ahead.faults.pop_front() } else { None };
        let fault = fault.unwrap_or(Fault::Nothing);
        match step {
            Step::Open(wanted, closed) => match self.server.open(wanted, closed)? {
                Opened::Stored(id) => {
                    self.count("a payment began");
                    self.run(Step::Call(id, Call::Create { maybe_sent: false }), after);
                }
                Opened::Begun(id) => self.resume(id, after),
                Opened::Slot(other) => {
                    after.push(After::Open(wanted, other));
                    let asked = Input::CancelAsked(CloseReason::Replace);
                    let row = &self.server.rows.payments[&other];
                    self.run(Self::follow(other, asked, row), after);
                }
                Opened::Refused => self.go_on(after, Outcome::Refused),
            },
            Step::Call(id, call) => self.call(id, call, (fault, after)),
            Step::Follow { payment, input, seen, call } => {
                self.decide(payment, input, (*seen, call, after))?;
            }
            Step::Cancel(when) => self.server.cancel(when)?,
            Step::Refund(id, is_first) => self.ask_refund(id, is_first, (fault, after)),
            Step::Settle(id, resolution) => self.settle_refund(id, &resolution, after),
        }
        self.send();
        Ok(())
    }

    fn resume(&mut self, id: PaymentId, after: Vec<After>) {
        let row = &self.server.rows.payments[&id];
        let situation = &row.payment.situation;
        match (&situation.state, &situation.intent) {
            (PaymentState::Submitting, None) => {
                self.run(Self::follow(id, Input::Due, row), after);
            }
            (state, Some(_)) if !state.is_final() => self.run(Step::Call(id, Call::Read), after),
            _ => self.go_on(after, Outcome::Shown),
        }
    }

    fn call(&mut self, id: PaymentId, call: Call, (fault, after): (Fault, Vec<After>)) {
        let row = self.server.rows.payments[&id].clone();
        let (began, intent) = (self.server.now, row.payment.situation.intent.clone());
        let intent = intent.unwrap_or_default();
        if fault != Fault::Nothing {
            self.count(match fault {
                Fault::AnswerLost => "an answer was lost",
                _ => "a request was lost",
            });
        }
        let input = match call {
            Call::Create { maybe_sent } => {
                let mut key = row.payment.provider_key.clone();
                if self.server.planted == Planted::NewKeyEachTry {
                    key = format!("{key}:{began}");
                }
                let answer = self.provider.create(&row.request, &key, fault);
                Some(Input::of_created(answer, maybe_sent, began))
            }
            Call::Cancel => Some(Input::of_canceled(self.provider.cancel(&intent, fault), began)),
            Call::Read => match self.provider.read(&intent, fault) {
                ProviderAnswer::Done(intent) => Some(Input::of_read(intent, began)),
                _ => None,
            },
            Call::Find => match self.provider.find(id, fault) {
                ProviderAnswer::Done(Some(intent)) => Some(Input::of_read(intent, began)),
                ProviderAnswer::Done(None) => Some(Input::NeverCreated),
                _ => None,
            },
        };
        match input {
            Some(input) => {
                let (seen, call) = (Box::new(row), Some((call, began)));
                self.run(Step::Follow { payment: id, input, seen, call }, after);
            }
            None => self.go_on(after, Outcome::Unread),
        }
    }

    /// The transaction after an answer. One that came too late is none.
    fn decide(
        &mut self,
        id: PaymentId,
        mut input: Input,
        (seen, call, after): (PaymentRow, Option<(Call, Timestamp)>, Vec<After>),
    ) -> Result<(), Broken> {
        if let Some((call, began)) = call
            && self.server.now.duration_since(began) > TIMEOUT
        {
            self.count("an answer came too late");
            match call {
                Call::Create { .. } | Call::Cancel => input = Input::Unclear,
                Call::Read | Call::Find => {
                    self.go_on(after, Outcome::Unread);
                    return Ok(());
                }
            }
        }
        let unsent = matches!(input, Input::CreateUnsent);
        let payment = &self.server.rows.payments[&id].payment;
        if unsent && !payment.is_untouched() {
            match payment.situation.intent {
                Some(_) => self.run(Step::Call(id, Call::Read), after),
                None => self.go_on(after, Outcome::Shown),
            }
            return Ok(());
        }
        let followed = self.server.follow(id, input, seen)?;
        if unsent {
            self.server.rows.keys.retain(|_, known| *known != Some(id));
        }
        let call = match followed {
            Err(()) => {
                self.go_on(after, Outcome::Refused);
                return Ok(());
            }
            Ok(Some(Effect::Create)) => Call::Create { maybe_sent: true },
            Ok(Some(Effect::Find)) => Call::Find,
            Ok(Some(Effect::Read)) => Call::Read,
            Ok(Some(Effect::Cancel)) => Call::Cancel,
            Ok(_) => {
                let state = &self.server.rows.payments[&id].payment.situation.state;
                let outcome = match state {
                    PaymentState::Submitting
                    | PaymentState::Created
                    | PaymentState::RequiresAction(_)
                    | PaymentState::Declined(_) => Outcome::Payable,
                    _ => Outcome::Shown,
                };
                self.go_on(after, outcome);
                return Ok(());
            }
        };
        self.run(Step::Call(id, call), after);
        Ok(())
    }

    pub fn go_on(&mut self, mut after: Vec<After>, outcome: Outcome) {
        let rows = &mut self.server.rows;
        match after.pop() {
            None => {}
            Some(After::Open(wanted, closed)) => self.run(Step::Open(wanted, Some(closed)), after),
            // what cannot be closed any more becomes credit if it is paid; what may be is closed first
            Some(After::Cancel(_)) if matches!(outcome, Outcome::Payable | Outcome::Unread) => {}
            Some(After::Cancel(when)) => self.run(Step::Cancel(when), after),
            Some(After::Release(job, attempts)) => {
                let is_done = matches!(outcome, Outcome::Shown | Outcome::Payable);
                let wait = SignedDuration::from_secs((5 << attempts.min(10)).min(3600));
                let again_at = (!is_done).then(|| self.server.now + wait);
                rows.release(job, attempts, again_at);
            }
            Some(After::Shown(id)) if matches!(outcome, Outcome::Shown | Outcome::Payable) => {
                rows.refunds.get_mut(&id).unwrap().shown = true;
                rows.jobs.remove(&JobKey::Refund(id));
                self.go_on(after, outcome);
            }
            Some(After::Shown(_)) => self.go_on(after, outcome),
        }
    }

    fn ask_refund(&mut self, id: RefundId, is_first: bool, (fault, after): (Fault, Vec<After>)) {
        let row = self.server.rows.refunds.get_mut(&id).unwrap();
        if row.refund.state != RefundState::Pending {
            return self.show_refund(id, after);
        }
        row.refund.tries += i32::from(!is_first);
        let (refund, amount) = (row.refund.clone(), row.amount);
        let found = refund.is_looked_for(self.server.now).then(|| {
            let all = self.provider.refunds_of(&refund.intent, fault);
            Resolution::of_found(&refund, all, self.server.now)
        });
        let resolution = found.flatten().unwrap_or_else(|| {
            let (what, named) = ((refund.intent.as_str(), amount), (id, &*refund.provider_key));
            Resolution::of_sent(self.provider.refund(what, named, fault), refund.tries)
        });
        self.run(Step::Settle(id, resolution), after);
    }

    fn settle_refund(&mut self, id: RefundId, resolution: &Resolution, after: Vec<After>) {
        let row = self.server.rows.refunds.get_mut(&id).unwrap();
        if row.refund.state == RefundState::Pending {
            row.refund.state = match resolution {
                Resolution::Accepted { .. } => RefundState::Accepted,
                Resolution::Unsent if row.refund.tries > 1 => RefundState::Pending,
                Resolution::Refused { .. } | Resolution::Unsent => RefundState::Refused,
                Resolution::Pending => RefundState::Pending,
            };
        }
        self.show_refund(id, after);
    }

    /// The payment is read, which notes what went back.
    fn show_refund(&mut self, id: RefundId, mut after: Vec<After>) {
        let refund = &self.server.rows.refunds[&id].refund;
        match refund.state {
            RefundState::Accepted => {
                let payment = refund.payment_id;
                after.push(After::Shown(id));
                self.run(Step::Call(payment, Call::Read), after);
            }
            RefundState::Pending => self.go_on(after, Outcome::Unread),
            RefundState::Refused => {
                self.server.rows.jobs.remove(&JobKey::Refund(id));
                self.go_on(after, Outcome::Shown);
            }
        }
    }
}
