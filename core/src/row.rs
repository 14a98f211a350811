//! `from_row!` reads a struct from a row. Called by every module that keeps something. A column that holds something
//! else than the type of its field is a defect: reading it gives `Error::Internal`.

/// Reads each field from the column of its name, or from the column that is named behind it.
macro_rules! from_row {
    (@ $field:ident $column:literal) => { $column };
    (@ $field:ident) => { stringify!($field) };
    ($name:ident { $($field:ident $(: $column:literal)?),+ $(,)? }) => {
        impl TryFrom<&tokio_postgres::Row> for $name {
            type Error = crate::error::Error;

            fn try_from(row: &tokio_postgres::Row) -> crate::error::Result<Self> {
                Ok(Self { $($field: row.try_get(crate::row::from_row!(@ $field $($column)?))?),+ })
            }
        }
    };
}

pub(crate) use from_row;
