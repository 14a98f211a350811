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
fn what_is_lost_in_one_round_of_three_is_lost() {
    let mut measured = Measured::default();
    for (gaps, share) in [(0, 1.0), (7, 1.0), (0, 0.9)] {
        let found = json!({"gaps": gaps, "arrivedShare": share, "p99Ms": 500.0 + f64::from(gaps)});
        measured.add("subscribers", BIPE, found);
    }
    let goals = goals(&measured);
    let named = |name: &str| goals.iter().find(|row| row.name == name).unwrap();
    let value = |name: &str| (named(name).value, named(name).holds());
    assert_eq!(value("their gaps"), (Some(7.0), Some(false)));
    assert_eq!(value("their updates that arrived"), (Some(0.9), Some(false)));
    assert_eq!(value("their p99, ms"), (Some(500.0), Some(true)));
}

#[test]
fn nothing_lost_is_not_said_of_rounds_of_which_one_failed() {
    let mut measured = Measured::default();
    measured.add("fanout", BIPE, json!({"deliveriesPerSecond": 100.0, "gaps": 0}));
    measured.add("fanout", BIPE, json!({"error": "event 7 came to 4999 of 5000 readers"}));
    let goals = goals(&measured);
    let gaps = goals.iter().find(|row| row.name == "fan-out: gaps").unwrap();
    assert_eq!(gaps.verdict(), "not measured");
}

#[test]
fn readers_that_were_cut_off_miss_a_goal_though_those_who_are_left_miss_nothing() {
    let mut measured = Measured::default();
    measured.add("fanout", BIPE, json!({"gaps": 0, "lostSockets": 40}));
    measured.add("slow", BIPE, json!({"p99Ratio": 1.0, "healthyLost": 40}));
    for name in ["fan-out: lost sockets", "lost sockets beside stalled ones"] {
        let goals = goals(&measured);
        let row = goals.iter().find(|row| row.name == name).unwrap();
        assert_eq!(row.verdict(), "does not hold", "{name}");
    }
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
