//! The mail server that `SMTP_URL` names, and what its refusals mean.

use std::error::Error as _;
use std::io;
use std::iter::successors;
use std::net::IpAddr;
use std::time::Duration;

use lettre::transport::smtp;
use lettre::transport::smtp::extension::ClientId;
use lettre::{AsyncSmtpTransport, AsyncTransport, Tokio1Executor};

use crate::config::network::host_of;
use crate::error::{Error, Result, with_causes};
use crate::secret::Secret;

const TIMEOUT: Duration = Duration::from_secs(20);
/// What RFC 3463 says of a recipient's address, with Exchange's 5.1.10: no such mailbox, no such server, no address,
/// moved. Other refusals may be about this server or its sender, and end when somebody mends a setting.
const NO_MAILBOX: [&str; 5] = ["5.1.1", "5.1.2", "5.1.3", "5.1.6", "5.1.10"];

/// The mail server knows no such mailbox.
#[derive(Debug, thiserror::Error)]
#[error("smtp: answered {0}, there is no such mailbox")]
struct NoMailbox(smtp::response::Code);

/// Each mail has a connection of its own. Cheap to clone.
#[derive(Clone, Debug)]
pub(super) struct SmtpServer(AsyncSmtpTransport<Tokio1Executor>);

impl SmtpServer {
    /// Greeted with the name behind the host of `url`, or else with the one of the public address. The machine's own,
    /// which would be next, is of no use in a container: mail servers look it up, and some refuse one without a dot.
    ///
    /// # Errors
    /// `Internal` when the address is none of a mail server.
    pub fn at(url: &Secret, public_url: &str) -> Result<Self> {
        let url = url.expose();
        let builder = AsyncSmtpTransport::<Tokio1Executor>::from_url(url);
        let mut builder = builder.map_err(|_| Error::internal("SMTP_URL is no mail server"))?;
        if let Some(name) = domain_of(public_url).filter(|_| !has_path(url)) {
            builder = builder.hello_name(ClientId::Domain(name.to_owned()));
        }
        Ok(Self(builder.timeout(Some(TIMEOUT)).build()))
    }

    /// # Errors
    /// `Internal` with what went wrong. The server may have taken the mail all the same.
    pub async fn send(&self, mail: lettre::Message) -> Result<()> {
        in_time(self.0.send(mail)).await.map(drop)
    }
}

/// None where the host is an address or a name without a dot.
fn domain_of(public_url: &str) -> Option<&str> {
    host_of(public_url).filter(|host| host.contains('.') && host.parse::<IpAddr>().is_err())
}

/// The library takes it for the name to greet with.
fn has_path(url: &str) -> bool {
    let place = url.split(['?', '#']).next().and_then(|url| url.split_once("://"));
    let path = place.and_then(|(_, rest)| rest.split_once('/'));
    path.is_some_and(|(_, path)| !path.is_empty())
}

/// Connects to the mail server, greets it, signs in where the address names a login, and sends nothing.
///
/// # Errors
/// `Internal` with what went wrong.
pub async fn greet(url: &Secret, public_url: &str) -> Result<()> {
    let SmtpServer(transport) = SmtpServer::at(url, public_url)?;
    match in_time(transport.test_connection()).await? {
        true => Ok(()),
        false => Err(Error::internal("smtp: the server hangs up after the greeting")),
    }
}

/// The transport's own time is one for each step.
async fn in_time<T>(steps: impl Future<Output = Result<T, smtp::Error>>) -> Result<T> {
    let done = tokio::time::timeout(TIMEOUT, steps).await;
    let done = done.map_err(|_late| Error::internal("smtp: no answer in time"))?;
    done.map_err(|error| refusal(&error))
}

/// No other try can deliver the mail.
pub(super) fn is_final(error: &Error) -> bool {
    matches!(error, Error::Internal(cause) if cause.is::<NoMailbox>())
}

/// What went wrong, without the server's sentence: it may name the recipient.
fn refusal(error: &smtp::Error) -> Error {
    let what = match error.status() {
        Some(code) if names_no_mailbox(error) => return Error::internal(NoMailbox(code)),
        Some(code) => format!("answered {code}"),
        None if error.is_timeout() => "no answer in time".to_owned(),
        None if is_tls(error) => {
            "no TLS: its certificate is not trusted, or the port speaks none".to_owned()
        }
        None if error.is_response() => "an answer that is none".to_owned(),
        None if error.is_client() => "no STARTTLS, or no way to sign in that is known".to_owned(),
        None => match error.source() {
            Some(cause) => format!("no connection: {}", with_causes(cause)),
            None => "no connection".to_owned(),
        },
    };
    Error::internal(format!("smtp: {what}"))
}

