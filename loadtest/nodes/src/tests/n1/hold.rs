//! Thirty thousand sockets on three nodes, each node at a loopback address of its own.

use std::process::Stdio;
use std::time::Duration;

use bipe_swarm::{Outcome, machine};
use serde_json::json;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStdout, Command};
use tokio::time::{sleep, timeout};

use crate::cluster::Cluster;
use crate::findings::Findings;
use crate::load::People;
use crate::node::Node;
use crate::setting::Setting;

const EACH: usize = 10_000;
/// Until all of one node are live, and until all are closed.
const OPEN: Duration = Duration::from_secs(120);
/// Held before the memory is looked at.
const HELD: Duration = Duration::from_secs(5);

/// One process that holds the sockets of one node.
struct Holder {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

pub async fn run(
    setting: &Setting,
    findings: &mut Findings,
    cluster: &Cluster,
    people: &People,
) -> Outcome<()> {
    if setting.sockets < EACH {
        let allowed = setting.sockets;
        findings.note(&format!("30,000 sockets skipped: `ulimit -Hn` allows {allowed} a process"));
        return Ok(());
    }
    let before = memory(&cluster.nodes)?;
    let mut holders = Vec::new();
    for node in &cluster.nodes {
        holders.push(hold(node, people).await?);
    }
    sleep(HELD).await;
    let bytes = memory(&cluster.nodes)?.saturating_sub(before) * 1024;
    let all = EACH * holders.len();
    let mut open = 0.0;
    for node in &cluster.nodes {
        open += node.metrics().await?.sum("bipe_live_sockets");
    }
    let mut lost = 0;
    for holder in holders {
        lost += release(holder).await?;
    }
    let each = bytes / u64::try_from(all)?;
    let text = format!("{open} sockets on {} nodes, {each} bytes each", cluster.nodes.len());
    let wanted = f64::from(u32::try_from(all)?);
    findings.bound(open >= wanted && lost == 0, &text, &format!("{all}"));
    Ok(())
}

/// Kilobytes of all nodes.
fn memory(nodes: &[Node]) -> Outcome<u64> {
    nodes.iter().map(|node| machine::pss(node.pid())).sum()
}

async fn hold(node: &Node, people: &People) -> Outcome<Holder> {
    let mut tickets = Vec::new();
    for account in people.accounts() {
        tickets.push((account.company.clone(), account.at(&node.url()).ticket().await?));
    }
    let program = std::env::current_exe()?.with_file_name("bipe-nodes-hold");
    let mut command = Command::new(program);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true);
    let mut child = command.spawn()?;
    let address = node.address.to_string();
    let wanted = json!({"address": address, "sockets": EACH, "people": tickets});
    let input = child.stdin.as_mut().ok_or("no input")?;
    input.write_all(format!("{wanted}\n").as_bytes()).await?;
    let mut lines = BufReader::new(child.stdout.take().ok_or("no output")?).lines();
    match timeout(OPEN, lines.next_line()).await?? {
        Some(line) if line == "live" => Ok(Holder { child, lines }),
        _ => Err(format!("node {} does not hold {EACH} sockets", node.number).into()),
    }
}

/// How many were lost while they were held.
async fn release(mut holder: Holder) -> Outcome<usize> {
    drop(holder.child.stdin.take());
    let line = timeout(OPEN, holder.lines.next_line()).await??;
    Ok(line.ok_or("a holder says nothing")?.parse()?)
}
