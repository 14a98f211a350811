//! What judges a run: told stories and made-up figures in the place of servers.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "clippy exempts test functions only; their helpers fail the same way"
)]

mod caller;
mod findings;
mod ledger;
mod metrics;
mod programs;
mod route;
mod screen;
mod tests;
