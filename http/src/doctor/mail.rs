//! Whether the mail server takes Bipe's mails: it is greeted, and nothing is sent. Called by `mod.rs`.

use bipe_core::config::Config;
use bipe_core::mailer;

use super::guide;
use super::report::Check;

pub async fn examine(config: &Config) -> Check {
    let Some(url) = &config.smtp_url else {
        return Check::skipped(
            "mail.server",
            "not configured: SMTP_URL; mail stays in the mailbox",
        );
    };
    let greeted = mailer::greet(url, &config.public_url()).await;
    judge(greeted.map_err(|error| error.to_string()))
}

fn judge(greeted: Result<(), String>) -> Check {
    match greeted {
        Ok(()) => Check::ok("mail.server", "the mail server takes the connection and the login"),
        Err(says) => {
            let advice =
                "check SMTP_URL: host, port, TLS, user and password; 535 is a wrong password";
            Check::finding("mail.server", says, advice, guide::JOBS_FAILING)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::report::Outcome::{Finding, Ok as Good};

    #[test]
    fn a_server_that_refuses_the_login_is_a_finding() {
        assert_eq!(judge(Ok(())).outcome, Good);
        let refused = judge(Err("internal: smtp: answered 535".into()));
        assert_eq!((refused.outcome, refused.read), (Finding, Some(guide::JOBS_FAILING)));
        assert!(refused.says.contains("535"), "{}", refused.says);
    }
}
