//! What must hold when a test is over: no job is dead, and no payment invariant is broken, here or at the provider.
//!
//! Looked at from a thread of its own with a node of its own: the test's thread is inside `Drop` and waits.

use bipe_actors::payment_check;

use crate::TestServer;

/// What does not hold.
pub fn broken(server: &TestServer) -> Vec<String> {
    std::thread::scope(|scope| {
        let look = || actix_web::rt::System::new().block_on(look(server));
        scope.spawn(look).join().expect("a look at the end")
    })
}

async fn look(server: &TestServer) -> Vec<String> {
    let owner = server.database.owner().await;
    let dead =
        "SELECT kind || ': ' || coalesce(last_error, '') FROM jobs WHERE dead_at IS NOT NULL";
    let dead = owner.query(dead, &[]).await.unwrap();
    let mut broken: Vec<String> =
        dead.iter().map(|row| format!("dead job {}", row.get::<_, String>(0))).collect();
    let payments = owner.query_one("SELECT count(*) FROM payments", &[]).await.unwrap();
    if payments.get::<_, i64>(0) > 0 {
        let actors = server.second_actors();
        let report = payment_check::run(&actors.directory).await.unwrap();
        broken.extend(report.findings.iter().map(|finding| format!("{finding:?}")));
    }
    broken
}

impl TestServer {
    /// Proves in the midst of a test what its end proves, and that the provider was asked.
    pub async fn is_sound(&self) {
        let report = payment_check::run(&self.app.actors.directory).await.unwrap();
        assert!(report.provider_asked);
        assert_eq!(report.findings, Vec::new());
    }
}
