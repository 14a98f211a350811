//! Adds and removes second factors, and replaces the recovery codes.
//!
//! A person with a factor shows it first (`step_up`); a person without one gives the password. Every change is audited
//! and mailed.

use jiff::{SignedDuration, Timestamp};
use serde_json::Value;
use uuid::Uuid;

use super::challenge::{self, ChallengeBinding, Purpose};
use super::passkey::{self, PasskeyView};
use super::relying_party::challenge_of;
use super::{lock, note_change, recovery_code, refused, totp};
use crate::audit::{self, AuditAction, Entry};
use crate::auth::code::Digits;
use crate::auth::recovery::undo;
use crate::auth::recovery::undo_link::Cause;
use crate::auth::session::signed_in::Authenticated;
use crate::auth::{Auth, session};
use crate::caller::Caller;
use crate::db::Tx;
use crate::error::{Code, Error, FieldCode, Result};
use crate::mailer::{self, Message};
use crate::rate_limit;
use crate::user::store;
use crate::user::{User, UserRole, parse_name};

/// An app that was offered is set up within this time, or offered again.
const OFFERED_FOR: SignedDuration = SignedDuration::from_mins(15);

/// Shown once.
pub type RecoveryCodes = Vec<String>;

/// A change of a person's factors, in the transaction that has locked the person's row.
struct FactorChange<'a> {
    tx: Tx,
    user: User,
    /// There was a factor before the change.
    had_factor: bool,
    alive: &'a Authenticated,
    caller: &'a Caller,
}

impl Auth {
    /// Offers a secret for an authenticator app; it is no factor before its first code.
    ///
    /// # Errors
    /// `Conflict` while an app is set up; as [`Auth::prove_owner`].
    pub async fn offer_totp(
        &self,
        alive: &Authenticated,
        password: Option<&str>,
        caller: &Caller,
    ) -> Result<totp::Offer> {
        self.prove_owner(alive, password, caller).await?;
        let FactorChange { tx, user, .. } = self.begin(alive, caller).await?;
        let offer = totp::offer(&tx, user.id, &user.email).await?;
        let offer = offer.ok_or_else(|| Error::conflict(Code::Conflict))?;
        tx.commit().await?;
        Ok(offer)
    }

    /// The offered app becomes a factor by its first code. With the person's first factor come recovery codes. A try is
    /// counted as at a sign-in: a thief of the session knows neither password nor secret.
    ///
    /// # Errors
    /// `Rejected(INVALID_SECOND_FACTOR)` for a wrong code and a late one alike, `TooMany`.
    pub async fn confirm_totp(
        &self,
        alive: &Authenticated,
        digits: &Digits,
        caller: &Caller,
    ) -> Result<Option<RecoveryCodes>> {
        let user = self.me(alive.who).await?;
        let guess = self.count_factor_guess(&user, caller).await?;
        let mut change = self.begin(alive, caller).await?;
        let (tx, user_id) = (&change.tx, user.id);
        let since = tx.now().checked_sub(OFFERED_FOR).map_err(Error::internal)?;
        let step = totp::step_of_offered(tx, user_id, digits, since).await?;
        let Some(step) = step else {
            change.tx.rollback().await?;
            self.audit_wrong(Some(user_id), AuditAction::SecondFactorAdd, caller).await?;
            return Err(refused());
        };
        totp::confirm(tx, user_id, step).await?;
        self.give_guess_back(tx, &guess).await?;
        let codes = self.finish_adding(&mut change, None).await?;
        change.tx.commit().await?;
        Ok(codes)
    }

    /// # Errors
    /// `NotFound` where no app is set up, `Denied(SECOND_FACTOR_REQUIRED)` for the last factor of a person who
    /// needs one,
    /// `Denied(STEP_UP_REQUIRED)`.
    pub async fn remove_totp(&self, alive: &Authenticated, caller: &Caller) -> Result<()> {
        prove_holder(alive, self.db.clock().now())?;
        let mut change = self.begin(alive, caller).await?;
        if !totp::remove(&change.tx, change.user.id).await? {
            return Err(Error::not_found());
        }
        self.finish_removing(&mut change, None).await?;
        change.tx.commit().await
    }

