//! Where a backup is written to and read from: a file, or a pipe. Called by `mod.rs`.

use std::fs::{self, File};
use std::io::{self, stdin, stdout};
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};

use bipe_core::backup::BackupError;
use bipe_core::private_file;
use tokio::io::BufReader;

/// Of a reader, in bytes.
const BUFFER: usize = 1 << 20;

/// What a backup is written to.
pub struct Output {
    file: File,
    /// None for a pipe.
    name: Option<Name>,
}

/// The file has the first name until it is whole.
struct Name {
    half: PathBuf,
    whole: PathBuf,
}

impl Output {
    /// # Errors
    /// `Exists`, `DiskFull`, `File`.
    pub fn open(to: &Path) -> Result<Self, BackupError> {
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
        half.push(".part");
        let half = PathBuf::from(half);
        let file = private_file::create(&half).map_err(BackupError::file)?;
        Ok(Self { file, name: Some(Name { half, whole: to.to_path_buf() }) })
    }

    /// Lets it be written to. The file gets its name when it is whole and on disk; otherwise nothing is left of it.
    ///
    /// # Errors
    /// What the writing says; `DiskFull`, `File`.
    pub async fn fill<T, F>(
        self,
        write: impl FnOnce(tokio::fs::File) -> F,
    ) -> Result<T, BackupError>
    where
        F: Future<Output = Result<(T, tokio::fs::File), BackupError>>,
    {
        let Self { file, name } = self;
        let written = write(tokio::fs::File::from_std(file)).await;
        let Some(name) = name else { return written.map(|(told, _pipe)| told) };
        let kept = match written {
            Ok((told, file)) => match file.sync_all().await.and_then(|()| name.settle()) {
                Ok(()) => return Ok(told),
                Err(error) => BackupError::file(error),
            },
            Err(error) => error,
        };
        // The first error is the one to show.
        drop(fs::remove_file(&name.half));
        Err(kept)
    }
}

impl Name {
    fn settle(&self) -> io::Result<()> {
        if self.whole.exists() {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        fs::rename(&self.half, &self.whole)?;
        let folder = self.whole.parent().filter(|folder| !folder.as_os_str().is_empty());
        File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
    }
}

/// # Errors
/// `File`.
pub fn open(from: &Path) -> Result<File, BackupError> {
    match from == Path::new("-") {
        true => duplicate(stdin().as_fd().try_clone_to_owned()),
        false => File::open(from).map_err(BackupError::file),
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
