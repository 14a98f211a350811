//! The REST API, the live WebSocket and the binary `bipe`. Holds no SQL and no business rule.
//!
//! `cli.rs` reads the settings, `boot.rs` opens the parts in order and makes the one `App`, `listen` binds
//! it to a socket: the binary and the tests run the same code.

pub mod alerts;
pub mod api;
pub mod backup;
pub mod boot;
pub mod cli;
pub mod connection;
pub mod doctor;
pub mod error;
pub mod extract;
mod file_body;
mod legal;
pub mod live;
pub mod middleware;
pub mod nodes;
pub mod openapi;
pub mod permissions;
pub mod rate_limit;
pub mod replay;
mod request_guard;
mod route_table;
pub mod routes;
pub mod seed;
mod service_manager;
mod settings;
pub mod spa;
mod stop_signals;
pub mod telemetry;
pub mod upgrade;

use std::future::ready;
use std::io::ErrorKind;
use std::net::{SocketAddr, TcpListener};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use actix_cors::Cors;
use actix_http::error::DispatchError;
use actix_http::{HttpService, Request};
use actix_server::Server;
use actix_service::{
    IntoServiceFactory, ServiceFactory, ServiceFactoryExt, apply_fn_factory, fn_service, map_config,
};
use actix_web::body::MessageBody;
use actix_web::dev::{AppConfig, ServiceResponse};
use actix_web::middleware::from_fn;
use actix_web::rt::net::TcpStream;
use actix_web::web;
use bipe_actors::Actors;
use bipe_actors::bus::Nodes;
use bipe_core::Error;
use bipe_core::auth::Auth;
use bipe_core::cep_lookup::CepLookup;
use bipe_core::clock::Clock;
use bipe_core::config::Config;
use bipe_core::db::Db;
use bipe_core::secret::Secret;
use bipe_core::user::activity::RecentActivity;
use bipe_sandbox::Sandbox;
use futures_util::FutureExt;
use metrics_exporter_prometheus::PrometheusHandle;
use tokio::sync::watch;

use crate::connection::{Bounds, Connection, ConnectionCounts, Stream};
use crate::error::ApiError;
use crate::extract::TrustedProxies;
use crate::rate_limit::RequestLimits;
use crate::route_table::RouteTable;

const DISCONNECT: Duration = Duration::from_secs(2);
const SHUTDOWN_SECONDS: u64 = 10;

/// The parts that every handler works with; one for all workers.
pub struct App {
    pub config: Config,
    pub clock: Clock,
    pub db: Db,
    pub metrics: PrometheusHandle,
    pub limits: RequestLimits,
    pub auth: Auth,
    /// The people whose activity was recorded lately.
    pub active: RecentActivity,
    pub actors: Actors,
    pub cep: CepLookup,
    pub live: live::Node,
    /// What is known of the other nodes and of the bus.
    pub nodes: Nodes,
    /// What is known of the database.
    pub node_watch: nodes::NodeWatch,
    /// Of every connection.
    pub bounds: Bounds,
    /// The payment provider of a run without Stripe keys.
    pub sandbox: Option<Sandbox>,
    /// The secrets that sign the provider's webhooks: several while one is being replaced.
    pub webhook_secrets: Vec<Secret>,
    pub shutdown: watch::Sender<Shutdown>,
}

/// How far the shutdown of this node has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shutdown {
    NotBegun,
    /// Readiness answers 503, so that the proxy sends its new requests elsewhere. Everything is served as before.
    Announced,
    /// New sockets are refused, and the open ones are told when to go.
    Draining,
}

/// What all workers share.
#[derive(Clone)]
struct Shared {
    app: web::Data<App>,
    table: web::Data<RouteTable>,
}

impl Shared {
    fn of(app: Arc<App>) -> std::io::Result<Self> {
        let contract = openapi::served::contract().map_err(std::io::Error::other)?;
        let table = RouteTable::new(&contract.calls, &routes::plain_methods(&app));
        Ok(Self { app: web::Data::from(app), table: web::Data::new(table) })
    }
}

