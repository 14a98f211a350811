//! What `bipe backup verify` prints: the checks in the form of `bipe doctor`, and as JSON with a signature. Called by
//! `mod.rs` and `cli.rs`.

use bipe_core::backup::BackupError;
use bipe_core::backup::load::Loaded;
use bipe_core::backup::manifest::{Signature, check_key};
use bipe_core::backup::verify::VerificationResult;
use bipe_core::secret::KeyRing;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::doctor::guide;
use crate::doctor::report::{Check, Report};

const SUBJECT: &str = "bipe backup verify";
/// Findings of one kind that are named; the others are counted.
const NAMED: usize = 5;

/// Which backup was examined when, and what was found.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct VerificationReport {
    backup: Backup,
    /// The instant of the examination.
    at: Timestamp,
    #[serde(flatten)]
    pub report: Report,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Backup {
    manifest_sha256: String,
    /// The instant of the backup.
    at: Timestamp,
    version: String,
    schema: i32,
    tables: usize,
    rows: u64,
    erased_people: usize,
}

/// The result as it was signed, byte by byte.
#[derive(Serialize, Deserialize)]
struct Signed {
    result: Box<RawValue>,
    signature: Signature,
}

impl VerificationReport {
    pub fn of(
        loaded: &Loaded,
        result: &VerificationResult,
        is_signed: bool,
        at: Timestamp,
    ) -> Self {
        let origin = &loaded.manifest.origin;
        let backup = Backup {
            manifest_sha256: loaded.manifest_sha256.clone(),
            at: origin.at,
            version: origin.version.clone(),
            schema: origin.schema,
            tables: loaded.manifest.tables.len(),
            rows: loaded.manifest.rows(),
            erased_people: loaded.erased.len(),
        };
        let payments: Vec<String> = result
            .payments
            .iter()
            .map(|found| format!("{} {}: {}", found.invariant, found.subject, found.detail))
            .collect();
        let figures: Vec<String> = result.figures.iter().map(|&name| name.to_owned()).collect();
        let checks = vec![
            file(is_signed, &origin.key),
            check(
                ("backup.tables", "what was restored is what the manifest says"),
                &result.differing,
                "take another backup; this one restores something else than it holds",
            ),
            check(
                ("backup.payments", "the payment invariants hold, as far as the database knows"),
                &payments,
                "look at the same findings of the running installation: the backup has what it had",
            ),
            check(
                ("backup.figures", "the figures are those of a recount"),
                &figures,
                "compare with the dashboard of the running installation",
            ),
        ];
        Self { backup, at, report: Report::of(checks) }
    }

    /// For a person.
    pub fn text(&self) -> String {
        let Backup { manifest_sha256, at, version, schema, tables, rows, .. } = &self.backup;
        let what = format!(
            "backup of {at}, release {version}, schema {schema}: {rows} rows of {tables} tables"
        );
        format!("{what}\nmanifest {manifest_sha256}\n\n{}", self.report.text())
    }

    /// For a program, and to be kept.
    ///
    /// # Errors
    /// When it has no JSON form, which would be a defect.
    pub fn signed(&self, keys: &KeyRing) -> serde_json::Result<String> {
        let result = serde_json::value::to_raw_value(self)?;
        let signature = Signature::of(SUBJECT, result.get().as_bytes(), keys);
        serde_json::to_string(&Signed { result, signature })
    }
}

fn file(is_signed: bool, key: &str) -> Check {
    if is_signed {
        return Check::ok("backup.file", format!("whole, and signed with the key {key}"));
    }
    let says = "whole; whoever wrote it, --any-secret takes it";
    Check::finding("backup.file", says, "be sure where the file comes from", guide::BACKUPS)
}

fn check((name, says): (&'static str, &str), found: &[String], advice: &str) -> Check {
    if found.is_empty() {
        return Check::ok(name, says);
    }
    let named = found.iter().take(NAMED).cloned().collect::<Vec<_>>().join("; ");
    let says = match found.len().saturating_sub(NAMED) {
        0 => named,
        more => format!("{named}; and {more} more"),
    };
    Check::finding(name, says, advice, guide::BACKUPS)
}

/// Whether the text is a result that one of the keys signed; the signed part itself.
///
/// # Errors
/// `NotABackup` for something else, `OtherSecret`, `Altered`.
pub fn check_signature(text: &str, keys: &KeyRing) -> Result<String, BackupError> {
    let unreadable = |_| BackupError::NotABackup("it is no result of `bipe backup verify --json`");
    let Signed { result, signature } = serde_json::from_str(text).map_err(unreadable)?;
    check_key(&signature.key, keys)?;
    if !signature.is_of(SUBJECT, result.get().as_bytes(), keys) {
        return Err(BackupError::Altered("the result has another signature".to_owned()));
    }
    Ok(result.get().to_owned())
}
