//! Lists `migrations/` for `core/src/db/migrate.rs`, which puts them into the program: names and texts, sorted by name.

use std::error::Error;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

#[expect(clippy::disallowed_methods, reason = "cargo names the folder there")]
fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=../migrations");
    let folder = fs::read_dir(fs::canonicalize("../migrations")?)?;
    let files = folder.map(|file| file.map(|file| file.path()));
    let mut files = files.collect::<io::Result<Vec<PathBuf>>>()?;
    files.sort();
    let mut list = String::from("&[\n");
    for file in files.iter().filter(|file| is_migration(file)) {
        let name = file.file_stem().unwrap_or_default();
        writeln!(list, "({name:?}, include_str!({file:?})),")?;
    }
    list.push_str("]\n");
    Ok(fs::write(Path::new(&env::var("OUT_DIR")?).join("migrations.rs"), list)?)
}

/// An editor's own files have other names.
fn is_migration(file: &Path) -> bool {
    let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    name.starts_with('V') && name.ends_with(".sql")
}
