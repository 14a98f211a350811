//! A whole server with its sandbox, and companies that pay.

use std::net::TcpListener;
use std::sync::Arc;

use actix_web::dev::ServerHandle;
use bipe_actors::billing_workflow::{PaymentOutcome, Steps};
use bipe_actors::{Actors, Parts};
use bipe_core::auth::Keys;
use bipe_core::config::Config;
use bipe_core::db::Opened;
use bipe_core::gateway::stripe::{StripeGateway, api_base};
use bipe_core::gateway::{Address, Payer};
use bipe_core::id::{CompanyId, SessionId, UserId};
use bipe_core::idempotency::KeyedRequest;
use bipe_core::mailer::Mailer;
use bipe_core::money::Cents;
use bipe_core::payment::command::{MethodDetails, StartPayment};
use bipe_core::payment::{Method, PaymentView};
use bipe_core::plan::BillingCycle;
use bipe_core::plan::store::on_sale;
use bipe_core::scope::{CompanyScope, Permission, SignedIn};
use bipe_core::testing::TestDb;
use bipe_http::{App, boot, listen};
use clap::Parser;
use serde_json::Value;
use tokio_postgres::Client;

#[derive(Parser)]
struct Flags {
    #[command(flatten)]
    config: Config,
}

/// A running server; stopped when dropped.
pub struct World {
    pub app: Arc<App>,
    pub owner: Client,
    origin: String,
    handle: ServerHandle,
    http: reqwest::Client,
    _directory: Scratch,
    database: TestDb,
}

impl Drop for World {
    fn drop(&mut self) {
        drop(self.handle.stop(false));
    }
}

struct Scratch(std::path::PathBuf);

