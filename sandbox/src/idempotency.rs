//! `Idempotency-Key`, exactly as https://docs.stripe.com/api/idempotent_requests says.
//!
//! The first status and body of a key are kept for 24 hours, in the same journal line as the changes of that request.
//! Nothing is kept when validation failed or while the first request is still running.

use std::sync::PoisonError;

use bipe_core::secret::{hex, sha256};
use serde_json::Value;

use crate::Sandbox;
use crate::fault::Fault;
use crate::form::Params;
use crate::objects::KeptAnswer;
use crate::store::{KEY_LIFETIME, Record, Tx};

/// The answer of a call.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub body: String,
    pub replayed: bool,
    /// The request that did the work, where a key was sent.
    pub original_request: Option<String>,
    /// The connection is to break instead of carrying the answer.
    pub cut: bool,
}

impl Answer {
    /// A failure, with the entry of the provider's log that its request has.
    pub fn of_fault(fault: Fault, request: &str) -> Self {
        Self::of(fault.status(), &fault.logged(request).envelope())
    }

    fn of(status: u16, body: &Value) -> Self {
        let body = serde_json::to_string_pretty(body).unwrap_or_default();
        Self { status, body, replayed: false, original_request: None, cut: false }
    }

    /// Does the work, or gives the kept answer of the transaction's key.
    pub fn once(
        tx: &mut Tx<'_>,
        params: &Params,
        target: &str,
        work: impl FnOnce(&mut Tx<'_>) -> Result<Value, Fault>,
    ) -> Self {
        let request = tx.request.clone().unwrap_or_default();
        let Some(key) = tx.idempotency_key.clone() else {
            return Self::of_result(work(tx), &request).0;
        };
        let fingerprint = hex(&sha256(format!("{target}\n{}", params.canonical()).as_bytes()));
        let live = tx.state.answers.get(&key).filter(|kept| kept.created > tx.now - KEY_LIFETIME);
        match live {
            Some(kept) if kept.fingerprint != fingerprint => {
                let fault = Fault::idempotency(format!(
                    "Keys for idempotent requests can only be used with the same parameters they were \
                     first used with. Try using a key other than '{key}' if you meant to execute a \
                     different request."
                ));
                return Self::of_fault(fault, &request);
            }
            Some(kept) => return Self::replay(kept),
            None => {}
        }
        let (mut answer, keep) = Self::of_result(work(tx), &request);
        answer.original_request.clone_from(&tx.request);
        if keep {
            tx.put(Record::Answer(KeptAnswer {
                key,
                created: tx.now,
                fingerprint,
                request,
                status: answer.status,
                body: answer.body.clone(),
            }));
        }
        answer
    }

    fn of_result(result: Result<Value, Fault>, request: &str) -> (Self, bool) {
        match result {
            Ok(value) => (Self::of(200, &value), true),
            Err(fault) => {
                let keep = fault.is_kept();
                (Self::of_fault(fault, request), keep)
            }
        }
    }

    fn replay(kept: &KeptAnswer) -> Self {
        Self {
            status: kept.status,
            body: kept.body.clone(),
            replayed: true,
            original_request: Some(kept.request.clone()),
            cut: false,
        }
    }
}

/// Held while the first request of a key runs; released also when the caller disconnects.
pub struct InFlight {
    sandbox: Sandbox,
    key: String,
}

impl InFlight {
    pub fn enter(sandbox: &Sandbox, key: &str) -> Result<Self, Fault> {
        let mut running = sandbox.0.in_flight.lock().unwrap_or_else(PoisonError::into_inner);
        if running.insert(key.to_owned()) {
            Ok(Self { sandbox: sandbox.clone(), key: key.to_owned() })
        } else {
            Err(Fault::key_in_use(key))
        }
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        self.sandbox.0.in_flight.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.key);
    }
}
