//! The lock of a company's row: commands, payments and renewals of one company take turns by it.
//!
//! A transaction takes it before the row of any payment and before it writes anything that belongs to the company, so
//! that no two transactions wait for each other. What must run behind the lock takes a [`Locked`] in place of the
//! transaction.

use derive_more::{Deref, DerefMut};
use tokio_postgres::Row;

use crate::db::{CompanyTx, Db, Query};
use crate::error::{Code, Error, Result};
use crate::scope::{CompanyScope, Permission, Role};

/// A transaction that holds the lock of its company until it ends.
#[derive(Deref, DerefMut)]
pub struct Locked<'tx> {
    #[deref(forward)]
    #[deref_mut(forward)]
    tx: &'tx mut CompanyTx,
    lock: CompanyLock,
}

/// What was read of the company with its lock.
#[derive(Clone, Copy, Debug)]
pub struct CompanyLock {
    /// Neither suspended nor closed by a platform admin.
    is_open: bool,
    /// The role of the person behind the command, where it was read behind the lock.
    role: Option<Role>,
}

/// Waits for the transactions that hold the lock.
///
/// # Errors
/// `NotFound` for a company that is gone.
pub async fn lock(tx: &mut CompanyTx) -> Result<Locked<'_>> {
    let lock = CompanyLock::of(&tx.query(LOCK, &[&tx.company_id()]).await?, &[])?;
    Ok(lock.held_by(tx))
}

/// A transaction that takes the lock as it begins, in one round trip with another query about the company; with that
/// one's rows.
///
/// # Errors
/// Those of [`lock`].
pub async fn begin_locked(
    db: &Db,
    scope: &CompanyScope,
    query: Query<'_>,
) -> Result<(CompanyTx, CompanyLock, Vec<Row>)> {
    let company = scope.company_id();
    let (tx, [lock, rows]) = db.company_tx_with(scope, [(LOCK, &[&company]), query]).await?;
    Ok((tx, CompanyLock::of(&lock, &[])?, rows))
}

/// As [`begin_locked`], together with the role of the person behind the command, which [`Locked::prove`] then knows.
///
/// # Errors
/// Those of [`lock`].
pub async fn begin_command(
    db: &Db,
    scope: &CompanyScope,
    query: Query<'_>,
) -> Result<(CompanyTx, CompanyLock, Vec<Row>)> {
    let (company, person) = (scope.company_id(), scope.user_id());
    let queries: [Query<'_>; 3] = [(LOCK, &[&company]), (ROLE, &[&company, &person]), query];
    let (tx, [lock, role, rows]) = db.company_tx_with(scope, queries).await?;
    Ok((tx, CompanyLock::of(&lock, &role)?, rows))
}

impl CompanyLock {
    pub(super) fn of(lock: &[Row], role: &[Row]) -> Result<Self> {
        let is_open = lock.first().ok_or_else(Error::not_found)?.try_get("is_open")?;
        let role = role.first().map(|row| row.try_get("role")).transpose()?;
        Ok(Self { is_open, role })
    }

    /// By the transaction that has taken it.
    pub fn held_by(self, tx: &mut CompanyTx) -> Locked<'_> {
        Locked { tx, lock: self }
    }
}

/// As [`lock`], for a command that takes a permission, see [`Locked::prove`].
///
/// # Errors
/// Those of [`lock`] and [`Locked::prove`].
pub async fn lock_for(tx: &mut CompanyTx, permission: Permission) -> Result<Locked<'_>> {
    let (company, person) = (tx.company_id(), tx.scope().user_id());
    // In one round trip. The role is read when the lock is held.
    let queries: [Query<'_>; 2] = [(LOCK, &[&company]), (ROLE, &[&company, &person])];
    let [lock, role] = tx.query_all(queries).await?;
    let locked = CompanyLock::of(&lock, &role)?.held_by(tx);
    locked.prove(permission).await?;
    Ok(locked)
}

pub(super) const LOCK: &str =
    "SELECT status = 'active' AS is_open FROM companies WHERE id = $1 FOR UPDATE";

impl Locked<'_> {
    /// Whether the company is neither suspended nor closed by a platform admin.
    pub fn is_open(&self) -> bool {
        self.lock.is_open
    }

    /// Proves again that the person behind the command may give it: while the command waited for the lock, the role may
    /// have changed or the company been suspended. A job needs no role.
    ///
    /// # Errors
    /// `NotFound` for a person who is no member any more, `Denied` for too low a role.
    pub async fn prove(&self, permission: Permission) -> Result<()> {
        let Some(person) = self.scope().user_id() else { return Ok(()) };
        let role = match self.lock.role {
            Some(role) => role,
            None => {
                let row = self.query_opt(ROLE, &[&self.company_id(), &person]).await?;
                row.ok_or_else(Error::not_found)?.try_get("role")?
            }
        };
        let may = permission.allows(role) && (self.lock.is_open || !permission.is_a_change());
        if may { Ok(()) } else { Err(Error::Denied(Code::Forbidden)) }
    }
}

const ROLE: &str = "SELECT role FROM members WHERE company_id = $1 AND user_id = $2";
