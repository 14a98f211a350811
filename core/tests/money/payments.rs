//! The transactions of a payment: it is stored, followed, and what it pays for is applied. `actors/src/billing_workflow`
//! has the real ones.

use bipe_core::gateway::key;
use bipe_core::id::{PaymentId, PlanId, QuoteId, SubscriptionId};
use bipe_core::invoice::PaymentMeans;
use bipe_core::money::Cents;
use bipe_core::payment::command::check_amount;
use bipe_core::payment::{
    Effect, Input, Payment, PaymentMetadata, PaymentState, Situation, decide, timer,
};
use bipe_core::payment_method::Method;
use bipe_core::plan::BillingCycle;
use bipe_core::subscription::change::Ledger;
use bipe_core::subscription::ladder::Decline;
use bipe_core::subscription::purchase::{SuccessfulPayment, purchase};
use bipe_core::subscription::quote::Quote;
use bipe_core::subscription::{ChangeType, CreditKind, Status, Subscription};
use bipe_simulator::search::{Broken, holds};

use crate::Planted;
use crate::provider::Request;
use crate::rows::{COMPANY, JobKey, PaymentRow};
use crate::server::{Server, plan};

/// What a payer has decided to pay: one purchase, however often it is sent.
#[derive(Clone, Copy, Debug)]
pub struct Intention {
    /// The client's `Idempotency-Key`.
    pub key: u128,
    pub plan: PlanId,
    pub cycle: BillingCycle,
    pub method: Method,
    pub card: usize,
    pub saves_card: bool,
    pub replace: bool,
    /// What the payer saw.
    pub quote: QuoteId,
    pub amount: Cents,
}

/// What became of storing a payment.
pub enum Opened {
    Stored(PaymentId),
    /// An earlier command with the key stored it.
    Begun(PaymentId),
    /// That one is to be closed first.
    Slot(PaymentId),
    Refused,
}

