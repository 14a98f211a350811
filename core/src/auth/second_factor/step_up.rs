//! Shows the second factor again within a session, before an act that a stolen session must not make.

use serde_json::Value;

use super::challenge::{self, ChallengeBinding, Purpose};
use super::relying_party::challenge_of;
use super::{Proof, lock, passkey, refused};
use crate::audit::{self, AuditAction};
use crate::auth::session::signed_in::Authenticated;
use crate::auth::{Auth, session};
use crate::caller::Caller;
use crate::error::{Error, Result};
use crate::user::store;

const ACTION: AuditAction = AuditAction::SessionStepUp;

impl Auth {
    /// What one of the caller's passkeys may sign.
    ///
    /// # Errors
    /// `NotFound` for a person without passkeys.
    pub async fn step_up_options(&self, alive: &Authenticated) -> Result<Value> {
        let tx = self.db.tx().await?;
        let passkeys = passkey::of_user(&tx, alive.who.user_id).await?;
        if passkeys.is_empty() {
            return Err(Error::not_found());
        }
        let bound = ChallengeBinding::of(alive.who);
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
        alive: &Authenticated,
        proof: &Proof,
        caller: &Caller,
    ) -> Result<()> {
        let who = alive.who;
        let user = store::find(&self.db.tx().await?, who.user_id).await?;
        let user = user.ok_or_else(Error::signed_out)?;
        let guess = self.count_factor_guess(&user, caller).await?;
        let challenge = match proof {
            Proof::Credential(credential) => challenge_of(credential),
            Proof::Code(_) | Proof::RecoveryCode(_) => None,
        };
        let is_asked = match &challenge {
            Some(text) => {
                let bound = challenge::count(&self.db, Purpose::StepUp, text).await?;
                bound.is_some_and(|bound| bound.session == Some(who.session_id))
            }
            None => !matches!(proof, Proof::Credential(_)),
        };
        let factor = match is_asked {
            true => self.compare(user.id, proof, challenge.as_deref()).await?,
            false => None,
        };
        let Some(factor) = factor else {
            self.audit_wrong(Some(user.id), ACTION, caller).await?;
            return Err(refused());
        };
        let tx = self.db.tx().await?.caused_by(caller);
        lock(&tx, user.id).await?;
        if let Some(text) = &challenge
            && !challenge::consume(&tx, text).await?
        {
            return Err(refused());
        }
        let tx = self.consume_factor(tx, (&user, &factor), (ACTION, caller)).await?;
        self.give_guess_back(&tx, &guess).await?;
        session::note_step_up(&tx, who.session_id).await?;
        audit::record(&tx, caller.audit_of(who, ACTION));
        tx.commit().await
    }
}
