//! How a server is started.

use std::path::Path;

use bipe_swarm::server::Server;

#[tokio::test]
async fn a_server_sees_neither_the_environment_nor_the_checkout() {
    let package = env!("CARGO_MANIFEST_DIR");
    let program = Path::new(package).join("tests/it/server.sh");
    let server = Server::start(&program).await.unwrap();
    let seen = std::fs::read_to_string(server.data().join("seen")).unwrap();
    server.stop().await.unwrap();
    assert!(seen.contains("RUST_LOG=warn"), "{seen}");
    assert!(!seen.contains("CARGO") && !seen.contains(package), "{seen}");
}
