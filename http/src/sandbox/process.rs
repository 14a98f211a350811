//! `bipe sandbox`: the provider as a process of its own, with its own development clock.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use actix_web::{App, HttpResponse, HttpServer, web};
use bipe_core::clock::Clock;
use serde::Deserialize;
use serde_json::json;

use super::{Sandbox, SandboxSettings, configure_root};

#[derive(Clone, Debug)]
pub struct ProcessSettings {
    pub bind: SocketAddr,
    pub data_dir: PathBuf,
    pub webhook_url: Option<String>,
    pub webhook_secrets: Vec<String>,
}

/// Serves until SIGTERM or SIGINT; prints `listening on http://…` when it is ready.
pub async fn serve(settings: ProcessSettings) -> std::io::Result<()> {
    let listener = std::net::TcpListener::bind(settings.bind)?;
    let address = listener.local_addr()?;
    let clock = Clock::system();
    let sandbox = Sandbox::open(SandboxSettings {
        data_dir: settings.data_dir,
        clock: clock.clone(),
        base_url: format!("http://{address}/sandbox"),
        webhook_url: settings.webhook_url,
        webhook_secrets: settings.webhook_secrets,
    })?;
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
    })
    .workers(2)
    .shutdown_timeout(5)
    .client_request_timeout(Duration::from_secs(5))
    .listen(listener)?
    .run();
    println!("listening on http://{address}");
    let ended = server.await;
    background.abort();
    ended
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Advance {
    advance_seconds: u32,
}

async fn now(clock: web::Data<Clock>) -> HttpResponse {
    HttpResponse::Ok().json(json!({ "now": clock.now_seconds().to_string() }))
}

async fn advance(clock: web::Data<Clock>, order: web::Json<Advance>) -> HttpResponse {
    clock.advance(order.advance_seconds);
    now(clock).await
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
