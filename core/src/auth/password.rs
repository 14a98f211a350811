//! argon2id on threads of its own: hashing never runs on a web worker, and a flood of sign-ins costs 503s.
//!
//! Called by sign-up, sign-in, reset and the change of a password. The parameters are those of
//! docs/security.md, "Passwords".

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use argon2::password_hash::phc::PasswordHash;
use argon2::{Algorithm, Argon2, Params, PasswordHasher, PasswordVerifier, Version};
use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};
use tokio::time::{Instant, timeout_at};

use crate::clock::Clock;
use crate::error::{Error, Result};

/// What a hash costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct HashCost {
    /// KiB.
    memory: u32,
    passes: u32,
}

const CURRENT_COST: HashCost = HashCost { memory: 19_456, passes: 2 };
/// As little as argon2 allows.
#[cfg(feature = "testing")]
const LIGHT_COST: HashCost = HashCost { memory: 8, passes: 1 };
const LANES: u32 = 1;
const SALT: usize = 16;
const OUTPUT: usize = 32;
/// A stored hash that asks for more is refused before any work.
const MAX_MEMORY: u32 = 64 * 1024;
const MAX_PASSES: u32 = 5;
/// How many passwords may wait for a core.
const MAX_WAITING: usize = 64;
/// How long a password may wait for a core, counted from when it took its permit.
const HASH_TIMEOUT: Duration = Duration::from_secs(3);
const RETRY_AFTER: u32 = 3;
/// What is added to the nice value of a thread that hashes. About a tenth of a busy core is left to it.
#[cfg(target_os = "linux")]
const NICE: i32 = 10;

/// Cheap to clone; clones share the pool.
#[derive(Clone, Debug)]
pub struct Hasher(Arc<Pool>);

#[derive(Debug)]
struct Pool {
    /// Running and waiting together.
    permits: Arc<Semaphore>,
    /// Running.
    cores: Arc<Semaphore>,
    /// How many were computed since the start.
    done: AtomicU64,
    /// Of new hashes; what was made with another is replaced.
    cost: HashCost,
    /// What an unknown e-mail is compared with: no password has this hash.
    dummy: String,
    clock: Clock,
}

/// The right of one password to be hashed, or to wait for that. Dropping it gives it back.
#[derive(Debug)]
pub struct HashPermit {
    until: Instant,
    #[expect(dead_code, reason = "held, not read")]
    permit: OwnedSemaphorePermit,
}

/// What a comparison found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PasswordCheck {
    Wrong,
    Right,
    /// Right, but stored with other parameters than today's: store this hash instead.
    RightButOld(String),
}

impl Hasher {
    pub fn new(clock: Clock) -> Self {
        Self::with(cores(), CURRENT_COST, clock)
    }

    /// For tests of everything but the cost of a password.
    #[cfg(feature = "testing")]
    pub fn light(clock: Clock) -> Self {
        Self::with(cores(), LIGHT_COST, clock)
    }

    fn with(cores: usize, cost: HashCost, clock: Clock) -> Self {
        Self(Arc::new(Pool {
            permits: Arc::new(Semaphore::new(cores + MAX_WAITING)),
            cores: Arc::new(Semaphore::new(cores)),
            done: AtomicU64::new(0),
            cost,
            dummy: unmatched_hash(cost, &clock),
            clock,
        }))
    }

    /// The PHC string of no password, with today's parameters. An account with it can sign in only after a reset.
    pub fn unmatched_hash(clock: &Clock) -> String {
        unmatched_hash(CURRENT_COST, clock)
    }

    /// The PHC string of a password.
    ///
    /// # Errors
    /// `Unavailable` when the pool is full or stays busy for three seconds.
    pub async fn hash(&self, password: &str) -> Result<String> {
        let (password, salt) = (password.to_owned(), self.0.clock.bytes::<SALT>());
        let cost = self.0.cost;
        self.run(self.permit()?, move || hash_now(cost, &password, &salt)).await
    }

    /// Compares with a stored PHC string; none (an unknown e-mail) costs the same work and is wrong.
    ///
    /// # Errors
    /// `Unavailable` as for `hash`, `Internal` when the stored string is none or asks for too much.
    pub async fn verify(&self, password: &str, stored: Option<&str>) -> Result<PasswordCheck> {
        self.verify_at(self.permit()?, password, stored).await
    }

