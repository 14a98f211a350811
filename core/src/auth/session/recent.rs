//! The sessions and memberships that this node read from the database within the last second. Reads use them; a
//! command is never allowed without a question to the database.
//!
//! Kept by `Auth`, asked by the extractors of `http`. Invariant: an entry lives for a second at most and ends with any
//! commit of this node that changes what somebody may see. A read is refused by an entry only if the session had ended
//! when the entry was made.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;

use crate::auth::session::Session;
use crate::db::{Asked, Db};
use crate::error::Result;
use crate::id::{CompanyId, SessionId};
use crate::scope::{CompanyScope, Member, Permission, SignedIn};

/// A session that ends on another node reads on for no longer.
pub const KEPT: Duration = Duration::from_secs(1);
/// Of each kind; beyond it everything is forgotten, which only costs questions.
const MOST: usize = 20_000;

/// Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct RecentProofs(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    sessions: Shelf<SessionId, Session>,
    members: Shelf<(SignedIn, CompanyId), Member>,
}

impl RecentProofs {
    /// What a member may read in a company: as [`CompanyScope::prove`], by a role that may be a second old.
    ///
    /// # Errors
    /// As [`CompanyScope::prove`].
    pub async fn company(
        &self,
        db: &Db,
        who: SignedIn,
        company: CompanyId,
        permission: Permission,
    ) -> Result<CompanyScope> {
        let (key, asked) = ((who, company), Asked::now(db));
        let kept = self.0.members.get(&key, asked);
        if let Some(Ok(scope)) = kept.map(|member| member.scope(permission)) {
            return Ok(scope);
        }
        let member = Member::read(db, who, company).await?;
        self.0.members.keep(key, member, asked);
        member.scope(permission)
    }

    pub(in crate::auth) fn session(&self, id: SessionId, asked: Asked) -> Option<Session> {
        self.0.sessions.get(&id, asked)
    }

    pub(in crate::auth) fn keep_session(&self, session: Session, asked: Asked) {
        self.0.sessions.keep(session.id, session, asked);
    }
}

/// Answers with the moment of their question.
#[derive(Debug)]
struct Shelf<K, V>(Mutex<HashMap<K, (V, Asked)>>);

impl<K, V> Default for Shelf<K, V> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<K: Eq + Hash, V: Clone> Shelf<K, V> {
    fn get(&self, key: &K, now: Asked) -> Option<V> {
        let shelf = self.0.lock();
        let (value, asked) = shelf.get(key)?;
        asked.holds(now, KEPT).then(|| value.clone())
    }

    fn keep(&self, key: K, value: V, asked: Asked) {
        let mut shelf = self.0.lock();
        if shelf.len() >= MOST {
            shelf.clear();
        }
        shelf.insert(key, (value, asked));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::TestDb;

    #[tokio::test]
    async fn the_shelf_is_bounded_and_keeps_an_answer_for_its_question_alone() {
        let database = TestDb::new().await;
        let (shelf, asked) = (Shelf::default(), Asked::now(&database.db));
        for key in 0..=MOST {
            shelf.keep(key, key, asked);
            assert!(shelf.0.lock().len() <= MOST);
        }
        assert_eq!((shelf.get(&MOST, asked), shelf.get(&0, asked)), (Some(MOST), None));
    }
}
