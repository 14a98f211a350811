//! The settings of traces, by the standard names of OpenTelemetry; `problems` is asked by `Config::check` alone.

use clap::{Args, ValueEnum};
use percent_encoding::percent_decode_str;

use super::host_of;
use super::network::is_private_on_the_way;
use crate::secret::Secret;

/// Headers in OTEL_EXPORTER_OTLP_HEADERS, at most.
const MAX_HEADERS: usize = 16;
/// Bytes of OTEL_SERVICE_NAME.
const MAX_NAME: usize = 100;

/// Which traces are recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub enum Sampler {
    AlwaysOn,
    AlwaysOff,
    #[value(name = "traceidratio")]
    TraceIdRatio,
    #[value(name = "parentbased_always_on")]
    ParentBasedAlwaysOn,
    #[value(name = "parentbased_always_off")]
    ParentBasedAlwaysOff,
    #[value(name = "parentbased_traceidratio")]
    ParentBasedTraceIdRatio,
}

impl Sampler {
    fn takes_ratio(self) -> bool {
        matches!(self, Sampler::TraceIdRatio | Sampler::ParentBasedTraceIdRatio)
    }
}

#[derive(Clone, Debug, Args)]
pub struct Traces {
    /// Collector of traces by OTLP over HTTP, such as http://127.0.0.1:4318; without it there are none
    #[arg(long = "otlp-endpoint", env = "OTEL_EXPORTER_OTLP_ENDPOINT")]
    pub otlp_endpoint: Option<String>,
    /// Headers for the collector, name=value, comma-separated, values percent-encoded
    #[arg(long = "otlp-headers", env = "OTEL_EXPORTER_OTLP_HEADERS")]
    pub otlp_headers: Option<Secret>,
    /// What traces call this service
    #[arg(long = "otel-service-name", env = "OTEL_SERVICE_NAME", default_value = "bipe")]
    pub otel_service_name: String,
    /// Which traces are recorded
    #[arg(long, env = "OTEL_TRACES_SAMPLER", value_enum, default_value = "parentbased_always_on")]
    pub traces_sampler: Sampler,
    /// Share of the traces, 0 to 1, for the samplers that end in traceidratio; default: 1
    #[arg(long, env = "OTEL_TRACES_SAMPLER_ARG")]
    pub traces_sampler_arg: Option<f64>,
}

impl Traces {
    /// Where spans are sent; none when traces are off. An empty setting is none, as the standard says.
    pub fn url(&self) -> Option<String> {
        let endpoint = self.otlp_endpoint.as_deref().filter(|endpoint| !endpoint.is_empty())?;
        Some(format!("{}/v1/traces", endpoint.trim_end_matches('/')))
    }

    /// Name and value of each header; none when the setting cannot be read.
    pub fn headers(&self) -> Option<Vec<(String, Secret)>> {
        let text = self.otlp_headers.as_ref().map(Secret::expose).unwrap_or_default();
        text.split(',').filter(|part| !part.trim().is_empty()).map(header).collect()
    }

    /// The share of traces that the sampler takes.
    pub fn ratio(&self) -> f64 {
        self.traces_sampler_arg.unwrap_or(1.0)
    }
}

fn header(part: &str) -> Option<(String, Secret)> {
    let (name, value) = part.split_once('=')?;
    let (name, value) = (name.trim(), percent_decode_str(value.trim()).decode_utf8().ok()?);
    let is_name = |b: u8| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b);
    let is_right = !name.is_empty()
        && name.bytes().all(is_name)
        && value.bytes().all(|b| b == b' ' || b.is_ascii_graphic());
    is_right.then(|| (name.to_ascii_lowercase(), Secret::new(value)))
}

