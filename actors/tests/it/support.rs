//! A whole server with its sandbox, and companies that pay.

use std::ops::Deref;
use std::sync::Arc;

use bipe_actors::billing_workflow::{PaymentOutcome, Steps};
use bipe_core::db::PoolSize;
use bipe_core::gateway::Payer;
use bipe_core::gateway::stripe::{StripeGateway, api_base};
use bipe_core::id::{CompanyId, SessionId, UserId};
use bipe_core::idempotency::KeyedRequest;
use bipe_core::money::Cents;
use bipe_core::payment::PaymentView;
use bipe_core::payment::command::StartPayment;
use bipe_core::payment_method::{Address, Method, MethodDetails};
use bipe_core::plan::BillingCycle;
use bipe_core::plan::store::on_sale;
use bipe_core::scope::{CompanyScope, Permission, SignedIn};
use bipe_core::testing::{self, TestCompany};
use bipe_testkit::TestServer;
use tokio_postgres::Client;

/// A running server, and a connection that may do everything.
pub struct World {
    server: TestServer,
    pub owner: Client,
}

impl Deref for World {
    type Target = TestServer;
    fn deref(&self) -> &TestServer {
        &self.server
    }
}

/// A company with one person, who pays.
#[derive(Clone, Copy)]
pub struct Buyer {
    pub company: CompanyId,
    pub user: UserId,
    session: SessionId,
}

impl World {
    pub async fn new() -> Self {
        Self::on(TestServer::start(&[]).await).await
    }

    /// The same with other numbers of connections to its database.
    pub async fn sized(pool: PoolSize) -> Self {
        Self::on(TestServer::start_sized(pool).await).await
    }

    async fn on(server: TestServer) -> Self {
        let owner = server.database.owner().await;
        Self { server, owner }
    }

    /// A node of its own, walked by hand: whatever it does not finish is lost with it.
    pub fn node(&self) -> Steps {
        let config = &self.app.config;
        self.node_asking(api_base(config, config.bind))
    }

    /// The same with another way to the provider.
    pub fn node_asking(&self, base: Option<String>) -> Steps {
        let db = &self.app.db;
        let gateway = StripeGateway::new(None, base, db.clock().clone()).unwrap();
        let limits = self.app.auth.limits.clone();
        Steps::new(db.clone(), Arc::new(gateway), limits, "development".into())
    }

    pub async fn company(&self) -> Buyer {
        let clock = self.app.db.clock();
        let TestCompany { id: company, admin: user } =
            testing::company(&self.owner, clock, "Ponto Central").await;
        let (session, now) = (SessionId::new(clock), clock.now());
        let insert_session = "INSERT INTO sessions (id, user_id, rotated_at, device, ip, created_at, last_used_at) \
             VALUES ($1, $2, $3, 'test', '127.0.0.1', $3, $3)";
        self.owner.execute(insert_session, &[&session, &user, &now]).await.unwrap();
        Buyer { company, user, session }
    }

    /// What the company's admin is proven to be on each request.
    pub async fn scope(&self, buyer: Buyer) -> CompanyScope {
        let who = SignedIn { user_id: buyer.user, session_id: buyer.session };
        let permission = Permission::ManagePayments;
        CompanyScope::prove(&self.app.db, who, buyer.company, permission).await.unwrap()
    }

    /// The command of a company that buys Profissional for a month.
    pub async fn start(&self, payer: Buyer, method: Method, key: &str) -> StartPayment {
        let tx = self.app.db.tx().await.unwrap();
        let plans = on_sale(&tx).await.unwrap();
        let plan = plans.iter().find(|plan| plan.display_name == "Profissional").unwrap();
        let details = match method {
            Method::CreditCard => MethodDetails::Card {
                payment_method: self.server.card("4242424242424242").await,
                save: false,
            },
            Method::Pix => MethodDetails::Pix,
            Method::BankSlip => MethodDetails::Boleto {
                tax_id: "00000000000".into(),
                address: Address {
                    line1: "Rua São João, 3".into(),
                    city: "São Paulo".into(),
                    state: "SP".into(),
                    postal_code: "01310100".into(),
                },
            },
        };
        StartPayment {
            scope: self.scope(payer).await,
            request_id: Some("request-1".into()),
            key: Some(
                KeyedRequest::new(key.into(), payer.user, "POST /payments/process", &key).unwrap(),
            ),
            amount: Cents(9990),
            plan_id: plan.id,
            cycle: BillingCycle::Monthly,
            quote_id: None,
            payer: Payer { name: "Ana Souza".into(), email: "fill_never@example.com".into() },
            details,
            replace: false,
            source: None,
            renewal_consent: None,
        }
    }

    /// How many intents this company has at the provider, and their states.
    pub async fn intents(&self, company: CompanyId) -> Vec<String> {
        let intents = self.server.intents(company).await;
        intents.iter().map(|intent| intent["status"].as_str().unwrap().to_owned()).collect()
    }
}

/// The payment of an outcome that shows one.
pub fn view(outcome: &PaymentOutcome) -> PaymentView {
    match outcome {
        PaymentOutcome::Payment { view, .. } => (**view).clone(),
        PaymentOutcome::Replay { reply, .. } => serde_json::from_str(reply).unwrap(),
        other => panic!("no payment: {other:?}"),
    }
}
