//! A sandbox on a free port with a clock that stands still, an endpoint for its webhooks, and a caller.

use std::net::TcpListener;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU16, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use actix_web::{App, HttpRequest, HttpResponse, HttpServer, web};
use bipe_core::clock::Clock;
use bipe_core::secret::Secret;
use bipe_sandbox::{PUBLISHABLE_KEY, SECRET_KEY, Sandbox, SandboxSettings, listen};
use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::Request;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use serde_json::Value;

pub const WEBHOOK_SECRETS: [&str; 2] = ["whsec_old", "whsec_new"];

pub struct Reply {
    pub status: u16,
    pub headers: hyper::HeaderMap,
    pub json: Value,
    pub text: String,
}

impl Reply {
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    /// `error.code` or `error.decline_code` and the like.
    pub fn error(&self, field: &str) -> &str {
        self.json["error"][field].as_str().unwrap_or_default()
    }
}

/// What reached the webhook endpoint: signature and body.
pub type Mail = Arc<Mutex<Vec<(String, String)>>>;

pub type Hold = Arc<tokio::sync::RwLock<()>>;

pub struct Provider {
    pub clock: Clock,
    pub sandbox: Sandbox,
    pub mail: Mail,
    /// What the webhook endpoint answers.
    pub endpoint_status: Arc<AtomicU16>,
    /// The endpoint answers only while nobody holds it.
    pub endpoint_hold: Hold,
    data_dir: PathBuf,
    origin: String,
    webhook_url: String,
    client: Client<HttpConnector, Full<Bytes>>,
    servers: Vec<actix_web::dev::ServerHandle>,
}

impl Provider {
    pub async fn start() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("bipe-sandbox-{}-{number}", std::process::id());
        let data_dir = std::env::temp_dir().join(name);
        let _ = std::fs::remove_dir_all(&data_dir);
        let clock = Clock::fixed("2026-11-18T15:00:00Z".parse().unwrap(), 7);
        let (mail, endpoint_status) = (Mail::default(), Arc::new(AtomicU16::new(200)));
        let endpoint_hold = Hold::default();
        let shared = (mail.clone(), endpoint_status.clone(), endpoint_hold.clone());
        let (webhook_url, endpoint) = endpoint(shared);
        let (sandbox, origin, server) = serve(&data_dir, &clock, &webhook_url);
        let client = Client::builder(TokioExecutor::new()).build_http();
        let servers = vec![endpoint, server];
        Self {
            clock,
            sandbox,
            mail,
            endpoint_status,
            endpoint_hold,
            data_dir,
            origin,
            webhook_url,
            client,
            servers,
        }
    }

    /// Ends the server without a word to the sandbox and opens its journal again.
    pub async fn restart(&mut self) {
        self.servers.pop().unwrap().stop(false).await;
        let (sandbox, origin, server) = serve(&self.data_dir, &self.clock, &self.webhook_url);
        (self.sandbox, self.origin) = (sandbox, origin);
        self.servers.push(server);
    }

    pub fn origin(&self) -> &str {
        &self.origin
    }

    pub fn journal(&self) -> PathBuf {
        self.data_dir.join("sandbox-v1.journal")
    }

    pub async fn post(&self, path: &str, form: &str) -> Reply {
        self.send("POST", path, form, &[("authorization", &bearer(SECRET_KEY))]).await
    }

    pub async fn get(&self, path: &str) -> Reply {
        self.send("GET", path, "", &[("authorization", &bearer(SECRET_KEY))]).await
    }

    /// As the browser's form calls.
    pub async fn browser(&self, path: &str, form: &str) -> Reply {
        self.send("POST", path, form, &[("authorization", &bearer(PUBLISHABLE_KEY))]).await
    }

    pub async fn keyed(&self, key: &str, path: &str, form: &str) -> Reply {
        let headers = [("authorization", bearer(SECRET_KEY)), ("idempotency-key", key.to_owned())];
        self.send(
            "POST",
            path,
            form,
            &headers.each_ref().map(|(name, value)| (*name, value.as_str())),
        )
        .await
    }

    pub async fn control(&self, path: &str, json: &str) -> Reply {
        self.send("POST", path, json, &[("content-type", "application/json")]).await
    }

    pub async fn send(
        &self,
        method: &str,
        path: &str,
        body: &str,
        headers: &[(&str, &str)],
    ) -> Reply {
        self.try_send(method, path, body, headers).await.expect("an answer")
    }

    /// `None`: the connection broke.
    pub async fn try_send(
        &self,
        method: &str,
        path: &str,
        body: &str,
        headers: &[(&str, &str)],
    ) -> Option<Reply> {
        let mut request = Request::builder().method(method).uri(format!("{}{path}", self.origin));
        if !headers.iter().any(|(name, _)| *name == "content-type") {
            request = request.header("content-type", "application/x-www-form-urlencoded");
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.body(Full::new(Bytes::from(body.to_owned()))).unwrap();
        let response = self.client.request(request).await.ok()?;
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let bytes = response.into_body().collect().await.ok()?.to_bytes();
        let text = String::from_utf8(bytes.to_vec()).unwrap();
        let json = serde_json::from_str(&text).unwrap_or_default();
        Some(Reply { status, headers, json, text })
    }

    /// A customer, and the id it got.
    pub async fn customer(&self) -> String {
        let reply = self.post("/sandbox/v1/customers", "email=ana%40example.com&name=Ana").await;
        id(&reply)
    }

    /// A card as the browser makes it.
    pub async fn card(&self, number: &str) -> String {
        let form = format!(
            "type=card&card[number]={number}&card[exp_month]=12&card[exp_year]=2030&card[cvc]=123"
        );
        id(&self.browser("/sandbox/v1/payment_methods", &form).await)
    }

    /// Waits for the events that are due now and returns all that came so far, as JSON.
    pub async fn events(&self) -> Vec<Value> {
        self.sandbox.run_due().await;
        let mail = self.mail.lock().unwrap();
        mail.iter().map(|(_, body)| serde_json::from_str(body).unwrap()).collect()
    }
}

