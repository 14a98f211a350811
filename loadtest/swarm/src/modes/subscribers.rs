//! The whole way at a steady rate: companies commit once a second each, through the REST API, and every one of
//! their readers is told. Server, PostgreSQL and generator share the machine as they like.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::Instant;

use super::{Temporary, number};
use crate::Outcome;
use crate::crowd;
use crate::herd::log;
use crate::herd::speech::Memory;
use crate::report::percentile_ms;
use crate::target::Target;

#[derive(clap::Args, Clone, Debug)]
pub struct Settings {
    /// Readers, spread evenly over the companies
    #[arg(long, default_value_t = 10_000)]
    pub subscribers: usize,
    /// Companies, each of which commits once a second
    #[arg(long, default_value_t = 100)]
    pub companies: usize,
    /// Seconds of measuring, after five of warming up
    #[arg(long, default_value_t = 20)]
    pub seconds: u64,
}

const WARM_UP: u64 = 5;

pub async fn measure(
    settings: &Settings,
    companies: &[Target],
    crowd: Vec<Memory>,
) -> Outcome<Value> {
    let target = companies.first().ok_or("no target")?;
    let (told, sockets) = (Temporary::of("subscribers"), crowd.len());
    let herd = target.herd(Some(told.path().to_owned()))?;
    let herd = Arc::new(herd);
    crowd::enter(&herd, crowd).await?;
    let start = Instant::now() + Duration::from_millis(200);
    let gap = Duration::from_secs(1) / u32::try_from(companies.len())?;
    let mut committing = Vec::new();
    for second in 0..WARM_UP + settings.seconds {
        for (at, company) in (0_u32..).zip(companies) {
            let due = start + Duration::from_secs(second) + gap * at;
            tokio::time::sleep_until(due).await;
            if second == WARM_UP && at == 0 {
                herd.measure(due);
            }
            let (company, herd) = (company.clone(), herd.clone());
            committing.push(tokio::spawn(async move { company.publish(due, &herd.shared).await }));
        }
    }
    let mut failed = 0_u64;
    for commit in committing {
        failed += u64::from(commit.await?.is_err());
    }
    // What is still on its way arrives.
    tokio::time::sleep(Duration::from_secs(2)).await;
    let times = herd.measured();
    Arc::into_inner(herd).ok_or("the herd is still in use")?.stop().await?;
    let found = log::check(told.path())?;
    let wanted = number(u64::try_from(sockets)? * settings.seconds);
    let arrived = number(u64::try_from(times.len())?);
    Ok(json!({
        "subscribers": sockets,
        "updatesPerSecond": arrived / number(settings.seconds),
        "arrivedShare": arrived / wanted,
        "p50Ms": percentile_ms(&times, 500),
        "p99Ms": percentile_ms(&times, 990),
        "maxMs": percentile_ms(&times, 1000),
        "failedCommits": failed,
        "gaps": found.gaps,
        "duplicates": found.duplicates,
    }))
}
