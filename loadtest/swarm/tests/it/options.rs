//! What the command line refuses.

use bipe_swarm::payments::turns::Turns;
use bipe_swarm::{bench, live, modes, payments};
use clap::{Args, Command};

fn takes<S: Args>(words: [&str; 2]) -> bool {
    let [name, value] = words;
    S::augment_args(Command::new("one")).try_get_matches_from(["one", name, value]).is_ok()
}

fn takes_some<S: Args>(names: &[&str]) {
    for &name in names {
        assert!(takes::<S>([name, "1"]), "{name}");
        assert!(!takes::<S>([name, "0"]), "{name}");
    }
}

#[test]
fn a_run_of_nothing_is_refused_for_it_would_miss_no_goal() {
    takes_some::<live::Settings>(&["--people", "--sockets", "--rate", "--seconds"]);
    takes_some::<payments::Settings>(&["--payments", "--at-once", "--timed"]);
    takes_some::<Turns>(&["--payments", "--at-once", "--rounds"]);
    takes_some::<modes::storm::Settings>(&["--sockets"]);
    takes_some::<bench::Settings>(&["--rounds"]);
}

#[test]
fn a_mode_that_is_none_is_refused() {
    assert!(takes::<bench::Settings>(["--only", "fanout,storm"]));
    assert!(!takes::<bench::Settings>(["--only", "fanout,everything"]));
}
