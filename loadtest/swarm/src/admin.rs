//! `bipe-swarm admin`: what the platform admin's API takes with thousands of companies and years of history, one
//! request after the other; and how long a figure takes from its commit to the admin's socket.

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::time::{Instant, sleep, timeout};

use crate::Outcome;
use crate::account::{self, Account};
use crate::page::Lines;
use crate::report::percentile;
use crate::server::Server;
use crate::socket::{self, Connection};

#[derive(clap::Args, Clone, Debug)]
pub struct Settings {
    #[command(flatten)]
    history: History,
    /// Requests of each kind
    #[arg(long, default_value_t = 200)]
    timed: usize,
    /// Commits whose figure is waited for
    #[arg(long, default_value_t = 30)]
    commits: usize,
}

/// What the database is filled with.
#[derive(clap::Args, Clone, Debug)]
pub struct History {
    #[arg(long, default_value_t = 5000)]
    companies: u32,
    /// Members of each company
    #[arg(long, default_value_t = 4)]
    members: u16,
    /// Years of history
    #[arg(long, default_value_t = 3)]
    years: u16,
}

/// The admin that a development server begins with.
const ADMIN: (&str, &str) = ("admin@bipe.localhost", "Bipe#Demo2026");
const WARM_UP: usize = 5;
const LIVE: Duration = Duration::from_millis(700);
const TIMEOUT: Duration = Duration::from_secs(30);
/// Figures that did not change for so long are those of all commits so far.
const QUIET: Duration = Duration::from_secs(3);
/// What is asked, and how long the median may take in milliseconds.
const ASKED: [(&str, &str, u64); 14] = [
    ("dashboard, 30 days", "analytics/dashboard?period=30d", 50),
    ("dashboard, a year", "analytics/dashboard?period=1y", 50),
    ("MRR by month", "analytics/metrics/mrr?period=1y", 100),
    ("ARR by month", "analytics/metrics/arr?period=1y", 100),
    ("churn by month", "analytics/metrics/churn?period=1y", 100),
    ("users by month", "analytics/metrics/mau?period=1y", 100),
    ("activity", "analytics/activity", 100),
    ("users, first page", "users", 50),
    ("users, a common name", "users?search=souza", 50),
    ("users, one address", "users?search=carga321%40", 50),
    ("companies, a common name", "companies?search=norte", 50),
    ("payments, first page", "payments", 50),
    ("payments, some companies", "payments?search=321", 50),
    ("payments, a common name", "payments?search=norte", 50),
];
const REVENUE: &str = "analytics/metrics/revenue";

pub async fn run(settings: &Settings, server: &Server, bipe: &Path) -> Outcome<Lines> {
    let mut lines = Lines::new("`make bench-admin`");
    lines.say(fill(&settings.history, server, bipe).await?);
    let admin = account::sign_in(&server.url, ADMIN).await?;
    for (what, path, goal) in ASKED {
        let times = time(&admin, path, settings.timed).await?;
        report(&mut lines, what, &times, (500, Duration::from_millis(goal)));
    }
    let times = time(&admin, &three_years(&admin).await?, settings.timed).await?;
    report(&mut lines, "revenue, three years", &times, (500, Duration::from_millis(100)));
    let times = live(&admin, server, settings.commits).await?;
    report(&mut lines, "live figure", &times, (1000, LIVE));
    Ok(lines)
}

/// What the database holds now.
pub async fn fill(history: &History, server: &Server, bipe: &Path) -> Outcome<String> {
    let History { companies, members, years } = *history;
    let begun = Instant::now();
    let flags = [("--load", companies), ("--people", members.into()), ("--years", years.into())];
    server.seed(bipe, &flags).await?;
    let people = companies * u32::from(members);
    let took = begun.elapsed().as_secs_f64();
    Ok(format!("{companies} companies, {people} people, {years} years of history in {took:.1} s"))
}

/// One line, and its goal for one percentile.
pub fn report(lines: &mut Lines, what: &str, times: &[Duration], (share, goal): (usize, Duration)) {
    let [p50, p95, most] = [500, 950, 1000].map(|p| percentile(times, p).as_secs_f64() * 1_000.0);
    let goal_ms = goal.as_millis();
    lines.say(format!(
        "{what:<26} p50 {p50:7.1}  p95 {p95:7.1}  max {most:7.1} ms  (goal p{} {goal_ms} ms)",
        share / 10
    ));
    let holds = !times.is_empty() && percentile(times, share) <= goal;
    lines.goal(holds, format!("{what} takes longer than {goal_ms} ms"));
}

/// Every answer must be good, and every list must have found something.
async fn time(admin: &Account, path: &str, count: usize) -> Outcome<Vec<Duration>> {
    let path = format!("/api/admin/{path}");
    let mut times = Vec::new();
    for n in 0..WARM_UP + count {
        let begun = Instant::now();
        let answer = admin.get(&path).await?;
        if n >= WARM_UP {
            times.push(begun.elapsed());
        }
        if answer.get("total") == Some(&json!(0)) {
            return Err(format!("{path} finds nothing").into());
        }
    }
    times.sort_unstable();
    Ok(times)
}

/// Revenue of this year and the two before; the server says which year it is.
async fn three_years(admin: &Account) -> Outcome<String> {
    let data = admin.get(&format!("/api/admin/{REVENUE}?period=7d")).await?;
    let rows = data.get("rows").and_then(Value::as_array).ok_or("no rows")?;
    let month = rows.last().and_then(|row| row.get("month")).and_then(Value::as_str);
    let year = month.and_then(|month| month.get(..4)).ok_or("no month")?.parse::<u16>()?;
    Ok(format!("{REVENUE}?startDate={}-01-01&endDate={year}-12-31", year.saturating_sub(2)))
}

/// From the answer to a new company until the admin's socket has it counted.
async fn live(admin: &Account, server: &Server, commits: usize) -> Outcome<Vec<Duration>> {
    let founder = account::open(&server.url, 1).await?.into_iter().next().ok_or("no account")?;
    let ticket = admin.ticket().await?;
    let connection = socket::connect(&server.url, &ticket, &["admin/metrics".into()]).await?;
    let (told, mut counted) = watch::channel(0);
    let following = tokio::spawn(follow(connection, told));
    timeout(TIMEOUT, counted.wait_for(|count| *count > 0)).await??;
    // The founder's own company is counted, too.
    while timeout(QUIET, counted.changed()).await.is_ok() {}
    let mut times = Vec::new();
    for n in 0..commits {
        let wanted = *counted.borrow() + 1;
        founder.create_company(n).await?;
        let begun = Instant::now();
        let reached = timeout(TIMEOUT, counted.wait_for(|count| *count >= wanted)).await;
        reached.map_err(|_| "a figure never came")??;
        times.push(begun.elapsed());
        // At another moment of the server's looks each time.
        sleep(Duration::from_millis(1_000 + 37 * u64::try_from(n % 20)?)).await;
    }
    following.abort();
    times.sort_unstable();
    Ok(times)
}

/// Tells the number of companies that the socket shows; ends with the socket.
async fn follow(mut connection: Connection, told: watch::Sender<i64>) -> Outcome<()> {
    loop {
        for envelope in connection.next(|_| {}).await? {
            let value = envelope.pointer("/data/metrics/totalCompanies/value");
            if let Some(count) = value.and_then(Value::as_i64) {
                told.send_if_modified(|shown| std::mem::replace(shown, count) != count);
            }
        }
    }
}
