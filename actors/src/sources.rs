//! What the relay, the sessions and the metrics stream read from: the database, the snapshots of channels, and who
//! is told that a person's access changed. Made once by the server or a test, before `Live::start`.

use bipe_core::Result;
use bipe_core::db::Db;
use bipe_core::event::Channel;
use bipe_core::id::{SessionId, UserId};
use bipe_core::scope::JobScope;
use futures_util::future::BoxFuture;
use tokio::sync::Semaphore;

/// Reads at the same time, of the six connections that jobs and relay share.
const READS: usize = 2;

/// The state that a reader of a channel starts from, as JSON.
#[derive(Clone, Debug)]
pub struct SnapshotData {
    /// For finance and company admins.
    pub full: String,
    /// For operators; none when they get the same.
    pub restricted: Option<String>,
}

pub type ReadSnapshot = dyn Fn(Channel) -> BoxFuture<'static, Result<SnapshotData>> + Send + Sync;
pub type AccessChanged = dyn Fn(UserId, Option<SessionId>) + Send + Sync;

pub struct Sources {
    pub db: Db,
    pub proof: JobScope,
    /// Reads the state of a channel from the modules that own it.
    pub snapshot: Box<ReadSnapshot>,
    /// Called with the person, and with the session that has ended.
    on_access_changed: Box<AccessChanged>,
    /// Bounds reads at the same time, so that the jobs keep connections.
    pub(crate) reads: Semaphore,
}

impl Sources {
    pub fn new(
        (db, proof): (Db, JobScope),
        snapshot: Box<ReadSnapshot>,
        on_access_changed: Box<AccessChanged>,
    ) -> Self {
        Self { db, proof, snapshot, on_access_changed, reads: Semaphore::new(READS) }
    }

    /// A membership or session of the person changed, on whatever node: what is cached of it is out of date.
    pub fn access_changed(&self, person: UserId, ended: Option<SessionId>) {
        self.db.note_access_change();
        (self.on_access_changed)(person, ended);
    }
}
