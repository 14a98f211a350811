//! Takes committed events to the sessions of their channels, finds or starts those sessions, and once a second
//! compares the heads of all channels that have one, so that a lost push costs at most that second.
//!
//! One task on the arbiter of the sessions. What one wake-up finds of orders goes to each channel's session at once:
//! after a cut thousands join. Invariant: a channel's orders reach its session in the order they came in.

use std::collections::HashMap;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use actix::{Actor, Addr};
use bipe_core::Result;
use bipe_core::event::{Channel, Event, Head, store};
use futures_util::future::FutureExt;
use tokio::sync::mpsc;
use tokio::time::MissedTickBehavior;

use crate::bus::Bus;
use crate::company_session::{Committed, CompanySession, Join, Order, Orders, Stands};
use crate::live::{Command, Delivery, Hubs, Reader, Sources};
use crate::metrics_stream::Watch;

const HEAD_CHECK: Duration = Duration::from_secs(1);
/// A session only moves memory; one that does not answer has crashed, and the next order starts another.
const SESSION_TIMEOUT: Duration = Duration::from_secs(2);
/// Channels asked for in one statement.
const HEADS_AT_ONCE: usize = 1_000;
/// Orders that one wake-up takes at most.
const ORDERS_AT_ONCE: usize = 512;

/// What a session has seen of its channel, for the head check.
pub type Standing = Arc<Mutex<Option<(Arc<str>, i64)>>>;

pub struct Relay {
    sources: Arc<Sources>,
    hubs: Hubs,
    checked: Arc<AtomicI64>,
    sessions: HashMap<Channel, (Addr<CompanySession>, Standing)>,
    admins: Watch,
}

impl Relay {
    pub fn new(sources: Arc<Sources>, hubs: Hubs, checked: Arc<AtomicI64>) -> Self {
        Self { sources, hubs, checked, sessions: HashMap::new(), admins: Watch::default() }
    }

    /// Runs until the bus ends.
    pub async fn run(mut self, mut bus: Bus, mut commands: mpsc::Receiver<Command>) {
        let mut tick = tokio::time::interval(HEAD_CHECK);
        tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let (found, mut heads) = mpsc::channel::<Vec<Head>>(4);
        let mut checking = futures_util::future::Fuse::terminated();
        let (mut events, mut orders) = (Vec::new(), Vec::new());
        loop {
            tokio::select! {
                open = bus.next(&mut events) => {
                    if !open {
                        return;
                    }
                    self.deliver(std::mem::take(&mut events)).await;
                }
                1.. = commands.recv_many(&mut orders, ORDERS_AT_ONCE) => {
                    self.obey(std::mem::take(&mut orders)).await;
                }
                Some(heads) = heads.recv() => self.compare(heads).await,
                () = &mut checking => {}
                _ = tick.tick() => {
                    use futures_util::future::FusedFuture;
                    self.bury().await;
                    if checking.is_terminated() {
                        checking = self.check_heads(found.clone()).boxed_local().fuse();
                    }
                }
            }
        }
    }

    async fn deliver(&mut self, events: Vec<Event>) {
        let mut by_channel: Vec<(Channel, Vec<Event>)> = Vec::new();
        for event in events {
            let channel = event.channel;
            if let Channel::User(person) = channel
                && event.name.changes_access()
            {
                (self.sources.person_changed)(person);
            }
            match by_channel.iter_mut().find(|(known, _)| *known == channel) {
                Some((_, events)) => events.push(event),
                None => by_channel.push((channel, vec![event])),
            }
        }
        for (channel, events) in by_channel {
            let Some((session, _)) = self.sessions.get(&channel) else { continue };
            if session.send(Committed(events)).timeout(SESSION_TIMEOUT).await.is_err() {
                // Stopped, or crashed: whoever reads the channel is found by the head check.
                self.forget(channel).await;
            }
        }
    }

