//! Sends the spans of this process to a collector by OTLP over HTTP (docs/operations.md, "Traces"). Started once by the
//! command line, with `OTEL_EXPORTER_OTLP_ENDPOINT` alone.
//!
//! Invariant: no work waits for the collector. Spans that do not fit into the queue, and those that the collector does
//! not take within the time, are dropped and counted.

use std::sync::Arc;
use std::time::Duration;

use bipe_core::config::{Sampler as Wanted, Traces};
use bipe_core::https::PostEndpoint;
use bipe_core::trace::{self, Outside};
use bipe_core::{Error, Result};
use opentelemetry::global::BoxedTracer;
use opentelemetry::trace::{Link, SpanKind, TraceId, TracerProvider};
use opentelemetry::{Context, KeyValue};
use opentelemetry_proto::tonic::collector::trace::v1::{
    ExportTraceServiceRequest, ExportTraceServiceResponse,
};
use opentelemetry_proto::transform::common::tonic::ResourceAttributesWithSchema;
use opentelemetry_proto::transform::trace::tonic::group_spans_by_resource_and_scope;
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::error::OTelSdkResult;
use opentelemetry_sdk::trace::{
    Sampler, SamplingResult, SdkTracerProvider, ShouldSample, Span, SpanData, SpanLimits,
    SpanProcessor,
};
use prost::Message;
use tokio::runtime::Handle;
use tokio::sync::{Notify, mpsc};
use tokio::task::JoinHandle;

/// Spans that wait; a span takes about a kilobyte.
const MAX_WAITING: usize = 8_192;
/// Spans in one document.
const MAX_AT_ONCE: usize = 512;
/// How long a span waits for others.
const BATCH_DELAY: Duration = Duration::from_millis(500);
/// For the answer of the collector.
const SEND_TIMEOUT: Duration = Duration::from_secs(5);
/// For the last spans, when the process ends.
const LAST_SEND_TIMEOUT: Duration = Duration::from_secs(2);

/// The sender, as long as the process runs.
pub struct TraceSender {
    queue: Arc<Queue>,
    sending: JoinHandle<()>,
}

/// Makes and sends spans from here on; none without a collector.
///
/// # Errors
/// `Internal` for a setting that `Config::check` would have refused.
pub fn start(traces: &Traces, node: &str, runtime: &Handle) -> Result<Option<TraceSender>> {
    let Some(url) = traces.url() else { return Ok(None) };
    let headers = traces.headers().ok_or_else(|| Error::internal("the headers of traces"))?;
    let endpoint = PostEndpoint::new(&url, "application/x-protobuf", &headers, SEND_TIMEOUT)?;
    let resource = Resource::builder_empty()
        .with_service_name(traces.otel_service_name.clone())
        .with_attribute(KeyValue::new("service.version", env!("CARGO_PKG_VERSION")))
        .with_attribute(KeyValue::new("service.instance.id", node.to_owned()))
        .build();
    let (sender, spans) = mpsc::channel(MAX_WAITING);
    let queue = Arc::new(Queue { sender, ready: Notify::new(), ending: Notify::new() });
    let provider = SdkTracerProvider::builder()
        .with_span_processor(Processor(queue.clone()))
        .with_sampler(IgnoreOutsideParent(sampler(traces)))
        .with_span_limits(SpanLimits::default())
        .with_resource(resource.clone())
        .build();
    let collector = CollectorClient { endpoint, resource: (&resource).into(), is_taken: true };
    let sending = runtime.spawn(send_all(queue.clone(), spans, collector));
    trace::install(BoxedTracer::new(Box::new(provider.tracer("bipe"))));
    Ok(Some(TraceSender { queue, sending }))
}

impl TraceSender {
    /// Sends what still waits, as far as the collector takes it in time.
    pub async fn end(self) {
        self.queue.ending.notify_one();
        drop(tokio::time::timeout(LAST_SEND_TIMEOUT, self.sending).await);
    }
}

fn sampler(traces: &Traces) -> Sampler {
    let parent = |root| Sampler::ParentBased(Box::new(root));
    match traces.traces_sampler {
        Wanted::AlwaysOn => Sampler::AlwaysOn,
        Wanted::AlwaysOff => Sampler::AlwaysOff,
        Wanted::TraceIdRatio => Sampler::TraceIdRatioBased(traces.ratio()),
        Wanted::ParentBasedAlwaysOn => parent(Sampler::AlwaysOn),
        Wanted::ParentBasedAlwaysOff => parent(Sampler::AlwaysOff),
        Wanted::ParentBasedTraceIdRatio => parent(Sampler::TraceIdRatioBased(traces.ratio())),
    }
}

/// Ignores the sampled flag of a client's `traceparent`: a client names a trace, but does not decide whether it is
/// recorded.
#[derive(Clone, Debug)]
struct IgnoreOutsideParent(Sampler);

impl ShouldSample for IgnoreOutsideParent {
    fn should_sample(
        &self,
        parent: Option<&Context>,
        trace: TraceId,
        name: &str,
        kind: &SpanKind,
        attributes: &[KeyValue],
        links: &[Link],
    ) -> SamplingResult {
        let parent = parent.filter(|context| context.get::<Outside>().is_none());
        self.0.should_sample(parent, trace, name, kind, attributes, links)
    }
}

#[derive(Debug)]
struct Queue {
    sender: mpsc::Sender<SpanData>,
    /// A whole document waits.
    ready: Notify,
    /// The process ends.
    ending: Notify,
}

#[derive(Debug)]
struct Processor(Arc<Queue>);

impl SpanProcessor for Processor {
    fn on_start(&self, _span: &mut Span, _context: &Context) {}

