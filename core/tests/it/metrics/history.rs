//! A generated past: who was active and who paid when, written as the product writes it, and what follows from it
//! by the definitions alone. No function of the product counts here.

use std::collections::{BTreeMap, BTreeSet};

use bipe_core::brazil::{day_start, days_before};
use bipe_core::db::PlatformTx;
use bipe_core::id::{CompanyId, UserId};
use bipe_core::metrics::{AcquisitionSpend, store};
use bipe_core::money::Cents;
use bipe_core::plan::BillingCycle;
use bipe_core::testing::recount::{Recount, rh};
use bipe_core::user::activity;
use jiff::{SignedDuration, Timestamp};

use super::{Interval, add_plan, add_user, book};

const DAY: i64 = 86_400;

/// Reproducible numbers.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: i64) -> i64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        i64::try_from(self.0 >> 33).unwrap() % end
    }
}

/// When somebody or something was active: open while it still is.
pub type Active = Vec<(Timestamp, Option<Timestamp>)>;

#[derive(Default)]
pub struct History {
    pub intervals: Vec<Interval>,
    pub users: Vec<Active>,
    pub companies: Vec<Active>,
    pub subscriptions: Vec<Active>,
    pub verified: Vec<Timestamp>,
    /// Of everybody but platform admins.
    pub acts: Vec<(UserId, Timestamp)>,
    pub costs: Vec<(AcquisitionSpend, Timestamp, Timestamp)>,
}

impl History {
    pub fn paying(&self, t: Timestamp) -> BTreeSet<CompanyId> {
        let pays = |i: &&Interval| i.from < t && i.to.is_none_or(|to| t <= to);
        self.intervals.iter().filter(pays).map(|i| i.company).collect()
    }
}

impl Recount for History {
    fn users(&self, t: Timestamp) -> i64 {
        active(&self.users, t)
    }

    fn companies(&self, t: Timestamp) -> i64 {
        active(&self.companies, t)
    }

    fn subscriptions(&self, t: Timestamp) -> i64 {
        active(&self.subscriptions, t)
    }

    fn payers(&self, t: Timestamp) -> i64 {
        i64::try_from(self.paying(t).len()).unwrap()
    }

    fn verified(&self, a: Timestamp, b: Timestamp) -> i64 {
        let inside = self.verified.iter().filter(|at| a <= **at && **at < b);
        i64::try_from(inside.count()).unwrap()
    }

    fn arr(&self, t: Timestamp) -> i64 {
        let pays = |i: &&Interval| i.from < t && i.to.is_none_or(|to| t <= to);
        self.intervals.iter().filter(pays).map(Interval::arr).sum()
    }

    fn lost(&self, a: Timestamp, b: Timestamp) -> i64 {
        let after = self.paying(b);
        i64::try_from(self.paying(a).difference(&after).count()).unwrap()
    }

    /// The spend of each month counts by the share of its seconds.
    fn cac(&self, a: Timestamp, b: Timestamp) -> Option<i64> {
        let mut first = BTreeMap::new();
        for interval in &self.intervals {
            let at = first.entry(interval.company).or_insert(interval.from);
            *at = interval.from.min(*at);
        }
        let won = first.values().filter(|at| a <= **at && **at < b).count();
        let won = i128::try_from(won).unwrap();
        let mut spent = Fraction { n: 0, d: 1 };
        for (spend, from, to) in &self.costs {
            let inside = b.min(*to).as_second() - a.max(*from).as_second();
            let amount = i128::from(spend.amount.0) * i128::from(inside.max(0));
            spent = spent.plus(amount, i128::from(to.as_second() - from.as_second()));
        }
        (won > 0).then(|| rh(spent.n, spent.d * won))
    }

    fn gained(&self, a: Timestamp, b: Timestamp) -> (i64, i64) {
        let booked = super::movements(&self.intervals);
        let inside = booked.iter().filter(|(_, at, ..)| a <= *at && *at < b);
        let (mut up, mut down) = (0, 0);
        for (_, _, kind, arr) in inside {
            match *kind {
                "new" | "reactivation" | "expansion" => up += arr,
                _ => down += arr,
            }
        }
        (rh(up.into(), 12), rh(down.into(), 12))
    }

    fn mau(&self, t: Timestamp) -> i64 {
        let since = days_before(t, 30);
        let acts = self.acts.iter().filter(|(_, at)| since <= *at && *at < t);
        i64::try_from(acts.map(|(user, _)| user).collect::<BTreeSet<_>>().len()).unwrap()
    }
}

/// A sum of fractions.
struct Fraction {
    n: i128,
    d: i128,
}

impl Fraction {
    fn plus(self, n: i128, d: i128) -> Self {
        let (n, d) = (self.n * d + n * self.d, self.d * d);
        let (mut a, mut b) = (n.abs().max(1), d);
        while b != 0 {
            (a, b) = (b, a % b);
        }
        if n == 0 { Self { n: 0, d: 1 } } else { Self { n: n / a, d: d / a } }
    }
}

pub fn active(all: &[Active], t: Timestamp) -> i64 {
    let is_active =
        |spans: &&Active| spans.iter().any(|(from, to)| *from < t && to.is_none_or(|to| t <= to));
    i64::try_from(all.iter().filter(is_active).count()).unwrap()
}

