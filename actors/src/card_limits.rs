//! How often a company, a person or a network may try cards. Asked by payments and by the saved cards before the
//! provider sees a card; both tell of declines, a payment by its webhook.
//!
//! A company or a network whose cards were declined too often pays by PIX or boleto for a while. Each decline of a
//! card that a person tried counts, also of the same card again; a renewal's does not. The last one also ends the
//! payment, whose intent would take card after card otherwise.

use bipe_core::db::{CompanyTx, Db};
use bipe_core::error::Code;
use bipe_core::id::{CompanyId, PaymentId};
use bipe_core::payment::store;
use bipe_core::rate_limit::{
    Bucket, CARD_DECLINED, CARD_DECLINED_IP, CARD_SAVED_COMPANY, CARD_SAVED_IP, CARD_SAVED_PERSON,
    PAYMENT_BEGUN, RateLimiter, Rule,
};
use bipe_core::scope::CompanyScope;
use bipe_core::{Error, Result};

pub struct CardLimits {
    db: Db,
    limits: RateLimiter,
}

impl CardLimits {
    pub fn new(db: Db, limits: RateLimiter) -> Self {
        Self { db, limits }
    }

    /// The bucket of a payer's network, where it is known.
    pub fn network_bucket(&self, network: Option<&str>) -> Option<Bucket> {
        network.map(|network| self.limits.bucket(&["network", network]))
    }

    /// The bucket of a company's payments.
    fn company_bucket(&self, id: CompanyId) -> Bucket {
        self.limits.bucket(&["company", &id.to_string()])
    }

    /// Checks that the company and the network may try another card.
    ///
    /// # Errors
    /// `Conflict(PAYMENT_METHOD_UNAVAILABLE)` after too many declines.
    pub async fn check(&self, company: CompanyId, network: Option<&Bucket>) -> Result<()> {
        let company = self.company_bucket(company);
        match self.limits.check(&self.db, &declines(&company, network)).await {
            Err(Error::TooMany { .. }) => Err(Error::conflict(Code::PaymentMethodUnavailable)),
            answer => answer,
        }
    }

    /// Counts a payment that begins in this transaction.
    ///
    /// # Errors
    /// `TooMany`.
    pub async fn count_payment(&self, tx: &CompanyTx) -> Result<()> {
        let company = self.company_bucket(tx.company_id());
        self.limits.take_within(tx, PAYMENT_BEGUN, &company).await
    }

    /// Counts an attempt to save a card for the company, the person and the network. The provider has not judged the
    /// card yet.
    ///
    /// # Errors
    /// `TooMany`.
    pub async fn count_save(&self, scope: &CompanyScope, network: Option<&Bucket>) -> Result<()> {
        let company = self.company_bucket(scope.company_id());
        let person = scope.user_id().map(|id| self.limits.bucket(&["person", &id.to_string()]));
        let mut counted = vec![(CARD_SAVED_COMPANY, &company)];
        counted.extend(person.as_ref().map(|person| (CARD_SAVED_PERSON, person)));
        counted.extend(network.map(|network| (CARD_SAVED_IP, network)));
        self.limits.take(&self.db, &counted).await
    }

    /// Counts a decline of a company's card, for the network that the card was sent from, too. Answers whether it was the
    /// last one: no other card may be tried for a while.
    pub async fn count_decline(
        &self,
        scope: &CompanyScope,
        network: Option<&Bucket>,
    ) -> Result<bool> {
        let tx = self.db.company_tx(scope).await?;
        let company = self.company_bucket(scope.company_id());
        let mut is_last = false;
        for (rule, bucket) in declines(&company, network) {
            self.limits.try_take(&tx, rule, bucket).await?;
            is_last |= self.limits.is_empty(&tx, rule, bucket).await?;
        }
        tx.commit().await?;
        Ok(is_last)
    }

    /// Counts a decline of a payment's card. A renewal does not count: no person tried the card, and failed renewals
    /// must not keep a person from trying another. Answers as [`CardLimits::count_decline`].
    pub async fn count_decline_of(&self, scope: &CompanyScope, payment: PaymentId) -> Result<bool> {
        let tx = self.db.company_tx(scope).await?;
        if store::load(&tx, payment).await?.situation.off_session {
            return Ok(false);
        }
        let network = store::payer_bucket(&tx, payment).await?;
        tx.rollback().await?;
        let network = network.as_deref().map(Bucket::stored);
        self.count_decline(scope, network.as_ref()).await
    }
}

/// What a decline counts by.
fn declines<'a>(company: &'a Bucket, network: Option<&'a Bucket>) -> Vec<(Rule, &'a Bucket)> {
    let mut counted = Vec::from(CARD_DECLINED.map(|rule| (rule, company)));
    counted.extend(network.map(|network| (CARD_DECLINED_IP, network)));
    counted
}
