//! Sockets that only wait: what each of them costs the server in memory, and whether that stays as it is.

use std::time::Duration;

use serde_json::{Value, json};

use super::number;
use crate::Outcome;
use crate::crowd;
use crate::herd::speech::Memory;
use crate::machine;
use crate::target::Target;

#[derive(clap::Args, Clone, Debug)]
pub struct Settings {
    /// Sockets, spread evenly over the people
    #[arg(long, default_value_t = 10_000)]
    pub sockets: usize,
    /// Seconds of watching whether the memory grows
    #[arg(long, default_value_t = 300)]
    pub seconds: u64,
}

/// How often their memory is looked at.
const LOOKS: u64 = 10;

/// `crowd` holds a memory for each socket; its first entries carry the tickets.
pub async fn measure(settings: &Settings, target: &Target, crowd: Vec<Memory>) -> Outcome<Value> {
    let before = machine::pss(target.pid)?;
    let herd = target.herd(None)?;
    let sockets = crowd.len();
    crowd::enter(&herd, crowd).await?;
    let mut looks = vec![machine::pss(target.pid)?];
    for _ in 0..LOOKS {
        tokio::time::sleep(Duration::from_millis(settings.seconds * 1_000 / LOOKS)).await;
        looks.push(machine::pss(target.pid)?);
    }
    herd.stop().await?;
    let count = number(u64::try_from(sockets)?);
    let each = |kilobytes: u64| number(kilobytes.saturating_sub(before)) / count;
    let (first, last) = (looks.first().copied(), looks.last().copied());
    let (first, last) = (first.unwrap_or_default(), last.unwrap_or_default());
    let most = looks.iter().max().copied().unwrap_or_default();
    Ok(json!({
        "sockets": sockets,
        "kilobytesEach": each(most),
        "kilobytesEachAtFirst": each(first),
        "kilobytesEachAtLast": each(last),
        "growth": number(last) / number(first.max(1)),
        "kilobytesBefore": before,
        "looks": looks,
    }))
}
