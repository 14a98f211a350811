//! Rows that transactions of every noun add beside their own: entries of the audit, and jobs. They are staged and
//! written by `Tx::commit`: by one statement, and one more for each job that is taken back. Called through `audit` and
//! `job`, which say what they mean.
//!
//! A job is found by equality with its unique key and by no join: a connection keeps the plan of its statement, and a join
//! that was planned while the table was small reads all of it afterwards.
//!
//! Invariant: rows of jobs are locked after every lock of the business and before the heads of channels, by kind and
//! key, so that nobody waits in a circle.

use futures_util::future::{try_join, try_join_all};
use jiff::Timestamp;
use serde::Serialize;

use super::{Params, Tx};
use crate::error::{Error, Result};
use crate::id::{CompanyId, JobId, SessionId, UserId};

/// An entry of the audit; the instant and the request are those of its transaction.
#[derive(Debug, Serialize)]
pub(crate) struct AuditRow {
    pub id: uuid::Uuid,
    pub actor_id: Option<UserId>,
    pub session_id: Option<SessionId>,
    pub company_id: Option<CompanyId>,
    pub network: Option<String>,
    pub action: &'static str,
    pub target: Option<String>,
    pub outcome: &'static str,
    pub fields: Vec<&'static str>,
    pub by_platform: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct JobRow {
    pub id: JobId,
    pub kind: &'static str,
    pub key: String,
    /// JSON text.
    pub payload: String,
    pub run_at: Timestamp,
    /// A job that is there already keeps its time if that is the earlier one.
    #[serde(skip)]
    pub keeps_earlier_time: bool,
}

#[derive(Debug)]
struct JobName {
    kind: &'static str,
    key: String,
}

#[derive(Debug)]
enum JobChange {
    Put(JobRow),
    Remove(JobName),
}

impl JobChange {
    fn name(&self) -> (&'static str, &str) {
        match self {
            Self::Put(JobRow { kind, key, .. }) | Self::Remove(JobName { kind, key }) => {
                (kind, key)
            }
        }
    }
}

#[derive(Debug, Default)]
pub(super) struct Rows {
    audits: Vec<AuditRow>,
    /// One for each name.
    jobs: Vec<JobChange>,
    /// The job that the transaction ends, and its tries.
    finished: Option<(JobId, i32)>,
}

impl Rows {
    pub fn audit(&mut self, row: AuditRow) {
        self.audits.push(row);
    }

    /// After what was staged under its name before, as if both were written at once.
    pub fn put_job(&mut self, mut row: JobRow) {
        match self.take(row.kind, &row.key) {
            Some(JobChange::Put(before)) if row.keeps_earlier_time => {
                row.run_at = row.run_at.min(before.run_at);
                row.keeps_earlier_time = before.keeps_earlier_time;
            }
            Some(JobChange::Remove(_)) => row.keeps_earlier_time = false,
            Some(JobChange::Put(_)) | None => {}
        }
        self.jobs.push(JobChange::Put(row));
    }

    pub fn remove_job(&mut self, kind: &'static str, key: &str) {
        drop(self.take(kind, key));
        self.jobs.push(JobChange::Remove(JobName { kind, key: key.to_owned() }));
    }

    pub fn finish_job(&mut self, id: JobId, attempts: i32) {
        self.finished = Some((id, attempts));
    }

    pub fn is_empty(&self) -> bool {
        self.audits.is_empty() && self.jobs.is_empty() && self.finished.is_none()
    }

    fn take(&mut self, kind: &str, key: &str) -> Option<JobChange> {
        let at = self.jobs.iter().position(|change| change.name() == (kind, key))?;
        Some(self.jobs.remove(at))
    }

    /// The statements of `write`.
    pub fn statements(&self) -> [&'static str; 2] {
        [REMOVE, if self.finished.is_some() { WRITE_AND_FINISH } else { WRITE }]
    }

