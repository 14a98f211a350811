//! The transactions of a subscription: it is renewed, chosen, canceled and written. `core/src/subscription/renewal.rs`,
//! `command.rs` and `store.rs` have the real ones.

use bipe_core::id::{PaymentId, PlanId, SubscriptionId};
use bipe_core::money::Cents;
use bipe_core::plan::BillingCycle;
use bipe_core::subscription::billing_account::BillingAccount;
use bipe_core::subscription::change::{
    Change, ExecutionFacts, Ledger, end_now, execute, settle_passed,
};
use bipe_core::subscription::decide::{Cancellation, EndAt, Endpoint, cancel, choose, withdraw};
use bipe_core::subscription::projection::Projection;
use bipe_core::subscription::proration::Segment;
use bipe_core::subscription::target::Target;
use bipe_core::subscription::{
    CreditKind, HistoryType, Phase, Status, Subscription, ladder, renewal,
};
use bipe_simulator::search::{Broken, holds};
use jiff::{SignedDuration, Timestamp};

use crate::Planted;
use crate::provider::Request;
use crate::rows::{COMPANY, ChargeStep, Debit, JobKey};
use crate::server::{Server, plan};

const DAY: SignedDuration = SignedDuration::from_hours(24);

impl Server<'_> {
    /// As `renewal::step`: answers the payment that was stored for a charge.
    pub fn renew(&mut self) -> Result<Option<PaymentId>, Broken> {
        let now = self.seconds();
        let mut account = self.catch_up()?;
        let Some(row) = account.stored.clone() else {
            self.rows.jobs.remove(&JobKey::Renewal);
            return Ok(None);
        };
        self.put_renewal(ladder::next_check(&row, now));
        if self.planted == Planted::RenewalIgnoresOpen {
            account.summary.open = None;
        }
        let charge = account.charge(now).map(|(kind, instrument)| (kind, instrument.clone()));
        let (Some(due_at), Some((kind, instrument))) = (account.due_at(now), charge) else {
            return Ok(None);
        };
        let of_today = |step: &&ChargeStep| step.at > self.now - DAY;
        let today = i64::try_from(self.rows.charges.iter().filter(of_today).count()).unwrap();
        if renewal::overlaps(&account, &row, now) || today >= renewal::CHARGES_A_DAY {
            self.story.count("a charge was held back");
            self.put_renewal(Some(now + DAY));
            return Ok(None);
        }
        let input = self.input(&account, (due_at, Some(due_at)));
        let quote = self.quote_at(&input, (row.plan_id, row.cycle), due_at).unwrap();
        let request = Request {
            payment: PaymentId(self.id()),
            amount: quote.amount_due,
            method: instrument.method(),
            card: instrument.id().parse().ok(),
            off_session: true,
            saves_card: false,
        };
        let payment = self.insert(request, &quote)?;
        self.rows.charges.push(ChargeStep {
            subscription: row.id,
            period_start: due_at,
            kind,
            instrument,
            payment,
            at: self.now,
        });
        self.story.count("the saved card was charged");
        Ok(Some(payment))
    }

    fn put_renewal(&mut self, at: Option<Timestamp>) {
        match at {
            Some(at) => self.rows.reschedule(JobKey::Renewal, at),
            None => drop(self.rows.jobs.remove(&JobKey::Renewal)),
        }
    }

    /// As `renewal::catch_up`.
    fn catch_up(&mut self) -> Result<BillingAccount, Broken> {
        let now = self.seconds();
        let mut account = self.account();
        loop {
            let current = account.projection(now, account.waits_since(now));
            if let Some(current) = current.filter(|c| account.stored.as_ref() != Some(&c.row)) {
                self.record(&mut account, &current)?;
                account = self.account();
            }
            let due = account.due_at(now).filter(|_| account.is_covered());
            let (Some(due_at), Some(row)) = (due, &account.stored) else { return Ok(account) };
            let (_, change) = renewal::from_credit(&account, row, due_at).unwrap();
            let source = format!("{}:renewed:{}", row.id, due_at.as_second());
            self.story.count("renewed from the credit");
            self.write(&account, change, &source, None)?;
            account = self.account();
        }
    }

    /// A choice without money. False when it is refused.
    pub fn choose(
        &mut self,
        endpoint: Endpoint,
        (plan_id, cycle): (PlanId, BillingCycle),
    ) -> Result<bool, Broken> {
        let before = self.rows.clone();
        let account = self.catch_up()?;
        let now = self.seconds();
        let input = self.input(&account, (now, account.waits_since(now)));
        let current = input.current.as_ref();
        let target = Target::chosen(current, plan(plan_id), cycle);
        let is_active = current.is_some_and(|s| s.phase == Phase::Active);
        let pending = current.and_then(|s| s.row.pending_change);
        let choice = (target.plan_id, target.cycle);
        let is_repeated = is_active && pending.is_some_and(|p| (p.plan_id, p.cycle) == choice);
        let Ok(pricing) = choose(&input, endpoint, &target, account.open, now) else {
            self.rows = before;
            return Ok(false);
        };
        if is_repeated {
            return Ok(true);
        }
        let facts = ExecutionFacts {
            company_id: COMPANY,
            new_id: SubscriptionId(self.id()),
            at: now,
            paid: Cents::ZERO,
            has_paid: account.has_paid,
        };
        let change = execute(&input, &target, &pricing, &facts);
        let source = self.id().to_string();
        self.story.count("chosen without money");
        self.write(&account, change, &source, None)?;
        Ok(true)
    }

    pub fn withdraw(&mut self) -> Result<(), Broken> {
        self.catch_up()?;
        if let Ok(Some(row)) = withdraw(self.current().as_ref()) {
            self.save(&row);
        }
        Ok(())
    }

    /// The open payment that is closed before a cancellation.
    pub fn payment_to_close(&self, when: EndAt) -> Option<PaymentId> {
        let is_refused = cancel(self.current().as_ref(), when, None, self.seconds()).is_err();
        self.account().open.filter(|_| !is_refused).map(|open| open.payment_id)
    }

    pub fn cancel(&mut self, when: EndAt) -> Result<(), Broken> {
        let before = self.rows.clone();
        let account = self.catch_up()?;
        let now = self.seconds();
        let input = self.input(&account, (now, account.waits_since(now)));
        match cancel(input.current.as_ref(), when, None, now) {
            Ok(Cancellation::Unchanged) => Ok(()),
            Ok(Cancellation::Scheduled(row)) => {
                self.story.count("canceled for later");
                self.save(&row);
                Ok(())
            }
            Ok(Cancellation::Ends) => {
                let row = input.current.as_ref().unwrap().row.clone();
                let change = end_now(&input, &row, now);
                self.rows.forgiven += forgiven(&change.ledger);
                let source = self.id().to_string();
                self.story.count("canceled at once");
                self.write(&account, change, &source, None)
            }
            Err(_) => {
                self.rows = before;
                Ok(())
            }
        }
    }

    /// The provider's list of saved cards takes the place of ours.
    pub fn store_cards(&mut self, saved: &[usize]) -> Result<(), Broken> {
        let keeps_default = self.rows.default_card.is_some_and(|card| saved.contains(&card));
        if !keeps_default && self.rows.cards != saved {
            self.before_cards_change()?;
        }
        self.rows.cards = saved.to_vec();
        self.rows.declined_cards.retain(|card| saved.contains(card));
        if !keeps_default {
            self.rows.default_card = saved.last().copied();
        }
        Ok(())
    }

    pub fn prefer_card(&mut self, card: usize) -> Result<(), Broken> {
        self.before_cards_change()?;
        self.rows.default_card = Some(card);
        self.rows.declined_cards.remove(&card);
        self.story.count("another default card");
        Ok(())
    }

    fn before_cards_change(&mut self) -> Result<(), Broken> {
        self.catch_up()?;
        self.rows.add_job(JobKey::Renewal, self.now);
        Ok(())
    }

    /// As `store::save`.
    pub fn save(&mut self, row: &Subscription) {
        match self.rows.subscriptions.iter_mut().find(|stored| stored.id == row.id) {
            Some(stored) => *stored = row.clone(),
            None => self.rows.subscriptions.push(row.clone()),
        }
        self.put_renewal(ladder::first_check(row, self.seconds()));
    }

    /// As `store::write_passed`.
    pub fn record(
        &mut self,
        account: &mut BillingAccount,
        current: &Projection,
    ) -> Result<(), Broken> {
        for step in &current.passed {
            let mut segments: Vec<Segment> = account.segments.iter().map(|(_, s)| *s).collect();
            let ledger = settle_passed(step, &mut segments, account.balance);
            self.write_segments(account, &segments)?;
            self.rows.forgiven += forgiven(&ledger);
            account.summary.balance += ledger.values().copied().sum();
            let (row, kind) = (current.row.id, step.history.as_str());
            self.story.count(match step.history {
                HistoryType::Suspended => "suspended",
                HistoryType::Expired => "expired",
                _ => "downgraded",
            });
            self.write_credits(&ledger, &format!("{row}:{kind}:{}", step.at.as_second()))?;
        }
        if account.stored.as_ref().is_some_and(|stored| *stored != current.row) {
            self.save(&current.row);
        }
        account.summary.stored = Some(current.row.clone());
        Ok(())
    }

    /// As `store::write`.
    pub fn write(
        &mut self,
        account: &BillingAccount,
        change: Change,
        source: &str,
        payment: Option<PaymentId>,
    ) -> Result<(), Broken> {
        let after = &change.after;
        let had_term = account.stored.as_ref().is_some_and(|row| {
            row.id == after.id && row.term.is_some() && row.status != Status::Expired
        });
        self.save(after);
        if self.planted != Planted::CreditTwice {
            self.write_segments(account, &change.segments)?;
        }
        if let Some(segment) = change.opened {
            let debited = self.rows.debits_of(after.id).map(|debit| debit.segment);
            // a period that was bought ahead and credited as a whole has no time left
            let counts = |s: &Segment| s.from < s.to || s.from <= segment.from;
            let reached = debited.filter(counts).map(|s| s.to).max();
            let follows = !had_term || reached.is_none_or(|end| end == segment.from);
            holds(follows, "a period begins where the one before it ends", || {
                format!("one ends {reached:?}, the next is {segment:?}")
            })?;
            let (id, subscription) = (self.id(), after.id);
            self.rows.debits.push(Debit { id, subscription, segment, payment });
        }
        let paid_end = after.term.map(|term| term.paid_end());
        match (change.renews, change.opened, paid_end) {
            (Some(period_start), ..) => {
                let period = (after.id, period_start);
                let is_new = !self.rows.paid_periods.contains(&period);
                holds(is_new, "a period is paid once", || format!("{period:?} again"))?;
                self.rows.paid_periods.push(period);
            }
            (None, Some(_), Some(from)) => {
                self.rows.paid_periods.retain(|(id, start)| *id != after.id || *start < from);
            }
            _ => {}
        }
        self.rows.has_paid |= change.movement.is_some();
        self.write_credits(&change.ledger, source)
    }

    fn write_segments(
        &mut self,
        account: &BillingAccount,
        after: &[Segment],
    ) -> Result<(), Broken> {
        let credited = account.segments.iter().map(|(_, segment)| segment.credited).sum();
        let given = after.iter().map(|segment| segment.credited).sum::<Cents>() - credited;
        for ((id, before), after) in account.segments.iter().zip(after) {
            let at = self.rows.debits.iter().position(|debit| debit.id == *id).unwrap();
            let returned = self.rows.returned(&self.rows.debits[at]);
            // Before anything is credited, what was credited and went back since is made up for.
            let is_once = after.credited == Cents::ZERO
                || after.credited + returned <= after.paid
                || given == Cents::ZERO && after.credited <= before.credited;
            holds(is_once, "what went back in money is not credited too", || {
                format!("{after:?}, and {returned} went back")
            })?;
            self.rows.debits[at].segment = *after;
        }
        Ok(())
    }

    pub fn write_credits(&mut self, ledger: &Ledger, source: &str) -> Result<(), Broken> {
        for (kind, amount) in ledger.iter().filter(|(_, amount)| **amount != Cents::ZERO) {
            let key = (source.to_owned(), *kind);
            let is_new = self.rows.credits.insert(key, *amount).is_none();
            holds(is_new, "a source is credited once", || format!("{kind:?} of {source} again"))?;
        }
        Ok(())
    }
}

/// What was given up because a subscription ended.
fn forgiven(ledger: &Ledger) -> Cents {
    ledger.get(&CreditKind::Forgiven).copied().unwrap_or_default()
}
