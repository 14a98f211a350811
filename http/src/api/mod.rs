//! One file a noun: request types, handlers, answers.

pub mod admin;
pub mod auth;
pub mod billing_profile;
pub mod cancellation;
pub mod companies;
pub mod company_audit;
pub mod credentials;
pub mod dev;
pub mod docs;
mod download;
pub mod invoices;
pub mod mailbox;
pub mod me;
pub mod members;
pub mod notifications;
pub mod operations;
pub mod payments;
pub mod plans;
pub mod second_factor;
pub mod statement;
pub mod subscriptions;
pub mod webhooks;
