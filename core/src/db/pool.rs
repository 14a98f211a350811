//! Makes the pools, and every connection in them: in which time, as which role, and to which server.
//!
//! Invariant: no connection outlives its server for long. A host that vanishes, a server that freezes and one that was
//! replaced are noticed within seconds, not within the quarter of an hour that TCP would wait.

use std::time::Duration;

use deadpool_postgres::{Connect, Manager, ManagerConfig, Pool, RecyclingMethod, Timeouts};
use futures_util::future::{BoxFuture, FutureExt};
use tokio::runtime::Handle;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_postgres::{Client, Config};

use super::access::{Login, Warnings};
use super::primary::NewestPrimary;
use super::session::Sessions;
use super::{APP_ROLE, RECYCLE_TIME};
use crate::clock::Clock;
use crate::error::{Error, Result};

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
    pub fn pool(&self, size: usize) -> Result<Pool> {
        let manager = Manager::from_connect(
            self.login.config.clone(),
            self.clone(),
            ManagerConfig { recycling_method: RecyclingMethod::Fast },
        );
        let pool = Pool::builder(manager)
            .max_size(size)
            .timeouts(Timeouts {
                wait: Some(WAIT_TIME),
                create: Some(CONNECT_TIME),
                recycle: Some(RECYCLE_TIME),
            })
            .runtime(deadpool_postgres::Runtime::Tokio1);
        // Behind a pooler each transaction asks, for its server may be another one each time.
        let pool = match self.login.sessions {
            Sessions::Own => pool.post_create(self.newest.guard(self.clock.clone())),
            Sessions::Pooled(_) => pool,
        };
        pool.build().map_err(Error::internal)
    }
}

impl Connect for ConnectionSource {
    fn connect(
        &self,
        _config: &Config,
    ) -> BoxFuture<'_, std::result::Result<(Client, JoinHandle<()>), tokio_postgres::Error>> {
        let (login, runtime) = (self.login.clone(), self.runtime.clone());
        let warnings = self.warnings.clone();
        let connecting = async move {
            let (client, connection) = login.connect(warnings).await?;
            let task = tokio::spawn(async move {
                if let Err(error) = connection.await {
                    tracing::warn!(error = %error, "a database connection ended");
                }
            });
            if login.sessions == Sessions::Own && login.config.get_user() != Some(APP_ROLE) {
                client.batch_execute(&format!("SET ROLE {APP_ROLE}")).await?;
            }
            Ok((client, task))
        };
        async move {
            // The limit stands inside of the task, which a caller that gives up does not end: a frozen server takes
            // connections and never answers.
            match runtime.spawn(timeout(CONNECT_TIME, connecting)).await {
                Ok(Ok(result)) => result,
                _late_or_stopped => Err(tokio_postgres::Error::__private_api_timeout()),
            }
        }
        .boxed()
    }
}