pub fn bearer(key: &str) -> String {
    format!("Bearer {key}")
}

pub fn id(reply: &Reply) -> String {
    assert_eq!(reply.status, 200, "{}", reply.text);
    reply.json["id"].as_str().unwrap().to_owned()
}

fn serve(
    data_dir: &std::path::Path,
    clock: &Clock,
    webhook_url: &str,
) -> (Sandbox, String, actix_web::dev::ServerHandle) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let origin = format!("http://{}", listener.local_addr().unwrap());
    let sandbox = Sandbox::open(SandboxSettings {
        data_dir: data_dir.to_owned(),
        clock: clock.clone(),
        base_url: format!("{origin}/sandbox"),
        webhook_url: Some(webhook_url.to_owned()),
        webhook_secrets: WEBHOOK_SECRETS.map(Secret::from).to_vec(),
    })
    .unwrap();
    let server = listen(sandbox.clone(), listener).unwrap();
    let handle = server.handle();
    actix_web::rt::spawn(server);
    (sandbox, origin, handle)
}

type Shared = (Mail, Arc<AtomicU16>, Hold);

fn endpoint(shared: Shared) -> (String, actix_web::dev::ServerHandle) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/webhooks", listener.local_addr().unwrap());
    let data = web::Data::new(shared);
    let server = HttpServer::new(move || {
        App::new().app_data(data.clone()).route("/webhooks", web::post().to(take))
    });
    let server = server.workers(1).disable_signals().listen(listener).unwrap().run();
    let handle = server.handle();
    actix_web::rt::spawn(server);
    (url, handle)
}

async fn take(state: web::Data<Shared>, request: HttpRequest, body: String) -> HttpResponse {
    let signature = request.headers().get("stripe-signature").unwrap().to_str().unwrap().to_owned();
    state.0.lock().unwrap().push((signature, body));
    let _free = state.2.read().await;
    let status = actix_web::http::StatusCode::from_u16(state.1.load(Ordering::Relaxed)).unwrap();
    HttpResponse::build(status).finish()
}

impl Drop for Provider {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.data_dir);
    }
}
