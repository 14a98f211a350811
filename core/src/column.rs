//! `column!` stores a type as a value that PostgreSQL knows. Called by ids, amounts and the texts of people, and by the
//! closed lists of `words!`.

/// Stores a newtype in the column of the value inside of it. The long form stores any type as an `$inner`: how `$own`
/// is written, and what is made of the `$raw` that is read.
macro_rules! column {
    ($name:ident($inner:ty)) => {
        crate::column::column!($name as $inner, own => own.0, inner => Ok(Self(inner)));
    };
    ($name:ident as $inner:ty, $own:ident => $written:expr, $raw:ident => $read:expr) => {
        impl tokio_postgres::types::ToSql for $name {
            fn to_sql(
                &self,
                ty: &tokio_postgres::types::Type,
                out: &mut bytes::BytesMut,
            ) -> Result<tokio_postgres::types::IsNull, Box<dyn std::error::Error + Sync + Send>>
            {
                let $own = self;
                $written.to_sql(ty, out)
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
                let $raw = <$inner as tokio_postgres::types::FromSql>::from_sql(ty, raw)?;
                $read
            }
            fn accepts(ty: &tokio_postgres::types::Type) -> bool {
                <$inner as tokio_postgres::types::FromSql>::accepts(ty)
            }
        }
    };
}

pub(crate) use column;
