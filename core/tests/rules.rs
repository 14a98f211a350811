//! The pure tests of `it` in a program of their own, which links in a second. `make mutants` runs it once for each mutant
//! of a rule; `cargo test` runs the same tests in `it`. Nothing here needs PostgreSQL but `payments::checks`, which is
//! left out by its name.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "clippy exempts test functions only; their helpers fail the same way"
)]

#[path = "it/changes.rs"]
mod changes;
#[path = "it/ladder.rs"]
mod ladder;
#[path = "it/payments/mod.rs"]
mod payments;
#[path = "it/prices.rs"]
mod prices;
#[path = "it/quotes.rs"]
mod quotes;
#[path = "it/state_table.rs"]
mod state_table;
#[path = "it/vectors/mod.rs"]
mod vectors;
#[path = "it/walk.rs"]
mod walk;
