//! What was measured, its medians, and the goals that they are held against.

use serde_json::{Map, Value, json};

use crate::peer::{BARE_ACTORS, BARE_WS, BATCHED_LIMIT, BUN_PEER, LIMIT, SOCKET_IO, WS};

pub const BIPE: &str = "bipe";

/// Every round of every mode and target, in the order of the first round.
#[derive(Default)]
pub struct Measured(Vec<(String, String, Vec<Value>)>);

impl Measured {
    pub fn add(&mut self, mode: &str, target: &str, found: Value) {
        match self.0.iter_mut().find(|(m, t, _)| m == mode && t == target) {
            Some((_, _, rounds)) => rounds.push(found),
            None => self.0.push((mode.into(), target.into(), vec![found])),
        }
    }

    fn rounds(&self, mode: &str, target: &str) -> &[Value] {
        let found = self.0.iter().find(|(m, t, _)| m == mode && t == target);
        found.map_or(&[], |(_, _, rounds)| rounds)
    }

    /// The number in every round that has it, sorted.
    fn values(&self, mode: &str, target: &str, name: &str) -> Vec<f64> {
        let rounds = self.rounds(mode, target).iter();
        let mut values: Vec<f64> =
            rounds.filter_map(|round| round.get(name).and_then(Value::as_f64)).collect();
        values.sort_unstable_by(f64::total_cmp);
        values
    }

    fn median(&self, mode: &str, target: &str, name: &str) -> Option<f64> {
        let values = self.values(mode, target, name);
        let middle = values.len() / 2;
        if values.len().is_multiple_of(2) {
            let (low, high) = (values.get(middle.checked_sub(1)?)?, values.get(middle)?);
            return Some(f64::midpoint(*low, *high));
        }
        values.get(middle).copied()
    }

    /// The round that is furthest from the bound; none where a round failed, as one does that waits for what was lost.
    fn worst(&self, mode: &str, name: &str, bound: Bound) -> Option<f64> {
        let values = self.values(mode, BIPE, name);
        if values.len() < self.rounds(mode, BIPE).len() {
            return None;
        }
        match bound {
            AtLeast(_) => values.first().copied(),
            AtMost(_) => values.last().copied(),
        }
    }

    fn medians(&self, mode: &str, target: &str) -> Map<String, Value> {
        let rounds = self.rounds(mode, target).iter().filter_map(Value::as_object);
        let names = rounds.flat_map(Map::keys);
        let median = |name: &String| {
            self.median(mode, target, name).map(|median| (name.clone(), json!(median)))
        };
        names.filter_map(median).collect()
    }

    pub fn json(&self) -> Value {
        let each = |(mode, target, rounds): &(String, String, Vec<Value>)| {
            let medians = self.medians(mode, target);
            json!({"mode": mode, "target": target, "medians": medians, "rounds": rounds})
        };
        self.0.iter().map(each).collect()
    }
}

enum Of {
    /// A number of Bipe's own.
    Own,
    /// The same in its worst round: what is lost in one round is lost, and the median of three would hide it.
    Worst,
    /// As a share of somebody else's.
    Target(&'static str),
}

#[derive(Clone, Copy)]
pub enum Bound {
    AtLeast(f64),
    AtMost(f64),
}

use Bound::{AtLeast, AtMost};
use Of::{Own, Target, Worst};

const DELIVERIES: &str = "deliveriesPerSecond";
const LAST_LIVE: &str = "lastLiveSeconds";
/// A row only where there is no pgbench.
const INSTEAD_OF_PGBENCH: &str = "read of tokio-postgres (no pgbench here)";

/// Mode, what it is called, the number, of whom, and what it has to be.
const GOALS: [(&str, &str, &str, Of, Bound); 34] = [
    ("fanout", "fan-out of the raw limit", DELIVERIES, Target(LIMIT), AtLeast(0.60)),
    ("fanout", "fan-out of the batched limit", DELIVERIES, Target(BATCHED_LIMIT), AtLeast(0.60)),
    ("fanout", "fan-out of Bun", DELIVERIES, Target(BUN_PEER), AtLeast(1.10)),
    ("fanout", "fan-out of socket.io", DELIVERIES, Target(SOCKET_IO), AtLeast(3.0)),
    ("fanout", "fan-out of ws", DELIVERIES, Target(WS), AtLeast(1.5)),
    ("fanout", "fan-out of bare actix-web-actors", DELIVERIES, Target(BARE_ACTORS), AtLeast(0.85)),
    ("fanout", "fan-out of bare actix-ws", DELIVERIES, Target(BARE_WS), AtLeast(0.85)),
    ("fanout", "fan-out: p99 at a fixed pace, of Bun", "p99Ms", Target(BUN_PEER), AtMost(1.0)),
    ("fanout", "fan-out: gaps", "gaps", Worst, AtMost(0.0)),
    ("fanout", "fan-out: duplicates", "duplicates", Worst, AtMost(0.0)),
    ("fanout", "fan-out: lost sockets", "lostSockets", Worst, AtMost(0.0)),
    ("idle", "idle socket, KiB (PSS)", "kilobytesEach", Own, AtMost(9.0)),
    ("idle", "idle sockets: end of start", "growth", Own, AtMost(1.02)),
    ("storm", "last live of socket.io", LAST_LIVE, Target(SOCKET_IO), AtMost(0.20)),
    ("storm", "last live of Bun", LAST_LIVE, Target(BUN_PEER), AtMost(1.3)),
    ("storm", "storm: statements a client", "statementsPerClient", Own, AtMost(0.05)),
    ("storm", "storm: gaps", "gaps", Worst, AtMost(0.0)),
    ("storm", "storm: duplicates", "duplicates", Worst, AtMost(0.0)),
    ("storm", "storm: missing events", "missing", Worst, AtMost(0.0)),
    ("slow", "p99 beside stalled readers", "p99Ratio", Own, AtMost(1.10)),
    ("slow", "stalled sockets gone, s", "reclaimSeconds", Own, AtMost(45.0)),
    ("slow", "stalled socket, KiB (PSS)", "kilobytesEachStalled", Own, AtMost(300.0)),
    ("slow", "lost sockets beside stalled ones", "healthyLost", Worst, AtMost(0.0)),
    ("transactions", "rename with its event of without", "ratio", Own, AtLeast(0.90)),
    ("payment", "payments with their events of without", "ofWithoutEvents", Own, AtLeast(0.90)),
    ("read", "read of pgbench", "ofPgbench", Own, AtLeast(0.95)),
    ("read", INSTEAD_OF_PGBENCH, "ofTokioPostgres", Own, AtLeast(0.5)),
    ("read", "read of fastify + pg", "ofFastify", Own, AtLeast(2.0)),
    ("payment", "payments of their SQL alone", "ofTokioPostgres", Own, AtLeast(0.5)),
    ("subscribers", "subscribers served", "subscribers", Own, AtLeast(10_000.0)),
    ("subscribers", "their updates that arrived", "arrivedShare", Worst, AtLeast(1.0)),
    ("subscribers", "their p99, ms", "p99Ms", Own, AtMost(1_000.0)),
    ("subscribers", "their gaps", "gaps", Worst, AtMost(0.0)),
    ("subscribers", "their duplicates", "duplicates", Worst, AtMost(0.0)),
];

/// A goal and what was measured of it; none where nothing was.
pub struct Row {
    pub name: &'static str,
    pub value: Option<f64>,
    pub bound: Bound,
    pub mode: &'static str,
}

impl Row {
    pub fn holds(&self) -> Option<bool> {
        let value = self.value?;
        Some(match self.bound {
            AtLeast(bound) => value >= bound,
            AtMost(bound) => value <= bound,
        })
    }

