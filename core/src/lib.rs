//! Decides (pure functions), remembers (SQL) and talks to the payment provider (one port).
//!
//! Called by `bipe-actors`, `bipe-http` and `bipe-sandbox`; does not know actix. Nouns form a ladder
//! `user < company < plan < invoice < subscription < payment` and import only leftwards.

pub mod activity_pt_br;
pub mod alert;
pub mod audit;
pub mod auth;
mod authorities;
pub mod backup;
pub mod brazil;
pub mod caller;
pub mod cep_lookup;
pub mod clock;
mod column;
pub mod company;
pub mod company_audit;
pub mod company_end;
pub mod config;
pub mod csv;
pub mod database_status;
pub mod db;
pub mod development;
pub mod diagnosis;
pub mod embedded_postgres;
pub mod error;
pub mod error_pt_br;
pub mod event;
pub mod gateway;
pub mod https;
pub mod id;
pub mod idempotency;
mod invisible;
pub mod invoice;
pub mod job;
pub mod json_object;
pub mod mail_pt_br;
pub mod mailer;
pub mod metrics;
pub mod money;
pub mod notification;
pub mod payment;
pub mod payment_method;
pub mod pdf;
pub mod plan;
pub mod private_file;
pub mod purge;
pub mod rate_limit;
mod row;
pub mod saved_view;
pub mod scope;
pub mod search;
pub mod secret;
pub mod statement;
pub mod subscription;
#[cfg(feature = "testing")]
pub mod testing;
pub mod trace;
pub mod user;
pub mod web_probe;
pub mod webhook_inbox;
mod words;

pub use error::{Code, Error, Result};
