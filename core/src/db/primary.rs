//! Which server a new connection may be made to: a primary, and none that another one has replaced.
//!
//! Asked by the pools for each new connection and for one that was kept, and behind a pooler by each transaction that
//! meets another server than the one before. Invariant: nothing is written to a server whose timeline is older than one
//! that this process has worked with. A promotion begins a new timeline; the old primary that comes back still has its
//! own, and what it takes from then on is lost.
//!
//! The first connection to a promoted server or to a restored backup begins a new history there. Commits may be
//! missing: channels get another epoch, and the provider is asked at once about payments that the database forgot.

use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::Notify;
use tokio_postgres::{Client, Row};

use super::connection::ServerChanges;
use super::session::TxPrelude;
use crate::clock::Clock;
use crate::error::{Error, Result};

const SERVER: &str = "SELECT control.system_identifier, d.oid AS database, server_started() AS started, \
     CASE WHEN NOT pg_is_in_recovery() THEN current_timeline() END AS timeline \
     FROM pg_control_system() AS control, pg_database d WHERE d.datname = current_database()";
/// In one statement, so that no crash comes between the two.
const BEGIN_HISTORY: &str = "WITH begun AS (\
     UPDATE database_history SET id = gen_random_uuid(), system_identifier = $1, database = $2, timeline = $3 \
     WHERE (system_identifier, database, timeline) IS DISTINCT FROM ($1, $2, $3) RETURNING id), \
     hurried AS (UPDATE jobs SET run_at = least(run_at, $4) \
     WHERE kind IN ('event_sweep', 'payment_check') AND EXISTS (SELECT FROM begun)) \
     SELECT EXISTS (SELECT FROM begun) AS has_begun";

/// What a server says about itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Server {
    /// Of the cluster, which a promotion keeps.
    system_identifier: i64,
    /// The database's own number; a backup that is restored gets another one.
    database: u32,
    /// The start of its process, in microseconds since 1970.
    started: i64,
    /// None while the server only repeats what another one does.
    timeline: Option<i64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    Standby,
    Replaced,
}

/// The newest primary of this process. Cheap to clone; all pools share one.
#[derive(Clone, Debug, Default)]
pub struct NewestPrimary(Arc<Newest>);

#[derive(Debug, Default)]
struct Newest {
    server: Mutex<Option<Server>>,
    /// Another server than before was met, or the same one after a restart.
    changed: Notify,
    changes: ServerChanges,
}

impl NewestPrimary {
    /// Whether the server behind the connection may be written to. The first one of its kind begins a new history.
    pub(super) async fn ask(
        &self,
        client: &Client,
        clock: &Clock,
    ) -> Result<Result<(), Refusal>, tokio_postgres::Error> {
        let server = Server::read(&client.query_one(SERVER, &[]).await?)?;
        if let Err(refusal) = self.admit(server) {
            tracing::error!(?refusal, "a database server is refused");
            let reason = refusal.as_str();
            metrics::counter!("bipe_database_refused_total", "reason" => reason).increment(1);
            return Ok(Err(refusal));
        }
        Ok(Ok(server.begin_history(client, clock).await?))
    }

    /// As `ask`, behind a pooler, in a transaction of its own, so that one server answers all of it.
    ///
    /// # Errors
    /// `Unavailable` where that server must not be written to.
    pub async fn ask_behind(
        &self,
        client: &Client,
        prelude: &TxPrelude,
        clock: &Clock,
    ) -> Result<()> {
        client.batch_execute(&prelude.plain("ROLLBACK; BEGIN")).await?;
        self.ask(client, clock).await?.map_err(|_refusal| Error::database_away())?;
        Ok(client.batch_execute("COMMIT").await?)
    }

    /// Fails on every other server than the one that was asked last (`migrations/V035__expected_server.sql`).
    pub fn expectation(&self) -> String {
        let newest = *self.0.server.lock();
        match newest.and_then(|server| Some((server, server.timeline?))) {
            Some((Server { started, database, .. }, timeline)) => {
                format!("SELECT expect_server({started}, {database}, {timeline})")
            }
            None => "SELECT expect_server(NULL, NULL, NULL)".to_owned(),
        }
    }

    /// Resolves when the database has become another one since the last call, as after a restore. For one caller.
    pub async fn changed(&self) {
        self.0.changed.notified().await;
    }

    /// A connection that was begun before the last change may lead to the server before.
    pub(super) fn changes(&self) -> ServerChanges {
        self.0.changes.clone()
    }

    fn admit(&self, server: Server) -> Result<(), Refusal> {
        let timeline = server.timeline.ok_or(Refusal::Standby)?;
        let mut newest = self.0.server.lock();
        let is_older = |newest: Server| {
            newest.system_identifier == server.system_identifier && newest.timeline > Some(timeline)
        };
        if newest.is_some_and(is_older) {
            return Err(Refusal::Replaced);
        }
        if newest.replace(server).is_some_and(|before| before != server) {
            self.0.changes.note();
            self.0.changed.notify_one();
        }
        Ok(())
    }
}

impl Server {
    fn read(row: &Row) -> Result<Self, tokio_postgres::Error> {
        Ok(Self {
            system_identifier: row.try_get("system_identifier")?,
            database: row.try_get("database")?,
            started: row.try_get("started")?,
            timeline: row.try_get("timeline")?,
        })
    }

    /// Does nothing where the history has begun already.
    async fn begin_history(
        self,
        client: &Client,
        clock: &Clock,
    ) -> Result<(), tokio_postgres::Error> {
        let Self { system_identifier, database, timeline, .. } = self;
        let params: [&(dyn tokio_postgres::types::ToSql + Sync); 4] =
            [&system_identifier, &database, &timeline, &clock.now()];
        if client.query_one(BEGIN_HISTORY, &params).await?.try_get("has_begun")? {
            tracing::warn!(timeline, "the database is at another place: a new history begins");
            metrics::counter!("bipe_database_histories_total").increment(1);
        }
        Ok(())
    }
}

impl Refusal {
    fn as_str(self) -> &'static str {
        match self {
            Self::Standby => "standby",
            Self::Replaced => "replaced",
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    #[test]
    fn only_another_server_than_before_is_a_change() {
        let newest = NewestPrimary::default();
        let server =
            |started| Server { system_identifier: 1, database: 1, started, timeline: Some(1) };
        for (started, is_change) in [(1, false), (1, false), (2, true), (2, false)] {
            let before = newest.changes().count();
            assert_eq!(newest.admit(server(started)), Ok(()));
            assert_eq!(newest.changed().now_or_never().is_some(), is_change, "{started}");
            assert_eq!(newest.changes().count() > before, is_change, "{started}");
        }
    }

    #[test]
    fn a_replaced_primary_and_a_standby_are_never_written_to() {
        let newest = NewestPrimary::default();
        let server = |system_identifier, timeline| Server {
            system_identifier,
            database: 1,
            started: 1,
            timeline,
        };
        assert_eq!(newest.admit(server(1, None)), Err(Refusal::Standby));
        assert_eq!(newest.admit(server(1, Some(1))), Ok(()));
        assert_eq!(newest.admit(server(1, Some(2))), Ok(()), "it was promoted");
        assert_eq!(newest.admit(server(1, Some(1))), Err(Refusal::Replaced));
        assert_eq!(newest.admit(server(1, Some(2))), Ok(()));
        assert_eq!(newest.admit(server(2, Some(1))), Ok(()), "another cluster, as after a move");
    }
}
