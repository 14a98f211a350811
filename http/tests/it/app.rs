//! The server of the test kit, as a type of this crate: each file may add the calls that its tests make.

use std::ops::Deref;
use std::time::Duration;

use bipe_core::clock::Clock;
use bipe_core::db::access::{Login, ReplicaLogin};
use bipe_http::connection::Bounds;
use bipe_http::live::sweeper::Timing;
use bipe_testkit::TestServer;

/// A running server; proven sound and stopped when it is dropped.
pub struct TestApp(TestServer);

impl Deref for TestApp {
    type Target = TestServer;
    fn deref(&self) -> &TestServer {
        &self.0
    }
}

/// Starts a server with the default settings.
pub async fn spawn_app() -> TestApp {
    spawn_app_with(&[]).await
}

/// Starts a server with further flags.
pub async fn spawn_app_with(flags: &[&str]) -> TestApp {
    TestApp(TestServer::start(flags).await)
}

/// Starts a server whose sockets live by other times, and may talk as much as they like.
pub async fn spawn_app_timed(timing: Timing) -> TestApp {
    let flags = ["--rate-limits", "relaxed"];
    TestApp(TestServer::start_with(&flags, timing, Bounds::default()).await)
}

/// Starts a server that bounds its connections otherwise, and looks at them more often.
pub async fn spawn_app_bounded(bounds: Bounds, flags: &[&str]) -> TestApp {
    let timing = Timing { sweep: Duration::from_millis(100), ..Timing::default() };
    TestApp(TestServer::start_with(flags, timing, bounds).await)
}

impl TestApp {
    /// Another node on the same database.
    pub async fn second(&self) -> TestApp {
        TestApp(self.0.second().await)
    }

    /// The same with another clock.
    pub async fn second_at(&self, clock: Clock) -> TestApp {
        TestApp(self.0.second_at(clock).await)
    }

    /// The same with a replica for the reads of platform admins.
    pub async fn second_reading(&self, login: Login) -> TestApp {
        let replica = ReplicaLogin { login, refuses_unbound: true };
        TestApp(self.0.second_reading(replica).await)
    }

    /// Stops the server and starts another one on the same database: what was in memory alone is gone.
    pub async fn restarted(self) -> TestApp {
        TestApp(self.0.restarted().await)
    }
}
