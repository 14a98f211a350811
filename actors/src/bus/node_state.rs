//! What nodes tell of themselves in their beats, and what this node keeps of it. Pure: times are arguments.
//!
//! Shown to platform admins; nothing else depends on it but the number of live nodes, by which limits are divided.
//! Invariant: what others say is bounded, in the number of nodes and in the length of each word.

use std::collections::HashMap;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use tokio::time::Instant;
use utoipa::ToSchema;
use uuid::Uuid;

use super::health::{GONE_AFTER, MAX_NODES};

/// How long a node that vanished without a word is still listed, so that a person notices.
const LISTED_FOR: Duration = Duration::from_mins(1);
/// Characters of a word of another node, at most.
const LONGEST_WORD: usize = 80;

/// What a node says of itself. Fields are only added, and an added one needs a default: older nodes do not send it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct NodeState {
    /// Of the build.
    pub version: String,
    /// The newest migration of the build.
    pub schema: i32,
    /// When the process started.
    pub since: Timestamp,
    /// It was told to end.
    pub draining: bool,
    /// Open live sockets.
    pub sockets: u32,
    /// Channels with a session.
    pub channels: u32,
    pub queues: NodeQueues,
    /// Null until its database has answered.
    pub database: Option<NodeDatabase>,
}

/// How much work waits on a node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct NodeQueues {
    /// Transactions that wait for the bus.
    pub bus_out: u32,
    /// Messages of other nodes that wait for the relay.
    pub bus_in: u32,
    /// Due jobs of the whole installation, up to 10000.
    pub jobs_due: u32,
    /// Jobs that run on this node.
    pub jobs_running: u32,
    /// Requests and jobs that wait for a database connection.
    pub database_waiting: u32,
}

/// The database as a node sees it: nodes of one installation agree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct NodeDatabase {
    /// Names the history that the database tells; a failover or a restore begins another one.
    pub history: String,
    pub timeline: i64,
    /// The newest migration of the database.
    pub schema: i32,
    /// The oldest build that may serve, by its newest migration.
    pub oldest_schema: i32,
}

/// A count as a state has it.
pub fn bounded(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

impl NodeState {
    /// What another node sent; none where it is no state that this build knows, or its words are too long.
    pub fn parse(text: &str) -> Option<Self> {
        let state: Self = serde_json::from_str(text).ok()?;
        let is_short = |word: &str| word.chars().count() <= LONGEST_WORD;
        let history = state.database.as_ref().map_or("", |database| &database.history);
        (is_short(&state.version) && is_short(history)).then_some(state)
    }
}

/// Another node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OtherNode {
    pub id: Uuid,
    /// How long it has been silent.
    pub silent: Duration,
    /// How far its clock is ahead; negative when it is behind.
    pub clock_ahead: SignedDuration,
    /// None until it has told, and for a build that does not tell.
    pub state: Option<NodeState>,
}

impl OtherNode {
    pub fn is_live(&self) -> bool {
        self.silent < GONE_AFTER
    }
}

/// All nodes that were heard lately, without this one.
#[derive(Debug, Default)]
pub struct OtherNodes(HashMap<Uuid, NodeRecord>);

#[derive(Debug)]
struct NodeRecord {
    at: Instant,
    clock_ahead: SignedDuration,
    state: Option<NodeState>,
}

impl OtherNodes {
    /// A message of the node has come. True when the node was not live before.
    pub fn hear(
        &mut self,
        id: Uuid,
        clock_ahead: SignedDuration,
        state: Option<NodeState>,
        now: Instant,
    ) -> bool {
        let has_room = self.0.len() < MAX_NODES;
        let Some(node) = self.0.get_mut(&id) else {
            if has_room {
                self.0.insert(id, NodeRecord { at: now, clock_ahead, state });
            }
            return has_room;
        };
        let was_gone = now.duration_since(node.at) >= GONE_AFTER;
        (node.at, node.clock_ahead) = (now, clock_ahead);
        if state.is_some() {
            node.state = state;
        }
        was_gone
    }

