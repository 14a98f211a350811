//! A connection of a pool, and what its last user may have left on it. Made by `pool`; `begin` cleans it, and whoever
//! ends a transaction says what that leaves.
//!
//! Invariant: from the beginning of a use until the server has answered its end, a transaction may be open.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use deadpool::managed::{self, Metrics, RecycleError, RecycleResult};
use deadpool_postgres::{ClientWrapper, Manager};
use derive_more::Deref;

use crate::error::{Error, Result};

/// Connections of one login.
pub(super) type Pool = managed::Pool<ConnectionManager>;
/// One of them, until it goes back.
pub(super) type Object = managed::Object<ConnectionManager>;

/// What the last user of a connection may have left on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Residue {
    /// The connection is new, or its last transaction only read and was rolled back, which takes settings back, too, or
    /// it ran statements of the jobs. None of them takes a lock or makes a setting that outlives its transaction
    /// (`core/tests/it/tree.rs`).
    Nothing,
    /// Settings and locks of the session.
    Session,
    /// Also a transaction: nobody heard of its end.
    Transaction,
}

#[derive(Deref)]
pub(super) struct Connection {
    #[deref]
    client: ClientWrapper,
    residue: Residue,
    /// How often the server had changed before this was made.
    changes: u64,
}

impl Connection {
    /// What has to be cleaned before the next use, which begins here.
    pub fn begin_use(&mut self) -> Residue {
        std::mem::replace(&mut self.residue, Residue::Transaction)
    }

    /// The server has answered the end of a use.
    pub fn end_use(&mut self, residue: Residue) {
        self.residue = residue;
    }
}

/// A connection whose use has begun and is not answered yet. When its user goes away before, one that would be left in a
/// transaction leaves its pool: that ends the transaction and its locks.
pub(super) struct Starting {
    /// `None` only after the answer.
    client: Option<Object>,
    leaves_transaction: bool,
}

impl Starting {
    pub fn of(client: Object, leaves_transaction: bool) -> Self {
        Self { client: Some(client), leaves_transaction }
    }

    pub fn client(&mut self) -> Result<&mut Object> {
        self.client.as_mut().ok_or_else(|| Error::internal("a connection after its answer"))
    }

    pub fn answered(mut self) -> Result<Object> {
        self.client.take().ok_or_else(|| Error::internal("a second answer"))
    }
}

impl Drop for Starting {
    fn drop(&mut self) {
        if let Some(client) = self.client.take().filter(|_| self.leaves_transaction) {
            drop(Object::take(client));
        }
    }
}

/// Counts how often the server has become another one. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub(super) struct ServerChanges(Arc<AtomicU64>);

impl ServerChanges {
    pub fn note(&self) {
        self.0.fetch_add(1, Ordering::Release);
    }

    pub fn count(&self) -> u64 {
        self.0.load(Ordering::Acquire)
    }
}

/// Makes connections and looks at idle ones as deadpool-postgres does. One that may lead to a primary which another one
/// has replaced is not used again: the server itself need not know yet, and would take what is lost.
pub(super) struct ConnectionManager {
    pub manager: Manager,
    pub changes: ServerChanges,
}

impl managed::Manager for ConnectionManager {
    type Type = Connection;
    type Error = tokio_postgres::Error;

    async fn create(&self) -> std::result::Result<Connection, Self::Error> {
        // Before: the server may change while this one answers. What is made too early is only made again.
        let changes = self.changes.count();
        let client = self.manager.create().await?;
        Ok(Connection { client, residue: Residue::Nothing, changes })
    }

    async fn recycle(
        &self,
        connection: &mut Connection,
        metrics: &Metrics,
    ) -> RecycleResult<Self::Error> {
        if connection.changes != self.changes.count() {
            return Err(RecycleError::message("the server has changed"));
        }
        self.manager.recycle(&mut connection.client, metrics).await
    }

    fn detach(&self, connection: &mut Connection) {
        self.manager.detach(&mut connection.client);
    }
}
