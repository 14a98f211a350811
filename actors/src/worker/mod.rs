//! The part of the live protocol that runs on each web worker: one `hub` with its `readers`, an `inbox` for each
//! socket, and the `round` that takes an event to every reader. `queues` lead from the sessions to the hubs.

mod delivery_queue;
pub mod hub;
pub mod inbox;
pub(crate) mod queues;
mod readers;
mod round;
