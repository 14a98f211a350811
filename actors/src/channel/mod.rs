//! One channel's events on this node. The `session` owns them; its `sequencer` puts them in order into the `log`,
//! `catch_up` reads what is missing from the database, and `answer` decides what a new reader gets.

mod answer;
mod catch_up;
mod log;
mod newer;
mod sequencer;
pub(crate) mod session;
