//! http

pub mod sandbox;
