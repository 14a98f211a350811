//! What the relay, the sessions and the metrics stream read from: the database, the snapshots of channels, and who
//! is told that a person's access changed. Made once by the server or a test, before `Live::start`.

use bipe_core::db::Db;
use bipe_core::event::Channel;
use bipe_core::id::{SessionId, UserId};
use bipe_core::scope::JobScope;
use bipe_core::{Error, Result};
use futures_util::future::BoxFuture;
use tokio::sync::{Semaphore, SemaphorePermit};

/// Reads at the same time, of the connections that jobs and relay share (`PoolSize::jobs`).
const MAX_READS: usize = 2;
/// Of these, reads of the platform's figures and activities, which take longer: the other channels never wait for them.
const MAX_ADMIN_READS: usize = 1;

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
    reads: Semaphore,
    admin_reads: Semaphore,
}

/// Held during a read.
pub(crate) struct ReadPermit<'a> {
    _read: SemaphorePermit<'a>,
    _admin: Option<SemaphorePermit<'a>>,
}

impl Sources {
    pub fn new(
        db: Db,
        proof: JobScope,
        snapshot: Box<ReadSnapshot>,
        on_access_changed: Box<AccessChanged>,
    ) -> Self {
        let (reads, admin_reads) = (Semaphore::new(MAX_READS), Semaphore::new(MAX_ADMIN_READS));
        Self { db, proof, snapshot, on_access_changed, reads, admin_reads }
    }

    /// Waits until the channel may be read.
    pub(crate) async fn permit(&self, channel: Channel) -> Result<ReadPermit<'_>> {
        let is_admin = matches!(channel, Channel::AdminMetrics | Channel::AdminActivity);
        // First the permit of the admins' channels: a read that waits for it must not hold one of `reads` meanwhile.
        let admin = if is_admin {
            Some(self.admin_reads.acquire().await.map_err(Error::internal)?)
        } else {
            None
        };
        let read = self.reads.acquire().await.map_err(Error::internal)?;
        Ok(ReadPermit { _read: read, _admin: admin })
    }

    /// A membership or session of the person changed, on whatever node: what is cached of it is out of date.
    pub fn access_changed(&self, person: UserId, ended: Option<SessionId>) {
        self.db.note_access_change();
        (self.on_access_changed)(person, ended);
    }
}

#[cfg(test)]
mod tests {
    use bipe_core::testing::TestDb;
    use futures_util::FutureExt;

    use super::*;

    #[tokio::test]
    async fn the_figures_leave_a_read_for_the_other_channels() {
        let test = TestDb::new().await;
        let sources = Sources::new(
            test.db.clone(),
            test.proof.clone(),
            Box::new(|_| Box::pin(async { Err(Error::unavailable(1)) })),
            Box::new(|_, _| {}),
        );
        let _figures = sources.permit(Channel::AdminMetrics).await.unwrap();
        let mut activities = Box::pin(sources.permit(Channel::AdminActivity));
        assert!(activities.as_mut().now_or_never().is_none());
        assert!(sources.permit(Channel::Plans).now_or_never().is_some());
    }
}
