//! A company's subscription: periods and proration.
//!
//! Pure: every rule takes the instant as an argument.

pub mod period;
pub mod proration;
