//! `ChannelSession`: one actor for each channel that has readers on this node. It does for the channel's `feed` what
//! that cannot do by itself: reads of the database, and waiting.
//!
//! A company's channel, a person's own, the plans and the admins' all run this actor. The relay starts it; it stops
//! after two minutes without hubs. It may be lost at any moment (invariant I1): the relay starts another from the
//! database, and the hubs join that one at the position that they have reached.

use std::sync::Arc;
use std::time::Duration;

use actix::{Actor, ActorContext, ActorFutureExt, AsyncContext, Context, Handler, WrapFuture};
use bipe_core::event::{Channel, CommittedName};
use jiff::Timestamp;
use parking_lot::Mutex;

use super::answer::SNAPSHOT_LIFE;
use super::catch_up::{self, RequiredReads};
use super::feed::{Feed, OnAppended, Todo};
use super::newer;
use crate::messages::{AppendEvents, CompareHead, Position, ServeRequests};
use crate::sources::Sources;

/// Without hubs for this long, the session stops.
const IDLE: Duration = Duration::from_secs(120);
/// How long to wait before a delivery is tried again after a hub's queue was full.
const RETRY: Duration = Duration::from_millis(20);
/// How long to wait after a read that failed: a database in trouble is not asked in a hurry.
const AFTER_FAILURE: Duration = Duration::from_secs(1);
/// How long an early event waits for the one it follows before the session reads the database.
const EARLY_EVENT_WAIT: Duration = Duration::from_millis(20);

/// The head that a session has reached, shared with the relay's head check; none until it was read.
pub type SharedHead = Arc<Mutex<Option<Position>>>;

pub struct ChannelSession {
    channel: Channel,
    sources: Arc<Sources>,
    feed: Feed,
}

impl ChannelSession {
    pub fn new(channel: Channel, sources: Arc<Sources>, shared_head: SharedHead) -> Self {
        let on_appended = after_append(channel, sources.clone(), shared_head);
        Self { channel, sources, feed: Feed::new(channel, on_appended) }
    }

    fn now(&self) -> Timestamp {
        self.sources.db.clock().now()
    }

    /// Does what the feed could not do by itself.
    fn carry_out(&mut self, ctx: &mut Context<Self>) {
        for todo in self.feed.take_todo() {
            match todo {
                Todo::Read(needs) => self.read(needs, ctx),
                Todo::Retry => Self::later(ctx, RETRY, Feed::retry),
                Todo::ReadAgain => Self::later(ctx, AFTER_FAILURE, Feed::read_again),
                Todo::WaitForEarlier => Self::later(ctx, EARLY_EVENT_WAIT, Feed::end_wait),
                // Thousands of channels are read once and then only listened to: none keeps its snapshot for long.
                Todo::ForgetSnapshot => {
                    ctx.run_later(SNAPSHOT_LIFE, |session, _| {
                        session.feed.forget_snapshot(session.now());
                    });
                }
            }
        }
    }

    fn later(ctx: &mut Context<Self>, wait: Duration, then: fn(&mut Feed, Timestamp)) {
        ctx.run_later(wait, move |session, ctx| {
            let now = session.now();
            then(&mut session.feed, now);
            session.carry_out(ctx);
        });
    }

    fn read(&mut self, needs: RequiredReads, ctx: &mut Context<Self>) {
        let reading = catch_up::read(self.sources.clone(), self.channel, needs);
        let done = reading.into_actor(self).map(|read, session, ctx| {
            session.feed.finish_read(read, session.now());
            session.carry_out(ctx);
        });
        ctx.spawn(done);
    }

    fn stop_when_unused(requests: u64, ctx: &mut Context<Self>) {
        ctx.run_later(IDLE, move |session, ctx| {
            if session.feed.is_unused_since(requests) {
                ctx.stop();
            }
        });
    }
}

/// Publishes the head for the relay, and a person's changed access.
fn after_append(channel: Channel, sources: Arc<Sources>, shared_head: SharedHead) -> OnAppended {
    Box::new(move |head: Option<&Position>, appended: &[CommittedName]| {
        *shared_head.lock() = head.cloned();
        newer::note(appended);
        if let Channel::User(person) = channel
            && appended.iter().any(CommittedName::changes_access)
        {
            sources.access_changed(person, None);
        }
    })
}

impl Actor for ChannelSession {
    type Context = Context<Self>;
}

impl Handler<AppendEvents> for ChannelSession {
    type Result = ();
    fn handle(&mut self, AppendEvents(events): AppendEvents, ctx: &mut Context<Self>) {
        self.feed.append(events, self.now());
        self.carry_out(ctx);
    }
}

impl Handler<ServeRequests> for ChannelSession {
    type Result = ();
    fn handle(&mut self, ServeRequests(requests): ServeRequests, ctx: &mut Context<Self>) {
        let unused = self.feed.serve_requests(requests, self.now());
        self.carry_out(ctx);
        if let Some(requests) = unused {
            Self::stop_when_unused(requests, ctx);
        }
    }
}

impl Handler<CompareHead> for ChannelSession {
    type Result = ();
    fn handle(&mut self, CompareHead(head): CompareHead, ctx: &mut Context<Self>) {
        self.feed.compare_head(&head, self.now());
        self.carry_out(ctx);
    }
}