    /// What an authenticator needs to make a passkey.
    ///
    /// # Errors
    /// `Conflict` for a person with ten passkeys, `NotFound` where passkeys cannot be; as [`Auth::prove_owner`].
    pub async fn passkey_creation(
        &self,
        alive: &Authenticated,
        password: Option<&str>,
        caller: &Caller,
    ) -> Result<Value> {
        self.prove_owner(alive, password, caller).await?;
        let FactorChange { tx, user, .. } = self.begin(alive, caller).await?;
        let known = passkey::of_user(&tx, user.id).await?;
        if known.len() >= passkey::MAX_PER_USER {
            return Err(Error::conflict(Code::Conflict));
        }
        let bound = ChallengeBinding::of(alive.who);
        let challenge = challenge::issue(&tx, Purpose::Enroll, bound).await?;
        let options = self.relying_party.ask_to_create(&user, &challenge, &known);
        let options = options.ok_or_else(Error::not_found)?;
        tx.commit().await?;
        Ok(options)
    }

    /// Adds the passkey that an authenticator has made. With the person's first factor come recovery codes.
    ///
    /// # Errors
    /// `Invalid(name)`, `Rejected(INVALID_SECOND_FACTOR)` for what is no answer to a question of ours to this
    /// session, `Conflict` for a passkey that is known already or one too many.
    pub async fn add_passkey(
        &self,
        alive: &Authenticated,
        name: &str,
        credential: &Value,
        caller: &Caller,
    ) -> Result<(PasskeyView, Option<RecoveryCodes>)> {
        let name = parse_name(name, passkey::NAME).map_err(|code| Error::invalid("name", code))?;
        let challenge = challenge_of(credential).unwrap_or_default();
        let bound = challenge::count(&self.db, Purpose::Enroll, &challenge).await?;
        let is_ours = bound.is_some_and(|bound| bound.session == Some(alive.who.session_id));
        let new = self.relying_party.read_new(credential, &challenge).filter(|_| is_ours);
        let mut change = self.begin(alive, caller).await?;
        let (tx, user_id) = (&change.tx, change.user.id);
        let new = match new {
            Some(new) if challenge::consume(tx, &challenge).await? => new,
            _ => {
                change.tx.rollback().await?;
                self.audit_wrong(Some(user_id), AuditAction::SecondFactorAdd, caller).await?;
                return Err(refused());
            }
        };
        if passkey::of_user(tx, user_id).await?.len() >= passkey::MAX_PER_USER {
            return Err(Error::conflict(Code::Conflict));
        }
        let passkey = passkey::add(tx, user_id, &name, &new).await?;
        let codes = self.finish_adding(&mut change, Some(&passkey)).await?;
        change.tx.commit().await?;
        Ok((passkey, codes))
    }

    /// # Errors
    /// As [`Auth::remove_totp`].
    pub async fn remove_passkey(
        &self,
        alive: &Authenticated,
        id: Uuid,
        caller: &Caller,
    ) -> Result<()> {
        prove_holder(alive, self.db.clock().now())?;
        let mut change = self.begin(alive, caller).await?;
        let name = passkey::remove(&change.tx, change.user.id, id).await?;
        self.finish_removing(&mut change, Some((id, name))).await?;
        change.tx.commit().await
    }

    /// Ten new codes; those from before are void.
    ///
    /// # Errors
    /// `NotFound` for a person without a factor, `Denied(STEP_UP_REQUIRED)`.
    pub async fn replace_recovery_codes(
        &self,
        alive: &Authenticated,
        caller: &Caller,
    ) -> Result<RecoveryCodes> {
        prove_holder(alive, self.db.clock().now())?;
        let FactorChange { mut tx, user, had_factor, .. } = self.begin(alive, caller).await?;
        if !had_factor {
            return Err(Error::not_found());
        }
        let codes = recovery_code::replace(&tx, user.id).await?;
        audit::record(&tx, entry(alive, AuditAction::RecoveryCodesReplace, None, caller));
        let message = |name, at| Message::RecoveryCodesReplaced { name, at };
        mailer::enqueue_for(&mut tx, &user, message)?;
        tx.commit().await?;
        Ok(codes)
    }

