//! The gateway over async-stripe. Only this file and the `stripe_` files beside it know the stripe crates. Stripe and
//! our sandbox speak the same wire format, so both run this very code.
//!
//! Two tries of ten seconds within twelve, always under the caller's persisted key: async-stripe's own retry
//! strategies use keys that die with the process.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicI64, AtomicU32, Ordering};
use std::time::Duration;

use futures_util::future::BoxFuture;
use jiff::Timestamp;
use miniserde::Deserialize;
use stripe::{IdempotencyKey, RequestStrategy, StripeRequest};
use stripe_core::customer::CreateCustomer;
use stripe_core::payment_intent::{
    CancelPaymentIntent, CreatePaymentIntent, ListPaymentIntent, RetrievePaymentIntent,
};
use stripe_core::refund::{CreateRefund, ListRefund};
use stripe_core::setup_intent::{CancelSetupIntent, RetrieveSetupIntent};
use stripe_payment::payment_method::{
    DetachPaymentMethod, ListPaymentMethod, RetrievePaymentMethod,
};
use stripe_types::Currency;

use super::stripe_answers::{PROBE, noted, settle};
use super::stripe_disputes::{ListDisputes, WireDispute};
use super::stripe_events::{ListEvents, read_part};
use super::stripe_requests::{create_request, expanded, refund_request, setup_request};
use super::stripe_transport::{CallError, Transport};
use super::wire::{WireCustomer, WireIntent, WireList, WireMethod, WireRefund, WireSetup};
use super::{
    Card, CardSetup, EventPart, Gateway, Intent, IntentStatus, NewIntent, ProviderAnswer, Refund,
    Refusal,
};
use crate::clock::Clock;
use crate::config::{Config, SANDBOX_SECRET_KEY};
use crate::error::Result;
use crate::id::{CompanyId, RefundId};
use crate::money::Cents;
use crate::secret::Secret;
use crate::trace::Span;

/// For both tries of one call together.
const TRIES_TIMEOUT: Duration = Duration::from_secs(12);
/// Before the second try: a random time below this, in milliseconds.
const MAX_JITTER_MS: u32 = 500;
/// After so many failures in a row no write is sent for `PAUSE_SECONDS`; reading goes on.
const MAX_FAILURES: u32 = 5;
const PAUSE_SECONDS: i64 = 30;
/// How far back an unanswered creation is looked for.
const NEWEST: i64 = 100;

pub struct StripeGateway {
    transport: Transport,
    clock: Clock,
    failures: AtomicU32,
    /// Unix seconds until which writes are not sent.
    paused_until: AtomicI64,
}

/// Where the provider answers: `STRIPE_API_BASE`, the sandbox inside this server, or none for Stripe itself.
pub fn api_base(config: &Config, bound: SocketAddr) -> Option<String> {
    if let Some(base) = &config.stripe_api_base {
        return Some(format!("{}/", base.trim_end_matches('/')));
    }
    let mut bound = bound;
    if bound.ip().is_unspecified() {
        bound.set_ip(std::net::Ipv4Addr::LOCALHOST.into());
    }
    config.has_own_sandbox().then(|| format!("http://{bound}/sandbox/"))
}

impl StripeGateway {
    /// `api_base` ends in a slash; the library appends `v1/…`.
    ///
    /// # Errors
    /// `Internal` for an address or key that cannot be used.
    pub fn new(key: Option<&Secret>, api_base: Option<String>, clock: Clock) -> Result<Self> {
        let key = key.map_or(SANDBOX_SECRET_KEY, Secret::expose);
        let transport = Transport::new(key, api_base)?;
        Ok(Self { transport, clock, failures: AtomicU32::new(0), paused_until: AtomicI64::new(0) })
    }

    async fn get<T: Deserialize>(
        &self,
        operation: &'static str,
        request: &impl StripeRequest,
    ) -> ProviderAnswer<T> {
        let attempt = || request.build().customize::<T>().send(&self.transport);
        noted(operation, Span::call(operation).around(self.twice(operation, attempt)).await)
    }

