//! The cards as CSV that a Brazilian spreadsheet opens: byte order mark, semicolons, decimal commas.

use super::view::{DashboardMetrics, Metric, NoValue};
use crate::csv;
use crate::money::Decimal;

const HEADER: [&str; 6] = ["metric", "value", "change", "changeType", "period", "reason"];

/// A change stands without its sign: `changeType` says the direction, and no cell begins like a formula.
pub fn csv(metrics: &DashboardMetrics) -> String {
    let row = |(name, metric): (&str, &Metric)| {
        let magnitude = metric.change.map(|change| Decimal(change.0.saturating_abs()));
        [
            name.to_owned(),
            number(metric.value),
            number(magnitude),
            metric.change_type.as_str().to_owned(),
            metric.period.clone(),
            metric.reason.map(NoValue::as_str).unwrap_or_default().to_owned(),
        ]
    };
    csv::file(HEADER, named(metrics).into_iter().map(row))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_a_decimal_comma() {
        assert_eq!(number(Some(Decimal(-123_450))), "-1234,5");
    }
}
