//! The cards as a file: CSV that a Brazilian spreadsheet opens (byte order mark, semicolons, decimal commas), or
//! JSON.

use serde::Serialize;

use super::view::{DashboardMetrics, Metric};
use crate::csv;
use crate::error::{Error, Result};
use crate::money::Decimal;

const HEADER: [&str; 6] = ["metric", "value", "change", "changeType", "period", "reason"];

/// A change stands without its sign: `changeType` says the direction, and no cell begins like a formula.
pub fn csv(metrics: &DashboardMetrics) -> Result<String> {
    let mut text = csv::start();
    csv::push_row(&mut text, HEADER.map(str::to_owned));
    for (name, metric) in named(metrics) {
        let magnitude = metric.change.map(|change| Decimal(change.0.saturating_abs()));
        let row = [
            name.to_owned(),
            number(metric.value),
            number(magnitude),
            word(&metric.change_type)?,
            metric.period.clone(),
            word(&metric.reason)?,
        ];
        csv::push_row(&mut text, row);
    }
    Ok(text)
}

/// The same as JSON, as the dashboard answers it.
pub fn json(metrics: &DashboardMetrics) -> Result<String> {
    #[derive(Serialize)]
    struct File<'a> {
        metrics: &'a DashboardMetrics,
    }
    serde_json::to_string_pretty(&File { metrics }).map_err(Error::internal)
}

fn named(metrics: &DashboardMetrics) -> [(&'static str, &Metric); 9] {
    [
        ("totalUsers", &metrics.total_users),
        ("totalCompanies", &metrics.total_companies),
        ("totalSubscriptions", &metrics.total_subscriptions),
        ("mrr", &metrics.mrr),
        ("arr", &metrics.arr),
        ("churn", &metrics.churn),
        ("mau", &metrics.mau),
        ("ltv", &metrics.ltv),
        ("cac", &metrics.cac),
    ]
}

fn number(value: Option<Decimal>) -> String {
    value.map(|value| value.to_string().replace('.', ",")).unwrap_or_default()
}

/// A code as it is on the wire; nothing for none.
fn word(code: &impl Serialize) -> Result<String> {
    match serde_json::to_value(code).map_err(Error::internal)? {
        serde_json::Value::String(text) => Ok(text),
        _ => Ok(String::new()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_a_decimal_comma() {
        assert_eq!(number(Some(Decimal(-123_450))), "-1234,5");
    }
}