    /// A write: refused at once while the circuit is open, and counted for it.
    async fn post<T: Deserialize>(
        &self,
        operation: &'static str,
        request: &impl StripeRequest,
        (body, key): (Option<&str>, Option<&str>),
    ) -> ProviderAnswer<T> {
        let now = || self.clock.now().as_second();
        if now() < self.paused_until.load(Ordering::Relaxed) {
            return noted(operation, ProviderAnswer::Unreachable);
        }
        let strategy = match key.map(IdempotencyKey::new) {
            Some(Ok(key)) => RequestStrategy::Idempotent(key),
            Some(Err(unusable)) => {
                let not_made = Err(CallError::NotMade(unusable.to_string()));
                return noted(operation, settle(operation, not_made));
            }
            None => RequestStrategy::Once,
        };
        let attempt = || {
            let mut built = request.build();
            if let Some(body) = body {
                built.body = Some(body.to_owned());
            }
            built.customize::<T>().request_strategy(strategy.clone()).send(&self.transport)
        };
        let answer = Span::call(operation).around(self.twice(operation, attempt)).await;
        if matches!(answer, ProviderAnswer::Unknown | ProviderAnswer::Unreachable) {
            if self.failures.fetch_add(1, Ordering::Relaxed) + 1 >= MAX_FAILURES {
                self.paused_until.store(now() + PAUSE_SECONDS, Ordering::Relaxed);
            }
        } else {
            self.failures.store(0, Ordering::Relaxed);
        }
        noted(operation, answer)
    }

    /// A payment whose charge was disputed once, with how its disputes stand.
    async fn judged(&self, intent: Intent) -> ProviderAnswer<Intent> {
        let request = ListDisputes::of(&intent.id, NEWEST);
        let list = self.get::<WireList<WireDispute>>("list_disputes", &request).await;
        list.map(|list| {
            let disputed = list.data.iter().any(WireDispute::holds_money);
            Intent { disputed, ..intent }
        })
    }

    /// Tries once more after what may pass; unclear once stays unclear.
    async fn twice<T, F>(
        &self,
        operation: &'static str,
        attempt: impl Fn() -> F,
    ) -> ProviderAnswer<T>
    where
        F: Future<Output = Result<T, CallError>>,
    {
        let tries = async {
            let first = settle(operation, attempt().await);
            if matches!(first, ProviderAnswer::Done(_) | ProviderAnswer::Refused(_)) {
                return first;
            }
            let pause = Duration::from_millis(u64::from(self.clock.below(MAX_JITTER_MS)));
            tokio::time::sleep(pause).await;
            match (first, settle(operation, attempt().await)) {
                (ProviderAnswer::Unknown, ProviderAnswer::Unreachable) => ProviderAnswer::Unknown,
                (_, second) => second,
            }
        };
        tokio::time::timeout(TRIES_TIMEOUT, tries).await.unwrap_or(ProviderAnswer::Unknown)
    }
}

fn card_of(answer: ProviderAnswer<WireMethod>) -> ProviderAnswer<Card> {
    answer.and_then(|method| match method.card() {
        Some(card) => ProviderAnswer::Done(card),
        None => ProviderAnswer::Refused(Refusal::default()),
    })
}

