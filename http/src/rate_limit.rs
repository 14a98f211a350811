//! The limits that live in this process (docs/security.md, "Limits", rows marked M): calls of an anonymous
//! network, of a person, of a company. Those that must survive `kill -9` are rows (`core/src/rate_limit.rs`).
//!
//! The proxy spreads calls over the nodes, so each node allows its share: with n live nodes a call costs n. The counts
//! stay as they are when nodes come and go.

use std::hash::Hash;
use std::net::IpAddr;
use std::num::NonZeroU32;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use bipe_actors::bus::nodes::LiveNodes;
use bipe_core::config::RateLimits;
use bipe_core::error::{Error, Result};
use bipe_core::id::{CompanyId, SessionId, UserId};
use bipe_core::rate_limit::count_refusal;
use governor::clock::Clock;
use governor::state::keyed::DefaultKeyedStateStore;
use governor::{Quota, RateLimiter};
use parking_lot::Mutex;
use tokio::time::Instant;

use crate::extract::ClientIp;

/// Keys are forgotten once full again; this many at the most wait for that.
const MAX_KEYS: usize = 100_000;

/// Above that number all keys are looked at; no more often than this.
const SWEEP: Duration = Duration::from_secs(1);

/// A bucket that holds `burst` calls, and gets `refill` of them back in so many seconds.
#[derive(Clone, Copy, Debug)]
struct Rate {
    /// What is counted, as the metric of refusals names it.
    action: &'static str,
    burst: u32,
    refill: u32,
    seconds: u64,
}

const ANONYMOUS: Rate = Rate { action: "calls_network", burst: 100, refill: 10, seconds: 1 };
const PERSON: Rate = Rate { action: "calls_person", burst: 200, refill: 20, seconds: 1 };
const COMPANY: Rate = Rate { action: "calls_company", burst: 600, refill: 60, seconds: 1 };
const REFRESH_SESSION: Rate = Rate { action: "refresh_session", burst: 60, refill: 1, seconds: 1 };
const REFRESH_NETWORK: Rate =
    Rate { action: "refresh_network", burst: 600, refill: 10, seconds: 1 };
const LIVE_TICKET: Rate = Rate { action: "live_ticket", burst: 20, refill: 1, seconds: 1 };
/// Look-ups of a postal code.
const CEP: Rate = Rate { action: "cep", burst: 20, refill: 1, seconds: 3 };
/// Calls that ask the payment provider each time, whose own limit all companies share.
const PROVIDER: Rate = Rate { action: "provider", burst: 60, refill: 1, seconds: 1 };
/// All sockets of a network (`live/limits.rs`) may come at once, when their node stops.
const LIVE_CONNECT: Rate = Rate { action: "live_connect", burst: 120, refill: 2, seconds: 1 };
/// Signed webhooks have no limit.
const BAD_WEBHOOK: Rate = Rate { action: "bad_webhook", burst: 30, refill: 1, seconds: 2 };

/// The time by which buckets fill: the machine's, until a test holds it.
#[derive(Clone, Default)]
struct BucketClock(Arc<OnceLock<Instant>>);

impl Clock for BucketClock {
    type Instant = std::time::Instant;

    fn now(&self) -> Self::Instant {
        self.0.get().copied().unwrap_or_else(Instant::now).into_std()
    }
}

/// One for all workers.
pub struct RequestLimits {
    /// Calls without the token of a living session.
    pub anonymous: NetworkLimit,
    pub person: Limit<UserId>,
    pub company: Limit<CompanyId>,
    /// Refreshes with a token of ours.
    pub refresh_session: Limit<SessionId>,
    /// Refreshes, successful or not.
    pub refresh_network: NetworkLimit,
    pub live_ticket: Limit<UserId>,
    /// Postal codes whose address is looked up.
    pub cep: Limit<UserId>,
    /// Saved cards that are listed or removed, payments by card that are begun or authenticated.
    pub provider: Limit<UserId>,
    /// New live sockets.
    pub live_connect: NetworkLimit,
    /// Webhooks without a valid signature.
    pub bad_webhook: NetworkLimit,
    clock: BucketClock,
}

