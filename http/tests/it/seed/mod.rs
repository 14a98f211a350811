//! A year of a demo: every card and every row of months against the raw rows (`raw`), the books day by day, and the
//! same year from the same seed. And what `--load` refuses and adds (`load`).

mod load;
mod raw;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use bipe_core::brazil;
use bipe_core::clock::Clock;
use bipe_core::metrics::period::{Month, Period};
use bipe_core::metrics::view::{Metric, MetricChange};
use bipe_core::metrics::{report, store};
use bipe_core::scope::JobScope;
use bipe_core::testing::TestDb;
use bipe_http::seed::demo::{Played, Script, Theatre};
use jiff::{SignedDuration, Timestamp, ToSpan};
use tokio_postgres::Client;
use uuid::Uuid;

use self::raw::{Raw, rh};
use crate::app::config;

/// What each company pays a year by its subscription's row.
type Paying = BTreeMap<Uuid, i64>;

async fn paying(owner: &Client) -> Paying {
    let sql = "SELECT company_id, price_cents * CASE billing_cycle WHEN 'monthly' THEN 12 WHEN 'quarterly' THEN 4 \
         ELSE 1 END FROM subscriptions WHERE status IN ('active', 'canceled') AND anchor_local IS NOT NULL";
    owner.query(sql, &[]).await.unwrap().iter().map(|row| (row.get(0), row.get(1))).collect()
}

struct Year {
    test: TestDb,
    played: Played,
    end: Timestamp,
    /// Who paid on each day, when everything due was done.
    days: Vec<(Timestamp, Paying)>,
}

async fn year(seed: u64, companies: usize) -> Year {
    let end = "2026-11-21T15:00:00Z".parse().unwrap();
    let script = Script { seed, companies, end };
    let test = TestDb::with_clock(Clock::fixed(script.begin(), seed)).await;
    let data_dir = std::env::temp_dir().join(format!("bipe-year-{}", Clock::system().uuid()));
    let config = config(&["--data-dir", data_dir.to_str().unwrap()]);
    let owner = Arc::new(test.owner().await);
    let days = Arc::new(Mutex::new(Vec::new()));
    let theatre = Theatre::open(&config, test.db.clone()).await.unwrap();
    let each_day = async |at| {
        let today = paying(&owner).await;
        days.lock().unwrap().push((at, today));
    };
    let played = theatre.play(script, each_day).await.unwrap();
    let days = std::mem::take(&mut *days.lock().unwrap());
    std::fs::remove_dir_all(data_dir).unwrap();
    Year { test, played, end, days }
}

/// Value, change in tenths of a percent and direction, beside what they must be.
fn compare(name: &str, metric: &Metric, scale: i64, value: Option<i64>, previous: Option<i64>) {
    let shown = metric.value.map(|value| value.0);
    assert_eq!(shown, value.map(|value| value * scale), "value of {name}");
    let change = match (value, previous) {
        (Some(value), Some(previous)) if previous != 0 => {
            Some(rh(1000 * i128::from(value - previous), previous.into()) * 10)
        }
        _ => None,
    };
    assert_eq!(metric.change.map(|change| change.0), change, "change of {name}");
    let fell = matches!((value, previous), (Some(value), Some(previous)) if value < previous);
    assert_eq!(metric.change_type == MetricChange::Decrease, fell, "direction of {name}");
}

async fn compare_cards(year: &Year, raw: &Raw) {
    let tx = year.test.db.platform_tx(&JobScope::of_this_process()).await.unwrap();
    for label in ["7d", "30d", "90d", "1y"] {
        let period = Period::parse(Some(label), (None, None), year.end).unwrap();
        let (start, end) = (period.start, period.end);
        let before = start - end.duration_since(start);
        let cards = report::facts(&tx, period).await.unwrap().cards();
        let level = |name: &str, metric: &Metric, scale, of: &dyn Fn(Timestamp) -> i64| {
            compare(&format!("{name} in {label}"), metric, scale, Some(of(end)), Some(of(start)));
        };
        level("totalUsers", &cards.total_users, 100, &|t| raw.users(t));
        level("totalCompanies", &cards.total_companies, 100, &|t| raw.companies(t));
        level("totalSubscriptions", &cards.total_subscriptions, 100, &|t| raw.subscriptions(t));
        level("mau", &cards.mau, 100, &|t| raw.mau(t));
        level("mrr", &cards.mrr, 1, &|t| raw.mrr(t));
        level("arr", &cards.arr, 1, &|t| raw.arr(t));
        compare("churn", &cards.churn, 1, raw.churn(start, end), raw.churn(before, start));
        compare("ltv", &cards.ltv, 1, raw.ltv(end), raw.ltv(start));
        compare("cac", &cards.cac, 1, raw.cac(start, end), raw.cac(before, start));
    }
}

