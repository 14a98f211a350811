//! How many connections one node holds, and for whom. Set by `BIPE_DB_POOL`; `pool` makes the pools of these sizes.

/// Beside the jobs the relay, live readers and webhooks that come in have their connections.
const BESIDE_JOBS: usize = 2;

/// How many connections one node holds, and for whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PoolSize {
    pub requests: usize,
    /// For jobs and what stands beside them.
    pub jobs: usize,
}

impl Default for PoolSize {
    fn default() -> Self {
        Self::of(22)
    }
}

impl PoolSize {
    /// Connections of one node, at least.
    pub const MIN: i64 = 8;
    /// Connections of one node, at most.
    pub const MAX: i64 = 200;

    /// Five elevenths are for jobs, at least four.
    pub const fn of(connections: usize) -> Self {
        let share = connections * 5 / 11;
        let jobs = if share < 4 { 4 } else { share };
        Self { requests: connections - jobs, jobs }
    }

    /// Jobs that the node runs at once: each holds one connection at a time, so that none waits for another one's.
    pub fn jobs_at_once(self) -> usize {
        self.jobs.saturating_sub(BESIDE_JOBS).max(1)
    }

    pub fn connections(self) -> usize {
        self.requests + self.jobs
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pool_is_divided_between_requests_and_jobs_and_none_is_left_out() {
        let usual = PoolSize::default();
        assert_eq!((usual.requests, usual.jobs, usual.jobs_at_once()), (12, 10, 8));
        let fewest = PoolSize::of(8);
        assert_eq!((fewest.requests, fewest.jobs, fewest.jobs_at_once()), (4, 4, 2));
        for connections in 8..=200 {
            let size = PoolSize::of(connections);
            assert_eq!(size.connections(), connections);
            assert!(size.requests >= size.jobs && size.jobs > size.jobs_at_once());
        }
    }
}
