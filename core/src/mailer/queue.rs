//! What the job of a mail holds: a message, or a document that is read when its mail is sent. Called by the nouns, in
//! the transaction of what they tell; `mod.rs` runs the jobs.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::message::{Message, PaymentNotice};
use crate::db::{Db, Tx};
use crate::error::Result;
use crate::id::{CompanyId, InvoiceId};
use crate::invoice;
use crate::job::{self, JobKind};
use crate::scope::{CompanyScope, JobScope};
use crate::user::User;

/// Payload of a `Mail` job.
#[derive(Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub(super) enum Payload {
    Mail(QueuedMail),
    InvoiceMail(QueuedInvoiceMail),
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct QueuedMail {
    pub to: String,
    pub message: Message,
}

/// A document that is read when its mail is sent. Older builds fail on it, so that the try of a newer one sends it.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct QueuedInvoiceMail {
    to: String,
    /// Who is addressed where the document comes alone; empty for nobody by name. Jobs of older versions do not tell.
    #[serde(default)]
    name: String,
    document: MailedInvoice,
    /// What is told about the payment that it belongs to; `None` where the document comes alone.
    notice: Option<PaymentNotice>,
}

/// A document that has its number only after the commit that adds the mail.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct MailedInvoice {
    pub company_id: CompanyId,
    pub invoice_id: InvoiceId,
}

/// Puts a message into the outbox of the running transaction.
pub fn enqueue(tx: &mut Tx, recipient: &str, message: Message) -> Result<()> {
    put(tx, &Payload::Mail(QueuedMail { to: recipient.to_owned(), message }))
}

/// Puts a document that this transaction issues into the outbox, alone and to that name, which may be empty, or with
/// what is told about its payment.
pub fn enqueue_invoice(
    tx: &mut Tx,
    recipient: &str,
    name: &str,
    document: MailedInvoice,
    notice: Option<PaymentNotice>,
) -> Result<()> {
    let (to, name) = (recipient.to_owned(), name.to_owned());
    put(tx, &Payload::InvoiceMail(QueuedInvoiceMail { to, name, document, notice }))
}

fn put(tx: &mut Tx, payload: &Payload) -> Result<()> {
    let key = tx.clock().uuid().to_string();
    let now = tx.now();
    job::add(tx, JobKind::Mail, &key, now, payload)
}

impl Payload {
    pub(super) async fn mail(self, db: &Db, proof: &JobScope) -> Result<QueuedMail> {
        let QueuedInvoiceMail { to, name, document, notice } = match self {
            Self::Mail(queued) => return Ok(queued),
            Self::InvoiceMail(queued) => queued,
        };
        let scope = CompanyScope::of_job(proof, document.company_id);
        let invoice = Box::new(invoice::store::read(db, &scope, document.invoice_id).await?);
        let message = match notice {
            Some(notice) => {
                Message::PaymentApproved(PaymentNotice { receipt: Some(invoice), ..notice })
            }
            None => Message::InvoiceCopy { name, invoice },
        };
        Ok(QueuedMail { to, message })
    }
}

/// As [`enqueue`], to a person, who is addressed by name; the message carries the instant of the transaction.
pub fn enqueue_for(
    tx: &mut Tx,
    person: &User,
    message: impl FnOnce(String, Timestamp) -> Message,
) -> Result<()> {
    let message = message(person.name.as_str().to_owned(), tx.now());
    enqueue(tx, person.email.as_str(), message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_of_an_older_build_is_read_and_so_is_one_with_a_trace() {
        let old =
            r#"{"to":"ana@example.com","message":{"kind":"already_registered","name":"Ana"}}"#;
        assert!(matches!(serde_json::from_str(old), Ok(Payload::Mail(_))));
        let (company_id, invoice_id) = (CompanyId(uuid::Uuid::nil()), InvoiceId(uuid::Uuid::nil()));
        let document = MailedInvoice { company_id, invoice_id };
        let (to, name) = ("ana@example.com".into(), "Ana".into());
        let queued = QueuedInvoiceMail { to, name, document, notice: None };
        let mut traced = serde_json::to_value(Payload::InvoiceMail(queued)).unwrap();
        traced["traceparent"] = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01".into();
        let read = |value: &serde_json::Value| match serde_json::from_value(value.clone()) {
            Ok(Payload::InvoiceMail(queued)) => queued.name,
            other => panic!("{other:?}"),
        };
        assert_eq!(read(&traced), "Ana");
        traced.as_object_mut().unwrap().remove("name");
        assert_eq!(read(&traced), "");
    }
}
