//! Traces: the spans of a piece of work, and how a trace goes on where work crosses a queue, a row or a node
//! (docs/operations.md, "Traces"). Called wherever work begins or crosses; `http/src/telemetry/traces.rs` installs the
//! tracer and sends the spans.
//!
//! Invariants: without a tracer nothing is made, kept or sent. A span holds ids, names of code and codes: nothing of a
//! person. Spans carry the machine's time and ids of their own, never those of `Clock`: they decide nothing.

use std::borrow::Cow;
use std::fmt;
use std::sync::OnceLock;

use futures_util::future::Either;
use opentelemetry::global::BoxedTracer;
use opentelemetry::trace::{
    FutureExt, Link, SpanBuilder, SpanContext, SpanId, SpanKind, Status, TraceContextExt,
    TraceFlags, TraceId, TraceState, Tracer,
};
use opentelemetry::{Context, KeyValue, Value};

use crate::error::{Error, Result};

static TRACER: OnceLock<BoxedTracer> = OnceLock::new();

/// Makes spans from here on, until the process ends. A second call changes nothing.
pub fn install(tracer: BoxedTracer) {
    drop(TRACER.set(tracer));
}

pub fn is_on() -> bool {
    TRACER.get().is_some()
}

/// A place in a trace, as it crosses: the `traceparent` of W3C Trace Context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Traceparent {
    trace: TraceId,
    span: SpanId,
    flags: TraceFlags,
}

impl Traceparent {
    /// None for everything that the standard calls invalid, and for versions after 00.
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split('-');
        let mut next = |length: usize| {
            let is_hex = |part: &&str| {
                part.len() == length && part.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
            };
            parts.next().filter(is_hex)
        };
        let version = next(2)?;
        let (trace, span) = (TraceId::from_hex(next(32)?).ok()?, SpanId::from_hex(next(16)?).ok()?);
        let flags = TraceFlags::new(u8::from_str_radix(next(2)?, 16).ok()?);
        let is_whole = version == "00" && parts.next().is_none();
        let is_valid = trace != TraceId::INVALID && span != SpanId::INVALID;
        (is_whole && is_valid).then_some(Self { trace, span, flags })
    }

    /// As log lines name the trace.
    pub fn trace_id(&self) -> String {
        self.trace.to_string()
    }

    fn of(context: &SpanContext) -> Self {
        let (trace, span) = (context.trace_id(), context.span_id());
        Self { trace, span, flags: context.trace_flags() }
    }

    fn context(self) -> SpanContext {
        SpanContext::new(self.trace, self.span, self.flags, true, TraceState::NONE)
    }
}

impl fmt::Display for Traceparent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "00-{}-{}-{:02x}", self.trace, self.span, self.flags.to_u8())
    }
}

/// In the context of a parent that somebody outside has named. It says to which trace the work belongs, and does not
/// decide whether that is recorded.
pub struct Outside;

/// Work that is under way. It ends when the last clone is dropped. Empty without a tracer.
#[derive(Clone, Debug, Default)]
pub struct Span(Option<Context>);

impl Span {
    /// A request from outside, with the parent that its sender named.
    pub fn of_request(parent: Option<Traceparent>) -> Self {
        let context = || match parent {
            Some(parent) => {
                Context::new().with_value(Outside).with_remote_span_context(parent.context())
            }
            None => Context::new(),
        };
        Self::start("request", SpanKind::Server, context, None)
    }

    /// Goes on with a trace that crossed a queue or a row; without one it begins another.
    pub fn of_work(name: &'static str, parent: Option<Traceparent>) -> Self {
        Self::start(name, SpanKind::Consumer, || continued(parent), None)
    }

    /// Work for another trace than the one under way, and a link to the latter.
    pub fn of_other(name: &'static str, parent: Traceparent) -> Self {
        Self::start(name, SpanKind::Internal, || continued(Some(parent)), current())
    }

    /// A part of the work under way; empty where that has no span.
    pub fn child(name: &'static str) -> Self {
        Self::part(name, SpanKind::Internal)
    }

    /// A call to somebody else, as a part of the work under way.
    pub fn call(name: &'static str) -> Self {
        Self::part(name, SpanKind::Client)
    }

