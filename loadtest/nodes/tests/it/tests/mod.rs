//! What single tests judge by.

mod f7;
mod n3;
mod n4;
