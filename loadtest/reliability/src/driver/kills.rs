//! The server is killed (SIGKILL) at any moment while people buy, pay, upgrade, cancel and invite, and started again.
//! They repeat their commands. In the end everybody has what they were told, and every charge is one purchase.

use std::time::Duration;

use bipe_simulator::chance::Chance;
use bipe_swarm::Outcome;
use tokio::time::sleep;

use super::round::{self, Round};
use super::{Settings, figures};

/// Kills of one round; a longer trial has more rounds, each with an installation of its own.
const KILLS: u32 = 20;
/// A life between two kills, in milliseconds.
const SHORTEST: i64 = 200;
const LONGEST: i64 = 2_000;
/// Seconds that pass with each kill: what the dead process had leased is free again after a minute.
const PASS: u32 = 15;

/// # Errors
/// What is broken, with the seed in the command.
pub async fn run(settings: &Settings) -> Outcome<()> {
    let mut all = Round::default();
    for (trial, kills) in round::rounds(settings, KILLS) {
        let mut chance = Chance::of(trial.seed);
        let disturb = async |home: &mut super::installation::Installation| {
            for _ in 0..kills {
                let life = SHORTEST + chance.below(LONGEST - SHORTEST);
                sleep(Duration::from_millis(u64::try_from(life)?)).await;
                home.kill_and_restart().await?;
                home.pass(PASS).await?;
            }
            Ok(())
        };
        let (round, (), home) = round::play(trial, disturb, round::alone).await?;
        home.stop().await;
        all.add(&round);
    }
    figures(&[("kills", u64::from(settings.disturbances))]);
    all.tell();
    Ok(())
}
