//! The figures of the administration area match the golden cases, counted from rows of a real database.

use std::collections::BTreeMap;

use bipe_core::brazil::{day_start, days_before};
use bipe_core::db::PlatformTx;
use bipe_core::id::{CompanyId, UserId};
use bipe_core::metrics::{AcquisitionSpend, Figure, MovementSums, Window, store};
use bipe_core::money::{Cents, Decimal, rh};
use bipe_core::plan::BillingCycle;
use bipe_core::scope::JobScope;
use bipe_core::subscription::MovementKind;
use bipe_core::testing::TestDb;
use bipe_core::user::activity;
use jiff::civil::Date;
use jiff::{Span, Timestamp};
use serde::Deserialize;
use serde_json::{Value, json};
use uuid::Uuid;

use super::{Interval, add_plan, add_user, book};
use crate::vectors::File;

#[derive(Deserialize)]
#[serde(tag = "op", rename_all = "camelCase", rename_all_fields = "camelCase")]
enum Input {
    Months {
        intervals: Vec<Paying>,
        months: Vec<String>,
    },
    Dashboard {
        intervals: Vec<Paying>,
        now: Timestamp,
        days: i64,
        costs: Vec<Cost>,
        margin_percent: i64,
    },
    Mau {
        now: Timestamp,
        activity: Vec<Activity>,
    },
}

#[derive(Deserialize)]
struct Paying {
    company: String,
    price: Cents,
    cycle: BillingCycle,
    from: Timestamp,
    to: Option<Timestamp>,
}

#[derive(Deserialize)]
struct Cost {
    month: String,
    cents: Cents,
}

#[derive(Deserialize)]
struct Activity {
    user: String,
    at: Timestamp,
}

/// Ids for the names of a case, the same name the same id.
#[derive(Default)]
struct Names(BTreeMap<String, u128>);

impl Names {
    fn id(&mut self, name: String) -> Uuid {
        let next = u128::try_from(self.0.len()).unwrap();
        Uuid::from_u128(*self.0.entry(name).or_insert(next))
    }
}

fn intervals(paying: Vec<Paying>) -> Vec<Interval> {
    let mut names = Names::default();
    paying
        .into_iter()
        .map(|p| Interval {
            company: CompanyId(names.id(p.company)),
            price: p.price,
            cycle: p.cycle,
            from: p.from,
            to: p.to,
        })
        .collect()
}

fn first_day(month: &str) -> Date {
    format!("{month}-01").parse().unwrap()
}

async fn window(tx: &PlatformTx, a: Timestamp, b: Timestamp) -> Window {
    let moved = store::movement_sums(tx, &[a, b]).await.unwrap();
    let lost = store::lost(tx, &[(a, b)]).await.unwrap();
    Window { start: moved[&a].clone(), end: moved[&b].clone(), lost: lost[0] }
}

async fn row(tx: &PlatformTx, month: &str) -> Value {
    let (first, next) = (first_day(month), first_day(month).saturating_add(Span::new().months(1)));
    let window = window(tx, day_start(first), day_start(next)).await;
    let moved = window.moved();
    let movements: BTreeMap<&str, Cents> =
        MovementKind::ALL.iter().map(|kind| (kind.as_str(), moved.sum(*kind))).collect();
    let net: i64 = movements
        .iter()
        .map(|(kind, sum)| if matches!(*kind, "churn" | "contraction") { -sum.0 } else { sum.0 })
        .sum();
    assert_eq!(window.end.arr().0, window.start.arr().0 + net, "the identity of {month}");
    json!({
        "month": month, "startArr": window.start.arr(), "endArr": window.end.arr(),
        "movements": movements, "mrr": window.end.mrr(), "newRevenue": window.new_revenue(),
        "churnedRevenue": window.churned_revenue(), "canceledSubscriptions": window.lost,
        "totalSubscriptions": window.start.paying(), "churnRateBp": window.churn().map(|rate| rate.0),
    })
}

