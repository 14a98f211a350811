//! Who a request comes from: accounts, passwords, codes, sessions and their tokens.
//!
//! `Auth` is made once in `main` and in tests and holds the purpose keys, the bounded password hasher, the
//! limits and the node's set of revoked sessions. Handlers call one function an operation.

pub mod account;
pub mod by_admin;
pub mod change_email;
mod change_password;
pub mod code;
pub mod erasure;
mod erasures_log;
pub mod export;
pub mod password;
mod present_password;
pub mod recent;
pub mod recovery;
pub mod resume;
pub mod second_factor;
pub mod session;
pub mod sign_in;
pub mod sign_up;
pub mod signed_in;
pub mod ticket;
pub mod token;
pub mod undo;

use crate::audit::{Entry, Outcome};
use crate::clock::Clock;
use crate::config::Config;
use crate::rate_limit::Limits;
use crate::secret::{KeyRing, Secret};

use erasures_log::ErasuresLog;
use password::Hasher;
use recent::Recent;
use resume::Revocations;
use second_factor::relying_party::RelyingParty;

/// One key a purpose and root, each purpose with a version: changing the root signs everyone out and voids open codes.
#[derive(Clone, Debug)]
pub struct Keys {
    pub access: KeyRing,
    pub refresh: KeyRing,
    pub code: KeyRing,
    pub resume: KeyRing,
    pub limit: KeyRing,
}

impl Keys {
    /// `roots` may hold several, newest first, see [`Secret::several`].
    pub fn derive(roots: &Secret) -> Self {
        Self {
            access: KeyRing::derive(roots, "access-v1"),
            refresh: KeyRing::derive(roots, "refresh-v1"),
            code: KeyRing::derive(roots, "code-v1"),
            resume: KeyRing::derive(roots, "resume-v1"),
            limit: KeyRing::derive(roots, "limit-key-v1"),
        }
    }
}

/// Cheap to clone.
#[derive(Clone, Debug)]
pub struct Auth {
    pub keys: Keys,
    pub hasher: Hasher,
    pub limits: Limits,
    pub revocations: Revocations,
    pub recent: Recent,
    min_age: u8,
    relying_party: RelyingParty,
    /// In production: a platform admin without one sees nothing of the platform.
    pub admins_need_second_factor: bool,
    /// Ids of erased people, see [`erasure`].
    erasures: ErasuresLog,
}

impl Auth {
    pub fn new(keys: Keys, config: &Config, clock: &Clock) -> Self {
        let limits = Limits::new(keys.limit.clone(), config.rate_limits);
        let hasher = Hasher::new(clock);
        Self {
            keys,
            hasher,
            limits,
            revocations: Revocations::default(),
            recent: Recent::default(),
            min_age: config.min_age,
            relying_party: RelyingParty::of(config),
            admins_need_second_factor: config.is_production(),
            erasures: ErasuresLog::below(&config.data_dir),
        }
    }
}

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

pub const DEVICE_MAX: usize = 200;

impl Caller {
    /// The start of an audit entry about this request.
    pub(crate) fn audit(&self, action: &'static str, outcome: Outcome) -> Entry<'_> {
        Entry { network: Some(&self.audit_network), outcome, ..Entry::of(action) }
    }
}