impl Server<'_> {
    /// Transaction A. `closed` was asked to make room before.
    pub fn open(&mut self, wanted: Intention, closed: Option<PaymentId>) -> Result<Opened, Broken> {
        if let Some(known) = self.rows.keys.get(&wanted.key) {
            return Ok(known.map_or(Opened::Refused, Opened::Begun));
        }
        let (account, now) = (self.account(), self.seconds());
        let choice = (plan(wanted.plan), wanted.cycle);
        let seen = self.rows.quotes[&wanted.quote].clone();
        let quote = match seen.binds(&account, choice, now).unwrap() {
            true => Some(seen),
            false => self.quote(wanted.plan, wanted.cycle),
        };
        let payable = |quote: &Quote| {
            quote.amount_due == wanted.amount
                && quote.amount_due > Cents::ZERO
                && check_amount(wanted.method, quote.amount_due).is_ok()
        };
        let Some(quote) = quote.filter(payable) else {
            self.rows.keys.insert(wanted.key, None);
            return Ok(Opened::Refused);
        };
        if let Some(other) = self.rows.slot() {
            let (id, situation) = (other.payment.id, &other.payment.situation);
            if situation.makes_room(wanted.replace) {
                match closed {
                    None => return Ok(Opened::Slot(id)),
                    // Nothing is kept: the provider did not say whether it is closed.
                    Some(closed) if closed == id && situation.unknown => {
                        return Ok(Opened::Refused);
                    }
                    Some(_) => {}
                }
            }
            self.rows.keys.insert(wanted.key, None);
            return Ok(Opened::Refused);
        }
        self.open_pending(&quote)?;
        let takes_a_card = wanted.method.rules().takes_a_card;
        let request = Request {
            payment: PaymentId(self.id()),
            amount: quote.amount_due,
            method: wanted.method,
            card: takes_a_card.then_some(wanted.card),
            off_session: false,
            saves_card: takes_a_card && wanted.saves_card,
        };
        let id = self.insert(request, &quote)?;
        self.rows.keys.insert(wanted.key, Some(id));
        Ok(Opened::Stored(id))
    }

    /// As `purchase::open_pending`.
    fn open_pending(&mut self, quote: &Quote) -> Result<(), Broken> {
        let (mut account, now) = (self.account(), self.seconds());
        if let Some(current) = account.projection(now, Some(quote.frozen_at)) {
            self.record(&mut account, &current)?;
        }
        let running = account.stored.as_ref().filter(|row| row.status != Status::Expired);
        if running.is_some_and(|row| row.status != Status::Pending) {
            return Ok(());
        }
        let id = running.map_or_else(|| SubscriptionId(self.id()), |row| row.id);
        self.save(&Subscription::pending(id, COMPANY, quote.plan(), now));
        Ok(())
    }

    pub fn insert(&mut self, request: Request, quote: &Quote) -> Result<PaymentId, Broken> {
        let (id, now) = (request.payment, self.now);
        let situation = Situation {
            method: request.method,
            off_session: request.off_session,
            amount: request.amount,
            state: PaymentState::Submitting,
            intent: None,
            unknown: true,
            unknown_since: Some(now),
            closing: None,
            superseded: false,
            received: None,
            refunded: Cents::ZERO,
            disputed: false,
            is_reviewed: false,
            read_started_at: None,
            created_at: now,
            changed_at: now,
        };
        let metadata = PaymentMetadata {
            company_id: COMPANY,
            plan_id: quote.plan_id,
            billing_cycle: quote.cycle,
            change_type: quote.change_type,
            quote_id: Some(quote.id),
            source: None,
            cancel_reason: None,
        };
        let payment = Payment {
            id,
            company_id: COMPANY,
            created_by: None,
            situation,
            change_type: quote.change_type,
            quote_id: quote.id,
            provider: String::new(),
            provider_key: key(id, "create"),
            provider_request: String::new(),
            saves_card: request.saves_card,
            metadata,
            cancel_reason: None,
            review_reason: None,
            overtaken: false,
            credited: false,
            is_applied: false,
            version: 1,
        };
        let is_free = self.rows.slot().is_none();
        holds(is_free, "one payment holds the slot of a company", || format!("{id} as well"))?;
        if let Some(at) = timer::next_check(&payment.situation, now) {
            self.rows.add_job(JobKey::Reconcile(id), at);
        }
        self.rows
            .payments
            .insert(id, PaymentRow { payment, request, effects_at: None, was_payable: false });
        self.story.tell(|| format!("  payment {} is stored", id.0.as_u128()));
        Ok(id)
    }

    /// Transactions B and C. Answers the provider's call that follows; none for what the state does not allow either.
    /// `seen` is the row as it was when the call began.
    pub fn follow(
        &mut self,
        id: PaymentId,
        input: Input,
        seen: PaymentRow,
    ) -> Result<Result<Option<Effect>, ()>, Broken> {
        let mut row = match self.planted {
            Planted::LastWriterWins => seen,
            _ => self.rows.payments[&id].clone(),
        };
        let card = card_of(&input);
        let Ok(decision) = decide(&row.payment.situation, input, self.now) else {
            return Ok(Err(()));
        };
        let is_sent_again = decision.effects.contains(&Effect::Create);
        if row.payment.situation != decision.next || is_sent_again {
            if decision.next.state.name() != row.payment.situation.state.name() {
                let (number, state) = (id.0.as_u128(), &decision.next.state);
                self.story.tell(|| format!("  payment {number} is {}", state.name()));
            }
            row.payment.situation = decision.next;
            row.payment.version += 1;
            row.was_payable |= is_payable(&row.payment.situation.state);
            self.save_payment(row)?;
        }
        let mut call = None;
        for effect in decision.effects {
            match effect {
                Effect::Create | Effect::Find | Effect::Read | Effect::Cancel => {
                    call = Some(effect);
                }
                Effect::Apply => self.apply(id, card)?,
                Effect::ApplyAsCredit => self.apply_as_credit(id, card)?,
                Effect::CloseUnpaid => self.close_unpaid(id),
                Effect::Alert(_) => {}
            }
        }
        match timer::next_check(&self.rows.payments[&id].payment.situation, self.now) {
            Some(at) => self.rows.reschedule(JobKey::Reconcile(id), at),
            None => drop(self.rows.jobs.remove(&JobKey::Reconcile(id))),
        }
        Ok(Ok(call))
    }

    /// What `decide` and the trigger of the table keep.
    fn save_payment(&mut self, row: PaymentRow) -> Result<(), Broken> {
        let id = row.payment.id;
        let before = &self.rows.payments[&id].payment;
        let (old, new) = (&before.situation.state, &row.payment.situation.state);
        let is_kept = match old {
            PaymentState::Succeeded { .. } => old == new,
            _ if old.is_closed() => old == new || matches!(new, PaymentState::Succeeded { .. }),
            _ => true,
        };
        holds(is_kept, "an end is left for success only", || format!("{old:?}, then {new:?}"))?;
        let grows = row.payment.version > before.version;
        holds(grows, "a version only grows", || format!("{} again", before.version))?;
        self.rows.payments.insert(id, row);
        Ok(())
    }

    /// True once in the life of a payment.
    fn claim_effects(&mut self, id: PaymentId) -> bool {
        let row = self.rows.payments.get_mut(&id).unwrap();
        let is_first = row.effects_at.is_none();
        if is_first {
            row.effects_at = Some(self.now);
        }
        is_first
    }

    fn paid(&self, id: PaymentId) -> Option<SuccessfulPayment> {
        let payment = &self.rows.payments[&id].payment;
        let PaymentState::Succeeded { at } = payment.situation.state else { return None };
        let means = PaymentMeans {
            id,
            method: payment.situation.method,
            card: None,
            provider: String::new(),
            reference: payment.situation.intent.clone(),
        };
        let (quote_id, amount) = (payment.quote_id, payment.situation.came_in());
        Some(SuccessfulPayment { means, quote_id, amount, by: None, succeeded_at: at })
    }

    /// A card that has paid may renew again.
    fn trust(&mut self, card: Option<usize>) {
        self.rows.declined_cards.retain(|declined| card != Some(*declined));
    }

    fn apply(&mut self, id: PaymentId, card: Option<usize>) -> Result<(), Broken> {
        let Some(paid) = self.paid(id) else { return Ok(()) };
        if !self.claim_effects(id) {
            return Ok(());
        }
        self.trust(card);
        if self.rows.payments[&id].payment.saves_card {
            self.rows.add_job(JobKey::SavedCards, self.now);
        }
        let quote = self.rows.quotes[&paid.quote_id].clone();
        let (mut account, new_id) = (self.account(), SubscriptionId(self.id()));
        let bought = purchase(
            &account,
            (&quote, plan(quote.plan_id)),
            &paid,
            (COMPANY, new_id),
            self.seconds(),
        );
        let Some(bought) = bought.unwrap() else {
            self.remove_pending();
            return self.credit(&paid);
        };
        if let Some(current) = &bought.current {
            self.record(&mut account, current)?;
        }
        let is_by_job = self.rows.payments[&id].request.off_session;
        self.story.count(match (quote.change_type, is_by_job) {
            (ChangeType::Creation, _) => "bought a first period",
            (ChangeType::Upgrade, _) => "bought an upgrade",
            (_, true) => "renewed by the saved card",
            (_, false) => "bought another period",
        });
        self.write(&account, bought.change, &id.to_string(), Some(id))
    }

    fn apply_as_credit(&mut self, id: PaymentId, card: Option<usize>) -> Result<(), Broken> {
        let Some(paid) = self.paid(id) else { return Ok(()) };
        if !self.claim_effects(id) {
            return Ok(());
        }
        self.trust(card);
        self.credit(&paid)
    }

    fn credit(&mut self, paid: &SuccessfulPayment) -> Result<(), Broken> {
        self.story.count("money became credit");
        self.rows.add_job(JobKey::Renewal, self.now);
        let ledger = Ledger::from([(CreditKind::UnappliedPayment, paid.amount)]);
        self.write_credits(&ledger, &paid.means.id.to_string())
    }

    fn remove_pending(&mut self) -> bool {
        let (before, is_awaited) = (self.rows.subscriptions.len(), self.rows.slot().is_some());
        self.rows.subscriptions.retain(|row| is_awaited || row.status != Status::Pending);
        self.rows.subscriptions.len() < before
    }

    fn close_unpaid(&mut self, id: PaymentId) {
        let row = &self.rows.payments[&id];
        if row.request.off_session && row.decline() == Decline::Hard {
            self.rows.declined_cards.extend(row.request.card);
        }
        if !self.remove_pending() {
            self.rows.add_job(JobKey::Renewal, self.now);
        }
    }
}

/// The card that the provider shows.
fn card_of(input: &Input) -> Option<usize> {
    let Input::Read { intent, .. } = input else { return None };
    intent.payment_method.as_ref()?.parse().ok()
}

/// The payer was told what to do.
fn is_payable(state: &PaymentState) -> bool {
    matches!(
        state,
        PaymentState::Created | PaymentState::RequiresAction(_) | PaymentState::Declined(_)
    )
}
