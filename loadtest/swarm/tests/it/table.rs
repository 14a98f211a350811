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