    /// The node said that it ends.
    pub fn remove(&mut self, id: Uuid) {
        self.0.remove(&id);
    }

    /// Forgets nodes that are silent for long; called every 300 ms.
    pub fn forget_silent(&mut self, now: Instant) {
        self.0.retain(|_, node| now.duration_since(node.at) < LISTED_FOR);
    }

    /// How many are heard.
    pub fn live(&self, now: Instant) -> usize {
        self.0.values().filter(|node| now.duration_since(node.at) < GONE_AFTER).count()
    }

    /// Those that are listed, the longest running first.
    pub fn list(&self, now: Instant) -> Vec<OtherNode> {
        let mut nodes: Vec<OtherNode> = self
            .0
            .iter()
            .map(|(id, node)| OtherNode {
                id: *id,
                silent: now.duration_since(node.at),
                clock_ahead: node.clock_ahead,
                state: node.state.clone(),
            })
            .collect();
        nodes.sort_by_key(|node| (node.state.as_ref().map(|state| state.since), node.id));
        nodes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    pub fn state(version: &str) -> NodeState {
        NodeState {
            version: version.to_owned(),
            schema: 34,
            since: Timestamp::UNIX_EPOCH,
            draining: false,
            sockets: 3,
            channels: 2,
            queues: NodeQueues::default(),
            database: None,
        }
    }

    fn heard(nodes: &mut OtherNodes, id: u128, state: Option<NodeState>, now: Instant) -> bool {
        nodes.hear(Uuid::from_u128(id), SignedDuration::ZERO, state, now)
    }

    #[test]
    fn a_node_counts_for_six_seconds_and_is_listed_for_a_minute() {
        let (mut nodes, now) = (OtherNodes::default(), Instant::now());
        assert!(heard(&mut nodes, 1, Some(state("1")), now));
        assert!(!heard(&mut nodes, 1, None, now + GONE_AFTER / 2), "it is known");
        let last = now + GONE_AFTER / 2;
        assert_eq!(nodes.live(last + GONE_AFTER - Duration::from_millis(1)), 1);
        assert_eq!(nodes.live(last + GONE_AFTER), 0);
        let [listed] = nodes.list(last + GONE_AFTER).try_into().unwrap();
        assert!(!listed.is_live());
        assert_eq!(listed.state, Some(state("1")), "a beat without state keeps the last one");
        assert!(heard(&mut nodes, 1, None, last + GONE_AFTER), "it is back");
        nodes.forget_silent(last + GONE_AFTER + LISTED_FOR);
        assert!(nodes.list(last + GONE_AFTER + LISTED_FOR).is_empty());
    }

    #[test]
    fn a_node_that_leaves_is_gone_at_once() {
        let (mut nodes, now) = (OtherNodes::default(), Instant::now());
        heard(&mut nodes, 1, None, now);
        nodes.remove(Uuid::from_u128(1));
        assert_eq!((nodes.live(now), nodes.list(now).len()), (0, 0));
    }

    #[test]
    fn no_more_nodes_are_kept_than_the_bus_has_room_for() {
        let (mut nodes, now) = (OtherNodes::default(), Instant::now());
        for id in 0..2 * MAX_NODES {
            heard(&mut nodes, u128::try_from(id).unwrap(), None, now);
        }
        assert_eq!(nodes.live(now), MAX_NODES);
    }

    #[test]
    fn a_state_of_another_build_is_read_as_far_as_it_is_known() {
        let text = serde_json::to_string(&state("2")).unwrap();
        assert_eq!(NodeState::parse(&text), Some(state("2")));
        let newer = text.replacen('{', r#"{"moonPhase":"full","#, 1);
        assert_eq!(NodeState::parse(&newer), Some(state("2")));
        assert_eq!(NodeState::parse(r#"{"version":"2"}"#), None);
        assert_eq!(NodeState::parse(&text.replace("\"2\"", "7")), None);
        let long = serde_json::to_string(&state(&"x".repeat(LONGEST_WORD + 1))).unwrap();
        assert_eq!(NodeState::parse(&long), None);
    }
}
