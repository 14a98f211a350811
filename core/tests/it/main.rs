//! Stores run against a real PostgreSQL, pure rules against the golden vectors.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "clippy exempts test functions only; their helpers fail the same way"
)]

// `a_`: tests begin in the order of their names, and the longest must not be left alone at the end.
mod a_replica;
mod accounts;
mod activity;
mod alerts;
mod backup;
mod billing_profiles;
mod catalogue;
mod cep_lookup;
mod changes;
mod companies;
mod connections;
mod declined_cards;
mod dependencies;
mod documents;
mod embedded_postgres;
mod import_cycles;
mod invoices;
mod jobs;
mod ladder;
mod limits;
mod login;
mod mails;
mod metrics;
mod payment_search;
mod payments;
mod pdf;
mod prices;
mod purchases;
mod purge;
mod queries;
mod quotes;
mod schema_window;
mod settings;
mod state_table;
mod statements;
mod tenancy;
mod testing;
mod tree;
mod vectors;
mod walk;
