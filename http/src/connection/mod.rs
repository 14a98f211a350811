//! The connections of the server: socket options, connections per address (`count`), time limits (`sweep`, informed by
//! `exchange`), and a reset from outside. `lib.rs` makes one for each accepted socket; actix-http and the live protocol
//! share it.
//!
//! The reset is needed because both can hang: a live context freezes while its peer does not read (actix-web issue
//! 2441), and actix-http has no time limit for a second head or for a slow reader.

mod count;
mod exchange;
mod sweep;

use std::cell::{Cell, RefCell};
use std::io::{Error, ErrorKind, Result};
use std::net::{IpAddr, Shutdown, TcpListener};
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use actix_web::rt::net::TcpStream;
use bytes::BufMut;
use socket2::{SockRef, TcpKeepalive};
use tokio::io::{AsyncRead, AsyncWrite, Interest, ReadBuf};
use tokio::time::Instant;

pub use count::{ConnectionCounts, release};
pub use exchange::track_exchange;
pub use sweep::{Bounds, Connections};

use count::ConnectionPermit;
use sweep::Progress;

/// Above the window of unacknowledged bytes, so that a healthy reader never blocks its context.
const SEND_BUFFER: usize = 64 * 1024;
const USER_TIMEOUT: Duration = Duration::from_secs(30);
/// Connections that may wait to be accepted. The standard library leaves room for 128. A client that finds no room
/// tries again after a second; thousands did when all clients came back at once.
const BACKLOG: i32 = 4096;

/// Descriptors for everything that is no connection: database, files, listener.
const OTHER_DESCRIPTORS: u64 = 500;

/// Raises the limit of open descriptors as far as it goes; returns how many connections fit into it.
pub fn most_connections() -> usize {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit { current: limit.maximum, maximum: limit.maximum };
    let open = match setrlimit(Resource::Nofile, raised) {
        Ok(()) => limit.maximum,
        Err(_refused) => limit.current,
    };
    let spare = open.map_or(u64::MAX, |open| open.saturating_sub(OTHER_DESCRIPTORS));
    usize::try_from(spare).unwrap_or(usize::MAX)
}

/// Sets the socket options on the listener: each accepted connection inherits them. Setting them on each connection
/// would take seven system calls, which thousands of clients would wait for when they come at once.
pub fn prepare(listener: &TcpListener) {
    let socket = SockRef::from(listener);
    if let Err(error) = set_options(&socket).and_then(|()| socket.listen(BACKLOG)) {
        tracing::warn!(%error, "a socket option was refused");
    }
}

fn set_options(socket: &SockRef<'_>) -> Result<()> {
    socket.set_tcp_nodelay(true)?;
    socket.set_send_buffer_size(SEND_BUFFER)?;
    #[cfg(target_os = "linux")]
    socket.set_tcp_user_timeout(Some(USER_TIMEOUT))?;
    let keepalive = TcpKeepalive::new()
        .with_time(Duration::from_secs(30))
        .with_interval(Duration::from_secs(10))
        .with_retries(3);
    socket.set_tcp_keepalive(&keepalive)
}

/// A connection; it ends when the last one lets go of it.
pub struct Connection {
    stream: TcpStream,
    progress: Progress,
    /// The task of a live socket has written everything that it was given.
    is_idle: Cell<bool>,
    /// What `write_now` found no room for; the task writes it before anything else.
    unwritten: RefCell<Vec<u8>>,
    /// The permit that counts it among the connections of its address.
    _permit: Option<ConnectionPermit>,
}

impl Connection {
    /// None when the address of the peer has too many.
    pub fn accept(
        stream: TcpStream,
        peer: Option<IpAddr>,
        counts: &ConnectionCounts,
    ) -> Option<Rc<Self>> {
        let permit = match peer {
            Some(peer) => Some(counts.take(peer)?),
            None => None,
        };
        let progress = Progress::new(Instant::now());
        let (is_idle, unwritten) = Default::default();
        Some(Rc::new(Self { stream, progress, is_idle, unwritten, _permit: permit }))
    }

    pub fn stream(&self) -> &TcpStream {
        &self.stream
    }

    pub fn go_live(&self) {
        self.progress.go_live();
    }

    /// Reads the bytes that have arrived. A read that does not fill the room has drained the socket (epoll(7)): it is
    /// marked so, and the next read waits for the system to report more, without a system call that finds nothing.
    ///
    /// # Errors
    /// `WouldBlock` when nothing is there, and those of the system.
    pub fn read(&self, room: &mut impl BufMut) -> Result<usize> {
        let space = room.remaining_mut();
        let mut read = Err(Error::from(ErrorKind::WouldBlock));
        let drained = self.stream.try_io(Interest::READABLE, || {
            read = self.stream.try_read_buf(room);
            let is_short = read.as_ref().is_ok_and(|read| (1..space).contains(read));
            if is_short { Err(Error::from(ErrorKind::WouldBlock)) } else { Ok(()) }
        });
        drained.ok();
        if read.is_ok() {
            self.progress.bytes_read();
        }
        read
    }

