//! How the database is reached: the embedded one by its unix socket, another one by DATABASE_URL.
//!
//! Invariant: a server on another machine gets neither a name nor a password before TLS is up and its certificate is
//! proven. The URL decides, host by host: a unix socket, `localhost` and loopback addresses are this machine; every
//! other host is another machine.

use std::future::poll_fn;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use futures_util::future::{BoxFuture, FutureExt};
use rustls::RootCertStore;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_postgres::config::{Host, SslMode};
use tokio_postgres::error::SqlState;
use tokio_postgres::{AsyncMessage, Client, Config, Connection, NoTls};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::hosts;
use super::pool_size::PoolSize;
use super::session::Sessions;
use crate::authorities;
use crate::config::Config as Settings;
use crate::config::network::is_this_machine;
use crate::embedded_postgres::EmbeddedPostgres;
use crate::error::{Error, with_causes};
use crate::https;
use crate::secret::Secret;

/// A frozen server takes connections and never answers them.
const OPENING_TIME: Duration = Duration::from_secs(15);

/// The logins: the owner migrates, the other does all work; one more reads from a replica.
#[derive(Clone)]
pub struct DatabaseLogins {
    pub app: Login,
    /// `None` where the same login migrates.
    pub migration: Option<Login>,
    /// Where the reads of platform admins may go, too.
    pub replica: Option<ReplicaLogin>,
}

impl DatabaseLogins {
    /// The server of the settings; `None` for the embedded one.
    ///
    /// # Errors
    /// One sentence for each URL that says what to change; none repeats the URL.
    pub fn of_settings(settings: &Settings) -> Result<Option<Self>, Vec<String>> {
        let ca = settings.database_ca.as_deref();
        let read = |name, url: &Option<Secret>| {
            url.as_ref().map(|url| Login::of_url(name, url, ca)).transpose()
        };
        let app = read("DATABASE_URL", &settings.database_url);
        let migration = read("DATABASE_MIGRATION_URL", &settings.database_migration_url);
        let replica = read("DATABASE_READ_URL", &settings.database_read_url);
        match (app, migration, replica) {
            (Ok(app), Ok(migration), Ok(replica)) => {
                let refuses_unbound = settings.is_production();
                let replica = replica.map(|login| ReplicaLogin { login, refuses_unbound });
                Ok(app.map(|app| Self { app, migration, replica }))
            }
            (app, migration, replica) => {
                let problems = [app.err(), migration.err(), replica.err()];
                Err(problems.into_iter().flatten().collect())
            }
        }
    }

    pub fn embedded(server: &EmbeddedPostgres) -> Self {
        let migration = Some(Login::local(server.owner_config()));
        Self { app: Login::local(server.app_config()), migration, replica: None }
    }

    /// Who migrates.
    pub fn owner(&self) -> &Login {
        self.migration.as_ref().unwrap_or(&self.app)
    }
}

/// As whom, where, how and how often to connect.
#[derive(Clone)]
pub struct Login {
    pub(crate) config: Config,
    /// `None` only where every host is this machine.
    tls: Option<MakeRustlsConnect>,
    pub(super) sessions: Sessions,
    pub(super) pool: PoolSize,
}

/// How to reach a replica.
#[derive(Clone)]
pub struct ReplicaLogin {
    pub login: Login,
    /// A login that row-level security does not hold for is refused, as production demands.
    pub refuses_unbound: bool,
}

impl Login {
    /// Without TLS: for a server of this machine.
    pub fn local(config: Config) -> Self {
        let (sessions, pool) = (Sessions::default(), PoolSize::default());
        Self { config, tls: None, sessions, pool }
    }

    /// Another number of connections for its pools.
    pub fn with_pool(self, pool: PoolSize) -> Self {
        Self { pool, ..self }
    }

