//! Writes a backup: every table in one snapshot, then the ids of erased people, then the signed manifest. Called by
//! `bipe backup`. It reads beside the work of all nodes and holds no lock that they wait for.

use std::pin::pin;

use bytes::{Bytes, BytesMut};
use futures_util::{Stream, TryStreamExt};
use tokio::io::AsyncWrite;

use super::archive::Writer;
use super::manifest::{Checksum, Manifest, Origin, Signature, Sum, TableSum};
use super::{BackupError, ERASURES, FIRST, LAST, MAX_ENTRY_BYTES, PIECE, SIGNATURE};
use crate::clock::Clock;
use crate::db::access::Login;
use crate::db::copy::{Snapshot, Table};
use crate::db::migrate;
use crate::error::{Error, for_terminal};
use crate::id::UserId;
use crate::secret::KeyRing;

/// What a backup is taken from.
pub struct Source<'a> {
    /// Works as `bipe_app`.
    pub login: &'a Login,
    pub erased: &'a [UserId],
    pub keys: &'a KeyRing,
    pub clock: &'a Clock,
}

/// Writes everything, and gives back where it was written to.
///
/// # Errors
/// `Newer` for the database of a newer release, `DiskFull`, `File`, `Database`.
pub async fn take<W>(source: &Source<'_>, out: W) -> Result<(Manifest, W), BackupError>
where
    W: AsyncWrite + Unpin,
{
    let snapshot = Snapshot::open(source.login).await?;
    if snapshot.schema > migrate::newest() {
        let found = format!("the database has schema {}", snapshot.schema);
        return Err(BackupError::Newer { found, known: migrate::newest().to_string() });
    }
    let at = source.clock.now();
    let mut writer = Writer::new(out, u64::try_from(at.as_second()).unwrap_or_default());
    let origin = Origin::of(&snapshot, at, source.keys);
    writer.entry(FIRST, &json(&origin)?).await?;
    let mut tables = Vec::with_capacity(snapshot.tables.len());
    for table in &snapshot.tables {
        let sum = pieces(&snapshot, table, &mut writer).await?;
        tables.push(TableSum { name: table.name.clone(), sum });
    }
    snapshot.close().await;
    let erasures = lines(source.erased);
    if erasures.len() > MAX_ENTRY_BYTES {
        return Err(BackupError::Database(Error::internal(
            "erasures.log is longer than a backup takes",
        )));
    }
    writer.entry(ERASURES, &erasures).await?;
    let manifest = Manifest { origin, tables, erasures: sum_of(&erasures) };
    let text = json(&manifest)?;
    writer.entry(LAST, &text).await?;
    writer.entry(SIGNATURE, &json(&Signature::of(LAST, &text, source.keys))?).await?;
    Ok((manifest, writer.finish().await?))
}

async fn pieces<W: AsyncWrite + Unpin>(
    snapshot: &Snapshot,
    table: &Table,
    writer: &mut Writer<W>,
) -> Result<Sum, BackupError> {
    let mut rows = pin!(snapshot.rows(table).await?);
    let (mut checksum, mut piece, mut number) = (Checksum::default(), BytesMut::new(), 0_u32);
    while let Some(row) = next(&mut rows).await? {
        checksum.add(&row);
        piece.extend_from_slice(&row);
        if piece.len() >= PIECE {
            number += 1;
            writer.entry(&piece_name(&table.name, number), &piece).await?;
            piece.clear();
        }
    }
    if !piece.is_empty() {
        writer.entry(&piece_name(&table.name, number + 1), &piece).await?;
    }
    Ok(checksum.end())
}

/// The rows of one table, counted and hashed.
pub(super) async fn sum_of_table(snapshot: &Snapshot, table: &Table) -> Result<Sum, BackupError> {
    let mut rows = pin!(snapshot.rows(table).await?);
    let mut checksum = Checksum::default();
    while let Some(row) = next(&mut rows).await? {
        checksum.add(&row);
    }
    Ok(checksum.end())
}

async fn next(
    rows: &mut (impl Stream<Item = Result<Bytes, tokio_postgres::Error>> + Unpin),
) -> Result<Option<Bytes>, BackupError> {
    Ok(rows.try_next().await.map_err(|error| for_terminal(&error))?)
}

/// Where a piece of a table stands, from 1.
pub(super) fn piece_name(table: &str, number: u32) -> String {
    format!("tables/{table}/{number:06}")
}

pub(super) fn sum_of(bytes: &[u8]) -> Sum {
    let mut checksum = Checksum::default();
    checksum.add(bytes);
    checksum.end()
}

fn lines(ids: &[UserId]) -> Vec<u8> {
    ids.iter().map(|id| format!("{id}\n")).collect::<String>().into_bytes()
}

fn json(value: &impl serde::Serialize) -> Result<Vec<u8>, BackupError> {
    Ok(serde_json::to_vec_pretty(value).map_err(Error::internal)?)
}
