//! Days and moments as people in Brazil read them, in São Paulo (invariant I8). Pure; used by mails and documents.

use jiff::Timestamp;

use super::local;

/// `21/11/2026`
pub fn day(at: Timestamp) -> String {
    local(at).strftime("%d/%m/%Y").to_string()
}

/// `21/11/2026 às 12:00`
pub fn moment(at: Timestamp) -> String {
    local(at).strftime("%d/%m/%Y às %H:%M").to_string()
}
