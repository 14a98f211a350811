//! Serves WebSocket connections instead of the dispatcher of actix-http, which keeps a read and a write buffer for
//! every connection: more memory than everything else of a silent socket.
//!
//! Called for requests that ask for the upgrade. They go through the whole application, which answers 101 with the
//! stream of a context, or refuses. A context is polled again only when its bytes are written, so a peer that does not
//! read freezes it. While a context has nothing to write, its inbox writes events past it.

use std::future::poll_fn;
use std::io::{Error, ErrorKind, Result};
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use actix_codec::{Encoder, Framed};
use actix_http::body::{BodySize, BoxBody, MessageBody};
use actix_http::h1::{Codec, Message};
use actix_http::ws::{OpCode, Parser};
use actix_http::{BoxedPayloadStream, ConnectionType, Payload, Request, Response, StatusCode};
use actix_web::dev::{Service, ServiceResponse};
use actix_web::error::PayloadError;
use actix_web::web::{Buf, Bytes, BytesMut};
use bipe_actors::worker::inbox::FrameWriter;
use futures_util::Stream;

use super::length::FrameMeter;
use crate::connection::{Connection, Stream as Wire};

/// Bytes that are read at once. Most frames of a client are acknowledgements of 30 bytes.
const READ_BYTES: usize = 4 * 1024;
/// Bytes ahead of the text in a frame that is not masked, at most.
const HEAD_BYTES: usize = 10;
/// How long to wait for the peer to close after the last byte. An earlier end would reset the connection before the
/// peer has read the close frame.
const LINGER: Duration = Duration::from_secs(2);

pub type Exchange = (Request, Framed<Wire, Codec>);

/// Answers the request with the application, then carries the bytes of its connection until it ends.
pub fn serve<S, B>(exchange: Exchange, app: &S) -> impl Future<Output = ()> + use<S, B>
where
    S: Service<Request, Response = ServiceResponse<B>, Error = actix_web::Error>,
    B: MessageBody + 'static,
{
    let (request, framed) = exchange;
    let parts = framed.into_parts();
    let connection = parts.io.0;
    // A copy, of nothing as a rule: the buffer that it leaves has 8 KiB.
    let early = Bytes::copy_from_slice(&parts.read_buf);
    let incoming = Incoming {
        early,
        connection: connection.clone(),
        is_full: false,
        meter: FrameMeter::default(),
    };
    let payload: BoxedPayloadStream = Box::pin(incoming);
    let (request, _) = request.replace_payload(Payload::Stream { payload });
    let answer = app.call(request);
    async move {
        let response = match answer.await {
            Ok(response) => Response::from(response).map_into_boxed_body(),
            Err(error) => error.error_response().into(),
        };
        let sent = send(&connection, parts.codec, response).await;
        if let Err(error) = sent {
            tracing::debug!(%error, "a connection broke");
        }
    }
}

async fn send(
    connection: &Rc<Connection>,
    codec: Codec,
    response: Response<BoxBody>,
) -> Result<()> {
    if response.status() == StatusCode::SWITCHING_PROTOCOLS {
        connection.go_live();
        let (head, mut body) = response.into_parts();
        write(connection, head_of(codec, head)?).await?;
        while let Some(chunk) = poll_fn(|cx| next_chunk(connection, &mut body, cx)).await {
            write(connection, chunk.map_err(|error| Error::other(error.to_string()))?).await?;
        }
    } else {
        refuse(connection, codec, response).await?;
    }
    linger(connection).await
}

/// The next bytes to write: those that found no room, then those of the context. While neither has any, frames may be
/// written past this task.
fn next_chunk(
    connection: &Connection,
    body: &mut BoxBody,
    cx: &mut Context<'_>,
) -> Poll<Option<std::result::Result<Bytes, Box<dyn std::error::Error>>>> {
    connection.set_idle(false);
    let unwritten = connection.take_unwritten();
    if !unwritten.is_empty() {
        return Poll::Ready(Some(Ok(unwritten.into())));
    }
    let chunk = Pin::new(body).poll_next(cx);
    connection.set_idle(chunk.is_pending());
    chunk
}

