//! Remembers billing profiles: the newest version of a company is its current one. Read by whoever shows or bills the
//! company; written by the handler, under the company's lock, so that of two people who edit one version one wins.

use tokio_postgres::Row;

use super::{BillingDetails, BillingProfile, PostalAddress};
use crate::audit::AuditAction;
use crate::brazil::tax_id::TaxId;
use crate::company::view::company_view;
use crate::company::{Author, Locked, lock_for};
use crate::db::CompanyTx;
use crate::error::{Code, Error, Result};
use crate::event::{Channel, EventName, NewEvent};
use crate::scope::Permission;

/// The newest version of the company's billing profile; `None` before one was saved.
pub async fn current(tx: &CompanyTx) -> Result<Option<BillingProfile>> {
    tx.find(CURRENT, &[&tx.company_id()]).await
}

const CURRENT: &str = "SELECT version, tax_id, legal_name, trade_name, postal_code, street, number, complement, \
     district, city, state, emails, changed_by, created_at FROM billing_profiles WHERE company_id = $1 \
     ORDER BY version DESC LIMIT 1";

/// Saves a new version. Details that equal the newest version add none, whatever `made_of` says, so a repeated call has
/// one effect.
///
/// # Errors
/// `Conflict` when somebody saved another version since `made_of` (0 for none); `Denied`, `NotFound`.
pub async fn save(
    tx: &mut CompanyTx,
    details: BillingDetails,
    made_of: i32,
    by: Author<'_>,
) -> Result<BillingProfile> {
    tx.set_cause(Some(&by.caller.request_id));
    let tx = &mut lock_for(tx, Permission::ManagePayments).await?;
    let before = current(tx).await?;
    let newest = before.as_ref().map_or(0, |profile| profile.version);
    let changed = match before {
        Some(before) if before.details == details => return Ok(before),
        Some(before) => details.changed_from(&before.details),
        None => Vec::new(),
    };
    if made_of != newest {
        return Err(Error::conflict(Code::Conflict));
    }
    let version = newest.checked_add(1).ok_or_else(|| Error::internal("no more versions"))?;
    let changed_by = tx.scope().user_id();
    let profile = BillingProfile { version, details, changed_by, created_at: tx.now() };
    insert(tx, &profile).await?;
    announce(tx).await?;
    by.record(tx, AuditAction::BillingProfileSave, &version, &changed);
    Ok(profile)
}

async fn insert(tx: &CompanyTx, profile: &BillingProfile) -> Result<()> {
    let BillingProfile { version, details, changed_by, created_at } = profile;
    let BillingDetails { tax_id, legal_name, trade_name, address, emails } = details;
    let PostalAddress { postal_code, street, number, complement, district, city, state } = address;
    tx.execute(
        INSERT,
        &[
            &tx.company_id(),
            version,
            &tax_id.as_str(),
            legal_name,
            trade_name,
            postal_code,
            street,
            number,
            complement,
            district,
            city,
            state,
            emails,
            changed_by,
            created_at,
        ],
    )
    .await
    .map(drop)
}

const INSERT: &str = "INSERT INTO billing_profiles (company_id, version, tax_id, legal_name, trade_name, postal_code, \
     street, number, complement, district, city, state, emails, changed_by, created_at) \
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)";

/// No frame carries a tax id: readers of the company's channel ask for the profile, those who may.
async fn announce(tx: &mut Locked<'_>) -> Result<()> {
    let company = tx.company_id();
    let view = company_view(tx).await?;
    tx.emit(NewEvent::new(Channel::Company(company), EventName::CompanyUpdated, company, &view)?);
    Ok(())
}

impl TryFrom<&Row> for BillingProfile {
    type Error = Error;

    fn try_from(row: &Row) -> Result<Self> {
        let tax_id = TaxId::parse(row.try_get("tax_id")?);
        let details = BillingDetails {
            tax_id: tax_id.ok_or_else(|| Error::internal("a tax id that is none"))?,
            legal_name: row.try_get("legal_name")?,
            trade_name: row.try_get("trade_name")?,
            address: PostalAddress {
                postal_code: row.try_get("postal_code")?,
                street: row.try_get("street")?,
                number: row.try_get("number")?,
                complement: row.try_get("complement")?,
                district: row.try_get("district")?,
                city: row.try_get("city")?,
                state: row.try_get("state")?,
            },
            emails: row.try_get("emails")?,
        };
        Ok(Self {
            version: row.try_get("version")?,
            details,
            changed_by: row.try_get("changed_by")?,
            created_at: row.try_get("created_at")?,
        })
    }
}
