//! What the checker finds in the log of sockets.

use std::sync::atomic::{AtomicUsize, Ordering};

use bipe_swarm::herd::log::{Entry, Findings, Kind, Log, check};

fn entry(kind: Kind, seq: i64) -> Entry {
    Entry { socket: 70_000, channel: 2, kind, seq }
}

/// As the checker reads them from a log.
fn findings(entries: &[Entry]) -> Findings {
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let path = std::env::temp_dir().join(format!("bipe-log-{}-{number}", std::process::id()));
    let mut log = Log::create(&path).unwrap();
    for entry in entries {
        log.add(*entry).unwrap();
    }
    log.flush().unwrap();
    let findings = check(&path).unwrap();
    std::fs::remove_file(path).unwrap();
    findings
}

#[test]
fn a_whole_story_has_no_finding() {
    use Kind::{Event, Live, Snapshot};
    let told = [(Snapshot, 4), (Live, 4), (Event, 5), (Event, 6), (Live, 6), (Event, 7)];
    let found = findings(&told.map(|(kind, seq)| entry(kind, seq)));
    assert_eq!((found.gaps, found.duplicates, found.events, found.lives), (0, 0, 3, 2));
}

#[test]
fn what_is_missing_or_comes_twice_is_found() {
    use Kind::{Event, Live, Reset, Snapshot};
    let told = |told: &[(Kind, i64)]| {
        let entries: Vec<Entry> = told.iter().map(|(kind, seq)| entry(*kind, *seq)).collect();
        let found = findings(&entries);
        (found.gaps, found.duplicates)
    };
    assert_eq!(told(&[(Snapshot, 4), (Event, 6)]), (1, 0));
    assert_eq!(told(&[(Snapshot, 4), (Event, 5), (Event, 5)]), (0, 1));
    assert_eq!(told(&[(Snapshot, 4), (Live, 5)]), (1, 0));
    assert_eq!(told(&[(Snapshot, 4), (Reset, 0), (Event, 9)]), (1, 0));
    assert_eq!(told(&[(Snapshot, 4), (Reset, 0), (Snapshot, 9), (Event, 10)]), (0, 0));
}

#[test]
fn sockets_and_channels_are_apart() {
    let mut other = entry(Kind::Snapshot, 90);
    other.channel = 3;
    let found = findings(&[entry(Kind::Snapshot, 4), other, entry(Kind::Event, 5)]);
    assert_eq!((found.gaps, found.duplicates), (0, 0));
}
