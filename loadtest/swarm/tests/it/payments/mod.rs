//! The SQL of a payment, and its traces.

mod replay;
mod script;
mod traces;