    pub async fn write(self, tx: &Tx) -> Result<()> {
        let [remove, write] = self.statements();
        let (mut put, mut removed) = (Vec::new(), Vec::new());
        for change in self.jobs {
            match change {
                JobChange::Put(row) => put.push(row),
                JobChange::Remove(name) => removed.push(name),
            }
        }
        removed.sort_by(|one, other| (one.kind, &one.key).cmp(&(other.kind, &other.key)));
        let removing =
            try_join_all(removed.iter().map(|JobName { kind, key }| async move {
                tx.execute(remove, &[kind, key]).await
            }));
        if self.audits.is_empty() && put.is_empty() && self.finished.is_none() {
            return removing.await.map(drop);
        }
        let keep_earlier = put.iter().filter(|row| row.keeps_earlier_time).map(|row| row.id);
        let keep_earlier: Vec<JobId> = keep_earlier.collect();
        let (id, attempts) = self.finished.unzip();
        let (audits, put) = (text(&self.audits)?, text(&put)?);
        let params: Params<'_> =
            &[&audits, &put, &tx.now(), &tx.cause(), &keep_earlier, &id, &attempts];
        // The job that is finished comes last.
        let wanted = if id.is_none() { params.get(..5).unwrap_or(params) } else { params };
        // Each is sent when it is first polled, in this order.
        try_join(removing, tx.execute(write, wanted)).await.map(drop)
    }
}

fn text(rows: &impl Serialize) -> Result<String> {
    serde_json::to_string(rows).map_err(Error::internal)
}

const REMOVE: &str = "DELETE FROM jobs WHERE kind = $1 AND key = $2";

/// A job that is put again begins to count its tries anew.
macro_rules! statement {
    ($ending:literal) => {
        concat!(
            "WITH audited AS (\
             INSERT INTO audit_entries (id, at, actor_id, session_id, company_id, network, action, target, outcome, \
               request_id, fields, by_platform) \
             SELECT id, $3::timestamptz, actor_id, session_id, company_id, network, action, target, outcome, $4::text, \
               fields, by_platform FROM jsonb_to_recordset($1::text::jsonb) AS a(id uuid, actor_id uuid, \
               session_id uuid, company_id uuid, network text, action text, target text, outcome text, fields text[], \
               by_platform boolean))",
            $ending,
            " INSERT INTO jobs (id, kind, key, payload, run_at, created_at) \
             SELECT id, kind, key, payload, run_at, $3::timestamptz FROM jsonb_to_recordset($2::text::jsonb) \
               AS n(id uuid, kind text, key text, payload text, run_at timestamptz) ORDER BY kind, key \
             ON CONFLICT (kind, key) DO UPDATE SET payload = excluded.payload, attempts = 0, dead_at = NULL, \
               run_at = CASE WHEN excluded.id = ANY ($5::uuid[]) THEN least(jobs.run_at, excluded.run_at) \
                 ELSE excluded.run_at END"
        )
    };
}

const WRITE: &str = statement!("");
/// With the job of a webhook its event is filed.
const WRITE_AND_FINISH: &str = statement!(
    ", finished AS (\
     DELETE FROM jobs WHERE id = $6::uuid AND attempts = $7::integer RETURNING kind, key), \
     filed AS (\
     UPDATE webhook_inbox w SET handled_at = $3::timestamptz, outcome = 'handled' FROM finished f \
     WHERE f.kind = 'webhook' AND w.event_id = f.key)"
);

#[cfg(test)]
mod tests {
    use tokio_postgres::SimpleQueryMessage::Row;

    use super::*;
    use crate::clock::Clock;
    use crate::testing::TestDb;

    fn row(minute: i64, keeps_earlier_time: bool) -> JobRow {
        JobRow {
            id: JobId::new(&Clock::system()),
            kind: "renewal",
            key: "1".into(),
            payload: minute.to_string(),
            run_at: Timestamp::from_second(60 * minute).unwrap(),
            keeps_earlier_time,
        }
    }

    /// Minute, payload and whether an earlier row keeps its time; none when it is removed.
    fn staged(rows: &Rows) -> Option<(i64, &str, bool)> {
        let [change] = rows.jobs.as_slice() else { panic!("{rows:?}") };
        match change {
            JobChange::Put(row) => {
                Some((row.run_at.as_second() / 60, &row.payload, row.keeps_earlier_time))
            }
            JobChange::Remove(_) => None,
        }
    }

    #[test]
    fn changes_of_one_job_end_as_if_each_was_written_at_once() {
        let mut rows = Rows::default();
        rows.put_job(row(5, true));
        rows.put_job(row(9, true));
        assert_eq!(staged(&rows), Some((5, "9", true)), "the earlier time, the newer payload");
        rows.put_job(row(9, false));
        assert_eq!(staged(&rows), Some((9, "9", false)), "moved");
        rows.put_job(row(7, true));
        assert_eq!(staged(&rows), Some((7, "7", false)), "earlier than where it was moved");
        rows.remove_job("renewal", "1");
        assert_eq!(staged(&rows), None);
        rows.put_job(row(8, true));
        assert_eq!(staged(&rows), Some((8, "8", false)), "what was removed keeps no time");
    }

    #[tokio::test]
    async fn a_job_is_found_by_an_index_even_by_a_plan_of_the_first_day() {
        let test = TestDb::new().await;
        let owner = test.owner().await;
        for sql in [REMOVE, WRITE_AND_FINISH] {
            let plan = owner.simple_query(&format!("EXPLAIN (GENERIC_PLAN) {sql}")).await.unwrap();
            let lines = plan.iter().filter_map(|message| match message {
                Row(row) => row.get(0),
                _ => None,
            });
            let lines: Vec<&str> = lines.collect();
            assert!(!lines.iter().any(|line| line.contains("Seq Scan on jobs")), "{lines:#?}");
            assert!(lines.iter().any(|line| line.contains("using jobs_")), "{lines:#?}");
        }
    }
}
