//! The log of a history: every operation with the moments of its begin and its end, as its client saw them. Clients
//! write it, `isolation` and `order` read it.
//!
//! A company has three lists: its names, its invitations, its payments. A command appends to one of them, a read shows
//! a part of one from its beginning.

use std::sync::{Mutex, PoisonError};

use bipe_nodes::ledger::{Append, Ended};
use tokio::time::Instant;

/// One of the lists of a company.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Names,
    Invites,
    Payments,
}

impl Kind {
    pub fn of(self, company: &str) -> String {
        let word = match self {
            Self::Names => "names",
            Self::Invites => "invites",
            Self::Payments => "payments",
        };
        format!("{word} of {company}")
    }
}

/// What a read showed.
#[derive(Clone, Debug)]
pub enum Shown {
    /// The newest value alone.
    Newest(String),
    /// All values, in no order that counts.
    All(Vec<String>),
}

#[derive(Clone, Debug)]
pub struct Read {
    pub list: String,
    pub shown: Shown,
    pub invoked: u64,
    pub at: u64,
}

#[derive(Clone, Debug, Default)]
pub struct History {
    pub appends: Vec<Append>,
    pub reads: Vec<Read>,
}

pub struct Log {
    begun: Instant,
    history: Mutex<History>,
}

impl Log {
    pub fn new() -> Self {
        Self { begun: Instant::now(), history: Mutex::default() }
    }

    /// Microseconds since the beginning.
    pub fn now(&self) -> u64 {
        u64::try_from(self.begun.elapsed().as_micros()).unwrap_or(u64::MAX)
    }

    pub fn append(&self, list: String, value: String, invoked: u64, ended: Ended) {
        self.with(|history| history.appends.push(Append { list, value, invoked, ended }));
    }

    pub fn read(&self, list: String, shown: Shown, invoked: u64) {
        let at = self.now();
        self.with(|history| history.reads.push(Read { list, shown, invoked, at }));
    }

    fn with(&self, write: impl FnOnce(&mut History)) {
        write(&mut self.history.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// What was logged so far.
    pub fn history(&self) -> History {
        self.history.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
