//! What nodes say to each other after a time without NATS.

use std::time::Duration;

use bipe_core::event::EventName;
use tokio::time::{sleep, timeout};

use crate::bus::{DISTURBED, two_nodes, until_pushed};
use crate::nats_server::{NatsServer, TEN_MINUTES};
use crate::node::Node;

fn refused(node: &Node) -> u64 {
    node.nodes.bus().unwrap().refused.iter().map(|refused| refused.count).sum()
}

#[actix::test]
async fn what_waited_for_nats_is_not_old_when_it_is_said() {
    let Some(mut server) = NatsServer::start().await else { return };
    let (test, writer, other, company, mut reader) = two_nodes(&server).await;
    until_pushed(&writer, &other, company, &mut reader).await;
    server.kill();
    let noticing = async {
        while [&writer, &other].iter().any(|node| node.nodes.bus().unwrap().is_connected) {
            sleep(Duration::from_millis(50)).await;
        }
    };
    timeout(DISTURBED, noticing).await.expect("both notice");
    for n in 0..4 {
        writer.emit(company, EventName::CompanyUpdated, n).await;
        reader.events(1).await;
    }
    test.db.clock().advance(u32::try_from(TEN_MINUTES.as_secs()).unwrap());
    server.restart();
    until_pushed(&writer, &other, company, &mut reader).await;
    for node in [&writer, &other] {
        assert!(refused(node) <= 2, "each may have had one under way when its connection broke");
    }
}
