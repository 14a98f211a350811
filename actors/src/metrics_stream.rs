//! `MetricsStream`: keeps the platform admins' two live channels up to date, the figures and the recent activities.
//! `bipe_core::metrics::live` decides what to tell; this actor decides when.
//!
//! It runs only while a hub of this node reads one of the two channels: the relay starts it with the first reader and
//! stops it after the last. It may be lost at any moment (invariant I1): the next one compares with the stored events.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use actix::{
    Actor, ActorContext, ActorFutureExt, Addr, AsyncContext, Context, Handler, WrapFuture,
};
use bipe_core::event::Channel;
use bipe_core::metrics::live::{self, LastPublished};

use crate::messages::HubId;
use crate::sources::Sources;

/// From the end of one update to the beginning of the next.
const PAUSE: Duration = Duration::from_millis(500);
/// How long to wait for a stream to take a message; after a longer silence it has crashed.
const STREAM_TIMEOUT: Duration = Duration::from_secs(2);

pub struct MetricsStream {
    sources: Arc<Sources>,
    memory: LastPublished,
}

impl MetricsStream {
    /// Writes the events of what has changed, and runs again after the pause. Updates of one node never overlap.
    fn update(&mut self, ctx: &mut Context<Self>) {
        let (sources, mut memory) = (self.sources.clone(), std::mem::take(&mut self.memory));
        let updating = async move {
            let updated = match sources.permit(Channel::AdminMetrics).await {
                Ok(_permit) => live::publish(&sources.db, &sources.proof, &mut memory).await,
                Err(error) => Err(error),
            };
            (memory, updated)
        };
        let next = updating.into_actor(self).map(|(memory, updated), stream, ctx| {
            stream.memory = memory;
            if let Err(error) = updated {
                tracing::info!(%error, "the figures could not be read; they are read again");
            }
            ctx.run_later(PAUSE, Self::update);
        });
        ctx.spawn(next);
    }
}

impl Actor for MetricsStream {
    type Context = Context<Self>;
    fn started(&mut self, ctx: &mut Self::Context) {
        self.update(ctx);
    }
}

struct Stop;

impl actix::Message for Stop {
    type Result = ();
}

impl Handler<Stop> for MetricsStream {
    type Result = ();
    fn handle(&mut self, _: Stop, ctx: &mut Self::Context) {
        ctx.stop();
    }
}

/// Which hubs read an admin channel, and the stream that runs for them. Owned by the relay.
#[derive(Default)]
pub struct StreamReaders {
    readers: HashSet<(Channel, HubId)>,
    stream: Option<Addr<MetricsStream>>,
}

impl StreamReaders {
    /// Starts the stream with the first reader of an admin channel.
    pub fn add(&mut self, channel: Channel, hub: HubId, sources: &Arc<Sources>) {
        if matches!(channel, Channel::AdminMetrics | Channel::AdminActivity) {
            self.readers.insert((channel, hub));
            self.ensure_running(sources);
        }
    }

    /// Stops the stream after the last reader.
    pub async fn remove(&mut self, channel: Channel, hub: HubId) {
        if !self.readers.remove(&(channel, hub)) || !self.readers.is_empty() {
            return;
        }
        if let Some(stream) = self.stream.take() {
            stream.send(Stop).timeout(STREAM_TIMEOUT).await.ok();
        }
    }

    /// Starts the stream if it has readers and does not run, as after a crash.
    pub fn ensure_running(&mut self, sources: &Arc<Sources>) {
        let is_running = self.stream.as_ref().is_some_and(Addr::connected);
        if !is_running && !self.readers.is_empty() {
            let stream =
                MetricsStream { sources: sources.clone(), memory: LastPublished::default() };
            self.stream = Some(stream.start());
        }
    }
}
