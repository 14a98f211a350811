//! A database that refuses a statement as no test can make a real one do at will.

use futures_util::future::join;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_postgres::{Config, NoTls};

use super::must;

/// AuthenticationOk, ReadyForQuery.
const WELCOME: &[u8] = b"R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I";

/// The error of a statement that a server, or a pooler, refuses with this severity and code. It sends no severity in the
/// form that is never translated, as PgBouncer does.
///
/// # Panics
/// Without a port, or when the statement is not refused.
pub async fn refused_statement(severity: &str, code: &str) -> tokio_postgres::Error {
    let fields = format!("S{severity}\0C{code}\0Mno\0\0");
    let length = must("a length", u32::try_from(fields.len() + 4)).to_be_bytes();
    let refusal = [&b"E"[..], &length, fields.as_bytes()].concat();
    let listener = must("a port", TcpListener::bind("127.0.0.1:0").await);
    let address = must("its address", listener.local_addr());
    let server = async {
        let (mut socket, _) = must("a client", listener.accept().await);
        for answer in [WELCOME, &refusal] {
            respond(&mut socket, answer).await;
        }
    };
    let client = async {
        let mut config = Config::new();
        config.host(address.ip().to_string()).port(address.port()).user("bipe");
        let (client, connection) = must("a connection", config.connect(NoTls).await);
        let driver = tokio::spawn(connection);
        let refused = client.batch_execute("SELECT 1").await;
        driver.abort();
        must("a refusal", refused.map_or_else(Ok, |()| Err("the statement went through")))
    };
    join(server, client).await.1
}

/// Reads one message, which is short enough to come at once.
async fn respond(socket: &mut TcpStream, answer: &[u8]) {
    must("a message", socket.read(&mut [0; 512]).await);
    must("an answer", socket.write_all(answer).await);
}
