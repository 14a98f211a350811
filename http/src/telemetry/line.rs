//! A log line with the id of its trace, for as long as traces are on. Used by `telemetry.rs` alone.

use std::fmt;

use bipe_core::config::LogFormat;
use bipe_core::trace;
use tracing::{Event, Subscriber};
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields};
use tracing_subscriber::registry::LookupSpan;

/// Adds `trace_id` to the lines of another format.
pub struct WithTrace<F> {
    pub inner: F,
    pub format: LogFormat,
}

impl<S, N, F> FormatEvent<S, N> for WithTrace<F>
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
    F: FormatEvent<S, N>,
{
    fn format_event(
        &self,
        context: &FmtContext<'_, S, N>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let Some(place) = trace::current() else {
            return self.inner.format_event(context, writer, event);
        };
        let mut line = String::new();
        self.inner.format_event(context, Writer::new(&mut line), event)?;
        writer.write_str(&added(&line, self.format, &place.trace_id()))
    }
}

/// The field at the end of the line.
fn added(line: &str, format: LogFormat, id: &str) -> String {
    let line = line.trim_end_matches('\n');
    match (format, line.strip_suffix('}')) {
        (LogFormat::Json, Some(open)) => format!("{open},\"trace_id\":\"{id}\"}}\n"),
        _ => format!("{line} trace_id={id}\n"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_trace_stands_at_the_end_of_a_line() {
        let json = added("{\"level\":\"INFO\"}\n", LogFormat::Json, "ab");
        assert_eq!(json, "{\"level\":\"INFO\",\"trace_id\":\"ab\"}\n");
        assert_eq!(added("INFO {x}\n", LogFormat::Pretty, "ab"), "INFO {x} trace_id=ab\n");
    }
}
