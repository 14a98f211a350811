//! One round: an installation, its payers, what disturbs them, and the judgement at the end.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bipe_nodes::caller::Caller;
use bipe_swarm::payments::plans;
use bipe_swarm::{Outcome, account};
use futures_util::future::try_join_all;
use tokio::time::sleep;

use super::installation::Installation;
use super::judge;
use super::payer::{self, Life, Shop};
use super::{Settings, figures};

/// People who pay at the same time, where nobody wants more. They share one session, which lives longer than a round.
pub const PAYERS: u64 = 4;
/// Seconds, and how often they pass at most, until everybody has been answered.
const PASS: u32 = 15;
const PASSES: u32 = 20;
const MOMENT: Duration = Duration::from_millis(500);
/// Between two companies of one payer.
const BETWEEN: Duration = Duration::from_millis(500);

/// What a round is given.
#[derive(Clone, Copy, Debug)]
pub struct Trial<'a> {
    pub bipe: &'a Path,
    pub seed: u64,
    pub payers: u64,
    /// Between two companies of one payer.
    pub pause: Duration,
}

/// What happened in rounds.
#[derive(Default)]
pub struct Round {
    companies: u64,
    charges: u64,
    payments: u64,
    /// Commands that were sent again because nobody answered.
    repeated: u64,
    replays: u64,
    rounds: u64,
}

impl Round {
    pub fn add(&mut self, other: &Self) {
        self.companies += other.companies;
        self.charges += other.charges;
        self.payments += other.payments;
        self.repeated += other.repeated;
        self.replays += other.replays;
        self.rounds += other.rounds;
    }

    /// Nothing is lost or doubled where this is reached.
    pub fn tell(&self) {
        figures(&[
            ("companies", self.companies),
            ("payments", self.payments),
            ("charges", self.charges),
            ("repeated", self.repeated),
            ("replays", self.replays),
            ("rounds", self.rounds),
        ]);
    }
}

/// The rounds, and what is left of the disturbances for each.
pub fn rounds(settings: &Settings, most: u32) -> impl Iterator<Item = (Trial<'_>, u32)> {
    let all = settings.disturbances;
    (0..all.div_ceil(most)).map(move |n| {
        let seed = settings.subject.seed.wrapping_add(u64::from(n));
        let trial =
            Trial { bipe: &settings.subject.bipe, seed, payers: settings.payers, pause: BETWEEN };
        (trial, (all - n * most).min(most))
    })
}

/// Nobody but the payers.
pub async fn alone(_: &Shop) -> Outcome<(Vec<Life>, ())> {
    Ok(Default::default())
}

/// Payers and those who are `beside` them live until the disturbance is over. What the latter bought is judged with the
/// rest; what else they were told is answered, with the installation, which the caller stops.
///
/// # Errors
/// What is broken, or what prevented the trial.
pub async fn play<T>(
    trial: Trial<'_>,
    disturb: impl AsyncFnOnce(&mut Installation) -> Outcome<()>,
    beside: impl AsyncFnOnce(&Shop) -> Outcome<(Vec<Life>, T)>,
) -> Outcome<(Round, T, Installation)> {
    let mut home = Installation::start(trial.bipe).await?;
    let url = home.node.url();
    let person = account::open(&url, 1).await?.pop().ok_or("nobody")?;
    let shop = Shop {
        caller: Arc::new(Caller::new(vec![url.clone()], person.token())?),
        sandbox: home.sandbox.clone(),
        plans: plans(&url).await?,
        url,
        pause: trial.pause,
        is_over: AtomicBool::new(false),
    };
    let names: Vec<String> = (0..trial.payers).map(|n| format!("payer-{n}")).collect();
    let seed = |n: u64| trial.seed ^ (n << 32);
    let paying = names.iter().zip(0..).map(|(name, n)| payer::live(&shop, name, seed(n)));
    let (is_over, is_done) = (&shop.is_over, AtomicBool::new(false));
    let paying = async {
        let both = tokio::try_join!(try_join_all(paying), beside(&shop))?;
        is_done.store(true, Ordering::Relaxed);
        Outcome::Ok(both)
    };
    let disturbing = async {
        disturb(&mut home).await?;
        is_over.store(true, Ordering::Relaxed);
        // What waits for a lease or a timer goes on.
        for _ in 0..PASSES {
            if is_done.load(Ordering::Relaxed) {
                break;
            }
            home.pass(PASS).await?;
            sleep(MOMENT).await;
        }
        Outcome::Ok(())
    };
    let ((lives, (others, told)), ()) = tokio::try_join!(paying, disturbing)?;
    let lives: Vec<Life> = lives.into_iter().flatten().chain(others).collect();
    let judged = judge::judge(&home, &lives).await?;
    let round = Round {
        companies: u64::try_from(lives.len())?,
        charges: judged.charges,
        payments: judged.payments,
        repeated: shop.caller.repeated(),
        replays: judged.replays,
        rounds: 1,
    };
    Ok((round, told, home))
}
