//! The settings that development refuses; asked by `Config::check` alone.
//!
//! Development shows every mail, moves the clock and lets the demo admin in. So it refuses to start where anything
//! looks like production: `BIPE_ENV` may have been forgotten.

use super::{Config, host_of, is_this_machine};
use crate::db::access::is_elsewhere;

/// One line each; every line names the setting that decides.
pub(super) fn problems(config: &Config) -> Vec<String> {
    let mut found = Vec::new();
    let is_live =
        |key: &str| ["sk_live_", "rk_live_", "pk_live_"].iter().any(|live| key.starts_with(live));
    if config.stripe_secret_key.as_ref().is_some_and(|key| is_live(key.expose().trim())) {
        found.push("STRIPE_SECRET_KEY is a live key".to_owned());
    }
    if config.stripe_publishable_key.as_ref().is_some_and(|key| is_live(key.trim())) {
        found.push("STRIPE_PUBLISHABLE_KEY is a live key".to_owned());
    }
    if let Some(url) = config.public_url.as_ref().filter(|url| is_public(url)) {
        found.push(format!("BIPE_PUBLIC_URL is {url}"));
    }
    if !config.bind.ip().to_canonical().is_loopback() {
        found.push(format!("BIPE_BIND={} is reached from other machines", config.bind));
    }
    let databases = [
        (&config.database_url, "DATABASE_URL"),
        (&config.database_migration_url, "DATABASE_MIGRATION_URL"),
        (&config.database_read_url, "DATABASE_READ_URL"),
    ];
    for (url, name) in databases {
        if url.as_ref().is_some_and(is_elsewhere) {
            found.push(format!("{name} is on another machine"));
        }
    }
    let mail = config.smtp_url.as_ref().and_then(|url| host_of(url.expose()));
    if mail.is_some_and(|host| !is_this_machine(host)) {
        found.push("SMTP_URL is on another machine".to_owned());
    }
    let refused = found.into_iter().map(|what| {
        format!(
            "{what}: development refuses that, for it shows all mail, moves the clock and lets the demo admin in; \
             BIPE_ENV decides (BIPE_ENV=production)"
        )
    });
    refused.collect()
}

/// An https address that is neither this machine nor a name kept for tests.
fn is_public(url: &str) -> bool {
    let Some(host) = host_of(url).filter(|_| url.starts_with("https://")) else { return false };
    let host = host.to_ascii_lowercase();
    !is_this_machine(&host) && !host.ends_with(".localhost") && !host.ends_with(".test")
}

#[cfg(test)]
mod tests {
    use crate::testing::config;

    #[test]
    fn development_starts_nowhere_that_looks_like_production() {
        let signs: [&[&str]; 12] = [
            &[
                "--stripe-secret-key",
                "sk_live_1",
                "--stripe-publishable-key",
                "pk_test_1",
                "--stripe-webhook-secret",
                "w",
            ],
            &[
                "--stripe-secret-key",
                "rk_live_1",
                "--stripe-publishable-key",
                "pk_test_1",
                "--stripe-webhook-secret",
                "w",
            ],
            &["--stripe-publishable-key", "pk_live_1"],
            &["--public-url", "https://bipe.example.com"],
            &["--public-url", "https://bipe.example.com:8443"],
            &["--public-url", "https://127.0.0.1.example.com"],
            &["--bind", "0.0.0.0:8080"],
            &["--bind", "[::]:8080"],
            &["--bind", "192.168.0.7:8080"],
            &["--database-url", "postgres://u:p@db.example.com/bipe"],
            &["--database-url", "postgres://u:p@localhost,10.0.0.7/bipe"],
            &["--smtp-url", "smtps://u:p@mail.example.com"],
        ];
        for sign in signs {
            let problems = config(sign).check().expect_err(sign[1]);
            assert_eq!(problems.len(), 1, "{problems:?}");
            assert!(problems[0].contains("BIPE_ENV=production"), "{problems:?}");
            assert!(!problems[0].contains("u:p@"), "{problems:?}");
        }
    }

    #[test]
    fn development_takes_what_stays_on_this_machine() {
        let usual: [&[&str]; 9] = [
            &[
                "--stripe-secret-key",
                "sk_test_1",
                "--stripe-publishable-key",
                "pk_test_1",
                "--stripe-webhook-secret",
                "w",
            ],
            &["--public-url", "https://bipe.localhost"],
            &["--public-url", "https://bipe.test:8443"],
            &["--public-url", "http://127.0.0.1:8080"],
            &["--bind", "127.0.0.7:0"],
            &["--bind", "[::1]:8080"],
            &["--database-url", "postgres://u:p@localhost/bipe"],
            &["--database-url", "host=/run/postgresql user=u"],
            &["--smtp-url", "smtp://127.0.0.1:2525"],
        ];
        for flags in usual {
            assert_eq!(config(flags).check(), Ok(()), "{flags:?}");
        }
    }
}