async fn compare_months(year: &Year, raw: &Raw) {
    let tx = year.test.db.platform_tx(&JobScope::of_this_process()).await.unwrap();
    let period = Period::parse(Some("1y"), (None, None), year.end).unwrap();
    let months = period.months();
    let revenue = report::revenue_rows(&tx, &period).await.unwrap();
    let churn = report::churn_rows(&tx, &period).await.unwrap();
    let users = report::user_rows(&tx, &period).await.unwrap();
    assert_eq!([months.len(), revenue.len(), churn.len(), users.len()], [13; 4]);
    for (index, Month { start, end, first }) in months.into_iter().enumerate() {
        let name = first.strftime("%Y-%m").to_string();
        let (row, gained) = (&revenue[index], raw.gained(start, end));
        assert_eq!((&row.month, row.mrr.0.0), (&name, raw.mrr(end)));
        assert_eq!((row.new_revenue.0.0, row.churned_revenue.0.0), gained, "{name}");
        let row = &churn[index];
        let cohort = i64::try_from(raw.paying(start).len()).unwrap();
        assert_eq!(
            (row.canceled_subscriptions, row.total_subscriptions),
            (raw.lost(start, end), cohort)
        );
        assert_eq!(row.churn_rate.map(|rate| rate.0), raw.churn(start, end), "{name}");
        let row = &users[index];
        let counted = (row.mau, row.new_users, row.active_users);
        assert_eq!(counted, (raw.mau(end), raw.verified(start, end), raw.users(end)), "{name}");
    }
}

/// The rows of the subscriptions say every day what the movements that were written by then add up to, so what
/// moved between two days is what the revenue grew by.
fn compare_days(year: &Year, raw: &Raw) {
    assert!(year.days.len() > 250, "{} days", year.days.len());
    let (mut before, mut since) = (0, Timestamp::MIN);
    for (at, rows) in &year.days {
        assert_eq!(&raw.replay(|step| step.written <= *at), rows, "{at}");
        let today = |step: &&raw::Move| since < step.written && step.written <= *at;
        let moved: i64 = raw.moves.iter().filter(today).map(raw::Move::signed).sum();
        let now = rows.values().sum();
        assert_eq!(before + moved, now, "{at}");
        (before, since) = (now, *at);
    }
}

/// The product's own levels at each midnight move by exactly what is booked between them.
async fn compare_midnights(year: &Year, raw: &Raw) {
    let last = brazil::local_date(year.end);
    let midnights: Vec<Timestamp> =
        (0..=366).map(|back| brazil::day_start(last.saturating_sub(back.days()))).collect();
    let tx = year.test.db.platform_tx(&JobScope::of_this_process()).await.unwrap();
    let moved = store::moved(&tx, &midnights).await.unwrap();
    let mut before = None;
    for (at, levels) in &moved {
        assert_eq!(levels.arr().0, raw.arr(*at), "{at}");
        if let Some((since, arr)) = before {
            let inside = raw.moves.iter().filter(|step| since <= step.at && step.at < *at);
            assert_eq!(arr + inside.map(raw::Move::signed).sum::<i64>(), levels.arr().0, "{at}");
        }
        before = Some((*at, levels.arr().0));
    }
}

#[actix_web::test]
async fn a_seeded_year_shows_what_its_raw_rows_add_up_to() {
    let year = year(7, 40).await;
    assert_eq!(year.played.findings, 0);
    let owner = year.test.owner().await;
    let raw = Raw::read(&owner).await;
    let kinds: BTreeMap<&str, usize> = raw.moves.iter().fold(BTreeMap::new(), |mut kinds, step| {
        *kinds.entry(step.kind.as_str()).or_default() += 1;
        kinds
    });
    assert_eq!(kinds.len(), 5, "a year has every kind of movement: {kinds:?}");
    assert_eq!(paying(&owner).await, raw.paying(year.end + SignedDuration::from_secs(1)));
    let month_ago = year.end - SignedDuration::from_hours(720);
    let sql = "SELECT count(DISTINCT user_id) FROM sessions s JOIN users u ON u.id = s.user_id \
         WHERE s.created_at >= $1 AND s.created_at < $2 AND u.role <> 'admin'";
    let seen: i64 = owner.query_one(sql, &[&month_ago, &year.end]).await.unwrap().get(0);
    assert_eq!(raw.mau(year.end), seen, "the sign-ins of the last month");
    compare_days(&year, &raw);
    compare_midnights(&year, &raw).await;
    compare_cards(&year, &raw).await;
    compare_months(&year, &raw).await;
}

/// What happened, by names instead of ids.
async fn story(year: &Year) -> Vec<String> {
    let sql = "SELECT concat_ws(' ', 'moved', c.name, m.kind, m.arr_cents, m.at) FROM movements m \
         JOIN companies c ON c.id = m.company_id UNION ALL SELECT concat_ws(' ', 'paid', c.name, p.method, p.state, \
         p.amount_cents, p.created_at) FROM payments p JOIN companies c ON c.id = p.company_id UNION ALL \
         SELECT concat_ws(' ', 'seen', email, created_at, last_login_at) FROM users ORDER BY 1";
    let rows = year.test.owner().await.query(sql, &[]).await.unwrap();
    rows.iter().map(|row| row.get(0)).collect()
}

#[actix_web::test]
async fn the_same_seed_makes_the_same_year_and_another_one_another() {
    let (one, two, other) = (year(11, 4).await, year(11, 4).await, year(12, 4).await);
    let told = story(&one).await;
    assert!(told.len() > 20, "{told:#?}");
    assert_eq!(told, story(&two).await);
    assert_ne!(told, story(&other).await);
}
