//! What the last message of a node tells the other nodes.

use bipe_actors::bus::message;
use bipe_core::testing::TestDb;
use futures_util::StreamExt;
use tokio::time::timeout;

use crate::bus::DISTURBED;
use crate::nats_server::{NatsServer, connect, keys};

#[actix::test]
async fn the_last_message_of_a_node_skips_the_number_of_a_commit_that_was_not_sent() {
    let Some(server) = NatsServer::start().await else { return };
    let mut test = TestDb::new().await;
    let client = async_nats::connect(server.url()).await.unwrap();
    let mut arrived = client.subscribe("bipe.test.ev").await.unwrap();
    client.flush().await.unwrap();
    let bus = connect(test.opened(), &server.url(), |_| {}).await.unwrap();
    let mut next = async || {
        let message = timeout(DISTURBED, arrived.next()).await.expect("a message in time").unwrap();
        message::open(&keys("secret"), &message.payload, test.db.clock().now()).unwrap()
    };
    let first = next().await.number;
    bus.note_unannounced();
    drop(bus);
    for heard in 2.. {
        let message = next().await;
        if message.leaving {
            return assert_eq!(message.number, first + heard, "one number was skipped");
        }
    }
}