impl Drop for Scratch {
    fn drop(&mut self) {
        drop(std::fs::remove_dir_all(&self.0));
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
        let mut database = TestDb::new().await;
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let name = format!("bipe-actors-{}-{}", std::process::id(), address.replace(':', "-"));
        let directory = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&directory).unwrap();
        let data_dir = directory.display().to_string();
        let flags = ["bipe", "--bind", &address, "--workers", "1", "--data-dir", &data_dir];
        let config = Flags::parse_from(flags).config;
        let app = boot::assemble(config, database.opened()).await.unwrap();
        let server = listen(app.clone(), listener).unwrap();
        let handle = server.handle();
        actix_web::rt::spawn(server);
        Self {
            app,
            owner: database.owner().await,
            origin: format!("http://{address}"),
            handle,
            http: reqwest::Client::new(),
            _directory: Scratch(directory),
            database,
        }
    }

    /// A node of its own, walked by hand: whatever it does not finish is lost with it.
    pub fn node(&self) -> Steps {
        let (config, db) = (&self.app.config, &self.app.db);
        let base = api_base(config, config.bind);
        let gateway = StripeGateway::new(None, base, db.clock().clone()).unwrap();
        let limits = self.app.auth.limits.clone();
        Steps::new(db.clone(), Arc::new(gateway), limits, "development".into())
    }

    pub async fn company(&self) -> Buyer {
        let clock = self.app.db.clock();
        let (user, company, now) = (UserId::new(clock), CompanyId::new(clock), clock.now());
        let (session, member) = (SessionId::new(clock), clock.uuid());
        let digits: String = company.0.as_u128().to_string().chars().rev().take(11).collect();
        let email = format!("{user}@example.com");
        let insert_user = "INSERT INTO users (id, name, email, document, phone, birth_date, password_hash, \
             status, created_at, updated_at) VALUES ($1, 'Ana Souza', $2, $3, '11999990000', '1990-01-01', \
             'x', 'active', $4, $4)";
        self.owner.execute(insert_user, &[&user, &email, &digits, &now]).await.unwrap();
        let insert_company = "INSERT INTO companies (id, name, created_by, max_users, max_beeping, created_at, \
             updated_at) VALUES ($1, 'Ponto Central', $2, 5, 500, $3, $3)";
        self.owner.execute(insert_company, &[&company, &user, &now]).await.unwrap();
        let insert_member = "INSERT INTO members (id, company_id, user_id, role, created_at, updated_at) \
             VALUES ($1, $2, $3, 'admin', $4, $4)";
        self.owner.execute(insert_member, &[&member, &company, &user, &now]).await.unwrap();
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

    /// Another node on the same database: its jobs run when they are told to.
    pub fn second_node(&self) -> Actors {
        let Opened { db, proof, .. } = self.database.second_node();
        let config = &self.app.config;
        let gateway = StripeGateway::new(None, api_base(config, config.bind), db.clock().clone());
        let keys = Keys::derive(&boot::root_secret(config, db.clock()).unwrap());
        Actors::start(Parts {
            mailer: Mailer::new(config, &keys).unwrap(),
            gateway: Arc::new(gateway.unwrap()),
            limits: self.app.auth.limits.clone(),
            environment: "development".into(),
            db,
            proof,
        })
    }

    /// The command of a company that buys Profissional for a month.
    pub async fn start(&self, payer: Buyer, method: Method, key: &str) -> StartPayment {
        let tx = self.app.db.tx().await.unwrap();
        let plans = on_sale(&tx).await.unwrap();
        let plan = plans.iter().find(|plan| plan.display_name == "Profissional").unwrap();
        let details = match method {
            Method::CreditCard => MethodDetails::Card {
                payment_method: self.card("4242424242424242").await,
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
        }
    }

    /// A card as the browser makes it.
    pub async fn card(&self, number: &str) -> String {
        let fields = [
            ("type", "card"),
            ("card[number]", number),
            ("card[exp_month]", "12"),
            ("card[exp_year]", "2030"),
            ("card[cvc]", "123"),
        ];
        let made = self.sandbox("payment_methods", &fields).await;
        made["id"].as_str().unwrap().to_owned()
    }

    /// A customer with a card of its own, as the provider keeps them.
    pub async fn saved_card(&self, number: &str) -> (String, String) {
        let call = async |path: &str, fields: &[(&str, &str)]| -> Value {
            let url = format!("{}/sandbox/v1/{path}", self.origin);
            let request = self.http.post(url).bearer_auth("sk_test_sandbox").form(fields);
            request.send().await.unwrap().json().await.unwrap()
        };
        let customer = call("customers", &[]).await["id"].as_str().unwrap().to_owned();
        let card = [
            ("type", "card"),
            ("card[number]", number),
            ("card[exp_month]", "12"),
            ("card[exp_year]", "2030"),
            ("card[cvc]", "123"),
        ];
        let card = call("payment_methods", &card).await["id"].as_str().unwrap().to_owned();
        call(&format!("payment_methods/{card}/attach"), &[("customer", &customer)]).await;
        (customer, card)
    }

    /// The payer confirms in the browser.
    pub async fn confirm(&self, intent: &str, secret: &str) -> Value {
        self.sandbox(&format!("payment_intents/{intent}/confirm"), &[("client_secret", secret)])
            .await
    }

    /// The payer pays the PIX or boleto, or lets it expire.
    pub async fn settle(&self, intent: &str, outcome: &str) -> Value {
        let path = format!("test/payment_intents/{intent}/settle");
        self.sandbox(&path, &[("outcome", outcome)]).await
    }

    async fn sandbox(&self, path: &str, fields: &[(&str, &str)]) -> Value {
        let request = reqwest::Client::new()
            .post(format!("{}/sandbox/v1/{path}", self.origin))
            .bearer_auth("pk_test_sandbox")
            .form(fields);
        let response = request.send().await.unwrap();
        let status = response.status();
        let body: Value = response.json().await.unwrap();
        assert!(status.is_success(), "{path}: {body}");
        body
    }

    /// The provider's own list: how many intents this company has there, and their states.
    pub async fn intents(&self, company: CompanyId) -> Vec<String> {
        let find = "SELECT customer_id FROM provider_customers WHERE company_id = $1";
        let Some(row) = self.owner.query_opt(find, &[&company]).await.unwrap() else {
            return Vec::new();
        };
        let customer: String = row.get(0);
        let response = reqwest::Client::new()
            .get(format!("{}/sandbox/v1/payment_intents?customer={customer}", self.origin))
            .bearer_auth("sk_test_sandbox")
            .send();
        let list: Value = response.await.unwrap().json().await.unwrap();
        let intents = list["data"].as_array().unwrap();
        intents.iter().map(|intent| intent["status"].as_str().unwrap().to_owned()).collect()
    }

    /// Time passes, and everything that falls due is done, here and at the provider.
    pub async fn pass(&self, seconds: u32) {
        self.app.db.clock().advance(seconds);
        let url = format!("{}/dev/jobs/run", self.origin);
        let response = reqwest::Client::new().post(url).send().await.unwrap();
        assert!(response.status().is_success(), "{}", response.text().await.unwrap());
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
