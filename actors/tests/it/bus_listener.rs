//! What `bipe doctor` hears on the bus of a running installation: the nodes, and every reason to refuse a message.

use std::time::Duration;

use bipe_actors::bus::{NatsError, listen};
use bipe_core::testing::TestDb;
use bipe_testkit::NatsServer;
use tokio::time::sleep;

use crate::bus::two_nodes;
use crate::nats_server::{settings, strange_messages};

#[actix::test]
async fn a_listener_hears_the_nodes_and_every_reason_to_refuse_a_message() {
    let Some(server) = NatsServer::start().await else { return };
    let (test, _writer, _other, ..) = two_nodes(&server).await;
    let (stranger, now) = (test.db.clock().uuid(), test.db.clock().now());
    let client = async_nats::connect(server.url()).await.unwrap();
    let publishing = async {
        loop {
            for message in strange_messages(stranger, now) {
                client.publish("bipe.test.ev", message.into()).await.unwrap();
            }
            client.publish("bipe.another.ev", "hello".into()).await.unwrap();
            sleep(Duration::from_millis(500)).await;
        }
    };
    let settings = settings(&test.db, &server.url());
    let heard = tokio::select! {
        heard = listen(&settings) => heard.unwrap(),
        () = publishing => unreachable!("it never ends"),
    };
    let reasons: Vec<_> = heard.refused.iter().map(|one| one.refusal.as_str()).collect();
    assert_eq!(reasons, ["forged", "malformed", "stale", "too_long", "version"]);
    // The stranger's newer message is proven, so it is a node as well.
    assert_eq!(heard.nodes.len(), 3, "{:?}", heard.nodes);
    let stale = heard.refused[2].refusal.stale().unwrap();
    assert_eq!(stale.node, stranger);
}

#[actix::test]
async fn a_subscription_that_the_server_refuses_is_told_in_its_words() {
    let file = std::env::temp_dir().join(format!("bipe-bus-rights-{}.conf", std::process::id()));
    let rights = r#"authorization {
      users: [{ user: bipe, password: pw, permissions: { publish: "bipe.>", subscribe: "other.>" } }]
    }"#;
    std::fs::write(&file, rights).unwrap();
    let started = NatsServer::start_with(&["--config", file.to_str().unwrap()]).await;
    std::fs::remove_file(&file).unwrap();
    let Some(server) = started else { return };
    let test = TestDb::new().await;
    let url = format!("nats://bipe:pw@127.0.0.1:{}", server.port);
    let refused = listen(&settings(&test.db, &url)).await.err();
    assert!(
        matches!(&refused, Some(NatsError::Refused(words)) if words.contains("bipe.test.ev")),
        "{refused:?}"
    );
    let wrong = format!("nats://bipe:wrong@127.0.0.1:{}", server.port);
    let refused = listen(&settings(&test.db, &wrong)).await.err();
    assert!(matches!(refused, Some(NatsError::Connect(_))), "{refused:?}");
}
