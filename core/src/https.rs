//! Calls to services of others over https, or http to this machine: one connector, and the authorities that Bipe trusts
//! everywhere. Called by the gateway to the payment provider, the look-up of postal codes, the probe of `bipe doctor` and
//! the sender of traces; the way to the database takes its TLS.
//!
//! Invariant: no redirects, and every wait and every answer has a bound.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt, Full, Limited};
use hyper::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, USER_AGENT};
use hyper::{Request, StatusCode, Uri};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use rustls::crypto::aws_lc_rs;
use rustls::{ClientConfig, RootCertStore};
use tokio::time::timeout;

use crate::error::{Error, Result, with_causes};
use crate::secret::Secret;

pub type HttpsClient<B> = Client<HttpsConnector<HttpConnector>, B>;

/// The authorities of public certificates.
pub fn roots() -> RootCertStore {
    RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() }
}

/// TLS that proves a server by `roots`.
///
/// # Errors
/// `Internal` when TLS cannot be set up.
pub fn tls(roots: RootCertStore) -> Result<ClientConfig> {
    let provider = Arc::new(aws_lc_rs::default_provider());
    let builder =
        ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let builder = builder.map_err(Error::internal)?;
    Ok(builder.with_root_certificates(roots).with_no_client_auth())
}

/// How long a connection without a call is kept: less than any server, and any router on the way, keeps one.
const KEPT_FOR: Duration = Duration::from_secs(10);

/// A client that keeps so many connections, and waits so long for a new one.
pub fn client<B>(tls: ClientConfig, timeout: Duration, kept: usize) -> HttpsClient<B>
where
    B: hyper::body::Body + Send,
    B::Data: Send,
{
    let mut connector = HttpConnector::new();
    connector.enforce_http(false);
    connector.set_nodelay(true);
    connector.set_connect_timeout(Some(timeout));
    let connector = HttpsConnectorBuilder::new()
        .with_tls_config(tls)
        .https_or_http()
        .enable_http1()
        .wrap_connector(connector);
    Client::builder(TokioExecutor::new())
        .pool_max_idle_per_host(kept)
        .pool_idle_timeout(KEPT_FOR)
        .pool_timer(TokioTimer::new())
        .build(connector)
}

/// One address that takes documents by POST, one after the other.
pub struct PostEndpoint {
    client: HttpsClient<Full<Bytes>>,
    uri: Uri,
    headers: HeaderMap,
    timeout: Duration,
}

/// Bytes of an answer that are read.
const MAX_ANSWER_BYTES: usize = 16 * 1024;

impl PostEndpoint {
    /// # Errors
    /// `Internal` for an address or a header that cannot be used, and when TLS cannot be set up.
    pub fn new(
        url: &str,
        content_type: &'static str,
        headers: &[(String, Secret)],
        timeout: Duration,
    ) -> Result<Self> {
        let mut all = HeaderMap::new();
        all.insert(USER_AGENT, HeaderValue::from_static("Bipe"));
        all.insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
        for (name, value) in headers {
            let name = HeaderName::from_bytes(name.as_bytes()).map_err(Error::internal)?;
            let mut value = HeaderValue::from_str(value.expose()).map_err(Error::internal)?;
            value.set_sensitive(true);
            all.insert(name, value);
        }
        let uri = Uri::try_from(url).map_err(Error::internal)?;
        Ok(Self { client: client(tls(roots())?, timeout, 1), uri, headers: all, timeout })
    }

    /// The body of a success.
    ///
    /// # Errors
    /// Why there is none, in a few words.
    pub async fn post(&self, document: Vec<u8>) -> Result<Bytes, String> {
        let mut request = Request::post(self.uri.clone())
            .body(Full::from(document))
            .map_err(|error| error.to_string())?;
        *request.headers_mut() = self.headers.clone();
        let exchange = async {
            let answer = self.client.request(request).await;
            let answer = answer.map_err(|error| with_causes(&error))?;
            if answer.status() != StatusCode::OK {
                return Err(format!("status {}", answer.status().as_u16()));
            }
            let body = Limited::new(answer.into_body(), MAX_ANSWER_BYTES).collect().await;
            Ok(body.map_err(|error| with_causes(&*error))?.to_bytes())
        };
        let late = |_| format!("no answer within {} s", self.timeout.as_secs());
        timeout(self.timeout, exchange).await.map_err(late)?
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    #[tokio::test]
    async fn a_failure_names_its_cause() {
        let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let (url, timeout) = (format!("http://{closed}/v1/traces"), Duration::from_secs(5));
        let endpoint = PostEndpoint::new(&url, "text/plain", &[], timeout).unwrap();
        let reason = endpoint.post(Vec::new()).await.unwrap_err();
        assert!(reason.contains("refused"), "{reason}");
    }
}
