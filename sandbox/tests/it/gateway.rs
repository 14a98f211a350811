//! The server's own gateway, over async-stripe, against the sandbox: the code that runs against Stripe.

use std::any::Any;
use std::future::ready;
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use actix_web::dev::Extensions;
use actix_web::{App, HttpResponse, HttpServer, web};
use bipe_core::clock::Clock;
use bipe_core::gateway::stripe::StripeGateway;
use bipe_core::gateway::webhook::{self, Event};
use bipe_core::gateway::{
    Action, Gateway, Intent, IntentStatus, NewIntent, Payer, ProviderAnswer, key,
};
use bipe_core::id::{CompanyId, PaymentId, PlanId};
use bipe_core::money::Cents;
use bipe_core::payment_method::{Address, MethodDetails};
use bipe_core::plan::BillingCycle;
use bipe_core::secret::Secret;
use bipe_core::subscription::ChangeType;

use crate::provider::{Provider, WEBHOOK_SECRETS, id};

struct Shop {
    provider: Provider,
    gateway: StripeGateway,
    company: CompanyId,
    customer: String,
}

fn payer(email: &str) -> Payer {
    Payer { name: "Ana Lima".into(), email: email.into() }
}

fn done<T: std::fmt::Debug>(answer: ProviderAnswer<T>) -> T {
    match answer {
        ProviderAnswer::Done(value) => value,
        other => panic!("not done: {other:?}"),
    }
}

impl Shop {
    async fn open() -> Self {
        let provider = Provider::start().await;
        let base = format!("{}/sandbox/", provider.origin());
        let gateway = StripeGateway::new(None, Some(base), provider.clock.clone()).unwrap();
        let company = CompanyId::new(&provider.clock);
        let customer = done(gateway.create_customer(company, "v1:c:customer").await);
        Self { provider, gateway, company, customer }
    }

    /// The stored request of a payment and its key.
    fn request(&self, (email, details): &Order) -> (PaymentId, String, String) {
        let payment_id = PaymentId::new(&self.provider.clock);
        let body = self.gateway.body(&NewIntent {
            payment_id,
            company_id: self.company,
            subscription: "none".into(),
            plan_id: PlanId::new(&self.provider.clock),
            cycle: BillingCycle::Monthly,
            change_type: ChangeType::Creation,
            amount: Cents(9990),
            customer: &self.customer,
            payer: &payer(email),
            details,
            at: self.provider.clock.now(),
            environment: "development",
            trace: None,
        });
        (payment_id, body, key(payment_id, "create"))
    }

    async fn create(&self, order: &Order) -> Intent {
        let (payment, body, key) = self.request(order);
        let intent = done(self.gateway.create(&body, &key).await);
        assert!(intent.is_of(payment, self.company));
        intent
    }
}

