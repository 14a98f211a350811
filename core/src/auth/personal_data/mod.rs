//! What a person may ask for by law (LGPD): a copy of their data, and the erasure of their account.

pub mod erasure;
pub mod erasures_log;
pub mod export;
