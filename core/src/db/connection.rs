//! A connection of a pool, and what its last user may have left on it. Made by `pool`; `begin` cleans it, and whoever
//! ends a transaction says what that leaves.
//!
//! Invariant: from the beginning of a use until the server has answered its end, a transaction may be open.

use deadpool::managed::{self, Metrics, RecycleResult};
use deadpool_postgres::{ClientWrapper, Manager};
use derive_more::Deref;
use tokio_postgres::Error;

/// Connections of one login.
pub(super) type Pool = managed::Pool<ConnectionManager>;
/// One of them, until it goes back.
pub(super) type Object = managed::Object<ConnectionManager>;

/// What the last user of a connection may have left on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Residue {
    /// The connection is new, or its last transaction only read and was rolled back, which takes settings back, too. No
    /// read takes a lock that outlives its transaction (`core/tests/it/tree.rs`).
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

/// Makes connections and looks at idle ones as deadpool-postgres does.
pub(super) struct ConnectionManager(pub Manager);

impl managed::Manager for ConnectionManager {
    type Type = Connection;
    type Error = Error;

    async fn create(&self) -> Result<Connection, Error> {
        Ok(Connection { client: self.0.create().await?, residue: Residue::Nothing })
    }

    async fn recycle(
        &self,
        connection: &mut Connection,
        metrics: &Metrics,
    ) -> RecycleResult<Error> {
        self.0.recycle(&mut connection.client, metrics).await
    }

    fn detach(&self, connection: &mut Connection) {
        self.0.detach(&mut connection.client);
    }
}
