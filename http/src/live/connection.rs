//! The raw socket behind a connection: its options, and the way to end it when nothing else can.
//!
//! A live context freezes while its peer does not read (actix-web issue 2441): no close frame, timer or stop
//! gets through. The sweeper then resets the socket itself, which it shares with `upgrade`.

use std::net::{Shutdown, TcpListener};
use std::time::Duration;

use actix_web::rt::net::TcpStream;
use socket2::{SockRef, TcpKeepalive};

/// Above the window of unacknowledged bytes, so that a healthy reader never blocks its context.
const SEND_BUFFER: usize = 64 * 1024;
const USER_TIMEOUT: Duration = Duration::from_secs(30);
/// Connections that wait to be accepted. The standard library leaves room for 128; whoever comes when it is full tries
/// again after a second, as thousands did who came back at once.
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

/// Every connection has the options of the listener that accepted it, from its first moment on. Seven calls of
/// the system for each of thousands that come at once would be time that they wait.
pub fn prepare(listener: &TcpListener) {
    let socket = SockRef::from(listener);
    if let Err(error) = set_options(&socket).and_then(|()| socket.listen(BACKLOG)) {
        tracing::warn!(%error, "a socket option was refused");
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Other systems allow fewer by default, and say so only to those who wait.
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
