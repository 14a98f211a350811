//! Second factors: codes of an authenticator app (`totp`), passkeys (`passkey`) and recovery codes. This file says
//! which factors a person has, which proofs a client may send, and how each proof is compared.
//!
//! Called by the second step of a sign-in (`finish_sign_in`), by `step_up` and by `enrolment`. Invariant: a try is
//! counted before it is compared, and a right proof is used up in the transaction of its effect.

pub mod challenge;
pub mod enrolment;
mod finish_sign_in;
mod limits;
pub mod passkey;
pub mod recovery_code;
pub mod relying_party;
pub mod reset;
pub mod step_up;
pub mod totp;

use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::Auth;
use crate::audit::{self, AuditAction, Entry, Outcome};
use crate::auth::code::Digits;
use crate::caller::Caller;
use crate::db::Tx;
use crate::error::{Code, Error, FieldCode, Result};
use crate::event::{Channel, EventName, NewEvent};
use crate::id::UserId;
use crate::mailer::{self, Message};
use crate::scope::SignedIn;
use crate::user::User;

pub use finish_sign_in::PendingSignIn;
pub use passkey::PasskeyView;

/// A way to show a second factor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum FactorMethod {
    Totp,
    Passkey,
    Recovery,
}

/// What a client shows.
pub enum Proof {
    /// Of the authenticator app.
    Code(Digits),
    RecoveryCode(String),
    /// The JSON of the browser's `PublicKeyCredential`.
    Credential(Value),
}

impl Proof {
    /// Exactly one of the three.
    ///
    /// # Errors
    /// `Invalid` with `code`.
    pub fn parse(
        code: Option<&str>,
        recovery_code: Option<&str>,
        credential: Option<Value>,
    ) -> Result<Self> {
        match (code, recovery_code, credential) {
            (Some(code), None, None) => {
                Digits::parse(code).map(Self::Code).map_err(|code| Error::invalid("code", code))
            }
            (None, Some(code), None) if code.trim().is_empty() => {
                Err(Error::invalid("recoveryCode", FieldCode::Required))
            }
            (None, Some(code), None) => Ok(Self::RecoveryCode(code.to_owned())),
            (None, None, Some(credential)) => Ok(Self::Credential(credential)),
            (None, None, None) => Err(Error::invalid("code", FieldCode::Required)),
            _ => Err(Error::invalid("code", FieldCode::Invalid)),
        }
    }
}

/// What a person has; the answer of `GET /second-factor`.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SecondFactor {
    /// An authenticator app or a passkey is asked for at sign-in.
    pub enabled: bool,
    pub totp_enabled_at: Option<Timestamp>,
    pub passkeys: Vec<PasskeyView>,
    pub recovery_codes_left: i64,
    /// The domain of passkeys; absent where the address of this server is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub passkey_domain: Option<String>,
}

/// A proof that was right and has not been used up yet.
enum MatchingFactor {
    Totp { step: i64 },
    RecoveryCode { sha256: [u8; 32] },
    Passkey(passkey::Assertion),
}

impl Auth {
    /// # Errors
    /// `Unavailable`.
    pub async fn second_factor(&self, who: SignedIn) -> Result<SecondFactor> {
        let (tx, user) = (self.db.tx().await?, who.user_id);
        let totp_enabled_at = totp::confirmed_at(&tx, user).await?;
        let passkeys = passkey::of_user(&tx, user).await?;
        let recovery_codes_left = recovery_code::left(&tx, user).await?;
        let passkeys: Vec<_> = passkeys.into_iter().map(PasskeyView::from).collect();
        Ok(SecondFactor {
            enabled: totp_enabled_at.is_some() || !passkeys.is_empty(),
            totp_enabled_at,
            passkeys,
            recovery_codes_left,
            passkey_domain: self.relying_party.domain().map(str::to_owned),
        })
    }

    /// Compares a proof; none when it is wrong in any way. The caller has counted the try.
    async fn compare(
        &self,
        user: UserId,
        proof: &Proof,
        challenge: Option<&str>,
    ) -> Result<Option<MatchingFactor>> {
        let tx = self.db.tx().await?;
        Ok(match (proof, challenge) {
            (Proof::Code(digits), _) => {
                totp::step_of(&tx, user, digits).await?.map(|step| MatchingFactor::Totp { step })
            }
            (Proof::RecoveryCode(text), _) => {
                let sha256 = recovery_code::hash(text);
                let is_good = recovery_code::is_unused(&tx, user, &sha256).await?;
                is_good.then_some(MatchingFactor::RecoveryCode { sha256 })
            }
            (Proof::Credential(credential), Some(challenge)) => {
                let known = passkey::of_credential(&tx, credential).await?;
                known.filter(|known| known.user_id == user).and_then(|known| {
                    self.relying_party
                        .verify(credential, challenge, &known)
                        .map(MatchingFactor::Passkey)
                })
            }
            (Proof::Credential(_), None) => None,
        })
    }

