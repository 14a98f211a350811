//! Accounts and their proofs: passwords, codes, second factors, sessions and their tokens.
//!
//! `Auth` is made once at the start of a server and in tests. It holds the database, the keys of each purpose, the
//! password hasher with its bounded queue, the limits and the sessions that this node knows to be revoked. A handler
//! calls one function of `Auth` for each operation. `session` signs in and keeps people signed in, `recovery` resets
//! passwords and undoes changes, `credentials` changes address and password, `personal_data` exports and erases an
//! account.

pub mod account;
pub mod by_admin;
pub mod code;
pub mod credentials;
pub mod password;
pub mod personal_data;
pub mod recovery;
pub mod second_factor;
pub mod session;
pub mod sign_up;

use crate::config::Config;
use crate::db::Db;
use crate::error::Result;
use crate::rate_limit::{RateLimiter, Rule};
use crate::scope::JobScope;
use crate::secret::{KeyRing, Secret};

use password::Hasher;
use personal_data::erasures_log::ErasuresLog;
use second_factor::relying_party::RelyingParty;
use session::recent::RecentProofs;
use session::resume::Revocations;

/// One key a purpose and root, each purpose with a version: changing the root signs everyone out and voids open codes.
#[derive(Clone, Debug)]
pub struct Keys {
    pub access: KeyRing,
    pub refresh: KeyRing,
    pub code: KeyRing,
    pub resume: KeyRing,
    pub limit: KeyRing,
    /// Proves the messages between nodes.
    pub bus: KeyRing,
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
            bus: KeyRing::derive(roots, "bus-v1"),
        }
    }
}

/// Cheap to clone.
#[derive(Clone)]
pub struct Auth {
    pub(crate) db: Db,
    /// For what reaches into several companies.
    platform: JobScope,
    pub keys: Keys,
    pub hasher: Hasher,
    pub limits: RateLimiter,
    pub revocations: Revocations,
    pub recent: RecentProofs,
    min_age: u8,
    relying_party: RelyingParty,
    /// In production: a platform admin without one sees nothing of the platform.
    pub admins_need_second_factor: bool,
    /// Ids of erased people, see [`personal_data::erasure`].
    erasures: ErasuresLog,
}

impl Auth {
    pub fn new(keys: Keys, config: &Config, db: Db, platform: JobScope) -> Self {
        let limits = RateLimiter::new(keys.limit.clone(), config.rate_limits);
        let hasher = Hasher::new(db.clock().clone());
        Self {
            db,
            platform,
            keys,
            hasher,
            limits,
            revocations: Revocations::default(),
            recent: RecentProofs::default(),
            min_age: config.min_age,
            relying_party: RelyingParty::of(config),
            admins_need_second_factor: config.is_production(),
            erasures: ErasuresLog::below(&config.data_dir),
        }
    }

    /// Takes one token of the bucket that the parts name.
    ///
    /// # Errors
    /// `TooMany`.
    pub async fn limit(&self, rule: Rule, parts: &[&str]) -> Result<()> {
        self.limits.take(&self.db, &[(rule, &self.limits.bucket(parts))]).await
    }
}
