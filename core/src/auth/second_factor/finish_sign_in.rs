//! The second step of a sign-in, and the sign-in by a passkey alone, which is both steps at once.
//!
//! Invariant: under the lock of the person's row, the session starts only if the person is still there and the password
//! is still the one that the first step verified.

use serde_json::Value;

use super::challenge::{self, ChallengeBinding, Purpose};
use super::relying_party::challenge_of;
use super::{FactorMethod, MatchingFactor, Proof, passkey, recovery_code, refused, totp};
use crate::audit::{self, AuditAction, Entry, Outcome};
use crate::auth::Auth;
use crate::auth::session::sign_in::{SignInContext, refusal_of};
use crate::auth::session::token::Tokens;
use crate::caller::Caller;
use crate::db::Tx;
use crate::error::{Code, Error, Result};
use crate::rate_limit;
use crate::secret::{equal, sha256};
use crate::user::User;
use crate::user::store::{self, Credentials};

const ACTION: AuditAction = AuditAction::SessionStart;

/// A right password of somebody who has a second factor.
#[derive(Clone, Debug)]
pub struct PendingSignIn {
    /// Names this sign-in in its second step.
    pub challenge: String,
    pub methods: Vec<FactorMethod>,
    /// `PublicKeyCredentialRequestOptionsJSON`, if the person has passkeys.
    pub passkey_options: Option<Value>,
}

/// What a passkey has signed: it names its owner.
struct SignedChallenge {
    owner: User,
    challenge: String,
    factor: MatchingFactor,
}

fn invalid_challenge() -> Error {
    Error::SignInRequired(Code::InvalidChallenge)
}

impl Auth {
    /// What the person may show, bound to the password that was right.
    pub(in crate::auth) async fn ask_second_factor(
        &self,
        tx: &Tx,
        verified: &Credentials,
    ) -> Result<PendingSignIn> {
        let user = verified.user.id;
        let bound = ChallengeBinding {
            user: Some(user),
            session: None,
            password_sha256: Some(sha256(verified.password_hash.as_bytes())),
        };
        let challenge = challenge::issue(tx, Purpose::SignIn, bound).await?;
        let passkeys = passkey::of_user(tx, user).await?;
        let passkey_options = Some(passkeys)
            .filter(|passkeys| !passkeys.is_empty())
            .and_then(|passkeys| self.relying_party.ask_to_show(&challenge, &passkeys));
        let has = [
            (FactorMethod::Passkey, passkey_options.is_some()),
            (FactorMethod::Totp, totp::confirmed_at(tx, user).await?.is_some()),
            (FactorMethod::Recovery, recovery_code::left(tx, user).await? > 0),
        ];
        let methods = has.into_iter().filter(|(_, has)| *has).map(|(method, _)| method).collect();
        Ok(PendingSignIn { challenge, methods, passkey_options })
    }

    /// Starts the session that a right password asked for.
    ///
    /// # Errors
    /// `SignInRequired(INVALID_CHALLENGE)` when the first step has to be repeated, `Rejected(INVALID_SECOND_FACTOR)`
    /// for a proof that is wrong, old or used, `Denied` as for a sign-in, `TooMany`.
    pub async fn finish_sign_in(
        &self,
        challenge: &str,
        proof: &Proof,
        caller: &Caller,
    ) -> Result<(User, Tokens)> {
        self.limit(rate_limit::SIGN_IN, &["ip", &caller.network]).await?;
        let bound = challenge::count(&self.db, Purpose::SignIn, challenge).await?;
        let Some((bound, id)) = bound.and_then(|bound| Some((bound, bound.user?))) else {
            self.audit_wrong(None, ACTION, caller).await?;
            return Err(invalid_challenge());
        };
        let user = store::find(&self.db.tx().await?, id).await?;
        let user = user.ok_or_else(invalid_challenge)?;
        let guess = self.count_factor_guess(&user, caller).await?;
        let Some(factor) = self.compare(id, proof, Some(challenge)).await? else {
            self.audit_wrong(Some(id), ACTION, caller).await?;
            return Err(refused());
        };
        let tx = self.db.tx().await?.caused_by(caller);
        let now = store::lock_credentials(&tx, id).await?;
        let stands = |now: &Credentials| {
            let hash = sha256(now.password_hash.as_bytes());
            bound.password_sha256.is_some_and(|verified| equal(&hash, &verified))
        };
        let Some(now) = now.filter(stands) else { return Err(invalid_challenge()) };
        if !challenge::consume(&tx, challenge).await? {
            return Err(invalid_challenge());
        }
        self.give_guess_back(&tx, &guess).await?;
        let context = SignInContext { caller, is_known: guess.is_known, shows_second_factor: true };
        self.complete_sign_in(tx, now.user, &factor, context).await
    }

