//! Whether the replica may answer, and how old its data is, by what the two servers say of themselves. Pure.
//!
//! Invariant: the replica answers only where it repeats the history that the primary tells, and no more than
//! [`OLDEST`] behind it.

use std::time::Duration;

use jiff::Timestamp;
use tokio_postgres::types::PgLsn;
use uuid::Uuid;

use crate::row::from_row;

/// Older data is read from the primary instead.
pub const OLDEST: Duration = Duration::from_secs(30);

/// $1 and $2: the newest act of this person since then. $3: acts that change nothing.
pub const PRIMARY: &str = "SELECT control.system_identifier, d.oid AS database, h.id AS history, \
     server_started() AS started, current_timeline() AS timeline, pg_current_wal_flush_lsn() AS written, \
     clock_timestamp() AS now, (SELECT id FROM audit_entries WHERE actor_id = $1 AND at > $2 \
     AND action <> ALL ($3::text[]) ORDER BY at DESC, id DESC LIMIT 1) AS newest_act \
     FROM pg_control_system() AS control, pg_database d, database_history h \
     WHERE d.datname = current_database()";
/// $1: the act that must be seen, if there is one. The timeline of a server that follows another one is known by what
/// it has put on its disk.
pub const REPLICA: &str = "SELECT control.system_identifier, d.oid AS database, h.id AS history, \
     server_started() AS started, pg_is_in_recovery() AS follows, \
     greatest(c.timeline_id, r.min_recovery_end_timeline)::bigint AS timeline, \
     pg_last_wal_replay_lsn() AS replayed, pg_last_xact_replay_timestamp() AS replayed_at, \
     $1::uuid IS NULL OR EXISTS (SELECT FROM audit_entries WHERE id = $1) AS has_act, \
     EXISTS (SELECT FROM pg_roles WHERE (rolsuper OR rolbypassrls) \
     AND pg_has_role(session_user, oid, 'MEMBER')) AS is_unbound \
     FROM pg_control_system() AS control, pg_control_checkpoint() AS c, pg_control_recovery() AS r, \
     pg_database d, database_history h WHERE d.datname = current_database()";

/// What the primary said.
#[derive(Clone, Copy, Debug)]
pub struct PrimaryState {
    system_identifier: i64,
    database: u32,
    history: Uuid,
    started: i64,
    timeline: i64,
    written: PgLsn,
    now: Timestamp,
    /// What the person did last.
    pub newest_act: Option<Uuid>,
}

from_row! { PrimaryState { system_identifier, database, history, started, timeline, written, now, newest_act } }

/// What the replica said.
#[derive(Clone, Copy, Debug)]
pub struct ReplicaState {
    system_identifier: i64,
    database: u32,
    history: Uuid,
    /// The start of its process, which tells it from another one.
    pub started: i64,
    follows: bool,
    timeline: i64,
    replayed: Option<PgLsn>,
    replayed_at: Option<Timestamp>,
    /// It has the act that was asked for.
    pub has_act: bool,
    /// Row-level security does not hold for its login.
    pub is_unbound: bool,
}

from_row! {
    ReplicaState {
        system_identifier, database, history, started, follows, timeline, replayed, replayed_at, has_act, is_unbound,
    }
}

impl ReplicaState {
    /// It tells the history of the primary. One that follows nobody has gone its own way, unless it is the primary
    /// itself: both settings may lead there.
    fn is_copy_of(&self, primary: &PrimaryState) -> bool {
        let is_same_place = self.system_identifier == primary.system_identifier
            && self.database == primary.database
            && self.history == primary.history;
        let is_led = self.follows && self.timeline <= primary.timeline;
        is_same_place && (is_led || self.started == primary.started)
    }

    /// It has everything that the primary had written when it was asked.
    pub fn has_caught_up_with(&self, primary: &PrimaryState) -> bool {
        !self.follows || self.replayed >= Some(primary.written)
    }
}

/// Why the primary answers in the replica's place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// This process has not looked at it yet.
    Unasked,
    /// It does not answer, or not in time.
    Unreachable,
    /// It is no copy of this database, or of another history of it.
    OtherDatabase,
    /// Its login is refused, or row-level security does not hold for it.
    Login,
    /// Its data is too old.
    Behind,
    /// Its connections are all in use.
    Busy,
    /// It does not know yet what this person did last.
    OwnAct,
    /// A statement failed there.
    Failed,
}

