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

/// `relaxed` multiplies every limit by this.
const RELAXED: u32 = 1000;
/// Keys are forgotten once full again; this many at the most wait for that.
const MOST_KEYS: usize = 100_000;

/// Burst and refill a second.
const ANONYMOUS: (u32, u32) = (100, 10);
const PERSON: (u32, u32) = (200, 20);
const COMPANY: (u32, u32) = (600, 60);
const REFRESH_SESSION: (u32, u32) = (60, 1);
const REFRESH_NETWORK: (u32, u32) = (600, 10);
const LIVE_TICKET: (u32, u32) = (20, 1);
const LIVE_CONNECT: (u32, u32) = (60, 2);
/// Burst, and the seconds to the next one. Signed webhooks have no limit.
const BAD_WEBHOOK: (u32, u64) = (30, 2);

/// One for all workers.
pub struct RequestLimits {
    anonymous: Limit<String>,
    person: Limit<UserId>,
    company: Limit<CompanyId>,
    refresh_session: Limit<SessionId>,
    refresh_network: Limit<String>,
    live_ticket: Limit<UserId>,
    live_connect: Limit<String>,
    bad_webhook: Limit<String>,
}

impl RequestLimits {
    pub fn new(rate: RateLimits) -> Self {
        Self {
            anonymous: Limit::new(ANONYMOUS, rate),
            person: Limit::new(PERSON, rate),
            company: Limit::new(COMPANY, rate),
            refresh_session: Limit::new(REFRESH_SESSION, rate),
            refresh_network: Limit::new(REFRESH_NETWORK, rate),
            live_ticket: Limit::new(LIVE_TICKET, rate),
            live_connect: Limit::new(LIVE_CONNECT, rate),
            bad_webhook: Limit::every(BAD_WEBHOOK, rate),
        }
    }

    /// A call without the token of a living session.
    ///
    /// # Errors
    /// `TooMany` with the seconds to the next free call; so do the others.
    pub fn anonymous(&self, ip: IpAddr) -> Result<()> {
        self.anonymous.take(&ClientIp(ip).network())
    }

    pub fn person(&self, user: UserId) -> Result<()> {
        self.person.take(&user)
    }

    /// A new live socket.
    ///
    /// # Errors
    /// See [`RequestLimits::anonymous`].
    pub fn live_connect(&self, ip: IpAddr) -> Result<()> {
        self.live_connect.take(&ClientIp(ip).network())
    }

    /// A webhook without a valid signature.
    ///
    /// # Errors
    /// See [`RequestLimits::anonymous`].
    pub fn bad_webhook(&self, ip: IpAddr) -> Result<()> {
        self.bad_webhook.take(&ClientIp(ip).network())
    }

    pub fn company(&self, company: CompanyId) -> Result<()> {
        self.company.take(&company)
    }

    /// A refresh, successful or not.
    pub fn refresh_network(&self, ip: IpAddr) -> Result<()> {
        self.refresh_network.take(&ClientIp(ip).network())
    }

    /// A refresh with a token of ours.
    pub fn refresh_session(&self, session: SessionId) -> Result<()> {
        self.refresh_session.take(&session)
    }

    pub fn live_ticket(&self, user: UserId) -> Result<()> {
        self.live_ticket.take(&user)
    }
}

struct Limit<K: Clone + Hash + Eq>(DefaultKeyedRateLimiter<K>);

impl<K: Clone + Hash + Eq> Limit<K> {
    fn new((burst, refill): (u32, u32), rate: RateLimits) -> Self {
        let factor = if rate == RateLimits::Relaxed { RELAXED } else { 1 };
        let at_least_one = |value: u32| NonZeroU32::new(value).unwrap_or(NonZeroU32::MIN);
        let quota = Quota::per_second(at_least_one(refill * factor));
        Self(RateLimiter::keyed(quota.allow_burst(at_least_one(burst * factor))))
    }

    /// One token in so many seconds.
    fn every((burst, seconds): (u32, u64), rate: RateLimits) -> Self {
        let factor = if rate == RateLimits::Relaxed { RELAXED } else { 1 };
        let burst = NonZeroU32::new(burst * factor).unwrap_or(NonZeroU32::MIN);
        let quota = Quota::with_period(Duration::from_secs(seconds) / factor);
        let quota = quota.unwrap_or(Quota::per_second(NonZeroU32::MIN));
        Self(RateLimiter::keyed(quota.allow_burst(burst)))
    }

    fn take(&self, key: &K) -> Result<()> {
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
        let allowed = (0..ANONYMOUS.0 + 5).filter(|_| limits.anonymous(here).is_ok()).count();
        assert!((100..=101).contains(&allowed), "{allowed}");
        let refused = limits.anonymous(here);
        assert!(matches!(refused, Err(Error::TooMany { retry_after: 1 })), "{refused:?}");
        assert!(limits.anonymous("203.0.113.10".parse().unwrap()).is_ok());
    }

    #[test]
    fn addresses_of_one_ipv6_network_share_a_limit() {
        let limits = RequestLimits::new(RateLimits::Strict);
        let of = |last: u16| IpAddr::from([0x2001, 0xdb8, 0, 1, 0, 0, 0, last]);
        let allowed = (0..150).filter(|last| limits.anonymous(of(*last)).is_ok()).count();
        assert!((100..=101).contains(&allowed), "{allowed}");
    }
}
