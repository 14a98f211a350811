//! The nodes of the installation, the bus between them and the database's standbys, as platform admins see them. Asks
//! the database nothing of its own: `http/src/nodes.rs` keeps what it said last.

use std::sync::Arc;
use std::time::Duration;

use actix_web::{get, web};
use bipe_actors::bus::Nodes;
use bipe_actors::bus::node_state::{NodeState, OtherNode};
use bipe_actors::bus::nodes::BusReport;
use bipe_core::database_status::DatabaseStatus;
use jiff::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::App;
use crate::error::{Answer, Reply, ok};
use crate::extract::Admin;
use crate::nodes::CLOCK_TOLERANCE;

/// A bus that stays suspect for longer than it takes to trust it again has a reason that a person should know.
const LONG_SUSPECT: Duration = Duration::from_secs(90);
/// For so long after a refused message there is a problem.
const REFUSED_LATELY: Duration = Duration::from_mins(1);
/// A node whose beat is older than this is silent.
const SILENT_AFTER: Duration = Duration::from_secs(2);

#[derive(Serialize, ToSchema)]
pub struct Installation {
    /// This node first, then those that it heard within the last minute.
    nodes: Vec<NodeView>,
    bus: BusView,
    /// Null while the database does not answer.
    database: Option<DatabaseStatus>,
    /// What an operator should look at; empty in normal operation.
    problems: Vec<NodeProblem>,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct NodeView {
    id: Uuid,
    /// The node that answers this call.
    own: bool,
    status: NodeStatus,
    /// Whole seconds since it was heard.
    silent_seconds: u64,
    /// Whole seconds by which its clock is ahead of this node's; negative when it is behind.
    clock_ahead_seconds: i64,
    /// Null where the node has not told it.
    state: Option<NodeState>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
enum NodeStatus {
    Serving,
    Draining,
    /// Not heard any more, and it did not say that it ends.
    Silent,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct BusView {
    status: BusStatus,
    /// Since when the bus is suspect; null in every other state.
    suspect_since: Option<Timestamp>,
    /// How often it became suspect since this node started.
    suspicions: u64,
    /// Messages that were not passed on since then.
    dropped: u64,
    /// Messages that were refused since then, by reason.
    refused: Vec<RefusedView>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
enum BusStatus {
    /// No NATS is set: the node is alone, or learns of the others by the database.
    None,
    Trusted,
    /// Messages may be missing: the database is asked for all channels each second.
    Suspect,
    Disconnected,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct RefusedView {
    /// `forged`, `malformed`, `stale`, `too_long` or `version`.
    reason: &'static str,
    count: u64,
    last_at: Timestamp,
    /// Of the last message: the node that it names. Null for other reasons than `stale`.
    node: Option<Uuid>,
    /// Whole seconds by which the clock of that node was ahead; negative when it was behind.
    clock_ahead_seconds: Option<i64>,
}

/// A sign that something is wrong between nodes or with the database's copies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
enum NodeProblem {
    BusDisconnected,
    BusSuspect,
    MessagesRefused,
    NodeSilent,
    ClocksDiffer,
    /// The nodes see databases of different histories.
    HistoriesDiffer,
    DatabaseSilent,
    CommitsNotDurable,
    StandbyMissing,
    StandbyBehind,
}

/// The nodes, the bus between them and the database. Cheap: nothing is asked of the database for a viewer.
#[utoipa::path(tag = "admin", security(("bearer" = [])),
    responses((status = 200, body = Answer<Installation>)))]
#[get("/nodes")]
pub async fn list(app: web::Data<App>, _admin: Admin) -> Reply {
    let nodes = &app.nodes;
    let database = app.node_watch.database().await;
    let (bus, others) = (nodes.bus(), nodes.others());
    let problems = problems(bus.as_ref(), &others, database.as_deref());
    let mut views = vec![own(nodes)];
    views.extend(others.into_iter().map(other));
    let bus = bus_view(bus, app.clock.now());
    let database = database.map(Arc::unwrap_or_clone);
    Ok(ok(Installation { nodes: views, bus, database, problems }))
}

fn own(nodes: &Nodes) -> NodeView {
    let state = nodes.own();
    let status = status(true, state.as_ref());
    NodeView { id: nodes.id(), own: true, status, silent_seconds: 0, clock_ahead_seconds: 0, state }
}

fn other(node: OtherNode) -> NodeView {
    NodeView {
        id: node.id,
        own: false,
        status: status(node.silent < SILENT_AFTER, node.state.as_ref()),
        silent_seconds: node.silent.as_secs(),
        clock_ahead_seconds: node.clock_ahead.as_secs(),
        state: node.state,
    }
}

fn status(is_heard: bool, state: Option<&NodeState>) -> NodeStatus {
    match state {
        _ if !is_heard => NodeStatus::Silent,
        Some(state) if state.draining => NodeStatus::Draining,
        _ => NodeStatus::Serving,
    }
}

fn bus_view(bus: Option<BusReport>, now: Timestamp) -> BusView {
    let ago = |past: Duration| now.saturating_sub(past).unwrap_or(now);
    let Some(bus) = bus else {
        let (status, refused) = (BusStatus::None, Vec::new());
        return BusView { status, suspect_since: None, suspicions: 0, dropped: 0, refused };
    };
    let status = match bus.suspect_for {
        _ if !bus.is_connected => BusStatus::Disconnected,
        Some(_) => BusStatus::Suspect,
        None => BusStatus::Trusted,
    };
    let refused = bus.refused.into_iter().map(|refused| RefusedView {
        reason: refused.refusal.as_str(),
        count: refused.count,
        last_at: ago(refused.last.elapsed()),
        node: refused.refusal.stale().map(|clock| clock.node),
        clock_ahead_seconds: refused.refusal.stale().map(|clock| clock.ahead.as_secs()),
    });
    BusView {
        status,
        suspect_since: bus.suspect_for.filter(|_| bus.is_connected).map(ago),
        suspicions: bus.suspicions,
        dropped: bus.dropped,
        refused: refused.collect(),
    }
}

/// What disturbs the installation now. A node that joins makes the bus suspect for half a minute: that is no problem.
/// Who is not connected hears nobody: the silence of the others is the bus's then.
fn problems(
    bus: Option<&BusReport>,
    others: &[OtherNode],
    database: Option<&DatabaseStatus>,
) -> Vec<NodeProblem> {
    let is_long = |bus: &BusReport| bus.suspect_for.is_some_and(|time| time > LONG_SUSPECT);
    let is_refusing =
        |bus: &BusReport| bus.refused.iter().any(|refused| refused.last.elapsed() < REFUSED_LATELY);
    let is_off = |node: &OtherNode| node.clock_ahead.abs() > CLOCK_TOLERANCE;
    let history = database.map(|database| &database.history);
    let tells_another = |node: &OtherNode| {
        let told = node.state.as_ref().and_then(|state| state.database.as_ref());
        node.silent < SILENT_AFTER
            && told.zip(history).is_some_and(|(told, own)| told.history != *own)
    };
    let is_behind = |database: &DatabaseStatus| {
        database.standbys.iter().any(bipe_core::database_status::Standby::is_behind)
    };
    let is_deaf = bus.is_some_and(|bus| !bus.is_connected);
    let signs = [
        (NodeProblem::BusDisconnected, is_deaf),
        (NodeProblem::BusSuspect, !is_deaf && bus.is_some_and(is_long)),
        (NodeProblem::MessagesRefused, bus.is_some_and(is_refusing)),
        (NodeProblem::NodeSilent, !is_deaf && others.iter().any(|node| !node.is_live())),
        (NodeProblem::ClocksDiffer, others.iter().any(is_off)),
        (NodeProblem::HistoriesDiffer, others.iter().any(tells_another)),
        (NodeProblem::DatabaseSilent, database.is_none()),
        (NodeProblem::CommitsNotDurable, database.is_some_and(|d| !d.commits_are_durable)),
        (NodeProblem::StandbyMissing, database.is_some_and(DatabaseStatus::lacks_standby)),
        (NodeProblem::StandbyBehind, database.is_some_and(is_behind)),
    ];
    signs.into_iter().filter(|(_, is_there)| *is_there).map(|(problem, _)| problem).collect()
}

#[cfg(test)]
mod tests {
    use jiff::SignedDuration;

    use super::*;

    fn bus(is_connected: bool) -> BusReport {
        let suspect_for = Some(LONG_SUSPECT * 2);
        BusReport { is_connected, suspect_for, suspicions: 1, dropped: 0, refused: Vec::new() }
    }

    #[test]
    fn a_node_that_is_not_connected_does_not_call_the_others_silent() {
        let (id, clock_ahead) = (Uuid::from_u128(1), SignedDuration::ZERO);
        let others = [OtherNode { id, silent: Duration::from_secs(7), clock_ahead, state: None }];
        let named = |is_connected| problems(Some(&bus(is_connected)), &others, None);
        let (silent, away) = (NodeProblem::NodeSilent, NodeProblem::BusDisconnected);
        assert_eq!(named(true), [NodeProblem::BusSuspect, silent, NodeProblem::DatabaseSilent]);
        assert_eq!(named(false), [away, NodeProblem::DatabaseSilent]);
    }
}
