//! The settings that production refuses; asked by `Config::check` alone.

use std::collections::BTreeSet;

use crate::error::FieldCode;
use crate::user::Password;

use super::network::is_private_on_the_way;
use super::{Config, DEMO_ADMIN_PASSWORD, RateLimits, host_of, is_this_machine};
use crate::secret::Secret;

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
    if config.secret.iter().flat_map(Secret::several).any(|secret| is_guessable(secret.expose())) {
        problems.push("BIPE_SECRET can be guessed: take openssl rand -base64 48".into());
    }
    let mut addresses = config.public_url.iter().chain(&config.allowed_origins);
    if addresses.any(|address| !address.starts_with("https://")) {
        problems
            .push("BIPE_PUBLIC_URL and BIPE_ALLOWED_ORIGINS take https:// in production".into());
    }
    let is_live = |key: &str| key.starts_with("sk_live_") || key.starts_with("rk_live_");
    if config.stripe_secret_key.as_ref().is_some_and(|key| !is_live(key.expose())) {
        problems.push(
            "STRIPE_SECRET_KEY takes sk_live_… or rk_live_… in production, a live key".into(),
        );
    }
    if config.stripe_publishable_key.as_ref().is_some_and(|key| !key.starts_with("pk_live_")) {
        problems.push("STRIPE_PUBLISHABLE_KEY takes pk_live_… in production, a live key".into());
    }
    if config.stripe_api_base.as_ref().is_some_and(|base| !is_private_on_the_way(base)) {
        problems.push("STRIPE_API_BASE goes in clear: take https://".into());
    }
    let password = config.admin_password.as_ref().map(Secret::expose);
    if password == Some(DEMO_ADMIN_PASSWORD) {
        problems.push("BIPE_ADMIN_PASSWORD is the one of the demo".into());
    }
    match password.map(Password::parse) {
        Some(Err(FieldCode::PasswordCommon)) => {
            problems.push("BIPE_ADMIN_PASSWORD is one of the most common ones".into());
        }
        Some(Err(_)) => problems.push("BIPE_ADMIN_PASSWORD breaks the password rule".into()),
        Some(Ok(_)) | None => {}
    }
    if config.rate_limits == RateLimits::Relaxed {
        problems.push("BIPE_RATE_LIMITS=relaxed is refused in production".into());
    }
    problems
}

/// Mail and password without TLS, to another machine than this one.
fn is_readable_on_the_way(smtp_url: &str) -> bool {
    smtp_url.starts_with("smtp://")
        && !host_of(smtp_url).is_some_and(is_this_machine)
        && !requires_tls(smtp_url)
}

/// As the mailer's library reads it: the first `tls` of the query counts.
fn requires_tls(smtp_url: &str) -> bool {
    let url = smtp_url.split('#').next().unwrap_or_default();
    let query = url.split_once('?').map_or("", |(_, query)| query);
    let mut tls = form_urlencoded::parse(query.as_bytes()).filter(|(name, _)| name == "tls");
    tls.next().is_some_and(|(_, value)| value == "required")
}

/// Few different bytes, the same part over and over, or an example's own word.
fn is_guessable(secret: &str) -> bool {
    const FEWEST: usize = 10;
    let bytes = secret.as_bytes();
    let different = bytes.iter().collect::<BTreeSet<_>>().len();
    let repeats = (1..=bytes.len() / 2)
        .any(|part| bytes.iter().zip(bytes.iter().skip(part)).all(|(one, next)| one == next));
    different < FEWEST || repeats || secret.to_ascii_lowercase().contains("changeme")
}

#[cfg(test)]
mod tests {
    use crate::testing::config;

    #[test]
    fn production_names_everything_that_is_missing_at_once() {
        let problems = config(&["--env", "production", "--rate-limits", "relaxed"]).check();
        let problems = problems.unwrap_err();
        assert_eq!(problems.len(), 8, "{problems:?}");
        assert!(problems.iter().any(|line| line.contains("BIPE_SECRET")));
    }

