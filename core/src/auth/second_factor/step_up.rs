//! Showing the second factor again within a session, before an act that matters more than others.

use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

use super::challenge::{self, Bound, Purpose};
use super::relying_party::challenge_of;
use super::{Proof, lock, passkey, refused};
use crate::audit::{self, Entry, Outcome};
use crate::auth::signed_in::Alive;
use crate::auth::{Auth, Caller, session};
use crate::db::Db;
use crate::error::{Code, Error, Result};
use crate::user::store;

/// How long a proof counts.
pub const FRESH: SignedDuration = SignedDuration::from_mins(10);
const ACTION: &str = "session.step_up";

/// What a session has shown beside a password.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Assurance {
    /// Its owner has a second factor.
    pub has_second_factor: bool,
    /// When this session last showed it.
    pub stepped_up_at: Option<Timestamp>,
}

impl Assurance {
    /// # Errors
    /// `Denied(STEP_UP_REQUIRED)` for who has a second factor and has not shown it for ten minutes.
    pub fn prove_fresh(self, now: Timestamp) -> Result<()> {
        let is_fresh = self.stepped_up_at.is_some_and(|at| now.duration_since(at) <= FRESH);
        if self.has_second_factor && !is_fresh {
            return Err(Error::Denied(Code::StepUpRequired));
        }
        Ok(())
    }
}

impl Auth {
    /// What one of the caller's passkeys may sign.
    ///
    /// # Errors
    /// `NotFound` for who has none.
    pub async fn step_up_options(&self, db: &Db, alive: &Alive) -> Result<Value> {
        let tx = db.tx().await?;
        let passkeys = passkey::of_user(&tx, alive.who.user_id).await?;
        if passkeys.is_empty() {
            return Err(Error::not_found());
        }
        let bound = Bound {
            user: Some(alive.who.user_id),
            session: Some(alive.who.session_id),
            password_sha256: None,
        };
        let challenge = challenge::issue(&tx, Purpose::StepUp, bound).await?;
        let options = self.relying_party.ask_to_show(&challenge, &passkeys);
        let options = options.ok_or_else(Error::not_found)?;
        tx.commit().await?;
        Ok(options)
    }

    /// The session has shown the second factor now.
    ///
    /// # Errors
    /// `Rejected(INVALID_SECOND_FACTOR)` for a proof that is wrong, old or used, `TooMany`.
    pub async fn step_up(
        &self,
        db: &Db,
        alive: &Alive,
        proof: &Proof,
        caller: &Caller,
    ) -> Result<()> {
        let who = alive.who;
        let tx = db.tx().await?;
        let user = store::find(&tx, who.user_id).await?;
        tx.rollback().await?;
        let user = user.ok_or(Error::SignInRequired(Code::Unauthorized))?;
        let guess = self.count_factor_guess(db, &user, caller).await?;
        let challenge = match proof {
            Proof::Credential(credential) => challenge_of(credential),
            Proof::Code(_) | Proof::RecoveryCode(_) => None,
        };
        let is_asked = match &challenge {
            Some(text) => {
                let bound = challenge::count(db, Purpose::StepUp, text).await?;
                bound.is_some_and(|bound| bound.session == Some(who.session_id))
            }
            None => !matches!(proof, Proof::Credential(_)),
        };
        let right = match is_asked {
            true => self.compare(db, user.id, proof, challenge.as_deref()).await?,
            false => None,
        };
        let Some(right) = right else {
            self.audit_wrong(db, Some(user.id), ACTION, caller).await?;
            return Err(refused());
        };
        let mut tx = db.tx().await?;
        tx.set_cause(Some(&caller.request_id));
        lock(&tx, user.id).await?;
        if let Some(text) = &challenge
            && !challenge::take(&tx, text).await?
        {
            return Err(refused());
        }
        let tx = self.settle(db, tx, (&user, &right), (ACTION, caller)).await?;
        self.give_factor_guess_back(&tx, &guess).await?;
        session::note_step_up(&tx, who.session_id).await?;
        let entry = Entry {
            actor: Some(user.id),
            session: Some(who.session_id),
            ..caller.audit(ACTION, Outcome::Ok)
        };
        audit::record(&tx, entry).await?;
        tx.commit().await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_proof_counts_for_ten_minutes_and_only_where_there_is_a_factor() {
        let now: Timestamp = "2026-11-21T12:00:00Z".parse().unwrap();
        let ago = |seconds| now.checked_sub(SignedDuration::from_secs(seconds)).ok();
        let is_let = |has_second_factor, stepped_up_at| {
            Assurance { has_second_factor, stepped_up_at }.prove_fresh(now).is_ok()
        };
        assert!(is_let(true, ago(0)) && is_let(true, ago(600)));
        assert!(!is_let(true, ago(601)) && !is_let(true, None));
        assert!(is_let(false, None) && is_let(false, ago(6_000)));
    }
}
