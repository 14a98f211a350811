//! The client's address: the peer, or behind a trusted proxy the right-most address of `X-Forwarded-For` that is no
//! trusted proxy. No other header changes it. Rate limits, sessions, the audit and the connection count use it.
//!
//! IPv4 addresses in IPv6 form (`::ffff:203.0.113.7`, as a server on `[::]` sees them) count as IPv4.

use std::future::{Ready, ready};
use std::net::{IpAddr, Ipv6Addr, SocketAddr};

use actix_web::dev::Payload;
use actix_web::http::header::HeaderMap;
use actix_web::{FromRequest, HttpRequest, web};
use bipe_core::config::{Config, Network};

use crate::error::ApiError;

#[derive(Clone, Copy, Debug)]
pub struct ClientIp(pub IpAddr);

/// The reverse proxies whose header counts; registered as app data.
#[derive(Clone, Debug, Default)]
pub struct TrustedProxies(Vec<Network>);

impl TrustedProxies {
    /// Of settings that were checked.
    pub fn of(config: &Config) -> Self {
        let networks = config.trusted_proxies.iter().filter_map(|text| Network::parse(text));
        Self(networks.collect())
    }

    pub fn contain(&self, address: IpAddr) -> bool {
        self.0.iter().any(|network| network.contains(address))
    }

    /// The header of a peer that is no trusted proxy is ignored. An entry that is no address ends the search at the
    /// proxy.
    fn client_behind(&self, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
        if !self.contain(peer) {
            return peer;
        }
        let values: Vec<_> = headers.get_all("x-forwarded-for").collect();
        let entries = values.iter().rev().flat_map(|value| {
            // Not even text: one entry that is no address.
            value.to_str().unwrap_or("?").rsplit(',')
        });
        for entry in entries {
            match address_of(entry) {
                Some(address) if self.contain(address) => {}
                Some(address) => return address,
                None => return peer,
            }
        }
        peer
    }
}

/// `203.0.113.7`, `203.0.113.7:51234`, `2001:db8::7`, `[2001:db8::7]`, `[2001:db8::7]:51234`, each with or without
/// quotes.
fn address_of(entry: &str) -> Option<IpAddr> {
    let entry = entry.trim();
    let entry = entry.strip_prefix('"').and_then(|e| e.strip_suffix('"')).unwrap_or(entry);
    let bare = entry.strip_prefix('[').and_then(|e| e.strip_suffix(']')).unwrap_or(entry);
    let address = bare.parse().or_else(|_| entry.parse::<SocketAddr>().map(|socket| socket.ip()));
    address.ok().map(|address| address.to_canonical())
}

impl ClientIp {
    /// None for a request that came over no network.
    pub fn of(request: &HttpRequest) -> Option<Self> {
        let peer = request.peer_addr()?.ip().to_canonical();
        let Some(proxies) = request.app_data::<web::Data<TrustedProxies>>() else {
            return Some(Self(peer));
        };
        Some(Self(proxies.client_behind(peer, request.headers())))
    }

    /// What the limits of this process count: an IPv4 address, or the first address of an IPv6 /64.
    pub fn network_address(self) -> IpAddr {
        match self.0.to_canonical() {
            IpAddr::V6(v6) => {
                let [a, b, c, d, ..] = v6.segments();
                Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0).into()
            }
            v4 => v4,
        }
    }

    /// As [`ClientIp::network_address`], as text, for limits that are stored.
    pub fn network(self) -> String {
        match self.network_address() {
            IpAddr::V4(v4) => v4.to_string(),
            IpAddr::V6(v6) => {
                let [a, b, c, d, ..] = v6.segments();
                format!("{a:x}:{b:x}:{c:x}:{d:x}::/64")
            }
        }
    }

    /// The network in an audit entry: /24 of IPv4, /48 of IPv6.
    pub fn truncated(self) -> String {
        match self.0.to_canonical() {
            IpAddr::V4(v4) => {
                let [a, b, c, _] = v4.octets();
                format!("{a}.{b}.{c}.0/24")
            }
            IpAddr::V6(v6) => {
                let [a, b, c, ..] = v6.segments();
                format!("{a:x}:{b:x}:{c:x}::/48")
            }
        }
    }
}

