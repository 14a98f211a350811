//! Which sockets of a worker belong to a person, so that news of one person cost nothing to the others' sockets.
//!
//! A socket stands here from its welcome to the end of its context (`session`); `Worker` asks for all of one person.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use bipe_actors::live::SocketId;
use bipe_core::id::UserId;

use super::sweeper::Watched;

#[derive(Default)]
pub struct People(RefCell<HashMap<UserId, BTreeMap<SocketId, Rc<Watched>>>>);

impl People {
    pub fn enter(&self, person: UserId, id: SocketId, socket: Rc<Watched>) {
        self.0.borrow_mut().entry(person).or_default().insert(id, socket);
    }

    pub fn leave(&self, person: UserId, id: SocketId) {
        let mut people = self.0.borrow_mut();
        let Some(own) = people.get_mut(&person) else { return };
        own.remove(&id);
        if own.is_empty() {
            people.remove(&person);
        }
    }

    /// The person's sockets, oldest first, as they stand now.
    pub fn sockets(&self, person: UserId) -> Vec<(SocketId, Rc<Watched>)> {
        let people = self.0.borrow();
        let own = people.get(&person).into_iter().flatten();
        own.map(|(id, socket)| (*id, socket.clone())).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::rc::Weak;

    use bipe_core::clock::Clock;
    use tokio::time::Instant;

    use super::*;

    fn ids(people: &People, person: UserId) -> Vec<SocketId> {
        people.sockets(person).into_iter().map(|(id, _)| id).collect()
    }

    #[test]
    fn a_person_has_their_own_sockets_until_these_have_gone() {
        let clock = Clock::fixed("2026-11-21T12:00:00Z".parse().unwrap(), 7);
        let (people, one, other) = (People::default(), UserId::new(&clock), UserId::new(&clock));
        let socket = || Rc::new(Watched::new(Rc::default(), Weak::new(), Instant::now()));
        for (person, id) in [(one, 1), (other, 2), (one, 3)] {
            people.enter(person, id, socket());
        }
        assert_eq!((ids(&people, one), ids(&people, other)), (vec![1, 3], vec![2]));
        people.leave(one, 1);
        people.leave(other, 3);
        assert_eq!((ids(&people, one), ids(&people, other)), (vec![3], vec![2]));
        people.leave(one, 3);
        people.leave(one, 3);
        assert!(ids(&people, one).is_empty());
        people.leave(other, 2);
        assert!(people.0.borrow().is_empty(), "whoever has no socket is forgotten");
    }
}
