//! `bipe-limit`: what a machine can carry at the most. One thread, one epoll; an event is framed once and
//! handed to the kernel once for each reader. With `--batch` the events that have come meanwhile go to a reader in one
//! write. No session, no order, no backpressure, nothing kept.
//!
//! Speaks what the small peers speak: a WebSocket at any path, `POST` with the text to broadcast. It never
//! checks a handshake, so it serves the generator and nobody else.

use std::error::Error;
use std::io::{Read, Write};

use memchr::memmem;
use mio::net::{TcpListener, TcpStream};
use mio::{Events, Interest, Poll, Token};

type Outcome<T> = Result<T, Box<dyn Error>>;

const LISTENER: Token = Token(usize::MAX);
const BUFFER: usize = 64 * 1024;
const UPGRADED: &[u8] = b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\
    Connection: Upgrade\r\nSec-WebSocket-Accept: unchecked\r\n\r\n";
const TAKEN: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";

struct Peer {
    stream: TcpStream,
    request: Vec<u8>,
    reads: bool,
}

struct Limit {
    poll: Poll,
    listener: TcpListener,
    peers: Vec<Option<Peer>>,
    head: u64,
    /// With `--batch`: the frames that wait for the end of the turn.
    batch: Option<Vec<u8>>,
}

fn main() -> Outcome<()> {
    let mut listener = TcpListener::bind("127.0.0.1:0".parse()?)?;
    let poll = Poll::new()?;
    poll.registry().register(&mut listener, LISTENER, Interest::READABLE)?;
    println!("listening on http://{}", listener.local_addr()?);
    let batch = std::env::args().any(|word| word == "--batch").then(Vec::new);
    let mut limit = Limit { poll, listener, peers: Vec::new(), head: 0, batch };
    let (mut events, mut buffer) = (Events::with_capacity(1024), vec![0; BUFFER]);
    loop {
        limit.poll.poll(&mut events, None)?;
        for event in &events {
            match event.token() {
                LISTENER => limit.accept()?,
                Token(at) => limit.serve(at, &mut buffer)?,
            }
        }
        limit.flush();
    }
}

impl Limit {
    fn accept(&mut self) -> Outcome<()> {
        while let Ok((mut stream, _)) = self.listener.accept() {
            stream.set_nodelay(true)?;
            let at = self.peers.len();
            self.poll.registry().register(&mut stream, Token(at), Interest::READABLE)?;
            self.peers.push(Some(Peer { stream, request: Vec::new(), reads: false }));
        }
        Ok(())
    }

    fn serve(&mut self, at: usize, buffer: &mut [u8]) -> Outcome<()> {
        loop {
            let Some(Some(peer)) = self.peers.get_mut(at) else { return Ok(()) };
            let read = match peer.stream.read(buffer) {
                Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => return Ok(()),
                Err(_) | Ok(0) => {
                    if let Some(gone) = self.peers.get_mut(at) {
                        *gone = None;
                    }
                    return Ok(());
                }
                Ok(read) => read,
            };
            if peer.reads {
                // `since N`: nothing is kept, so everybody is live at once.
                let live = format!(r#"{{"type":"live","channel":"all","seq":{}}}"#, self.head);
                peer.stream.write_all(&frame(live.as_bytes())?)?;
                continue;
            }
            peer.request.extend(buffer.get(..read).unwrap_or_default());
            if let Some(text) = answer(peer)? {
                self.head += 1;
                self.publish(&frame(&text)?);
                if let Some(Some(peer)) = self.peers.get_mut(at) {
                    peer.stream.write_all(TAKEN)?;
                }
            }
        }
    }

    fn publish(&mut self, frame: &[u8]) {
        match &mut self.batch {
            Some(batch) => batch.extend_from_slice(frame),
            None => self.broadcast(frame),
        }
    }

    fn flush(&mut self) {
        let batch = self.batch.as_mut().map(std::mem::take).unwrap_or_default();
        if !batch.is_empty() {
            self.broadcast(&batch);
        }
    }

    /// One send a reader; a reader whose buffer is full is too slow for this and is told nothing more.
    fn broadcast(&mut self, frame: &[u8]) {
        for peer in self.peers.iter_mut().flatten().filter(|peer| peer.reads) {
            peer.reads = peer.stream.write(frame).is_ok_and(|sent| sent == frame.len());
        }
    }
}

/// The text to broadcast, once it is whole.
fn answer(peer: &mut Peer) -> Outcome<Option<Vec<u8>>> {
    let Some(end) = memmem::find(&peer.request, b"\r\n\r\n").map(|end| end + 4) else {
        return Ok(None);
    };
    if peer.request.starts_with(b"GET ") {
        peer.reads = true;
        peer.request = Vec::new();
        peer.stream.write_all(UPGRADED)?;
        return Ok(None);
    }
    let head = String::from_utf8_lossy(peer.request.get(..end).unwrap_or_default());
    let head = head.to_ascii_lowercase();
    let length = head.split("content-length:").nth(1).and_then(|rest| rest.lines().next());
    let length: usize = length.ok_or("no length")?.trim().parse()?;
    if peer.request.len() < end + length {
        return Ok(None);
    }
    let text = peer.request.get(end..end + length).unwrap_or_default().to_vec();
    peer.request.clear();
    Ok(Some(text))
}

fn frame(text: &[u8]) -> Outcome<Vec<u8>> {
    let mut frame = vec![0x81];
    match u8::try_from(text.len()) {
        Ok(len) if len < 126 => frame.push(len),
        _ => {
            frame.push(126);
            frame.extend(u16::try_from(text.len())?.to_be_bytes());
        }
    }
    frame.extend(text);
    Ok(frame)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_says_how_long_it_is() {
        assert_eq!(frame(b"ab").unwrap(), [0x81, 2, b'a', b'b']);
        assert_eq!(frame(&[b'x'; 256]).unwrap()[..4], [0x81, 126, 1, 0]);
    }

    #[test]
    fn a_batch_goes_out_in_one_write_at_the_end_of_the_turn() {
        let accepting = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let mut reader = std::net::TcpStream::connect(accepting.local_addr().unwrap()).unwrap();
        let (stream, _) = accepting.accept().unwrap();
        reader.set_nonblocking(true).unwrap();
        stream.set_nonblocking(true).unwrap();
        let peer = Peer { stream: TcpStream::from_std(stream), request: Vec::new(), reads: true };
        let mut limit = Limit {
            poll: Poll::new().unwrap(),
            listener: TcpListener::bind("127.0.0.1:0".parse().unwrap()).unwrap(),
            peers: vec![Some(peer)],
            head: 0,
            batch: Some(Vec::new()),
        };
        limit.publish(b"one ");
        limit.publish(b"two");
        let mut read = [0; 16];
        assert!(reader.read(&mut read).is_err(), "nothing before the end of the turn");
        limit.flush();
        reader.set_nonblocking(false).unwrap();
        let length = reader.read(&mut read).unwrap();
        assert_eq!(&read[..length], b"one two");
        assert_eq!(limit.batch, Some(Vec::new()));
    }
}
