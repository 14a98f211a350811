//! The settings of the mail: server, sender and the address for answers; asked by `Config` alone.

use lettre::message::Mailbox;
use lettre::{AsyncSmtpTransport, Tokio1Executor};

use super::{Config, host_of};
use crate::user::Email;

/// One line each; no line repeats the URL, which holds a password.
pub(super) fn problems(config: &Config) -> Vec<String> {
    let is_server = |url: &str| {
        let scheme = url.starts_with("smtp://") || url.starts_with("smtps://");
        let has_host = host_of(url).is_some_and(|host| !host.is_empty());
        // What the mailer makes of it later.
        scheme
            && has_host
            && has_whole_login(url)
            && AsyncSmtpTransport::<Tokio1Executor>::from_url(url).is_ok()
    };
    let is_address = |text: &str| Email::parse(text).is_ok() && is_mailbox(text);
    let is_right = [
        (
            config.smtp_url.as_ref().is_none_or(|url| is_server(url.expose())),
            "SMTP_URL takes smtps://user:password@host[:port] or smtp://…?tls=required, and a password percent-encoded",
        ),
        (
            is_mailbox(&config.mail_from),
            "MAIL_FROM takes an e-mail address, or Name <address>; a name with a comma stands in double quotes",
        ),
        (is_address(&config.sales_email), "SALES_EMAIL is no e-mail address"),
    ];
    is_right
        .into_iter()
        .filter(|(is_right, _)| !is_right)
        .map(|(_, line)| line.to_owned())
        .collect()
}

/// The library signs in by a password, and leaves a user without one out.
fn has_whole_login(url: &str) -> bool {
    let place = url.split_once("://").and_then(|(_, rest)| rest.split(['/', '?', '#']).next());
    let login = place.and_then(|place| place.rsplit_once('@')).map(|(login, _host)| login);
    let has_password = |login: &str| login.split_once(':').is_some_and(|(_, it)| !it.is_empty());
    login.is_none_or(has_password)
}

/// One line each, where production mails by the defaults.
pub(super) fn warnings(config: &Config) -> Vec<String> {
    let url = config.public_url();
    let is_of_bipe =
        host_of(&url).is_some_and(|host| host == "bipe.com.br" || host.ends_with(".bipe.com.br"));
    let is_forgotten = [
        (
            config.mail_from.contains("@bipe.localhost"),
            "set MAIL_FROM: mail servers refuse the domain of its default",
        ),
        (
            !is_of_bipe && config.sales_email.ends_with("@bipe.com.br"),
            "set SALES_EMAIL: answers to your mails go to its default, another company's address",
        ),
    ];
    is_forgotten
        .into_iter()
        .filter(|(is_forgotten, _)| config.is_production() && *is_forgotten)
        .map(|(_, line)| line.to_owned())
        .collect()
}

/// An address, alone or in angle brackets behind a name, that the mailer can write into a mail.
fn is_mailbox(text: &str) -> bool {
    let mailbox = text.parse::<Mailbox>();
    mailbox.is_ok_and(|mailbox| Email::parse(mailbox.email.as_ref()).is_ok())
}

#[cfg(test)]
mod tests {
    use crate::testing::config;

    fn problems(args: &[&str]) -> Vec<String> {
        let problems = config(args).check().err().unwrap_or_default();
        let is_of_mail = |line: &String| {
            ["SMTP_URL", "MAIL_FROM", "SALES_EMAIL"].iter().any(|name| line.starts_with(name))
        };
        problems.into_iter().filter(is_of_mail).collect()
    }

    #[test]
    fn a_sender_is_an_address_with_or_without_a_name() {
        for from in [
            "Bipe <nao-responda@bipe.localhost>",
            "ana@example.com",
            "<ana@example.com>",
            "Operação Ltda. <ana@example.com>",
            "\"Bipe, Ltda.\" <ana@example.com>",
        ] {
            assert_eq!(problems(&["--mail-from", from]), Vec::<String>::new(), "{from}");
        }
        for from in [
            "",
            "garbage",
            "Bipe <garbage>",
            "Bipe ana@example.com>",
            "Bipe, Ltda. <ana@example.com>",
            "ana@example.com, Bia <bia@example.com>",
        ] {
            assert_eq!(problems(&["--mail-from", from]).len(), 1, "{from}");
        }
    }

    /// Pages and `security.txt` name it as it stands.
    #[test]
    fn the_sales_team_has_an_address_alone() {
        for email in ["garbage", "", "Vendas <vendas@example.com>", "<vendas@example.com>"] {
            let told = problems(&["--sales-email", email]);
            assert_eq!(told, ["SALES_EMAIL is no e-mail address"], "{email}");
        }
        assert_eq!(problems(&["--sales-email", "vendas@example.com"]), Vec::<String>::new());
    }

    #[test]
    fn production_is_warned_of_the_sender_and_the_answers_of_the_defaults() {
        let warned = |name: &str, args: &[&str]| {
            let is_of = |line: &String| line.starts_with(&format!("set {name}: "));
            config(args).warnings().iter().any(is_of)
        };
        let production = ["--env", "production", "--public-url", "https://entregas.example.com"];
        let own = ["--mail-from", "Bipe <a@example.com>", "--sales-email", "vendas@example.com"];
        let set = [&production[..], &own[..]].concat();
        for name in ["MAIL_FROM", "SALES_EMAIL"] {
            assert!(warned(name, &production), "{name}");
            assert!(!warned(name, &set), "{name}");
            assert!(!warned(name, &[]), "{name}");
        }
        let of_bipe = ["--env", "production", "--public-url", "https://App.Bipe.com.br"];
        assert!(!warned("SALES_EMAIL", &of_bipe));
    }

    #[test]
    fn a_mail_server_has_a_host() {
        for url in [
            "",
            "garbage",
            "smtp://",
            "https://mail.example.com",
            "smtp://localhost:99999",
            "smtp://localhost?tls=bogus",
            "smtp://u:a#b@localhost",
            "smtp://token@localhost",
            "smtp://token:@localhost:2525",
        ] {
            let told = problems(&["--smtp-url", url]);
            assert!(told.iter().any(|line| line.contains("takes smtps://")), "{url}: {told:?}");
        }
        for url in ["smtp://localhost:2525", "smtp://u:p@localhost", "smtp://localhost/a@b"] {
            assert_eq!(problems(&["--smtp-url", url]), Vec::<String>::new(), "{url}");
        }
    }
}
