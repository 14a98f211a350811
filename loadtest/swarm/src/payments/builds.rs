//! `bipe-swarm builds`: payments a second of this build of Bipe and of another one, in turns.

use std::path::{Path, PathBuf};

use super::turns::Turns;
use crate::Outcome;
use crate::page::Lines;
use crate::server::Server;

#[derive(clap::Args, Clone, Debug)]
pub struct Settings {
    /// The release build that this one is compared with
    other: PathBuf,
    #[command(flatten)]
    turns: Turns,
}

pub async fn run(Settings { other, turns }: &Settings, bipe: &Path) -> Outcome<Lines> {
    let (mut theirs, mut ours) = (0.0_f64, 0.0_f64);
    for _ in turns.rounds() {
        theirs = theirs.max(turns.rate(Server::start(other).await?).await?);
        ours = ours.max(turns.rate(Server::start(bipe).await?).await?);
    }
    let mut lines = Lines::new("`make bench-builds`");
    lines.say(format!("payments of the other build {theirs:.1}/s, {} at once", turns.at_once));
    lines.say(format!("payments of this build      {ours:.1}/s"));
    lines.say(format!("share                       {:.2}", ours / theirs));
    Ok(lines)
}