    async fn obey(&mut self, commands: Vec<Command>) {
        let mut by_channel: HashMap<Channel, Vec<Order>> = HashMap::new();
        for command in commands {
            let (channel, order) = match command {
                Command::Join { channel, hub, reader } => {
                    self.admins.joined(channel, hub, &self.sources);
                    let Some(queue) = self.hubs.get(hub) else { continue };
                    (channel, Order::Join(Join { hub, queue, reader }))
                }
                Command::Leave { channel, hub } => {
                    self.admins.left(channel, hub).await;
                    (channel, Order::Leave(hub))
                }
            };
            by_channel.entry(channel).or_default().push(order);
        }
        for (channel, orders) in by_channel {
            self.hand_on(channel, orders).await;
        }
    }

    async fn hand_on(&mut self, channel: Channel, orders: Vec<Order>) {
        // A session that has just fallen idle is replaced once, unless everybody leaves.
        for _ in 0..2 {
            if orders.iter().all(|order| matches!(order, Order::Leave(_)))
                && !self.sessions.contains_key(&channel)
            {
                return;
            }
            let session = self.session(channel);
            if session.send(Orders(orders.clone())).timeout(SESSION_TIMEOUT).await.is_ok() {
                return;
            }
            self.forget(channel).await;
        }
        for order in orders {
            let Order::Join(Join { queue, reader: Some(reader), .. }) = order else { continue };
            let Reader { socket, generation, .. } = reader;
            queue.try_send(Delivery::Refused { channel, socket, generation }).ok();
        }
    }

    fn session(&mut self, channel: Channel) -> Addr<CompanySession> {
        let (session, _) = self.sessions.entry(channel).or_insert_with(|| {
            let standing = Standing::default();
            let session = CompanySession::new(channel, self.sources.clone(), standing.clone());
            (session.start(), standing)
        });
        session.clone()
    }

    /// The session is gone: hubs that still read the channel start anew with another one.
    async fn forget(&mut self, channel: Channel) {
        self.sessions.remove(&channel);
        for queue in self.hubs.all() {
            queue.try_send(Delivery::Lost { channel }).ok();
        }
    }

    /// Forgets the sessions that stopped or crashed since the last look.
    async fn bury(&mut self) {
        self.admins.wake(&self.sources);
        let gone = self.sessions.iter().filter(|(_, (session, _))| !session.connected());
        let gone: Vec<Channel> = gone.map(|(channel, _)| *channel).collect();
        for channel in gone {
            self.forget(channel).await;
        }
    }

    fn check_heads(
        &mut self,
        found: mpsc::Sender<Vec<Head>>,
    ) -> impl Future<Output = ()> + 'static {
        let channels: Vec<Channel> = self.sessions.keys().copied().collect();
        let (sources, checked) = (self.sources.clone(), self.checked.clone());
        async move {
            let began = sources.db.clock().now().as_second();
            match read_heads(&sources, &channels).await {
                Ok(heads) => {
                    checked.store(began, Ordering::Relaxed);
                    found.send(heads).await.ok();
                }
                Err(error) => tracing::warn!(error = %error, "the head check failed"),
            }
        }
    }

    async fn compare(&mut self, heads: Vec<Head>) {
        for head in heads {
            let Some((session, standing)) = self.sessions.get(&head.channel) else { continue };
            let behind = standing
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .as_ref()
                .is_some_and(|(epoch, seq)| *epoch != head.epoch || *seq < head.seq);
            if behind {
                metrics::counter!("bipe_live_head_repairs_total").increment(1);
                session.send(Stands(head)).timeout(SESSION_TIMEOUT).await.ok();
            }
        }
    }
}

/// Also without channels it asks the database, which proves that the feed is alive.
async fn read_heads(sources: &Sources, channels: &[Channel]) -> Result<Vec<Head>> {
    let tx = sources.db.platform_tx(&sources.proof).await?;
    let mut heads = Vec::new();
    for some in channels.chunks(HEADS_AT_ONCE) {
        heads.extend(store::heads(&tx, some).await?);
    }
    if channels.is_empty() {
        heads = store::heads(&tx, &[]).await?;
    }
    tx.rollback().await?;
    Ok(heads)
}
