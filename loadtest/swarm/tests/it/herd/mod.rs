//! Sockets without a server.

mod comeback;
mod log;
mod speech;
mod wire;
