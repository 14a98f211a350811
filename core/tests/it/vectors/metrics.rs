use std::collections::BTreeMap;

use bipe_core::brazil::instant;
use bipe_core::id::{CompanyId, UserId};
use bipe_core::metrics::{Figure, Interval, Revenue, Spend, active_users};
use bipe_core::money::Cents;
use bipe_core::plan::BillingCycle;
use jiff::civil::Date;
use jiff::{SignedDuration, Span, Timestamp};
use serde::Deserialize;
use serde_json::{Value, json};
use uuid::Uuid;

use super::run;

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

fn row(revenue: Revenue<'_>, month: &str) -> Value {
    let (first, next) = (first_day(month), first_day(month).saturating_add(Span::new().months(1)));
    let row = revenue.month(instant(first.at(0, 0, 0, 0)), instant(next.at(0, 0, 0, 0)));
    let movements: BTreeMap<&str, Cents> =
        row.movements.iter().map(|(kind, sum)| (kind.as_str(), *sum)).collect();
    let net: i64 = movements
        .iter()
        .map(|(kind, sum)| if matches!(*kind, "churn" | "contraction") { -sum.0 } else { sum.0 })
        .sum();
    assert_eq!(row.end_arr.0, row.start_arr.0 + net, "the identity of {month}");
    json!({
        "month": month, "startArr": row.start_arr, "endArr": row.end_arr, "movements": movements,
        "mrr": row.mrr, "newRevenue": row.new_revenue, "churnedRevenue": row.churned_revenue,
        "canceledSubscriptions": row.canceled, "totalSubscriptions": row.total,
        "churnRateBp": row.churn_bp,
    })
}

fn figure(figure: Figure) -> Value {
    json!({
        "value": figure.value, "previous": figure.previous, "changeTenths": figure.change_tenths(),
        "changeType": if figure.is_decrease() { "decrease" } else { "increase" },
    })
}

#[test]
fn metrics_match_the_vectors() {
    run(include_str!("../../vectors/metrics.json"), 30, |input: Input| match input {
        Input::Months { intervals: paying, months } => {
            let intervals = intervals(paying);
            let rows: Vec<Value> =
                months.iter().map(|month| row(Revenue(&intervals), month)).collect();
            json!({"rows": rows})
        }
        Input::Dashboard { intervals: paying, now, days, costs, margin_percent } => {
            let intervals = intervals(paying);
            let costs: Vec<Spend> = costs
                .iter()
                .map(|cost| Spend { month: first_day(&cost.month), amount: cost.cents })
                .collect();
            let window = SignedDuration::from_hours(24 * days);
            let all = Revenue(&intervals).dashboard(&costs, margin_percent, now, window);
            json!({
                "arr": figure(all.arr), "mrr": figure(all.mrr), "churnRateBp": figure(all.churn_bp),
                "ltv": figure(all.ltv), "cac": figure(all.cac), "arpa": figure(all.arpa),
                "payingCompanies": figure(all.paying_companies),
            })
        }
        Input::Mau { now, activity } => {
            let mut names = Names::default();
            let activity = activity.into_iter().map(|a| (UserId(names.id(a.user)), a.at));
            json!(active_users(activity.collect::<Vec<_>>(), now))
        }
    });
}
