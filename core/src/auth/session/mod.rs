//! Sessions: one sign-in of a person on one device, its rotation and its end.
//!
//! `decide` is pure: it is the rotation table of docs/security.md, "Sessions and tokens". The rest reads and writes
//! rows. A session's end is an event on its owner's channel, so that sockets close on every node.

pub mod assurance;
pub mod recent;
pub mod resume;
pub mod sign_in;
pub mod signed_in;
pub mod ticket;
pub mod token;

use jiff::{SignedDuration, Timestamp};
use serde::Serialize;
use utoipa::ToSchema;

use assurance::Assurance;

use crate::caller::Caller;
use crate::db::{Db, Tx};
use crate::error::{Error, Result};
use crate::event::{Channel, EventName, NewEvent};
use crate::id::{SessionId, UserId};
use crate::row::from_row;
use crate::scope::SignedIn;
use crate::user::{UserRole, UserStatus};

const MAX_SESSIONS: i64 = 20;
/// A repeat of the last refresh token within this time is a second tab, not a thief.
const REPEAT_WINDOW: SignedDuration = SignedDuration::from_secs(10);

/// The last instant of a session that nobody ends: a sign-in and a refresh are use, a socket that stays open is none.
pub fn ends_at(role: UserRole, created_at: Timestamp, last_used_at: Timestamp) -> Timestamp {
    let (idle, oldest) = lifetimes(role);
    let after = |at: Timestamp, time| at.checked_add(time).unwrap_or(Timestamp::MAX);
    after(last_used_at, idle).min(after(created_at, oldest))
}

/// How long a session lives without use, and at most.
fn lifetimes(role: UserRole) -> (SignedDuration, SignedDuration) {
    match role {
        UserRole::User => (SignedDuration::from_hours(7 * 24), SignedDuration::from_hours(30 * 24)),
        UserRole::Admin => (SignedDuration::from_mins(60), SignedDuration::from_hours(12)),
    }
}

/// A session and what its owner is now.
#[derive(Clone, Debug)]
pub struct Session {
    pub id: SessionId,
    pub user_id: UserId,
    pub counter: i64,
    pub rotated_at: Timestamp,
    pub successor_used: bool,
    pub device: String,
    pub created_at: Timestamp,
    pub last_used_at: Timestamp,
    pub revoked_at: Option<Timestamp>,
    pub stepped_up_at: Option<Timestamp>,
    pub role: UserRole,
    pub status: UserStatus,
    pub has_second_factor: bool,
}

impl Session {
    pub fn who(&self) -> SignedIn {
        SignedIn { user_id: self.user_id, session_id: self.id }
    }

    pub(in crate::auth) fn assurance(&self) -> Assurance {
        let Self { has_second_factor, stepped_up_at, .. } = *self;
        Assurance { has_second_factor, stepped_up_at }
    }

    pub fn is_alive(&self, now: Timestamp) -> bool {
        self.revoked_at.is_none() && self.status == UserStatus::Active && now <= self.ends_at()
    }

    /// See [`ends_at`].
    pub fn ends_at(&self) -> Timestamp {
        ends_at(self.role, self.created_at, self.last_used_at)
    }

    pub(in crate::auth) fn view(&self, current: Option<SessionId>) -> SessionView {
        SessionView {
            id: self.id,
            created_at: self.created_at,
            last_used_at: self.last_used_at,
            device: self.device.clone(),
            current: current == Some(self.id),
        }
    }
}

/// What a refresh token of a given age leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rotation {
    /// 401 and nothing changes.
    Refused,
    /// The next token.
    Next,
    /// The successor that was issued already, once more.
    Repeated,
    /// Somebody else holds a token of this family: it ends.
    Theft,
}

/// The rotation table.
pub fn decide(session: &Session, counter: i64, now: Timestamp) -> Rotation {
    let lag = session.counter - counter;
    if lag < 0 || !session.is_alive(now) {
        return Rotation::Refused;
    }
    let is_recent = now.duration_since(session.rotated_at) <= REPEAT_WINDOW;
    match lag {
        0 => Rotation::Next,
        1 if is_recent || !session.successor_used => Rotation::Repeated,
        _ => Rotation::Theft,
    }
}

/// `sessions` of the contract.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionView {
    pub id: SessionId,
    pub created_at: Timestamp,
    pub last_used_at: Timestamp,
    /// What the browser calls itself.
    pub device: String,
    pub current: bool,
}

from_row! {
    Session {
        id, user_id, counter, rotated_at, successor_used, device, created_at, last_used_at, revoked_at,
        stepped_up_at, role, status, has_second_factor,
    }
}