    /// As [`Hasher::verify`], for a caller that has taken its permit before.
    ///
    /// # Errors
    /// `Unavailable` when the pool stays busy for three seconds, `Internal` as for `verify`.
    pub async fn verify_at(
        &self,
        permit: HashPermit,
        password: &str,
        stored: Option<&str>,
    ) -> Result<PasswordCheck> {
        let stored = stored.unwrap_or(&self.0.dummy).to_owned();
        let (password, salt) = (password.to_owned(), self.0.clock.bytes::<SALT>());
        let cost = self.0.cost;
        self.run(permit, move || verify_now(cost, &password, &stored, &salt)).await
    }

    /// A permit for one password, for a caller that has other work to do before: in a flood nobody does that work in
    /// vain. The time that it may wait begins now.
    ///
    /// # Errors
    /// `Unavailable` when the pool is full.
    pub fn permit(&self) -> Result<HashPermit> {
        let permit = self.0.permits.clone().try_acquire_owned();
        let permit = permit.map_err(|_full| Error::unavailable(RETRY_AFTER))?;
        Ok(HashPermit { until: Instant::now() + HASH_TIMEOUT, permit })
    }

    /// How many passwords were hashed or compared since the start.
    pub fn done(&self) -> u64 {
        self.0.done.load(Ordering::Relaxed)
    }

    async fn run<T: Send + 'static>(
        &self,
        permit: HashPermit,
        work: impl FnOnce() -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let permits = (self.core(&permit).await?, permit);
        self.0.done.fetch_add(1, Ordering::Relaxed);
        let (answer, answered) = oneshot::channel();
        // The permits go with the work: a caller that gives up does not free a core that is still busy.
        let hashing = move || {
            give_way();
            let result = work();
            drop(permits);
            answer.send(result).ok();
        };
        thread::Builder::new().name("password".into()).spawn(hashing).map_err(Error::internal)?;
        answered.await.map_err(Error::internal)?
    }

    async fn core(&self, permit: &HashPermit) -> Result<OwnedSemaphorePermit> {
        let core = timeout_at(permit.until, self.0.cores.clone().acquire_owned()).await;
        core.map_err(|_late| Error::unavailable(RETRY_AFTER))?.map_err(Error::internal)
    }
}

fn cores() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// Looks like the hash of a password, and no password has it.
fn unmatched_hash(cost: HashCost, clock: &Clock) -> String {
    let HashCost { memory, passes } = cost;
    let salt = STANDARD_NO_PAD.encode(clock.bytes::<SALT>());
    let output = STANDARD_NO_PAD.encode(clock.bytes::<OUTPUT>());
    format!("$argon2id$v=19$m={memory},t={passes},p={LANES}${salt}${output}")
}

/// Who is signed in is served first. Elsewhere than on Linux a whole process gives way: there nothing changes.
fn give_way() {
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::process::nice(NICE) {
        tracing::debug!(%error, "the thread of a hash does not give way");
    }
}

fn argon2(cost: HashCost) -> Result<Argon2<'static>> {
    let params = Params::new(cost.memory, cost.passes, LANES, Some(OUTPUT)).map_err(described)?;
    Ok(Argon2::new(Algorithm::Argon2id, Version::V0x13, params))
}

fn hash_now(cost: HashCost, password: &str, salt: &[u8; SALT]) -> Result<String> {
    let hash =
        argon2(cost)?.hash_password_with_salt(password.as_bytes(), salt).map_err(described)?;
    Ok(hash.to_string())
}

fn verify_now(
    cost: HashCost,
    password: &str,
    stored: &str,
    salt: &[u8; SALT],
) -> Result<PasswordCheck> {
    let hash = PasswordHash::new(stored).map_err(described)?;
    let params = Params::try_from(&hash).map_err(described)?;
    if params.m_cost() > MAX_MEMORY || params.t_cost() > MAX_PASSES {
        return Err(Error::internal("a stored password hash asks for too much work"));
    }
    match argon2(cost)?.verify_password(password.as_bytes(), &hash) {
        Err(argon2::password_hash::Error::PasswordInvalid) => Ok(PasswordCheck::Wrong),
        Err(error) => Err(described(error)),
        Ok(()) => {
            let is_current = hash.algorithm.as_str() == Algorithm::Argon2id.as_str()
                && hash.version == Some(Version::V0x13.into())
                && HashCost { memory: params.m_cost(), passes: params.t_cost() } == cost
                && params.p_cost() == LANES;
            if is_current {
                Ok(PasswordCheck::Right)
            } else {
                hash_now(cost, password, salt).map(PasswordCheck::RightButOld)
            }
        }
    }
}

