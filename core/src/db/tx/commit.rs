//! The end of a transaction: the rows and events that were staged, then `COMMIT`.
//!
//! Invariant: nothing is announced that was not committed, and a commit whose outcome is unknown is counted. What is
//! staged travels together with `COMMIT`: after a failure that the server answers PostgreSQL only rolls back, and after
//! one that comes before the statement is sent no `COMMIT` is sent.

use std::sync::atomic::Ordering;

use futures_util::FutureExt;
use futures_util::future::{join_all, join3, try_join_all};

use super::Tx;
use super::rows::Rows;
use super::staged::{self, Staged};
use crate::db::connection::{Object, Residue};
use crate::error::{Error, Result};

/// Statements that travel together with a commit; more of them go ahead, one after the other.
const TOGETHER: usize = 8;

impl Tx {
    /// Writes what was staged, commits, hands the events to the relay.
    ///
    /// # Errors
    /// `Unavailable` when the connection breaks, or when a synchronous standby does not confirm in time: the outcome is
    /// then unknown to the caller.
    pub async fn commit(mut self) -> Result<()> {
        self.require_no_failure()?;
        let (events, statements) =
            (std::mem::take(&mut self.staged), std::mem::take(&mut self.statements));
        let rows = std::mem::take(self.rows.get_mut());
        let staged = staged::in_order(events, statements);
        self.commits_events = !staged.is_empty();
        let warnings = self.db.warnings();
        // Boxed: it is large, and every command of the server would carry it in its own future, on its thread's stack.
        let committed = self.write_staged(rows, staged).boxed().await?;
        self.give_back();
        self.span.note("bipe.committed", true);
        self.after_commit.get_mut().drain(..).for_each(|work| work());
        if !committed.is_empty() {
            self.db.announce(committed);
        }
        if self.jobs_added {
            self.db.announce_jobs();
        }
        self.db.prove_confirmed(warnings)
    }

    async fn write_staged(
        &self,
        rows: Rows,
        mut staged: Vec<Staged>,
    ) -> Result<Vec<crate::event::Event>> {
        let client = self.client()?;
        let rows = (!rows.is_empty()).then_some(rows);
        // Prepared before it, or the commit would overtake a statement.
        let statements =
            rows.iter().flat_map(Rows::statements).chain(staged.iter().map(Staged::sql));
        let preparing = statements.map(|sql| self.answer(client.prepare_cached(sql)));
        try_join_all(preparing.collect::<Vec<_>>()).await?;
        let mut committed = Vec::new();
        let ahead = staged.len().saturating_sub(TOGETHER);
        let mut writing = rows.map(|rows| rows.write(self));
        if ahead > 0
            && let Some(writing) = writing.take()
        {
            writing.await?;
        }
        for earlier in staged.drain(..ahead) {
            committed.extend(earlier.append(self).await?);
        }
        // Each is sent when it is first polled, in this order.
        let writing = async { if let Some(writing) = writing { writing.await } else { Ok(()) } };
        let writing = writing.inspect(|done| self.note_failure(done));
        let append = |staged: Staged| staged.append(self).inspect(|done| self.note_failure(done));
        let appending = join_all(staged.into_iter().map(append));
        let (written, appended, done) = join3(writing, appending, self.send_commit(client)).await;
        written?;
        for events in appended {
            committed.extend(events?);
        }
        done?;
        Ok(committed)
    }

    /// The server knows nothing of what failed before it was sent, and would commit the rest.
    fn note_failure<T>(&self, done: &Result<T>) {
        self.failed.fetch_or(done.is_err(), Ordering::Relaxed);
    }

    fn require_no_failure(&self) -> Result<()> {
        if self.failed.load(Ordering::Relaxed) {
            return Err(Error::internal("commit after a failed statement"));
        }
        Ok(())
    }

    /// Ends the transaction without effect. Waits for the server's answer, so that the connection is free again for the
    /// next transaction of the caller.
    pub async fn rollback(mut self) -> Result<()> {
        self.db.statement_log().control(self.number, "ROLLBACK");
        self.answer(self.client()?.batch_execute("ROLLBACK")).await?;
        self.give_back();
        Ok(())
    }

    /// Gives the connection back to its pool: the server has answered the end.
    fn give_back(&mut self) {
        if let Some(mut client) = self.client.take() {
            client.end_use(Residue::Session);
        }
    }

    /// A commit waits for a synchronous standby without an end: no time-out of the server ends that.
    async fn send_commit(&self, client: &Object) -> Result<()> {
        self.require_no_failure()?;
        self.db.statement_log().control(self.number, "COMMIT");
        let answer = self.answer(client.batch_execute("COMMIT")).await;
        if answer.is_err() && self.lost.load(Ordering::Relaxed) {
            metrics::counter!("bipe_commits_unconfirmed_total").increment(1);
        }
        answer
    }
}

#[cfg(test)]
mod tests {
    use futures_util::future::{BoxFuture, try_join};

    use super::*;
    use crate::db::AppendStatement;
    use crate::event::Event;
    use crate::testing::TestDb;

    const WRITE: &str = "INSERT INTO channel_heads (channel, epoch, seq) VALUES ('plans', 'e', 1)";
    const READ: &str = "SELECT count(*) FROM channel_heads";

    #[tokio::test]
    async fn a_statement_that_was_prepared_goes_ahead_of_one_that_was_used_before() {
        let test = TestDb::new().await;
        let tx = test.db.tx().await.unwrap();
        assert_eq!(tx.value::<i64>(READ, &[]).await.unwrap(), 0);
        tx.prepare(WRITE).await.unwrap();
        let sent = try_join(tx.execute(WRITE, &[]), tx.value::<i64>(READ, &[])).await;
        assert_eq!(sent.unwrap(), (1, 1), "the read sees what was written");
    }

    struct FailsUnsent;

    impl AppendStatement for FailsUnsent {
        fn sql(&self) -> &'static str {
            READ
        }

        fn write<'a>(&'a self, _tx: &'a Tx) -> BoxFuture<'a, Result<Vec<Event>>> {
            Box::pin(async { Err(Error::internal("cannot be written as JSON")) })
        }
    }

    #[tokio::test]
    async fn rows_are_not_committed_without_what_was_staged_with_them() {
        let test = TestDb::new().await;
        let mut tx = test.db.tx().await.unwrap();
        tx.execute(WRITE, &[]).await.unwrap();
        tx.append_last(Box::new(FailsUnsent));
        let failure = tx.commit().await.unwrap_err();
        assert!(failure.to_string().contains("JSON"), "the first failure is told: {failure}");
        let after = test.db.tx().await.unwrap();
        assert_eq!(after.value::<i64>(READ, &[]).await.unwrap(), 0);
    }
}
