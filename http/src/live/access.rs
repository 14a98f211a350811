//! What a person may read: asked of the database once for all channels of the person, and cached for a minute.
//!
//! A commit that changes a membership or session drops the cached answer: on this node before its command is answered,
//! on other nodes when they hear of it, by the bus or by the head check, within a second. While one statement runs,
//! further questions are collected for the next one, because thousands of clients reconnect at once after a network outage.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use bipe_core::db::{CacheStamp, Db};
use bipe_core::event::{Audience, Channel};
use bipe_core::id::{SessionId, UserId};
use bipe_core::scope::{Access, JobScope, Permission, SignedIn};
use bipe_core::{Error, Result};
use parking_lot::Mutex;
use tokio::sync::oneshot;

/// How long an answer is cached. The session of the person's channel runs longer than that after the last socket, so
/// it hears of every change to a cached answer.
const CACHE_LIFE: Duration = Duration::from_secs(60);
/// People in the cache; when there are more, it is emptied.
const MAX_PEOPLE: usize = 50_000;
/// People in one statement.
const PEOPLE_AT_ONCE: usize = 500;

/// As whom a person reads a channel; none who may not.
pub fn audience_of(access: &Access, channel: Channel) -> Option<Audience> {
    match channel {
        Channel::Company(company) => {
            let sees_finance = Permission::ReadPayments.allows(access.role(company)?);
            Some(if sees_finance { Audience::Finance } else { Audience::Operators })
        }
        Channel::User(_) | Channel::Plans => Some(Audience::Finance),
        Channel::AdminMetrics | Channel::AdminActivity => {
            access.is_platform_admin.then_some(Audience::Finance)
        }
    }
}

/// One for all workers; cheap to clone.
#[derive(Clone)]
pub struct AccessCache(Arc<Inner>);

struct Inner {
    proof: JobScope,
    admins_need_second_factor: bool,
    state: Mutex<CacheState>,
    /// Held while the database is asked for everybody who waits.
    asking: tokio::sync::Mutex<()>,
}

#[derive(Default)]
struct CacheState {
    /// Grows with every change of access, so that an answer read before a change is not cached after it.
    changes: u64,
    people: HashMap<UserId, HashMap<SessionId, CachedAccess>>,
    waiting: Vec<(SignedIn, oneshot::Sender<Found>)>,
}

/// None when the session has ended.
type Found = Option<Arc<Access>>;

struct CachedAccess {
    access: Arc<Access>,
    stamp: CacheStamp,
}

impl AccessCache {
    pub fn new(proof: JobScope, admins_need_second_factor: bool) -> Self {
        let (state, asking) = (Mutex::default(), tokio::sync::Mutex::default());
        Self(Arc::new(Inner { proof, admins_need_second_factor, state, asking }))
    }

    /// None when the session has ended.
    pub async fn read(&self, db: &Db, who: SignedIn) -> Result<Found> {
        let (sender, mut answer) = oneshot::channel();
        {
            let (now, mut state) = (CacheStamp::now(db), self.0.state.lock());
            let own = state.people.get(&who.user_id).and_then(|own| own.get(&who.session_id));
            let time = db.clock().now();
            let is_valid = |known: &&CachedAccess| {
                known.stamp.holds(now, CACHE_LIFE) && time <= known.access.until
            };
            if let Some(known) = own.filter(is_valid) {
                return Ok(Some(known.access.clone()));
            }
            state.waiting.push((who, sender));
        }
        loop {
            tokio::select! {
                biased;
                found = &mut answer => {
                    // The sender is dropped when the statement that asked for us failed.
                    return found.map_err(|_unanswered| Error::unavailable(1));
                }
                _asking = self.0.asking.lock() => self.read_waiting(db).await?,
            }
        }
    }

    /// Asks the database for those who wait, and answers them. After an error their senders are dropped.
    async fn read_waiting(&self, db: &Db) -> Result<()> {
        let (changes, waiting) = {
            let mut state = self.0.state.lock();
            let some = state.waiting.len().min(PEOPLE_AT_ONCE);
            (state.changes, state.waiting.drain(..some).collect::<Vec<_>>())
        };
        let stamp = CacheStamp::now(db);
        let people: Vec<SignedIn> = waiting.iter().map(|(who, _)| *who).collect();
        if people.is_empty() {
            return Ok(());
        }
        let needs = self.0.admins_need_second_factor;
        let found = Access::of(db, &self.0.proof, &people, needs).await?;
        let found: HashMap<SignedIn, Arc<Access>> =
            found.into_iter().map(|(who, access)| (who, Arc::new(access))).collect();
        let mut state = self.0.state.lock();
        if state.changes == changes {
            state.store(&found, stamp);
        }
        for (who, sender) in waiting {
            // An error means that the socket closed while it waited.
            sender.send(found.get(&who).cloned()).ok();
        }
        Ok(())
    }