    /// What any passkey of this server may sign to come in.
    ///
    /// # Errors
    /// `NotFound` where passkeys cannot be, `TooMany`.
    pub async fn passkey_options(&self, caller: &Caller) -> Result<Value> {
        self.limit(rate_limit::PASSKEY_ASKED, &["ip", &caller.network]).await?;
        let tx = self.db.tx().await?;
        let challenge =
            challenge::issue(&tx, Purpose::PasskeySignIn, ChallengeBinding::default()).await?;
        let options =
            self.relying_party.ask_to_show(&challenge, &[]).ok_or_else(Error::not_found)?;
        tx.commit().await?;
        Ok(options)
    }

    /// Starts a session for the owner of the passkey.
    ///
    /// # Errors
    /// `SignInRequired(INVALID_CREDENTIALS)` for any other fault, `Rejected(INVALID_SECOND_FACTOR)` when it
    /// counts backwards, `Denied` as for a sign-in, `TooMany`.
    pub async fn passkey_sign_in(
        &self,
        credential: &Value,
        caller: &Caller,
    ) -> Result<(User, Tokens)> {
        self.limit(rate_limit::SIGN_IN, &["ip", &caller.network]).await?;
        let Some(signed) = self.recognise(credential).await? else {
            self.audit_wrong(None, ACTION, caller).await?;
            return Err(Error::SignInRequired(Code::InvalidCredentials));
        };
        let SignedChallenge { owner, challenge, factor } = signed;
        let is_known = self.is_known(&owner.email, caller).await?;
        let tx = self.db.tx().await?.caused_by(caller);
        let now = store::lock_credentials(&tx, owner.id).await?;
        let is_first = challenge::consume(&tx, &challenge).await?;
        let Some(now) = now.filter(|_| is_first) else {
            tx.rollback().await?;
            self.audit_wrong(Some(owner.id), ACTION, caller).await?;
            return Err(Error::SignInRequired(Code::InvalidCredentials));
        };
        let context = SignInContext { caller, is_known, shows_second_factor: true };
        self.complete_sign_in(tx, now.user, &factor, context).await
    }

    /// None for what is no answer of a known passkey to a challenge of ours.
    async fn recognise(&self, credential: &Value) -> Result<Option<SignedChallenge>> {
        let Some(challenge) = challenge_of(credential) else { return Ok(None) };
        if challenge::count(&self.db, Purpose::PasskeySignIn, &challenge).await?.is_none() {
            return Ok(None);
        }
        let tx = self.db.tx().await?;
        let Some(known) = passkey::of_credential(&tx, credential).await? else { return Ok(None) };
        let owner = store::find(&tx, known.user_id).await?;
        let assertion = self.relying_party.verify(credential, &challenge, &known);
        Ok(owner.zip(assertion).map(|(owner, assertion)| {
            let factor = MatchingFactor::Passkey(assertion);
            SignedChallenge { owner, challenge, factor }
        }))
    }

    /// Both factors were right: uses the second one up and starts the session.
    async fn complete_sign_in(
        &self,
        tx: Tx,
        user: User,
        factor: &MatchingFactor,
        context: SignInContext<'_>,
    ) -> Result<(User, Tokens)> {
        let tx = self.consume_factor(tx, (&user, factor), (ACTION, context.caller)).await?;
        if let Some(code) = refusal_of(&user) {
            let entry = context.caller.audit(ACTION, Outcome::Refused);
            audit::record(&tx, Entry { actor: Some(user.id), ..entry });
            tx.commit().await?;
            return Err(Error::Denied(code));
        }
        let tokens = self.grant(tx, &user, context).await?;
        Ok((user, tokens))
    }
}
