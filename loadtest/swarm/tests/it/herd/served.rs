//! Sockets at a server of the test's own.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::time::Duration;

use bipe_swarm::herd::speech::{Memory, Speech};
use bipe_swarm::herd::{Herd, Place};
use tokio::time::timeout;

/// Serves each connection in turn, with its number, by a thread of its own.
fn serve(mut each: impl FnMut(usize, TcpStream) + Send + 'static) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for (number, stream) in listener.incoming().enumerate() {
            each(number, stream.unwrap());
        }
    });
    address
}

fn herd(address: SocketAddr) -> Herd {
    Herd::start(Place { address, path: "/", speech: Speech::Plain, log: None, comes_back: false })
        .unwrap()
}

fn reader() -> Vec<Memory> {
    vec![Memory::reading(&["all".into()])]
}

#[tokio::test]
async fn a_server_that_refuses_a_socket_is_quoted_at_once() {
    let address = serve(|_, mut stream| {
        assert!(stream.read(&mut [0; 1024]).unwrap() > 0);
        stream.write_all(b"HTTP/1.1 503 Service Unavailable\r\n\r\n").unwrap();
    });
    let herd = herd(address);
    let opened = timeout(Duration::from_secs(60), herd.open(reader())).await.unwrap();
    for refused in [opened, herd.cut(), herd.stop().await] {
        assert!(refused.unwrap_err().to_string().contains("503 Service Unavailable"));
    }
}