/// One line each; no line repeats a header, which may hold a password.
pub(super) fn problems(traces: &Traces) -> Vec<String> {
    let mut problems = Vec::new();
    if traces.url().is_some_and(|url| !is_endpoint(&url)) {
        problems.push(
            "OTEL_EXPORTER_OTLP_ENDPOINT takes https://host[:port][/path], or http:// to this machine".to_owned(),
        );
    }
    match traces.headers() {
        Some(headers) if headers.len() <= MAX_HEADERS => {}
        _ => problems.push(format!(
            "OTEL_EXPORTER_OTLP_HEADERS takes name=value, at most {MAX_HEADERS} with commas between them, values \
             percent-encoded"
        )),
    }
    let name = &traces.otel_service_name;
    if !(1..=MAX_NAME).contains(&name.len()) || !name.bytes().all(|b| b.is_ascii_graphic()) {
        problems.push(format!("OTEL_SERVICE_NAME takes 1 to {MAX_NAME} visible ASCII characters"));
    }
    if !(0.0..=1.0).contains(&traces.ratio()) {
        problems.push("OTEL_TRACES_SAMPLER_ARG takes a share from 0 to 1".to_owned());
    }
    if traces.traces_sampler_arg.is_some() && !traces.traces_sampler.takes_ratio() {
        problems.push(
            "OTEL_TRACES_SAMPLER_ARG needs OTEL_TRACES_SAMPLER=traceidratio or parentbased_traceidratio"
                .to_owned(),
        );
    }
    problems
}

fn is_endpoint(url: &str) -> bool {
    let is_plain = url.bytes().all(|byte| byte.is_ascii_graphic());
    let has_host = host_of(url).is_some_and(|host| !host.is_empty());
    is_plain && has_host && !url.contains(['@', '?', '#']) && is_private_on_the_way(url)
}

#[cfg(test)]
mod tests {
    use crate::testing::config;

    fn lines(args: &[&str]) -> Vec<String> {
        config(args).check().err().unwrap_or_default()
    }

    #[test]
    fn a_collector_is_reached_by_tls_or_on_this_machine() {
        for url in ["", "http://127.0.0.1:4318", "http://[::1]/", "https://otlp.example.com/in/"] {
            assert_eq!(lines(&["--otlp-endpoint", url]), Vec::<String>::new(), "{url}");
        }
        for url in [
            "http://otlp.example.com",
            "http://127.0.0.1.example.com",
            "https://u:p@otlp.example.com",
            "https://otlp.example.com?a=b",
            "grpc://127.0.0.1:4317",
            "127.0.0.1:4318",
            "https://",
            "http://",
        ] {
            assert_eq!(lines(&["--otlp-endpoint", url]).len(), 1, "{url}");
        }
        let url = |text: &str| config(&["--otlp-endpoint", text]).traces.url();
        assert_eq!((url(""), config(&[]).traces.url()), (None, None));
        assert_eq!(url("http://[::1]/a/").as_deref(), Some("http://[::1]/a/v1/traces"));
    }

    #[test]
    fn headers_are_read_and_no_line_repeats_them() {
        let read = config(&["--otlp-headers", "Authorization=Basic%20c2VjcmV0, x-team=a=b,"]);
        let headers = read.traces.headers().unwrap();
        let headers: Vec<_> =
            headers.iter().map(|(name, value)| (name.as_str(), value.expose())).collect();
        assert_eq!(headers, [("authorization", "Basic c2VjcmV0"), ("x-team", "a=b")]);
        let many = vec!["a=b"; 17].join(",");
        for wrong in ["authorization", "=hush", "a b=hush", "a=hush%0d%0a", "a=%ff", &many] {
            let lines = lines(&["--otlp-headers", wrong]);
            assert_eq!(lines.len(), 1, "{wrong}");
            assert!(!lines[0].contains("hush"), "{lines:?}");
        }
    }

    #[test]
    fn a_wrong_name_share_or_sampler_is_refused() {
        for wrong in [
            &["--otel-service-name", ""][..],
            &["--otel-service-name", "a b"],
            &["--traces-sampler-arg", "0.5"],
            &["--traces-sampler", "traceidratio", "--traces-sampler-arg", "1.5"],
            &["--traces-sampler", "traceidratio", "--traces-sampler-arg=-0.1"],
            &["--traces-sampler", "traceidratio", "--traces-sampler-arg", "NaN"],
        ] {
            assert_eq!(lines(wrong).len(), 1, "{wrong:?}");
        }
        let right = ["--traces-sampler", "parentbased_traceidratio", "--traces-sampler-arg", "0.1"];
        assert_eq!(lines(&right), Vec::<String>::new());
        assert_eq!(config(&right).traces.ratio(), 0.1);
    }
}