impl Gateway for StripeGateway {
    fn name(&self) -> &'static str {
        "stripe"
    }

    fn body(&self, charge: &NewIntent<'_>) -> String {
        create_request(charge).build().body.unwrap_or_default()
    }

    fn create<'a>(&'a self, body: &'a str, key: &'a str) -> BoxFuture<'a, ProviderAnswer<Intent>> {
        Box::pin(async move {
            // Only address and method are taken from this request: the stored text replaces its body.
            let request = CreatePaymentIntent::new(0_i64, Currency::BRL);
            self.post::<WireIntent>("create_payment", &request, (Some(body), Some(key)))
                .await
                .map(Intent::from)
        })
    }

    fn read<'a>(&'a self, intent: &'a str) -> BoxFuture<'a, ProviderAnswer<Intent>> {
        Box::pin(async move {
            let request = RetrievePaymentIntent::new(intent).expand(expanded());
            match self.get::<WireIntent>("read_payment", &request).await.map(Intent::from) {
                ProviderAnswer::Done(intent) if intent.disputed => self.judged(intent).await,
                answer => answer,
            }
        })
    }

    fn cancel<'a>(&'a self, intent: &'a str) -> BoxFuture<'a, ProviderAnswer<Intent>> {
        Box::pin(async move {
            let request = CancelPaymentIntent::new(intent).expand(expanded());
            let answer = self.post::<WireIntent>("cancel_payment", &request, (None, None)).await;
            let ProviderAnswer::Refused(refusal) = answer else { return answer.map(Intent::from) };
            match self.read(intent).await {
                ProviderAnswer::Done(read) if read.status != IntentStatus::Canceled => {
                    ProviderAnswer::Refused(refusal)
                }
                canceled_or_unclear => canceled_or_unclear,
            }
        })
    }

    fn refund_body(&self, intent: &str, amount: Cents, refund: RefundId) -> String {
        refund_request(intent, amount, refund).build().body.unwrap_or_default()
    }

    fn refund<'a>(&'a self, body: &'a str, key: &'a str) -> BoxFuture<'a, ProviderAnswer<Refund>> {
        Box::pin(async move {
            // The stored text replaces the body, as in `create`.
            let sent = (Some(body), Some(key));
            self.post::<WireRefund>("refund", &CreateRefund::new(), sent).await.map(Refund::from)
        })
    }

    fn refunds_of<'a>(&'a self, intent: &'a str) -> BoxFuture<'a, ProviderAnswer<Vec<Refund>>> {
        Box::pin(async move {
            let request = ListRefund::new().payment_intent(intent).limit(NEWEST);
            let list = self.get::<WireList<WireRefund>>("list_refunds", &request).await;
            list.map(|list| list.data.into_iter().map(Refund::from).collect())
        })
    }

    fn intents_of<'a>(&'a self, customer: &'a str) -> BoxFuture<'a, ProviderAnswer<Vec<Intent>>> {
        Box::pin(async move {
            let request = ListPaymentIntent::new().customer(customer).limit(NEWEST);
            let list = self.get::<WireList<WireIntent>>("list_payments", &request).await;
            list.map(|list| list.data.into_iter().map(Intent::from).collect())
        })
    }

    fn create_customer<'a>(
        &'a self,
        company: CompanyId,
        key: &'a str,
    ) -> BoxFuture<'a, ProviderAnswer<String>> {
        Box::pin(async move {
            let metadata = HashMap::from([("companyId".to_owned(), company.to_string())]);
            let request = CreateCustomer::new().metadata(metadata);
            self.post::<WireCustomer>("create_customer", &request, (None, Some(key)))
                .await
                .map(|customer| customer.id)
        })
    }

    fn card<'a>(&'a self, id: &'a str) -> BoxFuture<'a, ProviderAnswer<Card>> {
        Box::pin(async move {
            card_of(self.get::<WireMethod>("read_card", &RetrievePaymentMethod::new(id)).await)
        })
    }

    fn set_up_card<'a>(
        &'a self,
        card: &'a str,
        customer: &'a str,
        key: &'a str,
    ) -> BoxFuture<'a, ProviderAnswer<CardSetup>> {
        Box::pin(async move {
            let request = setup_request(card, customer);
            self.post::<WireSetup>("set_up_card", &request, (None, Some(key)))
                .await
                .map(CardSetup::from)
        })
    }

    fn card_setup<'a>(&'a self, id: &'a str) -> BoxFuture<'a, ProviderAnswer<CardSetup>> {
        Box::pin(async move {
            let request = RetrieveSetupIntent::new(id);
            self.get::<WireSetup>("read_card_setup", &request).await.map(CardSetup::from)
        })
    }

    fn cancel_card_setup<'a>(&'a self, id: &'a str) -> BoxFuture<'a, ProviderAnswer<CardSetup>> {
        Box::pin(async move {
            // Cancelling again is refused and changes nothing: no key is needed.
            let request = CancelSetupIntent::new(id);
            self.post::<WireSetup>("cancel_card_setup", &request, (None, None))
                .await
                .map(CardSetup::from)
        })
    }

    fn detach<'a>(&'a self, id: &'a str) -> BoxFuture<'a, ProviderAnswer<Card>> {
        Box::pin(async move {
            let request = DetachPaymentMethod::new(id);
            card_of(self.post::<WireMethod>("detach_card", &request, (None, None)).await)
        })
    }

    fn cards_of<'a>(&'a self, customer: &'a str) -> BoxFuture<'a, ProviderAnswer<Vec<Card>>> {
        Box::pin(async move {
            let request = ListPaymentMethod::new().customer(customer).limit(NEWEST);
            let list = self.get::<WireList<WireMethod>>("list_cards", &request).await;
            list.map(|list| list.data.into_iter().filter_map(WireMethod::card).collect())
        })
    }

    fn events_between(
        &self,
        since: Timestamp,
        until: Option<Timestamp>,
    ) -> BoxFuture<'_, ProviderAnswer<EventPart>> {
        Box::pin(read_part(move |last: Option<String>| async move {
            let request = ListEvents::between(since, until, last.as_deref());
            self.get("list_events", &request).await
        }))
    }

    fn is_alive(&self) -> BoxFuture<'_, bool> {
        Box::pin(async move {
            // A card that nobody has: any word about it is a sign of life.
            let request = RetrievePaymentMethod::new("pm_alive");
            let answer = self.get::<WireMethod>(PROBE, &request).await;
            matches!(answer, ProviderAnswer::Done(_) | ProviderAnswer::Refused(_))
        })
    }
}

