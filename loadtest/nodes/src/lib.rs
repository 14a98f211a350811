//! What `bipe-nodes` is made of: processes of this machine, load on them, and the tests.

pub mod appends;
pub mod caller;
pub mod cluster;
pub mod database;
pub mod findings;
pub mod haproxy;
pub mod k6;
pub mod ledger;
pub mod load;
pub mod metrics;
pub mod nats;
pub mod node;
pub mod payments;
pub mod pgbouncer;
pub mod postgres;
pub mod process;
pub mod programs;
pub mod replicated;
pub mod route;
pub mod sandbox;
pub mod screen;
pub mod setting;
pub mod tests;