    fn on_end(&self, span: SpanData) {
        let Queue { sender, ready, .. } = &*self.0;
        if sender.try_send(span).is_err() {
            drop_spans("queue", 1);
        } else if sender.max_capacity() - sender.capacity() == MAX_AT_ONCE {
            ready.notify_one();
        }
    }

    fn force_flush(&self) -> OTelSdkResult {
        Ok(())
    }

    fn shutdown_with_timeout(&self, _patience: Duration) -> OTelSdkResult {
        Ok(())
    }
}

fn drop_spans(reason: &'static str, count: usize) {
    let count = u64::try_from(count).unwrap_or(u64::MAX);
    metrics::counter!("bipe_spans_dropped_total", "reason" => reason).increment(count);
}

async fn send_all(
    queue: Arc<Queue>,
    mut spans: mpsc::Receiver<SpanData>,
    mut collector: CollectorClient,
) {
    let mut is_ending = false;
    while !is_ending {
        tokio::select! {
            () = queue.ending.notified() => is_ending = true,
            () = queue.ready.notified() => {}
            () = tokio::time::sleep(BATCH_DELAY) => {}
        }
        while !spans.is_empty() {
            let mut batch = Vec::with_capacity(MAX_AT_ONCE);
            spans.recv_many(&mut batch, MAX_AT_ONCE).await;
            collector.send(batch).await;
        }
    }
}

/// The way to the collector.
struct CollectorClient {
    endpoint: PostEndpoint,
    resource: ResourceAttributesWithSchema,
    /// The collector took the last document.
    is_taken: bool,
}

impl CollectorClient {
    /// Once: a span that is late is worth less than those that come after it.
    async fn send(&mut self, batch: Vec<SpanData>) {
        let count = batch.len();
        let resource_spans = group_spans_by_resource_and_scope(batch, &self.resource);
        let document = ExportTraceServiceRequest { resource_spans }.encode_to_vec();
        match self.endpoint.post(document).await {
            Ok(answer) => {
                drop_spans("rejected", rejected(&answer).min(count));
                if !self.is_taken {
                    tracing::info!("the collector of traces takes spans again");
                }
                self.is_taken = true;
            }
            Err(reason) => {
                drop_spans("collector", count);
                if self.is_taken {
                    tracing::warn!(%reason, "the collector of traces takes no spans");
                }
                self.is_taken = false;
            }
        }
    }
}

/// Spans of the document that the collector did not want.
fn rejected(answer: &[u8]) -> usize {
    let answer = ExportTraceServiceResponse::decode(answer).unwrap_or_default();
    answer.partial_success.map_or(0, |part| usize::try_from(part.rejected_spans).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use metrics_exporter_prometheus::PrometheusBuilder;
    use opentelemetry::trace::{
        Span as _, SpanContext, SpanId, TraceContextExt, TraceFlags, TraceState, Tracer,
    };
    use opentelemetry_sdk::trace::SamplingDecision;

    use super::*;

    #[test]
    fn a_full_queue_drops_spans_at_once_and_counts_them() {
        let (sender, spans) = mpsc::channel(MAX_WAITING);
        let queue = Queue { sender, ready: Notify::new(), ending: Notify::new() };
        let provider =
            SdkTracerProvider::builder().with_span_processor(Processor(Arc::new(queue))).build();
        let tracer = provider.tracer("test");
        let recorder = PrometheusBuilder::new().build_recorder();
        metrics::with_local_recorder(&recorder, || {
            (0..MAX_WAITING + 7).for_each(|_| tracer.start("work").end());
        });
        assert_eq!(spans.len(), MAX_WAITING);
        let counted = recorder.handle().render();
        assert!(counted.contains("bipe_spans_dropped_total{reason=\"queue\"} 7"), "{counted}");
    }

    #[test]
    fn a_client_cannot_decide_whether_its_trace_is_recorded() {
        let trace = TraceId::from(7);
        let decide = |sampler: &IgnoreOutsideParent, context: &Context, flags: TraceFlags| {
            let parent = SpanContext::new(trace, SpanId::from(9), flags, true, TraceState::NONE);
            let parent = context.with_remote_span_context(parent);
            let kind = SpanKind::Server;
            sampler.should_sample(Some(&parent), trace, "request", &kind, &[], &[]).decision
        };
        let parent_based = |root| IgnoreOutsideParent(Sampler::ParentBased(Box::new(root)));
        let (on, off) = (parent_based(Sampler::AlwaysOn), parent_based(Sampler::AlwaysOff));
        let (record, leave) = (SamplingDecision::RecordAndSample, SamplingDecision::Drop);
        let outside = Context::new().with_value(Outside);
        for flags in [TraceFlags::SAMPLED, TraceFlags::NOT_SAMPLED] {
            assert_eq!(decide(&on, &outside, flags), record);
            assert_eq!(decide(&off, &outside, flags), leave);
        }
        // The decision about the request holds for the jobs that it leaves.
        assert_eq!(decide(&off, &Context::new(), TraceFlags::SAMPLED), record);
        assert_eq!(decide(&on, &Context::new(), TraceFlags::NOT_SAMPLED), leave);
    }

    #[test]
    fn what_the_collector_rejects_is_read_from_its_answer() {
        use opentelemetry_proto::tonic::collector::trace::v1::ExportTracePartialSuccess;
        let part = ExportTracePartialSuccess { rejected_spans: 3, error_message: "late".into() };
        let answer = ExportTraceServiceResponse { partial_success: Some(part) };
        assert_eq!(rejected(&answer.encode_to_vec()), 3);
        assert_eq!((rejected(&[]), rejected(b"{}")), (0, 0));
    }
}
