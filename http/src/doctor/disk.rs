//! Whether the disk of the data directory has room. Called by `mod.rs`.

use std::path::Path;

use rustix::fs::statvfs;

use super::guide;
use super::report::Check;

const MIB: u64 = 1024 * 1024;
/// The embedded database stops taking writes when its disk is full; its log alone may need this much.
const LEAST: u64 = 1024 * MIB;

/// `has_database`: the embedded one lies there.
pub fn examine(data_dir: &Path, has_database: bool) -> Check {
    let path = data_dir.display();
    if !data_dir.exists() {
        return Check::skipped(
            "disk.data",
            format!("{path} does not exist here; `bipe serve` makes it at its start"),
        );
    }
    match statvfs(data_dir) {
        Ok(disk) => {
            judge(&path.to_string(), disk.f_bavail.saturating_mul(disk.f_frsize), has_database)
        }
        Err(error) => Check::finding(
            "disk.data",
            format!("{path}: {error}"),
            "check who owns BIPE_DATA_DIR, and who runs this command",
            guide::SETTINGS,
        ),
    }
}

fn judge(path: &str, free: u64, has_database: bool) -> Check {
    let says = format!("{} MiB are free for {path}", free / MIB);
    if free < LEAST {
        let advice = if has_database {
            "free some space, or move BIPE_DATA_DIR: a full disk stops the database"
        } else {
            "free some space: while erasures.log cannot be written nobody's account can be erased"
        };
        return Check::finding("disk.data", says, advice, guide::DISK);
    }
    Check::ok("disk.data", says)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::report::Outcome::{Finding, Ok as Good, Skipped};

    #[test]
    fn less_than_a_gibibyte_is_a_finding() {
        assert_eq!(judge("x", LEAST, true).outcome, Good);
        let full = judge("x", LEAST - 1, true);
        assert_eq!((full.outcome, full.says.as_str()), (Finding, "1023 MiB are free for x"));
    }

    #[test]
    fn what_a_full_disk_stops_is_what_lies_there() {
        let advice = |has_database| judge("x", 0, has_database).advice.unwrap();
        assert!(advice(true).contains("stops the database"));
        assert!(advice(false).contains("erasures.log") && !advice(false).contains("database"));
    }

    #[test]
    fn a_disk_is_measured_and_a_folder_that_nobody_made_is_none() {
        assert_ne!(examine(Path::new("/"), true).outcome, Skipped);
        assert_eq!(examine(Path::new("/nowhere/at/all"), true).outcome, Skipped);
    }
}
