//! The person behind a request, and the sessions of that person.
//!
//! A token alone proves nothing: the session and its owner are read from the database. A command reads them at once; a
//! read may use an answer that is a second old.

use jiff::Timestamp;

use crate::audit::{self, AuditAction};
use crate::auth::Auth;
use crate::auth::session::assurance::Assurance;
use crate::auth::session::token::{self, Claims};
use crate::auth::session::{self, Session, SessionView};
use crate::caller::Caller;
use crate::db::{CacheStamp, Query, Tx};
use crate::error::{Error, Result};
use crate::id::{CompanyId, SessionId, UserId};
use crate::scope::{MEMBER_ROLE, Member, SignedIn};
use crate::user::UserRole;
use crate::user::store;

/// A proven request: who it is from and what they are on the platform.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Authenticated {
    pub who: SignedIn,
    pub role: UserRole,
    pub assurance: Assurance,
}

impl Authenticated {
    pub(in crate::auth) fn of(session: &Session) -> Self {
        Self { who: session.who(), role: session.role, assurance: session.assurance() }
    }
}

impl Auth {
    /// What an access token says that we issued and whose time has not passed; its session may have ended since.
    pub fn claims(&self, access_token: &str) -> Option<Claims> {
        token::read_access(&self.keys.access, access_token, self.db.clock().now())
    }

    /// The person behind an access token, read from the database.
    ///
    /// # Errors
    /// `SignInRequired(UNAUTHORIZED)` when the session has ended.
    pub async fn signed_in(&self, claims: &Claims) -> Result<Authenticated> {
        self.kept(claims)?;
        self.prove(claims).await
    }

