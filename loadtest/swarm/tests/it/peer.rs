//! Where a peer runs, and how long.

use std::path::Path;
use std::process::Command;

use bipe_swarm::machine::Cores;
use bipe_swarm::peer::spawn;
use rustix::thread::sched_getaffinity;

#[test]
fn a_peer_runs_on_the_servers_core_and_who_starts_it_stays_where_it_was() {
    let before = sched_getaffinity(None).unwrap();
    let cores = Cores::first(1).unwrap();
    let mut command = Command::new("sh");
    command.args(["-c", "echo listening on $(grep Cpus_allowed_list /proc/self/status)"]);
    let (_running, said) = spawn(command, cores).unwrap();
    assert_eq!(said, format!("Cpus_allowed_list: {}", cores.server));
    assert_eq!(sched_getaffinity(None).unwrap(), before);
}

#[test]
fn a_peer_ends_with_whoever_holds_it() {
    let mut command = Command::new("sh");
    command.args(["-c", "echo listening on /proc/$$; exec sleep 600"]);
    let (running, process) = spawn(command, Cores::first(1).unwrap()).unwrap();
    assert!(Path::new(&process).exists());
    drop(running);
    assert!(!Path::new(&process).exists());
}
