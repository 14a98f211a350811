//! Where a subscription stands, and the sentence of the mails, match the golden cases, which the web app reads too.

use bipe_core::id::{CompanyId, PlanId, SubscriptionId};
use bipe_core::mail_pt_br::state::sentence;
use bipe_core::money::Cents;
use bipe_core::payment_method::CardName;
use bipe_core::plan::BillingCycle;
use bipe_core::subscription::projection::project;
use bipe_core::subscription::state::{StateFacts, StateView};
use bipe_core::subscription::{PricedPlan, Status, Subscription, Term};
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Value, json};
use uuid::Uuid;

use super::{Case, File, run};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Input {
    status: Status,
    now: Timestamp,
    cycle: BillingCycle,
    price: i64,
    paid_from: Option<Timestamp>,
    paid_months: Option<i32>,
    end_at: Option<Timestamp>,
    pending_change: Option<Pending>,
    #[serde(default)]
    balance: i64,
    #[serde(default)]
    settles_itself: bool,
    card: Option<CardName>,
    open_since: Option<Timestamp>,
    #[serde(default)]
    is_off_sale: bool,
}

#[derive(Deserialize)]
struct Pending {
    price: i64,
}

impl Input {
    fn row(&self) -> Subscription {
        let plan = |price| PricedPlan { plan_id: PlanId(Uuid::nil()), cycle: self.cycle, price };
        let (id, company) = (SubscriptionId(Uuid::nil()), CompanyId(Uuid::nil()));
        let term = self.paid_from.map(|from| Term::starting(from, self.cycle));
        Subscription {
            status: self.status,
            term: term.map(|t| Term { paid_until: self.paid_months.unwrap_or(t.paid_until), ..t }),
            end_at: self.end_at,
            canceled_at: (self.status == Status::Canceled).then_some(self.now),
            pending_change: self.pending_change.as_ref().map(|change| plan(Cents(change.price))),
            ..Subscription::pending(id, company, plan(Cents(self.price)), self.now)
        }
    }
}

const CASES: &str = include_str!("../../vectors/subscription_state.json");

fn state(input: &Input, is_active: bool) -> StateView {
    let facts = StateFacts {
        balance: Cents(input.balance),
        settles_itself: input.settles_itself,
        card: input.card.clone(),
        is_active,
        is_sold: !input.is_off_sale,
    };
    StateView::of(&project(input.row(), input.now, input.open_since), facts, input.now)
}

#[test]
fn a_state_and_its_sentence_match_the_vectors() {
    run(CASES, 31, |input: Input| -> Value {
        let state = state(&input, true);
        let amount = state.amount.map(|amount| amount.0);
        let sentence = sentence(state.kind, state.deadline, amount);
        json!({ "state": state, "sentence": sentence })
    });
}

#[test]
fn nothing_can_be_done_where_the_platform_suspended_the_company() {
    let file: File<Input> = serde_json::from_str(CASES).unwrap();
    for Case { name, input, .. } in file.cases {
        let barred = StateView { action: None, ..state(&input, true) };
        assert_eq!(state(&input, false), barred, "{name}");
    }
}
