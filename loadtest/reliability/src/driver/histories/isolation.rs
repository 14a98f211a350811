//! Whether one order of all operations explains what every client was told: list-append as Elle judges it, with
//! the checker of `adya`. Pure.
//!
//! Asked for is strict serializability: nothing is read that was refused, no two reads tell different orders, and who
//! begins after an answer sees what it answered.

use std::collections::BTreeMap;
use std::time::Duration;

use adya::history::{Interner, Mop, Op, OpType, ReadValue, Scalar};
use adya::{Opts, Valid, Workload, check};
use bipe_nodes::ledger::Ended;

use super::log::{History, Read, Shown};

/// The lists as they are stored in the end, oldest first.
pub type Lists = BTreeMap<String, Vec<String>>;

/// For the search in one knot of operations.
const TIMEOUT: Duration = Duration::from_secs(20);

/// What no order explains, in words.
pub fn anomalies(history: &History, lists: &Lists) -> Vec<String> {
    let history = told(history, lists);
    let opts = Opts { timeout: TIMEOUT, ..Opts::default() };
    let report = check(&history, Workload::ListAppend, &opts);
    if report.valid == Valid::True {
        return Vec::new();
    }
    let all = report.anomalies.iter();
    all.flat_map(|(kind, found)| {
        found.iter().map(move |one| format!("{kind}: {}", one.explanation))
    })
    .collect()
}

/// The moments of a history in their order. What ends at a moment ends after what begins at it: that proves less.
fn told(history: &History, lists: &Lists) -> adya::History {
    let (mut interner, mut moments) = (Interner::default(), Vec::new());
    let mut process = 0;
    let mut add = |mop: Mop, asked: Mop, (invoked, kind, at): (u64, OpType, Option<u64>)| {
        process += 1;
        // An operation that never ended may still take effect: it ends behind everything.
        let at = at.unwrap_or(u64::MAX);
        for (moment, is_end, kind, mop) in
            [(invoked, false, OpType::Invoke, asked), (at.max(invoked), true, kind, mop)]
        {
            moments.push(((moment, is_end), process, kind, mop));
        }
    };
    for append in &history.appends {
        let key = interner.intern(Scalar::Str(append.list.clone()));
        let value = interner.intern(Scalar::Str(append.value.clone()));
        let mop = Mop::Append { key, value };
        let ended = match append.ended {
            Ended::Ok(at) => (append.invoked, OpType::Ok, Some(at)),
            Ended::Failed => (append.invoked, OpType::Fail, None),
            Ended::Unknown => (append.invoked, OpType::Info, None),
        };
        add(mop.clone(), mop, ended);
    }
    for read in &history.reads {
        let key = interner.intern(Scalar::Str(read.list.clone()));
        let shown = shown(read, lists).into_iter().map(|value| interner.intern(Scalar::Str(value)));
        let mop = Mop::Read { key, value: ReadValue::List(shown.collect()) };
        let asked = Mop::Read { key, value: ReadValue::Nil };
        add(mop, asked, (read.invoked, OpType::Ok, Some(read.at)));
    }
    moments.sort_by_key(|(moment, process, ..)| (*moment, *process));
    let ops = (0..).zip(moments).map(|(index, ((moment, _), process, kind, value))| Op {
        index,
        kind,
        process: Some(process),
        value: vec![value],
        time: i64::try_from(moment.saturating_mul(1_000)).ok(),
    });
    adya::History::from_ops(ops.collect(), interner)
}

/// What the read showed as a list. The newest value stands for itself and everything before it; a value that is stored
/// nowhere stands behind all others.
fn shown(read: &Read, lists: &Lists) -> Vec<String> {
    let stored = lists.get(&read.list).map(Vec::as_slice).unwrap_or_default();
    let place = |value: &String| stored.iter().position(|other| other == value);
    match &read.shown {
        Shown::Newest(value) => match place(value) {
            Some(at) => stored.iter().take(at + 1).cloned().collect(),
            None => vec![value.clone()],
        },
        Shown::All(values) => {
            let mut values = values.clone();
            values.sort_by_key(|value| place(value).unwrap_or(usize::MAX));
            values
        }
    }
}

#[cfg(test)]
mod tests {
    use bipe_nodes::ledger::Append;

    use super::*;

    const LIST: &str = "names of c";

    fn append(value: &str, invoked: u64, ended: Ended) -> Append {
        Append { list: LIST.into(), value: value.into(), invoked, ended }
    }

