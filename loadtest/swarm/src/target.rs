//! What is measured: Bipe or a peer, behind one face. Events are published as each of them is used: a commit
//! through the REST API, or a POST that the peer broadcasts.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::json;
use tokio::time::Instant;

use crate::Outcome;
use crate::account::Account;
use crate::herd::speech::{Memory, Speech};
use crate::herd::{Herd, Place, Shared};

/// The name that makes the `data` of a company's event 256 bytes long.
const NAME: usize = 76;
/// What an event with 256 bytes of data is on Bipe's wire, with its envelope; the peers broadcast as much.
pub const EVENT_BYTES: usize = 470;

#[derive(Clone)]
pub enum Publish {
    /// A company that is renamed.
    Commit(Account),
    Post {
        client: reqwest::Client,
        url: String,
    },
}

/// A server that runs, and the process whose time and memory count.
#[derive(Clone)]
pub struct Target {
    pub address: SocketAddr,
    pub path: &'static str,
    pub speech: Speech,
    pub publish: Publish,
    pub pid: u32,
    /// The events published so far, for the whole life of the server.
    pub published: Arc<AtomicU64>,
}

impl Target {
    /// Sockets to it; what they are told goes into the log.
    pub fn herd(&self, log: Option<PathBuf>) -> Outcome<Herd> {
        Herd::start(Place {
            address: self.address,
            path: self.path,
            speech: self.speech,
            log,
            comes_back: false,
        })
    }

    /// So many sockets that all read the same.
    pub async fn readers(&self, count: usize) -> Outcome<Vec<Memory>> {
        let Publish::Commit(account) = &self.publish else {
            return Ok(vec![Memory::reading(&["all".into()]); count]);
        };
        let mut first = Memory::reading(&[format!("company/{}", account.company)]);
        let rest = vec![first.clone(); count.saturating_sub(1)];
        first.ticket = account.ticket().await?;
        Ok([first].into_iter().chain(rest).collect())
    }

    /// The next event; due at the instant, answered when the server took it.
    pub async fn publish(&self, due: Instant, shared: &Shared) -> Outcome<u64> {
        let n = self.published.fetch_add(1, Ordering::Relaxed) + 1;
        shared.schedule(n, due);
        match &self.publish {
            Publish::Commit(account) => {
                let name = json!({"companyName": format!("{n:0>NAME$}")});
                account.rename(n, &name).await?;
            }
            Publish::Post { client, url } => {
                let sent = client.post(url).body(event(n)).send().await?;
                sent.error_for_status()?;
            }
        }
        Ok(n)
    }
}

/// What a peer broadcasts, as large as an event of Bipe.
pub fn event(n: u64) -> String {
    let head = format!(r#"{{"type":"event","channel":"all","seq":{n},"data":""#);
    let tail = format!(r#"","cause":"swarm-{n}-"}}"#);
    let fill = EVENT_BYTES.saturating_sub(head.len() + tail.len());
    format!("{head}{}{tail}", "x".repeat(fill))
}
