//! What the tests of several crates share: the whole server over a database of its own, its people and companies, and
//! the payer's side of the payment sandbox.
//!
//! A [`TestServer`] that ends with a broken payment invariant or a dead job fails its test (`soundness.rs`).
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "whatever a test needs and does not get fails it"
)]

mod answer;
mod envelopes;
mod nats_server;
mod payer;
mod person;
mod server;
mod soundness;

pub use answer::{Answer, answer};
pub use bipe_core::testing::caller;
pub use envelopes::{kinds, seqs};
pub use nats_server::{NatsServer, free_port};
pub use payer::card_form;
pub use person::{PASSWORD, Person};
pub use server::{TestServer, config};
