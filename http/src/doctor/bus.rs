//! Whether NATS is reached, which nodes speak there, and which messages a node refuses. Called by `mod.rs` and
//! by `http/src/upgrade.rs`.

use std::collections::BTreeMap;
use std::time::Duration;

use bipe_actors::bus::node_state::OtherNode;
use bipe_actors::bus::refusals::Refused;
use bipe_actors::bus::{BusObservation, NatsError, listen};
use bipe_core::auth::Keys;
use bipe_core::clock::Clock;
use bipe_core::config::Config;
use tokio::runtime::Handle;

use super::guide;
use super::report::Check;
use crate::boot::nats_settings;
use crate::nodes::CLOCK_TOLERANCE;

const REACHED: &str = "bus.reached";
const NODES: &str = "bus.nodes";
const CLOCKS: &str = "clock.nodes";
const REFUSED: &str = "bus.refused";

pub async fn examine(config: &Config, clock: &Clock) -> [Check; 4] {
    let keys = config.secret.as_ref().map(Keys::derive);
    let settings =
        keys.and_then(|keys| nats_settings(config, &keys, clock.clone(), Handle::current()));
    let Some(settings) = settings else {
        let why = "not configured: NATS_URL; each node learns of the others by the database";
        return [REACHED, NODES, CLOCKS, REFUSED].map(|check| Check::skipped(check, why));
    };
    judge(listen(&settings).await)
}

fn judge(heard: Result<BusObservation, NatsError>) -> [Check; 4] {
    match heard {
        Ok(heard) => [
            reached(heard.connected_after),
            nodes(&heard.nodes),
            clocks(&heard.nodes),
            refused(&heard.refused),
        ],
        Err(error) => {
            let advice = "check NATS_URL, its user and password or NATS_CREDENTIALS, NATS_CA and the rights on `bipe.>`";
            let finding = Check::finding(REACHED, error.to_string(), advice, guide::BUS);
            let skipped = |check| Check::skipped(check, "NATS was not reached");
            [finding, skipped(NODES), skipped(CLOCKS), skipped(REFUSED)]
        }
    }
}

fn reached(after: Duration) -> Check {
    let says = format!("NATS takes connection, login and a ping in {} ms", after.as_millis());
    Check::ok(REACHED, says)
}

/// Two builds side by side are a deploy, so they are told and no finding.
fn nodes(nodes: &[OtherNode]) -> Check {
    let mut versions: BTreeMap<&str, u32> = BTreeMap::new();
    for node in nodes {
        let version = node.state.as_ref().map_or("a version it does not tell", |s| &s.version);
        *versions.entry(version).or_default() += 1;
    }
    if versions.is_empty() {
        let advice = "compare NATS_URL, BIPE_SECRET and the host in BIPE_PUBLIC_URL with those of `bipe serve`";
        return Check::finding(NODES, "no node is heard", advice, guide::SEVERAL_NODES);
    }
    let counted = versions.iter().map(|(version, count)| format!("{count} of {version}"));
    let says = format!("nodes heard: {}", counted.collect::<Vec<_>>().join(", "));
    Check::ok(NODES, says)
}

fn clocks(nodes: &[OtherNode]) -> Check {
    let Some(node) = nodes.iter().max_by_key(|node| node.clock_ahead.abs()) else {
        return Check::skipped(CLOCKS, "no node is heard");
    };
    let says = format!("node {} is {} ms ahead", node.id, node.clock_ahead.as_millis());
    if node.clock_ahead.abs() > CLOCK_TOLERANCE {
        let advice = "run `timedatectl` on this machine and on the node's: one is not synchronised";
        return Check::finding(CLOCKS, says, advice, guide::SEVERAL_NODES);
    }
    Check::ok(CLOCKS, says)
}

fn refused(refused: &[Refused]) -> Check {
    if refused.is_empty() {
        return Check::ok(REFUSED, "no message is refused");
    }
    let tell = |one: &Refused| {
        let reason = one.refusal.as_str();
        format!("{} {reason} in 3 s: {}", one.count, one.refusal.meaning())
    };
    let says = refused.iter().map(tell).collect::<Vec<_>>().join("; ");
    let advice = "the page has a line for each reason; the log of `bipe serve` names the node";
    Check::finding(REFUSED, says, advice, guide::BUS_REFUSED)
}

#[cfg(test)]
mod tests {
    use jiff::SignedDuration;
    use uuid::Uuid;

    use super::*;
    use crate::doctor::report::Outcome::{Finding, Ok as Good, Skipped};

    fn node(clock_ahead: SignedDuration) -> OtherNode {
        OtherNode { id: Uuid::from_u128(7), silent: Duration::ZERO, clock_ahead, state: None }
    }

    fn outcomes(nodes: Vec<OtherNode>) -> [crate::doctor::report::Outcome; 4] {
        let connected_after = Duration::from_millis(3);
        judge(Ok(BusObservation { connected_after, nodes, refused: Vec::new() }))
            .map(|check| check.outcome)
    }

    #[test]
    fn a_bus_without_a_node_is_a_finding() {
        assert_eq!(outcomes(Vec::new()), [Good, Finding, Skipped, Good]);
        assert_eq!(outcomes(vec![node(SignedDuration::ZERO)]), [Good; 4]);
    }

    #[test]
    fn the_clock_that_differs_most_is_told() {
        let clocks = |ahead| outcomes(vec![node(SignedDuration::ZERO), node(ahead)])[2];
        assert_eq!((clocks(CLOCK_TOLERANCE), clocks(-CLOCK_TOLERANCE)), (Good, Good));
        let more = CLOCK_TOLERANCE + SignedDuration::from_millis(1);
        assert_eq!((clocks(more), clocks(-more)), (Finding, Finding));
    }

    #[test]
    fn a_bus_that_is_not_reached_is_told_in_the_words_of_nats() {
        let [reached, rest @ ..] = judge(Err(NatsError::Refused("no rights".into())));
        assert_eq!((reached.outcome, rest.map(|check| check.outcome)), (Finding, [Skipped; 3]));
        assert!(reached.says.contains("no rights"), "{}", reached.says);
    }
}
