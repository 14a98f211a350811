//! Frames that no honest client sends: what they cost is counted, and what they announce is not waited for.

use futures_util::SinkExt;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::protocol::Message;
use tokio_tungstenite::tungstenite::protocol::frame::Frame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::{Data, OpCode};

use crate::app::spawn_app;
use crate::live_upgrade::handshake;

#[actix_web::test]
async fn pongs_and_parts_of_a_text_are_counted_like_any_other_frame() {
    let app = spawn_app().await;
    for part in [Frame::pong("x"), Frame::message("", OpCode::Data(Data::Continue), false)] {
        let mut client = app.connect().await;
        let first = Frame::message("", OpCode::Data(Data::Text), false);
        client.socket.send(Message::Frame(first)).await.unwrap();
        let mut sent = 0;
        // The server may hang up while they are still being sent.
        while sent < 100 && client.socket.send(Message::Frame(part.clone())).await.is_ok() {
            sent += 1;
        }
        assert_eq!(client.closed().await, 4109, "after {sent}");
    }
}

#[actix_web::test]
async fn parts_that_join_to_more_than_8_kib_end_the_socket() {
    let app = spawn_app().await;
    let part = |kind, is_last| Frame::message(" ".repeat(4_096), OpCode::Data(kind), is_last);
    let mut client = app.connect().await;
    client.socket.send(Message::Frame(part(Data::Text, false))).await.unwrap();
    client.socket.send(Message::Frame(part(Data::Continue, false))).await.unwrap();
    let last = Frame::message(" ", OpCode::Data(Data::Continue), true);
    client.socket.send(Message::Frame(last)).await.unwrap();
    assert_eq!(client.closed().await, 4003);
}

#[actix_web::test]
async fn a_frame_is_refused_by_the_length_that_it_announces() {
    let app = spawn_app().await;
    let mut stream = TcpStream::connect(app.address).await.unwrap();
    let gigabyte = [&[0x81, 0xFF][..], &(1_u64 << 30).to_be_bytes(), &[0; 4]].concat();
    stream.write_all(&[handshake(&app, "").as_bytes(), &gigabyte].concat()).await.unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.unwrap();
    // A close frame with 4003, while the payload is still to come.
    assert!(answer.ends_with(&[0x88, 2, 0x0F, 0xA3]), "{:?}", String::from_utf8_lossy(&answer));
}