fn figure(figure: Figure) -> Value {
    json!({
        "value": figure.value.map(|value| value.0), "previous": figure.previous.map(|value| value.0),
        "changeTenths": figure.change().map(|change| change.0 / 10),
        "changeType": if figure.is_decrease() { "decrease" } else { "increase" },
    })
}

async fn dashboard(
    tx: &PlatformTx,
    now: Timestamp,
    days: i64,
    costs: &[AcquisitionSpend],
    margin: i64,
) -> Value {
    let start = days_before(now, days);
    let before = days_before(start, days);
    let (current, previous) = (window(tx, start, now).await, window(tx, before, start).await);
    let recent = window(tx, days_before(now, 30), now).await;
    let recent_before = window(tx, days_before(start, 30), start).await;
    let level =
        |of: fn(&MovementSums) -> Cents| figure(Figure::of(of(&current.end), of(&current.start)));
    let two = |value, previous| figure(Figure::of_cents(value, previous));
    // Monthly revenue of a paying company, by its definition: no card shows it.
    let arpa = |moved: &MovementSums| {
        let paying = i128::from(moved.paying());
        let revenue = || rh(i128::from(moved.arr().0), 12 * paying);
        (paying > 0).then(|| Cents(i64::try_from(revenue()).unwrap()))
    };
    json!({
        "arr": level(MovementSums::arr), "mrr": level(MovementSums::mrr),
        "payingCompanies":
            figure(Figure::of(Decimal(current.end.paying()), Decimal(current.start.paying()))),
        "arpa": two(arpa(&current.end), arpa(&current.start)),
        "churnRateBp": figure(Figure { value: current.churn(), previous: previous.churn() }),
        "ltv": two(recent.ltv(margin), recent_before.ltv(margin)),
        "cac": two(current.cac(costs, start, now), previous.cac(costs, before, start)),
    })
}

/// The answer to one case, in a transaction that leaves nothing.
async fn answer(tx: &PlatformTx, input: Input) -> Value {
    let (owner, plan) = (UserId(Uuid::from_u128(u128::MAX)), add_plan(tx).await);
    add_user(tx, owner, "user").await;
    match input {
        Input::Months { intervals: paying, months } => {
            book(tx, owner, plan, &intervals(paying)).await;
            let mut rows = Vec::new();
            for month in &months {
                rows.push(row(tx, month).await);
            }
            json!({"rows": rows})
        }
        Input::Dashboard { intervals: paying, now, days, costs, margin_percent } => {
            book(tx, owner, plan, &intervals(paying)).await;
            for cost in &costs {
                let spend = AcquisitionSpend { month: first_day(&cost.month), amount: cost.cents };
                store::set_cost(tx, spend).await.unwrap();
            }
            let costs = store::costs(tx).await.unwrap();
            dashboard(tx, now, days, &costs, margin_percent).await
        }
        Input::Mau { now, activity: acts } => {
            let mut names = Names::default();
            for act in acts {
                let user = UserId(names.id(act.user));
                if tx.query("SELECT FROM users WHERE id = $1", &[&user]).await.unwrap().is_empty() {
                    add_user(tx, user, "user").await;
                }
                activity::note(tx, user, act.at).await.unwrap();
            }
            json!(store::head_counts(tx, &[now]).await.unwrap()[&now].mau)
        }
    }
}

#[tokio::test]
async fn metrics_match_the_vectors() {
    let file: File<Input> =
        serde_json::from_str(include_str!("../../vectors/metrics.json")).unwrap();
    assert_eq!(file.cases.len(), 30, "cases in the file");
    let test = TestDb::new().await;
    let proof = JobScope::of_test();
    let mut wrong = Vec::new();
    for case in file.cases {
        let tx = test.db.platform_tx(&proof).await.unwrap();
        let got = answer(&tx, case.input).await;
        tx.rollback().await.unwrap();
        if got != case.expected {
            wrong.push(format!("{}\n  got      {got}\n  expected {}", case.name, case.expected));
        }
    }
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
}
