//! One channel, thousands of readers: how many deliveries a second a core carries, and how late an event is
//! at its readers when the next ones come at a fixed pace.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::Instant;

use super::{Temporary, number};
use crate::Outcome;
use crate::crowd;
use crate::herd::speech::Speech;
use crate::herd::{Herd, log};
use crate::machine;
use crate::report::percentile_ms;
use crate::target::Target;

#[derive(clap::Args, Clone, Debug)]
pub struct Settings {
    /// Readers of the one channel
    #[arg(long, default_value_t = 5_000)]
    pub readers: usize,
    /// Seconds of each part, after two of warming up
    #[arg(long, default_value_t = 8)]
    pub seconds: u64,
    /// Events that are on their way at once while the rate is measured
    #[arg(long, default_value_t = 4)]
    pub at_once: usize,
    /// Events a second while the latency is measured, the same for everybody
    #[arg(long, default_value_t = 20)]
    pub pace: u64,
}

const WARM_UP: Duration = Duration::from_secs(2);
/// An event that is not everywhere by then is lost.
const LOST: Duration = Duration::from_secs(30);

pub async fn measure(settings: &Settings, target: &Target) -> Outcome<Value> {
    let told = Temporary::of("fanout");
    let herd = target.herd(Some(told.path().to_owned()))?;
    let herd = Arc::new(herd);
    let readers = target.readers(settings.readers).await?;
    crowd::enter(&herd, readers).await?;
    let mut result = saturate(settings, target, &herd).await?;
    let times = pace(settings, target, &herd).await?;
    let lost = herd.shared.lost.load(Ordering::Relaxed);
    Arc::into_inner(herd).ok_or("the herd is still in use")?.stop().await?;
    let found = log::check(told.path())?;
    if let Value::Object(result) = &mut result {
        for (name, per_mille) in [("p50Ms", 500), ("p99Ms", 990), ("p999Ms", 999), ("maxMs", 1000)]
        {
            result.insert(name.into(), json!(percentile_ms(&times, per_mille)));
        }
        // The others have no order of their own: they pass on what overlapping publishers sent.
        if target.speech == Speech::Bipe {
            result.insert("gaps".into(), json!(found.gaps));
            result.insert("duplicates".into(), json!(found.duplicates));
        }
        result.insert("resets".into(), json!(found.resets));
        result.insert("lostSockets".into(), json!(lost));
    }
    Ok(result)
}

/// As fast as it goes: whoever published waits until the event is everywhere and publishes the next.
async fn saturate(settings: &Settings, target: &Target, herd: &Arc<Herd>) -> Outcome<Value> {
    let begun = Instant::now();
    let until = begun + WARM_UP + Duration::from_secs(settings.seconds);
    let publishing = (0..settings.at_once).map(|_| {
        let (target, herd, readers) = (target.clone(), herd.clone(), settings.readers);
        tokio::spawn(async move {
            while Instant::now() < until {
                let n = target.publish(Instant::now(), &herd.shared).await?;
                everywhere(&herd, n, readers).await?;
            }
            Outcome::Ok(())
        })
    });
    let publishing: Vec<_> = publishing.collect();
    tokio::time::sleep(WARM_UP).await;
    let own = std::process::id();
    let from = Instant::now();
    let before = (machine::busy(target.pid)?, machine::busy(own)?);
    let received = herd.shared.received.load(Ordering::Relaxed);
    tokio::time::sleep_until(until).await;
    let seconds = from.elapsed().as_secs_f64();
    let received = number(herd.shared.received.load(Ordering::Relaxed) - received);
    let (busy, mine) = (machine::busy(target.pid)? - before.0, machine::busy(own)? - before.1);
    for publisher in publishing {
        publisher.await??;
    }
    Ok(json!({
        "deliveriesPerSecond": received / seconds,
        "deliveriesPerServerSecond": received / busy.max(0.01),
        "serverBusy": busy / seconds,
        "generatorBusy": mine / seconds,
    }))
}

pub async fn everywhere(herd: &Herd, n: u64, readers: usize) -> Outcome<()> {
    let until = Instant::now() + LOST;
    while herd.shared.arrivals(n) < readers {
        herd.shared.check()?;
        let moved = tokio::time::timeout(Duration::from_millis(50), herd.shared.moved.notified());
        moved.await.ok();
        if Instant::now() > until {
            let arrived = herd.shared.arrivals(n);
            return Err(format!("event {n} came to {arrived} of {readers} readers").into());
        }
    }
    Ok(())
}

/// At fixed instants, however late the server is; microseconds from the instant at which each was due.
pub async fn pace(settings: &Settings, target: &Target, herd: &Arc<Herd>) -> Outcome<Vec<u32>> {
    let start = Instant::now() + Duration::from_millis(200);
    herd.measure(start);
    let mut publishing = Vec::new();
    for n in 0..settings.pace * settings.seconds {
        let due = start + Duration::from_micros(1_000_000 * n / settings.pace);
        tokio::time::sleep_until(due).await;
        let (target, herd) = (target.clone(), herd.clone());
        publishing.push(tokio::spawn(async move { target.publish(due, &herd.shared).await }));
    }
    let mut last = 0;
    for publisher in publishing {
        last = last.max(publisher.await??);
    }
    let reading = herd.shared.live.load(Ordering::Relaxed);
    everywhere(herd, last, reading).await?;
    Ok(herd.measured())
}
