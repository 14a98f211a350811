//! Company A in the state that a call needs, everybody who stands in some relation to it, and the call itself,
//! built from the operation's entry in the contract.

use bipe_core::company::lock;
use bipe_core::error::Code;
use bipe_core::id::{CompanyId, InvoiceId};
use bipe_core::invoice::store::issue;
use bipe_core::invoice::{Draft, InvoiceKind};
use bipe_core::money::Cents;
use bipe_core::plan::BillingCycle;
use bipe_core::scope::{CompanyScope, JobScope};
use bipe_http::permissions::{self, Who};
use bipe_testkit::{Answer, Person, answer};
use serde_json::{Value, json};
use tokio_postgres::{Client, Statement};

use super::ids::Ids;
use crate::app::{TestApp, spawn_app_with};

/// In every text that belongs to company A.
pub const CANARY: &str = "canario";

/// One operation of the contract.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operation {
    pub method: String,
    pub path: String,
    pub who: Option<Who>,
}

/// Every operation, from the generated contract.
pub fn operations() -> Vec<Operation> {
    let document = serde_json::to_value(bipe_http::openapi::document()).unwrap();
    let mut found = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let who = permissions::who(method, path, operation["security"].is_array());
            let roles = who.map(|who| json!(who.roles()));
            assert_eq!(operation.get("x-roles"), roles.as_ref(), "{method} {path}");
            found.push(Operation { method: method.clone(), path: path.clone(), who });
        }
    }
    found
}

/// They succeed in a company of which nothing more is known.
const PLAIN_READS: [&str; 7] = [
    "/api/companies/{id}",
    "/api/companies/{id}/audit",
    "/api/companies/{id}/audit/export",
    "/api/companies/{id}/balance",
    "/api/companies/{id}/transactions",
    "/api/companies/{id}/spending",
    "/api/companies/{id}/billing-profile",
];

/// What company A has to be for a call to succeed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Plain,
    Paid,
    Canceled,
    Downgrading,
    Upgraded,
    Paying,
    Documented,
    CardAtHand,
    CardSaved,
}

pub struct World {
    pub server: TestApp,
    pub owner: Client,
    /// The creator of every company A.
    pub ana: Person,
    pub admin: Person,
    pub finance: Person,
    pub operator: Person,
    /// Admin of company B, and nothing in A.
    pub eve: Person,
    pub home: CompanyId,
    plans: Value,
    client: reqwest::Client,
    /// What `rows_of` asks.
    rows: Statement,
}

impl World {
    pub async fn new() -> Self {
        let server = spawn_app_with(&["--rate-limits", "relaxed"]).await;
        // `pay` applies payments that are no rows.
        server.leave_unproven();
        let owner = server.database.owner().await;
        let [ana, admin, finance, operator] = [
            server.person("ana-canario@example.com").await,
            server.person("adm-canario@example.com").await,
            server.person("fin-canario@example.com").await,
            server.person("ope-canario@example.com").await,
        ];
        let eve = server.person("eve@example.com").await;
        let home = server.company(&eve, "Empresa B").await;
        let plans = server.get("/api/subscriptions/plans").await.data(200)["plans"].clone();
        let client = reqwest::Client::new();
        let rows = rows_of_a_company(&owner, &[]).await;
        Self { server, owner, ana, admin, finance, operator, eve, home, plans, client, rows }
    }

    fn plan(&self, name: &str) -> String {
        let plans = self.plans.as_array().unwrap();
        let plan = plans.iter().find(|plan| plan["displayName"] == name).unwrap();
        plan["id"].as_str().unwrap().to_owned()
    }

    /// Ids of nothing.
    pub fn nowhere(&self) -> Ids {
        let id = || self.server.database.db.clock().uuid().to_string();
        let card = || format!("pm_{}", id().replace('-', ""));
        Ids {
            company: id(),
            invite: id(),
            user: id(),
            payment: id(),
            invoice: id(),
            method: card(),
            card: card(),
        }
    }