    fn part(name: &'static str, kind: SpanKind) -> Self {
        if current().is_none() {
            return Self::default();
        }
        Self::start(name, kind, Context::current, None)
    }

    fn start(
        name: &'static str,
        kind: SpanKind,
        parent: impl FnOnce() -> Context,
        link: Option<Traceparent>,
    ) -> Self {
        let Some(tracer) = TRACER.get() else { return Self::default() };
        let mut builder = SpanBuilder::from_name(name).with_kind(kind);
        if let Some(link) = link {
            builder = builder.with_links(vec![Link::with_context(link.context())]);
        }
        let span = tracer.build_with_context(builder, &parent());
        Self(Some(Context::new().with_span(span)))
    }

    /// The work of the future is this span's.
    pub fn around<F: Future>(&self, work: F) -> impl Future<Output = F::Output> + use<F> {
        match &self.0 {
            Some(context) => Either::Right(work.with_context(context.clone())),
            None => Either::Left(work),
        }
    }

    /// As [`Span::around`], and notes the code of an error.
    pub async fn around_fallible<T>(self, work: impl Future<Output = Result<T>>) -> Result<T> {
        let outcome = self.around(work).await;
        if let Err(error) = &outcome {
            self.fail(error);
        }
        outcome
    }

    /// For what does not wait, such as a log line.
    pub fn enter<T>(&self, work: impl FnOnce() -> T) -> T {
        let _entered = self.0.clone().map(Context::attach);
        work()
    }

    /// Notes an id, a name of code, a code or a number. Nothing of a person.
    pub fn note(&self, key: &'static str, value: impl Into<Value>) {
        if let Some(context) = &self.0 {
            context.span().set_attribute(KeyValue::new(key, value));
        }
    }

    /// As [`Span::note`], for a value that is made only where it is recorded.
    pub fn note_with<V: Into<Value>>(&self, key: &'static str, value: impl FnOnce() -> V) {
        if self.is_recorded() {
            self.note(key, value());
        }
    }

    /// The name that only the end of the work tells.
    pub fn rename(&self, name: impl FnOnce() -> Cow<'static, str>) {
        if let Some(context) = self.0.as_ref().filter(|_| self.is_recorded()) {
            context.span().update_name(name());
        }
    }

    /// The work failed by a defect or an outage. What was refused to somebody is no failure.
    pub fn fail(&self, error: &Error) {
        if let (Some(context), Error::Internal(_) | Error::Unavailable { .. }) = (&self.0, error) {
            context.span().set_status(Status::error(error.code().as_str()));
        }
    }

    /// What goes along where the work crosses.
    pub fn traceparent(&self) -> Option<Traceparent> {
        self.0.as_ref().map(|context| Traceparent::of(context.span().span_context()))
    }

    fn is_recorded(&self) -> bool {
        self.0.as_ref().is_some_and(|context| context.span().is_recording())
    }
}

/// The place of the work under way, which goes along where it crosses.
pub fn current() -> Option<Traceparent> {
    TRACER.get()?;
    Context::map_current(|context| {
        context.has_active_span().then(|| Traceparent::of(context.span().span_context()))
    })
}

fn continued(parent: Option<Traceparent>) -> Context {
    match parent {
        Some(parent) => Context::new().with_remote_span_context(parent.context()),
        None => Context::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHOLE: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    #[test]
    fn a_traceparent_is_read_and_written_as_the_standard_says() {
        let read = Traceparent::parse(WHOLE).unwrap();
        assert_eq!(read.to_string(), WHOLE);
        assert_eq!(read.trace_id(), "4bf92f3577b34da6a3ce929d0e0e4736");
        for wrong in [
            "",
            "00",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7",
            "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
            "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-1",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-x",
            "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            "00-ana@example.com-00f067aa0ba902b7-01",
        ] {
            assert_eq!(Traceparent::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn without_a_tracer_nothing_is_made() {
        let span = Span::of_request(Traceparent::parse(WHOLE));
        assert!(span.0.is_none() && span.traceparent().is_none());
        span.enter(|| assert!(current().is_none() && Span::child("part").0.is_none()));
    }
}
