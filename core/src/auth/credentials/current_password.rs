//! A signed-in person proves the current password before a change that a stolen session must not make.
//!
//! Called by the changes of password and address, by an erasure and by the first second factor. The comparison takes
//! long and runs outside any transaction. The transaction of the change then asks [`Auth::still_proven`] whether the
//! password and the session are still the ones that were compared.

use crate::audit::{self, AuditAction, Entry, Outcome};
use crate::auth::password::PasswordCheck;
use crate::auth::{Auth, session};
use crate::caller::Caller;
use crate::db::Tx;
use crate::error::{Error, FieldCode, Result};
use crate::scope::SignedIn;
use crate::user::User;
use crate::user::store::{self, Credentials};

/// The current password was right a moment ago.
pub(in crate::auth) struct Proven {
    who: SignedIn,
    compared: Credentials,
    field: &'static str,
}

impl Auth {
    /// The failures are cleared at once: whatever refuses the change later, the password was right.
    ///
    /// # Errors
    /// `Invalid(field)` for a wrong password, audited as a refused `action`; `TooMany` as at sign-in.
    pub(in crate::auth) async fn prove_current_password(
        &self,
        who: SignedIn,
        (field, password): (&'static str, &str),
        (action, caller): (AuditAction, &Caller),
    ) -> Result<Proven> {
        let permit = self.hasher.permit()?;
        let compared = store::credentials(&self.db.tx().await?, who.user_id).await?;
        let compared = compared.ok_or_else(Error::signed_out)?;
        let counted = self.count_try(&compared.user.email, caller).await?;
        let verdict = self.hasher.verify_at(permit, password, Some(&compared.password_hash)).await;
        let verdict = self.uncount_if_unavailable(&counted, verdict).await?;
        self.refuse_wrong(&verdict, (who, field), (action, caller)).await?;
        let tx = self.db.tx().await?;
        self.clear_failures(&tx, &counted).await?;
        tx.commit().await?;
        Ok(Proven { who, compared, field })
    }

    /// Proves it for an act that counts its tries itself. Returns the stored hash that the password was compared with.
    ///
    /// # Errors
    /// `Invalid(password)`, audited as a refused `action`.
    pub(in crate::auth) async fn prove_password(
        &self,
        who: SignedIn,
        password: &str,
        action: AuditAction,
        caller: &Caller,
    ) -> Result<Option<String>> {
        let stored = store::password_hash(&self.db.tx().await?, who.user_id).await?;
        let verdict = self.hasher.verify(password, stored.as_deref()).await?;
        self.refuse_wrong(&verdict, (who, "password"), (action, caller)).await?;
        Ok(stored)
    }

    async fn refuse_wrong(
        &self,
        verdict: &PasswordCheck,
        (who, field): (SignedIn, &'static str),
        (action, caller): (AuditAction, &Caller),
    ) -> Result<()> {
        if *verdict != PasswordCheck::Wrong {
            return Ok(());
        }
        let tx = self.db.tx().await?.caused_by(caller);
        let entry = caller.audit_of(who, action);
        audit::record(&tx, Entry { outcome: Outcome::Refused, ..entry });
        tx.commit().await?;
        Err(Error::invalid(field, FieldCode::Invalid))
    }

    /// In the transaction of the change: the person, locked, after proving that password and session are still those
    /// that asked.
    ///
    /// # Errors
    /// `Invalid(field)` when the password has changed meanwhile, `SignInRequired` when the session has ended.
    pub(in crate::auth) async fn still_proven(&self, tx: &Tx, proven: &Proven) -> Result<User> {
        let now = store::lock_credentials(tx, proven.who.user_id).await?;
        let now = now.ok_or_else(Error::signed_out)?;
        session::prove_alive(tx, proven.who.session_id).await?;
        if now.password_hash != proven.compared.password_hash {
            return Err(Error::invalid(proven.field, FieldCode::Invalid));
        }
        Ok(now.user)
    }
}
