//! The permits for jobs of one node: how many run, and how many more can begin. Used by the job runner alone.
//!
//! Invariant: one permit is left to mails, and mails and renewals leave others to payments. So thousands of webhooks or
//! renewals that wait for a slow provider delay no mail, and a slow mail server delays no payment.

use std::sync::Arc;

use bipe_core::job::{JobCapacity, JobKind, Queue};
use parking_lot::Mutex;

/// Left to payments by mails, and by renewals.
const LEFT_TO_PAYMENTS: usize = 2;
/// Left to mails.
const LEFT_TO_MAILS: usize = 1;

pub struct JobPermits {
    count: usize,
    taken: Mutex<PermitCounts>,
}

#[derive(Clone, Copy, Default)]
struct PermitCounts {
    mails: usize,
    general: usize,
    renewals: usize,
}

/// The right of one job to run. Dropping it gives it back.
pub struct JobPermit {
    permits: Arc<JobPermits>,
    queue: Queue,
}

impl Drop for JobPermit {
    fn drop(&mut self) {
        *self.permits.taken.lock().count_of(self.queue) -= 1;
    }
}

impl PermitCounts {
    fn count_of(&mut self, queue: Queue) -> &mut usize {
        match queue {
            Queue::Mails => &mut self.mails,
            Queue::General => &mut self.general,
            Queue::Renewals => &mut self.renewals,
        }
    }

    fn all(self) -> usize {
        self.mails + self.general + self.renewals
    }

    fn capacity(self, count: usize) -> JobCapacity {
        let all_but = |left: usize| count.saturating_sub(left).max(1);
        JobCapacity {
            all: count.saturating_sub(self.all()),
            mails: all_but(LEFT_TO_PAYMENTS).saturating_sub(self.mails),
            others: all_but(LEFT_TO_MAILS).saturating_sub(self.general + self.renewals),
            renewals: all_but(LEFT_TO_PAYMENTS).saturating_sub(self.renewals),
        }
    }
}

impl JobPermits {
    pub fn new(count: usize) -> Arc<Self> {
        Arc::new(Self { count, taken: Mutex::default() })
    }

    /// For a job that was claimed within the capacity.
    pub fn take(self: &Arc<Self>, kind: JobKind) -> JobPermit {
        let (permits, queue) = (self.clone(), kind.queue());
        *permits.taken.lock().count_of(queue) += 1;
        JobPermit { permits, queue }
    }

    /// For one more job of the general queue; `None` where the node can begin no more.
    pub fn reserve(self: &Arc<Self>) -> Option<JobPermit> {
        let (permits, queue) = (self.clone(), Queue::General);
        let mut taken = permits.taken.lock();
        let capacity = taken.capacity(self.count);
        if capacity.all.min(capacity.others) == 0 {
            return None;
        }
        *taken.count_of(queue) += 1;
        drop(taken);
        Some(JobPermit { permits, queue })
    }

    /// How many are taken.
    pub fn taken(&self) -> usize {
        self.taken.lock().all()
    }

    pub fn capacity(&self) -> JobCapacity {
        self.taken.lock().capacity(self.count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_queue_leaves_permits_to_those_before_it() {
        let permits = JobPermits::new(8);
        assert_eq!(permits.capacity(), JobCapacity { all: 8, mails: 6, others: 7, renewals: 6 });
        let renewals: Vec<JobPermit> = (0..6).map(|_| permits.take(JobKind::Renewal)).collect();
        assert_eq!(permits.capacity(), JobCapacity { all: 2, mails: 6, others: 1, renewals: 0 });
        let webhook = permits.take(JobKind::Webhook);
        assert_eq!(permits.capacity(), JobCapacity { all: 1, mails: 6, others: 0, renewals: 0 });
        let mail = permits.take(JobKind::CodeMail);
        assert_eq!((permits.capacity().all, permits.taken()), (0, 8));
        drop((renewals, webhook));
        assert_eq!(permits.capacity(), JobCapacity { all: 7, mails: 5, others: 7, renewals: 6 });
        drop(mail);
        assert_eq!(permits.taken(), 0);
    }

    #[test]
    fn the_fewest_permits_are_one_for_mails_and_one_for_everything_else() {
        let permits = JobPermits::new(2);
        assert_eq!(permits.capacity(), JobCapacity { all: 2, mails: 1, others: 1, renewals: 1 });
    }

    #[test]
    fn a_reservation_takes_no_permit_that_is_left_to_mails() {
        let permits = JobPermits::new(3);
        let reserved = [permits.reserve(), permits.reserve()];
        assert!(reserved.iter().all(Option::is_some));
        assert_eq!((permits.reserve().is_none(), permits.capacity().mails), (true, 1));
        let mail = permits.take(JobKind::Mail);
        drop(reserved);
        assert!(permits.reserve().is_some());
        let all = [permits.take(JobKind::Webhook), permits.take(JobKind::Mail)];
        assert!(permits.reserve().is_none(), "every permit is taken");
        drop((mail, all));
        assert_eq!(permits.taken(), 0);
    }
}
