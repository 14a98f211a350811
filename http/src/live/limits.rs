//! How many sockets may be open (rows 12 to 14 of docs/security.md, "Limits"), counted for all workers together, and
//! how many frames a socket may send.
//!
//! With several live nodes each allows twice its share of the sockets: a proxy spreads the few sockets of one person
//! unevenly, and after a restart all of a network's sockets may be on the other nodes.

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, VecDeque};
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use bipe_actors::bus::nodes::LiveNodes;
use bipe_actors::messages::{HubId, SocketId};
use bipe_core::config::RateLimits;
use bipe_core::id::{CompanyId, UserId};
use bipe_core::rate_limit::count_refusal;
use parking_lot::Mutex;
use tokio::time::Instant;

use crate::connection::release;

const PER_USER: usize = 10;
const PER_COMPANY: usize = 200;
const PER_NETWORK: usize = 100;
/// Sockets of a network that have not said hello.
const SILENT_PER_NETWORK: usize = 20;

/// One for all workers; cheap to clone.
#[derive(Clone)]
pub struct SocketCounts(Arc<Mutex<Counts>>);

#[derive(Default)]
struct Counts {
    factor: usize,
    nodes: LiveNodes,
    networks: HashMap<IpAddr, usize>,
    silent: HashMap<IpAddr, usize>,
    users: HashMap<UserId, VecDeque<(HubId, SocketId)>>,
    companies: HashMap<CompanyId, usize>,
}

impl SocketCounts {
    pub fn new(rate: RateLimits, nodes: LiveNodes) -> Self {
        let factor = usize::try_from(rate.factor()).unwrap_or(1);
        Self(Arc::new(Mutex::new(Counts { factor, nodes, ..Counts::default() })))
    }

    /// Counts a new socket, which has not said hello. None when its network has too many.
    pub fn open(&self, network: IpAddr) -> Option<SocketPermit> {
        let mut counts = self.0.lock();
        let (most, most_silent) = (counts.most(PER_NETWORK), counts.most(SILENT_PER_NETWORK));
        let open = counts.networks.get(&network).copied().unwrap_or(0);
        let silent = counts.silent.get(&network).copied().unwrap_or(0);
        if open >= most || silent >= most_silent {
            count_refusal("live_sockets");
            return None;
        }
        *counts.networks.entry(network).or_default() += 1;
        *counts.silent.entry(network).or_default() += 1;
        metrics::gauge!("bipe_live_sockets").increment(1.0);
        let counts = self.clone();
        let (silent, user) = (Cell::new(true), Cell::default());
        Some(SocketPermit { counts, network, silent, user, companies: RefCell::default() })
    }

    pub fn open_sockets(&self) -> usize {
        self.0.lock().networks.values().sum()
    }

    /// The sockets of this node that read the company's channel.
    pub fn readers_of(&self, company: CompanyId) -> usize {
        self.0.lock().companies.get(&company).copied().unwrap_or(0)
    }
}

impl Counts {
    /// How many of an installation's `limit` sockets may be open here.
    fn most(&self, limit: usize) -> usize {
        share(limit * self.factor, usize::try_from(self.nodes.count()).unwrap_or(1))
    }
}

/// Twice an even share of the limit, rounded up, and never more than the limit.
fn share(limit: usize, nodes: usize) -> usize {
    (2 * limit).div_ceil(nodes.max(1)).min(limit)
}

/// The right of one socket to be open. Dropping it makes room for the next one.
pub struct SocketPermit {
    counts: SocketCounts,
    network: IpAddr,
    silent: Cell<bool>,
    user: Cell<Option<(UserId, (HubId, SocketId))>>,
    companies: RefCell<Vec<CompanyId>>,
}

impl SocketPermit {
    /// Counts the socket for its person. Returns the person's oldest socket when there are too many.
    pub fn count_person(
        &self,
        user: UserId,
        socket: (HubId, SocketId),
    ) -> Option<(HubId, SocketId)> {
        let mut counts = self.counts.0.lock();
        if self.silent.take() {
            release(&mut counts.silent, &self.network);
        }
        self.user.set(Some((user, socket)));
        let most = counts.most(PER_USER);
        let own = counts.users.entry(user).or_default();
        own.push_back(socket);
        // The oldest stays in `counts.networks` until it has closed; the next new socket closes the next oldest.
        if own.len() > most { own.pop_front() } else { None }
    }

    /// Counts the socket as a reader of the company, once. False when the company has too many.
    pub fn count_reader(&self, company: CompanyId) -> bool {
        let mut own = self.companies.borrow_mut();
        if own.contains(&company) {
            return true;
        }
        let mut counts = self.counts.0.lock();
        let most = counts.most(PER_COMPANY);
        let open = counts.companies.entry(company).or_default();
        if *open >= most {
            count_refusal("live_readers");
            return false;
        }
        *open += 1;
        own.push(company);
        true
    }

    /// The socket no longer reads the company.
    pub fn discount_reader(&self, company: CompanyId) {
        let mut own = self.companies.borrow_mut();
        if let Some(at) = own.iter().position(|known| *known == company) {
            own.swap_remove(at);
            release(&mut self.counts.0.lock().companies, &company);
        }
    }
}

