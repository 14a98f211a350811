//! The network between two servers, frozen and cut.

use std::net::Ipv4Addr;
use std::time::Duration;

use bipe_nodes::route::{Route, State};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

const SHORT: Duration = Duration::from_millis(100);

#[tokio::test]
async fn what_is_frozen_arrives_later_and_what_is_cut_never() {
    let target = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let route = Route::start(target.local_addr().unwrap()).await.unwrap();
    let mut client = TcpStream::connect(route.address).await.unwrap();
    let (mut server, _) = target.accept().await.unwrap();
    let mut byte = [0; 1];
    client.write_all(b"a").await.unwrap();
    server.read_exact(&mut byte).await.unwrap();
    route.set(State::Frozen);
    client.write_all(b"b").await.unwrap();
    assert!(tokio::time::timeout(SHORT, server.read_exact(&mut byte)).await.is_err());
    route.set(State::Open);
    server.read_exact(&mut byte).await.unwrap();
    assert_eq!(&byte, b"b");
    route.set(State::Cut);
    assert_eq!(server.read(&mut byte).await.unwrap(), 0);
}
