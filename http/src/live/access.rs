//! What a person may read, asked once for all their channels and kept for a minute: a commit that changes a
//! membership or session drops it at once, on other nodes within the second of the head check.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bipe_core::Result;
use bipe_core::db::Db;
use bipe_core::event::Channel;
use bipe_core::id::{SessionId, UserId};
use bipe_core::scope::{Access, Permission, SignedIn};
use tokio::time::Instant;

/// Shorter than a session of the person's channel lives without sockets, so that nothing kept goes unheard.
const KEPT: Duration = Duration::from_secs(60);
const MOST: usize = 50_000;

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
#[derive(Clone, Default)]
pub struct AccessCache(Arc<Mutex<Kept>>);

#[derive(Default)]
struct Kept {
    /// Grows with every change, so that an answer read before it is not kept after it.
    changes: u64,
    people: HashMap<UserId, HashMap<SessionId, (Arc<Access>, Instant)>>,
}

impl AccessCache {
    /// None when the session has ended.
    pub async fn read(&self, db: &Db, who: SignedIn) -> Result<Option<Arc<Access>>> {
        let changes = {
            let kept = self.lock();
            let own = kept.people.get(&who.user_id).and_then(|own| own.get(&who.session_id));
            if let Some((access, _)) = own.filter(|(_, at)| at.elapsed() < KEPT) {
                return Ok(Some(access.clone()));
            }
            kept.changes
        };
        let Some(access) = Access::of(db, who).await? else { return Ok(None) };
        let access = Arc::new(access);
        let mut kept = self.lock();
        if kept.changes == changes {
            if kept.people.len() >= MOST {
                kept.people.clear();
            }
            let own = kept.people.entry(who.user_id).or_default();
            own.retain(|_, (_, at)| at.elapsed() < KEPT);
            own.insert(who.session_id, (access.clone(), Instant::now()));
        }
        Ok(Some(access))
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
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