impl Drop for SocketPermit {
    fn drop(&mut self) {
        metrics::gauge!("bipe_live_sockets").decrement(1.0);
        let mut counts = self.counts.0.lock();
        release(&mut counts.networks, &self.network);
        if self.silent.get() {
            release(&mut counts.silent, &self.network);
        }
        for company in self.companies.get_mut() {
            release(&mut counts.companies, company);
        }
        let Some((user, socket)) = self.user.get() else { return };
        if let Some(own) = counts.users.get_mut(&user) {
            own.retain(|known| *known != socket);
            if own.is_empty() {
                counts.users.remove(&user);
            }
        }
    }
}

/// A token bucket that refills evenly. A socket has one for its frames, and one for the syncs of each channel.
pub struct Bucket {
    action: &'static str,
    burst: u32,
    every: Duration,
    /// When the bucket would be full again.
    full_at: Option<Instant>,
}

impl Bucket {
    /// Frames of the client: 40 at once, then 20 a second.
    pub fn of_frames(rate: RateLimits) -> Self {
        Self::new("live_frames", 40, Duration::from_millis(50), rate)
    }

    /// `sync` of one channel: 5 at once, then one a second.
    pub fn of_syncs(rate: RateLimits) -> Self {
        Self::new("live_syncs", 5, Duration::from_secs(1), rate)
    }

    fn new(action: &'static str, burst: u32, every: Duration, rate: RateLimits) -> Self {
        let (burst, every) = (burst * rate.factor(), every / rate.factor());
        Self { action, burst, every, full_at: None }
    }

    /// Takes one; false when there is none.
    pub fn take(&mut self, now: Instant) -> bool {
        let full_at = self.full_at.map_or(now, |at| at.max(now)) + self.every;
        if full_at.duration_since(now) > self.every * self.burst {
            count_refusal(self.action);
            return false;
        }
        self.full_at = Some(full_at);
        true
    }
}

#[cfg(test)]
mod tests {
    use bipe_core::clock::Clock;

    use super::*;

    fn network(last: u8) -> IpAddr {
        IpAddr::from([10, 0, 0, last])
    }

    #[test]
    fn each_node_has_room_for_twice_its_share() {
        let nodes = LiveNodes::default();
        let counts = SocketCounts::new(RateLimits::Strict, nodes.clone());
        let most = |count| {
            nodes.set(count);
            let counts = counts.0.lock();
            (counts.most(PER_USER), counts.most(PER_NETWORK))
        };
        assert_eq!([1, 2, 3, 1_000].map(most), [(10, 100), (10, 100), (7, 67), (1, 1)]);
    }

    #[test]
    fn a_bucket_gives_its_burst_and_then_its_rate() {
        let mut bucket = Bucket::of_frames(RateLimits::Strict);
        let start = Instant::now();
        assert_eq!((0..50).filter(|_| bucket.take(start)).count(), 40);
        let later = start + Duration::from_secs(1);
        assert_eq!((0..50).filter(|_| bucket.take(later)).count(), 20);
    }

    #[test]
    fn a_network_may_have_twenty_silent_and_a_hundred_open_sockets() {
        let counts = SocketCounts::new(RateLimits::Strict, LiveNodes::default());
        let clock = Clock::fixed("2026-11-21T12:00:00Z".parse().unwrap(), 7);
        let open = || counts.open(network(1));
        let silent: Vec<SocketPermit> = (0..20).map(|_| open().unwrap()).collect();
        assert!(open().is_none());
        assert!(counts.open(network(2)).is_some());
        for (n, permit) in (0..).zip(&silent) {
            assert_eq!(permit.count_person(UserId::new(&clock), (0, n)), None);
        }
        let more: Vec<SocketPermit> = (20..100)
            .map(|n| {
                let permit = open().unwrap();
                permit.count_person(UserId::new(&clock), (0, n));
                permit
            })
            .collect();
        assert!(open().is_none());
        drop((silent, more));
        assert!(open().is_some());
        assert!(counts.0.lock().users.is_empty() && counts.0.lock().silent.is_empty());
    }

    #[test]
    fn the_eleventh_socket_of_a_person_pushes_out_the_oldest() {
        let counts = SocketCounts::new(RateLimits::Strict, LiveNodes::default());
        let clock = Clock::fixed("2026-11-21T12:00:00Z".parse().unwrap(), 7);
        let user = UserId::new(&clock);
        let mut permits = Vec::new();
        for last in 0..12 {
            let permit = counts.open(network(last)).unwrap();
            let n = u64::from(last);
            let oldest = permit.count_person(user, (0, n));
            assert_eq!(oldest, n.checked_sub(10).map(|gone| (0, gone)));
            permits.push(permit);
        }
    }

    #[test]
    fn a_company_has_two_hundred_readers() {
        let counts = SocketCounts::new(RateLimits::Strict, LiveNodes::default());
        let clock = Clock::fixed("2026-11-21T12:00:00Z".parse().unwrap(), 7);
        let company = CompanyId::new(&clock);
        let permits: Vec<SocketPermit> = (0..201)
            .map(|n| {
                let permit = counts.open(network(n)).unwrap();
                assert_eq!(permit.count_reader(company), n < 200);
                assert_eq!(permit.count_reader(company), n < 200, "reading twice counts once");
                permit
            })
            .collect();
        drop(permits);
        assert!(counts.0.lock().companies.is_empty());
    }
}
