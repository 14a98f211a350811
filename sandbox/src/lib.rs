//! A payment provider that speaks Stripe's wire format, for runs without a Stripe account.
//!
//! `bipe serve` mounts it under `/sandbox` while no Stripe keys are set, `bipe sandbox` serves it alone.
//! The server calls it through async-stripe, as it calls Stripe; the browser through the sandbox form. It holds test
//! cards and fake money only. It knows neither companies nor plans, and of Bipe only which events it subscribes to.
//!
//! Keys: secret `sk_test_sandbox` (Basic or Bearer), publishable `pk_test_sandbox` (Bearer or the parameter `key`, from
//! browsers: create a payment method; confirm or read an intent together with its `client_secret`).
//! Control calls for people and tests, JSON or form (faults: JSON):
//! - `POST /v1/test/payment_intents/{id}/settle` `{"outcome":"succeeded|expired|failed"}` ends an open PIX,
//!   boleto or 3-D Secure. An expired PIX or boleto may still be paid (late money).
//! - `POST /v1/test/{payment_intents|setup_intents}/{id}/authenticate`
//!   `{"client_secret":"…","outcome":"succeeded|failed"}` is the payer at their bank's 3-D Secure page.
//! - `POST /v1/test/faults` injects faults, see `injected_faults.rs`.
//!
//! Invariant: an answer is sent only after its changes are in the journal (`journal.rs`).

mod cards;
mod charges;
mod confirm;
mod control;
mod customers;
mod disputes;
mod events;
mod expand;
mod fault;
pub mod form;
mod idempotency;
mod injected_faults;
mod intent_params;
mod intents;
mod journal;
mod objects;
mod pages;
mod payer;
mod payment_methods;
mod pipeline;
mod process;
mod refunds;
mod routes;
mod setup_intents;
mod store;
pub mod test_cards;
mod vouchers;
mod webhook_endpoints;
mod webhooks;
mod wire;

use std::collections::HashSet;
use std::io;
use std::path::PathBuf;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bipe_core::clock::Clock;
use bipe_core::secret::Secret;
use tokio::sync::Notify;
use tokio::time::MissedTickBehavior;

pub use crate::process::{ProcessSettings, listen, serve};
pub use crate::routes::{configure, configure_root};

use crate::fault::Fault;
use crate::injected_faults::InjectedFaults;
use crate::journal::Journal;
use crate::store::{Record, State, Tx};

pub use bipe_core::config::{
    SANDBOX_PUBLISHABLE_KEY as PUBLISHABLE_KEY, SANDBOX_SECRET_KEY as SECRET_KEY,
};

#[derive(Clone, Debug)]
pub struct SandboxSettings {
    /// The folder of the journal.
    pub data_dir: PathBuf,
    pub clock: Clock,
    /// Where browsers find it, without a slash at the end: `http://127.0.0.1:8080/sandbox`.
    pub base_url: String,
    /// Where events go, over plain HTTP to this machine only; absent: they are only listed.
    pub webhook_url: Option<String>,
    /// Each one signs every delivery, as Stripe does while a secret is being rolled.
    pub webhook_secrets: Vec<Secret>,
}

/// The provider; clones share one.
#[derive(Clone)]
pub struct Sandbox(Arc<Inner>);

struct Inner {
    clock: Clock,
    base_url: String,
    store: Mutex<Store>,
    injected_faults: Mutex<InjectedFaults>,
    /// How many of them have met a request or an event.
    faults_met: AtomicU64,
    /// Idempotency keys whose first request has not been answered yet.
    in_flight: Mutex<HashSet<String>>,
    wake: Notify,
    sender: webhooks::WebhookSender,
    /// One round of deliveries at a time, so that nothing is sent twice by accident.
    round: tokio::sync::Mutex<()>,
}

struct Store {
    state: State,
    journal: Journal,
    /// A write failed: memory is ahead of the disk, and nothing more may be answered.
    broken: bool,
}

/// The request that caused a transaction, as its events name it.
#[derive(Clone, Debug, Default)]
struct Cause {
    request: Option<String>,
    idempotency_key: Option<String>,
}

/// How often what is due happens and the journal is flushed to the disk.
const TICK: Duration = Duration::from_secs(1);