impl Reason {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Unasked => "unasked",
            Self::Unreachable => "unreachable",
            Self::OtherDatabase => "other_database",
            Self::Login => "login",
            Self::Behind => "behind",
            Self::Busy => "busy",
            Self::OwnAct => "own_act",
            Self::Failed => "failed",
        }
    }
}

/// How old the replica's data is.
///
/// `since_asked`: since the primary was asked, which was before the replica. `since_caught_up`: since the replica was
/// last seen to have everything.
///
/// # Errors
/// Why it may not answer.
pub fn age(
    primary: &PrimaryState,
    replica: &ReplicaState,
    since_asked: Duration,
    since_caught_up: Option<Duration>,
) -> Result<Duration, Reason> {
    if !replica.is_copy_of(primary) {
        return Err(Reason::OtherDatabase);
    }
    if replica.has_caught_up_with(primary) {
        return Ok(Duration::ZERO);
    }
    // Both by the primary's clock. While nothing is committed the last commit grows old, but not the data.
    let since_commit = replica.replayed_at.map(|at| primary.now.duration_since(at));
    let since_commit = since_commit.and_then(|since| Duration::try_from(since).ok());
    let since_commit = since_commit.map(|since| since + since_asked);
    let age = [since_commit, since_caught_up].into_iter().flatten().min();
    age.filter(|age| *age <= OLDEST).ok_or(Reason::Behind)
}

#[cfg(test)]
mod tests {
    use jiff::ToSpan;

    use super::*;

    const NOW: Timestamp = Timestamp::UNIX_EPOCH;

    fn primary() -> PrimaryState {
        PrimaryState {
            system_identifier: 7,
            database: 5,
            history: Uuid::nil(),
            started: 1,
            timeline: 2,
            written: PgLsn::from(100),
            now: NOW,
            newest_act: None,
        }
    }

    fn replica() -> ReplicaState {
        ReplicaState {
            system_identifier: 7,
            database: 5,
            history: Uuid::nil(),
            started: 2,
            follows: true,
            timeline: 2,
            replayed: Some(PgLsn::from(100)),
            replayed_at: None,
            has_act: true,
            is_unbound: false,
        }
    }

    fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    fn judged(replica: ReplicaState, since_caught_up: Option<u64>) -> Result<Duration, Reason> {
        age(&primary(), &replica, seconds(1), since_caught_up.map(seconds))
    }

    #[test]
    fn only_a_copy_of_this_history_may_answer() {
        assert_eq!(judged(replica(), None), Ok(seconds(0)));
        assert_eq!(judged(ReplicaState { timeline: 1, ..replica() }, None), Ok(seconds(0)));
        let others = [
            ReplicaState { system_identifier: 8, ..replica() },
            ReplicaState { database: 6, ..replica() },
            ReplicaState { history: Uuid::max(), ..replica() },
            // Promoted, or led by a server that was.
            ReplicaState { follows: false, ..replica() },
            ReplicaState { timeline: 3, ..replica() },
        ];
        for other in others {
            assert_eq!(judged(other, None), Err(Reason::OtherDatabase), "{other:?}");
        }
        let itself = ReplicaState { follows: false, started: 1, replayed: None, ..replica() };
        assert_eq!(judged(itself, None), Ok(seconds(0)));
    }

    #[test]
    fn the_age_is_that_of_the_last_commit_or_of_the_last_moment_with_everything() {
        let late = |at: i64| ReplicaState {
            replayed: Some(PgLsn::from(99)),
            replayed_at: Some(NOW - at.seconds()),
            ..replica()
        };
        assert_eq!(judged(late(4), None), Ok(seconds(5)), "one second has passed since");
        // Nothing was committed for an hour, then something a moment ago.
        assert_eq!(judged(late(3_600), Some(2)), Ok(seconds(2)));
        assert_eq!(judged(late(4), Some(3_600)), Ok(seconds(5)));
        assert_eq!(judged(late(29), Some(40)), Ok(OLDEST));
        assert_eq!(judged(late(30), Some(40)), Err(Reason::Behind));
        let unknown = ReplicaState { replayed_at: None, ..late(0) };
        assert_eq!(judged(unknown, None), Err(Reason::Behind));
        assert_eq!(judged(unknown, Some(9)), Ok(seconds(9)));
        assert_eq!(judged(ReplicaState { replayed: None, ..late(1) }, None), Ok(seconds(2)));
    }
}
