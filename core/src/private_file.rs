//! Files and folders that only this user may read: secrets, the sandbox's objects, the ids of erased people.
//!
//! Called by everything that writes below BIPE_DATA_DIR. A folder that exists already keeps its mode: another program
//! may have made it.

use std::fs::{DirBuilder, File, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt, fchown};
use std::path::Path;

/// For owner alone.
const FILE: u32 = 0o600;
const FOLDER: u32 = 0o700;

/// Makes the folder, mode 0700, if there is none, and the ones above it as usual; whether it was made.
///
/// # Errors
/// When it cannot be made.
pub fn make_folder(folder: &Path) -> io::Result<bool> {
    if let Some(above) = folder.parent() {
        std::fs::create_dir_all(above)?;
    }
    match DirBuilder::new().mode(FOLDER).create(folder) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && folder.is_dir() => Ok(false),
        Err(error) => Err(error),
    }
}

/// An empty file, mode 0600, whatever stood there before.
///
/// # Errors
/// When it cannot be written.
pub fn create(file: &Path) -> io::Result<File> {
    open(file, OpenOptions::new().write(true).create(true).truncate(true))
}

/// An empty file, mode 0600, where there was none.
///
/// # Errors
/// When it cannot be written; `AlreadyExists`.
pub fn create_new(file: &Path) -> io::Result<File> {
    open(file, OpenOptions::new().write(true).create_new(true))
}

/// The file, mode 0600, to write behind what it holds. A new one that root makes belongs to the owner of its folder.
///
/// # Errors
/// When it cannot be written.
pub fn append(file: &Path) -> io::Result<File> {
    match open(file, OpenOptions::new().append(true).create_new(true)) {
        Ok(made) => {
            hand_over(&made, file)?;
            Ok(made)
        }
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            open(file, OpenOptions::new().append(true).create(true))
        }
        Err(error) => Err(error),
    }
}

/// A command that root types may be the first to write where a service of another user works.
fn hand_over(made: &File, path: &Path) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = std::fs::metadata(folder.unwrap_or(Path::new(".")))?;
    if made.metadata()?.uid() == 0 && folder.uid() != 0 {
        // A file system without owners lets its one user write anyway.
        drop(fchown(made, Some(folder.uid()), Some(folder.gid())));
    }
    Ok(())
}

fn open(file: &Path, options: &mut OpenOptions) -> io::Result<File> {
    let file = options.mode(FILE).open(file)?;
    // One of an earlier release may be readable by others.
    file.set_permissions(Permissions::from_mode(FILE))?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mode(path: &Path) -> u32 {
        path.metadata().unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn nobody_else_reads_what_is_made_and_a_found_folder_keeps_its_mode() {
        let above = std::env::temp_dir().join(format!("bipe-private-{}", std::process::id()));
        let folder = above.join("data");
        assert!(make_folder(&folder).unwrap());
        assert_eq!(mode(&folder), 0o700);
        std::fs::set_permissions(&folder, Permissions::from_mode(0o755)).unwrap();
        assert!(!make_folder(&folder).unwrap());
        assert_eq!(mode(&folder), 0o755);
        let readable = |name: &str| {
            let file = folder.join(name);
            std::fs::write(&file, "readable").unwrap();
            std::fs::set_permissions(&file, Permissions::from_mode(0o644)).unwrap();
            file
        };
        create(&readable("a")).unwrap();
        append(&readable("b")).unwrap();
        assert_eq!([mode(&folder.join("a")), mode(&folder.join("b"))], [0o600, 0o600]);
        assert_eq!(std::fs::read_to_string(folder.join("a")).unwrap(), "");
        assert_eq!(std::fs::read_to_string(folder.join("b")).unwrap(), "readable");
        let taken = create_new(&folder.join("b")).unwrap_err();
        assert_eq!(taken.kind(), io::ErrorKind::AlreadyExists);
        std::fs::remove_dir_all(above).unwrap();
    }

    #[test]
    fn what_root_makes_belongs_to_the_owner_of_the_folder() {
        let folder = std::env::temp_dir().join(format!("bipe-owner-{}", std::process::id()));
        make_folder(&folder).unwrap();
        let is_root = folder.metadata().unwrap().uid() == 0;
        if is_root {
            std::os::unix::fs::chown(&folder, Some(65534), Some(65533)).unwrap();
        }
        let (list, owner) = (folder.join("list"), folder.metadata().unwrap());
        append(&list).unwrap();
        let made = list.metadata().unwrap();
        assert_eq!((made.uid(), made.gid()), (owner.uid(), owner.gid()));
        std::fs::remove_dir_all(folder).unwrap();
    }
}
