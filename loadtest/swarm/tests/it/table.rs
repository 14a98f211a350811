//! Medians and the goals that they are held against.

use bipe_swarm::peer::{BUN_PEER, LIMIT};
use bipe_swarm::table::{BIPE, Measured, goals, text};
use serde_json::json;

fn measured() -> Measured {
    let mut measured = Measured::default();
    for rate in [300.0, 100.0, 200.0] {
        measured.add("fanout", BIPE, json!({"deliveriesPerSecond": rate, "gaps": 0}));
    }
    measured.add("fanout", LIMIT, json!({"deliveriesPerSecond": 400.0}));
    measured.add("fanout", BUN_PEER, json!({"error": "no Bun"}));
    measured
}

#[test]
fn goals_are_held_against_medians() {
    let goals = goals(&measured());
    let named = |name: &str| goals.iter().find(|row| row.name == name).unwrap();
    let limit = named("fan-out of the raw limit");
    assert_eq!((limit.value, limit.holds()), (Some(0.5), Some(false)));
    assert_eq!(named("fan-out of Bun").verdict(), "not measured");
    assert_eq!(named("fan-out: gaps").holds(), Some(true));
    assert!(goals.iter().all(|row| row.mode == "fanout"), "nothing of what did not run");
}

#[test]
fn the_table_names_every_goal_and_every_error() {
    let measured = measured();
    let text = text(&json!({"cores": 2}), 3, &measured, &goals(&measured));
    assert!(text.contains("| fan-out of the raw limit | 0.50 | ≥ 0.60 | does not hold |"));
    assert!(text.contains("| fanout | bun | error: no Bun |"), "{text}");
    assert!(text.contains("- cores: 2"));
}

#[test]
fn a_round_that_failed_stands_beside_the_medians_of_the_others() {
    let mut measured = Measured::default();
    measured.add("fanout", BUN_PEER, json!({"error": "HTTP/1.1 503\r\n\r\na|b"}));
    for rate in [100.0, 300.0] {
        measured.add("fanout", BUN_PEER, json!({"deliveriesPerSecond": rate}));
    }
    let text = text(&json!({}), 3, &measured, &[]);
    let row = "| fanout | bun | deliveriesPerSecond 200.0, error: HTTP/1.1 503 a/b |";
    assert!(text.contains(row), "{text}");
}