    /// How many memberships and sessions have changed so far. A socket whose hello was checked at a smaller count is
    /// checked again once the hub listens to the person's channel.
    pub fn changes(&self) -> u64 {
        self.0.state.lock().changes
    }

    /// A membership or session of the person changed.
    pub fn forget(&self, user: UserId) {
        let mut state = self.0.state.lock();
        state.changes += 1;
        state.people.remove(&user);
    }
}

impl CacheState {
    fn store(&mut self, found: &HashMap<SignedIn, Arc<Access>>, stamp: CacheStamp) {
        for (who, access) in found {
            if self.people.len() >= MAX_PEOPLE {
                self.people.clear();
            }
            let own = self.people.entry(who.user_id).or_default();
            own.retain(|_, known| known.stamp.holds(stamp, CACHE_LIFE));
            own.insert(who.session_id, CachedAccess { access: access.clone(), stamp });
        }
    }
}

#[cfg(test)]
mod tests {
    use bipe_core::auth::session;
    use bipe_core::company::{self, Profile};
    use bipe_core::testing::{TestDb, caller};
    use bipe_core::user::store::{self, NewUser};
    use bipe_core::user::{Email, Phone, UserName, parse_birth_date, parse_cpf};
    use futures_util::future::join_all;

    use super::*;

    #[actix_web::test]
    async fn a_thousand_who_ask_at_once_are_few_questions() {
        let database = TestDb::new().await;
        let (db, cache) = (&database.db, AccessCache::new(database.proof.clone(), false));
        let clock = db.clock();
        let nobody = || SignedIn { user_id: UserId::new(clock), session_id: SessionId::new(clock) };
        db.take_statements();
        let answers = join_all((0..1_000).map(|_| cache.read(db, nobody()))).await;
        assert!(answers.into_iter().all(|answer| answer.unwrap().is_none()));
        // The first question alone, then all that were collected meanwhile.
        let most = 1 + 1_000_usize.div_ceil(PEOPLE_AT_ONCE);
        assert!(db.take_statements().len() <= most);
        assert!(cache.0.state.lock().waiting.is_empty());
    }

    #[actix_web::test]
    async fn a_kept_answer_ends_with_its_session() {
        let database = TestDb::new().await;
        let (db, cache) = (&database.db, AccessCache::new(database.proof.clone(), false));
        let ana = signed_in(db).await;
        let until = cache.read(db, ana).await.unwrap().unwrap().until;
        db.clock().advance(7 * 86_400);
        assert_eq!(db.clock().now(), until);
        assert!(cache.read(db, ana).await.unwrap().is_some());
        db.clock().advance(1);
        assert!(cache.read(db, ana).await.unwrap().is_none());
    }

    async fn signed_in(db: &Db) -> SignedIn {
        let mut tx = db.tx().await.unwrap();
        let ana = NewUser {
            name: UserName::parse("Ana Souza").unwrap(),
            email: Email::parse("ana@example.com").unwrap(),
            document: parse_cpf("11144477735").unwrap(),
            phone: Phone::parse("(11) 98765-4321").unwrap(),
            birth_date: parse_birth_date("1990-04-12", 18, tx.now()).unwrap(),
        };
        let user_id = store::insert(&tx, &ana, "no password").await.unwrap().id;
        store::verify_email(&tx, user_id).await.unwrap();
        let (session_id, _) = session::start(&mut tx, user_id, &caller()).await.unwrap();
        tx.commit().await.unwrap();
        SignedIn { user_id, session_id }
    }

    /// Nobody runs the relay here: it may be behind.
    #[actix_web::test]
    async fn whoever_has_created_a_company_may_read_it_before_the_relay_has_told_anybody() {
        let database = TestDb::new().await;
        let (db, cache) = (&database.db, AccessCache::new(database.proof.clone(), false));
        let ana = signed_in(db).await;
        let before = cache.read(db, ana).await.unwrap().unwrap();
        assert!(Arc::ptr_eq(&before, &cache.read(db, ana).await.unwrap().unwrap()), "kept");
        let profile = Profile::parse("Ponto Azul", None).unwrap();
        let created = company::store::create(db, ana, &profile, &caller()).await.unwrap();
        let after = cache.read(db, ana).await.unwrap().unwrap();
        let channel = Channel::Company(created.company.id);
        assert_eq!(audience_of(&before, channel), None);
        assert_eq!(audience_of(&after, channel), Some(Audience::Finance));
    }
}
