//! Nodes that use a NATS server of the test kit.

use bipe_actors::bus::{Bus, NatsError, NatsSettings};
use bipe_core::db::OpenedDb;
use bipe_core::secret::{KeyRing, Secret};
pub use bipe_testkit::NatsServer;

use crate::node::Node;

/// A node that uses the servers of the URL.
pub async fn node(opened: OpenedDb, url: &str, change: impl FnOnce(&mut NatsSettings)) -> Node {
    let db = opened.db.clone();
    Node::with_bus(db, connect(opened, url, change).await.unwrap())
}

pub async fn connect(
    OpenedDb { db, committed, .. }: OpenedDb,
    url: &str,
    change: impl FnOnce(&mut NatsSettings),
) -> Result<Bus, NatsError> {
    let mut settings = NatsSettings {
        url: Secret::new(url),
        credentials: None,
        authorities: None,
        installation: "test".into(),
        node: db.clock().uuid(),
        keys: keys("secret"),
        clock: db.clock().clone(),
        runtime: db.runtime().clone(),
    };
    change(&mut settings);
    Bus::connect(committed, settings).await
}

pub fn keys(secret: &str) -> KeyRing {
    KeyRing::derive(&Secret::from(secret), "bus-v1")
}
