//! Starts the parts of the server in their order: database, migrations, catalogue, then the one `App`.
//! Called by `cli.rs`, and in parts by `seed`, `backup`, `doctor`, `upgrade` and the tests. `Running::stop` stops every
//! part that was started here.

mod database_server;

use std::io::Write;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use bipe_actors::bus::{Bus, NatsError, NatsSettings};
use bipe_actors::{Actors, Dependencies};
use bipe_core::auth::personal_data::erasures_log::ErasuresLog;
use bipe_core::auth::{Auth, Keys};
use bipe_core::cep_lookup::CepLookup;
use bipe_core::clock::Clock;
use bipe_core::config::Config;
use bipe_core::db::{Db, OpenedDb, start};
use bipe_core::embedded_postgres::{EmbeddedError, IfRunning};
use bipe_core::error::Code;
use bipe_core::event::Event;
use bipe_core::gateway::stripe::{StripeGateway, api_base};
use bipe_core::mailer::Mailer;
use bipe_core::rate_limit::RateLimiter;
use bipe_core::secret::{Secret, hex};
use bipe_core::user::activity::RecentActivity;
use bipe_core::{Error, development, invoice, plan, private_file};
use bipe_sandbox::{Sandbox, SandboxSettings};
use tokio::runtime::Handle;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;

use crate::connection::Bounds;
use crate::nodes::{NodeWatch, NodeWork};
use crate::rate_limit::RequestLimits;
use crate::{App, Shutdown, live, telemetry};

pub use database_server::{DatabaseServer, package_dir};

/// How soon an erasure that failed after a restore is tried again.
const ERASE_RETRY_AFTER: Duration = Duration::from_secs(5);
/// How long the jobs that run when the server stops may take to end.
const JOBS_TIMEOUT: Duration = Duration::from_secs(3);

