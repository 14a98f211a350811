//! The ids of erased people, in a file beside the data: a restored backup of the database does not know them.
//! Append-only. `erasure` appends behind its commit, and at the start reads the file and adds what it lacks.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tokio::runtime::Handle;

use crate::error::{Error, Result};
use crate::id::UserId;
use crate::private_file;

const NAME: &str = "erasures.log";

/// Cheap to clone.
#[derive(Clone, Debug)]
pub struct ErasuresLog(PathBuf);

impl ErasuresLog {
    pub fn below(data_dir: &Path) -> Self {
        Self(data_dir.join(NAME))
    }

    /// Adds an id and waits for the disk.
    pub(in crate::auth) async fn add(&self, runtime: &Handle, id: UserId) -> Result<()> {
        let file = self.0.clone();
        let added = runtime.spawn_blocking(move || append(&file, id)).await;
        added.map_err(Error::internal)?.map_err(failed)
    }

    /// Adds those ids that are missing; returns how many that were.
    ///
    /// # Errors
    /// `Internal` when the file cannot be read or written.
    pub async fn add_missing(&self, runtime: &Handle, ids: &[UserId]) -> Result<usize> {
        let known: BTreeSet<UserId> = self.read(runtime).await?.into_iter().collect();
        let missing: BTreeSet<UserId> =
            ids.iter().filter(|id| !known.contains(*id)).copied().collect();
        for id in &missing {
            self.add(runtime, *id).await?;
        }
        Ok(missing.len())
    }

    /// Every id; a line that was cut short names nobody.
    ///
    /// # Errors
    /// `Internal` when the file cannot be read.
    pub async fn read(&self, runtime: &Handle) -> Result<Vec<UserId>> {
        let file = self.0.clone();
        let read = runtime.spawn_blocking(move || fs::read_to_string(file)).await;
        match read.map_err(Error::internal)? {
            Ok(text) => Ok(text.lines().filter_map(|line| line.parse().ok()).collect()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(error) => Err(failed(error)),
        }
    }
}

fn append(file: &Path, id: UserId) -> io::Result<()> {
    if let Some(folder) = file.parent() {
        private_file::make_folder(folder)?;
    }
    let mut file = private_file::append(file)?;
    // A line of its own, also behind one that a crash cut short.
    file.write_all(format!("\n{id}\n").as_bytes())?;
    file.sync_all()
}

fn failed(error: io::Error) -> Error {
    Error::internal(format!("{NAME}: {error}"))
}
