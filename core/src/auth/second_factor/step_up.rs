//! Shows the second factor again within a session, before an act that a stolen session must not make.

use serde_json::Value;

use super::challenge::{self, ChallengeBinding, Purpose};
use super::relying_party::challenge_of;
use super::{Proof, lock, passkey, refused};
use crate::audit::{self, Entry, Outcome};
use crate::auth::session::signed_in::Authenticated;
use crate::auth::{Auth, session};
use crate::caller::Caller;
use crate::db::Db;
use crate::error::{Code, Error, Result};
use crate::user::store;

const ACTION: &str = "session.step_up";

impl Auth {
    /// What one of the caller's passkeys may sign.
    ///
    /// # Errors
    /// `NotFound` for a person without passkeys.
    pub async fn step_up_options(&self, db: &Db, alive: &Authenticated) -> Result<Value> {
        let tx = db.tx().await?;
        let passkeys = passkey::of_user(&tx, alive.who.user_id).await?;
        if passkeys.is_empty() {
            return Err(Error::not_found());
        }
        let bound = ChallengeBinding {
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
        alive: &Authenticated,
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
