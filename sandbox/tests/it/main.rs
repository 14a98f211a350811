//! The sandbox provider over real HTTP: cards, PIX and boleto, keys, webhooks, faults, restarts.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "clippy exempts test functions only; their helpers fail the same way"
)]

mod form;
mod gateway;
mod journal;
mod methods;
mod pages;
mod payments;
mod provider;
mod test_cards;
mod webhooks;
