//! Why the replica is not used, read from what its server or its pool answered.

use deadpool_postgres::{PoolError, TimeoutType};
use tokio_postgres::error::SqlState;

use super::judge::Reason;
use crate::error::{Error, with_causes};

/// Why the replica is not used, and what it said.
pub struct Refusal {
    pub reason: Reason,
    /// For the log; no secret stands in it.
    pub why: String,
}

impl From<tokio_postgres::Error> for Refusal {
    fn from(error: tokio_postgres::Error) -> Self {
        let reason = error.code().map_or(Reason::Unreachable, reason_of);
        let said = error.as_db_error().map(|said| said.message().to_owned());
        Self { reason, why: said.unwrap_or_else(|| with_causes(&error)) }
    }
}

impl From<PoolError> for Refusal {
    fn from(error: PoolError) -> Self {
        let why = error.to_string();
        match error {
            PoolError::Backend(error) => error.into(),
            PoolError::Timeout(TimeoutType::Wait) => Self { reason: Reason::Busy, why },
            _ => Self { reason: Reason::Unreachable, why },
        }
    }
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        Self { reason: Reason::Failed, why: error.to_string() }
    }
}

/// What the server refused at the beginning. A database without our tables or roles is somebody else's.
fn reason_of(state: &SqlState) -> Reason {
    let foreign = [
        &SqlState::UNDEFINED_TABLE,
        &SqlState::UNDEFINED_COLUMN,
        &SqlState::UNDEFINED_FUNCTION,
        &SqlState::INVALID_CATALOG_NAME,
        &SqlState::INVALID_PARAMETER_VALUE,
    ];
    let login = [
        &SqlState::INVALID_PASSWORD,
        &SqlState::INVALID_AUTHORIZATION_SPECIFICATION,
        &SqlState::INSUFFICIENT_PRIVILEGE,
    ];
    match state {
        state if foreign.contains(&state) => Reason::OtherDatabase,
        state if login.contains(&state) => Reason::Login,
        _ => Reason::Unreachable,
    }
}

#[cfg(test)]
mod tests {
    use tokio::net::TcpListener;
    use tokio_postgres::{Config, NoTls};

    use super::*;

    #[tokio::test]
    async fn why_there_is_no_connection_is_told() {
        let closed = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
        let mut config = Config::new();
        config.host("127.0.0.1").port(closed.port()).user("bipe");
        let error = config.connect(NoTls).await.err().unwrap();
        let Refusal { reason, why } = Refusal::from(error);
        assert_eq!(reason, Reason::Unreachable);
        assert!(why.contains("refused"), "{why}");
    }
}
