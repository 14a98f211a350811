//! Remembers who issues documents now: the settings of the node that started last. Called at the start of a node.
//!
//! A new tax id begins its own numbers. The documents keep what they were issued with.

use super::Issuer;
use crate::db::Db;
use crate::error::Result;
use crate::scope::JobScope;

/// From now on documents are issued by this one.
///
/// # Errors
/// `Unavailable` without a database.
pub async fn choose(db: &Db, proof: &JobScope, issuer: &Issuer) -> Result<()> {
    let tx = db.platform_tx(proof).await?;
    let Issuer { name, tax_id, address, email } = issuer;
    tx.execute(OTHERS, &[tax_id]).await?;
    tx.execute(CURRENT, &[tax_id, name, address, email]).await?;
    tx.commit().await
}

const OTHERS: &str =
    "UPDATE invoice_issuers SET is_current = false WHERE is_current AND tax_id <> $1";
const CURRENT: &str = "INSERT INTO invoice_issuers AS i (tax_id, name, address, email, is_current) \
     VALUES ($1, $2, $3, $4, true) ON CONFLICT (tax_id) DO UPDATE SET name = $2, address = $3, email = $4, \
     is_current = true WHERE (i.name, i.address, i.email, i.is_current) IS DISTINCT FROM ($2, $3, $4, true)";
