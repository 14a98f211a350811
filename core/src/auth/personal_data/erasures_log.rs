//! The ids of erased people, in a file beside the data: a restored backup of the database does not know them.
//! Append-only. `erasure` appends behind its commit, and at the start reads the file and adds what it lacks. `bipe
//! restore` brings lists together.

use std::collections::BTreeSet;
use std::fmt::Display;
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

    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Makes the file and its folder where they are missing, and opens it as an erasure does: who cannot write it can
    /// erase nobody. Blocking.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn make(&self) -> io::Result<()> {
        open(&self.0).map(drop)
    }

    /// Adds an id and waits for the disk.
    pub(in crate::auth) async fn add(&self, runtime: &Handle, id: UserId) -> Result<()> {
        self.add_all(runtime, vec![id]).await
    }

    async fn add_all(&self, runtime: &Handle, ids: Vec<UserId>) -> Result<()> {
        let file = self.0.clone();
        let added = runtime.spawn_blocking(move || append(&file, &ids)).await;
        added.map_err(Error::internal)?.map_err(|error| self.failed(&error))
    }

    /// Adds those ids that are missing; returns how many that were.
    ///
    /// # Errors
    /// `Internal` when the file cannot be read or written.
    pub async fn add_missing(&self, runtime: &Handle, ids: &[UserId]) -> Result<usize> {
        let known: BTreeSet<UserId> = self.read(runtime).await?.into_iter().collect();
        let missing: BTreeSet<UserId> =
            ids.iter().filter(|id| !known.contains(*id)).copied().collect();
        let count = missing.len();
        if count > 0 {
            self.add_all(runtime, missing.into_iter().collect()).await?;
        }
        Ok(count)
    }

    /// Every id, as `ids` reads them; none where there is no file.
    ///
    /// # Errors
    /// `Internal` with the file's name when it cannot be read, and with the line that is no id.
    pub async fn read(&self, runtime: &Handle) -> Result<Vec<UserId>> {
        let file = self.0.clone();
        let read = runtime.spawn_blocking(move || fs::read_to_string(file)).await;
        match read.map_err(Error::internal)? {
            Ok(text) => ids(&text).map_err(|line| {
                let way_out = "mend it, or put the copy of the list back";
                self.failed(&format!("line {line} is no id of an account: {way_out}"))
            }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(error) => Err(self.failed(&error)),
        }
    }

    fn failed(&self, why: &dyn Display) -> Error {
        Error::internal(format!("{}: {why}", self.0.display()))
    }
}

/// The ids of a list. The beginning of an id names nobody: its node adds the whole one when it starts again.
///
/// # Errors
/// The number of the first line, from 1, that is neither an id nor the beginning of one: it is no such list.
pub fn ids(text: &str) -> Result<Vec<UserId>, usize> {
    let mut ids = Vec::new();
    // A file system may write zero bytes where a crash cut a line short.
    let is_blank = |letter: char| letter.is_whitespace() || letter == '\0';
    for (line, number) in text.lines().zip(1..) {
        let line = line.trim_matches(is_blank);
        match line.parse() {
            Ok(id) => ids.push(id),
            Err(_) if is_beginning(line) => {}
            Err(_) => return Err(number),
        }
    }
    Ok(ids)
}

/// Whether the line is the beginning of an id, or empty.
fn is_beginning(line: &str) -> bool {
    let fits = |(at, byte): (usize, u8)| match at {
        8 | 13 | 18 | 23 => byte == b'-',
        _ => byte.is_ascii_hexdigit(),
    };
    line.len() < 36 && line.bytes().enumerate().all(fits)
}

fn open(file: &Path) -> io::Result<fs::File> {
    if let Some(folder) = file.parent() {
        private_file::make_folder(folder)?;
    }
    private_file::append(file)
}

fn append(file: &Path, ids: &[UserId]) -> io::Result<()> {
    let mut file = open(file)?;
    // Lines of their own, also behind one that a crash cut short.
    let lines: String = ids.iter().map(|id| format!("\n{id}\n")).collect();
    file.write_all(lines.as_bytes())?;
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_may_have_lines_that_were_cut_short_and_none_of_anything_else() {
        let whole = "0190d5a3-3c1e-7a41-8f5b-1f2e3d4c5b6a";
        let id: UserId = whole.parse().unwrap();
        let cut = format!("\n{whole}\n\n0190d5a3-3c\n{whole}\n0190d5a3");
        assert_eq!(ids(&cut), Ok(vec![id, id]));
        assert_eq!(ids(&format!("{whole} \n0190\0\0\n{whole}\n\0\0\0")), Ok(vec![id, id]));
        let encrypted = "-----BEGIN AGE ENCRYPTED FILE-----\nYWdl\n";
        assert_eq!(ids(encrypted), Err(1));
        assert_eq!(ids(&format!("{whole}\n{whole}0\n")), Err(2));
    }
}
