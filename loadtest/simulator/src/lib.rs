//! What simulations share: a seed decides everything that happens in one, so that it can be repeated. Only tests and
//! load tests use it. docs/reliability.md says what is tried and how to run it.
//!
//! `chance` makes the choices of a seed. `search` runs seeds, finds the first that breaks a rule and makes its story
//! short. `seeds` says which ones somebody wants to run. `inputs` is for fuzz targets, where bytes decide instead.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "only tests run it: what a model takes for granted fails loudly, with its seed"
)]

pub mod assertions;
pub mod chance;
pub mod inputs;
pub mod search;
pub mod seeds;