/// A text frame of one message.
fn text_frame(text: &str) -> BytesMut {
    let mut frame = BytesMut::with_capacity(text.len() + HEAD_BYTES);
    Parser::write_message(&mut frame, text, OpCode::Text, true, false);
    frame
}

impl FrameWriter for Connection {
    fn is_idle(&self) -> bool {
        Connection::is_idle(self)
    }

    fn write(&self, text: &str) -> bool {
        self.write_now(&text_frame(text))
    }
}

fn head_of(mut codec: Codec, head: Response<()>) -> Result<Bytes> {
    let mut text = BytesMut::new();
    codec.encode(Message::Item((head, BodySize::Stream)), &mut text)?;
    Ok(text.freeze())
}

/// Writes the answer as its body comes: any file of the server may be asked for in this way.
async fn refuse(
    connection: &Connection,
    mut codec: Codec,
    response: Response<BoxBody>,
) -> Result<()> {
    let (mut head, mut body) = response.into_parts();
    head.head_mut().set_connection_type(ConnectionType::Close);
    let mut text = BytesMut::new();
    codec.encode(Message::Item((head, body.size())), &mut text)?;
    while let Some(chunk) = poll_fn(|cx| Pin::new(&mut body).poll_next(cx)).await {
        let chunk = chunk.map_err(|error| Error::other(error.to_string()))?;
        codec.encode(Message::Chunk(Some(chunk)), &mut text)?;
        write(connection, text.split().freeze()).await?;
    }
    codec.encode(Message::Chunk(None), &mut text)?;
    write(connection, text.freeze()).await
}

async fn write(connection: &Connection, mut bytes: Bytes) -> Result<()> {
    while !bytes.is_empty() {
        match poll_fn(|cx| connection.poll_write(cx, &bytes)).await? {
            0 => return Err(ErrorKind::WriteZero.into()),
            written => bytes.advance(written),
        }
    }
    Ok(())
}

/// Ends our direction and drops the bytes that still arrive.
async fn linger(connection: &Rc<Connection>) -> Result<()> {
    connection.finish()?;
    let stream = connection.stream();
    let until_closed = async {
        loop {
            stream.readable().await?;
            match stream.try_read(&mut [0; 512]) {
                Ok(0) => return Ok(()),
                Ok(_) => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                Err(error) => return Err(error),
            }
        }
    };
    tokio::time::timeout(LINGER, until_closed).await.unwrap_or(Ok(()))
}

/// The bytes of the client, without a buffer that stays allocated.
struct Incoming {
    /// Bytes that arrived with the request.
    early: Bytes,
    connection: Rc<Connection>,
    /// The last read filled its buffer: other tasks run before the next one.
    is_full: bool,
    meter: FrameMeter,
}

impl Incoming {
    /// The bytes, unless a frame in them is too long.
    fn checked(&mut self, bytes: Bytes) -> std::result::Result<Bytes, PayloadError> {
        if self.meter.allow(&bytes) { Ok(bytes) } else { Err(PayloadError::Overflow) }
    }
}