    /// Which state the operation needs, and its body; an operation without an entry fails the test.
    fn sample(&self, operation: &Operation, ids: &Ids) -> (Stage, Value) {
        let choice = |name: &str| json!({"planId": self.plan(name), "billingCycle": "monthly"});
        let (method, path) = (operation.method.as_str(), operation.path.as_str());
        let of_subscription = path.strip_prefix("/api/subscriptions/company/{id}");
        if let Some(rest) = of_subscription {
            return match (method, rest) {
                ("get", "" | "/history") => (Stage::Paid, Value::Null),
                ("post", "") => (Stage::Plain, choice("Grátis")),
                ("post", "/preview-change") => (Stage::Plain, choice("Profissional")),
                ("post", "/upgrade") => (Stage::Upgraded, choice("Negócio")),
                ("post", "/downgrade") => (Stage::Paid, choice("Essencial")),
                ("delete", "/pending-change") => (Stage::Downgrading, Value::Null),
                ("post", "/cancel") => (Stage::Paid, json!({"reason": "fim"})),
                ("post", "/cancel-robust") => (Stage::Paid, json!({"effectiveDate": "immediate"})),
                ("post", "/renew") => (Stage::Canceled, json!({})),
                _ => panic!("{operation:?}: the generator cannot build a call"),
            };
        }
        match (method, path) {
            ("get", path) if PLAIN_READS.contains(&path) => (Stage::Plain, Value::Null),
            ("delete", "/api/companies/{id}" | "/api/companies/{id}/invites/{inviteId}")
            | ("delete", "/api/companies/{id}/users/{userId}") => (Stage::Plain, Value::Null),
            ("put", "/api/companies/{id}") => (Stage::Plain, json!({"companyName": "Outro nome"})),
            (_, path) if path.starts_with("/api/companies/{id}/invoices") => {
                (Stage::Documented, Value::Null)
            }
            ("put", "/api/companies/{id}/billing-profile") => (Stage::Plain, billing_profile()),
            ("post", "/api/companies/{id}/invite") => {
                (Stage::Plain, json!({"userEmail": "nova@example.com", "role": "finance"}))
            }
            ("post", "/api/companies/{id}/invites/{inviteId}/resend")
            | ("post", "/api/companies/{id}/users/{userId}/reset-second-factor") => {
                (Stage::Plain, json!({}))
            }
            ("put", "/api/companies/{id}/users/role") => {
                (Stage::Plain, json!({"userId": ids.user, "role": "finance"}))
            }
            ("post", "/api/payments/process") => (Stage::Plain, self.pix(&ids.company)),
            ("get", "/api/payments/status/{id}") => (Stage::Paying, Value::Null),
            ("post", "/api/payments/cancel/{id}") => (Stage::Paying, json!({"reason": "fim"})),
            ("post", "/api/payments/authenticate/{id}") => (Stage::Paying, Value::Null),
            ("get", "/api/payments/company/{companyId}") => (Stage::Paying, Value::Null),
            ("get", "/api/payments/methods/{companyId}") => (Stage::CardSaved, Value::Null),
            ("post", "/api/payments/methods/{companyId}") => {
                (Stage::CardAtHand, json!({"paymentMethodId": ids.card}))
            }
            ("delete", "/api/payments/methods/{companyId}/{methodId}") => {
                (Stage::CardSaved, Value::Null)
            }
            ("put", "/api/payments/methods/{companyId}/{methodId}/default") => {
                (Stage::CardSaved, json!({}))
            }
            _ => panic!("{operation:?}: the generator cannot build a call"),
        }
    }

    fn pix(&self, company: &str) -> Value {
        json!({
            "amount": 9990, "currency": "brl", "paymentMethod": {"type": "PIX"},
            "customer": {"id": "c", "name": "Ana Souza", "email": "fill_never@example.com"},
            "metadata": {"companyId": company, "planId": self.plan("Profissional"),
                "billingCycle": "monthly", "changeType": "creation"},
        })
    }

    /// A company A for one operation, with an open invitation and its own admin, finance and operator.
    pub async fn company_for(&self, operation: &Operation) -> Ids {
        let server = &self.server;
        let company = server.company(&self.ana, "Canário canario").await;
        let members =
            [(&self.admin, "admin"), (&self.finance, "finance"), (&self.operator, "operator")];
        for (person, role) in members {
            server.join(person, company, role).await;
        }
        server.allow(company, -1).await;
        let body =
            json!({"userEmail": format!("{CANARY}-{company}@example.com"), "role": "operator"});
        let path = format!("/api/companies/{company}/invite");
        let invited = server.post_as(&self.ana, &path, &body).await;
        let invite = invited.data(201)["invite"]["id"].as_str().unwrap().to_owned();
        let mut ids = Ids {
            company: company.to_string(),
            invite,
            user: self.operator.id.to_string(),
            ..self.nowhere()
        };
        let (stage, _) = self.sample(operation, &ids);
        self.reach(stage, company, &mut ids).await;
        ids
    }

    async fn reach(&self, stage: Stage, company: CompanyId, ids: &mut Ids) {
        let of_subscription = format!("/api/subscriptions/company/{company}");
        let as_ana = async |rest: &str, body: Value| {
            self.server.post_as(&self.ana, &format!("{of_subscription}{rest}"), &body).await
        };
        match stage {
            Stage::Plain => {}
            Stage::Paid => self.buy(company, "Profissional").await,
            Stage::Upgraded => {
                self.buy(company, "Profissional").await;
                self.buy(company, "Negócio").await;
            }
            Stage::Canceled => {
                self.buy(company, "Profissional").await;
                as_ana("/cancel", json!({"reason": "fim"})).await.data(200);
            }
            Stage::Downgrading => {
                self.buy(company, "Profissional").await;
                let lower = json!({"planId": self.plan("Essencial"), "billingCycle": "monthly"});
                as_ana("/downgrade", lower).await.data(200);
            }
            Stage::Paying => {
                let body = self.pix(&ids.company);
                let begun = self.server.post_as(&self.ana, "/api/payments/process", &body).await;
                let payment = &begun.data(201)["payment"];
                ids.payment = payment["id"].as_str().unwrap().to_owned();
            }
            Stage::Documented => ids.invoice = self.document(company).await.to_string(),
            Stage::CardAtHand => ids.card = self.server.card("4242424242424242").await,
            Stage::CardSaved => {
                ids.method = self.server.card("4242424242424242").await;
                let path = format!("/api/payments/methods/{company}");
                let body = json!({"paymentMethodId": ids.method});
                self.server.post_as(&self.ana, &path, &body).await.data(201);
            }
        }
    }