macro_rules! sessions {
    ($which:literal) => {
        concat!(
            "SELECT s.id, s.user_id, s.counter, s.rotated_at, s.successor_used, s.device, s.created_at, \
             s.last_used_at, s.revoked_at, s.stepped_up_at, u.role, u.status, u.has_second_factor \
             FROM sessions s JOIN users u ON u.id = s.user_id WHERE ",
            $which
        )
    };
}

pub async fn find(tx: &Tx, id: SessionId) -> Result<Option<Session>> {
    tx.find(FIND, &[&id]).await
}

/// As [`find`], for every request, in a round trip of its own.
pub async fn find_now(db: &Db, id: SessionId) -> Result<Option<Session>> {
    db.ask(FIND, &[&id]).await?.as_ref().map(Session::try_from).transpose()
}

pub(in crate::auth) const FIND: &str = sessions!("s.id = $1");

/// As [`find`], and nobody else rotates or ends the session until this transaction is over. Read behind the lock, by
/// a statement of its own: the lock's own would show the owner's role and status of before the wait.
pub async fn find_locked(tx: &Tx, id: SessionId) -> Result<Option<Session>> {
    if tx.execute(LOCK, &[&id]).await? == 0 {
        return Ok(None);
    }
    find(tx, id).await
}

/// The session lives, and does so until this transaction is over.
///
/// # Errors
/// `SignInRequired(UNAUTHORIZED)`.
pub async fn prove_alive(tx: &Tx, id: SessionId) -> Result<()> {
    let found = find_locked(tx, id).await?;
    let is_alive = found.is_some_and(|session| session.is_alive(tx.now()));
    if is_alive { Ok(()) } else { Err(Error::signed_out()) }
}

const LOCK: &str = "SELECT id FROM sessions WHERE id = $1 FOR UPDATE";

/// The live sessions of a person, the last used first.
pub async fn of_user(tx: &Tx, user_id: UserId) -> Result<Vec<Session>> {
    let mut sessions: Vec<Session> = tx.all(OF_USER, &[&user_id]).await?;
    sessions.retain(|session| session.is_alive(tx.now()));
    Ok(sessions)
}

const OF_USER: &str =
    sessions!("s.user_id = $1 AND s.revoked_at IS NULL ORDER BY s.last_used_at DESC, s.id DESC");

/// The sessions of a person that nobody ended, held until this transaction is over.
pub async fn of_user_locked(tx: &Tx, user_id: UserId) -> Result<Vec<Session>> {
    tx.all(OF_USER_LOCKED, &[&user_id]).await
}

const OF_USER_LOCKED: &str =
    sessions!("s.user_id = $1 AND s.revoked_at IS NULL ORDER BY s.id FOR UPDATE OF s");

/// Starts a session; the oldest ends when there are more than twenty. Answers the ids of those that ended.
pub async fn start(
    tx: &mut Tx,
    user_id: UserId,
    caller: &Caller,
) -> Result<(SessionId, Vec<SessionId>)> {
    let id = SessionId::new(tx.clock());
    tx.execute(LOCK_OWNER, &[&user_id]).await?;
    tx.execute(START, &[&id, &user_id, &caller.device, &caller.ip, &tx.now()]).await?;
    let surplus: Vec<Session> = tx.all(SURPLUS, &[&user_id, &MAX_SESSIONS]).await?;
    for session in &surplus {
        revoke(tx, session).await?;
    }
    Ok((id, surplus.iter().map(|session| session.id).collect()))
}

/// Two sign-ins at once count the sessions one after the other.
const LOCK_OWNER: &str = "SELECT id FROM users WHERE id = $1 FOR NO KEY UPDATE";
const START: &str = "INSERT INTO sessions \
     (id, user_id, rotated_at, device, ip, created_at, last_used_at) VALUES ($1, $2, $5, $3, $4, $5, $5)";
const SURPLUS: &str = sessions!(
    "s.user_id = $1 AND s.revoked_at IS NULL ORDER BY s.created_at DESC, s.id DESC OFFSET $2 FOR UPDATE OF s"
);

/// The next rotation; its refresh token is the successor, unused so far.
pub async fn rotate(tx: &Tx, id: SessionId) -> Result<()> {
    tx.execute(ROTATE, &[&id, &tx.now()]).await.map(drop)
}

const ROTATE: &str = "UPDATE sessions SET counter = counter + 1, rotated_at = $2, last_used_at = $2, \
     successor_used = false WHERE id = $1";

/// The holder of rotation `counter` was heard of.
pub async fn mark_used(tx: &Tx, id: SessionId, counter: i64) -> Result<()> {
    tx.execute(MARK_USED, &[&id, &counter]).await.map(drop)
}

