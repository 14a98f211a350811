//! The actors against a real PostgreSQL; payments also against the real sandbox provider over HTTP.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "clippy exempts test functions only; their helpers fail the same way"
)]

// `a_`: tests begin in the order of their names, and the longest must not be left alone at the end.
mod a_recurring;
mod a_renewal;
mod a_year;
mod bench;
mod burst;
mod bus;
mod bus_access;
mod bus_away;
mod bus_leaving;
mod bus_listener;
mod crash;
mod declined_card;
mod downgrades;
mod failover;
mod fanout;
mod late_charge;
mod life;
mod nats_server;
mod node;
mod own_price;
mod reminders;
mod replaced_charge;
mod replacing;
mod support;
mod unsent;