    async fn buy(&self, company: CompanyId, plan: &str) {
        let plan_id = self.plan(plan).parse().unwrap();
        self.server.buy(company, plan_id, BillingCycle::Monthly).await;
    }

    /// A document of a change that the credit has paid for.
    async fn document(&self, company: CompanyId) -> InvoiceId {
        let scope = CompanyScope::of_job(&JobScope::of_test(), company);
        let mut tx = self.server.database.db.company_tx(&scope).await.unwrap();
        let (id, at) = (InvoiceId::new(tx.clock()), tx.now());
        let draft = Draft {
            id,
            kind: InvoiceKind::Change,
            at,
            by: None,
            plan_name: "Profissional".into(),
            cycle: BillingCycle::Monthly,
            period: None,
            lines: Vec::new(),
            became_credit: false,
            payment: None,
        };
        issue(&mut lock(&mut tx).await.unwrap(), draft, Cents::ZERO).await.unwrap();
        tx.commit().await.unwrap();
        id
    }

    /// Calls the operation about these ids.
    pub async fn call(&self, by: &Person, operation: &Operation, ids: &Ids) -> Answer {
        let (_, body) = self.sample(operation, ids);
        let is_of_payment = ["status", "cancel", "authenticate"]
            .map(|call| format!("/api/payments/{call}/"))
            .iter()
            .any(|start| operation.path.starts_with(start));
        let id = if is_of_payment { &ids.payment } else { &ids.company };
        let names = ["{id}", "{companyId}", "{inviteId}", "{invoiceId}", "{userId}", "{methodId}"];
        let values = [id, &ids.company, &ids.invite, &ids.invoice, &ids.user, &ids.method];
        let path = operation.path.split('/').map(|part| {
            match (part, names.iter().position(|name| *name == part)) {
                (_, Some(place)) => values[place].as_str(),
                (part, None) => {
                    assert!(
                        !part.contains('{'),
                        "{operation:?}: a parameter that the generator does not know"
                    );
                    part
                }
            }
        });
        let path = path.collect::<Vec<_>>().join("/");
        let method = operation.method.to_uppercase().parse().unwrap();
        let request = self.client.request(method, self.server.url(&path));
        let request = request.bearer_auth(&by.token);
        answer(if body.is_null() { request } else { request.json(&body) }).await
    }

    /// Every row that belongs to the company, as one text a table.
    pub async fn rows_of(&self, company: &str) -> Vec<String> {
        let sums = self.owner.query(&self.rows, &[&company]).await.unwrap();
        sums.iter().map(|row| row.get(0)).collect()
    }
}

/// Name, number of rows and sum of the rows of each table that knows companies and is not left out, of company `$1`.
pub async fn rows_of_a_company(owner: &Client, left_out: &[&str]) -> Statement {
    let tables = "SELECT c.relname::text FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid \
         WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace \
           AND a.attname = 'company_id' AND NOT a.attisdropped AND c.relname::text <> ALL ($1)";
    let tables = owner.query(tables, &[&left_out]).await.unwrap();
    assert!(tables.len() >= 12, "{tables:?}");
    let of_company = tables.iter().map(|row| (row.get::<_, &str>(0), "company_id"));
    let sums: Vec<String> = of_company
        .chain([("companies", "id")])
        .map(|(table, column): (&str, &str)| {
            format!(
                "SELECT '{table} ' || count(*) || ' ' || \
                     md5(coalesce(string_agg(t::text, '|' ORDER BY t::text), '')) \
                 FROM {table} t WHERE {column}::text = $1"
            )
        })
        .collect();
    owner.prepare(&(sums.join(" UNION ALL ") + " ORDER BY 1")).await.unwrap()
}

/// The first version of a billing profile.
pub fn billing_profile() -> Value {
    json!({
        "version": 0, "taxId": "11.222.333/0001-81", "legalName": "Entregas canario Ltda",
        "address": {"postalCode": "01310-100", "street": "Avenida Paulista", "number": "1000",
            "district": "Bela Vista", "city": "São Paulo", "state": "SP"},
        "billingEmails": ["NF@example.com"],
    })
}

/// The answer without what is different in any two answers. `connection` tells only whether the body of the
/// request had arrived when it was refused: a matter of packets.
pub fn told(answer: &Answer) -> (u16, Vec<String>, String) {
    let id = answer.headers["x-request-id"].to_str().unwrap();
    let mut names: Vec<String> = answer.headers.keys().map(ToString::to_string).collect();
    names.retain(|name| name != "connection");
    names.sort_unstable();
    (answer.status, names, answer.text.replace(id, ""))
}

/// A call that did what it was for; a plan that costs more is answered with its price.
pub fn succeeds(answer: &Answer) -> bool {
    (200..300).contains(&answer.status) || answer.code() == Code::PaymentRequired.as_str()
}