    /// As [`Auth::signed_in`], with what the person is in a company, all in one round trip.
    ///
    /// # Errors
    /// As `signed_in`; within, as [`Member::read`].
    pub async fn signed_in_as_member(
        &self,
        claims: &Claims,
        company: CompanyId,
    ) -> Result<(Authenticated, Result<Member>)> {
        self.kept(claims)?;
        let stamp = CacheStamp::now(&self.db);
        let queries: [Query<'_>; 2] =
            [(session::FIND, &[&claims.sid]), (MEMBER_ROLE, &[&company, &claims.sub, &claims.sid])];
        let [sessions, members] = self.db.ask_user(claims.sub, queries).await?;
        let session = sessions.first().map(Session::try_from).transpose()?;
        let alive = self.judge(claims, session, stamp).await?;
        Ok((alive, Member::of(alive.who, company, members.first())))
    }

    /// As `signed_in`, for a read: the database may have been asked up to a second ago.
    ///
    /// # Errors
    /// As `signed_in`.
    pub async fn signed_in_for_read(&self, claims: &Claims) -> Result<Authenticated> {
        let is_good = |session: &Session| {
            is_proof(session, claims, self.db.clock().now()) && !is_first_use(session, claims)
        };
        match self.kept(claims)?.filter(is_good) {
            Some(session) => Ok(Authenticated::of(&session)),
            None => self.prove(claims).await,
        }
    }

    /// What the database said of the session within the last second.
    ///
    /// # Errors
    /// When it has ended. A client that goes on sending its token costs no further question to the database.
    fn kept(&self, claims: &Claims) -> Result<Option<Session>> {
        let kept = self.recent.session(claims.sid, CacheStamp::now(&self.db));
        let has_ended =
            kept.as_ref().is_some_and(|session| !session.is_alive(self.db.clock().now()));
        if has_ended { Err(Error::signed_out()) } else { Ok(kept) }
    }

    /// Whose session the database called alive within the last second. Proves nothing to a command.
    pub fn lately_alive(&self, claims: &Claims) -> Option<UserId> {
        let kept = self.recent.session(claims.sid, CacheStamp::now(&self.db))?;
        is_proof(&kept, claims, self.db.clock().now()).then_some(kept.user_id)
    }

    async fn prove(&self, claims: &Claims) -> Result<Authenticated> {
        let stamp = CacheStamp::now(&self.db);
        let found = session::find_now(&self.db, claims.sid).await?;
        self.judge(claims, found, stamp).await
    }

    /// What the database's answer, of a moment, proves about a token.
    async fn judge(
        &self,
        claims: &Claims,
        found: Option<Session>,
        stamp: CacheStamp,
    ) -> Result<Authenticated> {
        let mut session = found.ok_or_else(Error::signed_out)?;
        if !is_proof(&session, claims, self.db.clock().now()) {
            self.recent.keep_session(session, stamp);
            return Err(Error::signed_out());
        }
        if is_first_use(&session, claims) {
            let tx = self.db.tx().await?;
            session::mark_used(&tx, session.id, claims.ctr).await?;
            tx.commit().await?;
            session.successor_used = true;
        }
        let alive = Authenticated::of(&session);
        self.recent.keep_session(session, stamp);
        Ok(alive)
    }

    /// The live sessions of a person, the last used first.
    pub async fn sessions(&self, who: SignedIn) -> Result<Vec<SessionView>> {
        let sessions = session::of_user(&self.db.tx().await?, who.user_id).await?;
        Ok(sessions.iter().map(|session| session.view(Some(who.session_id))).collect())
    }

    /// Ends one of the own sessions.
    ///
    /// # Errors
    /// `NotFound` when it is somebody else's or has ended, `SignInRequired` when the one that asks has ended.
    pub async fn end_session(&self, who: SignedIn, id: SessionId, caller: &Caller) -> Result<()> {
        let mut tx = self.db.tx().await?.caused_by(caller);
        take_turn(&tx, who).await?;
        let found = session::find_locked(&tx, id).await?;
        let mine = found.filter(|s| s.user_id == who.user_id && s.revoked_at.is_none());
        self.revoke(&mut tx, &mine.ok_or_else(Error::not_found)?).await?;
        audit::record(&tx, caller.audit_of(who, AuditAction::SessionEnd).about(id));
        tx.commit().await
    }

    /// Ends every session of the caller but the one that asks.
    ///
    /// # Errors
    /// `SignInRequired` when that one has ended.
    pub async fn end_other_sessions(&self, who: SignedIn, caller: &Caller) -> Result<()> {
        let mut tx = self.db.tx().await?.caused_by(caller);
        take_turn(&tx, who).await?;
        self.end_sessions(&mut tx, who.user_id, Some(who.session_id)).await?;
        audit::record(&tx, caller.audit_of(who, AuditAction::SessionEndOthers));
        tx.commit().await
    }

    /// Ends every session of everybody, after a restore: one that was ended since the backup would be alive again. Nobody
    /// is told, because nobody is served yet.
    pub async fn end_all_sessions(&self) -> Result<()> {
        loop {
            let tx = self.db.platform_tx(&self.platform).await?;
            let ended = session::revoke_batch(&tx).await?;
            tx.commit().await?;
            if ended == 0 {
                return Ok(());
            }
        }
    }

    /// Ends a session, and the resume tokens of it on this node at once.
    pub(in crate::auth) async fn revoke(&self, tx: &mut Tx, session: &Session) -> Result<()> {
        session::revoke(tx, session).await?;
        self.revocations.note(session.id, tx.now());
        Ok(())
    }

    /// Ends every session of the person but `keep`.
    pub async fn end_sessions(
        &self,
        tx: &mut Tx,
        user_id: UserId,
        keep: Option<SessionId>,
    ) -> Result<()> {
        for session in session::of_user_locked(tx, user_id).await? {
            if Some(session.id) != keep {
                self.revoke(tx, &session).await?;
            }
        }
        Ok(())
    }
}

/// The sessions of a person end, and begin, one after the other. So of two that end each other one stays.
///
/// # Errors
/// `SignInRequired` when the session that asks has ended.
async fn take_turn(tx: &Tx, who: SignedIn) -> Result<()> {
    store::lock_credentials(tx, who.user_id).await?.ok_or_else(Error::signed_out)?;
    session::prove_alive(tx, who.session_id).await
}

fn is_proof(session: &Session, claims: &Claims, now: Timestamp) -> bool {
    session.is_alive(now) && session.user_id == claims.sub && claims.ctr <= session.counter
}

/// The first call with the successor's token: its predecessor is no longer needed by anybody honest.
fn is_first_use(session: &Session, claims: &Claims) -> bool {
    session.counter == claims.ctr && !session.successor_used
}
