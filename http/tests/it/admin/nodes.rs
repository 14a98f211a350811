//! The nodes of the installation as platform admins see them, and what one node takes away on the other.

use std::time::Duration;

use bipe_core::auth::session::resume::SocketOwner;
use bipe_core::clock::Clock;
use bipe_http::Shutdown;
use bipe_testkit::{NatsServer, Person, caller};
use jiff::SignedDuration;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep, timeout};

use super::admin;
use crate::app::{TestApp, spawn_app, spawn_app_with};
use crate::live::{channel, company_of_ana};

const NODES: &str = "/api/admin/nodes";
const SECRET: &str = "0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c4b5a6978";
/// Nothing is measured by it: a busy machine may take long.
const TIMEOUT: Duration = Duration::from_secs(30);

#[actix_web::test]
async fn one_node_without_a_bus_is_the_normal_state() {
    let server = spawn_app().await;
    let root = admin(&server).await;
    let answer = server.get_as(&root, NODES).await;
    let data = answer.data(200);
    assert_eq!(data["problems"], json!([]));
    assert_eq!(
        data["bus"],
        json!({"status": "none", "suspectSince": null, "suspicions": 0, "dropped": 0, "refused": []})
    );
    let [node] = data["nodes"].as_array().unwrap().as_slice() else { panic!("{data}") };
    assert_eq!((&node["own"], &node["status"]), (&json!(true), &json!("serving")));
    assert_eq!(node["state"]["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(node["state"]["database"]["history"], data["database"]["history"]);
    assert_eq!(data["database"]["standbys"], json!([]));
    assert_eq!(data["database"]["commitsAreDurable"], json!(true), "{}", answer.text);
}

#[actix_web::test]
async fn the_database_is_asked_once_for_any_number_of_viewers() {
    let server = spawn_app().await;
    let root = admin(&server).await;
    server.get_as(&root, NODES).await.data(200);
    server.database.db.take_statements();
    let began = Instant::now();
    for _ in 0..20 {
        server.get_as(&root, NODES).await.data(200);
    }
    let took = began.elapsed();
    let asked = server.database.db.take_statements();
    let asked = asked.iter().filter(|sql| sql.contains("pg_stat_replication")).count();
    let most = took.as_secs() / 2 + 1;
    assert!(u64::try_from(asked).unwrap() <= most, "{asked} within {took:?}");
}

/// Two servers of one database with a bus between them, once they hear each other.
async fn two_nodes(nats: &NatsServer) -> (TestApp, TestApp) {
    let first = spawn_app_with(&["--nats-url", &nats.url(), "--secret", SECRET]).await;
    let second = first.second().await;
    until_both_hear(&first, &second).await;
    (first, second)
}

async fn until_both_hear(first: &TestApp, second: &TestApp) {
    for server in [first, second] {
        until_live(server, 2).await;
    }
}

async fn until_live(server: &TestApp, count: u32) {
    let hearing = async {
        while server.app.nodes.live().count() != count {
            sleep(Duration::from_millis(20)).await;
        }
    };
    timeout(TIMEOUT, hearing).await.expect("the live nodes are counted");
}

/// Another node whose clock is ahead.
async fn second_ahead(first: &TestApp, by: SignedDuration) -> TestApp {
    first.second_at(Clock::fixed(first.app.clock.now().checked_add(by).unwrap(), 8)).await
}

/// What the page shows of the other node, once it fits.
async fn until_shown(server: &TestApp, root: &Person, fits: impl Fn(&Value) -> bool) -> Value {
    let showing = async {
        loop {
            let answer = server.get_as(root, NODES).await;
            let nodes = answer.data(200)["nodes"].as_array().unwrap().clone();
            if nodes.len() == 2 && fits(&nodes[1]) {
                return nodes[1].clone();
            }
            sleep(Duration::from_millis(50)).await;
        }
    };
    timeout(TIMEOUT, showing).await.expect("the other node in time")
}

#[actix_web::test]
async fn each_node_shows_the_other_and_that_it_drains() {
    let Some(nats) = NatsServer::start().await else { return };
    let (first, second) = two_nodes(&nats).await;
    let root = admin(&first).await;
    second.get_as(&root, NODES).await.data(200);
    let other = until_shown(&first, &root, |node| node["state"]["database"].is_object()).await;
    assert_eq!(other["id"], json!(second.app.nodes.id()));
    assert_eq!((&other["own"], &other["status"]), (&json!(false), &json!("serving")));
    assert_eq!(other["clockAheadSeconds"], 0);
    let shown = first.get_as(&root, NODES).await;
    assert!(["trusted", "suspect"].map(Value::from).contains(&shown.data(200)["bus"]["status"]));
    assert_eq!(shown.data(200)["problems"], json!([]));

    second.app.shutdown.send_replace(Shutdown::Announced);
    second.app.nodes.tell_state();
    until_shown(&first, &root, |node| node["status"] == "draining").await;
}

#[actix_web::test]
async fn a_node_that_stops_tells_what_it_commits_until_it_leaves() {
    let Some(nats) = NatsServer::start().await else { return };
    let (first, second) = two_nodes(&nats).await;
    let (ana, company) = company_of_ana(&first).await;
    let mut client = second.live(&ana, &[json!({"channel": channel(company)})]).await;
    client.until("live").await;
    first.app.live.drain().await;
    first.rename(&ana, company, "Ponto que Fica").await;
    client.event("company.updated").await;
    // On a busy machine one may not be heard for a while.
    until_live(&second, 2).await;
    first.app.live.end().await;
    until_live(&second, 1).await;
}

#[actix_web::test]
async fn clocks_that_differ_by_seconds_are_a_problem_that_is_told() {
    let Some(nats) = NatsServer::start().await else { return };
    let first = spawn_app_with(&["--nats-url", &nats.url(), "--secret", SECRET]).await;
    let root = admin(&first).await;
    for (seconds, problems) in [(2, json!([])), (3, json!(["clocksDiffer"]))] {
        let second = second_ahead(&first, SignedDuration::from_secs(seconds)).await;
        until_both_hear(&first, &second).await;
        let id = json!(second.app.nodes.id());
        let shown = until_shown(&first, &root, |node| node["id"] == id).await;
        assert_eq!(shown["clockAheadSeconds"], seconds);
        assert_eq!(first.get_as(&root, NODES).await.data(200)["problems"], problems);
        drop(second);
        until_live(&first, 1).await;
    }
}

#[actix_web::test]
async fn a_node_whose_clock_is_ten_minutes_off_is_named_and_hears_of_revocations() {
    let Some(nats) = NatsServer::start().await else { return };
    let first = spawn_app_with(&["--nats-url", &nats.url(), "--secret", SECRET]).await;
    let second = second_ahead(&first, SignedDuration::from_mins(10)).await;
    let root = admin(&first).await;
    let telling = async {
        loop {
            let shown = first.get_as(&root, NODES).await;
            let data = shown.data(200);
            if let Some(refused) = data["bus"]["refused"].get(0) {
                return (refused.clone(), data["problems"].clone(), data["nodes"].clone());
            }
            sleep(Duration::from_millis(50)).await;
        }
    };
    let (refused, problems, nodes) = timeout(TIMEOUT, telling).await.expect("it is refused");
    assert_eq!((&refused["reason"], &refused["clockAheadSeconds"]), (&json!("stale"), &json!(600)));
    assert_eq!(refused["node"], json!(second.app.nodes.id()));
    assert_eq!(problems, json!(["messagesRefused"]));
    assert_eq!(nodes.as_array().unwrap().len(), 1, "what is refused is no node");

    // A session ends on either node, and with it what the other one grants it.
    for (name, writer, other) in [("ana", &first, &second), ("rui", &second, &first)] {
        let person = first.person(&format!("{name}@example.com")).await;
        let mut socket = other.live(&person, &[json!({"channel": "user"})]).await;
        socket.until("live").await;
        writer.app.auth.sign_out(&person.refresh_token, &caller()).await.unwrap();
        assert_eq!(socket.closed().await, 4004);
        let refusing = async {
            while other.get_as(&person, "/api/companies").await.status == 200 {
                sleep(Duration::from_millis(50)).await;
            }
        };
        timeout(Duration::from_secs(4), refusing).await.expect("its calls are refused");
    }
}

/// What another node commits voids the proofs that this one keeps for a second, as soon as the bus brings it.
#[actix_web::test]
async fn a_session_that_ends_on_one_node_is_forgotten_by_the_other() {
    let Some(nats) = NatsServer::start().await else { return };
    let (first, second) = two_nodes(&nats).await;
    let ana = first.person("ana@example.com").await;
    second.get_as(&ana, "/api/companies").await.data(200);
    let heard = second.app.db.access_changes();
    first.app.auth.sign_out(&ana.refresh_token, &caller()).await.unwrap();
    let hearing = async {
        while second.app.db.access_changes() == heard {
            sleep(Duration::from_millis(5)).await;
        }
    };
    timeout(TIMEOUT, hearing).await.expect("the bus brings it: nobody here reads her channel");
    second.get_as(&ana, "/api/companies").await.refused(401, "UNAUTHORIZED");
}

/// Whether the node has asked the database for it since the last call.
fn has_read(server: &TestApp, words: &str) -> bool {
    server.app.db.take_statements().iter().any(|sql| sql.contains(words))
}

/// A resume token is good without a question to the database. The database is asked once a second which sessions have
/// ended; the bus is faster, and shows in a try that no such question disturbs.
#[actix_web::test]
async fn the_bus_voids_the_resume_tokens_of_a_session_that_ends_on_another_node() {
    let Some(nats) = NatsServer::start().await else { return };
    let (first, second) = two_nodes(&nats).await;
    let is_void = async |token: &str| {
        let waiting = async {
            while second.app.auth.check_resume(token, second.app.clock.now()).is_some() {
                sleep(Duration::from_millis(5)).await;
            }
        };
        timeout(Duration::from_millis(500), waiting).await.is_ok()
    };
    for n in 0..20 {
        let ana = first.person(&format!("ana{n}@example.com")).await;
        let who = first.session(&ana).await;
        let now = first.app.clock.now();
        let until = now.checked_add(SignedDuration::from_hours(1)).unwrap();
        let token = second.app.auth.issue_resume(SocketOwner { who, until }, now);
        has_read(&second, "revoked_at");
        assert!(second.app.auth.check_resume(&token, now).is_some());
        first.app.auth.sign_out(&ana.refresh_token, &caller()).await.unwrap();
        let is_void = is_void(&token).await;
        if !has_read(&second, "revoked_at") {
            assert!(is_void, "the bus has brought it");
            return;
        }
    }
    panic!("the database was asked in each try");
}

/// The head check would bring it, too. So it is tried until the node has read no event from the database.
#[actix_web::test]
async fn the_bus_takes_the_sockets_of_a_removed_member_and_of_an_ended_session_on_another_node() {
    let Some(nats) = NatsServer::start().await else { return };
    let (first, second) = two_nodes(&nats).await;
    let ana = first.person("ana@example.com").await;
    let company = first.company(&ana, "Alfa").await;
    let channel = format!("company/{company}");
    let (mut removed_by_bus, mut ended_by_bus, mut n) = (false, false, 0);
    let trying = async {
        while !removed_by_bus || !ended_by_bus {
            n += 1;
            let otto = first.person(&format!("otto{n}@example.com")).await;
            first.join(&otto, company, "operator").await;
            let mut socket = second.live(&otto, &[json!({"channel": channel})]).await;
            socket.until("live").await;
            let member = format!("/api/companies/{company}/users/{}", otto.id);
            has_read(&second, "FROM events");
            assert_eq!(first.delete_as(&ana, &member).await.status, 204);
            let gone = socket.until("unsubscribed").await.pop().unwrap();
            assert_eq!((&gone["channel"], &gone["code"]), (&json!(channel), &json!("FORBIDDEN")));
            removed_by_bus |= !has_read(&second, "FROM events");
            first.app.auth.sign_out(&otto.refresh_token, &caller()).await.unwrap();
            assert_eq!(socket.closed().await, 4004);
            ended_by_bus |= !has_read(&second, "FROM events");
        }
    };
    timeout(TIMEOUT, trying).await.expect("the bus brings both");
}

/// Each of three nodes allows a third of a network's calls, and two thirds of its sockets.
#[actix_web::test]
async fn nodes_that_hear_each_other_share_the_limits() {
    let Some(nats) = NatsServer::start().await else { return };
    let (first, second) = two_nodes(&nats).await;
    let third = first.second().await;
    let [here, ip] = ["203.0.113.9", "10.0.0.9"].map(|ip| ip.parse().unwrap());
    for server in [&first, &second, &third] {
        until_live(server, 3).await;
        server.app.limits.hold();
        let allowed = (0..150).filter(|_| server.app.limits.anonymous.take(here).is_ok()).count();
        assert_eq!(allowed, 33, "of 100");
        let sockets = server.app.live.sockets();
        let permits: Vec<_> = (0..1_000).map_while(|_| sockets.open(ip)).collect();
        assert_eq!(permits.len(), 14, "of 20 that have not said hello");
    }
}
