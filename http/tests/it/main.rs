//! The server as a client sees it: real sockets, real PostgreSQL, one database a test.

mod app;
mod openapi;
mod operations;
mod sandbox;
