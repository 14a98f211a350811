//! Signing in, refreshing and signing out.
//!
//! An unknown e-mail and a wrong password get the same answer after the same work. Whoever gets no permit to wait for
//! a comparison is refused before anything is asked of the database, so that a flood leaves its connections to
//! everybody else. A try is counted before the password is compared, so that tries at the same moment count as well. A
//! right password gives it back, and so does a server that is too busy to answer. The session starts under the lock of
//! the person's row, after the verified facts were compared again.

use crate::audit::{self, AuditAction, Entry, Outcome};
use crate::auth::Auth;
use crate::auth::password::{HashPermit, PasswordCheck};
use crate::auth::recovery::undo;
use crate::auth::recovery::undo_link::Cause;
use crate::auth::second_factor::PendingSignIn;
use crate::auth::session::token::{self, Refresh, Tokens};
use crate::auth::session::{self, Rotation, Session};
use crate::caller::Caller;
use crate::db::Tx;
use crate::error::{Code, Error, Result};
use crate::id::SessionId;
#[cfg(feature = "testing")]
use crate::id::UserId;
use crate::mailer::{self, Message};
use crate::rate_limit::{self, Bucket, Rule};
use crate::scope::SignedIn;
use crate::user::store::{self, Credentials};
use crate::user::{Email, User, UserRole, UserStatus};

/// A try, and the counters that it was counted in.
pub(in crate::auth) struct CountedTry<'a> {
    caller: &'a Caller,
    is_known: bool,
    account: Bucket,
    pair: Bucket,
}

impl CountedTry<'_> {
    fn rule(&self) -> Rule {
        if self.is_known { rate_limit::SIGN_IN_KNOWN } else { rate_limit::SIGN_IN_UNKNOWN }
    }

    /// A known network takes a token of a bucket that never empties: the same statements run on every network.
    fn failure_row(&self) -> Rule {
        if self.is_known { rate_limit::UNMETERED } else { rate_limit::SIGN_IN_ROW }
    }
}

/// How somebody signs in.
#[derive(Clone, Copy)]
pub(in crate::auth) struct SignInContext<'a> {
    pub caller: &'a Caller,
    /// The person was seen on this network before.
    pub is_known: bool,
    pub shows_second_factor: bool,
}

/// What a right password leads to.
#[derive(Debug)]
pub enum SignIn {
    Session(Box<User>, Tokens),
    /// The person has a second factor.
    SecondFactor(PendingSignIn),
}

/// Why nobody may sign in to this account, even with every proof.
pub(in crate::auth) fn refusal_of(user: &User) -> Option<Code> {
    match user.status {
        _ if !user.email_verified => Some(Code::EmailNotVerified),
        UserStatus::Pending => Some(Code::EmailNotVerified),
        UserStatus::Inactive => Some(Code::AccountInactive),
        UserStatus::Active => None,
    }
}

impl Auth {
    pub(in crate::auth) fn pair_bucket(&self, email: &Email, caller: &Caller) -> Bucket {
        self.limits.bucket(&["pair", email.as_str(), &caller.network])
    }

    /// Starts a session, or asks a person with a second factor for it.
    ///
    /// # Errors
    /// `SignInRequired(INVALID_CREDENTIALS)`; after a right password `Denied(EMAIL_NOT_VERIFIED)` or
    /// `Denied(ACCOUNT_INACTIVE)`; `TooMany`; `Unavailable` when too many passwords are being compared.
    pub async fn sign_in(&self, email: &Email, password: &str, caller: &Caller) -> Result<SignIn> {
        let permit = self.hasher.permit()?;
        let counted = self.count_try(email, caller).await?;
        let compared = self.compare_stored(permit, email, password).await;
        let (found, verdict) = self.uncount_if_unavailable(&counted, compared).await?;
        if let (Some(found), PasswordCheck::Right | PasswordCheck::RightButOld(_)) =
            (found, &verdict)
        {
            let accepted = self.accept(found, verdict, &counted).await;
            if let Some(signed_in) = self.uncount_if_unavailable(&counted, accepted).await? {
                return Ok(signed_in);
            }
        }
        self.audit_wrong(None, AuditAction::SessionStart, caller).await?;
        Err(Error::SignInRequired(Code::InvalidCredentials))
    }

    async fn compare_stored(
        &self,
        permit: HashPermit,
        email: &Email,
        password: &str,
    ) -> Result<(Option<Credentials>, PasswordCheck)> {
        let found = store::by_email(&self.db.tx().await?, email).await?;
        let stored = found.as_ref().map(|found| found.password_hash.as_str());
        let verdict = self.hasher.verify_at(permit, password, stored).await?;
        Ok((found, verdict))
    }

