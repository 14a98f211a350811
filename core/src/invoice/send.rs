//! Mails a document once more: to whoever asks for it, and to the company's billing addresses.

use super::store;
use crate::audit::{self, AuditAction};
use crate::company::{Author, billing_profile};
use crate::db::CompanyTx;
use crate::error::{Error, Result};
use crate::id::InvoiceId;
use crate::mailer::{self, Message};
use crate::user;

/// Answers the addresses.
///
/// # Errors
/// `NotFound` when the company has no such document.
pub async fn send(tx: &mut CompanyTx, id: InvoiceId, by: Author<'_>) -> Result<Vec<String>> {
    let invoice = store::load(tx, id).await?;
    let person = user::store::find(tx, by.who.user_id).await?.ok_or_else(Error::not_found)?;
    let profile = billing_profile::current(tx).await?;
    let billing = profile.into_iter().flat_map(|profile| profile.details.emails);
    let mut sent_to = vec![person.email.as_str().to_owned()];
    sent_to.extend(
        billing.filter(|email| *email != person.email).map(|email| email.as_str().to_owned()),
    );
    for (index, to) in sent_to.iter().enumerate() {
        let name = if index == 0 { person.name.as_str().to_owned() } else { String::new() };
        let copy = Message::InvoiceCopy { name, invoice: Box::new(invoice.clone()) };
        mailer::enqueue(tx, to, copy)?;
    }
    audit::record(tx, by.entry(tx.company_id(), AuditAction::InvoiceSend).about(id));
    Ok(sent_to)
}
