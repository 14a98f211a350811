//! `column!` stores a newtype as the value inside of it. Called by ids, amounts and the texts of people.

/// Stores a newtype in the column of the value inside of it.
macro_rules! column {
    ($name:ident($inner:ty)) => {
        impl tokio_postgres::types::ToSql for $name {
            fn to_sql(
                &self,
                ty: &tokio_postgres::types::Type,
                out: &mut bytes::BytesMut,
            ) -> Result<tokio_postgres::types::IsNull, Box<dyn std::error::Error + Sync + Send>>
            {
                self.0.to_sql(ty, out)
            }
            fn accepts(ty: &tokio_postgres::types::Type) -> bool {
                <$inner as tokio_postgres::types::ToSql>::accepts(ty)
            }
            tokio_postgres::types::to_sql_checked!();
        }

        impl<'a> tokio_postgres::types::FromSql<'a> for $name {
            fn from_sql(
                ty: &tokio_postgres::types::Type,
                raw: &'a [u8],
            ) -> Result<Self, Box<dyn std::error::Error + Sync + Send>> {
                <$inner as tokio_postgres::types::FromSql>::from_sql(ty, raw).map(Self)
            }
            fn accepts(ty: &tokio_postgres::types::Type) -> bool {
                <$inner as tokio_postgres::types::FromSql>::accepts(ty)
            }
        }
    };
}

pub(crate) use column;
