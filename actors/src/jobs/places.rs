//! The places for jobs of one node: how many run, and how many more can begin. Used by the job runner alone.
//!
//! Invariant: one place is left to mails, and renewals leave another one to payments. So thousands of webhooks or
//! renewals that wait for a slow provider delay no mail, and a slow mail server delays no payment.

use std::sync::atomic::{AtomicUsize, Ordering};

use bipe_core::job::{JobKind, Queue, Room};

pub struct Places {
    count: usize,
    mails: AtomicUsize,
    general: AtomicUsize,
    renewals: AtomicUsize,
}

/// A place that is taken while this lives.
pub struct Place<'a>(&'a AtomicUsize);

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Places {
    pub fn new(count: usize) -> Self {
        let [mails, general, renewals] = Default::default();
        Self { count, mails, general, renewals }
    }

    pub fn take(&self, kind: JobKind) -> Place<'_> {
        let taken = match kind.queue() {
            Queue::Mails => &self.mails,
            Queue::General => &self.general,
            Queue::Renewals => &self.renewals,
        };
        taken.fetch_add(1, Ordering::Relaxed);
        Place(taken)
    }

    /// How many are taken.
    pub fn taken(&self) -> usize {
        let [mails, general, renewals] = self.by_queue();
        mails + general + renewals
    }

    pub fn room(&self) -> Room {
        let [mails, general, renewals] = self.by_queue();
        let but = |left: usize| self.count.saturating_sub(left).max(1);
        Room {
            all: self.count.saturating_sub(self.taken()),
            mails: but(2).saturating_sub(mails),
            others: but(1).saturating_sub(general + renewals),
            renewals: but(2).saturating_sub(renewals),
        }
    }

    fn by_queue(&self) -> [usize; 3] {
        [&self.mails, &self.general, &self.renewals].map(|taken| taken.load(Ordering::Relaxed))
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
}
