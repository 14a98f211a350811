//! Whether a session has shown the second factor of its owner, and how long ago. Pure.

use jiff::{SignedDuration, Timestamp};

use crate::error::{Code, Error, Result};

/// How long a proof counts.
const STEP_UP_LIFETIME: SignedDuration = SignedDuration::from_mins(10);

/// What a session has shown beside a password.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Assurance {
    /// Its owner has a second factor.
    pub has_second_factor: bool,
    /// When this session last showed it.
    pub stepped_up_at: Option<Timestamp>,
}

impl Assurance {
    /// # Errors
    /// `Denied(STEP_UP_REQUIRED)` for a person who has a second factor and has not shown it for ten minutes.
    pub fn prove_fresh(self, now: Timestamp) -> Result<()> {
        let is_fresh =
            self.stepped_up_at.is_some_and(|at| now.duration_since(at) <= STEP_UP_LIFETIME);
        if self.has_second_factor && !is_fresh {
            return Err(Error::Denied(Code::StepUpRequired));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_proof_counts_for_ten_minutes_and_only_where_there_is_a_factor() {
        let now: Timestamp = "2026-11-21T12:00:00Z".parse().unwrap();
        let ago = |seconds| now.checked_sub(SignedDuration::from_secs(seconds)).ok();
        let is_let = |has_second_factor, stepped_up_at| {
            Assurance { has_second_factor, stepped_up_at }.prove_fresh(now).is_ok()
        };
        assert!(is_let(true, ago(0)) && is_let(true, ago(600)));
        assert!(!is_let(true, ago(601)) && !is_let(true, None));
        assert!(is_let(false, None) && is_let(false, ago(6_000)));
    }
}
