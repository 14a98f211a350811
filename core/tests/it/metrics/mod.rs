//! The platform's figures against the golden vectors and against a recount from the rows themselves.

mod history;
mod live;
mod recount;
mod vectors;

use bipe_core::db::{PlatformTx, Tx};
use bipe_core::id::{CompanyId, PlanId, UserId};
use bipe_core::money::Cents;
use bipe_core::plan::BillingCycle;
use jiff::Timestamp;

/// A company paying one price, `(from, to]`; one that begins where another of the same company ends is a change
/// of price.
#[derive(Clone, Copy, Debug)]
pub struct Interval {
    pub company: CompanyId,
    pub price: Cents,
    pub cycle: BillingCycle,
    pub from: Timestamp,
    pub to: Option<Timestamp>,
}

impl Interval {
    pub fn arr(&self) -> i64 {
        let periods = match self.cycle {
            BillingCycle::Monthly => 12,
            BillingCycle::Quarterly => 4,
            BillingCycle::Yearly => 1,
        };
        self.price.0 * periods
    }
}

/// What is booked for the intervals: instant, kind, yearly centavos.
pub fn movements(intervals: &[Interval]) -> Vec<(CompanyId, Timestamp, &'static str, i64)> {
    let mut all = intervals.to_vec();
    all.sort_by_key(|interval| (interval.company, interval.from));
    let mut booked = Vec::new();
    for (index, interval) in all.iter().enumerate() {
        let before = index.checked_sub(1).map(|before| all[before]);
        let before = before.filter(|before| before.company == interval.company);
        let step = match before {
            None => Some(("new", interval.arr())),
            Some(before) if before.to != Some(interval.from) => {
                Some(("reactivation", interval.arr()))
            }
            Some(before) if interval.arr() > before.arr() => {
                Some(("expansion", interval.arr() - before.arr()))
            }
            Some(before) if interval.arr() < before.arr() => {
                Some(("contraction", before.arr() - interval.arr()))
            }
            Some(_) => None,
        };
        booked.extend(step.map(|(kind, arr)| (interval.company, interval.from, kind, arr)));
        let goes_on = all
            .get(index + 1)
            .is_some_and(|next| next.company == interval.company && Some(next.from) == interval.to);
        if let Some(to) = interval.to.filter(|_| !goes_on) {
            booked.push((interval.company, to, "churn", interval.arr()));
        }
    }
    booked
}

pub async fn add_user(tx: &Tx, id: UserId, role: &str) {
    let insert = "INSERT INTO users (id, name, email, document, phone, birth_date, password_hash, role, \
         created_at, updated_at) VALUES ($1, 'Ana Souza', $1::uuid::text, $1::uuid::text, '', '1990-01-01', '', \
         $2, '2020-01-01', '2020-01-01')";
    tx.execute(insert, &[&id, &role]).await.unwrap();
}

pub async fn add_plan(tx: &Tx) -> PlanId {
    let id = PlanId::new(tx.clock());
    let insert = "INSERT INTO plans (id, name, display_name, description, features, is_free, monthly_cents, \
         quarterly_cents, yearly_cents, max_users, max_beeping, created_at, updated_at) \
         VALUES ($1, $1::uuid::text, 'Plano', '', '{}', false, 1, 1, 1, 1, 1, '2020-01-01', '2020-01-01')";
    tx.execute(insert, &[&id]).await.unwrap();
    id
}

/// Each company and its movements.
pub async fn book(tx: &PlatformTx, owner: UserId, plan: PlanId, intervals: &[Interval]) {
    let mut companies: Vec<CompanyId> = intervals.iter().map(|i| i.company).collect();
    companies.sort_unstable();
    companies.dedup();
    let add = "INSERT INTO companies (id, name, created_by, status, max_users, max_beeping, created_at, updated_at) \
         VALUES ($1, 'Ponto', $2, 'inactive', 1, 1, '2020-01-01', '2020-01-01')";
    for company in companies {
        tx.execute(add, &[&company, &owner]).await.unwrap();
    }
    let move_ = "INSERT INTO movements (id, company_id, kind, arr_cents, plan_id, at) VALUES ($1, $2, $3, $4, $5, $6)";
    for (company, at, kind, arr) in movements(intervals) {
        let id = tx.clock().uuid();
        tx.execute(move_, &[&id, &company, &kind, &arr, &plan, &at]).await.unwrap();
    }
}
