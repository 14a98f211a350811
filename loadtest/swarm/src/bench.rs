//! `make bench`: Bipe and what people would pick instead, on the same core of the same machine, in turns and
//! in rounds. Every goal is a row; whatever a run cannot measure says why.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::machine::{self, Cores};
use crate::modes::{fanout, storm};
use crate::page;
use crate::peer;
use crate::picture;
use crate::single::{self, Mode};
use crate::table::{self, BIPE, Measured};
use crate::{Outcome, in_words, some};

#[derive(clap::Args, Debug)]
pub struct Settings {
    /// Turns of everything; the medians are printed
    #[arg(long, default_value_t = 3, value_parser = some())]
    rounds: usize,
    /// Only these, comma-separated
    #[arg(long, value_delimiter = ',', value_parser = MODES)]
    only: Vec<String>,
    /// Seconds of watching the idle sockets, in the first round
    #[arg(long, default_value = "300")]
    idle_seconds: String,
    /// Where table, JSON and picture go
    #[arg(long, default_value = "loadtest/results")]
    results: PathBuf,
}

const MODES: [&str; 8] =
    ["fanout", "storm", "slow", "idle", "transactions", "read", "payment", "subscribers"];

pub fn run(settings: &Settings, bipe: &Path, page: Option<&Path>) -> Outcome<()> {
    // First of all: the load of the machine is that of others.
    let facts = machine::facts();
    let cores = single::prepare()?;
    crate::until_told_to_stop(async {
        let mut measured = Measured::default();
        for round in 1..=settings.rounds {
            for (mode, target) in plan(settings, round) {
                eprintln!("round {round} of {}: {mode}, {target}", settings.rounds);
                let found = match one(settings, mode, target, (bipe, cores)).await {
                    Ok(found) => found,
                    Err(error) => json!({"error": in_words(&*error)}),
                };
                eprintln!("  {found}");
                measured.add(mode, target, found);
            }
        }
        report(settings, &facts, &measured, page)
    })
}

/// What a round measures, in its order: Bipe, then the others, and again in the next round.
fn plan(settings: &Settings, round: usize) -> Vec<(&'static str, &'static str)> {
    let chosen = |mode: &str| settings.only.is_empty() || settings.only.iter().any(|m| m == mode);
    let mut plan = Vec::new();
    for mode in MODES.into_iter().filter(|mode| chosen(mode)) {
        // Minutes of waiting are not repeated.
        if mode == "idle" && round > 1 {
            continue;
        }
        plan.push((mode, BIPE));
        plan.extend(peer::ALL.into_iter().filter(|peer| takes_part(mode, peer)).map(|p| (mode, p)));
    }
    plan
}

/// The limits keep nothing, so nobody recovers from them.
fn takes_part(mode: &str, peer: &str) -> bool {
    mode == "fanout" || (mode == "storm" && ![peer::LIMIT, peer::BATCHED_LIMIT].contains(&peer))
}

async fn one(
    settings: &Settings,
    mode: &str,
    target: &str,
    (bipe, cores): (&Path, Cores),
) -> Outcome<Value> {
    let words = match mode {
        "idle" => vec!["idle", "--seconds", &settings.idle_seconds],
        other => vec![other],
    };
    let mode = Mode::of(&words)?;
    if target == BIPE {
        return single::measure(&mode, bipe, cores).await;
    }
    let (_running, target) = peer::start(target, cores)?;
    match &mode {
        Mode::Fanout(settings) => fanout::measure(settings, &target).await,
        Mode::Storm { settings, .. } => {
            let crowd = target.readers(settings.sockets.min(cores.most_sockets)).await?;
            storm::measure(settings, std::slice::from_ref(&target), crowd, None).await
        }
        _ => Err("is measured for Bipe alone".into()),
    }
}

fn report(
    settings: &Settings,
    facts: &Value,
    measured: &Measured,
    page: Option<&Path>,
) -> Outcome<()> {
    let goals = table::goals(measured);
    let text = table::text(facts, settings.rounds, measured, &goals);
    std::fs::create_dir_all(&settings.results)?;
    let rows: Vec<Value> = goals.iter().map(table::Row::json).collect();
    let all = json!({
        "machine": facts,
        "rounds": settings.rounds,
        "measured": measured.json(),
        "goals": rows,
    });
    let write = |name: &str, text: String| std::fs::write(settings.results.join(name), text);
    write("bench.json", serde_json::to_string_pretty(&all)?)?;
    write("bench.md", text.clone())?;
    write("bench.svg", picture::of(facts, &goals))?;
    if let Some(page) = page {
        page::write(page, "`make bench`", &text)?;
    }
    println!("{text}");
    println!("written to {}: bench.json, bench.md, bench.svg", settings.results.display());
    Ok(())
}