impl RequestLimits {
    pub fn new(rate: RateLimits, nodes: &LiveNodes) -> Self {
        let clock = BucketClock::default();
        let by = (rate, nodes, &clock);
        Self {
            anonymous: NetworkLimit(Limit::new(ANONYMOUS, by)),
            person: Limit::new(PERSON, by),
            company: Limit::new(COMPANY, by),
            refresh_session: Limit::new(REFRESH_SESSION, by),
            refresh_network: NetworkLimit(Limit::new(REFRESH_NETWORK, by)),
            live_ticket: Limit::new(LIVE_TICKET, by),
            cep: Limit::new(CEP, by),
            provider: Limit::new(PROVIDER, by),
            live_connect: NetworkLimit(Limit::new(LIVE_CONNECT, by)),
            bad_webhook: NetworkLimit(Limit::new(BAD_WEBHOOK, by)),
            clock,
        }
    }

    /// From now on no bucket fills: what a test counts must not depend on how fast it calls.
    pub fn hold(&self) {
        self.clock.0.get_or_init(Instant::now);
    }
}

/// Counts the calls of each network.
pub struct NetworkLimit(Limit<IpAddr>);

impl NetworkLimit {
    /// # Errors
    /// As [`Limit::take`].
    pub fn take(&self, ip: IpAddr) -> Result<()> {
        self.0.take(&ClientIp(ip).network_address())
    }
}

/// Counts the calls of each key.
pub struct Limit<K: Clone + Hash + Eq> {
    action: &'static str,
    limiter: RateLimiter<K, DefaultKeyedStateStore<K>, BucketClock>,
    burst: NonZeroU32,
    nodes: LiveNodes,
    swept: Mutex<Option<Instant>>,
}

impl<K: Clone + Hash + Eq> Limit<K> {
    fn new(
        Rate { action, burst, refill, seconds }: Rate,
        (rate, nodes, clock): (RateLimits, &LiveNodes, &BucketClock),
    ) -> Self {
        let burst = NonZeroU32::new(burst * rate.factor()).unwrap_or(NonZeroU32::MIN);
        let quota = Quota::with_period(Duration::from_secs(seconds) / (refill * rate.factor()));
        let quota = quota.unwrap_or(Quota::per_second(NonZeroU32::MIN));
        let store = DefaultKeyedStateStore::default();
        let limiter = RateLimiter::new(quota.allow_burst(burst), store, clock.clone());
        Self { action, limiter, burst, nodes: nodes.clone(), swept: Mutex::default() }
    }

    /// Counts a call.
    ///
    /// # Errors
    /// `TooMany` with the seconds to the next free call.
    pub fn take(&self, key: &K) -> Result<()> {
        if self.limiter.len() > MAX_KEYS && self.may_sweep(Instant::now()) {
            self.limiter.retain_recent();
        }
        let cost = cost(self.nodes.count(), self.burst);
        let wait = match self.limiter.check_key_n(key, cost) {
            Ok(Ok(())) => return Ok(()),
            Ok(Err(full)) => full.wait_time_from(self.limiter.clock().now()),
            // Cannot be: no call costs more than the burst.
            Err(_) => Duration::ZERO,
        };
        let seconds = wait.as_nanos().div_ceil(Duration::from_secs(1).as_nanos());
        let retry_after = u32::try_from(seconds).unwrap_or(u32::MAX).max(1);
        count_refusal(self.action);
        Err(Error::TooMany { retry_after })
    }

    /// True for one caller in each `SWEEP`.
    fn may_sweep(&self, now: Instant) -> bool {
        let Some(mut swept) = self.swept.try_lock() else { return false };
        let is_due = swept.is_none_or(|at| now.duration_since(at) >= SWEEP);
        if is_due {
            *swept = Some(now);
        }
        is_due
    }
}

