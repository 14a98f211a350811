//! The sentence by which a person lets a saved card pay the renewals, and the record of who agreed to it.
//!
//! The server sends the sentence, so that the one shown is the one stored. A client names the version that it has
//! shown. A new wording is a new version; the record keeps the words themselves.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::renewal_consent_pt_br::SENTENCE;
use crate::db::CompanyTx;
use crate::error::{Error, Result};
use crate::id::{PaymentId, UserId};

/// In the language of the product.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RenewalConsent {
    /// Named by `renewalConsent` of a request that saves a card.
    pub version: Cow<'static, str>,
    pub sentence: Cow<'static, str>,
}

pub const CURRENT: RenewalConsent =
    RenewalConsent { version: Cow::Borrowed("2026-11"), sentence: Cow::Borrowed(SENTENCE) };

impl RenewalConsent {
    /// The sentence of a version that is still good.
    pub fn named(version: &str) -> Option<Self> {
        (version == CURRENT.version).then_some(CURRENT)
    }
}

/// Notes that the person agreed, for this card, with this payment or with none.
///
/// # Errors
/// Those of the database; a job agrees to nothing and is refused.
pub async fn record(
    tx: &CompanyTx,
    person: Option<UserId>,
    consent: &RenewalConsent,
    card: &str,
    payment: Option<PaymentId>,
) -> Result<()> {
    let person = person.ok_or_else(|| Error::internal("a job gives no consent"))?;
    let (id, company) = (tx.clock().uuid(), tx.company_id());
    let RenewalConsent { version, sentence } = consent;
    tx.execute(RECORD, &[&id, &company, &person, &card, &payment, &version, &sentence, &tx.now()])
        .await?;
    Ok(())
}

const RECORD: &str = "INSERT INTO renewal_consents \
     (id, company_id, user_id, card, payment_id, version, sentence, at) \
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
