//! The places for jobs of one node: how many run, and how many more can begin. Used by the job runner alone.
//!
//! Invariant: one place is left to mails, and mails and renewals leave others to payments. So thousands of webhooks or
//! renewals that wait for a slow provider delay no mail, and a slow mail server delays no payment.

use std::sync::Arc;

use bipe_core::job::{JobKind, Queue, Room};
use parking_lot::Mutex;

/// Left to payments by mails, and by renewals.
const LEFT_TO_PAYMENTS: usize = 2;
/// Left to mails.
const LEFT_TO_MAILS: usize = 1;

pub struct Places {
    count: usize,
    taken: Mutex<Taken>,
}

#[derive(Clone, Copy, Default)]
struct Taken {
    mails: usize,
    general: usize,
    renewals: usize,
}

/// A place that is taken while this lives.
pub struct Place {
    places: Arc<Places>,
    queue: Queue,
}

impl Drop for Place {
    fn drop(&mut self) {
        *self.places.taken.lock().of(self.queue) -= 1;
    }
}

impl Taken {
    fn of(&mut self, queue: Queue) -> &mut usize {
        match queue {
            Queue::Mails => &mut self.mails,
            Queue::General => &mut self.general,
            Queue::Renewals => &mut self.renewals,
        }
    }

    fn all(self) -> usize {
        self.mails + self.general + self.renewals
    }

    fn room(self, count: usize) -> Room {
        let but = |left: usize| count.saturating_sub(left).max(1);
        Room {
            all: count.saturating_sub(self.all()),
            mails: but(LEFT_TO_PAYMENTS).saturating_sub(self.mails),
            others: but(LEFT_TO_MAILS).saturating_sub(self.general + self.renewals),
            renewals: but(LEFT_TO_PAYMENTS).saturating_sub(self.renewals),
        }
    }
}

impl Places {
    pub fn new(count: usize) -> Arc<Self> {
        Arc::new(Self { count, taken: Mutex::default() })
    }

    /// Of a job that was claimed for the room that there is.
    pub fn take(self: &Arc<Self>, kind: JobKind) -> Place {
        let (places, queue) = (self.clone(), kind.queue());
        *places.taken.lock().of(queue) += 1;
        Place { places, queue }
    }

    /// For one more job of the general queue; none where there is no room.
    pub fn reserve(self: &Arc<Self>) -> Option<Place> {
        let (places, queue) = (self.clone(), Queue::General);
        let mut taken = places.taken.lock();
        let room = taken.room(self.count);
        if room.all.min(room.others) == 0 {
            return None;
        }
        *taken.of(queue) += 1;
        drop(taken);
        Some(Place { places, queue })
    }

    /// How many are taken.
    pub fn taken(&self) -> usize {
        self.taken.lock().all()
    }

    pub fn room(&self) -> Room {
        self.taken.lock().room(self.count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_queue_leaves_places_to_those_before_it() {
        let places = Places::new(8);
        assert_eq!(places.room(), Room { all: 8, mails: 6, others: 7, renewals: 6 });
        let renewals: Vec<Place> = (0..6).map(|_| places.take(JobKind::Renewal)).collect();
        assert_eq!(places.room(), Room { all: 2, mails: 6, others: 1, renewals: 0 });
        let webhook = places.take(JobKind::Webhook);
        assert_eq!(places.room(), Room { all: 1, mails: 6, others: 0, renewals: 0 });
        let mail = places.take(JobKind::CodeMail);
        assert_eq!((places.room().all, places.taken()), (0, 8));
        drop((renewals, webhook));
        assert_eq!(places.room(), Room { all: 7, mails: 5, others: 7, renewals: 6 });
        drop(mail);
        assert_eq!(places.taken(), 0);
    }

    #[test]
    fn the_fewest_places_are_one_for_mails_and_one_for_everything_else() {
        let places = Places::new(2);
        assert_eq!(places.room(), Room { all: 2, mails: 1, others: 1, renewals: 1 });
    }

    #[test]
    fn a_reservation_takes_no_place_that_is_left_to_mails() {
        let places = Places::new(3);
        let reserved = [places.reserve(), places.reserve()];
        assert!(reserved.iter().all(Option::is_some));
        assert_eq!((places.reserve().is_none(), places.room().mails), (true, 1));
        let mail = places.take(JobKind::Mail);
        drop(reserved);
        assert!(places.reserve().is_some());
        let all = [places.take(JobKind::Webhook), places.take(JobKind::Mail)];
        assert!(places.reserve().is_none(), "every place is taken");
        drop((mail, all));
        assert_eq!(places.taken(), 0);
    }
}