    fn all(values: &[&str], invoked: u64, at: u64) -> Read {
        let shown = Shown::All(values.iter().map(|value| (*value).to_owned()).collect());
        Read { list: LIST.into(), shown, invoked, at }
    }

    fn newest(value: &str, invoked: u64, at: u64) -> Read {
        Read { list: LIST.into(), shown: Shown::Newest(value.into()), invoked, at }
    }

    fn stored(values: &[&str]) -> Lists {
        let values = values.iter().map(|value| (*value).to_owned()).collect();
        BTreeMap::from([(LIST.into(), values)])
    }

    /// `b` was not answered and is there, `x` was not answered and is not, `f` was refused.
    fn good() -> (History, Lists) {
        let appends = vec![
            append("a", 0, Ended::Ok(10)),
            append("b", 20, Ended::Unknown),
            append("x", 25, Ended::Unknown),
            append("f", 26, Ended::Failed),
            append("c", 30, Ended::Ok(40)),
            append("d", 32, Ended::Ok(60)),
        ];
        let reads = vec![
            newest("a", 12, 15),
            newest("b", 21, 29),
            all(&["b", "a"], 22, 35),
            newest("c", 45, 50),
            all(&["d", "c", "b", "a"], 61, 70),
        ];
        (History { appends, reads }, stored(&["a", "b", "c", "d"]))
    }

    fn found(change: impl FnOnce(&mut History, &mut Lists)) -> String {
        let (mut history, mut lists) = good();
        change(&mut history, &mut lists);
        anomalies(&history, &lists).join("\n")
    }

    #[test]
    fn a_history_with_unanswered_and_refused_commands_is_explained() {
        assert_eq!(found(|_, _| {}), "");
    }

    #[test]
    fn a_read_that_misses_what_was_answered_before_it_is_stale() {
        let stale = found(|history, _| history.reads.push(newest("a", 62, 65)));
        assert!(stale.contains("G-single-item-realtime"), "{stale}");
        let stale = found(|history, _| history.reads.push(all(&["a", "b", "c"], 62, 65)));
        assert!(stale.contains("G-single-item-realtime"), "{stale}");
    }

    #[test]
    fn a_lost_append_is_found() {
        // `d` was answered, and the list that is read in the end lacks it.
        let lost = found(|history, lists| {
            history.reads.pop();
            history.reads.push(all(&["a", "b", "c"], 61, 70));
            *lists = stored(&["a", "b", "c"]);
        });
        assert!(lost.contains("realtime"), "{lost}");
    }

    #[test]
    fn what_was_refused_and_is_shown_is_an_aborted_read() {
        let shown = found(|history, lists| {
            *lists = stored(&["a", "b", "c", "d", "f"]);
            history.reads.push(newest("f", 71, 72));
        });
        assert!(shown.contains("G1a"), "{shown}");
    }

    #[test]
    fn a_value_that_is_there_twice_is_found() {
        let twice = found(|history, _| history.reads.push(all(&["a", "b", "c", "d", "d"], 71, 72)));
        assert!(twice.contains("duplicate-elements"), "{twice}");
    }

    #[test]
    fn two_reads_that_tell_different_orders_are_found() {
        let differ = found(|history, _| history.reads.push(all(&["a", "c"], 41, 43)));
        assert!(differ.contains("incompatible-order"), "{differ}");
    }

    #[test]
    fn an_order_against_the_clock_is_found() {
        // `c` was answered before the stored order lets it begin: `d` begins after it here.
        let turned = found(|history, lists| {
            history.appends.push(append("e", 80, Ended::Ok(90)));
            *lists = stored(&["a", "b", "c", "e", "d"]);
            history.reads.pop();
            history.reads.push(newest("d", 95, 96));
        });
        assert!(turned.contains("realtime"), "{turned}");
    }

    #[test]
    fn what_one_screen_showed_the_next_reader_sees() {
        // `b` was never answered: only the first read makes the second one stale.
        let back = found(|history, _| history.reads.push(newest("a", 30, 31)));
        assert!(back.contains("realtime"), "{back}");
    }

    #[test]
    fn a_history_without_operations_proves_nothing() {
        let nothing = anomalies(&History::default(), &Lists::new());
        assert!(nothing.join("").contains("empty-transaction-graph"), "{nothing:?}");
    }
}
