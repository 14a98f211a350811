//! One bounded question to an address of the web, and what its answer tells beside its body: status, headers, the own
//! address, and how long the certificate is good for. Called by `bipe doctor` alone.
//!
//! Invariants: no redirect is followed, no body is read, five seconds are the most, and a certificate that browsers
//! would refuse is refused here.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::Full;
use hyper::{HeaderMap, Request};
use hyper_util::client::legacy::connect::HttpInfo;
use parking_lot::Mutex;
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::aws_lc_rs;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};
use tokio::time::timeout;

use crate::error::with_causes;
use crate::https::{self, HttpsClient};

const ANSWER_TIMEOUT: Duration = Duration::from_secs(5);
/// The most days of validity that are reported. A certificate that is valid for longer counts as this many.
pub const MAX_DAYS: u64 = 400;
const DAY: u64 = 24 * 60 * 60;
/// Characters of a failure.
const LONGEST_REASON: usize = 300;

pub struct Question<'a> {
    method: &'static str,
    url: &'a str,
    headers: Vec<(&'static str, String)>,
    body: String,
}

impl<'a> Question<'a> {
    pub fn get(url: &'a str) -> Self {
        Self { method: "GET", url, headers: Vec::new(), body: String::new() }
    }

    pub fn post(url: &'a str, body: String) -> Self {
        Self { method: "POST", body, ..Self::get(url) }
    }

    pub fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }
}

#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    headers: HeaderMap,
    /// This machine's address of the connection, and the other one's.
    pub addresses: Option<(IpAddr, IpAddr)>,
    /// Whole days, at most `MAX_DAYS`; none without TLS.
    pub certificate_days: Option<u64>,
}

impl Answer {
    /// An answer that tells nothing else.
    pub fn of_status(status: u16) -> Self {
        Self { status, headers: HeaderMap::new(), addresses: None, certificate_days: None }
    }

    /// None where it is missing or no text.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }
}

/// Asks; none of its connections is used twice.
pub struct WebProbe {
    client: HttpsClient<Full<Bytes>>,
    days: Arc<Mutex<Option<u64>>>,
}

impl WebProbe {
    /// Trusts the authorities that Bipe trusts everywhere else.
    ///
    /// # Errors
    /// When TLS cannot be set up.
    pub fn new() -> Result<Self, String> {
        let days = Arc::new(Mutex::new(None));
        let tls = tls(https::roots(), days.clone()).map_err(|error| error.to_string())?;
        let client = https::client(tls, ANSWER_TIMEOUT, 0);
        Ok(Self { client, days })
    }

    /// # Errors
    /// Why there is no answer, in one line.
    pub async fn ask(&self, question: Question<'_>) -> Result<Answer, String> {
        let mut request = Request::builder().method(question.method).uri(question.url);
        for (name, value) in question.headers {
            request = request.header(name, value);
        }
        let request = request.header("user-agent", "Bipe");
        let request = request.body(Full::from(question.body)).map_err(|error| error.to_string())?;
        *self.days.lock() = None;
        let asked = timeout(ANSWER_TIMEOUT, self.client.request(request)).await;
        let answer = match asked {
            Ok(Ok(answer)) => answer,
            Ok(Err(error)) => return Err(reason(&error)),
            Err(_late) => return Err(format!("no answer within {} s", ANSWER_TIMEOUT.as_secs())),
        };
        let info = answer.extensions().get::<HttpInfo>();
        let addresses =
            info.map(|info| (info.local_addr().ip(), info.remote_addr().ip())).map(canonical);
        let certificate_days = *self.days.lock();
        let status = answer.status().as_u16();
        Ok(Answer { status, headers: answer.headers().clone(), addresses, certificate_days })
    }
}

fn canonical((here, there): (IpAddr, IpAddr)) -> (IpAddr, IpAddr) {
    (here.to_canonical(), there.to_canonical())
}

fn reason(error: &hyper_util::client::legacy::Error) -> String {
    with_causes(error).chars().take(LONGEST_REASON).collect()
}

fn tls(
    roots: RootCertStore,
    days: Arc<Mutex<Option<u64>>>,
) -> Result<ClientConfig, Box<dyn std::error::Error>> {
    let provider = Arc::new(aws_lc_rs::default_provider());
    let verifier = ExpiryVerifier { days, inner: verifier(roots)? };
    let builder = ClientConfig::builder_with_provider(provider);
    let builder = builder.with_safe_default_protocol_versions()?;
    let builder = builder.dangerous().with_custom_certificate_verifier(Arc::new(verifier));
    Ok(builder.with_no_client_auth())
}

