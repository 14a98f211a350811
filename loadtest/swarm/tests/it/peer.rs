//! Where a peer runs.

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
    let (mut child, said) = spawn(command, cores).unwrap();
    child.wait().unwrap();
    assert_eq!(said, format!("Cpus_allowed_list: {}", cores.server));
    assert_eq!(sched_getaffinity(None).unwrap(), before);
}
