//! What a company reads about its money (docs/contract.md, "Statement"), for its admins and finance. One file a page.

pub mod balance;
pub mod spending;
pub mod transactions;
