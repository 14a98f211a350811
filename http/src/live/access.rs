//! What a person may read, asked once for all their channels and kept for a minute. A commit that changes a membership
//! or session ends that before its command is answered, on other nodes within the second of the head check.
//!
//! While one question is at the database the next ones gather and go there as one: after a cut thousands of
//! clients come back at once.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bipe_core::db::{Asked, Db};
use bipe_core::event::Channel;
use bipe_core::id::{SessionId, UserId};
use bipe_core::scope::{Access, JobScope, Permission, SignedIn};
use bipe_core::{Error, Result};
use tokio::sync::oneshot;

/// Shorter than a session of the person's channel lives without sockets, so that nothing kept goes unheard.
const KEPT: Duration = Duration::from_secs(60);
const MOST: usize = 50_000;
/// People in one question.
const AT_ONCE: usize = 500;

/// What a channel shows to a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    Nothing,
    /// Without finance data.
    Restricted,
    Full,
}

pub fn view(access: &Access, channel: Channel) -> View {
    match channel {
        Channel::Company(company) => match access.role(company) {
            Some(role) if Permission::ReadPayments.allows(role) => View::Full,
            Some(_) => View::Restricted,
            None => View::Nothing,
        },
        Channel::User(_) | Channel::Plans => View::Full,
        Channel::AdminMetrics | Channel::AdminActivity if access.is_platform_admin => View::Full,
        Channel::AdminMetrics | Channel::AdminActivity => View::Nothing,
    }
}

/// One for all workers; cheap to clone.
#[derive(Clone)]
pub struct AccessCache(Arc<Inner>);

struct Inner {
    proof: JobScope,
    admins_need_second_factor: bool,
    kept: Mutex<Kept>,
    /// Held by whoever asks the database, for everybody who waits.
    turn: tokio::sync::Mutex<()>,
}

#[derive(Default)]
struct Kept {
    /// Grows with every change, so that an answer read before it is not kept after it.
    changes: u64,
    people: HashMap<UserId, HashMap<SessionId, Known>>,
    waiting: Vec<(SignedIn, oneshot::Sender<Found>)>,
}

/// None when the session has ended.
type Found = Option<Arc<Access>>;

struct Known {
    access: Arc<Access>,
    asked: Asked,
}

impl AccessCache {
    pub fn new(proof: JobScope, admins_need_second_factor: bool) -> Self {
        let (kept, turn) = (Mutex::default(), tokio::sync::Mutex::default());
        Self(Arc::new(Inner { proof, admins_need_second_factor, kept, turn }))
    }

    /// None when the session has ended.
    pub async fn read(&self, db: &Db, who: SignedIn) -> Result<Found> {
        let (tell, mut told) = oneshot::channel();
        {
            let (now, mut kept) = (Asked::now(db), self.lock());
            let own = kept.people.get(&who.user_id).and_then(|own| own.get(&who.session_id));
            let time = db.clock().now();
            let holds = |known: &&Known| known.asked.holds(now, KEPT) && time <= known.access.until;
            if let Some(known) = own.filter(holds) {
                return Ok(Some(known.access.clone()));
            }
            kept.waiting.push((who, tell));
        }
        loop {
            tokio::select! {
                biased;
                found = &mut told => {
                    // Who asked for us had no answer either.
                    return found.map_err(|_unanswered| Error::unavailable(1));
                }
                _turn = self.0.turn.lock() => self.read_waiting(db).await?,
            }
        }
    }

    /// Asks for those who wait, and answers them; without an answer they hear that there is none.
    async fn read_waiting(&self, db: &Db) -> Result<()> {
        let (changes, waiting) = {
            let mut kept = self.lock();
            let some = kept.waiting.len().min(AT_ONCE);
            (kept.changes, kept.waiting.drain(..some).collect::<Vec<_>>())
        };
        let asked = Asked::now(db);
        let people: Vec<SignedIn> = waiting.iter().map(|(who, _)| *who).collect();
        if people.is_empty() {
            return Ok(());
        }
        let needs = self.0.admins_need_second_factor;
        let found = Access::of(db, &self.0.proof, &people, needs).await?;
        let found: HashMap<SignedIn, Arc<Access>> =
            found.into_iter().map(|(who, access)| (who, Arc::new(access))).collect();
        let mut kept = self.lock();
        if kept.changes == changes {
            kept.keep(&found, asked);
        }
        for (who, tell) in waiting {
            // Whoever does not wait any more has gone.
            tell.send(found.get(&who).cloned()).ok();
        }
        Ok(())
    }

    /// How many memberships and sessions have changed so far. Who was let in at a smaller count is looked at
    /// again once their channel is heard.
    pub fn changes(&self) -> u64 {
        self.lock().changes
    }

    /// A membership or session of the person changed.
    pub fn forget(&self, user: UserId) {
        let mut kept = self.lock();
        kept.changes += 1;
        kept.people.remove(&user);
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Kept> {
        self.0.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    fn keep(&mut self, found: &HashMap<SignedIn, Arc<Access>>, asked: Asked) {
        for (who, access) in found {
            if self.people.len() >= MOST {
                self.people.clear();
            }
            let own = self.people.entry(who.user_id).or_default();
            own.retain(|_, known| known.asked.holds(asked, KEPT));
            own.insert(who.session_id, Known { access: access.clone(), asked });
        }
    }
}

#[cfg(test)]
mod tests {
    use bipe_core::auth::session;
    use bipe_core::company::{self, Profile};
    use bipe_core::testing::{TestDb, caller};
    use bipe_core::user::store::{self, NewUser};
    use bipe_core::user::{Email, Phone, UserName, parse_birth_date, parse_document};
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
        // The first one alone, then everybody who came meanwhile.
        let most = 1 + 1_000_usize.div_ceil(AT_ONCE);
        assert!(db.take_statements().len() <= most);
        assert!(cache.lock().waiting.is_empty());
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
            document: parse_document("11144477735").unwrap(),
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
        assert_eq!((view(&before, channel), view(&after, channel)), (View::Nothing, View::Full));
    }
}
