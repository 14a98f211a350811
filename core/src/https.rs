//! Calls to services of others over https, or http to this machine: one connector, and the authorities that Bipe trusts
//! everywhere. Called by the look-up of postal codes and the probe of `bipe doctor`.
//!
//! Invariant: no redirects, and the wait for a connection has a bound.

use std::sync::Arc;
use std::time::Duration;

use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use rustls::crypto::aws_lc_rs;
use rustls::{ClientConfig, RootCertStore};

use crate::error::{Error, Result};

pub type HttpsClient<B> = Client<HttpsConnector<HttpConnector>, B>;

/// The authorities of public certificates.
pub fn roots() -> RootCertStore {
    RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() }
}

/// TLS that proves a server by `roots`.
///
/// # Errors
/// `Internal` when TLS cannot be set up.
pub fn tls() -> Result<ClientConfig> {
    let provider = Arc::new(aws_lc_rs::default_provider());
    let builder =
        ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let builder = builder.map_err(Error::internal)?;
    Ok(builder.with_root_certificates(roots()).with_no_client_auth())
}

/// A client that keeps so many connections, and waits so long for a new one.
pub fn client<B>(tls: ClientConfig, patience: Duration, kept: usize) -> HttpsClient<B>
where
    B: hyper::body::Body + Send,
    B::Data: Send,
{
    let mut connector = HttpConnector::new();
    connector.enforce_http(false);
    connector.set_connect_timeout(Some(patience));
    let connector = HttpsConnectorBuilder::new()
        .with_tls_config(tls)
        .https_or_http()
        .enable_http1()
        .wrap_connector(connector);
    Client::builder(TokioExecutor::new()).pool_max_idle_per_host(kept).build(connector)
}
