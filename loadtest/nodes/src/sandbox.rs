//! The payment provider of all nodes: `bipe sandbox`, whose webhooks come in through the proxy.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::time::Duration;

use bipe_swarm::Outcome;
use serde_json::Value;
use tokio::net::TcpStream;
use tokio::process::Command;

use crate::node::START;
use crate::process::{self, Process};

pub const WEBHOOK_SECRET: &str = "whsec_nodes";
const KEY: &str = "sk_test_sandbox";

pub struct Sandbox {
    address: SocketAddr,
    client: reqwest::Client,
    _process: Process,
}

impl Sandbox {
    pub async fn start(bipe: &Path, folder: &Path, proxy: SocketAddr) -> Outcome<Self> {
        let address = process::free_address(Ipv4Addr::LOCALHOST)?;
        let mut command = Command::new(bipe);
        command
            .args(["sandbox", "--bind", &address.to_string(), "--webhook-secret", WEBHOOK_SECRET])
            .args(["--webhook-url", &format!("http://{proxy}/api/payments/webhooks/stripe")])
            .arg("--data-dir")
            .arg(folder.join("sandbox"))
            .env("RUST_LOG", "warn");
        let mut process = Process::start(command, "sandbox", folder)?;
        process.until(START, async || TcpStream::connect(address).await.is_ok()).await?;
        let client = reqwest::Client::builder().timeout(Duration::from_secs(30)).build()?;
        Ok(Self { address, client, _process: process })
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

    /// Pays a PIX, as the payer's bank does.
    pub async fn settle(&self, intent: &str) -> Outcome<()> {
        let url = format!("http://{}/v1/test/payment_intents/{intent}/settle", self.address);
        let settle = self.client.post(url).bearer_auth(KEY).form(&[("outcome", "succeeded")]);
        settle.send().await?.error_for_status()?;
        Ok(())
    }
}
