//! Stretches of a run in which nothing was asked or done.

use bipe_nodes::ledger::{Append, Ended};
use bipe_nodes::tests::f7::{How, Restart, fewest};

#[test]
fn a_stretch_without_commands_is_found() {
    let restart = |gone, back| {
        let (ready, writes) = Default::default();
        Restart { how: How::Killed, served: None, gone, back, unready: 0, ready, writes }
    };
    let append = |invoked, ended| {
        let (list, value) = Default::default();
        Append { list, value, invoked, ended }
    };
    let done = |at| append(at, Ended::Ok(at));
    let restarts = [restart(10, 20), restart(30, 40)];
    let mut history = vec![done(5), done(25), done(45), append(35, Ended::Unknown)];
    assert_eq!(fewest(&restarts, &history), (1, 0));
    history.push(append(15, Ended::Unknown));
    assert_eq!(fewest(&restarts, &history), (1, 1));
    history.remove(1);
    assert_eq!(fewest(&restarts, &history), (0, 1), "none between the restarts");
    assert_eq!(fewest(&[], &history), (2, 0));
}
