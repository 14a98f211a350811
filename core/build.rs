//! Lists `migrations/` for `core/src/db/migrate.rs`, which puts them into the program: versions, names and texts,
//! sorted by name. A name that no migration can have fails the build, and so does a version of two files.

use std::collections::BTreeSet;
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
    let (mut list, mut versions) = (String::from("&[\n"), BTreeSet::new());
    for file in files.iter().filter(|file| is_migration(file)) {
        let name = file.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
        let version = version(name)
            .ok_or_else(|| format!("{name}: a migration is named V, its number, __ and words"))?;
        if !versions.insert(version) {
            return Err(format!("{name}: another migration has this number").into());
        }
        writeln!(list, "({version}, {name:?}, include_str!({file:?})),")?;
    }
    list.push_str("]\n");
    Ok(fs::write(Path::new(&env::var("OUT_DIR")?).join("migrations.rs"), list)?)
}

/// `1` of `V001__roles`, as refinery reads it.
fn version(name: &str) -> Option<i32> {
    let (number, words) = name.strip_prefix('V')?.split_once("__")?;
    let is_named = !words.is_empty() && words.chars().all(|c| c.is_alphanumeric() || c == '_');
    let is_number = number.bytes().all(|digit| digit.is_ascii_digit());
    number.parse().ok().filter(|_| is_named && is_number)
}

/// An editor's own files are hidden or end otherwise.
fn is_migration(file: &Path) -> bool {
    let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    !name.starts_with('.') && name.ends_with(".sql")
}
