//! Order, timers, fan-out: each open payment, each channel with readers has one mailbox. Never truth; no SQL
//! text, no HTTP.
//!
//! `Actors::start` and `Live::start` are called once by the server and by tests, inside an actix system. The
//! live part: `bus` → `relay` → `company_session` (`channel_log`, `catch_up`) → `hub` → `inbox` → socket; `metrics_stream` fills the admin channels.

mod answering;
pub mod billing_workflow;
pub mod bus;
mod cards;
mod catch_up;
pub mod channel_log;
mod company_session;
pub mod directory;
pub mod envelope;
pub mod hub;
pub mod inbox;
pub mod jobs;
pub mod live;
mod metrics_stream;
mod offer;
mod payment_check;
mod readers;
mod relay;
mod round;

use std::sync::Arc;

use actix::Arbiter;
use bipe_core::db::Db;
use bipe_core::gateway::Gateway;
use bipe_core::mailer::Mailer;
use bipe_core::rate_limit::Limits;
use bipe_core::scope::JobScope;

use crate::billing_workflow::Steps;
use crate::directory::Directory;
use crate::jobs::Jobs;

/// Threads of the workflows; their work runs elsewhere.
const ARBITERS: usize = 2;

/// What the actors work with.
pub struct Parts {
    pub db: Db,
    /// The platform's proof, for jobs, webhooks and checks.
    pub proof: JobScope,
    pub gateway: Arc<dyn Gateway>,
    pub mailer: Mailer,
    pub limits: Limits,
    /// Names this installation in the provider's metadata.
    pub environment: String,
}

/// Cheap to clone.
#[derive(Clone)]
pub struct Actors {
    pub directory: Directory,
    pub jobs: Jobs,
}

impl Actors {
    /// Makes the arbiters and the directory. No job runs before `jobs.spawn()`.
    pub fn start(parts: Parts) -> Self {
        let arbiters = (0..ARBITERS).map(|_| Arbiter::new().handle()).collect();
        let Parts { db, proof, gateway, mailer, limits, environment } = parts;
        let steps = Arc::new(Steps::new(db.clone(), gateway, limits, environment));
        let directory = Directory::new(steps, proof, arbiters);
        let jobs = Jobs::new(db, directory.clone(), mailer);
        Self { directory, jobs }
    }
}
