//! The HTTP server and the sandbox provider, each over real sockets.

mod sandbox;
