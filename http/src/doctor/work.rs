//! Whether the work in the background keeps up: jobs, mails, payments without an outcome, alerts. Called by `mod.rs`.

use bipe_core::development;
use bipe_core::diagnosis::{LateWork, Waiting};
use jiff::{SignedDuration, Timestamp};

use super::database::Reached;
use super::guide;
use super::report::Check;

/// As the alert BipeJobsLate has it.
const JOBS_ARE_LATE: SignedDuration = SignedDuration::from_mins(15);
/// The provider has been asked five times by then.
const OUTCOME_IS_LATE: SignedDuration = SignedDuration::from_hours(1);

pub async fn examine(reached: &Reached, is_production: bool) -> Vec<Check> {
    // The nodes' clock decides what is due. In development it may have been moved.
    if !is_production && development::restore_clock(&reached.db).await.is_err() {
        return vec![Check::skipped("jobs.due", "the database does not tell the nodes' clock")];
    }
    match LateWork::read(&reached.db, &reached.proof).await {
        Ok(late) => judge(&late),
        Err(error) => {
            let advice = "read `database.schema` and `database.limits` first";
            vec![Check::finding("jobs.due", error.to_string(), advice, guide::JOBS_LATE)]
        }
    }
}

fn judge(late: &LateWork) -> Vec<Check> {
    let now = late.as_of;
    vec![
        due(late.due, now),
        given_up(late.given_up),
        mails(late.mails, now),
        payments(late.unknown_payments, now),
        alerts(late.alerts),
    ]
}

/// How long the first one has been waiting.
fn age(waiting: Waiting, now: Timestamp) -> SignedDuration {
    waiting.since.map(|since| now.duration_since(since)).unwrap_or_default()
}

fn minutes(age: SignedDuration) -> i64 {
    age.as_mins().max(0)
}

fn due(due: Waiting, now: Timestamp) -> Check {
    let (check, age) = ("jobs.due", age(due, now));
    let says = format!("{} jobs are due, the first for {} min", due.count, minutes(age));
    let advice = "see that a node runs, then which kind waits";
    finding_if(age > JOBS_ARE_LATE, check, says, advice, guide::JOBS_LATE)
}

fn finding_if(
    is_late: bool,
    check: &'static str,
    says: String,
    advice: &str,
    read: &'static str,
) -> Check {
    if is_late { Check::finding(check, says, advice, read) } else { Check::ok(check, says) }
}

fn given_up(given_up: Waiting) -> Check {
    let check = "jobs.given_up";
    if given_up.count == 0 {
        return Check::ok(check, "no job was given up within a week");
    }
    let says = format!("jobs that were given up within a week: {}", given_up.count);
    let advice = "read `last_error` of the rows of `jobs` that have a `dead_at`";
    Check::finding(check, says, advice, guide::JOBS_FAILING)
}

fn mails(mails: Waiting, now: Timestamp) -> Check {
    let check = "mail.waiting";
    if mails.count == 0 {
        return Check::ok(check, "no mail has waited for more than five minutes");
    }
    let says =
        format!("{} mails wait, the first for {} min", mails.count, minutes(age(mails, now)));
    let advice = "see what `mail.server` says, then `last_error` of the jobs of kind mail";
    Check::finding(check, says, advice, guide::JOBS_FAILING)
}

fn payments(unknown: Waiting, now: Timestamp) -> Check {
    let (check, age) = ("payments.unknown", age(unknown, now));
    let says = format!(
        "{} payments wait for the provider's word, the first for {} min",
        unknown.count,
        minutes(age)
    );
    let advice = "see whether the provider answers, and read the log for its code";
    finding_if(age > OUTCOME_IS_LATE, check, says, advice, guide::PROVIDER)
}

fn alerts(open: Waiting) -> Check {
    let check = "alerts.open";
    if open.count == 0 {
        return Check::ok(check, "no alert is open");
    }
    let since = open.since.map(|since| since.to_string()).unwrap_or_default();
    let says = format!("alerts that wait for a person: {}, the first since {since}", open.count);
    Check::finding(
        check,
        says,
        "list them with `bipe alerts`, and do what each kind asks for",
        guide::ALERTS,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::report::Outcome::{self, Finding, Ok as Good};

    const NOW: Timestamp = Timestamp::UNIX_EPOCH;

    fn since(minutes: i64) -> Waiting {
        let since = NOW.checked_sub(SignedDuration::from_mins(minutes)).unwrap();
        Waiting { count: 3, since: Some(since) }
    }

    #[test]
    fn an_installation_without_late_work_is_well() {
        let checks = judge(&LateWork { as_of: NOW, ..LateWork::default() });
        let outcomes: Vec<Outcome> = checks.iter().map(|check| check.outcome).collect();
        assert_eq!(outcomes, [Good; 5]);
    }

    #[test]
    fn what_waits_too_long_is_a_finding_and_what_has_just_begun_is_none() {
        assert_eq!((due(since(15), NOW).outcome, due(since(16), NOW).outcome), (Good, Finding));
        let payments = |minutes| payments(since(minutes), NOW).outcome;
        assert_eq!((payments(60), payments(61)), (Good, Finding));
        assert_eq!(mails(since(6), NOW).outcome, Finding);
        assert_eq!(given_up(since(6)).outcome, Finding);
        let open = alerts(since(0));
        assert_eq!((open.outcome, open.read), (Finding, Some(guide::ALERTS)));
        assert!(open.says.ends_with("3, the first since 1970-01-01T00:00:00Z"), "{}", open.says);
    }

    #[test]
    fn a_clock_that_is_ahead_of_the_rows_makes_no_age_negative() {
        assert_eq!(due(since(-5), NOW).says, "3 jobs are due, the first for 0 min");
    }
}
