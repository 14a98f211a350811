//! The sockets of each person on one worker, so that a change of one person's access is checked for that person's
//! sockets alone.
//!
//! `session` adds a socket with its welcome and removes it when its context ends; `Worker` asks for those of a person.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use bipe_actors::messages::SocketId;
use bipe_core::id::UserId;

use super::sweeper::SocketState;

#[derive(Default)]
pub struct People(RefCell<HashMap<UserId, BTreeMap<SocketId, Rc<SocketState>>>>);

impl People {
    pub fn add(&self, person: UserId, id: SocketId, socket: Rc<SocketState>) {
        self.0.borrow_mut().entry(person).or_default().insert(id, socket);
    }

    pub fn remove(&self, person: UserId, id: SocketId) {
        let mut people = self.0.borrow_mut();
        let Some(own) = people.get_mut(&person) else { return };
        own.remove(&id);
        if own.is_empty() {
            people.remove(&person);
        }
    }

    /// The person's sockets now, oldest first.
    pub fn sockets(&self, person: UserId) -> Vec<(SocketId, Rc<SocketState>)> {
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
    fn a_person_has_their_own_sockets_until_they_are_removed() {
        let clock = Clock::fixed("2026-11-21T12:00:00Z".parse().unwrap(), 7);
        let (people, one, other) = (People::default(), UserId::new(&clock), UserId::new(&clock));
        let new = || SocketState::new(Rc::default(), Weak::new(), Weak::new(), Instant::now());
        let socket = || Rc::new(new());
        for (person, id) in [(one, 1), (other, 2), (one, 3)] {
            people.add(person, id, socket());
        }
        assert_eq!((ids(&people, one), ids(&people, other)), (vec![1, 3], vec![2]));
        people.remove(one, 1);
        people.remove(other, 3);
        assert_eq!((ids(&people, one), ids(&people, other)), (vec![3], vec![2]));
        people.remove(one, 3);
        people.remove(one, 3);
        assert!(ids(&people, one).is_empty());
        people.remove(other, 2);
        assert!(people.0.borrow().is_empty(), "a person without sockets is not kept");
    }
}
