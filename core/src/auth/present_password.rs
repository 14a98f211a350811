//! Somebody signed in proves the present password before a change that a stolen session may not make.
//!
//! Called by the changes of password and address. A try counts like one at sign-in, before it is compared. The comparison
//! runs outside any transaction; the one of the change asks [`Proven::still_holds`] whether what was compared still stands.

use super::sign_in::Counted;
use super::{Auth, Caller, session};
use crate::audit::{self, Entry, Outcome};
use crate::auth::password::Verdict;
use crate::db::{Db, Tx};
use crate::error::{Code, Error, FieldCode, Result};
use crate::scope::SignedIn;
use crate::user::User;
use crate::user::store::{self, Credentials};

/// The present password was right a moment ago.
pub(super) struct Proven<'a> {
    who: SignedIn,
    compared: Credentials,
    field: &'static str,
    counted: Counted<'a>,
}

impl Auth {
    /// # Errors
    /// `Invalid(field)` for a wrong password, audited as a refused `action`; `TooMany` as at sign-in.
    pub(super) async fn prove_present_password<'a>(
        &self,
        db: &Db,
        who: SignedIn,
        (field, password): (&'static str, &str),
        (action, caller): (&'static str, &'a Caller),
    ) -> Result<Proven<'a>> {
        let tx = db.tx().await?;
        let compared = store::credentials(&tx, who.user_id).await?;
        tx.rollback().await?;
        let compared = compared.ok_or(Error::SignInRequired(Code::Unauthorized))?;
        let counted = self.count_try(db, &compared.user.email, caller).await?;
        let stored = Some(compared.password_hash.as_str());
        let verdict = self.hasher.verify(db.runtime(), password, stored, db.clock()).await?;
        if verdict != Verdict::Wrong {
            return Ok(Proven { who, compared, field, counted });
        }
        let mut tx = db.tx().await?;
        tx.set_cause(Some(&caller.request_id));
        let entry = Entry {
            actor: Some(who.user_id),
            session: Some(who.session_id),
            ..caller.audit(action, Outcome::Refused)
        };
        audit::record(&tx, entry).await?;
        tx.commit().await?;
        Err(Error::invalid(field, FieldCode::Invalid))
    }

    /// In the transaction of the change: the person, locked, after proving that password and session are still those that
    /// asked. The tries are forgiven.
    ///
    /// # Errors
    /// `Invalid(field)` when the password has changed meanwhile, `SignInRequired` when the session has ended.
    pub(super) async fn still_proven(&self, tx: &Tx, proven: &Proven<'_>) -> Result<User> {
        let ended = || Error::SignInRequired(Code::Unauthorized);
        let now = store::lock_credentials(tx, proven.who.user_id).await?.ok_or_else(ended)?;
        let session = session::find_locked(tx, proven.who.session_id).await?;
        session.filter(|session| session.is_alive(tx.now())).ok_or_else(ended)?;
        if now.password_hash != proven.compared.password_hash {
            return Err(Error::invalid(proven.field, FieldCode::Invalid));
        }
        self.forgive_tries(tx, &proven.counted).await?;
        Ok(now.user)
    }
}
