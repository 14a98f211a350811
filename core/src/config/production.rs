//! What production refuses; asked by `Config::check` alone.

use std::net::IpAddr;

use super::{Config, RateLimits};

/// One line each.
pub(super) fn problems(config: &Config) -> Vec<String> {
    let mut problems = Vec::new();
    let required = [
        (config.secret.is_some(), "BIPE_SECRET"),
        (config.database_url.is_some(), "DATABASE_URL"),
        (config.smtp_url.is_some(), "SMTP_URL"),
        (config.stripe_secret_key.is_some() && !config.is_sandbox(), "STRIPE_SECRET_KEY"),
        (config.stripe_publishable_key.is_some(), "STRIPE_PUBLISHABLE_KEY"),
        (!config.stripe_webhook_secret.is_empty(), "STRIPE_WEBHOOK_SECRET"),
        (config.public_url.is_some(), "BIPE_PUBLIC_URL"),
    ];
    for (present, name) in required {
        if !present {
            problems.push(format!("production needs {name}"));
        }
    }
    if config.smtp_url.as_ref().is_some_and(|url| is_readable_on_the_way(url.expose())) {
        problems.push("SMTP_URL goes in clear: take smtps:// or add ?tls=required".into());
    }
    let demo = crate::auth::account::DEMO_ADMIN_PASSWORD;
    if config.admin_password.as_ref().is_some_and(|password| password.expose() == demo) {
        problems.push("BIPE_ADMIN_PASSWORD is the one of the demo".into());
    }
    if config.rate_limits == RateLimits::Relaxed {
        problems.push("BIPE_RATE_LIMITS=relaxed is refused in production".into());
    }
    problems
}

/// Mail and password without TLS, to another machine than this one.
fn is_readable_on_the_way(smtp_url: &str) -> bool {
    let Some(rest) = smtp_url.strip_prefix("smtp://") else { return false };
    let place = rest.split(['/', '?']).next().unwrap_or_default();
    let host = place.rsplit('@').next().unwrap_or_default();
    let is_port = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    let host =
        host.rsplit_once(':').filter(|(_, port)| is_port(port)).map_or(host, |(host, _)| host);
    let address = host.trim_matches(['[', ']']).parse::<IpAddr>();
    let is_here = host == "localhost" || address.is_ok_and(|address| address.is_loopback());
    !is_here && !rest.ends_with("tls=required") && !rest.contains("tls=required&")
}

#[cfg(test)]
mod tests {
    use crate::config::testing::config;

    #[test]
    fn production_names_everything_that_is_missing_at_once() {
        let problems = config(&["--env", "production", "--rate-limits", "relaxed"]).check();
        let problems = problems.unwrap_err();
        assert_eq!(problems.len(), 8, "{problems:?}");
        assert!(problems.iter().any(|line| line.contains("BIPE_SECRET")));
    }

    #[test]
    fn production_mails_over_tls_or_to_this_machine() {
        let in_clear = |url: &str| {
            let checked = config(&["--env", "production", "--smtp-url", url]).check();
            checked.unwrap_err().iter().any(|line| line.contains("in clear"))
        };
        for url in [
            "smtp://u:p@mail.example.com",
            "smtp://127.0.0.1.example.com",
            "smtp://mail.example.com:587?tls=opportunistic",
        ] {
            assert!(in_clear(url), "{url}");
        }
        for url in [
            "smtps://u:p@mail.example.com",
            "smtp://u:p@mail.example.com:587?tls=required",
            "smtp://127.0.0.1:2525",
            "smtp://[::1]",
            "smtp://u:p@localhost",
        ] {
            assert!(!in_clear(url), "{url}");
        }
    }
}
