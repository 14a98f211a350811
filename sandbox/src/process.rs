//! `bipe sandbox`: the provider as a process of its own, with its own development clock.

use std::io::{Write, stdout};
use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::time::Duration;

use actix_web::body::{BoxBody, MessageBody};
use actix_web::dev::{Server, ServiceRequest, ServiceResponse};
use actix_web::http::header::HOST;
use actix_web::http::uri::Authority;
use actix_web::middleware::{Next, from_fn};
use actix_web::{App, Error, HttpResponse, HttpServer, web};
use bipe_core::clock::Clock;
use bipe_core::config::is_own_name;
use bipe_core::config::sources::bind_address;
use bipe_core::secret::Secret;
use clap::Args;
use serde::Deserialize;
use serde_json::json;

use crate::store::Record;
use crate::{Cause, Sandbox, SandboxSettings, configure, configure_root, control};

/// The settings of `bipe sandbox`.
#[derive(Args, Clone, Debug)]
pub struct ProcessSettings {
    /// The address to listen on; port 0 takes a free one
    #[arg(long = "bind", env = "BIPE_SANDBOX_BIND", default_value = "127.0.0.1:8090", value_parser = bind_address)]
    pub bind: SocketAddr,
    /// Where the journal lives
    #[arg(long, env = "BIPE_DATA_DIR", default_value = ".bipe")]
    pub data_dir: PathBuf,
    /// Where events go: plain HTTP on this machine; absent, they are only listed
    #[arg(long, env = "BIPE_SANDBOX_WEBHOOK_URL")]
    pub webhook_url: Option<String>,
    /// Each secret signs every event
    #[arg(
        long = "webhook-secret",
        env = "STRIPE_WEBHOOK_SECRET",
        default_value = "whsec_sandbox",
        value_delimiter = ','
    )]
    pub webhook_secrets: Vec<Secret>,
}

/// Serves at the address of the settings, where the caller listens, until SIGTERM or SIGINT; prints
/// `listening on http://…` when it is ready.
///
/// # Errors
/// When the journal cannot be opened, the webhook address cannot be used, or the server fails.
pub async fn serve(settings: ProcessSettings, listener: TcpListener) -> std::io::Result<()> {
    let address = listener.local_addr()?;
    let clock = Clock::system();
    let sandbox = Sandbox::open(SandboxSettings {
        data_dir: settings.data_dir,
        clock: clock.clone(),
        base_url: format!("http://{address}/sandbox"),
        webhook_url: settings.webhook_url,
        webhook_secrets: settings.webhook_secrets,
    })?;
    clock.advance(sandbox.read(|state| state.clock_ahead));
    let background = tokio::spawn(sandbox.clone().run());
    let data = (web::Data::new(sandbox), web::Data::new(clock));
    let server = HttpServer::new(move || {
        App::new()
            .app_data(data.0.clone())
            .app_data(data.1.clone())
            .route("/dev/clock", web::get().to(now))
            .route("/dev/clock", web::post().to(advance))
            .route("/dev/jobs/run", web::post().to(run_jobs))
            .configure(configure_root)
            .wrap(from_fn(refuse_other_names))
    })
    .workers(2)
    .shutdown_timeout(5)
    .client_request_timeout(Duration::from_secs(5))
    .listen(listener)?
    .run();
    // Nobody may read it, or the disk of the output be full: payments go on.
    writeln!(stdout(), "listening on http://{address}").ok();
    let ended = server.await;
    background.abort();
    ended
}

/// The calls alone, for a process that has no other server.
///
/// # Errors
/// When the socket cannot be listened on.
pub fn listen(sandbox: Sandbox, listener: TcpListener) -> std::io::Result<Server> {
    let data = web::Data::new(sandbox);
    let server = HttpServer::new(move || {
        let app = App::new().app_data(data.clone()).configure(configure);
        app.wrap(from_fn(refuse_other_names))
    });
    Ok(server.workers(1).disable_signals().listen(listener)?.run())
}

/// 404 under a name that is not this process's own: a page elsewhere must not read or move what is in here.
async fn refuse_other_names(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    let header = || request.headers().get(HOST)?.to_str().ok()?.parse::<Authority>().ok();
    let named = request.uri().authority().cloned().or_else(header);
    let bind = request.app_config().local_addr().ip();
    if named.is_some_and(|named| is_own_name(named.host(), bind)) {
        return next.call(request).await.map(ServiceResponse::map_into_boxed_body);
    }
    let refused = control::unknown(request.request().clone()).await;
    Ok(request.into_response(refused))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Advance {
    advance_seconds: u32,
}

async fn now(clock: web::Data<Clock>) -> HttpResponse {
    HttpResponse::Ok().json(json!({ "now": clock.now_seconds().to_string() }))
}

/// Moves the clock and keeps where it stands: a restart must not travel back in time.
async fn advance(
    clock: web::Data<Clock>,
    sandbox: web::Data<Sandbox>,
    order: web::Json<Advance>,
) -> HttpResponse {
    let ahead = u32::try_from(clock.advance(order.advance_seconds)).unwrap_or(u32::MAX);
    match sandbox.transact(Cause::default(), |tx| tx.put(Record::ClockAhead(ahead))) {
        Ok(()) => now(clock).await,
        Err(fault) => HttpResponse::InternalServerError().json(fault.envelope()),
    }
}

async fn run_jobs(sandbox: web::Data<Sandbox>) -> HttpResponse {
    let mut ran = 0;
    loop {
        match sandbox.run_due().await {
            0 => return HttpResponse::Ok().json(json!({ "ran": ran })),
            more => ran += more,
        }
    }
}