/// Spans of activity within the last 500 days, as updates of a row.
fn spans(dice: &mut Dice, now: Timestamp) -> Active {
    let mut at = now - SignedDuration::from_secs(dice.below(500 * DAY) + 1000);
    let mut spans = Vec::new();
    loop {
        let end = at + SignedDuration::from_secs(dice.below(200 * DAY) + 1);
        if end >= now {
            spans.push((at, None));
            return spans;
        }
        spans.push((at, Some(end)));
        at = end + SignedDuration::from_secs(dice.below(100 * DAY) + 1);
        if at >= now {
            return spans;
        }
    }
}

/// Writes the spans as the product's own statements do: a status beside the instant of the change.
async fn switch(tx: &PlatformTx, update: &str, id: uuid::Uuid, spans: &Active, words: [&str; 2]) {
    for (from, to) in spans {
        tx.execute(update, &[&id, &words[0], from]).await.unwrap();
        if let Some(to) = to {
            tx.execute(update, &[&id, &words[1], to]).await.unwrap();
        }
    }
}

async fn people(tx: &PlatformTx, dice: &mut Dice, history: &mut History) {
    let now = tx.now();
    for number in 0..60 {
        let id = UserId::new(tx.clock());
        let role = if number < 4 { "admin" } else { "user" };
        add_user(tx, id, role).await;
        let spans = spans(dice, now);
        let verified = spans[0].0;
        let verify = "UPDATE users SET email_verified_at = $2 WHERE id = $1";
        tx.execute(verify, &[&id, &verified]).await.unwrap();
        let update = "UPDATE users SET status = $2, updated_at = $3 WHERE id = $1";
        switch(tx, update, id.0, &spans, ["active", "inactive"]).await;
        history.users.push(spans);
        history.verified.push(verified);
        let mut at = verified;
        for _ in 0..dice.below(12) {
            activity::note(tx, id, at).await.unwrap();
            if role == "user" {
                history.acts.push((id, at));
            }
            at += SignedDuration::from_secs(dice.below(45 * DAY) + 1);
            if at >= now {
                break;
            }
        }
    }
}

fn paying(dice: &mut Dice, company: CompanyId, now: Timestamp) -> Vec<Interval> {
    let mut from = now - SignedDuration::from_secs(dice.below(450 * DAY) + 1);
    let mut intervals = Vec::new();
    while from < now {
        let price = Cents([4_990, 9_990, 12_725, 44_910][usize::try_from(dice.below(4)).unwrap()]);
        let cycle = BillingCycle::ALL[usize::try_from(dice.below(3)).unwrap()];
        let to = from + SignedDuration::from_secs(dice.below(150 * DAY) + 1);
        let to = Some(to).filter(|to| *to < now);
        intervals.push(Interval { company, price, cycle, from, to });
        let Some(end) = to else { break };
        // Half of the ends are changes of price.
        let pause = if dice.below(2) == 0 { 0 } else { dice.below(90 * DAY) + 1 };
        from = end + SignedDuration::from_secs(pause);
        if pause > 0 && dice.below(3) == 0 {
            break;
        }
        if from >= now {
            intervals.last_mut().unwrap().to = Some(end);
        }
    }
    intervals
}

async fn companies(tx: &PlatformTx, dice: &mut Dice, history: &mut History) {
    let now = tx.now();
    let (owner, plan) = (UserId::new(tx.clock()), add_plan(tx).await);
    add_user(tx, owner, "user").await;
    for _ in 0..50 {
        let company = CompanyId::new(tx.clock());
        let intervals = paying(dice, company, now);
        book(tx, owner, plan, &intervals).await;
        history.intervals.extend(intervals);
        let spans = spans(dice, now);
        let update = "UPDATE companies SET status = $2, updated_at = $3 WHERE id = $1";
        switch(tx, update, company.0, &spans, ["active", "suspended"]).await;
        history.companies.push(spans);
        let (id, spans) = (tx.clock().uuid(), self::spans(dice, now));
        let add = "INSERT INTO subscriptions (id, company_id, plan_id, billing_cycle, price_cents, status, \
             started_at, created_at, updated_at) \
             VALUES ($1, $2, $3, 'monthly', 0, 'pending', '2020-01-01', '2020-01-01', '2020-01-01')";
        tx.execute(add, &[&id, &company, &plan]).await.unwrap();
        let update = "UPDATE subscriptions SET status = $2, updated_at = $3 WHERE id = $1";
        switch(tx, update, id, &spans, ["active", "canceled"]).await;
        history.subscriptions.push(spans);
    }
}

async fn spend(tx: &PlatformTx, history: &mut History) {
    let months = [
        ("2026-08-01", 12_345),
        ("2026-09-01", 0),
        ("2026-10-01", 310_000),
        ("2026-11-01", 150_001),
    ];
    for (first, amount) in months {
        let month: jiff::civil::Date = first.parse().unwrap();
        let next = month.last_of_month().tomorrow().unwrap();
        let spend = AcquisitionSpend { month, amount: Cents(amount) };
        store::set_cost(tx, spend).await.unwrap();
        history.costs.push((spend, day_start(month), day_start(next)));
    }
}

pub async fn generated(tx: &PlatformTx) -> History {
    let (mut dice, mut history) = (Dice(20_261_121), History::default());
    people(tx, &mut dice, &mut history).await;
    companies(tx, &mut dice, &mut history).await;
    spend(tx, &mut history).await;
    history
}
