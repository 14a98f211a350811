//! The settings of the payment provider; asked by `Config::check` alone.

use hyper::Uri;

use super::Config;
use super::network::{behind_scheme, is_authority};

/// One line each; no line repeats a key.
pub(super) fn problems(config: &Config) -> Vec<String> {
    let begins = |key: &str, with: &[&str]| with.iter().any(|with| key.trim().starts_with(with));
    let secret = config.stripe_secret_key.as_ref();
    let publishable = config.stripe_publishable_key.as_ref();
    let has_webhooks = !config.stripe_webhook_secret.is_empty();
    let is_right = [
        (
            config.stripe_api_base.as_deref().is_none_or(is_base),
            "STRIPE_API_BASE takes http(s)://host[:port][/path], no ? and no #",
        ),
        (
            secret.is_none_or(|key| !begins(key.expose(), &["pk_"])),
            "STRIPE_SECRET_KEY is a publishable key",
        ),
        (
            publishable.is_none_or(|key| !begins(key, &["sk_", "rk_"])),
            "STRIPE_PUBLISHABLE_KEY is a secret key, and browsers are given it: take pk_…",
        ),
        (
            config.is_sandbox() || config.stripe_publishable_key.is_some() && has_webhooks,
            "STRIPE_SECRET_KEY needs STRIPE_PUBLISHABLE_KEY and STRIPE_WEBHOOK_SECRET beside it",
        ),
        (
            config.stripe_webhook_secret.iter().all(|secret| !secret.expose().is_empty()),
            "STRIPE_WEBHOOK_SECRET holds an empty secret",
        ),
    ];
    let wrong = is_right.into_iter().filter(|(is_right, _)| !is_right);
    wrong.map(|(_, line)| line.to_owned()).collect()
}

/// The library appends the path of each call.
fn is_base(url: &str) -> bool {
    let place = behind_scheme(url).and_then(|rest| rest.split('/').next());
    place.is_some_and(is_authority) && !url.contains(['?', '#']) && url.parse::<Uri>().is_ok()
}

#[cfg(test)]
mod tests {
    use crate::testing::config;

    #[test]
    fn a_provider_has_a_host_a_port_and_no_query() {
        let problems = |url: &str| config(&["--stripe-api-base", url]).check();
        for url in [
            "https://",
            "ftp://127.0.0.1",
            "127.0.0.1:8090",
            "http://127.0.0.1:99999/",
            "http://127.0.0.1:8090/x?y=z",
            "http://127.0.0.1:8090/#x",
            "http://127.0.0.1:8090/x y",
            "http://u:p@127.0.0.1:8090/",
        ] {
            let problems = problems(url).expect_err(url);
            assert_eq!(problems.len(), 1, "{url}: {problems:?}");
            assert!(problems[0].starts_with("STRIPE_API_BASE takes"), "{url}: {problems:?}");
        }
        for url in ["http://127.0.0.1:8090/", "https://stripe.example.com/api", "http://[::1]:1"] {
            assert_eq!(problems(url), Ok(()), "{url}");
        }
    }

    /// Browsers are given the publishable key.
    #[test]
    fn keys_that_were_exchanged_are_refused() {
        let refused = |environment: &str, secret: &str, publishable: &str| {
            let keys = ["--stripe-secret-key", secret, "--stripe-publishable-key", publishable];
            let problems = config(&[&["--env", environment], &keys[..]].concat()).check();
            let problems = problems.unwrap_err().into_iter();
            problems.filter(|line| line.contains(" is a ")).collect::<Vec<_>>()
        };
        for (environment, mode) in [("development", "test"), ("production", "live")] {
            let [secret, restricted, publishable] =
                ["sk", "rk", "pk"].map(|kind| format!("{kind}_{mode}_1"));
            for secret in [secret, restricted, format!(" sk_{mode}_1")] {
                let problems = refused(environment, &publishable, &secret);
                assert_eq!(problems.len(), 2, "{problems:?}");
                assert!(problems[0].starts_with("STRIPE_SECRET_KEY is a pub"), "{problems:?}");
                assert!(problems[1].starts_with("STRIPE_PUBLISHABLE_KEY is a s"), "{problems:?}");
                assert_eq!(refused(environment, secret.trim(), &publishable).len(), 0);
            }
        }
    }

    /// People write a space behind a comma.
    #[test]
    fn each_webhook_secret_stands_alone() {
        let given = config(&["--stripe-webhook-secret", "whsec_1, whsec_2"]);
        let secrets: Vec<&str> = given.stripe_webhook_secret.iter().map(|s| s.expose()).collect();
        assert_eq!((given.check(), secrets), (Ok(()), vec!["whsec_1", "whsec_2"]));
        let problems = config(&["--stripe-webhook-secret", "whsec_1, "]).check().unwrap_err();
        assert_eq!(problems, ["STRIPE_WEBHOOK_SECRET holds an empty secret"]);
    }
}