fn names_no_mailbox(error: &smtp::Error) -> bool {
    let sentence = error.source().map(ToString::to_string).unwrap_or_default();
    let code = sentence.split_whitespace().next();
    error.is_permanent() && code.is_some_and(|code| NO_MAILBOX.contains(&code))
}

/// The library calls a handshake that failed a failed connection, once or twice.
fn is_tls(error: &smtp::Error) -> bool {
    let mut causes = successors(error.source(), |&cause| cause.source());
    let failed = |cause: &(dyn std::error::Error + 'static)| {
        let inner = cause.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        inner.is_some_and(|inner| inner.is::<rustls::Error>())
    };
    error.is_tls() || causes.any(failed)
}

#[cfg(test)]
mod tests {
    use std::net::SocketAddr;

    use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
    use tokio::net::TcpListener;
    use tokio::task::JoinHandle;

    use super::*;

    const OK: &str = "250 mail.example";
    const PUBLIC_URL: &str = "https://bipe.example:8443";

    /// A mail server without extensions, for one connection, and its answer to a recipient: its address, and the lines
    /// that it heard.
    async fn server(recipient: &'static str) -> (SocketAddr, JoinHandle<Vec<String>>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let hearing = tokio::spawn(async move {
            let (stream, _) = listener.accept().await.unwrap();
            let (heard, mut said) = stream.into_split();
            let (mut heard, mut lines) = (BufReader::new(heard), Vec::new());
            said.write_all(b"220 mail.example\r\n").await.unwrap();
            loop {
                let mut line = Vec::new();
                if heard.read_until(b'\n', &mut line).await.unwrap_or(0) == 0 {
                    return lines;
                }
                let line = String::from_utf8_lossy(&line).trim_end().to_owned();
                let answer = if line.starts_with("RCPT") { recipient } else { OK };
                said.write_all(format!("{answer}\r\n").as_bytes()).await.ok();
                lines.push(line);
            }
        });
        (address, hearing)
    }

    #[tokio::test]
    async fn a_server_without_tls_is_told_from_one_that_is_away() {
        for (scheme, query, told) in
            [("smtps", "", "no TLS"), ("smtp", "?tls=required", "no STARTTLS")]
        {
            let (address, _hearing) = server(OK).await;
            let url = Secret::new(format!("{scheme}://{address}{query}"));
            let error = greet(&url, PUBLIC_URL).await.unwrap_err().to_string();
            assert!(error.starts_with(&format!("internal: smtp: {told}")), "{error}");
        }
        let closed = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
        let url = Secret::new(format!("smtp://{closed}"));
        let error = greet(&url, PUBLIC_URL).await.unwrap_err().to_string();
        assert!(error.starts_with("internal: smtp: no connection: "), "{error}");
        assert!(error.contains("refused"), "{error}");
    }

    #[tokio::test]
    async fn the_server_is_greeted_by_a_name_that_it_can_look_up() {
        for (path, name) in
            [("", "bipe.example"), ("/?a=b", "bipe.example"), ("/m.example", "m.example")]
        {
            let (address, hearing) = server(OK).await;
            let url = Secret::new(format!("smtp://{address}{path}"));
            greet(&url, PUBLIC_URL).await.unwrap();
            assert_eq!(hearing.await.unwrap().first(), Some(&format!("EHLO {name}")));
        }
        for url in ["http://127.0.0.1:8080", "http://[::1]:8080", "http://localhost:8080"] {
            assert_eq!(domain_of(url), None, "{url}");
        }
    }

    #[tokio::test]
    async fn a_mailbox_that_is_not_there_is_told_from_what_may_end() {
        for (answer, ends) in [
            ("550 5.1.1 <ana@example.com> unknown", true),
            ("550-5.1.1 ana@example.com\r\n550 5.1.1 is not there", true),
            ("550 5.1.10 RESOLVER.ADR.RecipientNotFound", true),
            ("550 5.7.1 relaying denied", false),
            ("553 5.1.8 sender's domain not found", false),
            ("550 unknown", false),
            ("450 4.1.1 not now", false),
        ] {
            let (address, _hearing) = server(answer).await;
            let url = Secret::new(format!("smtp://{address}"));
            let mail = lettre::Message::builder()
                .from("bipe@example.com".parse().unwrap())
                .to("ana@example.com".parse().unwrap())
                .body("Oi".to_owned())
                .unwrap();
            let sent = SmtpServer::at(&url, PUBLIC_URL).unwrap().send(mail).await;
            let error = sent.unwrap_err();
            assert_eq!(is_final(&error), ends, "{answer}");
            let says = error.to_string();
            assert!(says.contains(&answer[..3]) && !says.contains("ana@"), "{says}");
        }
    }
}
