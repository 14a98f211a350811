//! One open payment, one mailbox: commands, webhooks and timers for it run one after the other.
//!
//! Started by the directory, stops at a final state or when nobody asks. It may die at any moment (I1): all
//! it knows is in the database, and each step is one transaction or one provider call, never both (I2). The
//! work runs on the runtime for database and provider, so a caller who goes away stops nothing.

mod charge;
mod follow;
mod notice;
mod open;
mod steps;

use std::sync::Arc;
use std::time::Duration;

use actix::prelude::*;
use bipe_core::gateway::Refusal;
use bipe_core::payment::PaymentView;
use bipe_core::secret::Secret;
use bipe_core::{Error, Result};

use crate::directory::Held;

pub use open::Open;
pub use steps::{Call, Case, Step, Steps};

/// Without a message for this long it stops; the next one starts it again.
const IDLE: Duration = Duration::from_secs(120);

/// What to do about a payment.
#[derive(Clone, Debug)]
pub enum Command {
    StartPayment(Box<Open>),
    /// It was opened by a job and is sent now.
    SubmitPayment(Case),
    /// Read it again at the provider.
    ReadPayment(Case),
    CancelPayment(Case),
    /// A platform admin decided on money that is under review.
    ReviewPayment(Case),
    /// Its timer rang.
    WakePayment(Case),
}

/// What came of it.
#[derive(Debug)]
pub enum Outcome {
    Payment {
        view: Box<PaymentView>,
        /// For the payer of a card alone.
        secret: Option<Secret>,
        /// The provider's answer is still out.
        unsettled: bool,
        /// Nothing is left to be done for this payment.
        is_final: bool,
    },
    /// The stored answer of the first command with this key.
    Replay {
        status: u16,
        reply: String,
        secret: Option<Secret>,
    },
    /// The provider did not show the payment, which is as it was: its refusal, or none when no clear word came.
    Unread(Option<Refusal>),
    Refused {
        error: Error,
        replayed: bool,
    },
}

/// The envelope of a command: what it holds is given back when it is done, not when its caller gives up.
pub struct Carry {
    pub command: Command,
    pub held: Arc<Held>,
}

impl Message for Carry {
    type Result = Result<Outcome>;
}

pub struct BillingWorkflow {
    steps: Arc<Steps>,
    /// Counts messages, so that an idle timer knows whether it is out of date.
    handled: u64,
}

impl BillingWorkflow {
    pub fn new(steps: Arc<Steps>) -> Self {
        Self { steps, handled: 0 }
    }
}

impl Actor for BillingWorkflow {
    type Context = Context<Self>;
}

impl Handler<Carry> for BillingWorkflow {
    type Result = AtomicResponse<Self, Result<Outcome>>;

    fn handle(&mut self, carry: Carry, _ctx: &mut Context<Self>) -> Self::Result {
        self.handled += 1;
        let steps = self.steps.clone();
        let runtime = steps.runtime().clone();
        let work = runtime.spawn(async move {
            let outcome = steps.walk(carry.command).await;
            drop(carry.held);
            outcome
        });
        AtomicResponse::new(Box::pin(work.into_actor(self).map(|done, this, ctx| {
            let outcome = done.unwrap_or_else(|panic| Err(Error::internal(panic)));
            if matches!(&outcome, Ok(Outcome::Payment { is_final: true, .. })) {
                ctx.stop();
            } else {
                let handled = this.handled;
                ctx.run_later(IDLE, move |this, ctx| {
                    if this.handled == handled {
                        ctx.stop();
                    }
                });
            }
            outcome
        })))
    }
}
