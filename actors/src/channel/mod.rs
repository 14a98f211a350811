//! One channel's events on this node. The `session` is the actor and `feed` what it decides: a `sequencer` puts the
//! events in order into the `log`, `catch_up` reads what is missing from the database, and `answer` decides what a new
//! reader gets.

mod answer;
mod catch_up;
mod feed;
mod log;
mod newer;
mod sequencer;
pub(crate) mod session;

#[cfg(test)]
mod simulation;
