//! What single tests judge by.

mod f7;
mod n4;
