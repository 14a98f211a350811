//! The raw socket behind a connection: its options, and the way to end it when nothing else can.
//!
//! A live context freezes while its peer does not read (actix-web issue 2441): no close frame, timer or stop
//! gets through. The sweeper then resets the socket itself, which it shares with `upgrade`.

use std::net::Shutdown;
use std::time::Duration;

use actix_web::rt::net::TcpStream;
use socket2::{SockRef, TcpKeepalive};

/// Above the window of unacknowledged bytes, so that a healthy reader never blocks its context.
const SEND_BUFFER: usize = 64 * 1024;
const USER_TIMEOUT: Duration = Duration::from_secs(30);

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

/// Called for each accepted connection, before its first byte is read.
pub fn prepare(stream: &TcpStream) {
    if let Err(error) = set_options(&SockRef::from(stream)) {
        tracing::debug!(%error, "a socket option was refused");
    }
}

fn set_options(socket: &SockRef<'_>) -> std::io::Result<()> {
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

/// An upgraded connection; it ends when the last one lets go of it.
pub struct Connection(TcpStream);

impl Connection {
    pub fn new(stream: TcpStream) -> Self {
        Self(stream)
    }

    pub fn stream(&self) -> &TcpStream {
        &self.0
    }

    /// Nothing is sent any more; what waits in the send buffer still goes out.
    ///
    /// # Errors
    /// When the peer is gone.
    pub fn finish(&self) -> std::io::Result<()> {
        SockRef::from(&self.0).shutdown(Shutdown::Write)
    }

    /// Resets the connection: what waits in the send buffer is dropped, whoever reads or writes sees the end.
    pub fn kill(&self) {
        let socket = SockRef::from(&self.0);
        let killed =
            socket.set_linger(Some(Duration::ZERO)).and_then(|()| socket.shutdown(Shutdown::Both));
        if let Err(error) = killed {
            tracing::debug!(%error, "the peer was faster");
        }
    }
}