/// Serves `app` on a bound listener until the returned server is stopped.
///
/// # Errors
/// When the socket cannot be listened on.
pub fn listen(app: Arc<App>, listener: TcpListener) -> std::io::Result<Server> {
    let workers = workers(&app.config);
    let address = listener.local_addr()?;
    connection::prepare(&listener);
    let counts = ConnectionCounts::new(&app.config, app.bounds.per_address);
    let keep_alive = Duration::from_secs(app.config.keep_alive.into());
    let shared = Shared::of(app)?;
    let server = Server::build()
        .workers(workers)
        .max_concurrent_connections((connection::most_connections() / workers).max(1))
        .shutdown_timeout(SHUTDOWN_SECONDS)
        .disable_signals();
    let stopping = server.graceful_shutdown_signal();
    let server = server.listen("bipe", listener, move || {
        let worker = live::Worker::start(shared.app.clone());
        let service = || map_config(service(&shared, &worker), |()| AppConfig::default());
        let upgrade = apply_fn_factory(service(), |exchange, app| {
            live::upgrade::serve(exchange, app).map(Ok::<(), actix_web::Error>)
        });
        let (stopping, counts, own) = (stopping.clone(), counts.clone(), worker.clone());
        let accept = fn_service(move |stream: TcpStream| ready(accept(stream, &counts, &own)));
        let http = HttpService::build()
            .graceful_shutdown_signal(move || {
                let stopping = stopping.clone();
                async move { stopping.notified().await }
            })
            .client_request_timeout(Bounds::default().head)
            .keep_alive(keep_alive)
            .client_disconnect_timeout(DISCONNECT)
            .local_addr(address)
            .on_connect_ext(|stream: &Stream, data| drop(data.insert(stream.0.clone())))
            .upgrade(upgrade)
            .h1(service());
        accept.and_then(http)
    })?;
    Ok(server.run())
}

/// Takes a new connection into the worker's care, unless its address has too many already.
fn accept(
    stream: TcpStream,
    counts: &ConnectionCounts,
    worker: &live::Worker,
) -> Result<(Stream, Option<SocketAddr>), DispatchError> {
    let peer = stream.peer_addr().ok();
    let Some(connection) = Connection::accept(stream, peer.map(|peer| peer.ip()), counts) else {
        metrics::counter!("bipe_connections_refused_total").increment(1);
        return Err(DispatchError::Io(ErrorKind::QuotaExceeded.into()));
    };
    worker.connections.watch(&connection);
    Ok((Stream(connection), peer))
}

/// The routes with their middleware, for one worker.
fn service(
    shared: &Shared,
    worker: &Rc<live::Worker>,
) -> impl ServiceFactory<
    Request,
    Config = AppConfig,
    Response = ServiceResponse<impl MessageBody + use<>>,
    Error = actix_web::Error,
    InitError = (),
> + use<> {
    let app = &shared.app;
    actix_web::App::new()
        .app_data(app.clone())
        .app_data(shared.table.clone())
        .app_data(web::ThinData(worker.clone()))
        .app_data(web::Data::new(TrustedProxies::of(&app.config)))
        .app_data(
            web::PathConfig::default()
                .error_handler(|_, _| ApiError::from(Error::not_found()).into()),
        )
        .configure(routes::api)
        .configure(|plain| routes::plain(plain, app))
        .wrap(from_fn(middleware::refuse_other_methods))
        .wrap(from_fn(middleware::admit))
        .wrap(cors(&app.config))
        .wrap(from_fn(middleware::envelope_and_headers))
        .wrap(from_fn(connection::track_exchange))
        .into_factory()
}

fn workers(config: &Config) -> usize {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    config.workers.map_or(cores, usize::from)
}

/// Exact origins, without credentials: tokens travel in a header, never in a cookie.
fn cors(config: &Config) -> Cors {
    let allow = |cors: Cors, origin: String| cors.allowed_origin(&origin);
    config
        .origins()
        .into_iter()
        .fold(Cors::default(), allow)
        .allowed_methods(["GET", "HEAD", "POST", "PUT", "DELETE"])
        .allowed_headers([
            "authorization",
            "content-type",
            "idempotency-key",
            "traceparent",
            "x-request-id",
        ])
        .expose_headers([
            "content-disposition",
            "idempotent-replayed",
            "retry-after",
            "x-data-age",
            "x-request-id",
        ])
        .block_on_origin_mismatch(false)
        .max_age(600)
}
