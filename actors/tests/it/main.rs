//! The actors against a real database.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "clippy exempts test functions only; their helpers fail the same way"
)]

mod fanout;