impl FromRequest for ClientIp {
    type Error = ApiError;
    type Future = Ready<Result<Self, ApiError>>;
    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(Self::of(request).ok_or(ApiError::Malformed))
    }
}

#[cfg(test)]
mod tests {
    use actix_web::http::header::{HeaderName, HeaderValue};

    use super::*;

    fn client(proxies: &[&str], peer: &str, forwarded: &[&str]) -> String {
        let proxies = TrustedProxies(proxies.iter().map(|p| Network::parse(p).unwrap()).collect());
        let mut headers = HeaderMap::new();
        for value in forwarded {
            let name = HeaderName::from_static("x-forwarded-for");
            headers.append(name, HeaderValue::from_bytes(value.as_bytes()).unwrap());
        }
        let peer: IpAddr = peer.parse().unwrap();
        proxies.client_behind(peer.to_canonical(), &headers).to_string()
    }

    #[test]
    fn an_entry_with_a_port_is_not_skipped_for_one_that_the_client_wrote() {
        let of = |entry: &str| client(&["10.0.0.0/8"], "10.0.0.1", &[&format!("6.6.6.6, {entry}")]);
        for entry in
            ["203.0.113.7", "203.0.113.7:51234", "\"203.0.113.7:51234\"", "::ffff:203.0.113.7"]
        {
            assert_eq!(of(entry), "203.0.113.7", "{entry}");
        }
        for entry in ["2001:db8::7", "[2001:db8::7]", "[2001:db8::7]:51234", "\"[2001:db8::7]:5\""]
        {
            assert_eq!(of(entry), "2001:db8::7", "{entry}");
        }
    }

    #[test]
    fn what_is_no_address_at_the_place_that_decides_leaves_the_proxy() {
        let of = |forwarded: &[&str]| client(&["10.0.0.0/8"], "10.0.0.1", forwarded);
        for entry in ["unknown", "_hidden", "", "203.0.113.7:port", "[203.0.113.7", "\u{e9}"] {
            assert_eq!(of(&[&format!("6.6.6.6, {entry}")]), "10.0.0.1", "{entry}");
            assert_eq!(of(&[&format!("{entry}, 10.0.0.2")]), "10.0.0.1", "{entry}");
        }
        // To the left of the place that decides anybody may write anything, also in a header of its own.
        assert_eq!(of(&["nonsense, 203.0.113.7, 10.0.0.2"]), "203.0.113.7");
        assert_eq!(of(&["nonsense", "203.0.113.7", "10.0.0.2:80"]), "203.0.113.7");
        assert_eq!(of(&[]), "10.0.0.1");
    }

    #[test]
    fn nobody_but_a_proxy_chooses_an_address() {
        assert_eq!(client(&["10.0.0.0/8"], "192.0.2.1", &["6.6.6.6"]), "192.0.2.1");
        assert_eq!(client(&[], "::ffff:192.0.2.1", &["6.6.6.6"]), "192.0.2.1");
        for proxy in ["10.0.0.1", "::ffff:10.0.0.1", "::ffff:10.0.0.0/104"] {
            assert_eq!(client(&[proxy], "::ffff:10.0.0.1", &["203.0.113.7"]), "203.0.113.7");
            assert_eq!(client(&[proxy], "10.0.0.1", &["203.0.113.7"]), "203.0.113.7", "{proxy}");
        }
    }

    #[test]
    fn two_ipv4_clients_of_a_server_on_ipv6_do_not_share_a_limit() {
        let mapped = |text: &str| ClientIp(text.parse().unwrap());
        assert_eq!(mapped("::ffff:203.0.113.7").network(), "203.0.113.7");
        assert_eq!(mapped("::ffff:203.0.113.7").truncated(), "203.0.113.0/24");
        assert_eq!(mapped("2001:db8:0:1::7").network(), "2001:db8:0:1::/64");
        let addresses = ["::ffff:203.0.113.7", "2001:db8:0:1::7"].map(mapped);
        let counted = addresses.map(|address| address.network_address().to_string());
        assert_eq!(counted, ["203.0.113.7", "2001:db8:0:1::"]);
        assert_eq!(mapped("2001:db8:0:1::7").truncated(), "2001:db8:0::/48");
    }
}
