//! What measures: its frames, logs, scripts and pages, without a server.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "clippy exempts test functions only; their helpers fail the same way"
)]

mod errors;
mod herd;
mod machine;
mod options;
mod page;
mod payments;
mod peer;
mod read;
mod report;
mod server;
mod table;
mod target;
