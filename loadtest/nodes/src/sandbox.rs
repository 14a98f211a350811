//! The payment provider of all nodes: `bipe sandbox`, whose webhooks come in through the proxy.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use bipe_swarm::Outcome;
use bipe_swarm::server::program;
use serde_json::{Value, json};
use tokio::net::TcpStream;

use crate::ledger::Charge;
use crate::process::{self, Process};

pub const WEBHOOK_SECRET: &str = "whsec_nodes";
const KEY: &str = "sk_test_sandbox";

/// Its process ends with the last clone.
#[derive(Clone)]
pub struct Sandbox {
    address: SocketAddr,
    client: reqwest::Client,
    _process: Arc<Process>,
}

impl Sandbox {
    pub async fn start(bipe: &Path, folder: &Path, proxy: SocketAddr) -> Outcome<Self> {
        let address = process::free_address(Ipv4Addr::LOCALHOST)?;
        let mut command = program(bipe)?;
        command
            .args(["sandbox", "--bind", &address.to_string(), "--webhook-secret", WEBHOOK_SECRET])
            .args(["--webhook-url", &format!("http://{proxy}/api/payments/webhooks/stripe")])
            .arg("--data-dir")
            .arg(folder.join("sandbox"));
        let mut process = Process::start(command, "sandbox", folder)?;
        process.until(process::START, async || TcpStream::connect(address).await.is_ok()).await?;
        let client = reqwest::Client::builder().timeout(Duration::from_secs(30)).build()?;
        Ok(Self { address, client, _process: Arc::new(process) })
    }

    /// For `STRIPE_API_BASE`.
    pub fn base(&self) -> String {
        format!("http://{}/", self.address)
    }

    /// What the provider answers at a path below `/v1/`.
    pub async fn get(&self, path: &str) -> Outcome<Value> {
        let url = format!("http://{}/v1/{path}", self.address);
        let answer = self.client.get(url).bearer_auth(KEY).send().await?.error_for_status()?;
        Ok(answer.json().await?)
    }

    async fn post(&self, path: &str, form: &[(&str, &str)]) -> Outcome<Value> {
        let url = format!("http://{}/v1/{path}", self.address);
        let answer = self.client.post(url).bearer_auth(KEY).form(form).send().await?;
        Ok(answer.error_for_status()?.json().await?)
    }

    /// Every payment intent, page by page.
    pub async fn charges(&self) -> Outcome<Vec<Charge>> {
        let (mut charges, mut after): (Vec<Charge>, String) = Default::default();
        loop {
            let page = self.get(&format!("payment_intents?limit=100{after}")).await?;
            let intents = page.get("data").and_then(Value::as_array);
            charges.extend(intents.ok_or("no list of payment intents")?.iter().map(charge));
            match charges.last() {
                Some(last) if page.get("has_more") == Some(&Value::Bool(true)) => {
                    after = format!("&starting_after={}", last.intent);
                }
                _ => return Ok(charges),
            }
        }
    }

    /// A customer and a saved card that is always charged.
    pub async fn saved_card(&self) -> Outcome<(String, String)> {
        let customer = id(&self.post("customers", &[]).await?, "no customer")?;
        let card = self.card().await?;
        let path = format!("payment_methods/{card}/attach");
        self.post(&path, &[("customer", &customer)]).await?;
        Ok((customer, card))
    }

    /// A card that is always charged, as the browser makes it; its id.
    pub async fn card(&self) -> Outcome<String> {
        let card = [
            ("type", "card"),
            ("card[number]", "4242424242424242"),
            ("card[exp_month]", "12"),
            ("card[exp_year]", "2040"),
            ("card[cvc]", "123"),
        ];
        id(&self.post("payment_methods", &card).await?, "no card")
    }

    /// The payer confirms a card in the browser.
    pub async fn confirm(&self, intent: &str, secret: &str) -> Outcome<()> {
        let path = format!("payment_intents/{intent}/confirm");
        self.post(&path, &[("client_secret", secret)]).await.map(drop)
    }

    /// Injects faults (sandbox/src/injected_faults.rs); `{}` ends them. Answers how many have happened so far.
    pub async fn faults(&self, faults: &Value) -> Outcome<u64> {
        let answer = self.told("v1/test/faults", faults).await?;
        answer.get("metSoFar").and_then(Value::as_u64).ok_or_else(|| "no count of faults".into())
    }

    /// Time passes at the provider, and what is due there is done.
    pub async fn pass(&self, seconds: u32) -> Outcome<()> {
        self.told("dev/clock", &json!({"advanceSeconds": seconds})).await?;
        self.told("dev/jobs/run", &json!({})).await.map(drop)
    }

    async fn told(&self, path: &str, body: &Value) -> Outcome<Value> {
        let url = format!("http://{}/{path}", self.address);
        Ok(self.client.post(url).json(body).send().await?.error_for_status()?.json().await?)
    }

    /// Pays a PIX, as the payer's bank does.
    pub async fn settle(&self, intent: &str) -> Outcome<()> {
        let path = format!("test/payment_intents/{intent}/settle");
        self.post(&path, &[("outcome", "succeeded")]).await.map(drop)
    }
}

fn id(object: &Value, missing: &str) -> Outcome<String> {
    Ok(object.get("id").and_then(Value::as_str).ok_or(missing)?.to_owned())
}

fn charge(intent: &Value) -> Charge {
    let text = |pointer: &str| {
        intent.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    Charge {
        company: text("/metadata/companyId"),
        intent: text("/id"),
        is_paid: text("/status") == "succeeded",
    }
}
