//! What was sent to the database, statement by statement, for tests that compare or count the work of an answer or of
//! a payment. Written by the transactions. It keeps nothing without the feature `testing`, nor before a test asks for
//! it: a server that is built beside the tests shall not grow with its work.

#[cfg(feature = "testing")]
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Tells the transactions of a log apart.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct TxNumber(#[cfg(feature = "testing")] u64);

/// One statement. Those that were sent as one text stand here one by one.
#[cfg(feature = "testing")]
#[derive(Clone, Debug)]
pub struct SentStatement {
    pub transaction: u64,
    pub sql: String,
    /// Cleans the connection, begins, sets or ends the transaction.
    pub is_transaction_control: bool,
}

#[derive(Debug, Default)]
pub(super) struct StatementLog {
    #[cfg(feature = "testing")]
    transactions: AtomicU64,
    #[cfg(feature = "testing")]
    is_kept: AtomicBool,
    #[cfg(feature = "testing")]
    sent: parking_lot::Mutex<Vec<SentStatement>>,
}

#[cfg(not(feature = "testing"))]
impl StatementLog {
    pub fn begin(&self) -> TxNumber {
        TxNumber()
    }

    pub fn control(&self, _: TxNumber, _text: &str) {}

    pub fn statement(&self, _: TxNumber, _sql: &str) {}
}

#[cfg(feature = "testing")]
impl StatementLog {
    pub fn begin(&self) -> TxNumber {
        TxNumber(self.transactions.fetch_add(1, Ordering::Relaxed))
    }

    pub fn control(&self, TxNumber(transaction): TxNumber, text: &str) {
        let control = |sql: &str| SentStatement {
            transaction,
            sql: sql.to_owned(),
            is_transaction_control: true,
        };
        self.add(text.split("; ").map(control));
    }

    pub fn statement(&self, TxNumber(transaction): TxNumber, sql: &str) {
        self.add([SentStatement {
            transaction,
            sql: sql.to_owned(),
            is_transaction_control: false,
        }]);
    }

    fn add(&self, sent: impl IntoIterator<Item = SentStatement>) {
        if self.is_kept.load(Ordering::Relaxed) {
            self.sent.lock().extend(sent);
        }
    }

    /// From now on it keeps what is sent.
    pub fn keep(&self) {
        self.is_kept.store(true, Ordering::Relaxed);
    }

    /// What was sent since the last call.
    pub fn take(&self) -> Vec<SentStatement> {
        std::mem::take(&mut *self.sent.lock())
    }
}
