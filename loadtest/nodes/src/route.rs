//! A TCP proxy of the tests' own, whose connections can be frozen and cut: the network between two servers.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use bipe_swarm::Outcome;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    Open,
    /// Nothing goes through and nobody is told, as when a cable is pulled.
    Frozen,
    /// Connections end, and new ones too.
    Cut,
}

/// The proxy; its connections end with it.
pub struct Route {
    pub address: SocketAddr,
    state: watch::Sender<State>,
    _task: JoinSet<()>,
}

impl Route {
    /// To `target`, which need not listen yet.
    pub async fn start(target: SocketAddr) -> Outcome<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let (state, seen) = watch::channel(State::Open);
        let mut task = JoinSet::new();
        task.spawn(async move {
            let mut connections = JoinSet::new();
            while let Ok((client, _)) = listener.accept().await {
                let seen = Arc::new(seen.clone());
                connections.spawn(async move { forward(client, target, &seen).await });
                while connections.try_join_next().is_some() {}
            }
        });
        Ok(Self { address, state, _task: task })
    }

    pub fn set(&self, state: State) {
        self.state.send_replace(state);
    }
}

async fn forward(mut client: TcpStream, target: SocketAddr, state: &watch::Receiver<State>) {
    if *state.borrow() == State::Cut {
        return;
    }
    let Ok(mut server) = TcpStream::connect(target).await else { return };
    let (mut from_client, mut to_client) = client.split();
    let (mut from_server, mut to_server) = server.split();
    let mut cut = state.clone();
    tokio::select! {
        () = copy(&mut from_client, &mut to_server, state.clone()) => {}
        () = copy(&mut from_server, &mut to_client, state.clone()) => {}
        _ = cut.wait_for(|state| *state == State::Cut) => {}
    }
}

async fn copy(
    from: &mut (impl AsyncRead + Unpin),
    to: &mut (impl AsyncWrite + Unpin),
    mut state: watch::Receiver<State>,
) {
    let mut buffer = vec![0; 16 * 1024];
    while let Ok(read @ 1..) = from.read(&mut buffer).await {
        if state.wait_for(|state| *state == State::Open).await.is_err() {
            return;
        }
        let Some(bytes) = buffer.get(..read) else { return };
        if to.write_all(bytes).await.is_err() {
            return;
        }
    }
}
