//! The company's customer at the provider, and its saved cards. The provider holds the cards. These rows are our last
//! copy of its list, and say which card is the default.

use tokio_postgres::Row;

use crate::company::{self, CompanyLock};
use crate::db::{CompanyTx, Db, PlatformTx, Query};
use crate::error::{Error, Result};
use crate::gateway::Card;
use crate::id::CompanyId;
use crate::payment_method::{Instrument, Method};
use crate::row::from_row;
use crate::scope::CompanyScope;

/// Cards that a company may keep.
pub const MAX_CARDS: usize = 10;

/// A saved card as the contract shows it.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PaymentMethodView {
    pub id: String,
    /// Always `CREDIT_CARD`: nothing else can be saved.
    #[serde(rename = "type")]
    pub kind: Method,
    pub is_default: bool,
    /// Its bank has refused a renewal for good: no other one is charged to it until it pays, changes at the provider or
    /// is made the default one anew.
    pub is_declined: bool,
    pub card: CardView,
}

#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CardView {
    pub brand: String,
    pub last4: String,
    pub exp_month: i32,
    pub exp_year: i32,
}

from_row!(CardView { brand, last4, exp_month, exp_year });

impl TryFrom<&Row> for PaymentMethodView {
    type Error = Error;

    fn try_from(row: &Row) -> Result<Self> {
        let instrument = Instrument::Card(row.try_get("id")?);
        Ok(Self {
            id: instrument.id().to_owned(),
            kind: instrument.method(),
            is_default: row.try_get("is_default")?,
            is_declined: row.try_get("is_declined")?,
            card: row.try_into()?,
        })
    }
}

pub async fn customer(tx: &CompanyTx) -> Result<Option<String>> {
    tx.find_value(CUSTOMER, &[&tx.company_id()]).await
}

/// Begins a transaction that locks the company and reads its customer.
///
/// # Errors
/// `NotFound` for a company that is gone.
pub async fn begin_locked(
    db: &Db,
    scope: &CompanyScope,
) -> Result<(CompanyTx, CompanyLock, Option<String>)> {
    let query: Query<'_> = (CUSTOMER, &[&scope.company_id()]);
    let (tx, lock, rows) = company::begin_locked(db, scope, query).await?;
    Ok((tx, lock, customer_of(&rows)?))
}

/// As [`begin_locked`], for a command. A customer that was just `made` is remembered, unless there is one.
///
/// # Errors
/// `NotFound` for a company that is gone.
pub async fn begin_command(
    db: &Db,
    scope: &CompanyScope,
    made: Option<&str>,
) -> Result<(CompanyTx, CompanyLock, Option<String>)> {
    let (company, now) = (scope.company_id(), db.clock().now());
    let query: Query<'_> = match &made {
        Some(made) => (REMEMBER, &[&company, made, &now]),
        None => (CUSTOMER, &[&company]),
    };
    let (tx, lock, rows) = company::begin_command(db, scope, query).await?;
    Ok((tx, lock, customer_of(&rows)?))
}

fn customer_of(rows: &[Row]) -> Result<Option<String>> {
    Ok(rows.first().map(|row| row.try_get("customer_id")).transpose()?)
}

const CUSTOMER: &str = "SELECT customer_id FROM provider_customers WHERE company_id = $1";

/// The first one stands, so that two nodes agree. Answers that one.
pub async fn remember_customer(tx: &CompanyTx, customer: &str) -> Result<String> {
    tx.value(REMEMBER, &[&tx.company_id(), &customer, &tx.now()]).await
}

const REMEMBER: &str = "INSERT INTO provider_customers AS c (company_id, customer_id, created_at) \
     VALUES ($1, $2, $3) ON CONFLICT (company_id) DO UPDATE SET customer_id = c.customer_id RETURNING customer_id";

