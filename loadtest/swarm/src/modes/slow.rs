//! A hundredth of the readers stops reading: whether the others notice, what a stalled socket costs, and when
//! the server has got rid of it.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::Instant;

use super::{fanout, number};
use crate::Outcome;
use crate::crowd;
use crate::herd::Herd;
use crate::machine;
use crate::report::percentile_ms;
use crate::target::Target;

#[derive(clap::Args, Clone, Debug)]
pub struct Settings {
    /// Readers of the one channel
    #[arg(long, default_value_t = 5_000)]
    pub readers: usize,
    /// Of them stop reading
    #[arg(long, default_value_t = 50)]
    pub stalled: usize,
    /// Seconds of each of the two measured parts
    #[arg(long, default_value_t = 20)]
    pub seconds: u64,
    /// Events a second while the latency is measured
    #[arg(long, default_value_t = 5)]
    pub pace: u64,
}

/// Whoever is not reclaimed by then never is.
const GIVE_UP: Duration = Duration::from_secs(90);
/// So many events are pushed at once, to fill what a stalled socket may fill.
const BURST: u64 = 400;

pub async fn measure(settings: &Settings, target: &Target) -> Outcome<Value> {
    let herd = Arc::new(target.herd(None)?);
    let readers = target.readers(settings.readers).await?;
    crowd::enter(&herd, readers).await?;
    let Settings { readers, stalled, seconds, pace } = settings.clone();
    let paced = fanout::Settings { readers, seconds, at_once: 4, pace };
    // What the first burst leaves behind in the allocator belongs to the healthy readers.
    burst(target, &herd, readers).await?;
    let healthy = fanout::pace(&paced, target, &herd).await?;
    let before = machine::pss(target.pid)?;
    herd.stall(stalled)?;
    let since = Instant::now();
    // At once: who reads nothing answers no ping, and is gone 15 s after the next one.
    burst(target, &herd, readers - stalled).await?;
    let full = machine::pss(target.pid)?;
    let beside = fanout::pace(&paced, target, &herd).await?;
    let mut open = sockets(target).await?;
    while open > readers - stalled && since.elapsed() < GIVE_UP {
        tokio::time::sleep(Duration::from_millis(200)).await;
        open = sockets(target).await?;
    }
    let reclaimed = since.elapsed().as_secs_f64();
    let lost = herd.shared.lost.load(Ordering::Relaxed);
    Arc::into_inner(herd).ok_or("the herd is still in use")?.stop().await?;
    let (calm, busy) = (percentile_ms(&healthy, 990), percentile_ms(&beside, 990));
    let count = number(u64::try_from(stalled)?);
    Ok(json!({
        "p99Ms": calm,
        "p99BesideStalledMs": busy,
        "p99Ratio": busy / calm.max(0.001),
        "kilobytesEachStalled": number(full.saturating_sub(before)) / count,
        "reclaimSeconds": reclaimed,
        "leftOpen": open.saturating_sub(readers - stalled),
        "healthyLost": lost,
    }))
}

async fn burst(target: &Target, herd: &Arc<Herd>, readers: usize) -> Outcome<()> {
    for _ in 0..BURST / 8 {
        let mut last = 0;
        for _ in 0..8 {
            last = target.publish(Instant::now(), &herd.shared).await?;
        }
        fanout::everywhere(herd, last, readers).await?;
    }
    Ok(())
}

/// The server's own count.
async fn sockets(target: &Target) -> Outcome<usize> {
    let text = reqwest::get(format!("http://{}/metrics", target.address)).await?.text().await?;
    let line = text.lines().find(|line| line.starts_with("bipe_live_sockets "));
    let count = line.and_then(|line| line.split(' ').nth(1)).ok_or("no count of sockets")?;
    // A gauge is written as a decimal number.
    Ok(count.split('.').next().unwrap_or_default().parse()?)
}