/// What one call costs with so many live nodes. A full bucket always pays for one call.
fn cost(nodes: u32, burst: NonZeroU32) -> NonZeroU32 {
    NonZeroU32::new(nodes).unwrap_or(NonZeroU32::MIN).min(burst)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = include_str!("../../docs/security.md");

    /// Limits that time does not fill.
    fn held(nodes: &LiveNodes) -> RequestLimits {
        let limits = RequestLimits::new(RateLimits::Strict, nodes);
        limits.hold();
        limits
    }

    #[test]
    fn the_page_has_the_numbers_of_the_code() {
        let rates = [
            (11, REFRESH_SESSION),
            (11, REFRESH_NETWORK),
            (12, LIVE_TICKET),
            (12, LIVE_CONNECT),
            (18, BAD_WEBHOOK),
            (19, PERSON),
            (19, COMPANY),
            (19, ANONYMOUS),
            (25, CEP),
            (28, PROVIDER),
        ];
        for (row, Rate { action, burst, refill, seconds }) in rates {
            let line = PAGE.lines().find(|line| line.starts_with(&format!("| {row} |"))).unwrap();
            let written = [("s", 1), ("min", 60)].map(|(unit, length)| {
                format!(" {burst}; {}/{unit}", u64::from(refill) * length / seconds)
            });
            assert!(written.iter().any(|rate| line.contains(rate)), "{action}: {line}");
        }
    }

    #[test]
    fn a_network_gets_its_burst_and_the_next_call_is_told_when() {
        let limits = held(&LiveNodes::default());
        let here: IpAddr = "203.0.113.9".parse().unwrap();
        let allowed =
            (0..ANONYMOUS.burst + 5).filter(|_| limits.anonymous.take(here).is_ok()).count();
        assert_eq!(allowed, 100);
        let refused = limits.anonymous.take(here);
        assert!(matches!(refused, Err(Error::TooMany { retry_after: 1 })), "{refused:?}");
        assert!(limits.anonymous.take("203.0.113.10".parse().unwrap()).is_ok());
    }

    #[test]
    fn beyond_its_keys_a_limit_is_swept_once_a_second() {
        let limits = RequestLimits::new(RateLimits::Strict, &LiveNodes::default());
        let start = Instant::now();
        let swept: Vec<u64> = (0..=2_000)
            .step_by(100)
            .filter(|ms| limits.person.may_sweep(start + Duration::from_millis(*ms)))
            .collect();
        assert_eq!(swept, [0, 1_000, 2_000]);
    }

    #[test]
    fn addresses_of_one_ipv6_network_share_a_limit() {
        let limits = held(&LiveNodes::default());
        let of = |last: u16| IpAddr::from([0x2001, 0xdb8, 0, 1, 0, 0, 0, last]);
        let allowed = (0..150).filter(|last| limits.anonymous.take(of(*last)).is_ok()).count();
        assert_eq!(allowed, 100);
    }

    #[test]
    fn nodes_share_a_limit_and_each_has_at_least_one_call() {
        let nodes = LiveNodes::default();
        let limits = held(&nodes);
        let calls = |last: u8| {
            let here = IpAddr::from([203, 0, 113, last]);
            (0..200).filter(|_| limits.anonymous.take(here).is_ok()).count()
        };
        for (last, (count, allowed)) in (0..).zip([(1, 100), (2, 50), (3, 33), (100, 1), (500, 1)])
        {
            nodes.set(count);
            assert_eq!(calls(last), allowed, "{count} nodes");
        }
    }

    #[test]
    fn a_node_that_comes_or_goes_forgets_no_call() {
        let nodes = LiveNodes::default();
        let limits = held(&nodes);
        let here: IpAddr = "203.0.113.9".parse().unwrap();
        let take = |most: usize| (0..most).filter(|_| limits.anonymous.take(here).is_ok()).count();
        assert_eq!(take(40), 40);
        nodes.set(2);
        assert_eq!(take(100), 30, "half of the 60 that were left");
        nodes.set(1);
        assert_eq!(take(100), 0);
    }
}
