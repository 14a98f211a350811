//! The address of a postal code, asked of a service of others (`BIPE_CEP_URL`). A help for forms and nothing else:
//! whatever fails here, a person types the address. Called by the handler alone, never while a transaction is open.
//!
//! Invariants: one call to the address of the setting, without redirects, over TLS or on this machine; two seconds,
//! 16 KiB and 16 calls at once are the most.

use std::collections::HashMap;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt, Empty, Limited};
use hyper::header::{ACCEPT, USER_AGENT};
use hyper::{Request, StatusCode, Uri};
use jiff::{SignedDuration, Timestamp};
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use tokio::sync::Semaphore;
use tokio::time::timeout;
use utoipa::ToSchema;

use crate::brazil::postal::{Cep, LINE_MAX, STREET_MAX, State};
use crate::clock::Clock;
use crate::error::{Code, Error, Result};
use crate::https::{self, HttpsClient};
use crate::user::parse_name;

/// Where the digits of the postal code stand in the setting.
pub const PLACEHOLDER: &str = "{cep}";
const LOOKUP_TIMEOUT: Duration = Duration::from_secs(2);
const MAX_BYTES: usize = 16 * 1024;
const MAX_AT_ONCE: usize = 16;
/// How long an answer is good.
const CACHE_LIFETIME: SignedDuration = SignedDuration::from_hours(1);
const MAX_KNOWN: usize = 1_000;
/// Seconds until a failed look-up may be tried again.
const RETRY_AFTER: u32 = 10;

/// What the service knows. A small town has one postal code for all of its streets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FoundAddress {
    /// Eight digits.
    pub postal_code: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub street: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub district: Option<String>,
    pub city: String,
    pub state: State,
}

/// What the service has answered.
#[derive(Clone)]
enum Answer {
    Found(FoundAddress),
    /// The postal code does not exist.
    Unknown,
}

/// One for all workers. Without an address every look-up is refused at once.
pub struct CepLookup(Option<Service>);

struct Service {
    url: String,
    client: HttpsClient<Empty<Bytes>>,
    clock: Clock,
    permits: Semaphore,
    known: Mutex<HashMap<Cep, (Timestamp, Answer)>>,
}

impl CepLookup {
    /// `url` is the setting, which `Config::check` has looked at; empty is none.
    ///
    /// # Errors
    /// `Internal` when TLS cannot be set up.
    pub fn new(url: &str, clock: Clock) -> Result<Self> {
        if url.is_empty() {
            return Ok(Self(None));
        }
        // Rare calls: no connection is kept.
        let client = https::client(https::tls(https::roots())?, LOOKUP_TIMEOUT, 0);
        let (permits, known) = (Semaphore::new(MAX_AT_ONCE), Mutex::default());
        Ok(Self(Some(Service { url: url.to_owned(), client, clock, permits, known })))
    }

    /// # Errors
    /// `NotFound` CEP_NOT_FOUND; `Unavailable` CEP_UNAVAILABLE for everything that is no answer.
    pub async fn find(&self, cep: &Cep) -> Result<FoundAddress> {
        let answer = match &self.0 {
            Some(service) => service.find(cep).await,
            None => None,
        };
        match answer {
            Some(Answer::Found(address)) => Ok(address),
            Some(Answer::Unknown) => Err(Error::NotFound(Code::CepNotFound)),
            None => {
                Err(Error::Unavailable { code: Code::CepUnavailable, retry_after: RETRY_AFTER })
            }
        }
    }
}

impl Service {
    /// None without an answer that can be used.
    async fn find(&self, cep: &Cep) -> Option<Answer> {
        let now = self.clock.now();
        if let Some((at, answer)) = self.known.lock().get(cep)
            && now.duration_since(*at) < CACHE_LIFETIME
        {
            return Some(answer.clone());
        }
        let _permit = self.permits.try_acquire().ok()?;
        let answer = timeout(LOOKUP_TIMEOUT, self.ask(cep)).await.ok().flatten();
        let outcome = match &answer {
            Some(Answer::Found(_)) => "found",
            Some(Answer::Unknown) => "unknown",
            None => "failed",
        };
        metrics::counter!("bipe_cep_lookups_total", "outcome" => outcome).increment(1);
        self.keep(cep, now, answer.as_ref()?);
        answer
    }

    async fn ask(&self, cep: &Cep) -> Option<Answer> {
        let uri: Uri = self.url.replace(PLACEHOLDER, cep.digits()).parse().ok()?;
        let request =
            Request::get(uri).header(ACCEPT, "application/json").header(USER_AGENT, "Bipe");
        let response = self.client.request(request.body(Empty::new()).ok()?).await.ok()?;
        if response.status() != StatusCode::OK {
            return None;
        }
        let body = Limited::new(response.into_body(), MAX_BYTES).collect().await.ok()?;
        serde_json::from_slice::<WireAddress>(&body.to_bytes()).ok()?.read(cep)
    }

    fn keep(&self, cep: &Cep, now: Timestamp, answer: &Answer) {
        let mut known = self.known.lock();
        if known.len() >= MAX_KNOWN {
            known.retain(|_, (at, _)| now.duration_since(*at) < CACHE_LIFETIME);
        }
        if known.len() >= MAX_KNOWN {
            known.clear();
        }
        known.insert(cep.clone(), (now, answer.clone()));
    }
}

/// As ViaCEP answers. What it calls `complemento` is about the street's numbers, not about the visitor's door.
#[derive(Deserialize)]
struct WireAddress {
    erro: Option<Flag>,
    cep: Option<String>,
    logradouro: Option<String>,
    bairro: Option<String>,
    localidade: Option<String>,
    uf: Option<String>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Flag {
    Truth(bool),
    Word(String),
}

impl WireAddress {
    /// None for an answer about something else.
    fn read(self, cep: &Cep) -> Option<Answer> {
        if self.erro.as_ref().is_some_and(Flag::is_true) {
            return Some(Answer::Unknown);
        }
        let line = |text: Option<String>, most| parse_name(&text?, 1..=most).ok();
        if Cep::parse(&self.cep?)? != *cep {
            return None;
        }
        Some(Answer::Found(FoundAddress {
            postal_code: cep.digits().to_owned(),
            street: line(self.logradouro, STREET_MAX),
            district: line(self.bairro, LINE_MAX),
            city: line(self.localidade, LINE_MAX)?,
            state: State::of_typed(&self.uf?)?,
        }))
    }
}

impl Flag {
    fn is_true(&self) -> bool {
        match self {
            Flag::Truth(truth) => *truth,
            Flag::Word(word) => word == "true",
        }
    }
}
