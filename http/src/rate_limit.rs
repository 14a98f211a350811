//! The limits that live in this process (docs/security.md, "Limits", rows marked M): calls of an anonymous
//! network, of a person, of a company. Those that must survive `kill -9` are rows (`core/src/rate_limit.rs`).

use std::hash::Hash;
use std::net::IpAddr;
use std::num::NonZeroU32;
use std::time::Duration;

use bipe_core::config::RateLimits;
use bipe_core::error::{Error, Result};
use bipe_core::id::{CompanyId, SessionId, UserId};
use governor::clock::{Clock as _, DefaultClock};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};

use crate::extract::ClientIp;

/// Keys are forgotten once full again; this many at the most wait for that.
const MOST_KEYS: usize = 100_000;

/// Burst, and the refill in so many seconds.
type Rate = (u32, u32, u64);

const ANONYMOUS: Rate = (100, 10, 1);
const PERSON: Rate = (200, 20, 1);
const COMPANY: Rate = (600, 60, 1);
const REFRESH_SESSION: Rate = (60, 1, 1);
const REFRESH_NETWORK: Rate = (600, 10, 1);
const LIVE_TICKET: Rate = (20, 1, 1);
const LIVE_CONNECT: Rate = (60, 2, 1);
/// Signed webhooks have no limit.
const BAD_WEBHOOK: Rate = (30, 1, 2);

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
    /// New live sockets.
    pub live_connect: NetworkLimit,
    /// Webhooks without a valid signature.
    pub bad_webhook: NetworkLimit,
}

impl RequestLimits {
    pub fn new(rate: RateLimits) -> Self {
        Self {
            anonymous: NetworkLimit(Limit::new(ANONYMOUS, rate)),
            person: Limit::new(PERSON, rate),
            company: Limit::new(COMPANY, rate),
            refresh_session: Limit::new(REFRESH_SESSION, rate),
            refresh_network: NetworkLimit(Limit::new(REFRESH_NETWORK, rate)),
            live_ticket: Limit::new(LIVE_TICKET, rate),
            live_connect: NetworkLimit(Limit::new(LIVE_CONNECT, rate)),
            bad_webhook: NetworkLimit(Limit::new(BAD_WEBHOOK, rate)),
        }
    }
}

/// Counts the calls of each network.
pub struct NetworkLimit(Limit<String>);

impl NetworkLimit {
    /// # Errors
    /// As [`Limit::take`].
    pub fn take(&self, ip: IpAddr) -> Result<()> {
        self.0.take(&ClientIp(ip).network())
    }
}

/// Counts the calls of each key.
pub struct Limit<K: Clone + Hash + Eq>(DefaultKeyedRateLimiter<K>);

impl<K: Clone + Hash + Eq> Limit<K> {
    fn new((burst, refill, seconds): Rate, rate: RateLimits) -> Self {
        let burst = NonZeroU32::new(burst * rate.factor()).unwrap_or(NonZeroU32::MIN);
        let quota = Quota::with_period(Duration::from_secs(seconds) / (refill * rate.factor()));
        let quota = quota.unwrap_or(Quota::per_second(NonZeroU32::MIN));
        Self(RateLimiter::keyed(quota.allow_burst(burst)))
    }

    /// Counts a call.
    ///
    /// # Errors
    /// `TooMany` with the seconds to the next free call.
    pub fn take(&self, key: &K) -> Result<()> {
        if self.0.len() > MOST_KEYS {
            self.0.retain_recent();
        }
        self.0.check_key(key).map_err(|full| {
            let wait = full.wait_time_from(DefaultClock::default().now());
            let seconds = u32::try_from(wait.as_secs()).unwrap_or(u32::MAX).saturating_add(1);
            Error::TooMany { retry_after: seconds }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_network_gets_its_burst_and_the_next_call_is_told_when() {
        let limits = RequestLimits::new(RateLimits::Strict);
        let here: IpAddr = "203.0.113.9".parse().unwrap();
        let allowed = (0..ANONYMOUS.0 + 5).filter(|_| limits.anonymous.take(here).is_ok()).count();
        assert!((100..=101).contains(&allowed), "{allowed}");
        let refused = limits.anonymous.take(here);
        assert!(matches!(refused, Err(Error::TooMany { retry_after: 1 })), "{refused:?}");
        assert!(limits.anonymous.take("203.0.113.10".parse().unwrap()).is_ok());
    }

    #[test]
    fn addresses_of_one_ipv6_network_share_a_limit() {
        let limits = RequestLimits::new(RateLimits::Strict);
        let of = |last: u16| IpAddr::from([0x2001, 0xdb8, 0, 1, 0, 0, 0, last]);
        let allowed = (0..150).filter(|last| limits.anonymous.take(of(*last)).is_ok()).count();
        assert!((100..=101).contains(&allowed), "{allowed}");
    }
}
