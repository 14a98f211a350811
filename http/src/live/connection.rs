//! The raw socket behind a connection: its options, and the way to end it when nothing else can.
//!
//! A live context freezes while its peer does not read (actix-web issue 2441): no close frame, timer or stop
//! gets through. The sweeper then resets the socket itself, with a descriptor of its own, duplicated here
//! because the server keeps the stream to itself. The duplicate goes with the connection.

use std::any::Any;
use std::os::fd::AsFd;
use std::time::Duration;

use actix_web::dev::Extensions;
use actix_web::rt::net::TcpStream;
use socket2::{SockRef, Socket, TcpKeepalive};

/// Above the window of unacknowledged bytes, so that a healthy reader never blocks its context.
const SEND_BUFFER: usize = 64 * 1024;
const USER_TIMEOUT: Duration = Duration::from_secs(30);

/// Descriptors for everything that is no connection: database, files, listener.
const OTHER_DESCRIPTORS: u64 = 500;
/// The server's own and the duplicate.
const PER_CONNECTION: u64 = 2;

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
    usize::try_from(spare / PER_CONNECTION).unwrap_or(usize::MAX)
}

/// In the data of every connection.
pub struct Connection(Socket);

/// Called for each accepted connection, before its first byte is read.
pub fn prepare(io: &dyn Any, data: &mut Extensions) {
    let Some(stream) = io.downcast_ref::<TcpStream>() else { return };
    if let Err(error) = set_options(&SockRef::from(stream)) {
        tracing::debug!(%error, "a socket option was refused");
    }
    match stream.as_fd().try_clone_to_owned() {
        Ok(descriptor) => {
            data.insert(std::rc::Rc::new(Connection(descriptor.into())));
        }
        Err(error) => tracing::warn!(%error, "no descriptor left to watch a connection"),
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

impl Connection {
    /// Resets the connection: what waits in the send buffer is dropped, the server's own descriptor sees the
    /// end and is closed by it.
    pub fn kill(&self) {
        let killed = self
            .0
            .set_linger(Some(Duration::ZERO))
            .and_then(|()| self.0.shutdown(std::net::Shutdown::Both));
        if let Err(error) = killed {
            tracing::debug!(%error, "the peer was faster");
        }
    }
}