    /// Counts a try of a password: rows 1 to 4 of docs/security.md, "Limits".
    pub(in crate::auth) async fn count_try<'a>(
        &self,
        email: &Email,
        caller: &'a Caller,
    ) -> Result<CountedTry<'a>> {
        self.limit(rate_limit::SIGN_IN, &["ip", &caller.network]).await?;
        let counted = CountedTry {
            caller,
            is_known: self.is_known(email, caller).await?,
            account: self.account_bucket(email),
            pair: self.pair_bucket(email, caller),
        };
        self.limits.count_sign_in(&self.db, &counted.pair).await?;
        let wanted = [counted.rule(), counted.failure_row()].map(|rule| (rule, &counted.account));
        if let Err(refused) = self.limits.take(&self.db, &wanted).await {
            let tx = self.db.tx().await?;
            self.limits.give_sign_in_back(&tx, &counted.pair).await?;
            tx.commit().await?;
            return Err(refused);
        }
        Ok(counted)
    }

    /// Gives the counted try back if `outcome` is `Unavailable`: the try ended without a verdict. A wrong password must
    /// never be answered by `Unavailable`, or guessing would cost nothing.
    pub(in crate::auth) async fn uncount_if_unavailable<T>(
        &self,
        counted: &CountedTry<'_>,
        outcome: Result<T>,
    ) -> Result<T> {
        if matches!(outcome, Err(Error::Unavailable { .. }))
            && let Err(error) = self.give_try_back(counted).await
        {
            tracing::warn!(%error, "a sign-in that was not compared counts as a failed one");
        }
        outcome
    }

    async fn give_try_back(&self, counted: &CountedTry<'_>) -> Result<()> {
        let tx = self.db.tx().await?;
        for rule in [counted.rule(), counted.failure_row()] {
            self.limits.give_back(&tx, rule, &counted.account).await?;
        }
        self.limits.give_sign_in_back(&tx, &counted.pair).await?;
        tx.commit().await
    }

    /// The password was right: the try was no failure, and those before it no longer count.
    pub(in crate::auth) async fn clear_failures(
        &self,
        tx: &Tx,
        counted: &CountedTry<'_>,
    ) -> Result<()> {
        self.limits.give_back(tx, counted.rule(), &counted.account).await?;
        self.limits.refill(tx, rate_limit::SIGN_IN_ROW, &counted.account).await?;
        self.limits.clear_sign_in(tx, &counted.pair).await
    }

    /// Finishes a sign-in whose password was right when it was compared. `None` if password, address, role or status of
    /// the account have changed since: nobody may sign in with the old ones.
    async fn accept(
        &self,
        verified: Credentials,
        verdict: PasswordCheck,
        counted: &CountedTry<'_>,
    ) -> Result<Option<SignIn>> {
        let tx = self.db.tx().await?.caused_by(counted.caller);
        let now = store::lock_credentials(&tx, verified.user.id).await?;
        let Some(mut now) = now.filter(|now| now.stand_as(&verified)) else { return Ok(None) };
        self.clear_failures(&tx, counted).await?;
        if let PasswordCheck::RightButOld(hash) = &verdict {
            store::rehash(&tx, now.user.id, &verified.password_hash, hash).await?;
            now.password_hash.clone_from(hash);
        }
        if let Some(code) = refusal_of(&now.user) {
            let entry = counted.caller.audit(AuditAction::SessionStart, Outcome::Refused);
            audit::record(&tx, Entry { actor: Some(now.user.id), ..entry });
            tx.commit().await?;
            return Err(Error::Denied(code));
        }
        if now.has_second_factor {
            let pending = self.ask_second_factor(&tx, &now).await?;
            tx.commit().await?;
            return Ok(Some(SignIn::SecondFactor(pending)));
        }
        let (caller, is_known) = (counted.caller, counted.is_known);
        let context = SignInContext { caller, is_known, shows_second_factor: false };
        let tokens = self.grant(tx, &now.user, context).await?;
        Ok(Some(SignIn::Session(Box::new(now.user), tokens)))
    }

    /// Starts the session in the transaction that holds the person's row, and commits it.
    pub(in crate::auth) async fn grant(
        &self,
        mut tx: Tx,
        user: &User,
        context: SignInContext<'_>,
    ) -> Result<Tokens> {
        let tokens = self.start_session(&mut tx, user, context).await?;
        tx.commit().await?;
        Ok(tokens)
    }

    /// Starts the session in a transaction that goes on. The tokens are good once it is committed.
    pub(in crate::auth) async fn start_session(
        &self,
        tx: &mut Tx,
        user: &User,
        SignInContext { caller, is_known, shows_second_factor }: SignInContext<'_>,
    ) -> Result<Tokens> {
        let (session_id, ended) = session::start(tx, user.id, caller).await?;
        for session in ended {
            self.revocations.note(session, tx.now());
        }
        if shows_second_factor {
            session::note_step_up(tx, session_id).await?;
        }
        store::note_sign_in(tx, user.id).await?;
        store::know_network(tx, user.id, &self.limits.network_mac(&caller.network)).await?;
        if !is_known {
            self.notify_new_network(tx, user, caller).await?;
        }
        let who = SignedIn { user_id: user.id, session_id };
        audit::record(tx, caller.audit_of(who, AuditAction::SessionStart));
        token::issue(&self.keys, user.id, Refresh { session_id, counter: 0 }, tx.now())
    }

    /// A session on a known network without any proof. None for a person who does not exist.
    #[cfg(feature = "testing")]
    pub async fn session_of_test(&self, user: UserId, caller: &Caller) -> Result<Option<Tokens>> {
        let tx = self.db.tx().await?.caused_by(caller);
        let Some(found) = store::lock_credentials(&tx, user).await? else { return Ok(None) };
        let context = SignInContext { caller, is_known: true, shows_second_factor: false };
        self.grant(tx, &found.user, context).await.map(Some)
    }

    /// The owner of the account hears of a sign-in from where it was not seen before.
    async fn notify_new_network(&self, tx: &mut Tx, user: &User, caller: &Caller) -> Result<()> {
        let (network, device) = (caller.audit_network.clone(), caller.device.clone());
        let undo = Some(undo::issue(tx, &self.keys.code, user, Cause::SignIn).await?);
        let message = |name, at| match user.role {
            UserRole::Admin => Message::AdminSignIn { at, network, device, undo },
            UserRole::User => Message::NewSignIn { name, at, network, device, undo },
        };
        mailer::enqueue_for(tx, user, message)
    }

    /// The session that a refresh token names, for the limits of its caller; none when it is not ours.
    pub fn session_of(&self, refresh_token: &str) -> Option<SessionId> {
        Refresh::parse(&self.keys.refresh, refresh_token).map(|refresh| refresh.session_id)
    }

    /// Rotates a refresh token.
    ///
    /// # Errors
    /// `SignInRequired(INVALID_REFRESH_TOKEN)`.
    pub async fn refresh(&self, refresh_token: &str, caller: &Caller) -> Result<Tokens> {
        let refused = || Error::SignInRequired(Code::InvalidRefreshToken);
        let given = Refresh::parse(&self.keys.refresh, refresh_token).ok_or_else(refused)?;
        let tx = self.db.tx().await?.caused_by(caller);
        let session = session::find_locked(&tx, given.session_id).await?.ok_or_else(refused)?;
        // The lock may have taken a while: what counts is the time now.
        let now = self.db.clock().now();
        let counter = match session::decide(&session, given.counter, now) {
            Rotation::Refused => return Err(refused()),
            Rotation::Theft => {
                self.end_family(tx, &session, caller).await?;
                return Err(refused());
            }
            Rotation::Repeated => session.counter,
            Rotation::Next => {
                session::rotate(&tx, session.id).await?;
                session.counter + 1
            }
        };
        tx.commit().await?;
        let refresh = Refresh { session_id: session.id, counter };
        token::issue(&self.keys, session.user_id, refresh, now)
    }

    /// Somebody holds an older token of a live session: it ends for everybody, and its owner is told.
    async fn end_family(&self, mut tx: Tx, session: &Session, caller: &Caller) -> Result<()> {
        self.revoke(&mut tx, session).await?;
        if let Some(user) = store::find(&tx, session.user_id).await? {
            let device = session.device.clone();
            let message = |name, at| Message::SessionEnded { name, at, device };
            mailer::enqueue_for(&mut tx, &user, message)?;
        }
        audit::record(&tx, caller.audit_of(session.who(), AuditAction::SessionEndFamily));
        tx.commit().await
    }

    /// Ends the session of a refresh token; a token that is not ours or has ended changes nothing.
    pub async fn sign_out(&self, refresh_token: &str, caller: &Caller) -> Result<()> {
        let Some(given) = Refresh::parse(&self.keys.refresh, refresh_token) else { return Ok(()) };
        let mut tx = self.db.tx().await?.caused_by(caller);
        let found = session::find_locked(&tx, given.session_id).await?;
        let Some(session) = found.filter(|session| session.revoked_at.is_none()) else {
            return Ok(());
        };
        self.revoke(&mut tx, &session).await?;
        audit::record(&tx, caller.audit_of(session.who(), AuditAction::SessionEnd));
        tx.commit().await
    }
}
