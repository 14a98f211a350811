//! How the database is reached: embedded on a unix socket, or DATABASE_URL, with verified TLS unless the
//! server is on this machine.

use futures_util::future::{BoxFuture, FutureExt};
use rustls::{ClientConfig, RootCertStore};
use tokio_postgres::config::Host;
use tokio_postgres::{Client, Config, NoTls};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::embedded_postgres::EmbeddedPostgres;
use crate::error::{Error, Result};
use crate::secret::Secret;

/// The two logins: the owner migrates, the other does all work.
#[derive(Clone)]
pub struct Access {
    pub owner: Config,
    pub app: Config,
}

impl Access {
    /// A foreign server: one login, which takes the restricted role after connecting.
    ///
    /// # Errors
    /// `Internal` when the URL cannot be read; the text of the error does not repeat it.
    pub fn of_url(url: &Secret) -> Result<Self> {
        let config: Config = url
            .expose()
            .parse()
            .map_err(|_unreadable| Error::internal("DATABASE_URL is not a PostgreSQL URL"))?;
        Ok(Self { owner: config.clone(), app: config })
    }

    pub fn embedded(server: &EmbeddedPostgres) -> Self {
        Self { owner: server.owner_config(), app: server.app_config() }
    }
}

type Driver = BoxFuture<'static, std::result::Result<(), tokio_postgres::Error>>;

/// Connects; the second value drives the connection and must be spawned.
pub(crate) async fn connect(
    config: &Config,
) -> std::result::Result<(Client, Driver), tokio_postgres::Error> {
    if is_local(config) {
        let (client, connection) = config.connect(NoTls).await?;
        return Ok((client, connection.boxed()));
    }
    let (client, connection) = config.connect(tls()).await?;
    Ok((client, connection.boxed()))
}

fn is_local(config: &Config) -> bool {
    config.get_hosts().iter().all(|host| match host {
        Host::Unix(_) => true,
        Host::Tcp(name) => matches!(name.as_str(), "localhost" | "127.0.0.1" | "::1"),
    })
}

fn tls() -> MakeRustlsConnect {
    let roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    MakeRustlsConnect::new(
        ClientConfig::builder().with_root_certificates(roots).with_no_client_auth(),
    )
}