/// Who pays, and how.
type Order = (&'static str, MethodDetails);

fn pix(email: &'static str) -> Order {
    (email, MethodDetails::Pix)
}

fn card(payment_method: String, save: bool) -> Order {
    ("ana@example.com", MethodDetails::Card { payment_method, save })
}

fn boleto() -> Order {
    let address = Address {
        line1: "Rua das Flores 1".into(),
        city: "Sao Paulo".into(),
        state: "SP".into(),
        postal_code: "01310100".into(),
    };
    ("fill_never@example.com", MethodDetails::Boleto { tax_id: "11144477735".into(), address })
}

#[actix_web::test]
async fn a_card_goes_from_the_gateway_over_the_browser_to_a_charge() {
    let shop = Shop::open().await;
    let payment_method = shop.provider.card("4000002760003184").await;
    let intent = shop.create(&card(payment_method, true)).await;
    assert_eq!(intent.status, IntentStatus::RequiresConfirmation);
    let secret = intent.client_secret.unwrap();
    let form = format!("client_secret={}", secret.expose());
    let path = format!("/sandbox/v1/payment_intents/{}/confirm", intent.id);
    assert_eq!(shop.provider.browser(&path, &form).await.status, 200);
    let waiting = done(shop.gateway.read(&intent.id).await);
    assert_eq!(waiting.status, IntentStatus::RequiresAction(Action::ThreeDSecure));
    let path = format!("/sandbox/v1/test/payment_intents/{}/authenticate", intent.id);
    shop.provider.browser(&path, &format!("{form}&outcome=succeeded")).await;
    let paid = done(shop.gateway.read(&intent.id).await);
    assert_eq!((paid.status, paid.amount_received), (IntentStatus::Succeeded, Cents(9990)));
    assert_eq!(paid.charged_at, Some(shop.provider.clock.now_seconds()));
    let cards = done(shop.gateway.cards_of(&shop.customer).await);
    assert_eq!(cards.iter().map(|card| card.last4.as_str()).collect::<Vec<_>>(), ["3184"]);
    done(shop.gateway.detach(&cards[0].id).await);
    assert!(done(shop.gateway.cards_of(&shop.customer).await).is_empty());
}

#[actix_web::test]
async fn a_write_whose_key_cannot_be_sent_is_not_sent_without_it() {
    let shop = Shop::open().await;
    let (_, body, _) = shop.request(&pix("ana@example.com"));
    let answer = shop.gateway.create(&body, &"k".repeat(256)).await;
    assert!(matches!(answer, ProviderAnswer::Unreachable), "{answer:?}");
    assert!(done(shop.gateway.intents_of(&shop.customer).await).is_empty());
}

#[actix_web::test]
async fn a_decline_reads_as_an_open_intent_with_its_error_and_a_refused_set_up() {
    let shop = Shop::open().await;
    let declined = shop.provider.card("4000000000009995").await;
    let intent = shop.create(&card(declined.clone(), false)).await;
    let form = format!("client_secret={}", intent.client_secret.unwrap().expose());
    let path = format!("/sandbox/v1/payment_intents/{}/confirm", intent.id);
    assert_eq!(shop.provider.browser(&path, &form).await.status, 402);
    let read = done(shop.gateway.read(&intent.id).await);
    assert_eq!(read.status, IntentStatus::RequiresPaymentMethod);
    assert_eq!(read.last_error.unwrap().decline_code.as_deref(), Some("insufficient_funds"));
    let set_up = shop.gateway.set_up_card(&declined, &shop.customer, "set up").await;
    let ProviderAnswer::Refused(refusal) = set_up else {
        panic!("a card without funds cannot be saved");
    };
    assert_eq!(refusal.code.as_deref(), Some("card_declined"));
}

#[actix_web::test]
async fn vouchers_show_their_codes_and_a_boleto_refuses_to_be_cancelled() {
    let shop = Shop::open().await;
    let intent = shop.create(&pix("fill_never@example.com")).await;
    let IntentStatus::RequiresAction(Action::Pix(code)) = intent.status else {
        panic!("no PIX: {intent:?}");
    };
    assert!(code.code.unwrap().starts_with("000201"));
    let canceled = shop.gateway.cancel(&intent.id).await;
    assert_eq!(done(canceled).status, IntentStatus::Canceled);

    let intent = shop.create(&boleto()).await;
    let IntentStatus::RequiresAction(Action::Boleto(slip)) = intent.status else {
        panic!("no boleto: {intent:?}");
    };
    assert_eq!(slip.line.unwrap().len(), 54);
    let ProviderAnswer::Refused(refusal) = shop.gateway.cancel(&intent.id).await else {
        panic!("an issued boleto cannot be cancelled");
    };
    assert_eq!(refusal.code.as_deref(), Some("payment_intent_unexpected_state"));
    assert_eq!(refusal.intent.as_deref(), Some(intent.id.as_str()), "the error's intent was read");
    let ProviderAnswer::Refused(refusal) = shop.gateway.read("pi_nobody").await else {
        panic!("there is no such intent");
    };
    assert!(refusal.missing);
}

#[actix_web::test]
async fn a_lost_answer_is_repeated_under_its_key_and_charges_once() {
    let shop = Shop::open().await;
    let (_, body, key) = shop.request(&pix("ana@example.com"));
    shop.provider
        .control("/sandbox/v1/test/faults", r#"{"replies":{"lose":true,"times":1}}"#)
        .await;
    let intent = done(shop.gateway.create(&body, &key).await);
    let again = done(shop.gateway.create(&body, &key).await);
    assert_eq!(again.id, intent.id);
    let all = done(shop.gateway.intents_of(&shop.customer).await);
    assert_eq!(all.len(), 1);

    let broken = r#"{"replies":{"lose":true,"status":500,"times":1}}"#;
    shop.provider.control("/sandbox/v1/test/faults", broken).await;
    let (_, body, key) = shop.request(&pix("ana@example.com"));
    assert_eq!(
        shop.gateway.create(&body, &key).await,
        ProviderAnswer::Unknown,
        "a kept 500 stays a 500"
    );
    let all = done(shop.gateway.intents_of(&shop.customer).await);
    assert_eq!(all.len(), 2, "only a read tells that it was carried out");
}

#[actix_web::test]
async fn the_servers_own_check_accepts_the_sandboxs_signature_under_either_secret() {
    let shop = Shop::open().await;
    let intent = shop.create(&pix("ana@example.com")).await;
    let path = format!("/sandbox/v1/test/payment_intents/{}/settle", intent.id);
    let settled = shop.provider.control(&path, r#"{"outcome":"succeeded"}"#).await;
    assert_eq!(id(&settled), intent.id);
    shop.provider.events().await;
    let mail = shop.provider.mail.lock().unwrap().clone();
    let (signature, body) = mail.last().unwrap();
    let now = shop.provider.clock.now();
    for secret in WEBHOOK_SECRETS.map(Secret::from) {
        assert_eq!(webhook::verify(signature, body.as_bytes(), &[secret], now), Ok(()));
    }
    assert!(
        webhook::verify(signature, body.as_bytes(), &[Secret::from("whsec_other")], now).is_err()
    );
    let event = Event::parse(body.as_bytes()).unwrap();
    assert_eq!(event.object.as_deref(), Some(intent.id.as_str()));
}

#[actix_web::test]
async fn calls_that_follow_each_other_share_a_connection_and_a_closed_one_costs_no_call() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let (connections, calls) = (Arc::new(AtomicU32::new(0)), Arc::new(AtomicU32::new(0)));
    let serve = |listener| {
        let (connections, calls) = (connections.clone(), calls.clone());
        let no_card = move || {
            calls.fetch_add(1, Ordering::Relaxed);
            let error = r#"{"error":{"type":"invalid_request_error","code":"resource_missing"}}"#;
            ready(HttpResponse::NotFound().body(error))
        };
        let app = move || App::new().default_service(web::to(no_card.clone()));
        let count = move |_: &dyn Any, _: &mut Extensions| {
            connections.fetch_add(1, Ordering::Relaxed);
        };
        let server = HttpServer::new(app).workers(1).disable_signals().on_connect(count);
        let server = server.listen(listener).unwrap().run();
        let handle = server.handle();
        actix_web::rt::spawn(server);
        handle
    };
    let counted = || (connections.load(Ordering::Relaxed), calls.load(Ordering::Relaxed));
    let base = Some(format!("http://{address}/"));
    let gateway = StripeGateway::new(None, base, Clock::system()).unwrap();

    let first = serve(listener);
    for _ in 0..3 {
        assert!(gateway.is_alive().await);
    }
    assert_eq!(counted(), (1, 3), "connections and calls");
    first.stop(false).await;
    let second = serve(TcpListener::bind(address).unwrap());
    assert!(gateway.is_alive().await);
    assert_eq!(counted(), (2, 4), "nothing was sent twice");
    second.stop(false).await;
}

#[actix_web::test]
async fn writes_pause_for_thirty_seconds_after_the_fifth_failure_however_long_it_took() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let base = format!("http://{}/", listener.local_addr().unwrap());
    let clock = Clock::fixed("2026-11-21T12:00:00Z".parse().unwrap(), 7);
    let (calls, time) = (Arc::new(AtomicU32::new(0)), clock.clone());
    let counted = calls.clone();
    let slow = move || {
        counted.fetch_add(1, Ordering::Relaxed);
        time.advance(6);
        ready(HttpResponse::InternalServerError().finish())
    };
    let app = move || App::new().default_service(web::to(slow.clone()));
    let server = HttpServer::new(app).workers(1).disable_signals().listen(listener).unwrap().run();
    let handle = server.handle();
    actix_web::rt::spawn(server);
    let gateway = StripeGateway::new(None, Some(base), clock.clone()).unwrap();
    let company = CompanyId::new(&clock);
    let write = async || {
        let before = calls.load(Ordering::Relaxed);
        let answer = gateway.create_customer(company, "v1:c:customer").await;
        (answer, calls.load(Ordering::Relaxed) - before)
    };

    for _ in 0..5 {
        assert_eq!(write().await, (ProviderAnswer::Unknown, 2), "two tries");
    }
    clock.advance(29);
    assert_eq!(write().await, (ProviderAnswer::Unreachable, 0));
    clock.advance(1);
    assert_eq!(write().await, (ProviderAnswer::Unknown, 2));
    handle.stop(false).await;
}
