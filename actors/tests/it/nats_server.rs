//! Nodes that use a NATS server of the test kit.

use bipe_actors::bus::message::{self, Outgoing};
use bipe_actors::bus::{Bus, NatsError, NatsSettings};
use bipe_core::db::{Db, OpenedDb};
use bipe_core::secret::{KeyRing, Secret};
pub use bipe_testkit::NatsServer;
use jiff::{SignedDuration, Timestamp};
use uuid::Uuid;

use crate::node::Node;

pub const TEN_MINUTES: SignedDuration = SignedDuration::from_mins(10);

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
    let mut settings = settings(&db, url);
    change(&mut settings);
    Bus::connect(committed, settings).await
}

pub fn settings(db: &Db, url: &str) -> NatsSettings {
    NatsSettings {
        url: Secret::new(url),
        credentials: None,
        authorities: None,
        installation: "test".into(),
        node: db.clock().uuid(),
        keys: keys("secret"),
        clock: db.clock().clone(),
        runtime: db.runtime().clone(),
    }
}

pub fn keys(secret: &str) -> KeyRing {
    KeyRing::derive(&Secret::from(secret), "bus-v1")
}

/// One of each reason to refuse it.
pub fn strange_messages(stranger: Uuid, now: Timestamp) -> [Vec<u8>; 5] {
    let beat = |secret, sent_at| {
        message::seal(&keys(secret), stranger, 1, sent_at, Outgoing::Beat(None)).unwrap()
    };
    let newer =
        format!(r#"{{"version":2,"node":"{stranger}","number":1,"sentAt":"{now}","parts":[]}}"#);
    let mut signed = keys("secret").newest().mac(&[newer.as_bytes()]).to_vec();
    signed.extend(newer.as_bytes());
    [
        beat("another secret", now),
        beat("secret", now.checked_add(TEN_MINUTES).unwrap()),
        signed,
        b"hello".to_vec(),
        vec![7; 1024 * 1024],
    ]
}
