//! What a node says of itself on `/metrics`.

use bipe_swarm::Outcome;

/// The page as it was answered.
pub struct Metrics(pub String);

impl Metrics {
    pub async fn of(url: &str) -> Outcome<Self> {
        let answer = reqwest::get(format!("{url}/metrics")).await?.error_for_status()?;
        Ok(Self(answer.text().await?))
    }

    /// The sum of all series of the name; 0 when there is none yet.
    pub fn sum(&self, name: &str) -> f64 {
        self.with(name, "")
    }

    /// The sum of those series whose labels contain the text.
    pub fn with(&self, name: &str, label: &str) -> f64 {
        let value = |line: &str| {
            let rest = line.strip_prefix(name)?;
            let (labels, number) = match rest.strip_prefix('{') {
                Some(rest) => rest.split_once('}')?,
                None => ("", rest.strip_prefix(' ')?),
            };
            if !labels.contains(label) {
                return None;
            }
            number.split_whitespace().next()?.parse::<f64>().ok()
        };
        self.0.lines().filter_map(value).sum()
    }
}
