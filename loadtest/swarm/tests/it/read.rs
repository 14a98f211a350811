//! What pgbench says at its end.

use std::os::unix::process::ExitStatusExt;
use std::process::{ExitStatus, Output};

use bipe_swarm::modes::read::transactions_per_second;

#[test]
fn a_run_that_lost_a_client_has_no_rate() {
    let ended = |code: i32| Output {
        // As wait(2) answers it.
        status: ExitStatus::from_raw(code << 8),
        stdout: b"latency average = 3 ms\ntps = 4585.5 (without initial connection time)\n"
            .to_vec(),
        stderr: b"pgbench: error: client 3 aborted".to_vec(),
    };
    assert_eq!(transactions_per_second(&ended(0)).unwrap(), 4585.5);
    let failed = transactions_per_second(&ended(2)).unwrap_err();
    assert_eq!(failed.to_string(), "pgbench: error: client 3 aborted");
}
