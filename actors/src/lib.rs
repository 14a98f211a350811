//! The actors: what has to happen in order, at a time or for many readers. No SQL text, no HTTP; the truth is in the
//! database, so that any actor may be lost at any moment.
//!
//! - Payments: `directory` → `billing_workflow`, admitted by `admission` and woken by `jobs`. `saved_cards`
//!   keeps the list of the cards.
//! - Live protocol: `bus` → `relay` → `channel` → `worker` → socket; `metrics_stream` fills the admins' channels.
//!
//! `Actors::start` and `Live::start` are called once, by the server or a test, inside an actix system.

mod admission;
pub mod billing_workflow;
pub mod bus;
mod card_limits;
mod channel;
pub mod directory;
pub mod envelope;
pub mod jobs;
mod last_logged;
pub mod live;
pub mod messages;
mod metrics_stream;
pub mod payment_check;
pub mod pulse;
pub mod refunds;
mod relay;
pub mod saved_cards;
pub mod sources;
pub mod worker;

use std::sync::Arc;

use actix::Arbiter;
use bipe_core::db::Db;
use bipe_core::gateway::Gateway;
use bipe_core::mailer::Mailer;
use bipe_core::rate_limit::RateLimiter;
use bipe_core::scope::JobScope;

use crate::billing_workflow::Steps;
use crate::directory::Directory;
use crate::jobs::Jobs;

/// Threads for the workflows. Database and provider are waited for on the runtime, so two suffice.
const ARBITERS: usize = 2;

/// What the workflows and jobs work with.
pub struct Dependencies {
    pub db: Db,
    /// The platform's proof, for jobs, webhooks and checks.
    pub proof: JobScope,
    pub gateway: Arc<dyn Gateway>,
    pub mailer: Mailer,
    pub limits: RateLimiter,
    /// `production` or `development`, which the provider's metadata name. It tells no two servers of one kind apart.
    pub environment: String,
}

/// Cheap to clone.
#[derive(Clone)]
pub struct Actors {
    pub directory: Directory,
    pub jobs: Jobs,
}

impl Actors {
    /// Starts the arbiters of the workflows. No job runs before `jobs.spawn()`.
    pub fn start(dependencies: Dependencies) -> Self {
        let arbiters = (0..ARBITERS).map(|_| Arbiter::new().handle()).collect();
        let Dependencies { db, proof, gateway, mailer, limits, environment } = dependencies;
        let steps = Arc::new(Steps::new(db.clone(), gateway, limits, environment));
        let directory = Directory::new(steps, proof, arbiters);
        let jobs = Jobs::new(db, directory.clone(), mailer);
        Self { directory, jobs }
    }
}