    /// Whoever has a factor has shown it just now; who has none knows the password.
    ///
    /// # Errors
    /// `Denied(STEP_UP_REQUIRED)`, `Invalid(password)`, `TooMany`.
    async fn prove_owner(
        &self,
        alive: &Authenticated,
        password: Option<&str>,
        caller: &Caller,
    ) -> Result<()> {
        if alive.assurance.has_second_factor {
            return alive.assurance.prove_fresh(self.db.clock().now());
        }
        let password = password.filter(|password| !password.is_empty());
        let password = password.ok_or_else(|| Error::invalid("password", FieldCode::Required))?;
        let person = alive.who.user_id.to_string();
        self.limit(rate_limit::FACTOR_CHANGE, &["user", &person]).await?;
        let action = AuditAction::SecondFactorAdd;
        self.prove_password(alive.who, password, action, caller).await.map(drop)
    }

    /// The person's row is locked. Whoever reset the password meanwhile has ended the session, and whoever added a
    /// factor wants it to be shown.
    async fn begin<'a>(
        &self,
        alive: &'a Authenticated,
        caller: &'a Caller,
    ) -> Result<FactorChange<'a>> {
        let tx = self.db.tx().await?.caused_by(caller);
        let had_factor = lock(&tx, alive.who.user_id).await?;
        if had_factor && !alive.assurance.has_second_factor {
            return Err(Error::Denied(Code::StepUpRequired));
        }
        session::prove_alive(&tx, alive.who.session_id).await?;
        let user = store::find(&tx, alive.who.user_id).await?;
        let user = user.ok_or_else(Error::signed_out)?;
        Ok(FactorChange { tx, user, had_factor, alive, caller })
    }

    /// What follows when a factor was added: audit and mail. With the first one come recovery codes, and the other
    /// sessions end: none of them has shown a factor.
    async fn finish_adding(
        &self,
        FactorChange { tx, user, had_factor, alive, caller }: &mut FactorChange<'_>,
        passkey: Option<&PasskeyView>,
    ) -> Result<Option<RecoveryCodes>> {
        note_change(tx, user.id).await?;
        // Whoever has just added a factor holds it.
        session::note_step_up(tx, alive.who.session_id).await?;
        let target = passkey.map(|passkey| passkey.id);
        audit::record(tx, entry(alive, AuditAction::SecondFactorAdd, target, caller));
        let (passkey, device) = (passkey.map(|added| added.name.clone()), caller.device.clone());
        // A reset alone would leave whoever did not add it before a second step that they cannot answer.
        let undo = Some(undo::issue(tx, &self.keys.code, user, Cause::SecondFactor).await?);
        let message = |name, at| Message::SecondFactorAdded { name, at, passkey, device, undo };
        mailer::enqueue_for(tx, user, message)?;
        if *had_factor {
            return Ok(None);
        }
        self.end_sessions(tx, user.id, Some(alive.who.session_id)).await?;
        recovery_code::replace(tx, user.id).await.map(Some)
    }

    /// What follows when a factor was removed: audit and mail.
    ///
    /// # Errors
    /// `Denied(SECOND_FACTOR_REQUIRED)` for the last factor of a person who needs one.
    async fn finish_removing(
        &self,
        FactorChange { tx, user, alive, caller, .. }: &mut FactorChange<'_>,
        passkey: Option<(Uuid, String)>,
    ) -> Result<()> {
        let has_factor = note_change(tx, user.id).await?;
        if !has_factor && self.admins_need_second_factor && user.role == UserRole::Admin {
            return Err(Error::Denied(Code::SecondFactorRequired));
        }
        let target = passkey.as_ref().map(|(id, _)| *id);
        audit::record(tx, entry(alive, AuditAction::SecondFactorRemove, target, caller));
        let (passkey, is_last) = (passkey.map(|(_, name)| name), !has_factor);
        let message = |name, at| Message::SecondFactorRemoved { name, at, passkey, is_last };
        mailer::enqueue_for(tx, user, message)
    }
}

/// Whoever takes a factor away has one, and has shown it just now.
///
/// # Errors
/// `NotFound`, `Denied(STEP_UP_REQUIRED)`.
fn prove_holder(alive: &Authenticated, now: Timestamp) -> Result<()> {
    if !alive.assurance.has_second_factor {
        return Err(Error::not_found());
    }
    alive.assurance.prove_fresh(now)
}

fn entry<'a>(
    alive: &Authenticated,
    action: AuditAction,
    target: Option<Uuid>,
    caller: &'a Caller,
) -> Entry<'a> {
    let target = target.map(|id| id.to_string());
    Entry { target, ..caller.audit_of(alive.who, action) }
}
