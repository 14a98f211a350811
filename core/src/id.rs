//! One type per id, so that a company's id can never stand where a payment's belongs.
//!
//! UUIDv7 on the wire and in PostgreSQL. A new id comes from `Clock`.

use crate::clock::Clock;
use crate::column::column;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident),+ $(,)?) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[derive(serde::Serialize, serde::Deserialize, utoipa::ToSchema)]
        #[derive(derive_more::Display, derive_more::FromStr)]
        #[serde(transparent)]
        #[schema(value_type = uuid::Uuid)]
        pub struct $name(pub uuid::Uuid);

        impl $name {
            /// A new id of this instant.
            pub fn new(clock: &Clock) -> Self {
                Self(clock.uuid())
            }
        }

        column!($name(uuid::Uuid));
    )+};
}

ids! {
    /// A person.
    UserId,
    /// One sign-in of a person.
    SessionId,
    CompanyId,
    MemberId,
    InviteId,
    PlanId,
    SubscriptionId,
    PaymentId,
    /// A numbered document.
    InvoiceId,
    QuoteId,
    /// Money that is given back.
    RefundId,
    JobId,
    /// One notification; all of its recipients have the same id.
    NotificationId,
    SavedViewId,
}
