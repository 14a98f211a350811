//! What every session works with, and how that reaches the server: at the start of a connection, or in front of each
//! transaction where a pooler stands between.
//!
//! Invariant: no statement of a transaction runs without the limits, and none as another role than `bipe_app` or one
//! that it may take.

use super::APP_ROLE;

/// Undoes everything that the last user of a connection left. Sent ahead of every transaction, in the same message. The
/// last statement ends what the others have begun: no snapshot is taken yet when the transaction begins.
const RECYCLE: &str = "ROLLBACK; RESET ALL; SELECT pg_advisory_unlock_all(); COMMIT";

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
    /// Cleans the connection; fails only where it is dead.
    pub recycle: &'static str,
    /// Behind a pooler the session's settings: a server keeps none between two transactions.
    local: Option<String>,
}

impl TxPrelude {
    pub fn new(sessions: Sessions, durability: Durability) -> Self {
        if sessions == Sessions::Own {
            return Self { recycle: RECYCLE, local: None };
        }
        let mut local =
            format!("RESET ALL; SET LOCAL ROLE {APP_ROLE}; SET LOCAL client_encoding = 'UTF8'; ");
        for (name, value) in settings(durability) {
            local += &format!("SET LOCAL {name} = '{value}'; ");
        }
        Self { recycle: "ROLLBACK", local: Some(local + "SELECT pg_advisory_unlock_all()") }
    }

    /// Settings travel with each transaction, and nobody tells when another server answers.
    pub fn is_pooled(&self) -> bool {
        self.local.is_some()
    }

    /// What cleans the connection, and the text of what begins on it with its first statements.
    pub fn opening(
        &self,
        begin: Option<(&str, &str)>,
        expectation: impl FnOnce() -> String,
    ) -> String {
        match begin {
            None => self.recycle.to_owned(),
            Some((begin, statements)) => {
                format!("{}; {}", self.recycle, self.text(begin, expectation, statements))
            }
        }
    }

    /// `begin` and the settings.
    pub fn plain(&self, begin: &str) -> String {
        match &self.local {
            None => begin.to_owned(),
            Some(local) => format!("{begin}; {local}"),
        }
    }

    /// `begin`, the settings, the check that the expected server answers, then `statements`.
    fn text(&self, begin: &str, expectation: impl FnOnce() -> String, statements: &str) -> String {
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
    use super::*;

    #[test]
    fn a_connection_of_its_own_sends_no_more_than_its_beginning() {
        let prelude = TxPrelude::new(Sessions::Own, Durability::Synced);
        let text = prelude.text("BEGIN", || unreachable!(), "SET LOCAL ROLE bipe_platform");
        assert_eq!(text, "BEGIN; SET LOCAL ROLE bipe_platform");
        assert_eq!(prelude.text("BEGIN READ ONLY", || unreachable!(), ""), "BEGIN READ ONLY");
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
