//! What each socket was told, in the order in which it was told, and the checker that reads it: whether
//! anything is missing and whether anything came twice. The checker trusts nothing but the log.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Write};
use std::path::Path;

use crate::Outcome;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The state up to a number.
    Snapshot,
    Event,
    /// The channel starts anew; what came before counts no more.
    Reset,
    /// Everything up to the number was told.
    Live,
}

const KINDS: [Kind; 4] = [Kind::Snapshot, Kind::Event, Kind::Reset, Kind::Live];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    pub socket: u32,
    pub channel: u8,
    pub kind: Kind,
    pub seq: i64,
}

const BYTES: usize = 14;

impl Entry {
    fn bytes(&self) -> [u8; BYTES] {
        let kind = KINDS.iter().position(|kind| *kind == self.kind).unwrap_or_default();
        let mut bytes = [0; BYTES];
        let parts = self.socket.to_be_bytes().into_iter();
        let parts = parts.chain([self.channel, u8::try_from(kind).unwrap_or_default()]);
        for (to, from) in bytes.iter_mut().zip(parts.chain(self.seq.to_be_bytes())) {
            *to = from;
        }
        bytes
    }

    fn of(bytes: [u8; BYTES]) -> Option<Self> {
        let (socket, rest) = bytes.split_first_chunk::<4>()?;
        let ([channel, kind], seq) = rest.split_first_chunk::<2>()?;
        Some(Self {
            socket: u32::from_be_bytes(*socket),
            channel: *channel,
            kind: *KINDS.get(usize::from(*kind))?,
            seq: i64::from_be_bytes(seq.try_into().ok()?),
        })
    }
}

pub struct Log(BufWriter<File>);

impl Log {
    pub fn create(path: &Path) -> Outcome<Self> {
        Ok(Self(BufWriter::with_capacity(1 << 20, File::create(path)?)))
    }

    pub fn add(&mut self, entry: Entry) -> std::io::Result<()> {
        self.0.write_all(&entry.bytes())
    }

    pub fn flush(&mut self) -> std::io::Result<()> {
        self.0.flush()
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Findings {
    pub events: u64,
    /// An event or a `live` that does not continue what the socket holds.
    pub gaps: u64,
    /// An event at or below what the socket holds.
    pub duplicates: u64,
    pub snapshots: u64,
    pub resets: u64,
    pub lives: u64,
}

/// The last number that each socket holds of each of its channels.
pub type Held = HashMap<(u32, u8), i64>;

/// Reads a log to its end.
pub fn check(path: &Path) -> Outcome<Findings> {
    Ok(read(path)?.0)
}

/// The same, with where each socket stands at the end.
pub fn read(path: &Path) -> Outcome<(Findings, Held)> {
    let mut file = BufReader::with_capacity(1 << 20, File::open(path)?);
    let (mut held, mut findings) = (HashMap::new(), Findings::default());
    let mut bytes = [0; BYTES];
    while let Ok(()) = file.read_exact(&mut bytes) {
        let entry = Entry::of(bytes).ok_or("the log is broken")?;
        weigh(entry, &mut held, &mut findings);
    }
    Ok((findings, held))
}

fn weigh(entry: Entry, held: &mut Held, findings: &mut Findings) {
    let key = (entry.socket, entry.channel);
    match entry.kind {
        Kind::Snapshot => {
            findings.snapshots += 1;
            held.insert(key, entry.seq);
        }
        Kind::Reset => {
            held.remove(&key);
            findings.resets += 1;
        }
        Kind::Live => {
            findings.lives += 1;
            // Who is given no state starts here.
            let held = *held.entry(key).or_insert(entry.seq);
            findings.gaps += u64::from(held != entry.seq);
        }
        Kind::Event => {
            findings.events += 1;
            match held.get_mut(&key) {
                Some(held) if entry.seq <= *held => findings.duplicates += 1,
                Some(held) => {
                    findings.gaps += u64::from(entry.seq != *held + 1);
                    *held = entry.seq;
                }
                None => findings.gaps += 1,
            }
        }
    }
}
