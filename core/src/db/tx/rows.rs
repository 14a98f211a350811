//! Rows that transactions of every noun add beside their own: entries of the audit, and jobs. They are staged, and one
//! statement of `Tx::commit` writes all of them. Called through `audit` and `job`, which say what they mean.
//!
//! Invariant: rows of jobs are locked after every lock of the business and before the heads of channels, by kind and
//! key, so that nobody waits in a circle.

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
    pub action: String,
    pub target: Option<String>,
    pub outcome: &'static str,
    pub fields: Vec<String>,
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
    pub earliest: bool,
}

#[derive(Debug, Serialize)]
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
    /// Jobs that are done, and their tries.
    finished: Vec<(JobId, i32)>,
}

impl Rows {
    pub fn audit(&mut self, row: AuditRow) {
        self.audits.push(row);
    }

    /// After what was staged under its name before, as if both were written at once.
    pub fn put_job(&mut self, mut row: JobRow) {
        match self.take(row.kind, &row.key) {
            Some(JobChange::Put(before)) if row.earliest => {
                row.run_at = row.run_at.min(before.run_at);
                row.earliest = before.earliest;
            }
            Some(JobChange::Remove(_)) => row.earliest = false,
            Some(JobChange::Put(_)) | None => {}
        }
        self.jobs.push(JobChange::Put(row));
    }

    pub fn remove_job(&mut self, kind: &'static str, key: &str) {
        drop(self.take(kind, key));
        self.jobs.push(JobChange::Remove(JobName { kind, key: key.to_owned() }));
    }

    pub fn finish_job(&mut self, id: JobId, attempts: i32) {
        self.finished.push((id, attempts));
    }

    pub fn is_empty(&self) -> bool {
        self.audits.is_empty() && self.jobs.is_empty() && self.finished.is_empty()
    }

    fn take(&mut self, kind: &str, key: &str) -> Option<JobChange> {
        let at = self.jobs.iter().position(|change| change.name() == (kind, key))?;
        Some(self.jobs.remove(at))
    }

    pub fn sql(&self) -> &'static str {
        if self.finished.is_empty() { WRITE } else { WRITE_AND_FINISH }
    }

    pub async fn write(self, tx: &Tx) -> Result<()> {
        let sql = self.sql();
        let (mut put, mut removed) = (Vec::new(), Vec::new());
        for change in self.jobs {
            match change {
                JobChange::Put(row) => put.push(row),
                JobChange::Remove(name) => removed.push(name),
            }
        }
        let earliest = put.iter().filter(|row| row.earliest).map(|row| row.id);
        let earliest: Vec<JobId> = earliest.collect();
        let (ids, attempts): (Vec<JobId>, Vec<i32>) = self.finished.into_iter().unzip();
        let (audits, put, removed) = (text(&self.audits)?, text(&put)?, text(&removed)?);
        let params: Params<'_> =
            &[&audits, &put, &removed, &tx.now(), &tx.cause(), &earliest, &ids, &attempts];
        // The jobs that are finished come last.
        let wanted = if ids.is_empty() { params.get(..6).unwrap_or(params) } else { params };
        tx.execute(sql, wanted).await.map(drop)
    }
}

fn text(rows: &impl Serialize) -> Result<String> {
    serde_json::to_string(rows).map_err(Error::internal)
}

/// A job that is put again begins to count its tries anew.
macro_rules! statement {
    ($ending:literal) => {
        concat!(
            "WITH audited AS (\
             INSERT INTO audit_entries (id, at, actor_id, session_id, company_id, network, action, target, outcome, \
               request_id, fields, by_platform) \
             SELECT id, $4::timestamptz, actor_id, session_id, company_id, network, action, target, outcome, $5::text, \
               fields, by_platform FROM jsonb_to_recordset($1::text::jsonb) AS a(id uuid, actor_id uuid, \
               session_id uuid, company_id uuid, network text, action text, target text, outcome text, fields text[], \
               by_platform boolean)), \
             removed AS (\
             DELETE FROM jobs j USING jsonb_to_recordset($3::text::jsonb) AS r(kind text, key text) \
             WHERE j.kind = r.kind AND j.key = r.key)",
            $ending,
            " INSERT INTO jobs (id, kind, key, payload, run_at, created_at) \
             SELECT id, kind, key, payload, run_at, $4::timestamptz FROM jsonb_to_recordset($2::text::jsonb) \
               AS n(id uuid, kind text, key text, payload text, run_at timestamptz) ORDER BY kind, key \
             ON CONFLICT (kind, key) DO UPDATE SET payload = excluded.payload, attempts = 0, dead_at = NULL, \
               run_at = CASE WHEN excluded.id = ANY ($6::uuid[]) THEN least(jobs.run_at, excluded.run_at) \
                 ELSE excluded.run_at END"
        )
    };
}

const WRITE: &str = statement!("");
/// With the job of a webhook its event is filed.
const WRITE_AND_FINISH: &str = statement!(
    ", finished AS (\
     DELETE FROM jobs j USING unnest($7::uuid[], $8::integer[]) AS f(id, attempts) \
     WHERE j.id = f.id AND j.attempts = f.attempts RETURNING j.kind, j.key), \
     filed AS (\
     UPDATE webhook_inbox w SET handled_at = $4::timestamptz, outcome = 'handled' FROM finished f \
     WHERE f.kind = 'webhook' AND w.event_id = f.key)"
);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Clock;

    fn row(minute: i64, earliest: bool) -> JobRow {
        JobRow {
            id: JobId::new(&Clock::system()),
            kind: "renewal",
            key: "1".into(),
            payload: minute.to_string(),
            run_at: Timestamp::from_second(60 * minute).unwrap(),
            earliest,
        }
    }

    /// Minute, payload and whether an earlier row keeps its time; none when it is removed.
    fn staged(rows: &Rows) -> Option<(i64, &str, bool)> {
        let [change] = rows.jobs.as_slice() else { panic!("{rows:?}") };
        match change {
            JobChange::Put(row) => Some((row.run_at.as_second() / 60, &row.payload, row.earliest)),
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
}
