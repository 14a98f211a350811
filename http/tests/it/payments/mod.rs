//! Payments over real HTTP, from the browser's request to the provider's webhook and back.

mod boleto;
mod card;
mod card_setup;
mod card_testing;
mod cost;
mod desk;
mod faults;
mod invoices;
mod lost;
mod methods;
mod pix;
mod provider_refusals;
mod refusals;
mod repeats;
pub mod shop;
mod state_table;
mod statement;
mod suspended;
mod truth;
mod withdrawn;
