//! Log lines (pretty or JSON) and the Prometheus recorder.

use std::sync::OnceLock;

use bipe_core::config::{Config, LogFormat};
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};
use tracing_subscriber::EnvFilter;

/// What could say something about a person, whatever was asked for: spans and events of the Stripe client hold
/// provider payloads, statements their parameters, and actix-web's debug lines the path of a malformed request.
const ALWAYS_QUIET: &str =
    "stripe=off,async_stripe=off,tokio_postgres=warn,actix_web=info,actix_http=info";

/// Starts the log. A second call (tests in one process) changes nothing.
pub fn start_log(config: &Config) {
    start(&config.rust_log, config.log_format);
}

/// The log of a process without a configuration file: pretty, at `info`.
pub fn start_plain_log() {
    start("info,actix_server=warn", LogFormat::Pretty);
}

fn start(wanted: &str, format: LogFormat) {
    let filter = EnvFilter::try_new(format!("{wanted},{ALWAYS_QUIET}"))
        .unwrap_or_else(|_unreadable| EnvFilter::new(format!("info,{ALWAYS_QUIET}")));
    let builder = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    let started = match format {
        LogFormat::Pretty => builder.with_target(false).try_init(),
        LogFormat::Json => builder.json().flatten_event(true).try_init(),
    };
    drop(started);
}

/// Installs the process's one recorder, once, and returns what `/metrics` renders.
pub fn start_metrics() -> PrometheusHandle {
    static HANDLE: OnceLock<PrometheusHandle> = OnceLock::new();
    let install = || {
        let recorder = PrometheusBuilder::new().build_recorder();
        let handle = recorder.handle();
        drop(metrics::set_global_recorder(recorder));
        handle
    };
    HANDLE.get_or_init(install).clone()
}
