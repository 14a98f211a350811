//! The lock of a company's row: commands, payments and renewals of one company take turns by it.
//!
//! A transaction takes it once, before the row of any payment, so that no two transactions wait for each other. What
//! must run behind the lock takes a [`Locked`] in place of the transaction.

use derive_more::{Deref, DerefMut};

use crate::db::CompanyTx;
use crate::error::{Code, Error, Result};
use crate::scope::Permission;

/// A transaction that holds the lock of its company until it ends.
#[derive(Deref, DerefMut)]
pub struct Locked<'tx> {
    #[deref(forward)]
    #[deref_mut(forward)]
    tx: &'tx mut CompanyTx,
    /// Neither suspended nor closed by a platform admin.
    is_open: bool,
}

/// Waits for the transactions that hold the lock.
///
/// # Errors
/// `NotFound` for a company that is gone.
pub async fn lock(tx: &mut CompanyTx) -> Result<Locked<'_>> {
    let row = tx.query_opt(LOCK, &[&tx.company_id()]).await?.ok_or_else(Error::not_found)?;
    Ok(Locked { is_open: row.try_get("is_open")?, tx })
}

/// The same for a command that takes a permission, see [`Locked::prove`].
///
/// # Errors
/// Those of [`lock`] and [`Locked::prove`].
pub async fn lock_for(tx: &mut CompanyTx, permission: Permission) -> Result<Locked<'_>> {
    let locked = lock(tx).await?;
    locked.prove(permission).await?;
    Ok(locked)
}

pub(super) const LOCK: &str =
    "SELECT status = 'active' AS is_open FROM companies WHERE id = $1 FOR UPDATE";

impl Locked<'_> {
    /// Proves again that the person behind the command may give it: while the command waited for the lock, the role may
    /// have changed or the company been suspended. A job needs no role.
    ///
    /// # Errors
    /// `NotFound` for a person who is no member any more, `Denied` for too low a role.
    pub async fn prove(&self, permission: Permission) -> Result<()> {
        let Some(person) = self.scope().user_id() else { return Ok(()) };
        let row = self.query_opt(ROLE, &[&self.company_id(), &person]).await?;
        let role = row.ok_or_else(Error::not_found)?.try_get("role")?;
        let may = permission.allows(role) && (self.is_open || !permission.is_a_change());
        if may { Ok(()) } else { Err(Error::Denied(Code::Forbidden)) }
    }
}

const ROLE: &str = "SELECT role FROM members WHERE company_id = $1 AND user_id = $2";
