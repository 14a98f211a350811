//! Sockets of many people at one server: one ticket a person, every further socket by the resume token of the
//! first, as a second tab would do.

use crate::Outcome;
use crate::account::Account;
use crate::herd::Herd;
use crate::herd::speech::Memory;

/// Which channels a socket reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reads {
    /// Its company.
    Company,
    /// Its company, its person and the plans, as the web app does.
    Everything,
}

/// Memories for so many sockets, spread evenly; who comes first of a session has the ticket.
pub async fn of(accounts: &[Account], sockets: usize, reads: Reads) -> Outcome<Vec<Memory>> {
    let mut crowd = Vec::with_capacity(sockets);
    for (at, (group, account)) in (0..sockets).zip((0_u32..).zip(accounts).cycle()) {
        let mut channels = vec![format!("company/{}", account.company)];
        if reads == Reads::Everything {
            channels.extend(["user".into(), "plans".into()]);
        }
        let mut memory = Memory::reading(&channels);
        memory.group = group;
        if at < accounts.len() {
            memory.ticket = account.ticket().await?;
        }
        crowd.push(memory);
    }
    Ok(crowd)
}

/// First those with a ticket, then everybody else.
pub async fn enter(herd: &Herd, crowd: Vec<Memory>) -> Outcome<()> {
    let (first, rest): (Vec<Memory>, Vec<Memory>) =
        crowd.into_iter().partition(|memory| !memory.ticket.is_empty());
    herd.open(first).await?;
    herd.open(rest).await
}
