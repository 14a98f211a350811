//! How the runner waits for its own statements and drives its jobs meanwhile. Used by the job runner alone.

use std::pin::pin;

use futures_util::stream::{FuturesUnordered, StreamExt};

/// Waits for a statement and drives the running jobs meanwhile; `ended` gets the outcomes of those that end. Jobs that
/// stood still would keep their locks, and the connections that the statement may wait for.
pub(super) async fn drive_while<J: Future, T>(
    running: &mut FuturesUnordered<J>,
    ended: &mut Vec<J::Output>,
    statement: impl Future<Output = T>,
) -> T {
    let mut statement = pin!(statement);
    loop {
        tokio::select! {
            answer = &mut statement => return answer,
            Some(job) = running.next() => ended.push(job),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::sync::Semaphore;
    use tokio::task::yield_now;
    use tokio::time::timeout;

    use super::*;

    #[tokio::test]
    async fn a_statement_gets_the_connection_that_a_running_job_holds() {
        let connections = Semaphore::new(1);
        let held = connections.acquire().await.unwrap();
        let job = async move {
            yield_now().await;
            drop(held);
            7
        };
        let (mut running, mut ended) = (FuturesUnordered::from_iter([job]), Vec::new());
        let statement = async { connections.acquire().await.unwrap().num_permits() };
        let answer = drive_while(&mut running, &mut ended, statement);
        assert_eq!(timeout(Duration::from_secs(60), answer).await, Ok(1));
        assert_eq!((ended, running.len()), (vec![7], 0));
        let answer = drive_while(&mut running, &mut Vec::new(), async { 3 }).await;
        assert_eq!(answer, 3, "without a job");
    }
}
