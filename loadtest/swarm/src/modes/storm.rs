//! Everybody is cut off, misses a few events and comes back at once: how long until the last one is live again,
//! what the database had to do for it, and whether anything was lost or came twice.

use std::time::Duration;

use serde_json::{Value, json};

use super::{Temporary, number};
use crate::crowd;
use crate::herd::speech::Memory;
use crate::herd::{Herd, log};
use crate::payments::database::Database;
use crate::target::Target;
use crate::{Outcome, some};
use tokio::time::Instant;

#[derive(clap::Args, Clone, Debug)]
pub struct Settings {
    /// Sockets that are cut
    #[arg(long, default_value_t = 10_000, value_parser = some())]
    pub sockets: usize,
    /// Events that each of them misses
    #[arg(long, default_value_t = 2)]
    pub missed: usize,
    /// Seconds of calm between connecting and the cut
    #[arg(long, default_value_t = 2)]
    pub calm: u64,
}

/// `publishers` cause the events that are missed, one for each channel that the crowd reads.
pub async fn measure(
    settings: &Settings,
    publishers: &[Target],
    crowd: Vec<Memory>,
    database: Option<&Database>,
) -> Outcome<Value> {
    let target = publishers.first().ok_or("no target")?;
    let (told, sockets) = (Temporary::of("storm"), crowd.len());
    let herd = target.herd(Some(told.path().to_owned()))?;
    let begun = Instant::now();
    crowd::enter(&herd, crowd).await?;
    let connected = begun.elapsed();
    publish(1, publishers, &herd).await?;
    tokio::time::sleep(Duration::from_secs(settings.calm)).await;
    herd.cut()?;
    tokio::time::sleep(Duration::from_secs(1)).await;
    publish(settings.missed, publishers, &herd).await?;
    let from = match database {
        Some(database) => database.start_log().await?,
        None => 0,
    };
    let came_back = herd.come_back(sockets).await?;
    let statements = match database {
        Some(database) => Some(Database::statements(&database.stop_log(from).await?)),
        None => None,
    };
    herd.stop().await?;
    let found = log::check(told.path())?;
    let count = number(u64::try_from(sockets)?);
    let wanted = u64::try_from(sockets * (settings.missed + 1))?;
    Ok(json!({
        "sockets": sockets,
        "connectSeconds": connected.as_secs_f64(),
        "lastLiveSeconds": came_back.as_secs_f64(),
        "statementsPerClient": statements.map(|statements| number(statements) / count),
        "events": found.events,
        "missing": wanted.saturating_sub(found.events),
        "gaps": found.gaps,
        "duplicates": found.duplicates,
        "resets": found.resets,
    }))
}

async fn publish(times: usize, publishers: &[Target], herd: &Herd) -> Outcome<()> {
    for _ in 0..times {
        for publisher in publishers {
            publisher.publish(Instant::now(), &herd.shared).await?;
        }
    }
    Ok(())
}
