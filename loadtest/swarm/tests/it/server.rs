//! How a server is started.

use std::path::Path;

use bipe_swarm::server::Server;

async fn start() -> Server {
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/server.sh");
    Server::start(&program).await.unwrap()
}

#[tokio::test]
async fn a_server_that_nobody_stopped_ends_and_leaves_nothing() {
    let server = start().await;
    let (process, data) = (format!("/proc/{}", server.pid().unwrap()), server.data().to_owned());
    assert!(Path::new(&process).exists() && data.exists());
    drop(server);
    assert!(!Path::new(&process).exists() && !data.exists());
}

#[tokio::test]
async fn a_server_sees_neither_the_environment_nor_the_checkout() {
    let package = env!("CARGO_MANIFEST_DIR");
    let server = start().await;
    let seen = std::fs::read_to_string(server.data().join("seen")).unwrap();
    server.stop().await.unwrap();
    assert!(seen.contains("RUST_LOG=warn"), "{seen}");
    assert!(!seen.contains("CARGO") && !seen.contains(package), "{seen}");
}
