//! A year of a demo: every card and every row of months against the raw rows (`raw`), the books day by day, and the
//! same year from the same seed. And what `--load` refuses and adds (`load`).

mod load;
mod raw;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use bipe_core::brazil;
use bipe_core::clock::Clock;
use bipe_core::metrics::period::Period;
use bipe_core::metrics::store;
use bipe_core::scope::JobScope;
use bipe_core::testing::TestDb;
use bipe_core::testing::recount::{Recount, compare_cards, compare_months};
use bipe_http::seed::demo::{DemoEnvironment, DemoResult, DemoSize};
use bipe_testkit::config;
use jiff::{SignedDuration, Timestamp, ToSpan};
use tokio_postgres::Client;
use uuid::Uuid;

use self::raw::Raw;

/// What each company pays a year by its subscription's row.
type Paying = BTreeMap<Uuid, i64>;

async fn paying(owner: &Client) -> Paying {
    let sql = "SELECT company_id, price_cents * CASE billing_cycle WHEN 'monthly' THEN 12 WHEN 'quarterly' THEN 4 \
         ELSE 1 END FROM subscriptions WHERE status IN ('active', 'canceled') AND anchor_local IS NOT NULL";
    owner.query(sql, &[]).await.unwrap().iter().map(|row| (row.get(0), row.get(1))).collect()
}

struct Year {
    test: TestDb,
    result: DemoResult,
    end: Timestamp,
    /// Who paid on each day, when everything due was done.
    days: Vec<(Timestamp, Paying)>,
}

async fn year(seed: u64, companies: usize) -> Year {
    let end = "2026-11-21T15:00:00Z".parse().unwrap();
    let size = DemoSize { seed, companies, end };
    let mut test = TestDb::with_clock(Clock::fixed(size.begin(), seed)).await;
    let data_dir = std::env::temp_dir().join(format!("bipe-year-{}", Clock::system().uuid()));
    let config = config(&["--data-dir", data_dir.to_str().unwrap()]);
    let owner = Arc::new(test.owner().await);
    let days = Arc::new(Mutex::new(Vec::new()));
    let environment = DemoEnvironment::open(&config, test.opened()).await.unwrap();
    let each_day = async |at| {
        let today = paying(&owner).await;
        days.lock().unwrap().push((at, today));
    };
    let result = environment.run(size, each_day).await.unwrap();
    let days = std::mem::take(&mut *days.lock().unwrap());
    std::fs::remove_dir_all(data_dir).unwrap();
    Year { test, result, end, days }
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
    let tx = year.test.db.platform_tx(&JobScope::of_test()).await.unwrap();
    let moved = store::movement_sums(&tx, &midnights).await.unwrap();
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
    assert_eq!(year.result.findings, 0);
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
    let sql = "SELECT count(*) FROM users u WHERE last_login_at IS NOT NULL AND 3 > (SELECT count(DISTINCT action) \
         FROM audit_entries WHERE actor_id = u.id \
         AND action IN ('user.register', 'user.verify_email', 'session.start'))";
    let untold: i64 = owner.query_one(sql, &[]).await.unwrap().get(0);
    assert_eq!(untold, 0, "the audit tells who signed up and in");
    let sql = "SELECT count(*) FROM payments p WHERE method = 'CREDIT_CARD' \
         AND NOT EXISTS (SELECT FROM renewal_consents c WHERE c.company_id = p.company_id)";
    let unasked: i64 = owner.query_one(sql, &[]).await.unwrap().get(0);
    assert_eq!(unasked, 0, "whoever saves a card agrees to the renewals");
    compare_days(&year, &raw);
    compare_midnights(&year, &raw).await;
    let tx = year.test.db.platform_tx(&JobScope::of_test()).await.unwrap();
    let period = |label| Period::parse(Some(label), (None, None), year.end).unwrap();
    for label in ["7d", "30d", "90d", "1y"] {
        compare_cards(&tx, period(label), &raw).await;
    }
    compare_months(&tx, &period("1y"), &raw).await;
}

/// What happened, by names instead of ids.
async fn story(year: &Year) -> Vec<String> {
    let sql = "SELECT concat_ws(' ', 'moved', c.name, m.kind, m.arr_cents, m.at) FROM movements m \
         JOIN companies c ON c.id = m.company_id UNION ALL SELECT concat_ws(' ', 'paid', c.name, p.method, p.state, \
         p.amount_cents, p.created_at) FROM payments p JOIN companies c ON c.id = p.company_id UNION ALL \
         SELECT concat_ws(' ', 'joined', c.name, u.email, m.role, m.created_at) FROM members m \
         JOIN companies c ON c.id = m.company_id AND c.created_by <> m.user_id \
         JOIN users u ON u.id = m.user_id UNION ALL \
         SELECT concat_ws(' ', 'seen', email, created_at, last_login_at) FROM users ORDER BY 1";
    let rows = year.test.owner().await.query(sql, &[]).await.unwrap();
    rows.iter().map(|row| row.get(0)).collect()
}

#[actix_web::test]
async fn the_same_seed_makes_the_same_year() {
    let (one, two) = (year(11, 4).await, year(11, 4).await);
    let told = story(&one).await;
    assert!(told.len() > 20, "{told:#?}");
    assert!(told.iter().any(|line| line.starts_with("joined")), "nobody follows an invitation");
    assert_eq!(told, story(&two).await);
}
