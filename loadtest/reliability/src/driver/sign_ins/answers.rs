//! What a storm of sign-ins may be answered. Pure; called by `sign_ins` when everybody has been answered.

use std::collections::BTreeMap;
use std::time::Duration;

/// The longest allowed time of a refused sign-in and of a read. A password waits at most three seconds for a core
/// (docs/security.md, "Passwords"); the other half second is slack for a busy machine.
pub const BOUND: Duration = Duration::from_millis(3_500);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Password {
    Right,
    Wrong,
}

/// One sign-in.
#[derive(Clone, Debug)]
pub struct Tried {
    pub password: Password,
    /// Or why nobody answered.
    pub answer: Result<Answer, String>,
    /// Since the moment that it was due.
    pub took: Duration,
}

#[derive(Clone, Debug)]
pub struct Answer {
    pub status: u16,
    pub retry_after: Option<u32>,
    pub has_session: bool,
}

impl Tried {
    pub fn status(&self) -> Option<u16> {
        self.answer.as_ref().ok().map(|answer| answer.status)
    }

    /// What is wrong with it, in words that are the same for its like.
    fn wrong(&self) -> Option<String> {
        let answer = match &self.answer {
            Err(error) => return Some(format!("no answer: {error}")),
            Ok(answer) => answer,
        };
        let says_when = answer.retry_after.is_some_and(|seconds| seconds > 0);
        let wrong = match (answer.status, self.password) {
            (200, Password::Wrong) => "a wrong password was let in",
            (401, Password::Right) => "a right password was called wrong",
            (200, Password::Right) if !answer.has_session => "let in without a session",
            (429 | 503, _) if !says_when => "refused without a time to try again",
            (503, _) if self.took > BOUND => "refused too late",
            (200 | 401 | 429 | 503, _) if answer.status != 200 && answer.has_session => {
                "a session with a refusal"
            }
            (200 | 401 | 429 | 503, _) => return None,
            (status, _) => return Some(format!("status {status}")),
        };
        Some(wrong.to_owned())
    }
}

/// What is wrong, each with its count.
pub fn check(tried: &[Tried]) -> Vec<String> {
    counted(tried.iter().filter_map(Tried::wrong))
}

/// The same of reads: each has to be answered, however slowly the machine runs within the bound.
pub fn check_reads(reads: &[Result<Duration, String>]) -> Vec<String> {
    counted(reads.iter().filter_map(|read| match read {
        Err(error) => Some(error.clone()),
        Ok(took) => (*took > BOUND).then(|| "a read was answered too late".to_owned()),
    }))
}

fn counted(wrong: impl Iterator<Item = String>) -> Vec<String> {
    let mut counts: BTreeMap<String, u32> = BTreeMap::new();
    for wrong in wrong {
        *counts.entry(wrong).or_default() += 1;
    }
    counts.iter().map(|(wrong, count)| format!("{count} times {wrong}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUICK: Duration = Duration::from_millis(40);
    const LATE: Duration = Duration::from_millis(3_501);

    fn tried(password: Password, status: u16) -> Tried {
        let retry_after = matches!(status, 429 | 503).then_some(3);
        let answer = Ok(Answer { status, retry_after, has_session: status == 200 });
        Tried { password, answer, took: QUICK }
    }

    fn but(mut tried: Tried, change: impl FnOnce(&mut Answer)) -> Tried {
        change(tried.answer.as_mut().unwrap());
        tried
    }

    #[test]
    fn a_verdict_and_a_refusal_in_time_are_right() {
        let right = [200, 429, 503].map(|status| tried(Password::Right, status));
        let wrong = [401, 429, 503].map(|status| tried(Password::Wrong, status));
        assert!(check(&right).is_empty() && check(&wrong).is_empty());
        // The wait of who is compared is told, and not judged.
        let late = Tried { took: LATE, ..tried(Password::Right, 200) };
        assert!(check(&[late]).is_empty());
    }

    #[test]
    fn every_other_answer_is_found() {
        use Password::{Right, Wrong};
        let found = |tried: Tried| check(&[tried]).join("");
        assert_eq!(found(tried(Wrong, 200)), "1 times a wrong password was let in");
        assert_eq!(found(tried(Right, 401)), "1 times a right password was called wrong");
        let without = but(tried(Right, 200), |answer| answer.has_session = false);
        assert_eq!(found(without), "1 times let in without a session");
        for status in [429, 503] {
            for retry_after in [None, Some(0)] {
                let silent = but(tried(Right, status), |answer| answer.retry_after = retry_after);
                assert_eq!(found(silent), "1 times refused without a time to try again");
            }
        }
        for status in [401, 429, 503] {
            let open = but(tried(Wrong, status), |answer| answer.has_session = true);
            assert_eq!(found(open), "1 times a session with a refusal");
        }
        let late = Tried { took: LATE, ..tried(Right, 503) };
        assert_eq!(found(late), "1 times refused too late");
        assert_eq!(found(tried(Right, 500)), "1 times status 500");
        let dropped = Tried { answer: Err("hung up".into()), ..tried(Right, 200) };
        assert_eq!(check(&[dropped.clone(), dropped]), ["2 times no answer: hung up"]);
    }

    #[test]
    fn a_read_that_failed_or_was_late_is_found() {
        assert!(check_reads(&[Ok(QUICK), Ok(BOUND)]).is_empty());
        let found = check_reads(&[Ok(LATE), Err("a read: 503".into()), Ok(LATE)]);
        assert_eq!(found, ["2 times a read was answered too late", "1 times a read: 503"]);
    }
}
