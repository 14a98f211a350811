//! Changes of password and address by somebody who is signed in. Each asks for the current password first.

pub mod change_email;
mod change_password;
mod current_password;