    /// A server that is not ours. The restricted role is taken after connecting. `ca` is a PEM file with the
    /// authorities that count beside the public ones; `setting` is the URL's name.
    ///
    /// # Errors
    /// One sentence that says what to change; it never repeats the URL.
    pub fn of_url(setting: &str, url: &Secret, ca: Option<&Path>) -> Result<Self, String> {
        let url = url.expose();
        // libpq's words that the driver lacks. `require` here proves the certificate and the name in it.
        let words = [("verify-full", "require"), ("verify-ca", "require"), ("allow", "prefer")];
        let known = words.iter().fold(url.to_owned(), |url, (word, ours)| {
            url.replace(&format!("sslmode={word}"), &format!("sslmode={ours}"))
        });
        let mut config: Config = known.parse().map_err(|_unreadable| unreadable(setting, url))?;
        let weak = match config.get_ssl_mode() {
            SslMode::Disable => Some("disable"),
            // The driver does not tell `prefer` from nothing said.
            _ => parameter(url, "sslmode").filter(|mode| ["allow", "prefer"].contains(mode)),
        };
        let foreign = foreign_host(&config).map_err(|NoHost| format!("{setting} names no host"))?;
        if let (Some(host), Some(mode)) = (&foreign, weak) {
            return Err(format!(
                "{setting}: sslmode={mode} is refused for {host}, which is not this machine: take sslmode=require, \
                 which also verifies the certificate (a private authority's goes in BIPE_DATABASE_CA)"
            ));
        }
        let roots = roots(ca)?;
        if foreign.is_none() && config.get_ssl_mode() != SslMode::Require {
            return Ok(Self::local(config));
        }
        config.ssl_mode(SslMode::Require);
        Ok(Self { tls: Some(tls(roots)?), ..Self::local(config) })
    }

    /// Connects; the second value drives the connection and must be spawned.
    pub(super) async fn connect(
        &self,
        warnings: Warnings,
    ) -> Result<(Client, Driver), tokio_postgres::Error> {
        hosts::first(self.attempts(warnings), no_answer()).await
    }

    /// Connects to each host, as far as that is asked for; the second value drives the connection and must be spawned.
    pub(super) fn attempts(
        &self,
        warnings: Warnings,
    ) -> Vec<BoxFuture<'static, Result<(Client, Driver), tokio_postgres::Error>>> {
        let attempt = |config: Config| {
            let (tls, warnings) = (self.tls.clone(), warnings.clone());
            let connecting = async move {
                let Some(tls) = tls else {
                    let (client, connection) = config.connect(NoTls).await?;
                    return Ok((client, drive(connection, warnings).boxed()));
                };
                let (client, connection) = config.connect(tls).await?;
                Ok((client, drive(connection, warnings).boxed()))
            };
            connecting.boxed()
        };
        hosts::each(&self.config).into_iter().map(attempt).collect()
    }

    /// A connection of its own, outside of the pools, driven by a task.
    ///
    /// # Errors
    /// `Internal` with the whole chain of causes, which somebody reads at a failed start.
    pub(super) async fn open(
        &self,
    ) -> Result<(Client, JoinHandle<Result<(), tokio_postgres::Error>>), Error> {
        self.open_within(OPENING_TIME).await
    }

    async fn open_within(
        &self,
        time: Duration,
    ) -> Result<(Client, JoinHandle<Result<(), tokio_postgres::Error>>), Error> {
        let connecting = timeout(time, self.connect(Warnings::default()));
        let connected = connecting.await.unwrap_or_else(|_late| Err(no_answer()));
        let (client, driver) = connected.map_err(|error| cannot_connect(&error))?;
        Ok((client, tokio::spawn(driver)))
    }
}

/// For somebody who reads it at a failed start.
pub(super) fn cannot_connect(error: &tokio_postgres::Error) -> Error {
    Error::internal(format!("cannot connect: {}", with_causes(error)))
}

/// No server has answered in time.
pub(super) fn no_answer() -> tokio_postgres::Error {
    tokio_postgres::Error::__private_api_timeout()
}

pub(crate) type Driver = BoxFuture<'static, Result<(), tokio_postgres::Error>>;

/// Counts the server's warnings that a commit no longer waits for its standby. Cheap to clone; the connections of a
/// pool share one. A connection's warnings are counted before the answer that they belong to arrives.
#[derive(Clone, Debug, Default)]
pub(crate) struct Warnings(Arc<AtomicU64>);

impl Warnings {
    pub fn count(&self) -> u64 {
        self.0.load(Ordering::Acquire)
    }
}

