//! Sockets without a server of ours.

mod comeback;
mod log;
mod served;
mod speech;
mod wire;
