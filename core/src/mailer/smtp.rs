//! The mail server that `SMTP_URL` names, and what its refusals mean.

use std::error::Error as _;
use std::io;
use std::time::Duration;

use lettre::transport::smtp;
use lettre::{AsyncSmtpTransport, AsyncTransport, Tokio1Executor};

use crate::error::{Error, Result};
use crate::secret::Secret;

const TIMEOUT: Duration = Duration::from_secs(20);

/// Each mail has a connection of its own. Cheap to clone.
#[derive(Clone, Debug)]
pub(super) struct SmtpServer(AsyncSmtpTransport<Tokio1Executor>);

impl SmtpServer {
    /// # Errors
    /// `Internal` when the address is none of a mail server.
    pub fn at(url: &Secret) -> Result<Self> {
        let builder = AsyncSmtpTransport::<Tokio1Executor>::from_url(url.expose());
        let builder = builder.map_err(|_| Error::internal("SMTP_URL is no mail server"))?;
        Ok(Self(builder.timeout(Some(TIMEOUT)).build()))
    }

    /// # Errors
    /// `Internal` with what went wrong. The server may have taken the mail all the same.
    pub async fn send(&self, mail: lettre::Message) -> Result<()> {
        in_time(self.0.send(mail)).await.map(drop)
    }
}

/// Connects to the mail server, greets it, signs in where the address names a login, and sends nothing.
///
/// # Errors
/// `Internal` with what went wrong.
pub async fn greet(url: &Secret) -> Result<()> {
    let SmtpServer(transport) = SmtpServer::at(url)?;
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

/// What went wrong, without the server's sentence: it may name the recipient.
fn refusal(error: &smtp::Error) -> Error {
    let what = match error.status() {
        Some(code) => format!("answered {code}"),
        None if error.is_timeout() => "no answer in time".to_owned(),
        None if is_tls(error) => {
            "no TLS: its certificate is not trusted, or the port speaks none".to_owned()
        }
        None if error.is_response() => "an answer that is none".to_owned(),
        None if error.is_client() => "no STARTTLS, or no way to sign in that is known".to_owned(),
        None => "no connection".to_owned(),
    };
    Error::internal(format!("smtp: {what}"))
}

/// The library calls a handshake that failed a failed connection.
fn is_tls(error: &smtp::Error) -> bool {
    let cause = error.source().and_then(|cause| cause.downcast_ref::<io::Error>());
    let cause = cause.and_then(io::Error::get_ref);
    error.is_tls() || cause.is_some_and(|cause| cause.is::<rustls::Error>())
}

#[cfg(test)]
mod tests {
    use std::net::SocketAddr;

    use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
    use tokio::net::TcpListener;
    use tokio::task::JoinHandle;

    use super::*;

    /// A mail server without extensions, for one connection: its address, and the lines that it heard.
    async fn server() -> (SocketAddr, JoinHandle<Vec<String>>) {
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
                lines.push(String::from_utf8_lossy(&line).trim_end().to_owned());
                said.write_all(b"250 mail.example\r\n").await.ok();
            }
        });
        (address, hearing)
    }

    #[tokio::test]
    async fn a_server_without_tls_is_told_from_one_that_is_away() {
        for (scheme, query, told) in
            [("smtps", "", "no TLS"), ("smtp", "?tls=required", "no STARTTLS")]
        {
            let (address, _hearing) = server().await;
            let url = Secret::new(format!("{scheme}://{address}{query}"));
            let error = greet(&url).await.unwrap_err().to_string();
            assert!(error.starts_with(&format!("internal: smtp: {told}")), "{error}");
        }
    }
}
