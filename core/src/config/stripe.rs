//! The settings of the payment provider; asked by `Config::check` alone.

use super::{Config, host_of};

/// One line each.
pub(super) fn problems(config: &Config) -> Vec<String> {
    let is_server = |url: &String| host_of(url).is_some_and(|host| !host.is_empty());
    let has_webhooks = !config.stripe_webhook_secret.is_empty();
    let is_right = [
        (
            config.stripe_api_base.as_ref().is_none_or(is_server),
            "STRIPE_API_BASE takes http(s)://host",
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

#[cfg(test)]
mod tests {
    use crate::testing::config;

    #[test]
    fn a_provider_has_a_host() {
        let problems = config(&["--stripe-api-base", "https://"]).check().unwrap_err();
        assert_eq!(problems, ["STRIPE_API_BASE takes http(s)://host"]);
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
