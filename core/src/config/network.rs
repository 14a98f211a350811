//! Addresses, hosts and networks as settings name them. Keeps: a block holds no address of the other family.

use std::net::{IpAddr, Ipv6Addr};

use hyper::http::uri::Authority;
use ipnet::IpNet;

/// Whether a host, as a URL names it, is `localhost` or a loopback address. No name is looked up.
pub fn is_this_machine(host: &str) -> bool {
    let address = host.parse::<IpAddr>();
    host.eq_ignore_ascii_case("localhost")
        || address.is_ok_and(|address| address.to_canonical().is_loopback())
}

/// Whether a request that names `host` means the server that is bound to `bind`: by `localhost`, a name below
/// `.localhost`, a loopback address or the bound one. A page elsewhere can point a name of its own at this machine and
/// read what answers to that name; it cannot make a browser send another name.
pub fn is_own_name(host: &str, bind: IpAddr) -> bool {
    let host = host.trim_matches(['[', ']']).to_ascii_lowercase();
    match host.parse::<IpAddr>() {
        // Nobody can point an address elsewhere, but the server has no other addresses than these.
        Ok(address) => {
            let address = address.to_canonical();
            address.is_loopback() || bind.is_unspecified() || address == bind.to_canonical()
        }
        Err(_a_name) => host == "localhost" || host.ends_with(".localhost"),
    }
}

/// The host of `https://…`, `http://…`, `smtp://…` or `smtps://…`, without port and brackets.
pub fn host_of(url: &str) -> Option<&str> {
    let (_, rest) = url.split_once("://")?;
    let place = rest.split(['/', '?', '#']).next()?;
    let host = place.rsplit('@').next()?;
    let is_port = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    let port = host.rsplit_once(':').filter(|(_, port)| is_port(port));
    Some(port.map_or(host, |(host, _)| host).trim_matches(['[', ']']))
}

/// What follows `https://` or `http://`.
pub(super) fn behind_scheme(url: &str) -> Option<&str> {
    url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"))
}

/// A host and perhaps a port, without a login in front.
pub(super) fn is_authority(text: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._:[]".contains(&byte);
    let Ok(authority) = text.parse::<Authority>() else { return false };
    let host = authority.host();
    let address = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
    let is_host = match address {
        Some(address) => address.parse::<Ipv6Addr>().is_ok(),
        None => !host.is_empty() && !host.contains(['[', ']']),
    };
    let port = text.strip_prefix(host).unwrap_or(text);
    let is_port =
        port.is_empty() || port.strip_prefix(':').is_some_and(|port| port.parse::<u16>().is_ok());
    text.bytes().all(is_plain) && is_host && is_port
}

/// `http(s)://host[:port]`, as a browser sends it.
pub(super) fn is_origin(text: &str) -> bool {
    behind_scheme(text).is_some_and(is_authority)
}

/// An origin that somebody typed, as a browser sends it: in small letters, without the port that its scheme has anyway
/// and without a slash at the end. What is no origin stays as it is.
pub(super) fn as_sent(typed: &str) -> String {
    let typed = typed.trim_end_matches('/');
    let Some((scheme, place)) = typed.split_once("://").filter(|_| is_origin(typed)) else {
        return typed.to_owned();
    };
    let place = place.to_ascii_lowercase();
    let port = if scheme == "https" { ":443" } else { ":80" };
    format!("{scheme}://{}", place.strip_suffix(port).unwrap_or(&place))
}

/// TLS, or this machine alone.
pub(super) fn is_private_on_the_way(url: &str) -> bool {
    let is_here = || url.starts_with("http://") && host_of(url).is_some_and(is_this_machine);
    url.starts_with("https://") || is_here()
}

/// An address or a CIDR block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Network(IpNet);

impl Network {
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        // Not by `IpNet::from_str`: it takes the zero before 010.0.0.1, which others read as octal.
        let block = match text.split_once('/') {
            Some((address, prefix)) => {
                IpNet::new(address.parse().ok()?, prefix.parse().ok()?).ok()?
            }
            None => IpNet::from(text.parse::<IpAddr>().ok()?),
        };
        let address = block.addr().to_canonical();
        if address == block.addr() {
            return Some(Self(block));
        }
        // An IPv4 network may be written as IPv6 does, behind 96 bits: ::ffff:10.0.0.0/104. A shorter prefix would hold
        // no address.
        IpNet::new(address, block.prefix_len().checked_sub(96)?).ok().map(Self)
    }

    /// An IPv4 address counts as one, however it is written.
    pub fn contains(&self, other: IpAddr) -> bool {
        self.0.contains(&other.to_canonical())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::config;

    #[test]
    fn a_network_contains_its_addresses_and_no_others() {
        let network = Network::parse("10.1.0.0/16").unwrap();
        assert!(network.contains("10.1.200.3".parse().unwrap()));
        assert!(!network.contains("10.2.0.1".parse().unwrap()));
        assert!(!network.contains("::1".parse().unwrap()));
        assert_eq!(Network::parse("10.0.0.0/33"), None);
        assert_eq!(Network::parse("010.0.0.0/8"), None);
        let mapped = Network::parse("::ffff:10.1.0.0/112").unwrap();
        assert_eq!(mapped, network);
        assert!(mapped.contains("::ffff:10.1.200.3".parse().unwrap()));
        assert_eq!(Network::parse("::ffff:10.1.0.0/129"), None);
        assert_eq!(Network::parse("::ffff:10.1.0.0/95"), None);
    }

    /// With another one the server would start and answer nobody.
    #[test]
    fn an_origin_is_a_host_and_perhaps_a_port() {
        for url in [
            "http://bipe.localhost:80",
            "http://127.0.0.1:0",
            "http://[::1]:8080",
            "https://a_b.localhost",
        ] {
            assert!(is_origin(url), "{url}");
        }
        for url in [
            "http://bipe.localhost:80:80",
            "http://[",
            "http://[x]",
            "http://[::1]x",
            "http://x::",
            "http://x:",
            "http://:80",
            "http://x:99999",
            "http://x:y",
            "http://u@x",
            "http://x/a",
            "ftp://x",
        ] {
            assert!(!is_origin(url), "{url}");
        }
    }

    /// Live sockets and passkeys compare it with what the browser sends.
    #[test]
    fn an_origin_is_known_however_it_was_typed() {
        for (typed, sent) in [
            ("https://Bipe.Example.com/", "https://bipe.example.com"),
            ("https://bipe.example.com:443", "https://bipe.example.com"),
            ("https://bipe.example.com:80", "https://bipe.example.com:80"),
            ("http://[::1]:80", "http://[::1]"),
            ("http://LOCALHOST:8080//", "http://localhost:8080"),
            ("HTTPS://Bipe.Example.com", "HTTPS://Bipe.Example.com"),
            ("http://x:80:80", "http://x:80:80"),
        ] {
            assert_eq!(as_sent(typed), sent);
        }
        let public = config(&["--public-url", "https://Bipe.Example.com:443"]);
        assert_eq!(public.public_url(), "https://bipe.example.com");
        let allowed = config(&["--allowed-origins", "https://A.example, http://b.example:80"]);
        assert_eq!(allowed.origins(), ["https://a.example", "http://b.example"]);
    }
}
