//! The goals as a picture: a bar each, the goal at one line for all, so that what is missing is seen at once.

use serde_json::Value;

use crate::table::{Bound, Row, short};

const LEFT: f64 = 290.0;
/// Where every goal stands.
const GOAL: f64 = 200.0;
const MAX_WIDTH: f64 = 420.0;
const LINE: f64 = 26.0;
const TOP: f64 = 64.0;

pub fn of(facts: &Value, goals: &[Row]) -> String {
    let lines = u32::try_from(goals.len()).map_or(0.0, f64::from);
    let (width, height) = (LEFT + MAX_WIDTH + 200.0, TOP + lines * LINE + 24.0);
    let fact = |name: &str| facts.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"system-ui, sans-serif\" font-size=\"13\">\
         <rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\
         <text x=\"16\" y=\"26\" font-size=\"16\" fill=\"#111\">Bipe beside others</text>\
         <text x=\"16\" y=\"46\" fill=\"#555\">{}, {}; a bar to the line or beyond holds</text>",
        escaped(&fact("processor")),
        escaped(&fact("kernel")),
    );
    let mut y = TOP;
    for row in goals {
        svg += &bar(row, y);
        y += LINE;
    }
    let x = LEFT + GOAL;
    svg += &format!("<line x1=\"{x}\" x2=\"{x}\" y1=\"{TOP}\" y2=\"{y}\" stroke=\"#111\"/></svg>");
    svg
}

fn bar(row: &Row, y: f64) -> String {
    let color = match row.holds() {
        Some(true) => "#0f7b3f",
        Some(false) => "#b42318",
        None => "#999",
    };
    let width = row.value.map_or(0.0, |value| (share(row, value) * GOAL).clamp(2.0, MAX_WIDTH));
    let (base, middle) = (y + 17.0, y + 5.0);
    let value = row.value.map_or_else(|| "–".into(), short);
    format!(
        "<text x=\"{}\" y=\"{base}\" text-anchor=\"end\" fill=\"#111\">{}</text>\
         <rect x=\"{LEFT}\" y=\"{middle}\" width=\"{width:.1}\" height=\"16\" fill=\"{color}\"/>\
         <text x=\"{}\" y=\"{base}\" fill=\"#111\">{value} ({})</text>",
        LEFT - 8.0,
        escaped(row.name),
        LEFT + width.max(GOAL) + 8.0,
        escaped(&row.goal()),
    )
}

/// How much of the goal is reached: one is the goal, more is better.
fn share(row: &Row, value: f64) -> f64 {
    match row.bound {
        Bound::AtLeast(bound) => value / bound,
        // Nothing at all is as good as it gets; a goal of nothing is reached or not.
        Bound::AtMost(_) if value <= 0.0 => 1.0,
        Bound::AtMost(bound) => bound / value,
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
