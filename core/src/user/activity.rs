//! When a person was active: sign-ins and requests that change something, kept as intervals with pauses of at most 30
//! days. A person who only reads has signed in within 30 days too, because no session lives longer.
//!
//! Platform admins do not count. A refreshed token or a live socket is no activity.

use std::collections::HashMap;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use parking_lot::Mutex;

use crate::db::{Db, Tx};
use crate::error::Result;
use crate::id::UserId;

/// The pause between two instants of one person that are written down. A figure of days needs no finer ones.
const NOTE_EVERY: SignedDuration = SignedDuration::from_hours(1);
const MAX_NOTED: usize = 100_000;

const NOTE: &str = "WITH extended AS (UPDATE activity_spells \
     SET from_at = least(from_at, $2::timestamptz), to_at = greatest(to_at, $2::timestamptz) WHERE user_id = $1 \
     AND to_at >= $2::timestamptz - interval '720 hours' AND from_at <= $2::timestamptz + interval '720 hours' \
     RETURNING user_id) \
     INSERT INTO activity_spells (user_id, from_at, to_at) SELECT u.id, $2::timestamptz, $2::timestamptz FROM users u \
     WHERE u.id = $1 AND u.role = 'user' AND NOT EXISTS (SELECT FROM extended) ON CONFLICT DO NOTHING";

/// The person did something at that instant.
pub async fn note(tx: &Tx, user: UserId, at: Timestamp) -> Result<()> {
    tx.execute(NOTE, &[&user, &at]).await.map(drop)
}

/// Whose activity this node has written down lately. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct RecentActivity(Arc<Mutex<HashMap<UserId, Timestamp>>>);

impl RecentActivity {
    /// A request of the person that changes something. What was not written down, because the database failed or the
    /// caller went away, is written down with the next one.
    pub async fn note(&self, db: &Db, user: UserId) -> Result<()> {
        let now = db.clock().now();
        if self.0.lock().get(&user).is_some_and(|at| now.duration_since(*at) < NOTE_EVERY) {
            return Ok(());
        }
        let tx = db.tx().await?;
        note(&tx, user, now).await?;
        tx.commit().await?;
        let mut noted = self.0.lock();
        if noted.len() >= MAX_NOTED {
            noted.clear();
        }
        noted.insert(user, now);
        Ok(())
    }
}
