//! How many connections an address may have open, counted for all workers together. Connections of a trusted proxy are
//! not counted: the proxy bounds its clients itself.

use std::collections::HashMap;
use std::hash::Hash;
use std::net::IpAddr;
use std::sync::Arc;

use bipe_core::config::Config;
use parking_lot::Mutex;

use crate::extract::{ClientIp, TrustedProxies};

/// One for all workers; cheap to clone.
#[derive(Clone)]
pub struct ConnectionCounts(Arc<Inner>);

struct Inner {
    most: usize,
    proxies: TrustedProxies,
    open: Mutex<HashMap<IpAddr, usize>>,
}

impl ConnectionCounts {
    /// `most` for each address; IPv6 is counted by its /64.
    pub fn new(config: &Config, most: usize) -> Self {
        let factor = usize::try_from(config.rate_limits.factor()).unwrap_or(1);
        let proxies = TrustedProxies::of(config);
        Self(Arc::new(Inner { most: most * factor, proxies, open: Mutex::default() }))
    }

    /// A permit for one more connection of that peer; `None` when its address has too many.
    pub fn take(&self, peer: IpAddr) -> Option<ConnectionPermit> {
        if self.0.proxies.contain(peer) {
            return Some(ConnectionPermit { counted: None });
        }
        let network = ClientIp(peer).network_address();
        let mut open = self.0.open.lock();
        let own = open.entry(network).or_default();
        if *own >= self.0.most {
            return None;
        }
        *own += 1;
        Some(ConnectionPermit { counted: Some((self.clone(), network)) })
    }
}

/// Given back when it is dropped.
pub struct ConnectionPermit {
    counted: Option<(ConnectionCounts, IpAddr)>,
}

impl Drop for ConnectionPermit {
    fn drop(&mut self) {
        if let Some((counts, network)) = &self.counted {
            release(&mut counts.0.open.lock(), network);
        }
    }
}

/// Takes one off a count; a count of none is not kept.
pub fn release<K: Hash + Eq>(counts: &mut HashMap<K, usize>, key: &K) {
    if let Some(count) = counts.get_mut(key) {
        *count = count.saturating_sub(1);
        if *count == 0 {
            counts.remove(key);
        }
    }
}

#[cfg(test)]
mod tests {
    use bipe_core::testing::config;

    use super::*;

    const LIMIT: usize = 50;

    fn counts(flags: &[&str]) -> ConnectionCounts {
        ConnectionCounts::new(&config(flags), LIMIT)
    }

    fn peer(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn one_address_cannot_take_all_connections() {
        let counts = counts(&[]);
        let all: Vec<ConnectionPermit> =
            (0..LIMIT).map(|_| counts.take(peer("203.0.113.7")).unwrap()).collect();
        assert!(counts.take(peer("203.0.113.7")).is_none());
        assert!(counts.take(peer("::ffff:203.0.113.7")).is_none(), "it is the same address");
        assert!(counts.take(peer("203.0.113.8")).is_some());
        drop(all);
        assert!(counts.take(peer("203.0.113.7")).is_some());
        assert!(counts.0.open.lock().is_empty(), "nothing is kept of who is gone");
    }

    #[test]
    fn a_trusted_proxy_and_a_load_test_bring_as_many_as_they_like() {
        let behind = counts(&["--trusted-proxies", "10.0.0.0/8"]);
        let many = LIMIT * 2;
        let open: Vec<_> = (0..many).map(|_| behind.take(peer("::ffff:10.0.0.1"))).collect();
        assert!(open.iter().all(Option::is_some));
        let relaxed = counts(&["--rate-limits", "relaxed"]);
        let open: Vec<_> = (0..900 * LIMIT).map(|_| relaxed.take(peer("127.0.0.1"))).collect();
        assert!(open.iter().all(Option::is_some));
    }
}
