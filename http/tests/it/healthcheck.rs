//! `bipe healthcheck` as a container's engine runs it: one answer in time, one line when it is no.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener};
use std::process::Output;
use std::time::Duration;

use tokio::task::spawn_blocking;
use tokio::time::timeout;

use crate::program::bipe;

/// Longer than the command waits by itself, by far.
const TIMEOUT: Duration = Duration::from_secs(60);

async fn ask(bind: SocketAddr) -> Output {
    let asking = spawn_blocking(move || {
        bipe(&["healthcheck", "--bind", &bind.to_string()]).output().unwrap()
    });
    timeout(TIMEOUT, asking).await.unwrap().unwrap()
}

/// Answers one question.
fn answering(listener: TcpListener, answer: &'static str) {
    std::thread::spawn(move || {
        let mut stream = listener.accept().unwrap().0;
        let mut question = [0; 256];
        let length = stream.read(&mut question).unwrap();
        assert!(question[..length].starts_with(b"GET /health/ready HTTP/1"));
        stream.write_all(answer.as_bytes()).unwrap();
    });
}

fn bound(address: [u8; 4]) -> (TcpListener, SocketAddr) {
    let listener = TcpListener::bind((Ipv4Addr::from(address), 0)).unwrap();
    let address = listener.local_addr().unwrap();
    (listener, address)
}

fn assert_no(output: &Output, line: &str) {
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!((output.status.code(), said.lines().count()), (Some(1), 1), "{said}");
    assert!(said.contains(line), "{said}");
}

#[tokio::test]
async fn a_ready_server_is_a_silent_zero_also_where_it_listens_on_every_address() {
    for address in [[127, 0, 0, 1], [0, 0, 0, 0]] {
        let (listener, bind) = bound(address);
        answering(listener, "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n");
        let output = ask(bind).await;
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), &*said, output.stdout.len()), (Some(0), "", 0));
    }
}

/// The server listens on every address; this machine may lack one of its own.
#[tokio::test]
async fn a_server_on_every_address_is_asked_at_the_one_that_there_is() {
    let (listener, taken) = bound([127, 0, 0, 1]);
    answering(listener, "HTTP/1.1 200 OK\r\n\r\n");
    let output = ask((Ipv6Addr::UNSPECIFIED, taken.port()).into()).await;
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!((output.status.code(), &*said), (Some(0), ""));
}

#[tokio::test]
async fn a_server_that_is_not_ready_is_one_with_a_line() {
    let (listener, bind) = bound([127, 0, 0, 1]);
    answering(listener, "HTTP/1.1 503 Service Unavailable\r\n\r\n");
    assert_no(&ask(bind).await, "not ready: HTTP/1.1 503");
}

#[tokio::test]
async fn nobody_there_and_nobody_answering_are_one_with_a_line_in_time() {
    let (listener, bind) = bound([127, 0, 0, 1]);
    assert_no(&ask(bind).await, &bind.to_string());
    drop(listener);
    assert_no(&ask(bind).await, &bind.to_string());
}