impl Sandbox {
    /// Reads the journal and is ready to serve. Fails on a damaged journal or an unusable webhook address.
    pub fn open(settings: SandboxSettings) -> io::Result<Self> {
        let now = settings.clock.now().as_second();
        let (journal, state) = journal::open(&settings.data_dir, now)?;
        let endpoint = settings
            .webhook_url
            .map(|url| webhooks::Target::new(&url, &settings.webhook_secrets))
            .transpose()?;
        Ok(Self(Arc::new(Inner {
            clock: settings.clock,
            base_url: settings.base_url,
            store: Mutex::new(Store { state, journal, broken: false }),
            injected_faults: Mutex::default(),
            faults_met: AtomicU64::new(0),
            in_flight: Mutex::default(),
            wake: Notify::new(),
            sender: webhooks::WebhookSender::new(endpoint),
            round: tokio::sync::Mutex::new(()),
        })))
    }

    /// Settles due vouchers, lets due refunds fail and sends due events; returns how many of all there were.
    /// Called by the tick and by `POST /dev/jobs/run`.
    pub async fn run_due(&self) -> usize {
        self.settle_due() + self.deliver_due().await
    }

    /// Runs for ever: every second, and at once when there is news for the webhook endpoint.
    pub async fn run(self) {
        let settling = async {
            let mut tick = tokio::time::interval(TICK);
            tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
            loop {
                tick.tick().await;
                self.settle_due();
                self.sync().await;
            }
        };
        let delivering = async {
            loop {
                self.deliver_due().await;
                let pause = self.next_delivery_in().min(TICK);
                tokio::time::timeout(pause, self.0.wake.notified()).await.ok();
            }
        };
        tokio::join!(settling, delivering);
    }

    fn settle_due(&self) -> usize {
        let ended =
            self.transact(Cause::default(), |tx| vouchers::settle_due(tx) + refunds::fail_due(tx));
        ended.unwrap_or(0)
    }

    /// One request's work: sees and changes the state alone, and returns once the journal holds it.
    fn transact<R>(&self, cause: Cause, work: impl FnOnce(&mut Tx<'_>) -> R) -> Result<R, Fault> {
        let inner = &*self.0;
        let mut guard = inner.store.lock().map_err(|_| Fault::broken())?;
        let Store { state, journal, broken } = &mut *guard;
        if *broken {
            return Err(Fault::broken());
        }
        let webhooks = self.injected_faults().webhooks.clone();
        let mut tx = Tx {
            state,
            clock: &inner.clock,
            now: inner.clock.now().as_second(),
            base_url: &inner.base_url,
            request: cause.request,
            idempotency_key: cause.idempotency_key,
            webhooks: &webhooks,
            faults_met: &inner.faults_met,
            has_endpoint: inner.sender.has_endpoint(),
            records: Vec::new(),
        };
        let answer = work(&mut tx);
        let records = std::mem::take(&mut tx.records);
        if !records.is_empty() && journal.append(&records).is_err() {
            *broken = true;
            return Err(Fault::broken());
        }
        if records.iter().any(|record| matches!(record, Record::Delivery(_))) {
            inner.wake.notify_one();
        }
        Ok(answer)
    }

    /// Reads without changing anything.
    fn read<R>(&self, look: impl FnOnce(&State) -> R) -> R {
        let guard = self.0.store.lock().unwrap_or_else(PoisonError::into_inner);
        look(&guard.state)
    }

    /// From now on the journal cannot be written, as on a full disk.
    ///
    /// # Errors
    /// When the handle that refuses every write cannot be opened.
    #[cfg(feature = "testing")]
    pub fn fill_disk(&self) -> io::Result<()> {
        self.0.store.lock().unwrap_or_else(PoisonError::into_inner).journal.fill_disk()
    }

    fn is_broken(&self) -> bool {
        self.0.store.lock().map_or(true, |store| store.broken)
    }

    /// Flushes the journal to the disk, off the async threads, when something was written.
    async fn sync(&self) {
        let file = self.0.store.lock().ok().and_then(|mut store| store.journal.unsynced());
        let synced = match file {
            None => return,
            Some(Err(error)) => Err(error),
            Some(Ok(file)) => {
                let done = tokio::task::spawn_blocking(move || file.sync_data()).await;
                done.unwrap_or_else(|error| Err(io::Error::other(error)))
            }
        };
        if let Err(error) = synced {
            tracing::error!(%error, "the sandbox journal cannot be flushed");
        }
    }

    fn injected_faults(&self) -> MutexGuard<'_, InjectedFaults> {
        self.0.injected_faults.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
