//! How many connections of a pool work, rest or are waited for. Read by `http/src/nodes.rs` for the metrics and the
//! admin's page.

use super::connection::Pool;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PoolUse {
    /// `requests` or `jobs`.
    pub name: &'static str,
    /// Connections that somebody works with.
    pub used: usize,
    /// Open ones that nobody works with.
    pub idle: usize,
    /// Transactions that wait for a connection.
    pub waiting: usize,
}

impl PoolUse {
    pub(super) fn of(name: &'static str, pool: &Pool) -> Self {
        let status = pool.status();
        let used = status.size.saturating_sub(status.available);
        Self { name, used, idle: status.available, waiting: status.waiting }
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::TestDb;

    #[tokio::test]
    async fn a_transaction_uses_a_connection_of_its_pool_and_leaves_it_idle() {
        let test = TestDb::new().await;
        let uses = || test.db.pools().map(|pool| (pool.name, pool.used, pool.idle, pool.waiting));
        assert_eq!(uses(), [("requests", 0, 0, 0), ("jobs", 0, 0, 0)]);
        let open = [test.db.tx().await.unwrap(), test.db.tx().await.unwrap()];
        let job = test.db.job_tx().await.unwrap();
        assert_eq!(uses(), [("requests", 2, 0, 0), ("jobs", 1, 0, 0)]);
        for tx in open.into_iter().chain([job]) {
            tx.rollback().await.unwrap();
        }
        assert_eq!(uses(), [("requests", 0, 2, 0), ("jobs", 0, 1, 0)]);
    }
}
