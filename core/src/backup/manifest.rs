//! The first and the last entry of a backup: what it was taken from, and what it holds. Written by `take`, judged by
//! `load`.

use aws_lc_rs::digest;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::BackupError;
use crate::db::copy::{Sequence, Snapshot, Table};
use crate::db::migrate;
use crate::secret::{Key, KeyRing, hex};

/// The format of the file itself. Another one is for a change that this release could not read.
const FORMAT: u32 = 1;

/// `backup.json`: what is known before the first row.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Origin {
    pub format: u32,
    /// The release that took it.
    pub version: String,
    /// The newest migration of the database.
    pub schema: i32,
    /// The database was read as it stood then.
    pub at: Timestamp,
    /// Names the key that signs the manifest.
    pub key: String,
    /// In the order in which they follow.
    pub tables: Vec<Columns>,
    pub sequences: Vec<Sequence>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Columns {
    pub name: String,
    pub columns: Vec<String>,
}

impl Columns {
    pub fn of(tables: &[Table]) -> Vec<Self> {
        let columns =
            |table: &Table| Self { name: table.name.clone(), columns: table.columns.clone() };
        tables.iter().map(columns).collect()
    }
}

impl Origin {
    pub fn of(snapshot: &Snapshot, at: Timestamp, keys: &KeyRing) -> Self {
        Self {
            format: FORMAT,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            schema: snapshot.schema,
            at,
            key: keys.newest().id().to_string(),
            tables: Columns::of(&snapshot.tables),
            sequences: snapshot.sequences.clone(),
        }
    }

    /// # Errors
    /// `NotABackup`, `Newer`.
    pub fn read(data: &[u8]) -> Result<Self, BackupError> {
        #[derive(Deserialize)]
        struct Format {
            format: u32,
        }
        let unreadable = |_| BackupError::NotABackup("its first entry is not one of Bipe's");
        let Format { format } = serde_json::from_slice(data).map_err(unreadable)?;
        if format > FORMAT {
            let (found, known) = (format!("the backup has format {format}"), FORMAT.to_string());
            return Err(BackupError::Newer { found, known });
        }
        let origin: Self = serde_json::from_slice(data).map_err(unreadable)?;
        let newest = migrate::newest();
        if origin.schema > newest {
            let found = format!("the backup has schema {}", origin.schema);
            return Err(BackupError::Newer { found, known: newest.to_string() });
        }
        Ok(origin)
    }
}

/// Checks that one of the keys has the name that a file gives as its signer's.
///
/// # Errors
/// `OtherSecret` where none has.
pub fn check_key(name: &str, keys: &KeyRing) -> Result<(), BackupError> {
    let ours: Vec<String> = keys.all().map(|key| key.id().to_string()).collect();
    if ours.iter().any(|own| own == name) {
        return Ok(());
    }
    // What a file says of itself is shown, and may be anything.
    let made_with = name.chars().filter(char::is_ascii_hexdigit).take(16).collect();
    Err(BackupError::OtherSecret { made_with, ours: ours.join(", ") })
}

/// `manifest.json`: what follows was read to its end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Manifest {
    pub origin: Origin,
    /// As in `origin`.
    pub tables: Vec<TableSum>,
    /// Ids of erased people.
    pub erasures: Sum,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableSum {
    pub name: String,
    #[serde(flatten)]
    pub sum: Sum,
}

/// The number of rows and the SHA-256 of their text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sum {
    pub rows: u64,
    /// Of all bytes, as `sha256sum` prints it.
    pub sha256: String,
}

/// Counts and hashes what passes by.
pub struct Checksum {
    rows: u64,
    hash: digest::Context,
}

impl Default for Checksum {
    fn default() -> Self {
        Self { rows: 0, hash: digest::Context::new(&digest::SHA256) }
    }
}

impl Checksum {
    /// A line's end inside of a value is escaped, so each one ends a row.
    pub fn add(&mut self, bytes: &[u8]) {
        let rows = bytes.iter().filter(|byte| **byte == b'\n').count();
        self.rows = self.rows.saturating_add(u64::try_from(rows).unwrap_or(u64::MAX));
        self.hash.update(bytes);
    }

    pub fn end(self) -> Sum {
        Sum { rows: self.rows, sha256: hex(self.hash.finish().as_ref()) }
    }
}

impl Manifest {
    /// How many rows all tables have.
    pub fn rows(&self) -> u64 {
        self.tables.iter().map(|table| table.sum.rows).sum()
    }
}

/// Text that only who knows a root secret can have signed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Signature {
    /// Names the key.
    pub key: String,
    pub hmac_sha256: String,
}

impl Signature {
    /// Signs the bytes as they stand. `subject` keeps a result from being taken for a manifest.
    pub fn of(subject: &str, bytes: &[u8], keys: &KeyRing) -> Self {
        let key = keys.newest();
        let mac = key.mac(&[subject.as_bytes(), bytes]);
        Self { key: key.id().to_string(), hmac_sha256: hex(&mac) }
    }

    /// Whether one of the keys signed these bytes as this subject.
    pub fn is_of(&self, subject: &str, bytes: &[u8], keys: &KeyRing) -> bool {
        let mac = |key: &Key| hex(&key.mac(&[subject.as_bytes(), bytes]));
        keys.any_gives(self.hmac_sha256.as_bytes(), mac)
    }
}