#[cfg(test)]
mod tests {
    use futures_util::future::join_all;

    use super::*;
    use crate::testing::HttpPeer;

    #[tokio::test]
    async fn a_list_that_repeats_a_page_is_not_read_for_ever_and_nothing_of_it_is_taken() {
        let event = |id: &str| format!(r#"{{"id":"{id}","type":"k","created":1800000000}}"#);
        let events = ["evt_2", "evt_1"].map(event).join(",");
        let page = format!(r#"{{"has_more":true,"data":[{events}]}}"#);
        let peer = HttpPeer::with_json(&page).await;
        let base = Some(format!("http://{}/", peer.address));
        let gateway = StripeGateway::new(None, base, Clock::system()).unwrap();
        let asked = gateway.events_between(Timestamp::UNIX_EPOCH, None).await;
        assert_eq!(asked, ProviderAnswer::Unknown);
        let lines = peer.request_lines();
        let goes_on = lines.iter().map(|line| line.contains("starting_after=evt_1"));
        assert_eq!(goes_on.collect::<Vec<_>>(), [false, true], "{lines:?}");
    }

    #[tokio::test]
    async fn five_failures_in_a_row_stop_the_writes_for_half_a_minute_and_no_read() {
        let broken = "HTTP/1.1 500 Broken\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";
        let peer = HttpPeer::answering(broken).await;
        let clock = Clock::fixed("2026-11-21T12:00:00Z".parse().unwrap(), 7);
        let base = Some(format!("http://{}/", peer.address));
        let gateway = StripeGateway::new(None, base, clock.clone()).unwrap();
        let sent =
            |verb: &str| peer.request_lines().iter().filter(|line| line.starts_with(verb)).count();
        join_all((0..4).map(|_| gateway.detach("pm_1"))).await;
        let fifth = gateway.detach("pm_1").await;
        assert!(matches!(fifth, ProviderAnswer::Unknown));
        assert_eq!(sent("POST"), 10, "each is tried twice");
        clock.advance(29);
        assert!(matches!(gateway.detach("pm_1").await, ProviderAnswer::Unreachable));
        assert!(matches!(gateway.cards_of("cus_1").await, ProviderAnswer::Unknown));
        assert_eq!((sent("POST"), sent("GET")), (10, 2));
        clock.advance(1);
        assert!(matches!(gateway.detach("pm_1").await, ProviderAnswer::Unknown));
        assert_eq!(sent("POST"), 12);
    }
}
