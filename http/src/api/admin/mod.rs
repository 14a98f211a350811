//! The platform admin's calls (docs/contract.md, "Platform admin"), one file a noun. Every handler takes an `Admin`,
//! which only a platform admin's live session gives.

pub mod analytics;
pub mod audit;
pub mod companies;
pub mod nodes;
pub mod payments;
pub mod plans;
pub mod refunds;
pub mod users;
pub mod views;
