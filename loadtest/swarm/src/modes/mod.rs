//! What can be measured, one mode a file: each takes a running target and answers its numbers.

mod broken_frame;
pub mod connections;
pub mod fanout;
pub mod frames;
pub mod idle;
pub mod payment;
pub mod read;
pub mod slow;
pub mod storm;
pub mod subscribers;
pub mod transactions;

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::Outcome;

/// What was found, or what is broken after it was printed.
fn judged(found: Value, broken: &[String]) -> Outcome<Value> {
    if broken.is_empty() {
        return Ok(found);
    }
    println!("{}", serde_json::to_string_pretty(&found)?);
    Err(broken.join("; ").into())
}

/// A file of a mode, such as the log of what its sockets were told. It is removed when this is dropped.
pub struct Temporary(PathBuf);

impl Temporary {
    pub fn of(mode: &str) -> Self {
        Self(std::env::temp_dir().join(format!("bipe-swarm-{}-{mode}", std::process::id())))
    }

    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        std::fs::remove_file(&self.0).ok();
    }
}

/// A count as a number to divide; exact far beyond what a run counts.
pub fn number(count: u64) -> f64 {
    let (high, low) = (count >> 32, count & 0xffff_ffff);
    let part = |part: u64| u32::try_from(part).map_or(0.0, f64::from);
    part(high) * 4_294_967_296.0 + part(low)
}