    #[test]
    fn production_takes_no_password_that_everybody_tries_first() {
        let problems_of = |password: &str| -> Vec<String> {
            let admin = ["--admin-email", "ana@example.com", "--admin-password", password];
            let problems = config(&[&["--env", "production"], &admin[..]].concat()).check();
            let lines = problems.unwrap_err().into_iter();
            lines.filter(|line| line.contains("ADMIN_PASSWORD")).collect()
        };
        assert_eq!(
            problems_of("Password123!"),
            ["BIPE_ADMIN_PASSWORD is one of the most common ones"]
        );
        assert_eq!(problems_of("password"), ["BIPE_ADMIN_PASSWORD breaks the password rule"]);
        assert_eq!(problems_of("Kd7#mula-verde").len(), 0);
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
            "smtp://u:p@mail.example.com:587?starttls=required",
            "smtp://u:p@mail.example.com:587?starttls=required&a=b",
            "smtp://u:p@mail.example.com:587?tls=opportunistic&tls=required",
            "smtp://u:p@mail.example.com:587#?tls=required",
            "smtp://u:p@mail.example.com:587/tls=required",
        ] {
            assert!(in_clear(url), "{url}");
        }
        for url in [
            "smtps://u:p@mail.example.com",
            "smtp://u:p@mail.example.com:587?tls=required",
            "smtp://u:p@mail.example.com:587/?a=b&tls=required",
            "smtp://127.0.0.1:2525",
            "smtp://[::1]",
            "smtp://u:p@localhost",
        ] {
            assert!(!in_clear(url), "{url}");
        }
    }

    /// What production starts with.
    const WHOLE: [&str; 16] = [
        "--env",
        "production",
        "--secret",
        "Zt4kPq0vXw8sLr2nBc6hJy1mDf5gAe3u",
        "--database-url",
        "postgres://u:p@db.example.com/bipe",
        "--smtp-url",
        "smtps://u:p@mail.example.com",
        "--stripe-secret-key",
        "sk_live_1",
        "--stripe-publishable-key",
        "pk_live_1",
        "--stripe-webhook-secret",
        "whsec_1",
        "--public-url",
        "https://bipe.example.com",
    ];

    #[test]
    fn production_is_called_by_pages_of_its_own_address_alone() {
        assert_eq!(config(&WHOLE).origins(), ["https://bipe.example.com"]);
        let of_development = config(&[]).origins();
        assert!(of_development.contains(&"http://localhost:5173".to_owned()), "{of_development:?}");
    }

    #[test]
    fn production_waits_for_its_proxy_before_it_stops() {
        let seconds = |flags: &[&str]| config(flags).drain_delay().as_secs();
        assert_eq!((seconds(&WHOLE), seconds(&[])), (6, 0));
        assert_eq!(seconds(&["--drain-delay", "60"]), 60);
    }

    #[test]
    fn production_takes_no_half_measure() {
        let with = |name: &str, value: &str| {
            let mut flags = WHOLE.to_vec();
            match flags.iter().position(|flag| *flag == name) {
                Some(at) => flags[at + 1] = value,
                None => flags.extend([name, value]),
            }
            config(&flags).check()
        };
        assert_eq!(config(&WHOLE).check(), Ok(()));
        assert_eq!(with("--stripe-api-base", "https://stripe.example.com/"), Ok(()));
        assert_eq!(with("--stripe-api-base", "http://127.0.0.1:8090/"), Ok(()));
        let halves = [
            ("--stripe-api-base", "http://stripe.example.com/"),
            ("--stripe-api-base", "http://127.0.0.1.example.com/"),
            ("--public-url", "http://bipe.example.com"),
            ("--allowed-origins", "https://bipe.example.com,http://bipe.example.com"),
            ("--stripe-secret-key", "sk_test_1"),
            ("--stripe-secret-key", "rk_test_1"),
            ("--stripe-secret-key", "live_1"),
            ("--stripe-publishable-key", "pk_test_1"),
            ("--stripe-publishable-key", "whsec_1"),
            ("--secret", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"),
            ("--secret", "changemechangemechangemechangeme"),
            ("--secret", "0123456789abcdef0123456789abcdef"),
            ("--secret", "please-ChangeMe-before-you-go-live"),
            ("--database-url", "postgres://u:p@db.example.com/bipe?sslmode=prefer"),
        ];
        for (name, value) in halves {
            let problems = with(name, value).expect_err(value);
            assert_eq!(problems.len(), 1, "{name} {value}: {problems:?}");
        }
    }
}