impl Stream for Incoming {
    type Item = std::result::Result<Bytes, PayloadError>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if !self.early.is_empty() {
            let early = std::mem::take(&mut self.early);
            return Poll::Ready(Some(self.checked(early)));
        }
        if std::mem::take(&mut self.is_full) {
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        let mut room = [0; READ_BYTES];
        loop {
            ready!(self.connection.stream().poll_read_ready(cx)).map_err(PayloadError::from)?;
            match self.connection.read(&mut room.as_mut_slice()) {
                Ok(0) => return Poll::Ready(None),
                Ok(read) => {
                    self.is_full = read == READ_BYTES;
                    let bytes = room.get(..read).map(Bytes::copy_from_slice);
                    return Poll::Ready(bytes.map(|bytes| self.checked(bytes)));
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                Err(error) => return Poll::Ready(Some(Err(error.into()))),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;
    use std::net::{TcpListener, TcpStream};
    use std::pin::pin;
    use std::task::Waker;

    use actix_http::body::BodyStream;
    use bipe_core::testing::config;
    use futures_util::FutureExt;
    use futures_util::stream::{self, iter, pending};
    use tokio::sync::mpsc::unbounded_channel;

    use super::*;
    use crate::connection::ConnectionCounts;

    fn connection() -> (Rc<Connection>, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (accepted, _) = listener.accept().unwrap();
        accepted.set_nonblocking(true).unwrap();
        let stream = actix_web::rt::net::TcpStream::from_std(accepted).unwrap();
        let counts = ConnectionCounts::new(&config(&[]), 1);
        (Connection::accept(stream, None, &counts).unwrap(), client)
    }

    #[actix_web::test]
    async fn what_found_no_room_is_written_before_the_context_and_events_only_past_an_empty_one() {
        let (connection, _client) = connection();
        let mut cx = Context::from_waker(Waker::noop());
        let mut next = |body: &mut BoxBody| {
            let chunk = next_chunk(&connection, body, &mut cx);
            let text = chunk.map(|chunk| chunk.map(|bytes| bytes.unwrap()));
            (text, connection.is_idle())
        };
        let said = iter([Ok::<_, Error>(Bytes::from_static(b"context"))]);
        let (mut said, mut silent) = (
            BoxBody::new(BodyStream::new(said)),
            BoxBody::new(BodyStream::new(pending::<std::result::Result<Bytes, Error>>())),
        );
        assert_eq!(next(&mut silent), (Poll::Pending, true));
        // Its send buffer holds less than this.
        assert!(!connection.write_now(&vec![7; 64 << 20]));
        let (Poll::Ready(Some(rest)), false) = next(&mut said) else { panic!("nothing was kept") };
        assert!(rest.iter().all(|byte| *byte == 7));
        assert_eq!(next(&mut said), (Poll::Ready(Some(Bytes::from_static(b"context"))), false));
        assert_eq!(next(&mut said), (Poll::Ready(None), false), "nothing follows the end");
        assert_eq!(next(&mut silent), (Poll::Pending, true));
    }

    #[actix_web::test]
    async fn a_refusal_is_written_as_its_body_comes() {
        let (connection, mut client) = connection();
        connection.stream().writable().await.unwrap();
        let (sender, mut receiver) = unbounded_channel();
        let parts = stream::poll_fn(move |cx| receiver.poll_recv(cx));
        let response = Response::ok().set_body(BoxBody::new(BodyStream::new(parts)));
        let refusing = refuse(&connection, Codec::default(), response);
        let mut refusing = pin!(refusing);
        let first = Bytes::from_static(b"first");
        sender.send(Ok::<_, Error>(first)).unwrap();
        assert!(refusing.as_mut().now_or_never().is_none(), "it waits for the rest");
        let mut room = [0; 1_024];
        let read = client.read(&mut room).unwrap();
        let told = String::from_utf8_lossy(&room[..read]).into_owned();
        assert!(told.contains("connection: close") && told.ends_with("5\r\nfirst\r\n"), "{told}");
        drop(sender);
        refusing.await.unwrap();
        let read = client.read(&mut room).unwrap();
        assert_eq!(room[..read], *b"0\r\n\r\n");
    }

    #[test]
    fn an_event_is_framed_as_the_context_would() {
        let short = text_frame("ab");
        assert_eq!(short[..], [0x81, 2, b'a', b'b']);
        assert_eq!(text_frame(&"x".repeat(300))[..4], [0x81, 126, 1, 44]);
    }
}