    /// Uses the proof up in the transaction of its effect and hands that back.
    ///
    /// # Errors
    /// `Rejected(INVALID_SECOND_FACTOR)` when somebody else did so first, or a passkey counts backwards.
    async fn consume_factor(
        &self,
        mut tx: Tx,
        (user, factor): (&User, &MatchingFactor),
        (action, caller): (AuditAction, &Caller),
    ) -> Result<Tx> {
        let is_first = match factor {
            MatchingFactor::Totp { step } => totp::consume_step(&tx, user.id, *step).await?,
            MatchingFactor::RecoveryCode { sha256 } => {
                recovery_code::consume(&tx, user.id, sha256).await?
            }
            MatchingFactor::Passkey(assertion) => passkey::advance_counter(&tx, assertion).await?,
        };
        if !is_first {
            tx.rollback().await?;
            if let MatchingFactor::Passkey(assertion) = factor {
                self.notify_copied(user, assertion, caller).await?;
            }
            self.audit_wrong(Some(user.id), action, caller).await?;
            return Err(refused());
        }
        if let MatchingFactor::RecoveryCode { .. } = factor {
            let left = recovery_code::left(&tx, user.id).await?;
            let device = caller.device.clone();
            let message = |name, at| Message::RecoveryCodeUsed { name, at, device, left };
            mailer::enqueue_for(&mut tx, user, message)?;
        }
        Ok(tx)
    }

    /// A copy of the passkey is about, or its counter is broken: the owner hears of it.
    async fn notify_copied(
        &self,
        user: &User,
        assertion: &passkey::Assertion,
        caller: &Caller,
    ) -> Result<()> {
        let mut tx = self.db.tx().await?.caused_by(caller);
        let entry = caller.audit(AuditAction::PasskeyCountBackwards, Outcome::Refused);
        audit::record(&tx, Entry { actor: Some(user.id), ..entry.about(assertion.id) });
        let (passkey, device) = (assertion.name.clone(), caller.device.clone());
        let message = |name, at| Message::PasskeyCopied { name, at, passkey, device };
        mailer::enqueue_for(&mut tx, user, message)?;
        tx.commit().await
    }

    /// One row for a proof that was wrong.
    pub(in crate::auth) async fn audit_wrong(
        &self,
        user: Option<UserId>,
        action: AuditAction,
        caller: &Caller,
    ) -> Result<()> {
        let tx = self.db.tx().await?.caused_by(caller);
        let entry = Entry { actor: user, ..caller.audit(action, Outcome::Refused) };
        audit::record(&tx, entry);
        tx.commit().await
    }
}

fn refused() -> Error {
    Error::Rejected(Code::InvalidSecondFactor)
}

/// Whether the person has a factor; nobody else adds or removes one until this transaction is over.
///
/// # Errors
/// `SignInRequired` for a person who is gone.
async fn lock(tx: &Tx, user: UserId) -> Result<bool> {
    tx.find_value(LOCK, &[&user]).await?.ok_or_else(Error::signed_out)
}

const LOCK: &str = "SELECT has_second_factor FROM users WHERE id = $1 AND anonymised_at IS NULL \
     FOR NO KEY UPDATE";

/// Removes the factors that were added at an instant or later, and the recovery codes with them. Answers whether there
/// were any. Locks the person's row.
pub(in crate::auth) async fn remove_since(
    tx: &mut Tx,
    user: UserId,
    since: Timestamp,
) -> Result<bool> {
    lock(tx, user).await?;
    let mut removed = 0;
    for sql in [REMOVE_TOTP_SINCE, REMOVE_PASSKEYS_SINCE] {
        removed += tx.execute(sql, &[&user, &since]).await?;
    }
    if removed > 0 {
        recovery_code::drop_all(tx, user).await?;
        note_change(tx, user).await?;
    }
    Ok(removed > 0)
}

const REMOVE_TOTP_SINCE: &str =
    "DELETE FROM totp_factors WHERE user_id = $1 AND confirmed_at >= $2";
const REMOVE_PASSKEYS_SINCE: &str = "DELETE FROM passkeys WHERE user_id = $1 AND created_at >= $2";

/// Notes in the locked row whether there is a factor now, and answers that. Without one the recovery codes are void.
/// Every node asks again what the person may see, and every tab which factors there are.
async fn note_change(tx: &mut Tx, user: UserId) -> Result<bool> {
    let after: bool = tx.value(NOTE, &[&user]).await?;
    if !after {
        recovery_code::drop_all(tx, user).await?;
    }
    tx.emit(NewEvent::new(Channel::User(user), EventName::MembershipChanged, user, &())?);
    Ok(after)
}

const NOTE: &str = "UPDATE users SET has_second_factor = \
     EXISTS (SELECT FROM totp_factors t WHERE t.user_id = $1 AND t.confirmed_at IS NOT NULL) \
     OR EXISTS (SELECT FROM passkeys p WHERE p.user_id = $1) WHERE id = $1 \
     RETURNING has_second_factor";
