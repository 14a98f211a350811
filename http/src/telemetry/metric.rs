//! What is said of one metric, the page `docs/metrics.md` that is made of it, and what the recorder learns of it at
//! the start. Filled by `list`.

use std::fmt::Write;

use metrics::{Label, Unit};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Rises since the start of the process.
    Counter,
    Gauge,
    /// Counts values by size.
    Histogram,
}

impl Kind {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Counter => "counter",
            Self::Gauge => "gauge",
            Self::Histogram => "histogram",
        }
    }
}

/// What a label may say.
#[derive(Clone, Copy, Debug)]
pub enum Values {
    /// One of these words.
    Words(fn() -> Vec<&'static str>),
    /// What these words describe.
    Open(&'static str),
}

/// A label of a metric, and what it may say.
#[derive(Clone, Copy, Debug)]
pub struct MetricLabel {
    pub name: &'static str,
    pub values: Values,
}

#[derive(Clone, Copy, Debug)]
pub struct Metric {
    pub name: &'static str,
    pub kind: Kind,
    /// In words: `bytes`, `seconds`, or what is counted.
    pub unit: &'static str,
    pub labels: &'static [MetricLabel],
    pub meaning: &'static str,
    /// When it is there, if not always.
    pub only: Option<&'static str>,
    /// Upper bounds of the sizes that a histogram counts by; of no other kind.
    pub buckets: &'static [f64],
}

pub const fn counter(name: &'static str, unit: &'static str, meaning: &'static str) -> Metric {
    Metric { name, kind: Kind::Counter, unit, labels: &[], meaning, only: None, buckets: &[] }
}

pub const fn gauge(name: &'static str, unit: &'static str, meaning: &'static str) -> Metric {
    Metric { name, kind: Kind::Gauge, unit, labels: &[], meaning, only: None, buckets: &[] }
}

pub const fn histogram(
    name: &'static str,
    unit: &'static str,
    meaning: &'static str,
    buckets: &'static [f64],
) -> Metric {
    Metric { name, kind: Kind::Histogram, unit, labels: &[], meaning, only: None, buckets }
}

impl Metric {
    pub const fn by(self, labels: &'static [MetricLabel]) -> Self {
        Self { labels, ..self }
    }

    pub const fn only(self, when: &'static str) -> Self {
        Self { only: Some(when), ..self }
    }

    /// Tells the recorder what it is. A counter begins at 0 in all of its known labels: a rise from nothing to 1 is
    /// none to Prometheus.
    pub fn describe(&self) {
        let unit = match self.unit {
            "seconds" => Unit::Seconds,
            "bytes" => Unit::Bytes,
            _ => Unit::Count,
        };
        match self.kind {
            Kind::Counter => {
                metrics::describe_counter!(self.name, unit, self.meaning);
                for labels in self.known_labels() {
                    metrics::counter!(self.name, labels).increment(0);
                }
            }
            Kind::Gauge => metrics::describe_gauge!(self.name, unit, self.meaning),
            Kind::Histogram => metrics::describe_histogram!(self.name, unit, self.meaning),
        }
    }

    /// Every combination of the words of its labels; none where a label is open.
    fn known_labels(&self) -> Vec<Vec<Label>> {
        let mut all = vec![Vec::new()];
        for MetricLabel { name, values } in self.labels {
            let Values::Words(words) = values else { return Vec::new() };
            let words = words();
            let with = |labels: &Vec<Label>| {
                let more = |word: &&'static str| {
                    let mut labels = labels.clone();
                    labels.push(Label::new(*name, *word));
                    labels
                };
                words.iter().map(more).collect::<Vec<_>>()
            };
            all = all.iter().flat_map(with).collect();
        }
        all
    }

    /// Its row of the page.
    fn row(&self) -> String {
        let mut labels = String::new();
        for MetricLabel { name, values } in self.labels {
            let values = match values {
                Values::Words(words) => format!("`{}`", words().join("`, `")),
                Values::Open(what) => (*what).to_owned(),
            };
            let gap = if labels.is_empty() { "" } else { "; " };
            // Writing to a string cannot fail.
            write!(labels, "{gap}`{name}`: {values}").ok();
        }
        let only = self.only.map(|when| format!(" Only {when}.")).unwrap_or_default();
        let (name, kind) = (self.name, self.kind.as_str());
        format!("| `{name}` | {kind} | {} | {labels} | {}{only} |\n", self.unit, self.meaning)
    }
}

const HEAD: &str = "# Metrics

`/metrics` gives these, in the text format of Prometheus. `docs/operations.md` says who may ask, `deploy/prometheus` has
the alert rules, `deploy/grafana` the dashboards. This page is written by `bipe metrics`; `make schema` makes it anew.

Counters are of one process and begin at 0 with it: `rate` and `increase` bear that, and `sum` adds the nodes up. What
is counted of payments and subscriptions is counted at its commit. A commit whose answer is lost is not counted, so the
administration's figures are the truth, and these show how things move.
";

/// `docs/metrics.md`, one table for each part of the server.
pub fn page(parts: &[(&str, &[Metric])]) -> String {
    let mut page = HEAD.to_owned();
    for (title, metrics) in parts {
        let head = "| Metric | Type | Unit | Labels | Meaning |\n|---|---|---|---|---|\n";
        let rows: String = metrics.iter().map(Metric::row).collect();
        write!(page, "\n## {title}\n\n{head}{rows}").ok();
    }
    page
}
