//! The tar file (POSIX ustar, plain files alone), written and read from one end to the other, so that it fits through a
//! pipe. Called by `take` and `load`. It knows nothing of what the entries mean.

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

use super::{BackupError, MAX_ENTRY_BYTES};

const BLOCK: usize = 512;
/// Where the fields of a header stand.
const NAME: usize = 0;
const MODE: usize = 100;
const OWNERS: usize = 108;
const SIZE: usize = 124;
const TIME: usize = 136;
const CHECKSUM: usize = 148;
const KIND: usize = 156;
const MAGIC: usize = 257;
const USTAR: &[u8] = b"ustar\x0000";

/// Puts entries behind each other.
pub struct Writer<W> {
    out: W,
    /// The time that every entry carries, in seconds since 1970.
    time: u64,
}

impl<W: AsyncWrite + Unpin> Writer<W> {
    pub fn new(out: W, time: u64) -> Self {
        Self { out, time }
    }

    /// # Errors
    /// `DiskFull` or `File`.
    pub async fn entry(&mut self, name: &str, data: &[u8]) -> Result<(), BackupError> {
        let header = header(name, data.len(), self.time);
        let padding = data.len().next_multiple_of(BLOCK) - data.len();
        let padding = [0; BLOCK].get(..padding).unwrap_or_default().to_vec();
        for part in [&header[..], data, &padding] {
            self.out.write_all(part).await.map_err(BackupError::file)?;
        }
        Ok(())
    }

    /// Marks the end, and gives back what was written to.
    ///
    /// # Errors
    /// As `entry`.
    pub async fn finish(mut self) -> Result<W, BackupError> {
        self.out.write_all(&[0; 2 * BLOCK]).await.map_err(BackupError::file)?;
        self.out.flush().await.map_err(BackupError::file)?;
        Ok(self.out)
    }
}

fn header(name: &str, size: usize, time: u64) -> [u8; BLOCK] {
    let mut header = [0; BLOCK];
    let mut put = |at: usize, bytes: &[u8]| {
        for (place, byte) in header.iter_mut().skip(at).zip(bytes) {
            *place = *byte;
        }
    };
    put(NAME, name.as_bytes());
    put(MODE, b"0000600\0");
    put(OWNERS, b"0000000\x000000000\0");
    put(SIZE, format!("{size:011o}\0").as_bytes());
    put(TIME, format!("{time:011o}\0").as_bytes());
    put(CHECKSUM, b"        ");
    put(KIND, b"0");
    put(MAGIC, USTAR);
    let sum = format!("{:06o}\0 ", sum(&header));
    for (place, byte) in header.iter_mut().skip(CHECKSUM).zip(sum.as_bytes()) {
        *place = *byte;
    }
    header
}

/// The checksum of a header: the sum of its bytes, with its own field read as spaces.
fn sum(header: &[u8; BLOCK]) -> u32 {
    let own = CHECKSUM..CHECKSUM + 8;
    let bytes = header.iter().enumerate();
    bytes.map(|(at, byte)| u32::from(if own.contains(&at) { b' ' } else { *byte })).sum()
}

pub struct Entry {
    pub name: String,
    pub data: Vec<u8>,
}

/// Takes entries from the front.
pub struct Reader<R> {
    input: R,
    /// Something was read.
    has_begun: bool,
}

impl<R: AsyncRead + Unpin> Reader<R> {
    pub fn new(input: R) -> Self {
        Self { input, has_begun: false }
    }

    /// The next entry; none at the marked end.
    ///
    /// # Errors
    /// `Truncated` where the file ends before it; `NotABackup` at the first entry and `Altered` at a later one for what is
    /// no tar; `File`.
    pub async fn next(&mut self) -> Result<Option<Entry>, BackupError> {
        let mut header = [0; BLOCK];
        self.input.read_exact(&mut header).await.map_err(BackupError::file)?;
        let is_first = !std::mem::replace(&mut self.has_begun, true);
        if header == [0; BLOCK] && !is_first {
            self.input.read_exact(&mut header).await.map_err(BackupError::file)?;
            return Ok(None);
        }
        let Some((name, size)) = read_header(&header) else {
            return Err(match is_first {
                true => BackupError::NotABackup("it does not begin as a tar file"),
                false => BackupError::Altered("an entry has no header".to_owned()),
            });
        };
        if size > MAX_ENTRY_BYTES {
            return Err(BackupError::Altered(format!("{name} is too long")));
        }
        let mut data = vec![0; size.next_multiple_of(BLOCK)];
        self.input.read_exact(&mut data).await.map_err(BackupError::file)?;
        data.truncate(size);
        Ok(Some(Entry { name, data }))
    }
}

fn read_header(header: &[u8; BLOCK]) -> Option<(String, usize)> {
    let text = |at: usize, length: usize| {
        let field = header.get(at..at + length)?;
        std::str::from_utf8(field.split(|byte| *byte == 0).next()?).ok()
    };
    let stored = u32::from_str_radix(text(CHECKSUM, 6)?, 8).ok()?;
    let is_file = header.get(KIND) == Some(&b'0') && header.get(MAGIC..)?.starts_with(USTAR);
    if stored != sum(header) || !is_file {
        return None;
    }
    Some((text(NAME, 100)?.to_owned(), usize::from_str_radix(text(SIZE, 12)?, 8).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn written() -> Vec<u8> {
        let mut writer = Writer::new(Vec::new(), 1_700_000_000);
        for (name, data) in
            [("a.json", &b"{}"[..]), ("tables/users/000001", &[7; BLOCK]), ("b", b"")]
        {
            writer.entry(name, data).await.unwrap();
        }
        writer.finish().await.unwrap()
    }

    async fn read(bytes: &[u8]) -> Result<Vec<(String, usize)>, BackupError> {
        let (mut reader, mut found) = (Reader::new(bytes), Vec::new());
        while let Some(entry) = reader.next().await? {
            found.push((entry.name, entry.data.len()));
        }
        Ok(found)
    }

    #[tokio::test]
    async fn entries_come_back_and_the_systems_tar_lists_them() {
        let bytes = written().await;
        let expected = [("a.json", 2), ("tables/users/000001", BLOCK), ("b", 0)];
        assert_eq!(
            read(&bytes).await.unwrap(),
            expected.map(|(name, size)| (name.to_owned(), size))
        );
        let file = std::env::temp_dir().join(format!("bipe-archive-{}.tar", std::process::id()));
        std::fs::write(&file, bytes).unwrap();
        let listed = std::process::Command::new("tar").arg("-tf").arg(&file).output().unwrap();
        std::fs::remove_file(file).unwrap();
        assert_eq!(String::from_utf8_lossy(&listed.stdout), "a.json\ntables/users/000001\nb\n");
    }

    #[tokio::test]
    async fn wherever_it_is_cut_it_is_truncated() {
        let bytes = written().await;
        for length in 0..bytes.len() {
            let cut = read(&bytes[..length]).await;
            assert!(matches!(cut, Err(BackupError::Truncated)), "{length}: {cut:?}");
        }
    }

    #[tokio::test]
    async fn something_else_is_no_backup_and_a_bent_header_is_altered() {
        let other = read(&[b'x'; 2048]).await;
        assert!(matches!(other, Err(BackupError::NotABackup(_))), "{other:?}");
        let mut bytes = written().await;
        bytes[2 * BLOCK] ^= 1;
        let bent = read(&bytes).await;
        assert!(matches!(bent, Err(BackupError::Altered(_))), "{bent:?}");
    }
}