/// Puts a new customer in the place of one that is gone at the provider, with all that it held there. False when another
/// one has that place already.
pub async fn replace_customer(tx: &CompanyTx, gone: &str, customer: &str) -> Result<bool> {
    let (company, now) = (tx.company_id(), tx.now());
    let replaced = tx.execute(REPLACE, &[&company, &gone, &customer, &now]).await? == 1;
    if replaced {
        tx.execute(FORGET_ALL, &[&company]).await?;
    }
    Ok(replaced)
}

const REPLACE: &str = "UPDATE provider_customers SET customer_id = $3, created_at = $4 \
     WHERE company_id = $1 AND customer_id = $2";
const FORGET_ALL: &str = "DELETE FROM payment_methods WHERE company_id = $1";

pub async fn list(tx: &CompanyTx) -> Result<Vec<PaymentMethodView>> {
    tx.all(LIST, &[&tx.company_id()]).await
}

const LIST: &str = "SELECT id, brand, last4, exp_month, exp_year, is_default, is_declined FROM payment_methods \
     WHERE company_id = $1 ORDER BY is_default DESC, created_at DESC, id";

/// The company that has saved the card.
pub async fn company_of(tx: &PlatformTx, card: &str) -> Result<Option<CompanyId>> {
    tx.find_value(COMPANY_OF, &[&card]).await
}

const COMPANY_OF: &str = "SELECT company_id FROM payment_methods WHERE id = $1";

/// Keeps the card; the company's first one becomes its default. One that has changed may renew again.
pub async fn keep(tx: &CompanyTx, card: &Card) -> Result<()> {
    let (company, now) = (tx.company_id(), tx.now());
    tx.execute(
        KEEP,
        &[&card.id, &company, &card.brand, &card.last4, &card.exp_month, &card.exp_year, &now],
    )
    .await?;
    Ok(())
}

const KEEP: &str = "INSERT INTO payment_methods \
     (id, company_id, brand, last4, exp_month, exp_year, created_at, is_default) \
     VALUES ($1, $2, $3, $4, $5, $6, $7, \
       NOT EXISTS (SELECT FROM payment_methods WHERE company_id = $2 AND is_default)) \
     ON CONFLICT (id) DO UPDATE SET brand = excluded.brand, last4 = excluded.last4, \
     exp_month = excluded.exp_month, exp_year = excluded.exp_year, \
     is_declined = payment_methods.is_declined AND (payment_methods.last4, payment_methods.exp_month, \
       payment_methods.exp_year) = (excluded.last4, excluded.exp_month, excluded.exp_year)";

/// Forgets cards that the provider no longer holds.
pub async fn forget(tx: &CompanyTx, ids: &[String]) -> Result<()> {
    tx.execute(FORGET, &[&tx.company_id(), &ids]).await?;
    Ok(())
}

const FORGET: &str = "DELETE FROM payment_methods WHERE company_id = $1 AND id = ANY ($2)";

/// A card that was declined for good may renew again: it has paid, or somebody who may pay has chosen it.
pub async fn trust(tx: &CompanyTx, id: &str) -> Result<()> {
    tx.execute(TRUST, &[&tx.company_id(), &id]).await?;
    Ok(())
}

const TRUST: &str = "UPDATE payment_methods SET is_declined = false \
     WHERE company_id = $1 AND id = $2 AND is_declined";

/// # Errors
/// `NotFound` when the company has no such card.
pub async fn make_default(tx: &CompanyTx, id: &str) -> Result<()> {
    tx.execute(NO_DEFAULT, &[&tx.company_id(), &id]).await?;
    let made = tx.execute(DEFAULT, &[&tx.company_id(), &id]).await?;
    if made == 1 { Ok(()) } else { Err(Error::not_found()) }
}

const NO_DEFAULT: &str = "UPDATE payment_methods SET is_default = false \
     WHERE company_id = $1 AND is_default AND id <> $2";
const DEFAULT: &str =
    "UPDATE payment_methods SET is_default = true WHERE company_id = $1 AND id = $2";