async fn drive<S, T>(
    mut connection: Connection<S, T>,
    warnings: Warnings,
) -> Result<(), tokio_postgres::Error>
where
    S: AsyncRead + AsyncWrite + Unpin,
    T: AsyncRead + AsyncWrite + Unpin,
{
    while let Some(message) = poll_fn(|cx| connection.poll_message(cx)).await {
        let AsyncMessage::Notice(notice) = message? else { continue };
        // Others have codes of their own, such as a rollback without a transaction.
        if *notice.code() == SqlState::WARNING {
            // They share their code with others, such as that of a collation's version, which greets each new session.
            if notice.routine() == Some("SyncRepWaitForLSN") {
                warnings.0.fetch_add(1, Ordering::Release);
            }
            tracing::warn!(message = notice.message(), "PostgreSQL warns");
        }
    }
    Ok(())
}

/// Parameters that other programs know, as services print them.
const NOT_TAKEN: [&str; 8] =
    ["sslrootcert", "sslcert", "sslkey", "sslcrl", "gssencmode", "passfile", "pgbouncer", "schema"];

/// The words of `target_session_attrs` that the driver takes; libpq knows more.
const SESSIONS_TAKEN: [&str; 3] = ["any", "read-write", "read-only"];

/// Names a known word alone: anything else in an unreadable URL may be a piece of the password.
fn unreadable(setting: &str, url: &str) -> String {
    match NOT_TAKEN.into_iter().find(|name| parameter(url, name).is_some()) {
        Some(name) => format!(
            "{setting}: take {name} out of it; a private authority's file goes in BIPE_DATABASE_CA, and certificates \
             of clients are not used"
        ),
        None if parameter(url, "target_session_attrs")
            .is_some_and(|asked| !SESSIONS_TAKEN.contains(&asked)) =>
        {
            format!("{setting}: target_session_attrs is one of {}", SESSIONS_TAKEN.join(", "))
        }
        None => format!("{setting} is not a PostgreSQL URL"),
    }
}

/// What the URL, or the words of libpq's other form, ask for.
fn parameter<'a>(url: &'a str, name: &str) -> Option<&'a str> {
    let parts = url.split(['?', '&', ' ']);
    let mut values = parts.filter_map(|part| part.strip_prefix(name)?.strip_prefix('='));
    values.next_back().map(|value| value.trim_matches('\''))
}

/// Whether the URL leads to another machine; one that cannot be read leads nowhere.
pub fn is_elsewhere(url: &Secret) -> bool {
    Login::of_url("", url, None)
        .is_ok_and(|login| matches!(foreign_host(&login.config), Ok(Some(_))))
}

struct NoHost;

/// The first host that is not this machine. Where an address stands beside a name, the address is what is connected to.
fn foreign_host(config: &Config) -> Result<Option<String>, NoHost> {
    let (hosts, addresses) = (config.get_hosts(), config.get_hostaddrs());
    if hosts.is_empty() {
        return Err(NoHost);
    }
    let mut named =
        hosts.iter().enumerate().filter_map(|(at, host)| match (host, addresses.get(at)) {
            (_, Some(address)) => Some(address.to_string()),
            (Host::Tcp(name), None) => Some(name.clone()),
            (Host::Unix(_), None) => None,
        });
    Ok(named.find(|host| !is_this_machine(host)))
}

fn roots(ca: Option<&Path>) -> Result<RootCertStore, String> {
    let mut roots = https::roots();
    if let Some(path) = ca {
        authorities::add(&mut roots, "BIPE_DATABASE_CA", path)?;
    }
    Ok(roots)
}

fn tls(roots: RootCertStore) -> Result<MakeRustlsConnect, String> {
    let mut config = https::tls(roots).map_err(|error| format!("TLS: {error}"))?;
    // The protocol's name, as PostgreSQL 17 and later ask for where TLS begins at once (sslnegotiation=direct).
    config.alpn_protocols = vec![b"postgresql".to_vec()];
    Ok(MakeRustlsConnect::new(config))
}

#[cfg(test)]
mod tests {
    use tokio::net::TcpListener;

    use super::*;

    #[tokio::test]
    async fn a_server_that_takes_a_connection_and_never_answers_is_given_up() {
        let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = silent.local_addr().unwrap().port();
        let url = format!("postgres://ana@127.0.0.1:{port}/bipe");
        let login = Login::local(url.parse().unwrap());
        let opening = login.open_within(Duration::from_millis(100));
        let opened = timeout(Duration::from_secs(20), opening).await.unwrap();
        let said = opened.err().unwrap().to_string();
        assert!(said.contains("cannot connect: timeout"), "{said}");
    }
}
