//! Makes the pools, and every connection in them: in which time, as which role, and to which server.
//!
//! Invariant: no connection outlives its server for long. A host that vanishes, a server that freezes and one that was
//! replaced are noticed within seconds, not within the quarter of an hour that TCP would wait.

use std::time::Duration;

use deadpool_postgres::{Connect, Manager, ManagerConfig, RecyclingMethod, Timeouts};
use futures_util::future::{BoxFuture, FutureExt};
use tokio::runtime::Handle;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_postgres::{Client, Config};

use super::access::{Driver, Login, Warnings, no_answer};
use super::connection::{ConnectionManager, Pool, ServerChanges};
use super::hosts;
use super::primary::NewestPrimary;
use super::session::Sessions;
use super::{APP_ROLE, RECYCLE_TIME};
use crate::clock::Clock;
use crate::error::{self, Error, with_causes};

/// How long a request waits for a connection to become free.
const WAIT_TIME: Duration = Duration::from_secs(2);
const CONNECT_TIME: Duration = Duration::from_secs(3);
/// How long sent bytes may stay without acknowledgement.
const UNACKNOWLEDGED: Duration = Duration::from_secs(10);
/// After this long without a byte the host is asked whether it is there; a second silence ends the connection.
const SILENCE: Duration = Duration::from_secs(5);

/// Connects on the given runtime and takes the restricted role on a foreign server.
#[derive(Clone)]
pub(super) struct ConnectionSource {
    login: Login,
    runtime: Handle,
    clock: Clock,
    newest: NewestPrimary,
    warnings: Warnings,
}

impl ConnectionSource {
    pub fn new(mut login: Login, runtime: Handle, clock: Clock, newest: NewestPrimary) -> Self {
        login.config.connect_timeout(CONNECT_TIME).tcp_user_timeout(UNACKNOWLEDGED);
        login.config.keepalives_idle(SILENCE).keepalives_interval(SILENCE).keepalives_retries(1);
        Self { login, runtime, clock, newest, warnings: Warnings::default() }
    }

    /// Those of all its connections.
    pub fn warnings(&self) -> Warnings {
        self.warnings.clone()
    }

    /// # Errors
    /// `Internal` when the pool cannot be built.
    pub fn pool(&self, size: usize) -> error::Result<Pool> {
        let manager = Manager::from_connect(
            self.login.config.clone(),
            self.clone(),
            ManagerConfig { recycling_method: RecyclingMethod::Fast },
        );
        // Behind a pooler a connection belongs to no server.
        let is_own = self.login.sessions == Sessions::Own;
        let changes = if is_own { self.newest.changes() } else { ServerChanges::default() };
        let manager = ConnectionManager { manager, changes };
        let pool = Pool::builder(manager).max_size(size).timeouts(Timeouts {
            wait: Some(WAIT_TIME),
            create: Some(CONNECT_TIME),
            recycle: Some(RECYCLE_TIME),
        });
        pool.runtime(deadpool_postgres::Runtime::Tokio1).build().map_err(Error::internal)
    }

    /// One host's connection as the restricted role, if that host's server may be written to.
    async fn use_host(
        self,
        attempt: BoxFuture<'static, Result<(Client, Driver), tokio_postgres::Error>>,
    ) -> Result<(Client, JoinHandle<()>), tokio_postgres::Error> {
        let (client, connection) = attempt.await?;
        let task = tokio::spawn(async move {
            if let Err(error) = connection.await {
                tracing::warn!(error = with_causes(&error), "a database connection ended");
            }
        });
        // Behind a pooler each transaction asks, for its server may be another one each time.
        if self.login.sessions != Sessions::Own {
            return Ok((client, task));
        }
        if self.login.config.get_user() != Some(APP_ROLE) {
            client.batch_execute(&format!("SET ROLE {APP_ROLE}")).await?;
        }
        let may_write = self.newest.ask(&client, &self.clock).await?.is_ok();
        may_write.then_some((client, task)).ok_or_else(no_answer)
    }
}

impl Connect for ConnectionSource {
    fn connect(
        &self,
        _config: &Config,
    ) -> BoxFuture<'_, std::result::Result<(Client, JoinHandle<()>), tokio_postgres::Error>> {
        let runtime = self.runtime.clone();
        let attempts = self.login.attempts(self.warnings.clone()).into_iter();
        let attempts = attempts.map(|attempt| self.clone().use_host(attempt));
        let connecting = hosts::first(attempts.collect::<Vec<_>>(), no_answer());
        async move {
            // The limit stands inside of the task, which a caller that gives up does not end: a frozen server takes
            // connections and never answers.
            match runtime.spawn(timeout(CONNECT_TIME, connecting)).await {
                Ok(Ok(result)) => result,
                _late_or_stopped => Err(no_answer()),
            }
        }
        .boxed()
    }
}