fn verifier(roots: RootCertStore) -> Result<Arc<WebPkiServerVerifier>, Box<dyn std::error::Error>> {
    let provider = Arc::new(aws_lc_rs::default_provider());
    Ok(WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider).build()?)
}

/// Proves a certificate as everybody does, and notes for how many days it will be proven.
#[derive(Debug)]
struct ExpiryVerifier {
    days: Arc<Mutex<Option<u64>>>,
    inner: Arc<WebPkiServerVerifier>,
}

impl ServerCertVerifier for ExpiryVerifier {
    fn verify_server_cert(
        &self,
        own: &CertificateDer<'_>,
        chain: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        let prove = |at| self.inner.verify_server_cert(own, chain, name, ocsp, at);
        let proven = prove(now)?;
        let after = |days| Duration::from_secs(now.as_secs().saturating_add(days * DAY));
        let holds = |days| prove(UnixTime::since_unix_epoch(after(days))).is_ok();
        *self.days.lock() = Some(days_while(holds));
        Ok(proven)
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.inner.verify_tls12_signature(message, certificate, signed)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.inner.verify_tls13_signature(message, certificate, signed)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.inner.supported_verify_schemes()
    }
}

/// The last day, counted from today and at most `MAX_DAYS`, for which `holds` is true. `holds` must be true for today
/// and, once false, stay false.
fn days_while(holds: impl Fn(u64) -> bool) -> u64 {
    let (mut holding, mut ended) = (0, MAX_DAYS + 1);
    while holding + 1 < ended {
        let middle = u64::midpoint(holding, ended);
        if holds(middle) {
            holding = middle;
        } else {
            ended = middle;
        }
    }
    holding
}

#[cfg(test)]
mod tests {
    use rcgen::{CertificateParams, KeyPair, date_time_ymd};

    use super::*;
    use crate::testing::HttpPeer;

    #[test]
    fn the_last_day_is_found_wherever_it_is() {
        for last in [0, 1, 13, 89, MAX_DAYS - 1, MAX_DAYS] {
            assert_eq!(days_while(|days| days <= last), last);
        }
        assert_eq!(days_while(|_| true), MAX_DAYS);
    }

    /// The first seconds of a day of January 2027.
    fn january(day: u64) -> UnixTime {
        UnixTime::since_unix_epoch(Duration::from_secs(1_798_761_600 + (day - 1) * DAY + 60))
    }

    #[test]
    fn a_certificate_is_proven_and_its_days_are_counted() {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::new(vec!["bipe.example".to_owned()]).unwrap();
        (params.not_before, params.not_after) =
            (date_time_ymd(2027, 1, 1), date_time_ymd(2027, 1, 31));
        let certificate = params.self_signed(&key).unwrap();
        let mut roots = RootCertStore::empty();
        roots.add(certificate.der().clone()).unwrap();
        let dated = ExpiryVerifier { days: Arc::default(), inner: verifier(roots).unwrap() };
        let prove = |name: &'static str, now| {
            *dated.days.lock() = None;
            let name = ServerName::try_from(name).unwrap();
            let proven = dated.verify_server_cert(certificate.der(), &[], &name, &[], now);
            proven.map(|_| dated.days.lock().unwrap()).map_err(|error| error.to_string())
        };
        assert_eq!(prove("bipe.example", january(1)), Ok(29));
        assert_eq!(prove("bipe.example", january(30)), Ok(0));
        assert!(prove("bipe.example", january(32)).unwrap_err().contains("expired"));
        assert!(prove("other.example", january(1)).unwrap_err().contains("not valid for name"));
        assert_eq!(*dated.days.lock(), None);
    }

    #[tokio::test]
    async fn an_answer_tells_its_status_its_headers_and_both_addresses() {
        let answer =
            "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n";
        let peer = HttpPeer::answering(answer).await;
        let url = format!("http://{}/health", peer.address);
        let heard = WebProbe::new().unwrap().ask(Question::get(&url)).await.unwrap();
        assert_eq!((heard.status, heard.header("location")), (302, Some("http://127.0.0.1:1/")));
        let here = IpAddr::from([127, 0, 0, 1]);
        assert_eq!((heard.addresses, heard.certificate_days), (Some((here, here)), None));
        assert_eq!(peer.request_lines(), ["GET /health HTTP/1.1"]);
    }

    #[tokio::test]
    async fn nobody_there_is_a_reason_of_one_line() {
        let probe = WebProbe::new().unwrap();
        let refused = probe.ask(Question::get("http://127.0.0.1:1/")).await.unwrap_err();
        assert!(refused.contains("refused") && !refused.contains('\n'), "{refused}");
        assert!(probe.ask(Question::get("no address")).await.is_err());
    }
}
