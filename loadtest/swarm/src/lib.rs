//! The parts of the generators: people, sockets by the thousand, commands, what is told of them, the page of results.
//! `bipe-swarm` measures one server with them, `bipe-nodes` several.

use std::error::Error;

pub mod account;
pub mod admin;
pub mod bench;
pub mod crowd;
pub mod herd;
pub mod http;
pub mod live;
pub mod machine;
pub mod modes;
pub mod operator;
pub mod page;
pub mod payments;
pub mod peer;
pub mod picture;
pub mod report;
pub mod server;
pub mod single;
pub mod socket;
pub mod table;
pub mod target;

pub type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;
