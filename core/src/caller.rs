//! Where a request comes from. Made by the server for every request; read by limits, sessions and the audit.

/// Where a request comes from, for limits, sessions and the audit.
#[derive(Clone, Debug)]
pub struct Caller {
    /// The address as an access record keeps it.
    pub ip: String,
    /// The key of limits: IPv4 whole, IPv6 by its /64.
    pub network: String,
    /// The truncated address of audit rows.
    pub audit_network: String,
    /// What the browser calls itself, at most [`DEVICE_MAX`] characters.
    pub device: String,
    pub request_id: String,
}

/// Characters of [`Caller::device`].
pub const DEVICE_MAX: usize = 200;
