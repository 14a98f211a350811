//! Which commands about payments may run on this node: at most 64 of one company at a time, and one for each
//! idempotency key. The directory asks before it sends a command; the workflow holds the permit until it is done.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use bipe_core::error::Code;
use bipe_core::id::CompanyId;
use bipe_core::{Error, Result};
use parking_lot::Mutex;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Commands of one company that may run or wait at once.
const COMMANDS_PER_COMPANY: usize = 64;
/// When more companies than this have a semaphore, those in use are kept and the others dropped.
const KEPT_SEMAPHORES: usize = 1024;

/// Cheap to clone.
#[derive(Clone, Default)]
pub struct Admission(Arc<Mutex<AdmissionState>>);

#[derive(Default)]
struct AdmissionState {
    companies: HashMap<CompanyId, Arc<Semaphore>>,
    running_keys: HashSet<CommandKey>,
}

type CommandKey = (CompanyId, String);

/// The right of one command to run. Dropping it makes room for the next one.
pub struct Permit {
    _company: OwnedSemaphorePermit,
    key: Option<CommandKey>,
    admission: Admission,
}

impl Admission {
    /// Admits a command of the company, with its idempotency key if it has one.
    ///
    /// # Errors
    /// `Conflict(REQUEST_IN_PROGRESS)` while a command with the key runs; `Unavailable` when the company has too many
    /// commands.
    pub fn admit(&self, company: CompanyId, key: Option<String>) -> Result<Permit> {
        let key = key.map(|key| (company, key));
        let mut admitted = self.0.lock();
        if admitted.companies.len() > KEPT_SEMAPHORES {
            admitted.companies.retain(|_, semaphore| Arc::strong_count(semaphore) > 1);
        }
        if key.as_ref().is_some_and(|key| admitted.running_keys.contains(key)) {
            return Err(Error::conflict(Code::RequestInProgress));
        }
        let semaphore = || Arc::new(Semaphore::new(COMMANDS_PER_COMPANY));
        let semaphore = admitted.companies.entry(company).or_insert_with(semaphore).clone();
        let permit = semaphore.try_acquire_owned().map_err(|_full| Error::unavailable(1))?;
        admitted.running_keys.extend(key.clone());
        Ok(Permit { _company: permit, key, admission: self.clone() })
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        if let Some(key) = &self.key {
            self.admission.0.lock().running_keys.remove(key);
        }
    }
}

#[cfg(test)]
mod tests {
    use bipe_core::clock::Clock;

    use super::*;

    fn company() -> CompanyId {
        CompanyId::new(&Clock::fixed("2026-11-21T12:00:00Z".parse().unwrap(), 7))
    }

    #[test]
    fn a_key_runs_once_at_a_time() {
        let (admission, company) = (Admission::default(), company());
        let first = admission.admit(company, Some("k".into())).unwrap();
        assert!(admission.admit(company, Some("k".into())).is_err());
        drop(first);
        assert!(admission.admit(company, Some("k".into())).is_ok());
    }

    #[test]
    fn a_company_has_64_commands_at_a_time() {
        let (admission, company) = (Admission::default(), company());
        let admit = || admission.admit(company, None);
        let permits: Vec<Permit> = (0..COMMANDS_PER_COMPANY).map(|_| admit().unwrap()).collect();
        assert!(admit().is_err());
        drop(permits);
        assert!(admit().is_ok());
    }
}