/// The error of the library without anything of the password or the hash.
fn described(error: impl std::fmt::Display) -> Error {
    Error::internal(format!("argon2: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock() -> Clock {
        Clock::fixed("2026-11-21T12:00:00Z".parse().unwrap(), 7)
    }

    fn hasher() -> Hasher {
        Hasher::new(clock())
    }

    #[tokio::test]
    async fn a_password_is_right_or_wrong() {
        let hasher = hasher();
        let stored = hasher.hash("Senha123!").await.unwrap();
        assert!(stored.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{stored}");
        let verify = async |password| hasher.verify(password, Some(&stored)).await.unwrap();
        assert_eq!(verify("Senha123!").await, PasswordCheck::Right);
        assert_eq!(verify("Senha123! ").await, PasswordCheck::Wrong);
    }

    #[tokio::test]
    async fn an_unknown_person_is_compared_with_todays_parameters() {
        let hasher = hasher();
        assert!(hasher.0.dummy.contains("m=19456,t=2,p=1"));
        let verdict = hasher.verify("Senha123!", None).await;
        assert_eq!(verdict.unwrap(), PasswordCheck::Wrong);
    }

    #[tokio::test]
    async fn an_older_hash_is_replaced_and_a_greedy_one_refused() {
        let weak = Argon2::new(
            Algorithm::Argon2id,
            Version::V0x13,
            Params::new(8_192, 1, 1, Some(OUTPUT)).unwrap(),
        );
        let stored = weak.hash_password_with_salt(b"Senha123!", &[7; SALT]).unwrap().to_string();
        let hasher = hasher();
        let verdict = hasher.verify("Senha123!", Some(&stored)).await.unwrap();
        let PasswordCheck::RightButOld(newer) = verdict else { panic!("{verdict:?}") };
        let again = hasher.verify("Senha123!", Some(&newer)).await.unwrap();
        assert_eq!(again, PasswordCheck::Right);
        let greedy = hasher.0.dummy.replace("m=19456", "m=1048576");
        assert!(hasher.verify("Senha123!", Some(&greedy)).await.is_err());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_thread_that_hashes_gives_way_alone() {
        let niceness = || rustix::process::getpriority_process(None).unwrap();
        let before = niceness();
        let hashing = thread::spawn(move || {
            give_way();
            niceness()
        });
        assert_eq!(hashing.join().unwrap(), (before + NICE).min(19));
        assert_eq!(niceness(), before);
    }

    #[tokio::test]
    async fn a_full_pool_refuses_at_once() {
        let hasher = Hasher::with(1, CURRENT_COST, clock());
        let mut permits: Vec<HashPermit> =
            (0..=MAX_WAITING).map(|_| hasher.permit().unwrap()).collect();
        let refused = hasher.verify("Senha123!", None).await.unwrap_err();
        assert!(matches!(refused, Error::Unavailable { retry_after: 3, .. }));
        // Who has a permit is compared, and leaves it to the next one.
        let permit = permits.pop().unwrap();
        let verdict = hasher.verify_at(permit, "Senha123!", None).await;
        assert_eq!(verdict.unwrap(), PasswordCheck::Wrong);
        assert_eq!(hasher.verify("Senha123!", None).await.unwrap(), PasswordCheck::Wrong);
    }

    #[tokio::test]
    async fn a_busy_pool_refuses_when_the_time_of_a_permit_ends() {
        let hasher = Hasher::with(1, CURRENT_COST, clock());
        let permit = || hasher.permit().unwrap();
        let left = permit().until - Instant::now();
        assert!(left <= Duration::from_secs(3) && left > Duration::from_secs(2), "{left:?}");
        // Three seconds of other work are over.
        let (first, late) = (permit(), HashPermit { until: Instant::now(), ..permit() });
        let busy = hasher.core(&first).await.unwrap();
        let begun = Instant::now();
        assert!(hasher.core(&late).await.is_err());
        assert!(begun.elapsed() < Duration::from_secs(2));
        drop(busy);
        drop(hasher.core(&late).await.unwrap());
    }
}
