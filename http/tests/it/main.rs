//! The server as a client sees it: real sockets, real PostgreSQL, one database a test.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "clippy exempts test functions only; their helpers fail the same way"
)]

// `a_`: tests begin in the order of their names, and the longest must not be left alone at the end.
mod a_seed;
mod admin;
mod alerts;
mod app;
mod auth;
mod backup;
mod built_in_sandbox;
mod call_limits;
mod cep;
mod companies;
mod credentials;
mod declared;
mod doctor;
mod healthcheck;
mod isolation;
mod killed;
mod limits;
mod live;
mod live_abuse;
mod live_asked;
mod live_client;
mod live_frames;
mod live_revoked;
mod live_stalled;
mod live_upgrade;
mod log;
mod metrics;
mod notifications;
mod openapi;
mod operations;
mod payments;
mod process;
mod program;
mod recent;
mod replication;
mod request_guard;
mod restore;
mod second_factor;
mod settings;
mod slow;
mod smtp;
mod spa;
mod subscriptions;
mod traces;
mod turns;
mod uniform;
mod upgrade;
mod webhooks;
