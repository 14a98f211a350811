//! The whole server on port 0, over a database of its own.

use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use actix_web::dev::ServerHandle;
use bipe_actors::Actors;
use bipe_core::clock::Clock;
use bipe_core::config::Config;
use bipe_core::db::access::ReplicaLogin;
use bipe_core::db::{OpenedDb, PoolSize};
use bipe_core::mailer::Mailer;
use bipe_core::testing::TestDb;
pub use bipe_core::testing::config;
use bipe_http::connection::Bounds;
use bipe_http::live::sweeper::Timing;
use bipe_http::{App, boot, listen};

use crate::{Answer, answer, soundness};

/// A running server. When it is dropped it is proven sound, then stopped.
pub struct TestServer {
    pub address: SocketAddr,
    pub app: Arc<App>,
    /// Kept as long as the server runs; dropped with it.
    pub database: Arc<TestDb>,
    handle: ServerHandle,
    is_proven_at_end: AtomicBool,
}

impl TestServer {
    /// Starts a server with further flags.
    pub async fn start(flags: &[&str]) -> Self {
        Self::start_with(flags, Timing::default(), Bounds::default()).await
    }

    /// The same with other numbers of connections to its database.
    pub async fn start_sized(pool: PoolSize) -> Self {
        let database = TestDb::new().await;
        let opened = database.sized_node(pool);
        serve(settings(&[]), Arc::new(database), opened, Default::default()).await
    }

    /// The same with other times of its sockets and other bounds of its connections.
    pub async fn start_with(flags: &[&str], timing: Timing, bounds: Bounds) -> Self {
        let mut database = TestDb::new().await;
        let opened = database.opened();
        serve(settings(flags), Arc::new(database), opened, (timing, bounds)).await
    }

    /// Another server on the same database.
    pub async fn second(&self) -> Self {
        self.second_at(self.app.clock.clone()).await
    }

    /// The same with a replica for the reads of platform admins.
    pub async fn second_reading(&self, replica: ReplicaLogin) -> Self {
        self.beside(self.database.reading_node(replica)).await
    }

    /// The same with another clock.
    pub async fn second_at(&self, clock: Clock) -> Self {
        self.beside(self.database.second_node_at(clock)).await
    }

    async fn beside(&self, opened: OpenedDb) -> Self {
        serve(self.app.config.clone(), self.database.clone(), opened, Default::default()).await
    }

    /// Stops the server and starts another one on the same database: what was in memory alone is gone.
    pub async fn restarted(self) -> Self {
        self.leave_unproven();
        self.handle.stop(false).await;
        self.second().await
    }

    /// Its end proves nothing: the test broke something that stays broken.
    pub fn leave_unproven(&self) {
        self.is_proven_at_end.store(false, Ordering::Relaxed);
    }

    /// The actors of another node on the same database: its jobs run when they are told to.
    pub fn second_actors(&self) -> Actors {
        let (config, auth) = (&self.app.config, &self.app.auth);
        let (opened, limits) = (self.database.second_node(), auth.limits.clone());
        let mailer = Mailer::new(config, &auth.keys).unwrap();
        boot::start_actors(config, config.bind, &opened, mailer, limits).unwrap()
    }

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

/// A data directory of its own, and nothing that is asked of the world outside.
fn settings(flags: &[&str]) -> Config {
    let data_dir = std::env::temp_dir().join(format!("bipe-app-{}", Clock::system().uuid()));
    let own = ["--workers", "1", "--data-dir", data_dir.to_str().unwrap()];
    let nowhere: &[&str] = if flags.contains(&"--cep-url") { &[] } else { &["--cep-url", ""] };
    config(&[&own[..], nowhere, flags].concat())
}

async fn serve(
    mut config: Config,
    database: Arc<TestDb>,
    opened: OpenedDb,
    (timing, bounds): (Timing, Bounds),
) -> TestServer {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    config.bind = address;
    let mut app = boot::assemble(config, opened).await.unwrap();
    let own = Arc::get_mut(&mut app).unwrap();
    (own.live.timing, own.bounds) = (timing, bounds);
    let server = listen(app.clone(), listener).unwrap();
    let handle = server.handle();
    actix_web::rt::spawn(server);
    TestServer { address, app, database, handle, is_proven_at_end: AtomicBool::new(true) }
}

impl Drop for TestServer {
    fn drop(&mut self) {
        let is_proven = self.is_proven_at_end.load(Ordering::Relaxed) && !std::thread::panicking();
        let broken = if is_proven { soundness::broken(self) } else { Vec::new() };
        drop(self.handle.stop(false));
        let _ = std::fs::remove_dir_all(&self.app.config.data_dir);
        assert!(broken.is_empty(), "the server ends broken: {broken:#?}");
    }
}
