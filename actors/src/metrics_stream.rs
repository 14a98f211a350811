//! Keeps the platform admins' two live channels moving: the figures as one latest-value document, at most twice a
//! second, and what happened lately. What is told, and that it equals a recount, is decided in
//! `bipe_core::metrics::live`; this owns when it is looked at.
//!
//! There is a stream only while a hub of this node reads one of the channels: the relay starts it with the first
//! reader and ends it after the last, and with nobody watching nothing is asked. It may be lost at any moment
//! (invariant I1): the next one compares with the events that are there.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use actix::{
    Actor, ActorContext, ActorFutureExt, Addr, AsyncContext, Context, Handler, WrapFuture,
};
use bipe_core::Error;
use bipe_core::event::Channel;
use bipe_core::metrics::live::{self, LastPublished};

use crate::live::{HubId, Sources};

/// From the end of one look to the next.
const TICK: Duration = Duration::from_millis(500);
/// A stream only starts its looks; one that does not answer has crashed.
const ANSWERS: Duration = Duration::from_secs(2);

pub struct MetricsStream {
    sources: Arc<Sources>,
    memory: LastPublished,
}

impl MetricsStream {
    /// Looks, and again a tick later. Looks of one node never overlap.
    fn look(&mut self, ctx: &mut Context<Self>) {
        let (sources, mut memory) = (self.sources.clone(), std::mem::take(&mut self.memory));
        let looking = async move {
            // One of the reads that leave the jobs a connection.
            let turn = sources.reads.acquire().await.map_err(Error::internal);
            let looked = match turn {
                Ok(_turn) => live::publish(&sources.db, &sources.proof, &mut memory).await,
                Err(error) => Err(error),
            };
            (memory, looked)
        };
        let next = looking.into_actor(self).map(|(memory, looked), stream, ctx| {
            stream.memory = memory;
            if let Err(error) = looked {
                tracing::info!(%error, "the figures are looked at again");
            }
            ctx.run_later(TICK, Self::look);
        });
        ctx.spawn(next);
    }
}

impl Actor for MetricsStream {
    type Context = Context<Self>;
    fn started(&mut self, ctx: &mut Self::Context) {
        self.look(ctx);
    }
}

/// Nobody watches any more.
struct Sleep;

impl actix::Message for Sleep {
    type Result = ();
}

impl Handler<Sleep> for MetricsStream {
    type Result = ();
    fn handle(&mut self, _: Sleep, ctx: &mut Self::Context) {
        ctx.stop();
    }
}

/// Which hubs read an admin channel, and the stream while any does. Owned by the relay.
#[derive(Default)]
pub struct Watch {
    readers: HashSet<(Channel, HubId)>,
    stream: Option<Addr<MetricsStream>>,
}

impl Watch {
    pub fn joined(&mut self, channel: Channel, hub: HubId, sources: &Arc<Sources>) {
        if matches!(channel, Channel::AdminMetrics | Channel::AdminActivity) {
            self.readers.insert((channel, hub));
            self.wake(sources);
        }
    }

    pub async fn left(&mut self, channel: Channel, hub: HubId) {
        if !self.readers.remove(&(channel, hub)) || !self.readers.is_empty() {
            return;
        }
        if let Some(stream) = self.stream.take() {
            stream.send(Sleep).timeout(ANSWERS).await.ok();
        }
    }

    /// Starts a stream where one is needed and none runs, also after a crash.
    pub fn wake(&mut self, sources: &Arc<Sources>) {
        let runs = self.stream.as_ref().is_some_and(Addr::connected);
        if !runs && !self.readers.is_empty() {
            let stream =
                MetricsStream { sources: sources.clone(), memory: LastPublished::default() };
            self.stream = Some(stream.start());
        }
    }
}
