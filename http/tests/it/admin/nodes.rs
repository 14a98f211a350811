//! The nodes of the installation as platform admins see them, and what one node takes away on the other.

use std::time::Duration;

use bipe_http::Shutdown;
use bipe_testkit::{NatsServer, Person, caller};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep, timeout};

use super::admin;
use crate::app::{TestApp, spawn_app, spawn_app_with};

const NODES: &str = "/api/admin/nodes";
const SECRET: &str = "0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c4b5a6978";
/// Nothing is measured by it: a busy machine may take long.
const PATIENCE: Duration = Duration::from_secs(30);

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
    let hearing = async {
        for server in [&first, &second] {
            while server.app.nodes.nodes().live().count() < 2 {
                sleep(Duration::from_millis(20)).await;
            }
        }
    };
    timeout(PATIENCE, hearing).await.expect("both hear each other");
    (first, second)
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
    timeout(PATIENCE, showing).await.expect("the other node in time")
}

#[actix_web::test]
async fn each_node_shows_the_other_and_that_it_drains() {
    let Some(nats) = NatsServer::start().await else { return };
    let (first, second) = two_nodes(&nats).await;
    let root = admin(&first).await;
    second.get_as(&root, NODES).await.data(200);
    let other = until_shown(&first, &root, |node| node["state"]["database"].is_object()).await;
    assert_eq!(other["id"], json!(second.app.nodes.nodes().id()));
    assert_eq!((&other["own"], &other["status"]), (&json!(false), &json!("serving")));
    assert_eq!(other["clockAheadSeconds"], 0);
    let shown = first.get_as(&root, NODES).await;
    assert!(["trusted", "suspect"].map(Value::from).contains(&shown.data(200)["bus"]["status"]));
    assert_eq!(shown.data(200)["problems"], json!([]));

    second.app.shutdown.send_replace(Shutdown::Announced);
    second.app.nodes.nodes().tell();
    until_shown(&first, &root, |node| node["status"] == "draining").await;
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
    timeout(PATIENCE, hearing).await.expect("the bus brings it: nobody here reads her channel");
    second.get_as(&ana, "/api/companies").await.refused(401, "UNAUTHORIZED");
}

#[actix_web::test]
async fn a_removed_member_and_an_ended_session_lose_their_sockets_on_the_other_node() {
    let Some(nats) = NatsServer::start().await else { return };
    let (first, second) = two_nodes(&nats).await;
    let ana = first.person("ana@example.com").await;
    let company = first.company(&ana, "Alfa").await;
    let otto = first.person("otto@example.com").await;
    first.join(&otto, company, "operator").await;
    let channel = format!("company/{company}");
    let mut socket = second.live(&otto, &[json!({"channel": channel})]).await;
    socket.until("live").await;
    let began = Instant::now();
    let removed =
        first.delete_as(&ana, &format!("/api/companies/{company}/users/{}", otto.id)).await;
    assert_eq!(removed.status, 204, "{}", removed.text);
    let gone = socket.until("unsubscribed").await.pop().unwrap();
    assert_eq!((&gone["channel"], &gone["code"]), (&json!(channel), &json!("FORBIDDEN")));
    println!("a removed member: {:?}", began.elapsed());
    let began = Instant::now();
    first.app.auth.sign_out(&otto.refresh_token, &caller()).await.unwrap();
    assert_eq!(socket.closed().await, 4004);
    println!("an ended session: {:?}", began.elapsed());
}
