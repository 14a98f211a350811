//! What `bipe-nodes` is made of: processes of this machine, load on them, and the tests.

pub mod cluster;
pub mod database;
pub mod findings;
pub mod haproxy;
pub mod load;
pub mod metrics;
pub mod nats;
pub mod node;
pub mod process;
pub mod programs;
pub mod sandbox;
pub mod tests;
