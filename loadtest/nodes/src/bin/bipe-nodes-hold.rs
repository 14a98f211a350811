//! `bipe-nodes-hold`: holds sockets for `bipe-nodes`, which may not have so many descriptors in one process.
//!
//! Standard input begins with one line, `{"address", "sockets", "people": [[company, ticket]]}`. When all are live it
//! prints `live`; it ends with standard input, and prints how many sockets were lost meanwhile.

use std::io::BufRead;
use std::process::ExitCode;
use std::sync::atomic::Ordering;

use bipe_swarm::herd::speech::{Memory, Speech};
use bipe_swarm::herd::{Herd, Place};
use bipe_swarm::{Outcome, crowd, machine};
use serde_json::Value;

fn main() -> ExitCode {
    bipe_swarm::exit_code(hold().map(|()| ExitCode::SUCCESS))
}

fn hold() -> Outcome<()> {
    let mut lines = std::io::stdin().lock().lines();
    let wanted: Value = serde_json::from_str(&lines.next().ok_or("nothing wanted")??)?;
    let text = |value: Option<&Value>| value.and_then(Value::as_str).map(str::to_owned);
    let address = text(wanted.get("address")).ok_or("no address")?.parse()?;
    let sockets = wanted.get("sockets").and_then(Value::as_u64).ok_or("no number")?;
    let people = wanted.get("people").and_then(Value::as_array).ok_or("no people")?;
    machine::raise_descriptors(sockets)?;
    let mut memories = Vec::new();
    for (at, (group, person)) in (0..sockets).zip((0_u32..).zip(people).cycle()) {
        let company = text(person.get(0)).ok_or("no company")?;
        let mut memory = Memory::reading(&[format!("company/{company}")]);
        memory.group = group;
        if at < u64::try_from(people.len())? {
            memory.ticket = text(person.get(1)).ok_or("no ticket")?;
        }
        memories.push(memory);
    }
    tokio::runtime::Runtime::new()?.block_on(async {
        let (path, speech) = ("/api/live", Speech::Bipe);
        let herd = Herd::start(Place { address, path, speech, log: None, comes_back: false })?;
        crowd::enter(&herd, memories).await?;
        println!("live");
        for line in lines {
            line?;
        }
        println!("{}", herd.shared.lost.load(Ordering::Relaxed));
        herd.stop().await
    })
}
