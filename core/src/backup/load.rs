//! Fills a new database from a backup, in one transaction that may commit only when the file was read to its end, says
//! what it holds, and is signed. Called by `bipe backup verify` and `bipe restore`.

use std::pin::pin;

use bytes::Bytes;
use futures_util::SinkExt;
use tokio::io::AsyncRead;

use super::archive::{Entry, Reader};
use super::manifest::{Checksum, Columns, Manifest, Origin, Signature, Sum, TableSum, check_key};
use super::take::{piece_name, sum_of};
use super::{BackupError, ERASURES, FIRST, LAST, SIGNATURE};
use crate::db::access::Login;
use crate::db::copy::{Table, TableLoad, TargetRefusal};
use crate::id::UserId;
use crate::secret::{KeyRing, hex, sha256};

/// Whose backup may be taken.
#[derive(Clone, Copy, Debug)]
pub enum Signer<'a> {
    /// That of an installation with one of these keys.
    Ours(&'a KeyRing),
    /// Anybody's, because the secret is lost. The checksums hold all the same.
    Anybody,
}

/// A backup whose first entry was read.
pub struct Opened<'a, R> {
    pub origin: Origin,
    signer: Signer<'a>,
    entries: Entries<R>,
}

/// What a whole backup held.
#[derive(Clone, Debug)]
pub struct Loaded {
    pub manifest: Manifest,
    /// Names this backup among all others.
    pub manifest_sha256: String,
    /// People who had been erased before.
    pub erased: Vec<UserId>,
}

/// A database that holds a whole backup, and keeps it only where that is committed.
pub struct UncommittedRestore {
    pub loaded: Loaded,
    load: TableLoad,
}

impl UncommittedRestore {
    /// # Errors
    /// `Database`; the database has no rows then.
    pub async fn commit(self) -> Result<Loaded, BackupError> {
        self.load.commit(&self.loaded.manifest.origin.sequences).await?;
        Ok(self.loaded)
    }
}

/// Looks one entry ahead.
struct Entries<R> {
    reader: Reader<R>,
    ahead: Option<Entry>,
}

impl<R: AsyncRead + Unpin> Entries<R> {
    /// The next entry, if it has that name.
    async fn take(&mut self, name: &str) -> Result<Option<Vec<u8>>, BackupError> {
        if self.ahead.is_none() {
            self.ahead = self.reader.next().await?;
        }
        let entry = self.ahead.take_if(|entry| entry.name == name);
        Ok(entry.map(|entry| entry.data))
    }

    async fn must(&mut self, name: &str) -> Result<Vec<u8>, BackupError> {
        let missing = || BackupError::Altered(format!("{name} is not where it belongs"));
        self.take(name).await?.ok_or_else(missing)
    }

    async fn end(&mut self) -> Result<(), BackupError> {
        match self.reader.next().await? {
            None => Ok(()),
            Some(_) => Err(BackupError::Altered("something stands behind its end".to_owned())),
        }
    }
}

impl<'a, R: AsyncRead + Unpin> Opened<'a, R> {
    /// Reads the first entry, and judges whether the rest may be read.
    ///
    /// # Errors
    /// `NotABackup`, `Newer`, `OtherSecret`, `Truncated`, `File`.
    pub async fn read(input: R, signer: Signer<'a>) -> Result<Self, BackupError> {
        let mut entries = Entries { reader: Reader::new(input), ahead: None };
        let first = entries.take(FIRST).await?;
        let first = first.ok_or(BackupError::NotABackup("its first entry is not one of Bipe's"))?;
        let origin = Origin::read(&first)?;
        if let Signer::Ours(keys) = signer {
            check_key(&origin.key, keys)?;
        }
        Ok(Self { origin, signer, entries })
    }

    /// Fills a database without rows, as the owner of its schema. Nothing is committed yet.
    ///
    /// # Errors
    /// `NotEmpty`, `OtherSchema`, `Truncated`, `Altered`, `DiskFull`, `File`, `Database`. The database has no rows then.
    pub async fn fill(mut self, owner: &Login) -> Result<UncommittedRestore, BackupError> {
        let needed = self.origin.schema;
        let load = match TableLoad::begin(owner, needed).await? {
            Ok(load) => load,
            Err(TargetRefusal::NotEmpty) => return Err(BackupError::NotEmpty),
            Err(TargetRefusal::OtherSchema(found)) => {
                return Err(BackupError::OtherSchema { found, needed });
            }
        };
        if Columns::of(&load.tables) != self.origin.tables {
            return Err(BackupError::Altered(format!(
                "its tables are not those of schema {needed}"
            )));
        }
        let mut tables = Vec::with_capacity(load.tables.len());
        for table in &load.tables {
            let sum = self.table(&load, table).await?;
            tables.push(TableSum { name: table.name.clone(), sum });
        }
        let loaded = self.judge(tables).await?;
        Ok(UncommittedRestore { loaded, load })
    }

    async fn table(&mut self, load: &TableLoad, table: &Table) -> Result<Sum, BackupError> {
        let refused = |error| BackupError::rows(&table.name, error);
        let mut sink = pin!(load.table(table).await?);
        let (mut checksum, mut number) = (Checksum::default(), 1);
        while let Some(piece) = self.entries.take(&piece_name(&table.name, number)).await? {
            checksum.add(&piece);
            if let Err(lost) = sink.send(Bytes::from(piece)).await {
                // The server's own words, where it said some.
                return Err(refused(sink.finish().await.err().unwrap_or(lost)));
            }
            number += 1;
        }
        sink.finish().await.map_err(refused)?;
        Ok(checksum.end())
    }

    /// Whether the end of the file confirms what was read, and is signed.
    async fn judge(&mut self, tables: Vec<TableSum>) -> Result<Loaded, BackupError> {
        let altered = |what: &str| BackupError::Altered(what.to_owned());
        let erasures = self.entries.must(ERASURES).await?;
        let text = self.entries.must(LAST).await?;
        let signature = self.entries.must(SIGNATURE).await?;
        self.entries.end().await?;
        let signature: Option<Signature> = serde_json::from_slice(&signature).ok();
        let is_signed = match self.signer {
            Signer::Ours(keys) => signature.is_some_and(|s| s.is_of(LAST, &text, keys)),
            Signer::Anybody => true,
        };
        let manifest: Option<Manifest> = serde_json::from_slice(&text).ok();
        let Some(manifest) = manifest.filter(|_| is_signed) else {
            return Err(altered("its manifest has another signature"));
        };
        let differs = manifest.tables.iter().zip(&tables).find(|(listed, found)| listed != found);
        if let Some((listed, _)) = differs {
            return Err(altered(&format!(
                "the rows of {} are not those of the manifest",
                listed.name
            )));
        }
        let is_same = manifest.origin == self.origin
            && manifest.tables == tables
            && manifest.erasures == sum_of(&erasures);
        if !is_same {
            return Err(altered("its manifest does not fit what was read"));
        }
        let erased = String::from_utf8_lossy(&erasures);
        let erased = erased.lines().filter_map(|line| line.parse().ok()).collect();
        let manifest_sha256 = hex(&sha256(&text));
        Ok(Loaded { manifest, manifest_sha256, erased })
    }
}
