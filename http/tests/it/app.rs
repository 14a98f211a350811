//! `spawn_app()`: the whole server on port 0 over a database of its own.

use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use actix_web::dev::ServerHandle;
use bipe_core::clock::Clock;
use bipe_core::config::Config;
use bipe_core::db::Opened;
use bipe_core::testing::TestDb;
use bipe_http::connection::Bounds;
use bipe_http::live::sweeper::Timing;
use bipe_http::{App, boot, listen};
use clap::Parser;

#[derive(Parser)]
struct Flags {
    #[command(flatten)]
    config: Config,
}

/// A configuration as `bipe serve` would read it from these flags.
pub fn config(flags: &[&str]) -> Config {
    Flags::parse_from([&["bipe"], flags].concat()).config
}

/// A running server; stopped when dropped.
pub struct TestApp {
    pub address: SocketAddr,
    pub app: Arc<App>,
    /// Kept as long as the server runs; dropped with it.
    pub database: Arc<TestDb>,
    handle: ServerHandle,
}

/// Starts a server with the default settings.
pub async fn spawn_app() -> TestApp {
    spawn_app_with(&[]).await
}

/// Starts a server with further flags.
pub async fn spawn_app_with(flags: &[&str]) -> TestApp {
    spawn(flags, Timing::default()).await
}

/// Starts a server whose sockets live by other times, and may talk as much as they like.
pub async fn spawn_app_timed(timing: Timing) -> TestApp {
    spawn(&["--rate-limits", "relaxed"], timing).await
}

/// Starts a server that gives connections less time, and looks at them more often.
pub async fn spawn_app_hasty(bounds: Bounds, flags: &[&str]) -> TestApp {
    let timing = Timing { sweep: Duration::from_millis(100), ..Timing::default() };
    spawn_with(flags, timing, bounds).await
}

async fn spawn(flags: &[&str], timing: Timing) -> TestApp {
    spawn_with(flags, timing, Bounds::default()).await
}

async fn spawn_with(flags: &[&str], timing: Timing, bounds: Bounds) -> TestApp {
    let mut database = TestDb::new().await;
    let data_dir = std::env::temp_dir().join(format!("bipe-app-{}", Clock::system().uuid()));
    let data = data_dir.to_str().unwrap();
    let config = config(&[&["--workers", "1", "--data-dir", data], flags].concat());
    let opened = database.opened();
    serve(config, Arc::new(database), opened, (timing, bounds)).await
}

async fn serve(
    mut config: Config,
    database: Arc<TestDb>,
    opened: Opened,
    (timing, bounds): (Timing, Bounds),
) -> TestApp {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    config.bind = address;
    let mut app = boot::assemble(config, opened).await.unwrap();
    let own = Arc::get_mut(&mut app).unwrap();
    (own.live.timing, own.bounds) = (timing, bounds);
    let server = listen(app.clone(), listener).unwrap();
    let handle = server.handle();
    actix_web::rt::spawn(server);
    TestApp { address, app, database, handle }
}

impl TestApp {
    /// Another node on the same database.
    pub async fn second(&self) -> TestApp {
        let node = self.database.second_node();
        serve(self.app.config.clone(), self.database.clone(), node, Default::default()).await
    }

    /// Stops the server and starts another one on the same database: what was in memory alone is gone.
    pub async fn restarted(self) -> TestApp {
        self.handle.stop(false).await;
        let node = self.database.second_node();
        serve(self.app.config.clone(), self.database.clone(), node, Default::default()).await
    }
}

impl Drop for TestApp {
    fn drop(&mut self) {
        drop(self.handle.stop(false));
        let _ = std::fs::remove_dir_all(&self.app.config.data_dir);
    }
}

/// What came back.
pub struct Answer {
    pub status: u16,
    pub headers: reqwest::header::HeaderMap,
    /// Null when the body is no JSON.
    pub body: serde_json::Value,
    pub text: String,
}

impl Answer {
    /// The code of a refusal.
    pub fn code(&self) -> &str {
        self.body["error"]["code"].as_str().unwrap_or_default()
    }

    /// `data`, after proving that it is a success of that status.
    pub fn data(&self, status: u16) -> &serde_json::Value {
        assert_eq!(self.status, status, "{}", self.text);
        assert_eq!(self.body["success"], true, "{}", self.text);
        &self.body["data"]
    }

    /// Proves a refusal.
    pub fn refused(&self, status: u16, code: &str) {
        assert_eq!((self.status, self.code()), (status, code), "{}", self.text);
        assert_eq!(self.body["success"], false);
    }
}

impl TestApp {
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    pub async fn get(&self, path: &str) -> Answer {
        answer(reqwest::Client::new().get(self.url(path))).await
    }

    pub async fn post(&self, path: &str, body: &serde_json::Value) -> Answer {
        answer(reqwest::Client::new().post(self.url(path)).json(body)).await
    }
}

/// Sends a request that a test built itself.
pub async fn answer(request: reqwest::RequestBuilder) -> Answer {
    let response = request.send().await.unwrap();
    let (status, headers) = (response.status().as_u16(), response.headers().clone());
    let text = response.text().await.unwrap();
    let body = serde_json::from_str(&text).unwrap_or_default();
    Answer { status, headers, body, text }
}
