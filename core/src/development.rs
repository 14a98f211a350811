//! The development clock: how far it is ahead of the system's clock is a row, so that a restart does not go back in
//! time. `load` fills a database for load tests. Not routed in production (`http/src/routes.rs`).

pub mod load;

use crate::db::Db;
use crate::error::Result;

/// Sets a freshly started clock to where it stood.
pub async fn restore_clock(db: &Db) -> Result<()> {
    let row = db.ask(READ, &[]).await?;
    if let Some(row) = row {
        let ahead: i64 = row.try_get("offset_seconds")?;
        db.clock().advance(u32::try_from(ahead).unwrap_or(u32::MAX));
    }
    Ok(())
}

/// Moves the clock forward and keeps where it stands.
pub async fn advance_clock(db: &Db, seconds: u32) -> Result<()> {
    let ahead = db.clock().advance(seconds);
    let tx = db.tx().await?;
    tx.execute(WRITE, &[&ahead]).await?;
    tx.commit().await
}

const READ: &str = "SELECT offset_seconds FROM development_clock";
const WRITE: &str = "INSERT INTO development_clock (offset_seconds) VALUES ($1) \
     ON CONFLICT (only_row) DO UPDATE SET \
     offset_seconds = greatest(development_clock.offset_seconds, excluded.offset_seconds)";
