//! One type per id, so that a company's id can never stand where a payment's belongs.
//!
//! UUIDv7 on the wire and in PostgreSQL. A new id comes from `Clock`.

use crate::clock::Clock;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident),+ $(,)?) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
        #[derive(utoipa::ToSchema)]
        #[serde(transparent)]
        #[schema(value_type = uuid::Uuid)]
        pub struct $name(pub uuid::Uuid);

        impl $name {
            /// A new id of this instant.
            pub fn new(clock: &Clock) -> Self {
                Self(clock.uuid())
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.fmt(f)
            }
        }

        impl std::str::FromStr for $name {
            type Err = uuid::Error;
            fn from_str(text: &str) -> Result<Self, Self::Err> {
                text.parse().map(Self)
            }
        }

        impl tokio_postgres::types::ToSql for $name {
            fn to_sql(
                &self,
                ty: &tokio_postgres::types::Type,
                out: &mut bytes::BytesMut,
            ) -> Result<tokio_postgres::types::IsNull, Box<dyn std::error::Error + Sync + Send>> {
                self.0.to_sql(ty, out)
            }
            fn accepts(ty: &tokio_postgres::types::Type) -> bool {
                <uuid::Uuid as tokio_postgres::types::ToSql>::accepts(ty)
            }
            tokio_postgres::types::to_sql_checked!();
        }

        impl<'a> tokio_postgres::types::FromSql<'a> for $name {
            fn from_sql(
                ty: &tokio_postgres::types::Type,
                raw: &'a [u8],
            ) -> Result<Self, Box<dyn std::error::Error + Sync + Send>> {
                uuid::Uuid::from_sql(ty, raw).map(Self)
            }
            fn accepts(ty: &tokio_postgres::types::Type) -> bool {
                <uuid::Uuid as tokio_postgres::types::FromSql>::accepts(ty)
            }
        }
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
    QuoteId,
    JobId,
}
