//! The provider does its work and loses the answer, fails before the work, is slow or busy; its webhooks come
//! twice, shuffled, late or never, while people buy, pay, upgrade, cancel and invite. The end is the same as without.

use std::time::Duration;

use bipe_simulator::chance::Chance;
use bipe_swarm::Outcome;
use serde_json::{Value, json};
use tokio::time::sleep;

use super::round::{self, Round};
use super::{Settings, figures};

/// Orders of one round; a longer trial has more rounds, each with an installation of its own.
const ORDERS: u32 = 60;
/// How long an order holds.
const HOLDS: Duration = Duration::from_millis(800);
/// Seconds that pass with each order: timers look again, unclear answers are asked for.
const PASS: u32 = 3;

/// # Errors
/// What is broken, with the seed in the command.
pub async fn run(settings: &Settings) -> Outcome<()> {
    let (mut all, mut faults) = (Round::default(), 0);
    for (trial, orders) in round::rounds(settings, ORDERS) {
        let mut chance = Chance::of(trial.seed);
        let disturb = async |home: &mut super::installation::Installation| {
            for _ in 0..orders {
                home.sandbox.faults(&order(&mut chance)).await?;
                sleep(HOLDS).await;
                home.pass(PASS).await?;
            }
            faults += home.sandbox.faults(&json!({})).await?;
            Ok(())
        };
        let (round, (), home) = round::play(trial, disturb, round::alone).await?;
        home.stop().await;
        all.add(&round);
    }
    figures(&[("orders", u64::from(settings.disturbances)), ("faults", faults)]);
    all.tell();
    Ok(())
}

/// No failure behind the work: a creation that is answered so stays unclear for a day, as
/// docs/reliability.md ("What is not promised") says, and the check of the money calls it late.
fn order(chance: &mut Chance) -> Value {
    let times = 1 + chance.below(4);
    let replies = match chance.index(6) {
        0 => json!({"lose": true, "times": times}),
        1 => json!({"status": 500, "times": times}),
        2 => json!({"status": 429, "times": times}),
        3 => json!({"status": 409, "times": times}),
        4 => json!({"delayMs": 400, "times": times, "reads": true}),
        _ => json!({}),
    };
    let webhooks = match chance.index(5) {
        0 => json!({"duplicate": 2, "shuffle": true}),
        1 => json!({"drop": true}),
        2 => json!({"delayMs": 1_500, "duplicate": 1}),
        3 => json!({"shuffle": true}),
        _ => json!({}),
    };
    json!({"replies": replies, "webhooks": webhooks})
}
