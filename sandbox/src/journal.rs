//! The append-only file behind the sandbox's objects: one JSON line per committed request.
//!
//! A line is an array of the records of one transaction, so a crash keeps all of a request or nothing of it. The next
//! start drops a torn last line and rewrites the file without superseded records. A line is written before its answer
//! is sent, so a killed process loses nothing. It is flushed to the disk once a second (`sync`): a power cut may lose
//! the last second.

use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Seek, Write};
use std::path::{Path, PathBuf};

use bipe_core::private_file;

use crate::store::{Record, State};

pub struct Journal {
    file: File,
    dirty: bool,
}

/// The name carries the format: a journal of another one is left alone.
const FILE: &str = "sandbox-v1.journal";
const COMPACTED: &str = "sandbox-v1.journal.new";

/// Reads the journal of `data_dir`, drops a torn last line, compacts the file and opens it for appending.
pub fn open(data_dir: &Path, now: i64) -> io::Result<(Journal, State)> {
    private_file::make_folder(data_dir)?;
    let path = data_dir.join(FILE);
    let mut state = read(&path)?;
    state.prune(now);
    let file = compact(data_dir, &path, &state)?;
    Ok((Journal { file, dirty: false }, state))
}

/// Replays every whole line. A damaged line that is not the last one is an error: it is no torn write.
fn read(path: &PathBuf) -> io::Result<State> {
    let mut state = State::default();
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(state),
        Err(error) => return Err(error),
    };
    let mut lines = BufReader::new(file);
    let mut number = 0_u64;
    let mut line = Vec::new();
    loop {
        line.clear();
        number += 1;
        if lines.read_until(b'\n', &mut line)? == 0 {
            return Ok(state);
        }
        if line.last() != Some(&b'\n') {
            tracing::warn!(
                line = number,
                "the sandbox journal ends in a torn line, which is dropped"
            );
            return Ok(state);
        }
        let records: Vec<Record> = serde_json::from_slice(&line).map_err(|error| {
            let text = format!(
                "{} is damaged at line {number}: {error}; put a copy of it in its place, or move it away, and the \
                 sandbox begins empty",
                path.display()
            );
            io::Error::new(io::ErrorKind::InvalidData, text)
        })?;
        for record in records {
            state.apply(record);
        }
    }
}

/// Writes the present state to a new file and puts it in the place of the old one.
fn compact(data_dir: &Path, path: &Path, state: &State) -> io::Result<File> {
    let fresh = data_dir.join(COMPACTED);
    let mut out = BufWriter::new(private_file::create(&fresh)?);
    for record in state.records() {
        serde_json::to_writer(&mut out, &[record])?;
        out.write_all(b"\n")?;
    }
    let file = out.into_inner().map_err(|error| error.into_error())?;
    file.sync_all()?;
    std::fs::rename(&fresh, path)?;
    File::open(data_dir)?.sync_all()?;
    private_file::append(path)
}

impl Journal {
    /// Writes one line. After an error the file may end in half a line: nothing more may be appended.
    pub fn append(&mut self, records: &[Record]) -> io::Result<()> {
        let mut line = serde_json::to_vec(records)?;
        line.push(b'\n');
        let before = self.file.stream_position()?;
        self.dirty = true;
        self.file.write_all(&line).inspect_err(|error| {
            tracing::error!(%error, position = before, "the sandbox journal cannot be written");
        })
    }

    /// From now on every write fails.
    #[cfg(feature = "testing")]
    pub fn fill_disk(&mut self) -> io::Result<()> {
        self.file = File::open("/dev/null")?;
        Ok(())
    }

    /// Hands a second handle to the file out when something was written since the last call.
    pub fn unsynced(&mut self) -> Option<io::Result<File>> {
        std::mem::take(&mut self.dirty).then(|| self.file.try_clone())
    }
}
