//! What every session works with, and how that reaches the server: at the start of a connection, or in front of each
//! transaction where a pooler stands between.
//!
//! Invariant: no statement of a transaction runs without the limits, and none as another role than `bipe_app` or one
//! that it may take.

use super::APP_ROLE;
use super::connection::Residue;

/// Undoes what the last user of a connection left, in the message of the next beginning. It is a transaction of its own:
/// no snapshot is taken yet when the next one begins, and the server has nothing to warn of in its log.
const CLEAN: &str = "BEGIN; RESET ALL; SELECT pg_advisory_unlock_all(); COMMIT";

/// How the settings of a session reach the server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sessions {
    /// Each connection has a process of the server for itself. It takes the settings when it starts, and `RESET ALL`
    /// restores them.
    #[default]
    Own,
    /// A pooler stands between.
    Pooled(Pooling),
}

/// For how long a pooler gives a connection a process of the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pooling {
    Session,
    Transaction,
}

/// Whether a commit waits for the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Durability {
    Synced,
    Unsynced,
}

/// Name and value as `pg_settings` shows them; times in milliseconds.
pub(super) fn settings(durability: Durability) -> [(&'static str, &'static str); 5] {
    let synchronous_commit = match durability {
        Durability::Synced => "on",
        Durability::Unsynced => "off",
    };
    [
        ("statement_timeout", "5000"),
        ("lock_timeout", "2000"),
        ("idle_in_transaction_session_timeout", "10000"),
        ("TimeZone", "UTC"),
        ("synchronous_commit", synchronous_commit),
    ]
}

/// For the start of a connection.
pub(super) fn options(durability: Durability) -> String {
    settings(durability).map(|(name, value)| format!("-c {name}={value}")).join(" ")
}

/// The texts in front of a transaction.
#[derive(Debug)]
pub(super) struct TxPrelude {
    /// Behind a pooler the session's settings: a server keeps none between two transactions.
    local: Option<String>,
}

impl TxPrelude {
    pub fn new(sessions: Sessions, durability: Durability) -> Self {
        if sessions == Sessions::Own {
            return Self { local: None };
        }
        let mut local =
            format!("RESET ALL; SET LOCAL ROLE {APP_ROLE}; SET LOCAL client_encoding = 'UTF8'; ");
        for (name, value) in settings(durability) {
            local += &format!("SET LOCAL {name} = '{value}'; ");
        }
        Self { local: Some(local + "SELECT pg_advisory_unlock_all()") }
    }

    /// Settings travel with each transaction, and nobody tells when another server answers.
    pub fn is_pooled(&self) -> bool {
        self.local.is_some()
    }

    /// What cleans a connection, then `text`. Never empty: its answer shows that the connection lives. Behind a pooler each
    /// transaction takes the settings and the locks away that an earlier one has left.
    pub fn opening(&self, residue: Residue, text: &str) -> String {
        let clean = if self.is_pooled() { "" } else { CLEAN };
        let parts = match residue {
            Residue::Nothing if !text.is_empty() => ["", "", text],
            Residue::Nothing | Residue::Session => ["", clean, text],
            Residue::Transaction => ["ROLLBACK", clean, text],
        };
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("; ")
    }

    /// `begin` and the settings.
    pub fn plain(&self, begin: &str) -> String {
        match &self.local {
            None => begin.to_owned(),
            Some(local) => format!("{begin}; {local}"),
        }
    }

    /// `begin`, the settings, the check that the expected server answers, then `statements`.
    pub fn text(
        &self,
        begin: &str,
        expectation: impl FnOnce() -> String,
        statements: &str,
    ) -> String {
        let mut text = self.plain(begin);
        if self.is_pooled() {
            text += "; ";
            text += &expectation();
        }
        if !statements.is_empty() {
            text += "; ";
            text += statements;
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;

    use tokio_postgres::{AsyncMessage, NoTls};

    use super::*;
    use crate::testing::TestDb;

    #[test]
    fn a_connection_of_its_own_sends_no_more_than_its_beginning() {
        let prelude = TxPrelude::new(Sessions::Own, Durability::Synced);
        let text = prelude.text("BEGIN", || unreachable!(), "SET LOCAL ROLE bipe_platform");
        assert_eq!(text, "BEGIN; SET LOCAL ROLE bipe_platform");
        assert_eq!(prelude.text("BEGIN READ ONLY", || unreachable!(), ""), "BEGIN READ ONLY");
    }

    #[test]
    fn a_connection_is_cleaned_of_what_was_left() {
        let own = TxPrelude::new(Sessions::Own, Durability::Synced);
        assert_eq!(own.opening(Residue::Nothing, "BEGIN"), "BEGIN");
        assert_eq!(own.opening(Residue::Nothing, ""), CLEAN);
        assert_eq!(own.opening(Residue::Session, "BEGIN"), format!("{CLEAN}; BEGIN"));
        assert_eq!(own.opening(Residue::Transaction, ""), format!("ROLLBACK; {CLEAN}"));
        let pooled = Sessions::Pooled(Pooling::Transaction);
        let pooled = TxPrelude::new(pooled, Durability::Synced);
        assert_eq!(pooled.opening(Residue::Session, "BEGIN"), "BEGIN");
        assert_eq!(pooled.opening(Residue::Transaction, "BEGIN"), "ROLLBACK; BEGIN");
    }

    /// What the server warns of, which it writes into its log as well.
    async fn warnings(texts: &[&str]) -> Vec<String> {
        let test = TestDb::new().await;
        let (client, mut connection) = test.config().connect(NoTls).await.unwrap();
        let driver = tokio::spawn(async move {
            let mut warnings = Vec::new();
            while let Some(message) = poll_fn(|cx| connection.poll_message(cx)).await {
                if let AsyncMessage::Notice(notice) = message.unwrap() {
                    warnings.push(notice.message().to_owned());
                }
            }
            warnings
        });
        for text in texts {
            client.batch_execute(text).await.unwrap();
        }
        drop(client);
        driver.await.unwrap()
    }

    #[tokio::test]
    async fn the_server_has_nothing_to_warn_of_unless_an_end_was_not_heard() {
        let own = TxPrelude::new(Sessions::Own, Durability::Synced);
        let new = own.opening(Residue::Nothing, "BEGIN");
        let (used, lost) =
            (own.opening(Residue::Session, "BEGIN"), own.opening(Residue::Transaction, "BEGIN"));
        assert_eq!(warnings(&[&new, "COMMIT", &used, "ROLLBACK", &used, &lost]).await, [""; 0]);
        let told = warnings(&[&new, "COMMIT", &lost]).await;
        assert_eq!(told, ["there is no transaction in progress"]);
    }

    #[test]
    fn behind_a_pooler_every_setting_and_the_role_stand_in_front() {
        let prelude = TxPrelude::new(Sessions::Pooled(Pooling::Transaction), Durability::Synced);
        let text = prelude.text("BEGIN", || "SELECT expected".into(), "SELECT 1");
        for (name, value) in settings(Durability::Synced) {
            assert!(text.contains(&format!("SET LOCAL {name} = '{value}';")), "{text}");
        }
        assert!(text.starts_with("BEGIN; RESET ALL; SET LOCAL ROLE bipe_app;"), "{text}");
        assert!(text.ends_with("; SELECT expected; SELECT 1"), "{text}");
    }
}
