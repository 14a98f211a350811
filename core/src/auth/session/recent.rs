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
use crate::db::{CacheStamp, Db};
use crate::error::Result;
use crate::id::{CompanyId, SessionId};
use crate::scope::{CompanyScope, Member, Permission, SignedIn};

/// A session that ends on another node reads on for no longer.
pub const CACHE_LIFETIME: Duration = Duration::from_secs(1);
/// Proofs of each kind; beyond it everything is forgotten, which only costs questions.
const MAX_CACHED: usize = 20_000;

/// Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct RecentProofs(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    sessions: ProofCache<SessionId, Session>,
    members: ProofCache<(SignedIn, CompanyId), Member>,
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
        let (key, stamp) = ((who, company), CacheStamp::now(db));
        let kept = self.0.members.get(&key, stamp);
        if let Some(Ok(scope)) = kept.map(|member| member.scope(permission)) {
            return Ok(scope);
        }
        let member = Member::read(db, who, company).await?;
        self.0.members.keep(key, member, stamp);
        member.scope(permission)
    }

    pub(in crate::auth) fn session(&self, id: SessionId, stamp: CacheStamp) -> Option<Session> {
        self.0.sessions.get(&id, stamp)
    }

    pub(in crate::auth) fn keep_session(&self, session: Session, stamp: CacheStamp) {
        self.0.sessions.keep(session.id, session, stamp);
    }
}

/// Answers with the moment of their question.
#[derive(Debug)]
struct ProofCache<K, V>(Mutex<HashMap<K, (V, CacheStamp)>>);

impl<K, V> Default for ProofCache<K, V> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<K: Eq + Hash, V: Clone> ProofCache<K, V> {
    fn get(&self, key: &K, now: CacheStamp) -> Option<V> {
        let cache = self.0.lock();
        let (value, stamp) = cache.get(key)?;
        stamp.holds(now, CACHE_LIFETIME).then(|| value.clone())
    }

    fn keep(&self, key: K, value: V, stamp: CacheStamp) {
        let mut cache = self.0.lock();
        if cache.len() >= MAX_CACHED {
            cache.clear();
        }
        cache.insert(key, (value, stamp));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::TestDb;

    #[tokio::test]
    async fn the_shelf_is_bounded_and_keeps_an_answer_for_its_question_alone() {
        let database = TestDb::new().await;
        let (cache, stamp) = (ProofCache::default(), CacheStamp::now(&database.db));
        for key in 0..=MAX_CACHED {
            cache.keep(key, key, stamp);
            assert!(cache.0.lock().len() <= MAX_CACHED);
        }
        assert_eq!((cache.get(&MAX_CACHED, stamp), cache.get(&0, stamp)), (Some(MAX_CACHED), None));
    }
}
