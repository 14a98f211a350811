//! The cards as a file: CSV that a Brazilian spreadsheet opens (byte order mark, semicolons, decimal commas), or
//! JSON.

use serde::Serialize;

use super::view::{DashboardMetrics, Metric, MetricChange};
use crate::error::{Error, Result};
use crate::money::Decimal;

const BYTE_ORDER_MARK: char = '\u{feff}';
const HEADER: [&str; 6] = ["metric", "value", "change", "changeType", "period", "reason"];

/// A change stands without its sign: `changeType` says the direction, and no cell begins like a formula.
pub fn csv(metrics: &DashboardMetrics) -> Result<String> {
    let mut text = String::from(BYTE_ORDER_MARK);
    push_row(&mut text, HEADER.map(str::to_owned));
    for (name, metric) in named(metrics) {
        let change_type = match metric.change_type {
            MetricChange::Increase => "increase",
            MetricChange::Decrease => "decrease",
        };
        let magnitude = metric.change.map(|change| Decimal(change.0.saturating_abs()));
        let row = [
            name.to_owned(),
            number(metric.value),
            number(magnitude),
            change_type.to_owned(),
            metric.period.clone(),
            word(&metric.reason)?,
        ];
        push_row(&mut text, row);
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
fn word(code: &Option<impl Serialize>) -> Result<String> {
    match serde_json::to_value(code).map_err(Error::internal)? {
        serde_json::Value::String(text) => Ok(text),
        _ => Ok(String::new()),
    }
}

fn push_row<const N: usize>(text: &mut String, cells: [String; N]) {
    let cells = cells.map(|cell| escape(&cell));
    text.push_str(&cells.join(";"));
    text.push_str("\r\n");
}

/// What a spreadsheet would run as a formula is text; what would end a cell is quoted.
fn escape(cell: &str) -> String {
    let is_formula = cell.starts_with(['=', '+', '-', '@', '\t', '\r']);
    let cell = if is_formula { format!("'{cell}") } else { cell.to_owned() };
    match cell.contains([';', '"', '\n', '\r']) {
        true => format!("\"{}\"", cell.replace('"', "\"\"")),
        false => cell,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_cell_starts_a_formula_and_none_ends_early() {
        for formula in ["=1+1", "+1", "-1", "@sum", "\tx", "\rx"] {
            let cell = escape(formula);
            assert!(cell.trim_start_matches('"').starts_with('\''), "{cell}");
        }
        assert_eq!(escape("a;\"b\""), "\"a;\"\"b\"\"\"");
        assert_eq!(escape("1234,5"), "1234,5");
        assert_eq!(number(Some(Decimal(-123_450))), "-1234,5");
    }
}
