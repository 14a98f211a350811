//! Whether the payment provider is reached and takes our key, and whether its clock and ours agree. Called by `mod.rs`.

use bipe_core::clock::Clock;
use bipe_core::config::{Config, SANDBOX_SECRET_KEY};
use bipe_core::diagnosis::ClockDifference;
use bipe_core::gateway::stripe::api_base;
use bipe_core::secret::Secret;
use bipe_core::web_probe::{Answer, Question, WebProbe};
use jiff::fmt::rfc2822::DateTimeParser;
use jiff::{SignedDuration, Timestamp};

use super::guide;
use super::report::Check;

const STRIPE: &str = "https://api.stripe.com/";
/// Needs the key, and no right that Bipe does not need itself.
const EVENTS: &str = "v1/events?limit=1";
const REACHED: &str = "provider.reached";
const CLOCK: &str = "clock.provider";
/// The provider tells whole seconds, and a webhook of ours may be five minutes old.
const CLOCK_TOLERANCE: SignedDuration = SignedDuration::from_secs(5);

pub async fn examine(config: &Config, clock: &Clock) -> [Check; 2] {
    if config.has_own_sandbox() {
        let why = "not configured: STRIPE_SECRET_KEY; the sandbox inside the server answers";
        return [REACHED, CLOCK].map(|check| Check::skipped(check, why));
    }
    let url = api_base(config, config.bind).unwrap_or_else(|| STRIPE.to_owned());
    let key = config.stripe_secret_key.as_ref().map_or(SANDBOX_SECRET_KEY, Secret::expose);
    let events = format!("{url}{EVENTS}");
    let question = Question::get(&events).with("authorization", format!("Bearer {key}"));
    let asked = clock.now();
    let answer = match WebProbe::new() {
        Ok(probe) => probe.ask(question).await,
        Err(says) => Err(says),
    };
    judge(&url, &answer, asked, clock.now())
}

/// Any status is an answer but the two that refuse the key.
fn judge(
    url: &str,
    answer: &Result<Answer, String>,
    asked: Timestamp,
    answered: Timestamp,
) -> [Check; 2] {
    let answer = match answer {
        Ok(answer) => answer,
        Err(says) => {
            let advice = "check name resolution, the firewall and the way out of this machine";
            let says = format!("{url}: {says}");
            return [
                Check::finding(REACHED, says, advice, guide::PROVIDER),
                Check::skipped(CLOCK, "the provider does not answer"),
            ];
        }
    };
    let date =
        answer.header("date").and_then(|date| DateTimeParser::new().parse_timestamp(date).ok());
    let difference = date.map(|there| ClockDifference::of(asked, there, answered));
    [key_taken(url, answer.status), clock(difference)]
}

fn key_taken(url: &str, status: u16) -> Check {
    let (says, advice) = match status {
        401 => ("refuses STRIPE_SECRET_KEY", "set STRIPE_SECRET_KEY anew, and restart the nodes"),
        403 => ("lets STRIPE_SECRET_KEY read no events", "give the key all rights of the page"),
        _ => return Check::ok(REACHED, format!("{url} answers")),
    };
    Check::finding(REACHED, format!("{url} {says}"), advice, guide::STRIPE)
}

fn clock(difference: Option<ClockDifference>) -> Check {
    let Some(difference) = difference else {
        return Check::skipped(CLOCK, "the provider's answer has no date");
    };
    let says = format!("the provider's clock is {} s ahead", difference.ahead.as_secs());
    if difference.at_least() > CLOCK_TOLERANCE {
        let advice = "run `timedatectl` on this machine: beyond 300 s every webhook is refused";
        return Check::finding(CLOCK, says, advice, guide::WEBHOOKS);
    }
    Check::ok(CLOCK, says)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::report::Outcome::{self, Finding, Ok as Good, Skipped};

    #[test]
    fn a_provider_that_does_not_answer_is_a_finding() {
        let at = Timestamp::UNIX_EPOCH;
        let outcomes = |answer| judge("https://x/", &answer, at, at).map(|check| check.outcome);
        assert_eq!(outcomes(Err("no route".into())), [Finding, Skipped]);
        assert_eq!(outcomes(Ok(Answer::of_status(404))), [Good, Skipped]);
    }

    #[test]
    fn a_key_that_the_provider_refuses_is_a_finding() {
        for (status, says) in [(401, "refuses STRIPE_SECRET_KEY"), (403, "read no events")] {
            let check = key_taken("https://x/", status);
            assert_eq!((check.outcome, check.read), (Finding, Some(guide::STRIPE)), "{status}");
            assert!(check.says.contains(says), "{}", check.says);
        }
        assert_eq!(key_taken("https://x/", 200).outcome, Good);
    }

    #[test]
    fn the_providers_clock_differs_by_no_more_than_five_seconds() {
        let judge = |seconds: i64| -> Outcome {
            let (ahead, took) =
                (SignedDuration::from_secs(seconds), SignedDuration::from_millis(200));
            clock(Some(ClockDifference { ahead, took })).outcome
        };
        assert_eq!((judge(0), judge(5), judge(-5)), (Good, Good, Good));
        assert_eq!((judge(6), judge(-6)), (Finding, Finding));
    }
}