#[derive(Debug, thiserror::Error)]
pub enum BootError {
    #[error(transparent)]
    Embedded(#[from] EmbeddedError),
    #[error("the database: {0}")]
    Database(#[from] Error),
    #[error("{0}")]
    Setting(String),
    #[error("{path}: {cause}")]
    File { path: String, cause: std::io::Error },
    #[error("the runtime stopped: {0}")]
    Runtime(#[from] tokio::task::JoinError),
    #[error("BIPE_ADMIN_EMAIL, BIPE_ADMIN_PASSWORD: {0}")]
    Admin(Error),
    #[error("the payment sandbox: {0}")]
    Sandbox(std::io::Error),
    #[error(transparent)]
    Bus(#[from] NatsError),
}

impl BootError {
    fn file(path: &Path, cause: std::io::Error) -> Self {
        Self::File { path: path.display().to_string(), cause }
    }

    /// Why an administrator could not be made.
    pub(crate) fn admin(error: Error) -> Self {
        let says = match error {
            Error::Conflict(Code::EmailExists, _) => {
                "BIPE_ADMIN_EMAIL has an account already, and an administrator gets a new one: name another address"
            }
            Error::Invalid(_) => {
                "BIPE_ADMIN_PASSWORD breaks the password rule, or is one of the most common ones"
            }
            error => return Self::Admin(error),
        };
        Self::Setting(says.to_owned())
    }
}

/// The server without its listener: the parts that live until the process ends.
pub struct Running {
    pub app: Arc<App>,
    /// The demo administrator can sign in.
    pub has_demo_admin: bool,
    database: DatabaseServer,
    /// The sandbox's tick and its deliveries.
    sandbox: Option<JoinHandle<()>>,
    jobs: JoinHandle<()>,
    /// The tasks in the background: the watch over the nodes, erasures after a restore, the recorder.
    tasks: [JoinHandle<()>; 3],
}

impl Running {
    /// Opens everything on the runtime that drives database and provider work.
    ///
    /// # Errors
    /// One sentence that says what to do; what was started is stopped again.
    pub async fn start(config: Config, runtime: &Handle) -> Result<Self, BootError> {
        let settings = config.clone();
        let database = runtime
            .spawn(async move { DatabaseServer::open(&settings, IfRunning::Fail).await })
            .await??;
        match Self::open(config, &database, runtime).await {
            Ok((app, has_demo_admin)) => {
                let sandbox = app.sandbox.clone().map(|sandbox| runtime.spawn(sandbox.run()));
                let erasing = runtime.spawn(erase_after_restores(app.clone()));
                let tidying = runtime.spawn(telemetry::tidy(app.metrics.clone()));
                let (jobs, tasks) =
                    (app.actors.jobs.spawn(), [app.node_watch.spawn(), erasing, tidying]);
                Ok(Self { app, has_demo_admin, database, sandbox, jobs, tasks })
            }
            Err(error) => {
                runtime.spawn(database.close()).await?;
                Err(error)
            }
        }
    }

    async fn open(
        config: Config,
        database: &DatabaseServer,
        runtime: &Handle,
    ) -> Result<(Arc<App>, bool), BootError> {
        // A node that cannot write down who leaves could let nobody leave.
        let list = ErasuresLog::below(&config.data_dir);
        list.make().map_err(|cause| BootError::file(list.path(), cause))?;
        // Before the first connection: it may begin a history, which is counted.
        telemetry::start_metrics();
        let preparing = start::prepare(database.logins.clone(), config.is_production());
        let login = runtime.spawn(preparing).await??.with_pool(config.pool_size());
        let replica = database.logins.replica.clone();
        let opened = Db::open_reading(login, replica, runtime.clone(), Clock::system())?;
        opened.db.prove().await?;
        if !config.is_production() {
            development::restore_clock(&opened.db).await?;
        }
        let app = assemble(config, opened).await?;
        app.auth.erase_again().await?;
        let admin = app.auth.first_admin(&app.config).await;
        Ok((app, admin.map_err(BootError::admin)?))
    }

    /// Lets the jobs end that run, then closes the pools and the embedded database.
    pub async fn stop(self, runtime: &Handle) {
        self.app.actors.jobs.stop(self.jobs, JOBS_TIMEOUT).await;
        self.app.live.end().await;
        if let Some(sandbox) = self.sandbox {
            sandbox.abort();
        }
        self.tasks.iter().for_each(JoinHandle::abort);
        self.app.db.close();
        if let Err(error) = runtime.spawn(self.database.close()).await {
            tracing::error!(%error, "the database was not stopped cleanly");
        }
    }
}

/// Erases people again whenever the database was replaced: a backup that is restored while this node runs brings back
/// people who were erased.
async fn erase_after_restores(app: Arc<App>) {
    loop {
        app.db.server_changed().await;
        while let Err(error) = app.auth.erase_again().await {
            tracing::error!(%error, "who was erased before could not be erased again: tried every 5 s");
            tokio::time::sleep(ERASE_RETRY_AFTER).await;
        }
    }
}

/// `bipe admin create`: beside a running server, or on its own.
///
/// # Errors
/// One sentence that says what to do.
pub async fn create_admin(
    config: &Config,
    database: &DatabaseServer,
    email: &str,
    password: &Secret,
) -> Result<(), BootError> {
    let create = async |auth: Auth| {
        let created = auth.create_admin(email, password.expose()).await;
        created.map(drop).map_err(BootError::admin)
    };
    database.with_auth(config, &Clock::system(), create).await
}

/// The `App` over a migrated database: the same for `bipe serve` and for the tests. `config.bind` is the
/// address that is really bound.
///
/// # Errors
/// One sentence that says what to do.
pub async fn assemble(config: Config, opened: OpenedDb) -> Result<Arc<App>, BootError> {
    let db = opened.db.clone();
    let clock = db.clock().clone();
    let tx = db.tx().await?;
    plan::store::load_catalogue(&tx).await?;
    tx.commit().await?;
    invoice::issuer::choose(&db, &opened.proof, &config.issuer()).await?;
    for warning in config.warnings().iter().filter(|_| config.is_production()) {
        tracing::warn!("{warning}");
    }
    let (sandbox, webhook_secrets) = provider(&config, &clock)?;
    let cep = CepLookup::new(&config.cep_url, clock.clone())?;
    let (shutdown, _) = watch::channel(Shutdown::NotBegun);
    let metrics = telemetry::start_metrics();
    let keys = Keys::derive(&root_secret(&config, &clock)?);
    let mailer = Mailer::new(&config, &keys)?;
    let auth = Auth::new(keys, &config, db.clone(), opened.proof.clone());
    let actors = start_actors(&config, config.bind, &opened, mailer, auth.limits.clone())?;
    let OpenedDb { proof, committed, .. } = opened;
    let bus = connect_bus(&config, &auth.keys, &db, committed).await?;
    let nodes = bus.nodes().clone();
    let limits = RequestLimits::new(config.rate_limits, nodes.live());
    let bounds = Bounds::of(&config);
    let live = live::Node::start(db.clone(), proof.clone(), bus, &auth, config.rate_limits).await?;
    let own = NodeWork {
        sockets: live.sockets(),
        jobs: actors.jobs.clone(),
        shutdown: shutdown.subscribe(),
    };
    let node_watch = NodeWatch::start(&nodes, db.clone(), proof, own);
    Ok(Arc::new(App {
        config,
        clock,
        db,
        metrics,
        limits,
        auth,
        active: RecentActivity::default(),
        actors,
        cep,
        live,
        nodes,
        node_watch,
        bounds,
        sandbox,
        webhook_secrets,
        shutdown,
    }))
}

/// The way to the other nodes, if NATS is set.
async fn connect_bus(
    config: &Config,
    keys: &Keys,
    db: &Db,
    committed: mpsc::Receiver<Vec<Event>>,
) -> Result<Bus, BootError> {
    let (clock, runtime) = (db.clock().clone(), db.runtime().clone());
    let Some(settings) = nats_settings(config, keys, clock, runtime) else {
        return Ok(Bus::local(committed, db.clock().clone()));
    };
    Ok(Bus::connect(committed, settings).await?)
}

/// None without `NATS_URL`. The node gets an id of its own.
pub fn nats_settings(
    config: &Config,
    keys: &Keys,
    clock: Clock,
    runtime: Handle,
) -> Option<NatsSettings> {
    Some(NatsSettings {
        url: config.nats_url.clone()?,
        credentials: config.nats_credentials.clone(),
        authorities: config.nats_ca.clone(),
        installation: config.installation(),
        node: clock.uuid(),
        keys: keys.bus.clone(),
        clock,
        runtime,
    })
}

/// `address` is where the sandbox answers, if it runs in this process.
///
/// # Errors
/// When the provider's address cannot be read.
pub fn start_actors(
    config: &Config,
    address: SocketAddr,
    OpenedDb { db, proof, .. }: &OpenedDb,
    mailer: Mailer,
    limits: RateLimiter,
) -> Result<Actors, BootError> {
    let key = config.stripe_secret_key.as_ref();
    let base = api_base(config, address);
    let gateway = StripeGateway::new(key, base, db.clock().clone())?;
    let environment = if config.is_production() { "production" } else { "development" };
    Ok(Actors::start(Dependencies {
        db: db.clone(),
        proof: proof.clone(),
        gateway: Arc::new(gateway),
        mailer,
        limits,
        environment: environment.to_owned(),
    }))
}

/// The sandbox, if no Stripe keys are set, and the secrets that sign the provider's webhooks. Without secrets in the
/// settings one is made for this process alone; that is enough, because the sandbox signs each delivery when it sends
/// it.
///
/// # Errors
/// When the sandbox's journal cannot be read or written.
fn provider(config: &Config, clock: &Clock) -> Result<(Option<Sandbox>, Vec<Secret>), BootError> {
    let mut secrets = config.stripe_webhook_secret.clone();
    if !config.has_own_sandbox() || config.is_production() {
        return Ok((None, secrets));
    }
    if secrets.is_empty() {
        secrets.push(Secret::new(format!("whsec_{}", hex(&clock.bytes::<32>()))));
    }
    let sandbox = Sandbox::open(SandboxSettings {
        data_dir: config.data_dir.clone(),
        clock: clock.clone(),
        base_url: format!("{}/sandbox", config.public_url()),
        webhook_url: Some(format!("http://{}/api/payments/webhooks/stripe", config.bind)),
        webhook_secrets: secrets.clone(),
    });
    Ok((Some(sandbox.map_err(BootError::Sandbox)?), secrets))
}

/// The root secret: the configured one, or in development one that is made once and kept.
///
/// # Errors
/// When the file cannot be read or written.
pub fn root_secret(config: &Config, clock: &Clock) -> Result<Secret, BootError> {
    if let Some(secret) = &config.secret {
        return Ok(secret.clone());
    }
    let path = config.data_dir.join("secret");
    let failed = |cause| BootError::file(&path, cause);
    match std::fs::read_to_string(&path) {
        Ok(text) if !text.trim().is_empty() => return Ok(Secret::new(text.trim())),
        // The disk was full when it was made: everybody knows the keys of no secret.
        Ok(_) => std::fs::remove_file(&path).map_err(failed)?,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
        Err(error) => return Err(failed(error)),
    }
    let text = hex(&clock.bytes::<32>());
    private_file::make_folder(&config.data_dir).map_err(failed)?;
    let mut file = private_file::create_new(&path).map_err(failed)?;
    file.write_all(text.as_bytes()).and_then(|()| file.sync_all()).map_err(failed)?;
    Ok(Secret::new(text))
}
