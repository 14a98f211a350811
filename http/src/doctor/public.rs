//! What the public address answers, asked from here as any client asks: readiness, certificate, live sockets, and a
//! signed webhook that tells which address the server sees. Called by `mod.rs`.

use std::net::IpAddr;

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use bipe_core::clock::Clock;
use bipe_core::config::network::host_of;
use bipe_core::config::{Config, is_this_machine};
use bipe_core::gateway::webhook::{self, SEEN_ADDRESS, SELF_TEST};
use bipe_core::web_probe::{Answer, MAX_DAYS, Question, WebProbe};

use super::guide;
use super::report::Check;
use crate::extract::TrustedProxies;
use crate::live::frame::PROTOCOL;

/// Authorities renew a certificate a month before its end; after two weeks of that nobody does.
const DAYS_LEFT: u64 = 14;
/// Of a documentation network (RFC 5737): nobody's. The doctor claims to come from it.
const CLAIMED: &str = "192.0.2.77";
/// What to look at where the nodes take nothing, and the proxy's rules are not the reason.
const NO_NODE: &str = "503 is a node that is not ready, 502 a proxy that reaches none";

pub async fn examine(config: &Config, clock: &Clock) -> Vec<Check> {
    let probe = match WebProbe::new() {
        Ok(probe) => probe,
        Err(says) => {
            let advice = "this build cannot speak TLS on this machine";
            return vec![Check::finding("public.ready", says, advice, guide::PROXY)];
        }
    };
    let public = config.public_url();
    let ready = probe.ask(Question::get(&format!("{public}/health/ready"))).await;
    let is_there = ready.is_ok();
    let certificate = certificate(&public, &ready);
    let mut checks = vec![self::ready(&public, ready), certificate];
    if !is_there {
        let skipped = ["public.live", "public.webhook", "public.client_address"];
        let skipped =
            skipped.map(|check| Check::skipped(check, "the public address does not answer"));
        checks.extend(skipped);
        return checks;
    }
    checks.push(live(probe.ask(upgrade(&format!("{public}/api/live"), &public, clock)).await));
    let Some(secret) = config.stripe_webhook_secret.first() else {
        let skipped = ["public.webhook", "public.client_address"];
        let why = "not configured: STRIPE_WEBHOOK_SECRET, which signs the question";
        checks.extend(skipped.map(|check| Check::skipped(check, why)));
        return checks;
    };
    let (now, id) = (clock.now().as_second(), clock.uuid());
    let body = format!(r#"{{"id":"evt_{}","type":"{SELF_TEST}","data":{{}}}}"#, id.simple());
    let signature = format!("t={now},v1={}", webhook::sign(secret, now, body.as_bytes()));
    let url = format!("{public}/api/payments/webhooks/stripe");
    let question = Question::post(&url, body)
        .with("content-type", "application/json")
        .with("stripe-signature", signature)
        .with("x-forwarded-for", CLAIMED);
    let answer = probe.ask(question).await;
    let seen = answer.as_ref().ok().and_then(SeenAddresses::of);
    checks.push(self::webhook(answer));
    checks.push(client_address(
        seen.as_ref(),
        &TrustedProxies::of(config),
        host_of(&public).is_some_and(is_this_machine),
    ));
    checks
}

/// A browser's question for a live socket, without the ticket that a page would send on it.
fn upgrade<'a>(url: &'a str, origin: &str, clock: &Clock) -> Question<'a> {
    Question::get(url)
        .with("connection", "Upgrade")
        .with("upgrade", "websocket")
        .with("sec-websocket-version", "13")
        .with("sec-websocket-key", BASE64.encode(clock.bytes::<16>()))
        .with("sec-websocket-protocol", PROTOCOL)
        .with("origin", origin)
}

fn ready(public: &str, answer: Result<Answer, String>) -> Check {
    let check = "public.ready";
    match answer.map(|answer| answer.status) {
        Ok(200) => Check::ok(check, format!("{public} answers and is ready")),
        Ok(status @ (301 | 302 | 307 | 308)) => Check::finding(
            check,
            format!("{public}/health/ready answers {status}: it leads elsewhere"),
            "set BIPE_PUBLIC_URL to the address that answers by itself",
            guide::PROXY,
        ),
        Ok(status) => Check::finding(
            check,
            format!("{public}/health/ready answers {status}"),
            NO_NODE,
            guide::ERRORS,
        ),
        Err(says) => Check::finding(
            check,
            format!("{public}: {says}"),
            "check name resolution, firewall, proxy and certificate, and that a node runs",
            guide::ERRORS,
        ),
    }
}

