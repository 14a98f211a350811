//! The bytes of the upgrade itself, by hand over a plain connection.

use std::time::Duration;

use bipe_http::live::sweeper::Timing;
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::app::{TestApp, spawn_app, spawn_app_timed};

pub fn handshake(app: &TestApp, more: &str) -> String {
    format!(
        "GET /api/live HTTP/1.1\r\nHost: {}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
         Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\
         Sec-WebSocket-Protocol: rt.v1\r\n{more}\r\n",
        app.address
    )
}

/// A text frame as clients send it, with a mask of zeros.
fn text_frame(text: &str) -> Vec<u8> {
    let length = u16::try_from(text.len()).unwrap().to_be_bytes();
    [&[0x81, 0xFE], &length[..], &[0; 4], text.as_bytes()].concat()
}

async fn read_until(stream: &mut TcpStream, wanted: &str) -> String {
    let mut seen = Vec::new();
    while !String::from_utf8_lossy(&seen).contains(wanted) {
        assert_ne!(stream.read_buf(&mut seen).await.unwrap(), 0, "no {wanted} came");
    }
    String::from_utf8_lossy(&seen).into_owned()
}

#[actix_web::test]
async fn what_comes_in_the_packet_of_the_handshake_is_heard() {
    let app = spawn_app().await;
    let ana = app.person("ana@example.com").await;
    let ticket = app.ticket(&ana).await;
    let wanted = [json!({"channel": "plans"})];
    let hello = json!({"type": "hello", "id": 1, "ticket": ticket, "subscriptions": wanted});
    // Long enough for a length of two bytes.
    let hello = format!("{hello}{:200}", "");
    let mut stream = TcpStream::connect(app.address).await.unwrap();
    let bytes = [handshake(&app, "").into_bytes(), text_frame(&hello)].concat();
    stream.write_all(&bytes).await.unwrap();
    let answer = read_until(&mut stream, r#""type":"live""#).await;
    assert!(answer.starts_with("HTTP/1.1 101 "), "{answer}");
    assert!(answer.contains(r#""type":"welcome""#), "{answer}");
}

#[actix_web::test]
async fn a_refused_upgrade_is_answered_like_any_request_and_closed() {
    let app = spawn_app().await;
    let mut stream = TcpStream::connect(app.address).await.unwrap();
    let request = handshake(&app, "Origin: https://evil.example\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("HTTP/1.1 403 "), "{head}");
    let head = head.to_ascii_lowercase();
    for header in ["connection: close", "content-type: application/json", "x-request-id: "] {
        assert!(head.contains(header), "no {header} in {head}");
    }
    let body: serde_json::Value = serde_json::from_str(body).unwrap();
    assert_eq!(body["error"]["code"], "FORBIDDEN", "{body}");
}

#[actix_web::test]
async fn a_socket_that_is_told_to_go_ends_with_the_last_byte() {
    let app = spawn_app().await;
    let mut stream = TcpStream::connect(app.address).await.unwrap();
    let bytes = [handshake(&app, "").into_bytes(), text_frame(&format!("no frame{:200}", ""))];
    stream.write_all(&bytes.concat()).await.unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.unwrap();
    // A close frame with 4003, and nothing behind it.
    assert!(answer.ends_with(&[0x88, 2, 0x0F, 0xA3]), "{:?}", String::from_utf8_lossy(&answer));
}

/// Behind a proxy the next request on the connection may be another person's.
#[actix_web::test]
async fn a_request_that_asks_for_no_upgrade_leaves_its_connection_alone() {
    let short = Duration::from_millis(100);
    let app = spawn_app_timed(Timing { sweep: short, grace: short, ..Timing::default() }).await;
    let mut stream = TcpStream::connect(app.address).await.unwrap();
    let request = |path: &str| {
        format!(
            "GET {path} HTTP/1.1\r\nHost: {}\r\nSec-WebSocket-Protocol: rt.v1\r\n\r\n",
            app.address
        )
    };
    stream.write_all(request("/api/live").as_bytes()).await.unwrap();
    let refused = read_until(&mut stream, "}").await;
    assert!(refused.starts_with("HTTP/1.1 400 "), "{refused}");
    tokio::time::sleep(10 * short).await;
    stream.write_all(request("/version").as_bytes()).await.unwrap();
    let answer = read_until(&mut stream, "}").await;
    assert!(answer.contains("HTTP/1.1 200 "), "{answer}");
}
