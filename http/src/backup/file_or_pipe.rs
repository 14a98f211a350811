//! Where a backup is written to and read from: a file, or a pipe. Called by `mod.rs`.
//!
//! Invariant: no file that was there before is written, replaced or removed, whoever else writes beside it.

use std::fs::{self, File};
use std::io::{self, Read, stdin, stdout};
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};

use bipe_core::backup::BackupError;
use bipe_core::clock::Clock;
use bipe_core::private_file;
use rustix::fs::{CWD, RenameFlags, renameat_with};
use rustix::io::Errno;
use tokio::io::BufReader;

/// The buffer of a reader, in bytes.
const BUFFER: usize = 1 << 20;
/// Bytes of a result of `bipe backup verify` that are read.
const MAX_RESULT_BYTES: u64 = 1 << 20;

/// What a backup is written to.
pub struct Output {
    file: File,
    /// None for a pipe.
    name: Option<Name>,
}

/// The file has the first name, which nobody else has, until it is whole. What is half is removed when this is dropped.
struct Name {
    half: PathBuf,
    whole: PathBuf,
}

impl Output {
    /// # Errors
    /// `Exists`, `DiskFull`, `File`.
    pub fn open(to: &Path, clock: &Clock) -> Result<Self, BackupError> {
        if to == Path::new("-") {
            return Ok(Self {
                file: duplicate(stdout().as_fd().try_clone_to_owned())?,
                name: None,
            });
        }
        if to.exists() {
            return Err(BackupError::Exists(to.display().to_string()));
        }
        let mut half = to.as_os_str().to_owned();
        half.push(format!(".{}.part", clock.uuid()));
        let half = PathBuf::from(half);
        let file = private_file::create_new(&half).map_err(|error| named(to, error))?;
        Ok(Self { file, name: Some(Name { half, whole: to.to_path_buf() }) })
    }

    /// Lets it be written to. The file gets its name when it is whole and on disk; otherwise nothing is left of it, also
    /// where this is not awaited to its end.
    ///
    /// # Errors
    /// Those of `write`; `Exists`, `DiskFull`, `File`.
    pub async fn fill<T, F>(
        self,
        write: impl FnOnce(tokio::fs::File) -> F,
    ) -> Result<T, BackupError>
    where
        F: Future<Output = Result<(T, tokio::fs::File), BackupError>>,
    {
        let Self { file, name } = self;
        let (told, file) = write(tokio::fs::File::from_std(file)).await?;
        if let Some(name) = name {
            file.sync_all().await.map_err(BackupError::file)?;
            name.settle().map_err(|error| match error.kind() {
                io::ErrorKind::AlreadyExists => {
                    BackupError::Exists(name.whole.display().to_string())
                }
                _ => BackupError::file(error),
            })?;
        }
        Ok(told)
    }
}

impl Drop for Name {
    fn drop(&mut self) {
        // The error before this one is the one to show.
        drop(fs::remove_file(&self.half));
    }
}

impl Name {
    fn settle(&self) -> io::Result<()> {
        match renameat_with(CWD, &self.half, CWD, &self.whole, RenameFlags::NOREPLACE) {
            // A file system that cannot refuse by itself.
            Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => {
                if self.whole.exists() {
                    return Err(io::ErrorKind::AlreadyExists.into());
                }
                fs::rename(&self.half, &self.whole)?;
            }
            renamed => renamed?,
        }
        let folder = self.whole.parent().filter(|folder| !folder.as_os_str().is_empty());
        File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
    }
}

/// The text of a result that `bipe backup verify --json` printed.
///
/// # Errors
/// `File`.
pub fn read_result(from: &Path) -> Result<String, BackupError> {
    let file = open(from)?;
    io::read_to_string(file.take(MAX_RESULT_BYTES)).map_err(|error| named(from, error))
}

fn open(from: &Path) -> Result<File, BackupError> {
    match from == Path::new("-") {
        true => duplicate(stdin().as_fd().try_clone_to_owned()),
        false => File::open(from).map_err(|error| named(from, error)),
    }
}

/// An error of the file of that name.
fn named(path: &Path, error: io::Error) -> BackupError {
    match BackupError::file(error) {
        BackupError::File(_, error) => BackupError::File(path.display().to_string(), error),
        other => other,
    }
}

/// # Errors
/// `File`.
pub fn input(from: &Path) -> Result<BufReader<tokio::fs::File>, BackupError> {
    Ok(BufReader::with_capacity(BUFFER, tokio::fs::File::from_std(open(from)?)))
}

/// Without the buffer of the standard library, whose bytes would overtake others.
fn duplicate(pipe: io::Result<OwnedFd>) -> Result<File, BackupError> {
    pipe.map(File::from).map_err(BackupError::file)
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncWriteExt;

    use super::*;

    async fn write(
        text: &str,
        mut file: tokio::fs::File,
    ) -> Result<((), tokio::fs::File), BackupError> {
        file.write_all(text.as_bytes()).await.map_err(BackupError::file)?;
        Ok(((), file))
    }

    #[tokio::test]
    async fn two_of_one_name_and_a_file_beside_them_do_not_touch_each_other() {
        let clock = Clock::system();
        let folder = std::env::temp_dir().join(format!("bipe-place-{}", clock.uuid()));
        fs::create_dir_all(&folder).unwrap();
        let (to, beside) = (folder.join("b.tar"), folder.join("b.tar.part"));
        fs::write(&beside, "mine").unwrap();
        let first = Output::open(&to, &clock).unwrap();
        let second = Output::open(&to, &clock).unwrap();
        let third = Output::open(&to, &clock).unwrap();
        // It is not awaited: as if a signal came.
        drop(third.fill(|file| write("third", file)));
        first.fill(|file| write("first", file)).await.unwrap();
        let late = second.fill(|file| write("second", file)).await;
        assert!(matches!(late, Err(BackupError::Exists(_))), "{late:?}");
        assert_eq!(fs::read_to_string(&to).unwrap(), "first");
        assert_eq!(fs::read_to_string(&beside).unwrap(), "mine");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 2, "nothing is left of the others");
        fs::remove_dir_all(folder).unwrap();
    }
}
