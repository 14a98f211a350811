//! Another address for an account. The person gives the password; a code that is mailed to the new address proves it.
//!
//! Only the owner of the new address learns that it has an account already: the answer is the same, no code is mailed,
//! and every code is wrong. An account that nobody has verified makes room, as at a sign-up. The request belongs to the
//! session that made it and ends with the session, whatever ends it. The old address is mailed a link that undoes the
//! change.

use crate::audit::{self, AuditAction, AuditField, Entry};
use crate::auth::code::{self, Digits, Purpose};
use crate::auth::recovery::undo;
use crate::auth::recovery::undo_link::Cause;
use crate::auth::{Auth, session};
use crate::caller::Caller;
use crate::db::Db;
use crate::error::{Code, Error, FieldCode, Result};
use crate::id::UserId;
use crate::mailer::{self, Message};
use crate::rate_limit::{self, RateLimiter};
use crate::scope::SignedIn;
use crate::secret::KeyRing;
use crate::user::store;
use crate::user::{Email, User, UserStatus};

const ASK: AuditAction = AuditAction::UserAskEmailChange;
const CHANGE: AuditAction = AuditAction::UserChangeEmail;

impl Auth {
    /// Asks for another address and mails it a code. Within 60 s of the last one nothing is sent.
    ///
    /// # Errors
    /// `Invalid`: `password` for a wrong one, `newEmail` for the address that the account has; `TooMany` as at sign-in
    /// and for code mails.
    pub async fn ask_email_change(
        &self,
        who: SignedIn,
        email: &Email,
        password: &str,
        caller: &Caller,
    ) -> Result<()> {
        if self.me(who).await?.email == *email {
            return Err(Error::invalid("newEmail", FieldCode::Invalid));
        }
        let given = ("password", password);
        let proven = self.prove_current_password(who, given, (ASK, caller)).await?;
        let mail = self.may_mail_code(email, Purpose::Email, caller).await?;
        let mut tx = self.db.tx().await?.caused_by(caller);
        let person = self.still_proven(&tx, &proven).await?;
        let id = person.id;
        if tx.execute(DROP_OTHER, &[&id, &email]).await? > 0 {
            tx.execute(VOID_CODE, &[&id, &Purpose::Email]).await?;
        }
        tx.execute(STORE_REQUEST, &[&id, &who.session_id, &email, &tx.now()]).await?;
        if let Some(mail) = mail
            && self.begin_code_mail(&tx, &mail).await?
        {
            code::request_mail(&mut tx, email, Purpose::Email, Some(id))?;
        }
        audit::record(&tx, caller.audit_of(who, ASK));
        tx.commit().await
    }

    /// Moves the account to the address that was asked for. The other sessions end.
    ///
    /// # Errors
    /// `Rejected(INVALID_VERIFICATION_CODE)` for a dead, expired or wrong code, if this session requested no change,
    /// and for an address that has an account, alike; `TooMany` for wrong codes.
    pub async fn change_email(
        &self,
        who: SignedIn,
        digits: &Digits,
        caller: &Caller,
    ) -> Result<User> {
        let refused = || Error::Rejected(Code::InvalidVerificationCode);
        let before = self.me(who).await?;
        let guess = self.take_guess(&before.email, caller).await?;
        let key = &self.keys.code;
        let right = code::try_code(&self.db, key, Purpose::Email, &before.email, digits).await?;
        let Some(right) = right else {
            self.audit_wrong(Some(who.user_id), CHANGE, caller).await?;
            return Err(refused());
        };
        // As the platform: the companies of the person see the new address.
        let mut tx = self.db.platform_tx(&self.platform).await?.caused_by(caller);
        let person = store::lock_credentials(&tx, who.user_id).await?;
        let person = person.ok_or_else(Error::signed_out)?.user;
        session::prove_alive(&tx, who.session_id).await?;
        let requested = tx.find_value(REQUESTED, &[&person.id, &who.session_id]).await?;
        let email: Email = requested.ok_or_else(refused)?;
        if !code::consume(&tx, &right).await? {
            return Err(refused());
        }
        store::drop_pending(&tx, &email, None).await?;
        match undo::move_to(&mut tx, person.id, &email).await {
            Err(Error::Conflict(..)) => return Err(refused()),
            moved => moved?,
        }
        undo::forget_proofs(&tx, person.id).await?;
        self.end_sessions(&mut tx, person.id, Some(who.session_id)).await?;
        self.give_guess_back(&tx, &guess).await?;
        let entry = caller.audit_of(who, CHANGE);
        audit::record(&tx, Entry { fields: &[AuditField::UserEmail], ..entry });
        let undo = Some(undo::issue(&tx, key, &person, Cause::Email).await?);
        let message = |name, at| Message::EmailChanged { name, at, undo };
        mailer::enqueue_for(&mut tx, &person, message)?;
        tx.commit().await?;
        Ok(User { email, email_verified: true, ..person })
    }
}

/// The job: mails the code that the requested change needs; an address with an account gets a notice instead, once a
/// day.
pub(crate) async fn run_code_mail(
    db: &Db,
    keys: &KeyRing,
    limits: &RateLimiter,
    user: UserId,
    email: &str,
) -> Result<()> {
    let Ok(email) = Email::parse(email) else { return Ok(()) };
    let mut tx = db.job_tx().await?;
    // A later request has a job of its own.
    if tx.query_opt(LOCK_REQUEST, &[&user, &email]).await?.is_none() {
        return Ok(());
    }
    let found = store::by_email(&tx, &email).await?;
    if let Some(owner) = found.filter(|found| found.user.status != UserStatus::Pending) {
        let bucket = limits.bucket(&["email", email.as_str()]);
        if limits.try_take(&tx, rate_limit::EXISTS_NOTICE, &bucket).await?.is_none() {
            mailer::enqueue_for(&mut tx, &owner.user, |name, _| Message::EmailInUse { name })?;
        }
        return tx.commit().await;
    }
    let Some(person) = store::find(&tx, user).await? else { return Ok(()) };
    let issue = code::issue(&tx, keys, user, Purpose::Email).await?;
    let name = person.name.as_str().to_owned();
    mailer::enqueue(&mut tx, email.as_str(), Message::Code { name, issue })?;
    tx.commit().await
}

/// A person has one request. A code proves the address that it was mailed to, so it is voided with the request.
const DROP_OTHER: &str = "DELETE FROM email_changes WHERE user_id = $1 AND email <> $2";
/// A statement of its own: the one before may have waited for the job that made the code.
const VOID_CODE: &str = "DELETE FROM codes WHERE user_id = $1 AND purpose = $2";
const STORE_REQUEST: &str = "INSERT INTO email_changes (user_id, session_id, email, requested_at) \
     VALUES ($1, $2, $3, $4) ON CONFLICT (user_id) DO UPDATE SET session_id = excluded.session_id, \
     email = excluded.email, requested_at = excluded.requested_at";
const REQUESTED: &str = "SELECT email FROM email_changes WHERE user_id = $1 AND session_id = $2";
/// Held until the code is there: another request waits, and then voids it.
const LOCK_REQUEST: &str =
    "SELECT user_id FROM email_changes WHERE user_id = $1 AND email = $2 FOR UPDATE";
