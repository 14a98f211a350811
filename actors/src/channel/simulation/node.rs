//! One node: the real feed and the real hub, and what is on its way to and from them.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::Context;

use bipe_core::event::{Channel, Event, Head};
use futures_util::task::noop_waker;
use jiff::Timestamp;
use tokio::sync::mpsc::{self, Receiver, Sender};

use crate::channel::catch_up::{Read, RequiredReads};
use crate::channel::feed::{Feed, Todo};
use crate::live::Live;
use crate::messages::{ChannelRequest, Delivery, Join, Position, SessionRequest};
use crate::worker::hub::Hub;

pub const CHANNEL: Channel = Channel::Plans;
pub struct Node {
    pub hub: Rc<Hub>,
    running: Pin<Box<dyn Future<Output = ()>>>,
    requests: Receiver<ChannelRequest>,
    /// Into the hub's own queue.
    into_hub: Sender<Delivery>,
    /// What the session sends goes through a queue that is small.
    queue: Sender<Delivery>,
    sent: Receiver<Delivery>,
    feed: Option<Feed>,
    /// The head that the session has published.
    known: Rc<RefCell<Option<Position>>>,
    /// Messages of the bus.
    pub on_the_way: Vec<Vec<Event>>,
    /// Heads that were read and not compared yet.
    pub heads: VecDeque<Head>,
    /// Reads that were asked for, and those that took place and have not ended.
    pub asked: VecDeque<RequiredReads>,
    pub read: VecDeque<(RequiredReads, Read)>,
    waiting: Vec<Todo>,
    /// A failed read is repeated, unless that is broken on purpose.
    reads_again: bool,
}

impl Node {
    pub fn new(deliveries: usize, reads_again: bool) -> Self {
        let (live, requests, hubs) = Live::without_relay();
        let (hub, into) = Hub::new(live);
        let into_hub = hubs.get(hub.id()).unwrap();
        let (queue, sent) = mpsc::channel(deliveries);
        Self {
            running: Box::pin(hub.clone().run(into, |_| {})),
            hub,
            requests,
            into_hub,
            queue,
            sent,
            feed: None,
            known: Rc::default(),
            on_the_way: Vec::new(),
            heads: VecDeque::new(),
            asked: VecDeque::new(),
            read: VecDeque::new(),
            waiting: Vec::new(),
            reads_again,
        }
    }

    /// The hub's worker runs until it waits or lets others run.
    pub fn work(&mut self) {
        let waker = noop_waker();
        let _ = self.running.as_mut().poll(&mut Context::from_waker(&waker));
    }

    /// Moves at most so many deliveries into the hub's queue. False when there was none.
    pub fn pump(&mut self, most: usize) -> bool {
        for moved in 0..most {
            let Ok(delivery) = self.sent.try_recv() else { return moved > 0 };
            self.into_hub.try_send(delivery).unwrap();
        }
        true
    }

    fn after(&mut self) {
        let Some(feed) = &mut self.feed else { return };
        for todo in feed.take_todo() {
            match todo {
                Todo::Read(needs) => self.asked.push_back(needs),
                Todo::ForgetSnapshot => {}
                todo => self.waiting.push(todo),
            }
        }
    }

    pub fn append(&mut self, events: Vec<Event>, now: Timestamp) {
        if let Some(feed) = &mut self.feed {
            feed.append(events, now);
        }
        self.after();
    }

    pub fn end_read(&mut self, read: bipe_core::Result<Read>, now: Timestamp) {
        if let Some(feed) = &mut self.feed {
            feed.finish_read(read, now);
        }
        self.after();
    }

    /// What waited for a moment goes on. False when nothing did.
    pub fn ring(&mut self, now: Timestamp) -> bool {
        let waiting = std::mem::take(&mut self.waiting);
        let any = !waiting.is_empty();
        for todo in waiting {
            let Some(feed) = &mut self.feed else { continue };
            match todo {
                Todo::Retry => feed.retry(now),
                Todo::ReadAgain if self.reads_again => feed.read_again(now),
                Todo::WaitForEarlier => feed.end_wait(now),
                Todo::ReadAgain | Todo::Read(_) | Todo::ForgetSnapshot => {}
            }
        }
        self.after();
        any
    }

    /// The relay passes on what the hub asked for. False when that was nothing.
    pub fn relay(&mut self, now: Timestamp) -> bool {
        let mut requests = Vec::new();
        while let Ok(request) = self.requests.try_recv() {
            requests.push(match request {
                ChannelRequest::Join { channel, .. } | ChannelRequest::Leave { channel, .. }
                    if channel != CHANNEL =>
                {
                    continue;
                }
                ChannelRequest::Join { hub, reader, .. } => {
                    SessionRequest::Join(Join { hub, queue: self.queue.clone(), reader })
                }
                ChannelRequest::Leave { hub, .. } => SessionRequest::Leave(hub),
            });
        }
        if requests.is_empty() {
            return false;
        }
        let is_leave = |request: &SessionRequest| matches!(request, SessionRequest::Leave(_));
        if self.feed.is_none() && requests.iter().all(is_leave) {
            return true;
        }
        let known = self.known.clone();
        let feed = self.feed.get_or_insert_with(|| {
            Feed::new(CHANNEL, Box::new(move |head, _| *known.borrow_mut() = head.cloned()))
        });
        feed.serve_requests(requests, now);
        self.after();
        true
    }

    /// Compares what the oldest head check has read. True when the session was behind.
    pub fn compare(&mut self, now: Timestamp) -> bool {
        let Some(head) = self.heads.pop_front() else { return false };
        let behind = self.known.borrow().as_ref().is_some_and(|known| known.is_behind(&head));
        if let Some(feed) = self.feed.as_mut().filter(|_| behind) {
            feed.compare_head(&head, now);
        }
        self.after();
        behind
    }

    /// The session is gone; the hub is told to join its successor.
    pub fn lose_session(&mut self, is_told: bool) {
        if self.feed.take().is_none() {
            return;
        }
        *self.known.borrow_mut() = None;
        (self.asked, self.read, self.waiting) = Default::default();
        while self.pump(usize::MAX) {}
        if is_told {
            self.into_hub.try_send(Delivery::SessionLost { channel: CHANNEL }).unwrap();
        }
    }
}
