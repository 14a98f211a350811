//! Log lines (pretty or JSON), the Prometheus recorder, which knows the list of all metrics, and the sender of traces.

mod line;
pub mod list;
pub mod metric;
pub mod traces;

use std::io::IsTerminal;
use std::sync::OnceLock;
use std::time::Duration;

use bipe_core::config::{Config, LogFormat};
use metrics_exporter_prometheus::{BuildError, Matcher, PrometheusBuilder, PrometheusHandle};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::ParseError;

use self::line::WithTrace;
use self::metric::{Kind, Metric};

/// Kept quiet whatever `RUST_LOG` asks for, because it could tell about a person: spans and events of the Stripe client
/// hold provider payloads, statements their parameters, and actix-web's debug lines the path of a malformed request.
/// Where actix-http reads connections it calls bytes an error that are no request and no frame: anybody can send them.
/// async-nats tells each event that the bus tells, and each try to connect to a server that is away.
const ALWAYS_QUIET: &str = "stripe=off,async_stripe=off,tokio_postgres=warn,async_nats=warn,actix_web=info,\
    actix_http=info,actix_http::h1::decoder=off,actix_http::h1::dispatcher=off,actix_http::ws::codec=off";

/// Starts the log. A second call (tests in one process) changes nothing.
///
/// # Errors
/// As `filter`.
pub fn start_log(config: &Config) -> Result<(), ParseError> {
    start(filter(&config.rust_log)?, config.log_format, config.traces.url().is_some());
    Ok(())
}

/// The log of a process without a configuration file: pretty, at `info`.
pub fn start_plain_log() {
    let filter = EnvFilter::new(format!("info,actix_server=warn,{ALWAYS_QUIET}"));
    start(filter, LogFormat::Pretty, false);
}

/// The filter that `RUST_LOG` asks for, without `ALWAYS_QUIET`.
///
/// # Errors
/// Where it cannot be read.
pub fn filter(wanted: &str) -> Result<EnvFilter, ParseError> {
    EnvFilter::try_new(format!("{wanted},{ALWAYS_QUIET}"))
}

fn start(filter: EnvFilter, format: LogFormat, with_trace: bool) {
    let builder = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        // A line that cannot be written would be told to standard error, which panics where that fails as well: with a
        // full disk no work would get past its first line.
        .log_internal_errors(false)
        // Colours are for a person: in a file nobody finds what they tear apart.
        .with_ansi(std::io::stderr().is_terminal());
    let started = match (format, with_trace) {
        (LogFormat::Pretty, false) => builder.with_target(false).try_init(),
        (LogFormat::Json, false) => builder.json().flatten_event(true).try_init(),
        (LogFormat::Pretty, true) => builder
            .with_target(false)
            .map_event_format(|inner| WithTrace { inner, format })
            .try_init(),
        (LogFormat::Json, true) => builder
            .json()
            .flatten_event(true)
            .map_event_format(|inner| WithTrace { inner, format })
            .try_init(),
    };
    drop(started);
}

/// From one tidying of the recorder to the next.
const TIDY_EVERY: Duration = Duration::from_secs(5);

fn recorder() -> Result<PrometheusBuilder, BuildError> {
    let mut histograms = listed().filter(|metric| metric.kind == Kind::Histogram);
    histograms.try_fold(PrometheusBuilder::new(), |builder, metric| {
        builder.set_buckets_for_metric(Matcher::Full(metric.name.to_owned()), metric.buckets)
    })
}

fn listed() -> impl Iterator<Item = &'static Metric> {
    list::PARTS.into_iter().flat_map(|(_, metrics)| metrics)
}

/// Installs the process's one recorder, once, and returns what `/metrics` renders.
pub fn start_metrics() -> PrometheusHandle {
    static HANDLE: OnceLock<PrometheusHandle> = OnceLock::new();
    let install = || {
        let recorder = recorder().unwrap_or_default().build_recorder();
        let handle = recorder.handle();
        drop(metrics::set_global_recorder(recorder));
        listed().for_each(Metric::describe);
        metrics::gauge!("bipe_build_info", "version" => env!("CARGO_PKG_VERSION")).set(1.0);
        handle
    };
    HANDLE.get_or_init(install).clone()
}

/// Sorts recorded times into their buckets, until the task is aborted: without it they would pile up where nobody asks
/// for `/metrics`.
pub async fn tidy(metrics: PrometheusHandle) {
    let mut tick = tokio::time::interval(TIDY_EVERY);
    loop {
        tick.tick().await;
        metrics.run_upkeep();
    }
}