const MARK_USED: &str = "UPDATE sessions SET successor_used = true WHERE id = $1 AND counter = $2";

/// The session has shown a second factor now.
pub async fn note_step_up(tx: &Tx, id: SessionId) -> Result<()> {
    tx.execute(NOTE_STEP_UP, &[&id, &tx.now()]).await.map(drop)
}

const NOTE_STEP_UP: &str = "UPDATE sessions SET stepped_up_at = $2 WHERE id = $1";

/// Ends a session: no token of it is good any more, its tickets are gone, its sockets learn it. For `Auth::revoke`.
async fn revoke(tx: &mut Tx, session: &Session) -> Result<()> {
    tx.execute(REVOKE, &[&session.id, &tx.now()]).await?;
    tx.execute(DROP_TICKETS, &[&session.id]).await?;
    let channel = Channel::User(session.user_id);
    tx.emit(NewEvent::new(channel, EventName::SessionRevoked, session.id, &session.view(None))?);
    Ok(())
}

const REVOKE: &str = "UPDATE sessions SET revoked_at = $2 WHERE id = $1 AND revoked_at IS NULL";
const DROP_TICKETS: &str = "DELETE FROM live_tickets WHERE session_id = $1";

/// Ends so many sessions that one transaction may; answers how many.
async fn revoke_batch(tx: &Tx) -> Result<u64> {
    tx.execute(REVOKE_BATCH, &[&tx.now()]).await
}

const REVOKE_BATCH: &str = "UPDATE sessions SET revoked_at = $1 \
     WHERE id = ANY (ARRAY(SELECT id FROM sessions WHERE revoked_at IS NULL LIMIT 5000))";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Clock;

    fn session() -> Session {
        let clock = Clock::fixed("2026-11-21T12:00:00Z".parse().unwrap(), 7);
        let now = clock.now();
        Session {
            id: SessionId::new(&clock),
            user_id: UserId::new(&clock),
            counter: 5,
            rotated_at: now,
            successor_used: false,
            device: "Firefox".into(),
            created_at: now,
            last_used_at: now,
            revoked_at: None,
            stepped_up_at: None,
            role: UserRole::User,
            status: UserStatus::Active,
            has_second_factor: false,
        }
    }

    fn after(session: &Session, seconds: i64) -> Timestamp {
        session.rotated_at.checked_add(SignedDuration::from_secs(seconds)).unwrap()
    }

    #[test]
    fn the_rotation_table_is_what_the_page_says() {
        let unused = session();
        let used = Session { successor_used: true, ..unused.clone() };
        // (session, counter of the token, seconds since the rotation) → result
        let table = [
            (&unused, 6, 0, Rotation::Refused),
            (&unused, 5, 0, Rotation::Next),
            (&used, 5, 86_400, Rotation::Next),
            (&unused, 4, 10, Rotation::Repeated),
            (&unused, 4, 86_400, Rotation::Repeated),
            (&used, 4, 10, Rotation::Repeated),
            (&used, 4, 11, Rotation::Theft),
            (&unused, 3, 0, Rotation::Theft),
            (&used, 0, 0, Rotation::Theft),
        ];
        for (session, counter, seconds, expected) in table {
            let got = decide(session, counter, after(session, seconds));
            assert_eq!(got, expected, "counter {counter} after {seconds} s");
        }
    }

    #[test]
    fn a_dead_session_is_refused_and_never_called_theft() {
        let base = session();
        let revoked = Session { revoked_at: Some(base.created_at), ..base.clone() };
        let inactive = Session { status: UserStatus::Inactive, ..base.clone() };
        for dead in [&revoked, &inactive] {
            for counter in [5, 4, 0] {
                assert_eq!(decide(dead, counter, dead.rotated_at), Rotation::Refused);
            }
        }
    }

    #[test]
    fn sessions_end_by_idleness_and_age_and_sooner_for_admins() {
        let (hour, day) = (3_600, 86_400);
        let user = session();
        assert!(user.is_alive(after(&user, 7 * day)));
        assert!(!user.is_alive(after(&user, 7 * day + 1)));
        let busy = Session { last_used_at: after(&user, 30 * day), ..user.clone() };
        assert!(busy.is_alive(after(&user, 30 * day)));
        assert!(!busy.is_alive(after(&user, 30 * day + 1)));
        let admin = Session { role: UserRole::Admin, ..session() };
        assert!(admin.is_alive(after(&admin, hour)));
        assert!(!admin.is_alive(after(&admin, hour + 1)));
        let busy = Session { last_used_at: after(&admin, 12 * hour), ..admin.clone() };
        assert!(!busy.is_alive(after(&admin, 12 * hour + 1)));
    }
}
