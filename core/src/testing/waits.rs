//! Statements that wait for a lock, as tests of two commands at once bring about.

use std::time::Duration;

use tokio::time::{sleep, timeout};
use tokio_postgres::Client;

use super::must;

/// Nothing is measured by it: a busy machine may take long.
const TIMEOUT: Duration = Duration::from_secs(60);
const LOOK: Duration = Duration::from_millis(5);
/// Other tests wait in databases of their own.
const WAITING: &str = "SELECT count(*) FROM pg_stat_activity \
     WHERE wait_event_type = 'Lock' AND datname = current_database()";

/// Until so many statements wait for a lock in the database of this connection.
pub async fn until_waiting(watcher: &Client, statements: i64) {
    let waiting = async {
        while must("the waits", watcher.query_one(WAITING, &[]).await).get::<_, i64>(0) < statements
        {
            sleep(LOOK).await;
        }
    };
    must("a statement that waits for a lock", timeout(TIMEOUT, waiting).await);
}
