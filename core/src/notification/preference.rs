//! Which notifications and mails a person wants, by kind. Without a row all of them.
//!
//! Called by the account page; `addressee` by the mails about a payment. The statements that write notifications and
//! choose the recipient of a mail ask the table themselves, so that no answer is older than the mail.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::NotificationKind;
use crate::db::{Tx, UserTx};
use crate::error::{Error, FieldCode, FieldErrors, Result};
use crate::id::UserId;
use crate::row::from_row;

/// What a person wants of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ToSchema)]
pub struct NotificationPreference {
    pub kind: NotificationKind,
    /// In the bell of the web app.
    pub screen: bool,
    /// By mail. True where `emailIsOptional` is false.
    pub email: bool,
}

from_row! { NotificationPreference { kind, screen, email } }

/// The same with what the person may choose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct NotificationPreferenceView {
    pub kind: NotificationKind,
    pub screen: bool,
    pub email: bool,
    /// False for mails that are always sent.
    pub email_is_optional: bool,
}

/// One for each kind.
pub async fn all(tx: &UserTx, user: UserId) -> Result<Vec<NotificationPreferenceView>> {
    let chosen: Vec<NotificationPreference> =
        tx.all(CHOSEN, &[&user, &NotificationKind::ALL.as_slice()]).await?;
    let view = |kind: NotificationKind| {
        let found = chosen.iter().find(|chosen| chosen.kind == kind).copied();
        let (screen, email) = found.map_or((true, true), |found| (found.screen, found.email));
        let email_is_optional = kind.has_optional_mail();
        NotificationPreferenceView { kind, screen, email, email_is_optional }
    };
    Ok(NotificationKind::ALL.into_iter().map(view).collect())
}

/// Without the kinds that only a newer build knows.
const CHOSEN: &str = "SELECT kind, screen, email FROM notification_preferences \
     WHERE user_id = $1 AND kind = ANY ($2)";

/// Saves those of the kinds that are named; the others stay.
///
/// # Errors
/// `Invalid` for a kind that is named twice, and for a mail that cannot be switched off.
pub async fn save(tx: &UserTx, user: UserId, wanted: &[NotificationPreference]) -> Result<()> {
    check(wanted)?;
    let kinds: Vec<NotificationKind> = wanted.iter().map(|wanted| wanted.kind).collect();
    let screens: Vec<bool> = wanted.iter().map(|wanted| wanted.screen).collect();
    let emails: Vec<bool> = wanted.iter().map(|wanted| wanted.email).collect();
    tx.execute(SAVE, &[&user, &kinds, &screens, &emails, &tx.now()]).await.map(drop)
}

const SAVE: &str = "INSERT INTO notification_preferences (user_id, kind, screen, email, updated_at) \
     SELECT $1::uuid, w.kind, w.screen, w.email, $5::timestamptz \
     FROM unnest($2::text[], $3::boolean[], $4::boolean[]) AS w (kind, screen, email) \
     ON CONFLICT (user_id, kind) DO UPDATE SET screen = excluded.screen, email = excluded.email, \
     updated_at = excluded.updated_at";

fn check(wanted: &[NotificationPreference]) -> Result<()> {
    let (mut seen, mut errors) = (BTreeSet::new(), FieldErrors::default());
    for (index, NotificationPreference { kind, email, .. }) in wanted.iter().enumerate() {
        if !seen.insert(*kind) {
            errors.add(format!("preferences[{index}].kind"), FieldCode::Invalid);
        }
        if !email && !kind.has_optional_mail() {
            errors.add(format!("preferences[{index}].email"), FieldCode::Invalid);
        }
    }
    if errors.is_empty() { Ok(()) } else { Err(Error::Invalid(errors)) }
}

/// Name and address of a person who wants mails of the kind.
pub async fn addressee(
    tx: &Tx,
    user: UserId,
    kind: NotificationKind,
) -> Result<Option<(String, String)>> {
    let row = tx.query_opt(ADDRESSEE, &[&user, &kind]).await?;
    row.map(|row| Ok((row.try_get("name")?, row.try_get("email")?))).transpose()
}

const ADDRESSEE: &str = "SELECT u.name, u.email FROM users u \
     LEFT JOIN notification_preferences f ON f.user_id = u.id AND f.kind = $2 \
     WHERE u.id = $1 AND u.anonymised_at IS NULL AND coalesce(f.email, true)";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mail_that_is_always_sent_cannot_be_switched_off_and_no_kind_is_named_twice() {
        let off = |kind| NotificationPreference { kind, screen: false, email: false };
        assert!(check(&[off(NotificationKind::PaymentRefused)]).is_ok());
        let twice = off(NotificationKind::SubscriptionDue);
        let Err(Error::Invalid(FieldErrors(fields))) =
            check(&[off(NotificationKind::Membership), twice, twice])
        else {
            panic!("it is taken")
        };
        let names: Vec<_> = fields.keys().map(AsRef::as_ref).collect();
        assert_eq!(names, ["preferences[0].email", "preferences[2].kind"]);
    }
}