fn certificate(public: &str, answer: &Result<Answer, String>) -> Check {
    let check = "public.certificate";
    let Ok(answer) = answer else {
        return Check::skipped(check, "the public address does not answer");
    };
    match answer.certificate_days {
        Some(MAX_DAYS..) => Check::ok(check, format!("good for {MAX_DAYS} days and more")),
        Some(days) if days >= DAYS_LEFT => Check::ok(check, format!("good for {days} days")),
        Some(days) => Check::finding(
            check,
            format!("good for {days} days"),
            "renew it, and find out why nobody has",
            guide::PROXY,
        ),
        None if host_of(public).is_some_and(is_this_machine) => {
            Check::skipped(check, "the public address is http on this machine")
        }
        None => Check::finding(
            check,
            format!("{public} is not https: everybody on the way can read along"),
            "set BIPE_PUBLIC_URL to the https address of your proxy",
            guide::PROXY,
        ),
    }
}

fn live(answer: Result<Answer, String>) -> Check {
    let check = "public.live";
    let advice = match answer.as_ref().map(|answer| answer.status) {
        Ok(101) => return Check::ok(check, "a live socket opens"),
        Ok(403) => "add the public address to BIPE_ALLOWED_ORIGINS, or leave that setting out",
        Ok(429) => "many sockets were opened from this address: ask again in a minute",
        Ok(502 | 503) => NO_NODE,
        _ => "let `Upgrade` and `Connection` pass at the proxy, with a time-out above 45 s",
    };
    let says = answer.map(|answer| format!("/api/live answers {} instead of 101", answer.status));
    Check::finding(check, says.unwrap_or_else(|reason| reason), advice, guide::PROXY)
}

fn webhook(answer: Result<Answer, String>) -> Check {
    let check = "public.webhook";
    let status = answer.map(|answer| answer.status);
    let advice = match status {
        Ok(502 | 503) => NO_NODE,
        _ => "let POST /api/payments/webhooks/stripe pass at the proxy, up to 256 KiB",
    };
    let says = match status {
        Ok(200..=299) => return Check::ok(check, "a webhook that is signed here is taken there"),
        Ok(400) => {
            let says = "the server refuses the signature of STRIPE_WEBHOOK_SECRET";
            let advice = "give this command and the nodes the same secret, and compare the clocks";
            return Check::finding(check, says, advice, guide::WEBHOOKS);
        }
        Ok(status) => format!("a signed webhook is answered {status}"),
        Err(reason) => reason,
    };
    Check::finding(check, says, advice, guide::STRIPE)
}

/// Where a question came from, as three places see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct SeenAddresses {
    by_server: IpAddr,
    /// This end of the connection.
    here: IpAddr,
    /// The other end: the proxy, or the server itself.
    there: IpAddr,
}

impl SeenAddresses {
    /// None where the server does not tell, as one of an older release.
    fn of(answer: &Answer) -> Option<Self> {
        let by_server = answer.header(SEEN_ADDRESS)?.parse().ok()?;
        let (here, there) = answer.addresses?;
        Some(Self { by_server, here, there })
    }
}

fn client_address(seen: Option<&SeenAddresses>, trusted: &TrustedProxies, is_here: bool) -> Check {
    let check = "public.client_address";
    let Some(SeenAddresses { by_server, here, there }) = seen else {
        return Check::skipped(check, "the answer to the signed webhook does not tell it");
    };
    let (says, advice) = if by_server.to_string() == CLAIMED {
        (
            "the server believes any address that a client writes into X-Forwarded-For".to_owned(),
            "let the proxy replace the header by the address of its peer",
        )
    } else if by_server == here {
        return Check::ok(check, format!("the server sees this machine as {by_server}"));
    } else if trusted.contain(*by_server) && trusted.contain(*here) {
        let why = format!("{here} is among BIPE_TRUSTED_PROXIES: ask from another machine");
        return Check::skipped(check, why);
    } else if trusted.contain(*by_server) {
        (
            format!("the server sees every visitor as the proxy {by_server}"),
            "let the proxy set X-Forwarded-For to the address of its peer",
        )
    } else if by_server == there && is_private(*here) {
        // An address that its router gives to this machine, or an unknown proxy.
        let why = format!(
            "the server sees {by_server}, where the public address leads: ask from another network; where it is \
             told the same, add that address to BIPE_TRUSTED_PROXIES"
        );
        return Check::skipped(check, why);
    } else if by_server == there || (is_private(*by_server) && !is_here) {
        (
            format!("the server sees {by_server}, and this machine is {here}"),
            "add that address to BIPE_TRUSTED_PROXIES if it is your proxy's: all visitors share its limits",
        )
    } else {
        return Check::ok(check, format!("the server sees {by_server}, as behind a router"));
    };
    Check::finding(check, says, advice, guide::PROXY)
}

fn is_private(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => v4.is_private() || v4.is_loopback() || v4.is_link_local(),
        IpAddr::V6(v6) => v6.is_loopback() || v6.is_unique_local() || v6.is_unicast_link_local(),
    }
}

#[cfg(test)]
mod tests;