    /// Writes some of it, or wakes the task when there is room.
    ///
    /// # Errors
    /// Those of the system.
    pub fn poll_write(&self, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<Result<usize>> {
        let written = loop {
            match self.stream.poll_write_ready(cx) {
                Poll::Pending => break Poll::Pending,
                Poll::Ready(Err(error)) => break Poll::Ready(Err(error)),
                Poll::Ready(Ok(())) => match self.stream.try_write(bytes) {
                    Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                    written => break Poll::Ready(written),
                },
            }
        };
        self.progress.set_write_blocked(written.is_pending());
        written
    }

    pub fn is_idle(&self) -> bool {
        self.is_idle.get()
    }

    pub fn set_idle(&self, is_idle: bool) {
        self.is_idle.set(is_idle);
    }

    /// Writes without the connection's task, while that is idle. What finds no room is kept for the task, which also meets
    /// the error of a broken connection. False when something is kept.
    pub fn write_now(&self, bytes: &[u8]) -> bool {
        let written = self.stream.try_write(bytes).unwrap_or(0);
        let rest = bytes.get(written..).unwrap_or_default();
        if rest.is_empty() {
            return true;
        }
        self.set_idle(false);
        self.unwritten.replace(rest.to_vec());
        false
    }

    /// What `write_now` has kept.
    pub fn take_unwritten(&self) -> Vec<u8> {
        self.unwritten.take()
    }

    /// Nothing is sent any more; what waits in the send buffer still goes out.
    ///
    /// # Errors
    /// When the peer is gone.
    pub fn finish(&self) -> Result<()> {
        SockRef::from(&self.stream).shutdown(Shutdown::Write)
    }

    /// Resets the connection: the send buffer is dropped, and every read or write on it fails.
    pub fn kill(&self) {
        let socket = SockRef::from(&self.stream);
        let killed =
            socket.set_linger(Some(Duration::ZERO)).and_then(|()| socket.shutdown(Shutdown::Both));
        if let Err(error) = killed {
            tracing::debug!(%error, "the peer was faster");
        }
    }
}

/// A connection as actix-http reads and writes it.
pub struct Stream(pub Rc<Connection>);

impl AsyncRead for Stream {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        room: &mut ReadBuf<'_>,
    ) -> Poll<Result<()>> {
        loop {
            ready!(self.0.stream.poll_read_ready(cx))?;
            match self.0.read(room) {
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                read => return Poll::Ready(read.map(drop)),
            }
        }
    }
}

impl AsyncWrite for Stream {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<Result<usize>> {
        self.0.poll_write(cx, bytes)
    }

    /// Nothing is kept back here.
    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Result<()>> {
        match self.0.finish() {
            // The peer was faster.
            Err(error) if error.kind() == ErrorKind::NotConnected => Poll::Ready(Ok(())),
            finished => Poll::Ready(finished),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Other systems have a smaller backlog by default.
    #[cfg(target_os = "linux")]
    #[test]
    fn who_comes_while_nothing_is_accepted_waits_in_line() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        prepare(&listener);
        let address = listener.local_addr().unwrap();
        let patience = Duration::from_secs(30);
        let connect = |_| std::net::TcpStream::connect_timeout(&address, patience).unwrap();
        // More than the standard library leaves room for.
        let waiting: Vec<std::net::TcpStream> = (0..200).map(connect).collect();
        assert_eq!(waiting.len(), 200);
    }

    #[actix_web::test]
    async fn what_finds_no_room_is_kept_for_the_task_and_nothing_is_written_past_it() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        prepare(&listener);
        let mut client = std::net::TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (accepted, _) = listener.accept().unwrap();
        accepted.set_nonblocking(true).unwrap();
        let stream = TcpStream::from_std(accepted).unwrap();
        let counts = ConnectionCounts::new(&bipe_core::testing::config(&[]), 1);
        let connection = Connection::accept(stream, None, &counts).unwrap();
        assert!(!connection.is_idle(), "its task has not said so");
        connection.stream().writable().await.unwrap();
        connection.set_idle(true);
        let mut all = Vec::new();
        for n in 0..=u8::MAX {
            let bytes = [n; 64 * 1024];
            all.extend(bytes);
            if !connection.write_now(&bytes) {
                break;
            }
        }
        assert!(!connection.is_idle(), "the client reads nothing, so there is no room at last");
        let rest = connection.take_unwritten();
        assert!(!rest.is_empty() && all.ends_with(&rest));
        assert!(connection.take_unwritten().is_empty(), "it is written once");
        let mut read = vec![0; all.len() - rest.len()];
        std::io::Read::read_exact(&mut client, &mut read).unwrap();
        assert!(all.starts_with(&read));
    }

    #[test]
    fn what_is_accepted_has_the_options_of_its_listener() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        prepare(&listener);
        let _client = std::net::TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (accepted, _) = listener.accept().unwrap();
        let socket = SockRef::from(&accepted);
        assert!(socket.tcp_nodelay().unwrap() && socket.keepalive().unwrap());
        assert!(socket.send_buffer_size().unwrap() >= SEND_BUFFER);
        #[cfg(target_os = "linux")]
        {
            // The kernel counts its own share into the buffer, twice.
            assert_eq!(socket.send_buffer_size().unwrap(), 2 * SEND_BUFFER);
            assert_eq!(socket.tcp_user_timeout().unwrap(), Some(USER_TIMEOUT));
            assert_eq!(socket.tcp_keepalive_time().unwrap(), Duration::from_secs(30));
            assert_eq!(socket.tcp_keepalive_interval().unwrap(), Duration::from_secs(10));
            assert_eq!(socket.tcp_keepalive_retries().unwrap(), 3);
        }
    }
}
