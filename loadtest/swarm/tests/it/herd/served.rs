//! Sockets at a server of the test's own.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::time::Duration;

use bipe_swarm::herd::speech::{Memory, Speech};
use bipe_swarm::herd::{Herd, Place};
use bipe_swarm::modes::fanout::everywhere;
use bipe_swarm::target::event;
use tokio::time::{Instant, timeout};

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

/// A text as a server sends it.
fn frame(text: &str) -> Vec<u8> {
    let length = u16::try_from(text.len()).unwrap().to_be_bytes();
    [&[0x81_u8, 126][..], &length[..], text.as_bytes()].concat()
}

#[tokio::test]
async fn the_latencies_of_a_stretch_leave_out_what_was_due_before_it() {
    let mut open = Vec::new();
    let address = serve(move |number, mut stream| {
        let mut request = [0; 1024];
        assert!(stream.read(&mut request).unwrap() > 0);
        stream.write_all(b"HTTP/1.1 101 Switching Protocols\r\n\r\n").unwrap();
        assert!(stream.read(&mut request).unwrap() > 0);
        stream.write_all(&frame(r#"{"type":"live","channel":"all","seq":0}"#)).unwrap();
        if number == 0 {
            stream.write_all(&[frame(&event(1)), frame(&event(2))].concat()).unwrap();
        }
        open.push(stream);
    });
    let herd = herd(address);
    let before = Instant::now();
    let from = before + Duration::from_millis(1);
    herd.shared.schedule(1, before);
    herd.shared.schedule(2, from);
    herd.measure(from);
    herd.open(reader()).await.unwrap();
    everywhere(&herd, 2, 1).await.unwrap();
    // When the next one is live, everything that came before it is counted.
    herd.open(reader()).await.unwrap();
    assert_eq!(herd.measured().len(), 1);
    herd.stop().await.unwrap();
}
