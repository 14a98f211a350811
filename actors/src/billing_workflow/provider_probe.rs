//! Whether the provider answers. Whoever is signed in may ask, as often as they like; the provider counts the questions
//! of all servers together with the calls that payments need.
//!
//! Kept in memory by each process for itself.

use std::time::Duration;

use bipe_core::gateway::Gateway;
use tokio::sync::Mutex;
use tokio::time::Instant;

/// How long an answer is told again.
const FRESH: Duration = Duration::from_secs(5);

#[derive(Clone, Copy, Debug)]
pub struct ProviderSign {
    pub is_alive: bool,
    /// How long the provider took to answer.
    pub latency: Duration,
}

#[derive(Debug, Default)]
pub(super) struct ProviderProbe {
    last: Mutex<Option<(Instant, ProviderSign)>>,
}

impl ProviderProbe {
    /// Asks unless the last answer is fresh. Whoever comes while a question is out waits for its answer.
    pub(super) async fn ask(&self, gateway: &dyn Gateway) -> ProviderSign {
        let mut last = self.last.lock().await;
        if let Some((answered, sign)) = *last
            && answered.elapsed() < FRESH
        {
            return sign;
        }
        let begun = Instant::now();
        let is_alive = gateway.is_alive().await;
        let sign = ProviderSign { is_alive, latency: begun.elapsed() };
        *last = Some((Instant::now(), sign));
        sign
    }
}

#[cfg(test)]
mod tests {
    use bipe_core::clock::Clock;
    use bipe_core::gateway::stripe::StripeGateway;
    use bipe_core::testing::HttpPeer;
    use futures_util::future::join_all;

    use super::*;

    #[tokio::test]
    async fn however_many_ask_the_provider_is_asked_once_in_five_seconds() {
        let body = r#"{"error": {"type": "invalid_request_error", "code": "resource_missing"}}"#;
        let head = "HTTP/1.1 404 Not Found\r\nConnection: close";
        let answer = format!("{head}\r\nContent-Length: {}\r\n\r\n{body}", body.len());
        let peer = HttpPeer::answering(answer).await;
        let base = Some(format!("http://{}/", peer.address));
        let gateway = StripeGateway::new(None, base, Clock::system()).unwrap();
        let probe = ProviderProbe::default();
        let signs = join_all((0..3).map(|_| probe.ask(&gateway))).await;
        assert!(signs.iter().all(|sign| sign.is_alive));
        assert_eq!(peer.request_lines().len(), 1);
        let long_ago = Instant::now().checked_sub(FRESH).unwrap();
        probe.last.lock().await.as_mut().unwrap().0 = long_ago;
        assert!(probe.ask(&gateway).await.is_alive);
        assert_eq!(peer.request_lines().len(), 2);
    }
}