    pub fn goal(&self) -> String {
        match self.bound {
            AtLeast(bound) => format!("≥ {}", short(bound)),
            AtMost(bound) => format!("≤ {}", short(bound)),
        }
    }

    pub fn verdict(&self) -> &'static str {
        match self.holds() {
            Some(true) => "holds",
            Some(false) => "does not hold",
            None => "not measured",
        }
    }

    pub fn json(&self) -> Value {
        json!({"mode": self.mode, "name": self.name, "value": self.value, "goal": self.goal(),
            "holds": self.holds()})
    }
}

/// The rows of the modes that took part.
pub fn goals(measured: &Measured) -> Vec<Row> {
    let ran = |mode: &str| measured.0.iter().any(|(m, _, _)| m == mode);
    let row = |(mode, name, key, of, bound): &(&'static str, &'static str, &str, Of, Bound)| {
        let own = measured.median(mode, BIPE, key);
        let value = match of {
            Own => own,
            Worst => measured.worst(mode, key, *bound),
            Target(target) => {
                let theirs = measured.median(mode, target, key).filter(|theirs| *theirs > 0.0);
                own.zip(theirs).map(|(own, theirs)| own / theirs)
            }
        };
        Row { name, value, bound: *bound, mode }
    };
    let shown = |row: &Row| row.value.is_some() || row.name != INSTEAD_OF_PGBENCH;
    GOALS.iter().filter(|(mode, ..)| ran(mode)).map(row).filter(shown).collect()
}

/// As many digits as one reads.
pub fn short(value: f64) -> String {
    match value.abs() {
        0.0 => "0".into(),
        1_000.0.. => format!("{value:.0}"),
        100.0.. => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}

/// A text of any shape, such as a server's answer, for a row of a table.
fn one_cell(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "/")
}

pub fn text(facts: &Value, rounds: usize, measured: &Measured, goals: &[Row]) -> String {
    let mut text = String::from("### Machine\n\n");
    for (name, value) in facts.as_object().into_iter().flatten() {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        text += &format!("- {name}: {value}\n");
    }
    text +=
        &format!("\n### Medians of {rounds} rounds\n\n| Mode | Who | Numbers |\n|---|---|---|\n");
    for (mode, target, found) in &measured.0 {
        let medians = measured.medians(mode, target);
        let number = |(name, value): (&String, &Value)| {
            format!("{name} {}", short(value.as_f64().unwrap_or_default()))
        };
        let mut numbers: Vec<String> = medians.iter().map(number).collect();
        let errors = found.iter().filter_map(|round| round.get("error").and_then(Value::as_str));
        numbers.extend(errors.map(|error| format!("error: {}", one_cell(error))));
        text += &format!("| {mode} | {target} | {} |\n", numbers.join(", "));
    }
    text += "\n### Goals\n\n| | Measured | Goal | |\n|---|---|---|---|\n";
    for row in goals {
        let value = row.value.map_or_else(|| "–".into(), short);
        text += &format!("| {} | {value} | {} | {} |\n", row.name, row.goal(), row.verdict());
    }
    text
}
