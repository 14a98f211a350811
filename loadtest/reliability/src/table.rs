//! The rows: security (S), reliability (R) and the payment invariants (P). Each floor stands below what the short run
//! reaches, and high enough that a test which lost most of its cases fails.

use crate::row::{Call, Row, Suite};

use Call::{Contract, Drive, Nodes, Swarm, Tests, Web};
use Suite::{Actors, ActorsLib, Core, CoreFuzz, CoreLib, Http, HttpFuzz, Money};

const fn row(
    id: &'static str,
    promise: &'static str,
    calls: &'static [Call],
    floors: &'static [(&'static str, u64)],
) -> Row {
    Row { id, promise, calls, floors, counts: &[], long_floors: &[], is_long_only: false }
}

pub const ROWS: &[Row] = &[
    Row {
        counts: &[("BIPE_FOREIGN_CALLS", 4, 850)],
        long_floors: &[("foreign_calls", 100_000)],
        ..row(
            "S1",
            "Nobody reads, changes or learns of another company's data, whatever ids a call names.",
            &[Tests(Http, &["isolation::an", "isolation::a_child", "isolation::lists"])],
            &[("operations", 35), ("foreign_calls", 400), ("mixed_calls", 8), ("tests", 3)],
        )
    },
    row(
        "S2",
        "Row-level security alone keeps companies apart, and a connection forgets its company.",
        &[Tests(Core, &["tenancy::", "catalogue::", "connections::nothing_of_the_last"])],
        &[("tests", 14)],
    ),
    row(
        "S3",
        "Each role may do what the table says and nothing else.",
        &[Tests(Http, &["isolation::every", "admin::roles", "turns::", "openapi::"])],
        &[("allowed", 100), ("denied", 40), ("tests", 9)],
    ),
    row(
        "S4",
        "The API answers as its contract says, whatever it is sent; never by a server error.",
        &[Contract],
        &[("cases", 2_500)],
    ),
    row(
        "S5",
        "An answer does not tell whether an account exists.",
        &[Tests(Http, &["uniform::"]), Tests(Core, &["accounts::uniform"])],
        &[("tests", 4)],
    ),
    row(
        "S6",
        "A code has five tries, also for many at once and over a kill.",
        &[Tests(Http, &["process::two_hundred", "process::a_kill_gives"])],
        &[("guesses", 200), ("tests", 2)],
    ),
    row(
        "S7",
        "A limit lets its burst through and nothing more, over restarts and behind any header.",
        &[Tests(Http, &["limits::", "call_limits::"]), Tests(Core, &["accounts::limits"])],
        &[("tests", 20)],
    ),
    row(
        "S8",
        "A refresh token has one successor; theft and sign-out end the session.",
        &[
            Tests(Core, &["accounts::sessions", "accounts::granting"]),
            Tests(Http, &["process::a_kill_after"]),
        ],
        &[("refreshes", 50), ("tests", 16)],
    ),
    row(
        "S9",
        "No forged, changed or cut access token is taken.",
        &[Tests(CoreLib, &["auth::session::token::"])],
        &[("tokens", 200), ("tests", 2)],
    ),
    row(
        "S10",
        "A webhook counts only with a signature of this moment, and is believed nothing.",
        &[
            Tests(Core, &["payments::signature"]),
            Tests(Http, &["webhooks::", "truth::any_signature"]),
        ],
        &[("signatures", 30), ("tests", 8)],
    ),
    row(
        "S11",
        "Whoever loses a role, a membership or a session is out with the next command, and live at once.",
        &[Tests(Http, &["live_revoked::", "companies::live", "companies::members", "turns::"])],
        &[("tests", 14)],
    ),
    row(
        "S12",
        "A log at debug and the spans of traces hold nothing of a person.",
        &[Tests(Http, &["process::a_log_at_debug"])],
        &[("tests", 1)],
    ),
    row(
        "S13",
        "Every answer has its headers, every page its policy.",
        &[Tests(Http, &["spa::", "request_guard::"]), Web(&["test/csp.test.ts"])],
        &[("tests", 13)],
    ),
    row(
        "S14",
        "No dependency is banned or older than its last known hole.",
        &[Tests(Core, &["dependencies::"])],
        &[("tests", 3)],
    ),
    row(
        "S15",
        "An export has everything of a person; after the erasure nothing is left, also in a restored backup.",
        &[Tests(Core, &["accounts::export", "accounts::erasure"])],
        &[("tests", 9)],
    ),
    Row {
        counts: &[("BIPE_DISTURBANCES", 20, 500)],
        long_floors: &[("kills", 500), ("companies", 1_500), ("charges", 1_250)],
        ..row(
            "R1",
            "A server that is killed at any moment loses, doubles and forgets nothing that it answered.",
            &[Drive(&["kills"]), Tests(Http, &["killed::"])],
            &[
                ("kills", 20),
                ("companies", 60),
                ("charges", 50),
                ("repeated", 10),
                ("replays", 60),
                ("kills_at_a_step", 5),
                ("payments_then", 15),
            ],
        )
    },
    row(
        "R2",
        "A payment ends alike after a death behind each of its steps.",
        &[Tests(Actors, &["crash::"])],
        &[("deaths", 25), ("tests", 6)],
    ),
    Row {
        counts: &[("BIPE_DISTURBANCES", 40, 1_800), ("BIPE_PAYERS", 6, 12)],
        long_floors: &[("faults", 20_000), ("charges", 2_000)],
        ..row(
            "R3",
            "Whatever the provider loses, refuses, delays or repeats: one charge a purchase.",
            &[Drive(&["faults"]), Tests(Http, &["payments::faults", "payments::lost"])],
            &[
                ("orders", 40),
                ("faults", 60),
                ("companies", 30),
                ("charges", 25),
                ("replays", 30),
                ("tests", 9),
            ],
        )
    },
    Row {
        counts: &[("BIPE_ORDERS", 12, 250), ("BIPE_HISTORIES", 4_000, 200_000)],
        long_floors: &[("orders", 2_410), ("histories", 200_000)],
        ..row(
            "R4",
            "Any order, repetition and loss of events ends in one state.",
            &[Tests(Core, &["payments::convergence"]), Tests(Http, &["truth::every_permutation"])],
            &[("orders", 2_172), ("histories", 4_000)],
        )
    },
    Row {
        counts: &[("BIPE_SEEDS", 2_000, 100_000), ("BIPE_LIVES", 1_000, 50_000)],
        long_floors: &[("seeds", 100_000), ("lives", 50_000)],
        ..row(
            "R5",
            "No history of purchases, faults and crashes breaks the books.",
            &[Tests(Money, &["no_seed"]), Tests(Core, &["walk::"])],
            &[("seeds", 2_000), ("lives", 1_000)],
        )
    },
    row(
        "R6",
        "A key has one effect and one answer.",
        &[Tests(Http, &["payments::repeats", "payments::state_table::a_key"])],
        &[("equal_keys", 100), ("tests", 7)],
    ),
    row(
        "R7",
        "The database may die, freeze or fail over; what was committed and kept stays.",
        &[
            Nodes(&["f1"]),
            Tests(Core, &["embedded_postgres::a_commit_survives", "connections::a_"]),
            Tests(Actors, &["failover::"]),
        ],
        &[("passed", 1), ("tests", 7)],
    ),
    row(
        "R8",
        "A frozen or refusing database, replica, bus or mail server costs a bounded wait.",
        &[
            Tests(Core, &["connections::a_server_that_freezes", "a_replica::a_frozen"]),
            Tests(Actors, &["bus::a_frozen", "burst::no_job_fails", "burst::a_mail"]),
            Tests(Http, &["smtp::nothing_is_lost"]),
        ],
        &[("tests", 7)],
    ),
    row(
        "R9",
        "A thousand readers of one channel who are cut off at once come back and miss nothing.",
        &[Swarm(&["storm", "--people", "1", "--sockets", "1000", "--calm", "1"])],
        &[("sockets", 1_000), ("events", 3_000)],
    ),
    row(
        "R10",
        "A reader that stops reading is put out, and the others go on.",
        &[Tests(Http, &["live_stalled::", "live_abuse::"])],
        &[("tests", 5)],
    ),
    Row {
        counts: &[("BIPE_SEEDS", 8_000, 300_000)],
        long_floors: &[("seeds", 300_000)],
        ..row(
            "R11",
            "A page shows every event once and in order, over cuts, losses and failovers.",
            &[
                Tests(ActorsLib, &["simulation::tests::no_seed", "sequencer::model"]),
                Web(&["src/live/apply-event.test.ts"]),
            ],
            &[("seeds", 8_000), ("tests", 8)],
        )
    },
    row(
        "R12",
        "A connection that drips or stalls ends in time.",
        &[Tests(Http, &["slow::"])],
        &[("tests", 5)],
    ),
    Row {
        counts: &[("BIPE_FRAMES", 4_000, 100_000)],
        long_floors: &[("frames", 100_000)],
        ..row(
            "R13",
            "A broken frame ends its own socket with the right code and disturbs nobody.",
            &[Swarm(&["frames"])],
            &[("frames", 4_000)],
        )
    },
    row(
        "R14",
        "A server that is stopped moves its sockets and finishes its requests; a deploy is not noticed.",
        &[Nodes(&["n4"]), Tests(Http, &["live::at_the_shutdown", "process::a_stopping"])],
        &[("passed", 1), ("tests", 2)],
    ),
    Row {
        counts: &[("BIPE_SIGN_IN_SECONDS", 5, 60)],
        long_floors: &[("sign_ins", 12_000), ("reads", 2_900)],
        ..row(
            "R15",
            "A storm of sign-ins costs a bounded wait, and others go on reading.",
            &[Drive(&["sign_ins"])],
            &[("sign_ins", 1_000), ("let_in", 5), ("refused", 100), ("reads", 250)],
        )
    },
    row(
        "R16",
        "A backup restores to equal books, and forgets again who has left.",
        &[Tests(Http, &["backup::a_restored", "backup::a_backup_of_companies"])],
        &[("tests", 2)],
    ),
    Row {
        counts: &[("BIPE_SOAK_SECONDS", 60, 3_600)],
        long_floors: &[
            ("seconds", 3_600),
            ("samples", 360),
            ("companies", 1_500),
            ("charges", 1_500),
        ],
        is_long_only: true,
        ..row(
            "R18",
            "An hour of work leaves the server as large as it was.",
            &[Drive(&["soak"])],
            &[
                ("seconds", 60),
                ("samples", 6),
                ("companies", 40),
                ("charges", 30),
                ("live_events", 300),
            ],
        )
    },
    Row {
        counts: &[("BIPE_COMPANIES", 20, 2_000)],
        long_floors: &[("companies", 2_000), ("periods", 15_000)],
        ..row(
            "R19",
            "Over 400 days on two nodes each due thing is done once, on its day.",
            &[
                Tests(Actors, &["a_renewal::", "a_year::"]),
                Tests(Core, &["ladder::", "state_table::"]),
            ],
            &[("companies", 20), ("days", 400), ("periods", 150), ("tests", 20)],
        )
    },
    row(
        "R20",
        "Two tabs, two nodes, the payer and the clock at once: one effect.",
        &[
            Tests(Http, &["payments::repeats::different", "turns::", "payments::withdrawn"]),
            Tests(Actors, &["a_renewal::two_nodes"]),
        ],
        &[("tests", 8)],
    ),
    Row {
        counts: &[("BIPE_SEEDS", 5_000, 100_000)],
        long_floors: &[("inputs", 1_600_000)],
        ..row(
            "R21",
            "No bytes from outside are taken for what they are not, and what is written is read as it was meant.",
            &[
                Tests(
                    CoreFuzz,
                    &["brazil::", "csv_files::", "lists::", "settings::", "webhooks::"],
                ),
                Tests(HttpFuzz, &["frames::", "paging::", "wire::"]),
            ],
            &[("inputs", 80_000), ("tests", 17)],
        )
    },
    Row {
        counts: &[("BIPE_DISTURBANCES", 6, 60)],
        long_floors: &[
            ("kills", 40),
            ("database_kills", 20),
            ("appends", 2_000),
            ("reads", 8_000),
            ("live_events", 4_000),
        ],
        ..row(
            "R22",
            "One order of all commands explains what every reader and every page was told, over kills of server and \
             database.",
            &[Drive(&["histories"])],
            &[
                ("kills", 4),
                ("database_kills", 2),
                ("appends", 200),
                ("unknown", 20),
                ("refused", 2),
                ("reads", 800),
                ("live_events", 400),
                ("cuts", 8),
                ("ledger_entries", 2),
                ("periods", 10),
                ("charges", 10),
            ],
        )
    },
    row(
        "N2",
        "A bus between nodes may be frozen, killed, flooded, lied to and split: no event is lost.",
        &[Nodes(&["n1", "n2"])],
        &[("passed", 2)],
    ),
    row(
        "P",
        "The hourly check finds each broken payment invariant, P1 to P12, and raises an alert.",
        &[Tests(Core, &["payments::checks", "purchases::"])],
        &[("tests", 15)],
    ),
    Row {
        counts: &[("BIPE_LIVE_OPERATIONS", 500, 5_000)],
        long_floors: &[("operations", 5_000)],
        ..row(
            "P11",
            "Live figures equal a recount after any operations.",
            &[Tests(Http, &["admin::live::after_random"]), Tests(Core, &["metrics::recount"])],
            &[("operations", 500), ("tests", 5)],
        )
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_has_its_own_id_a_call_and_a_floor_above_nothing() {
        let mut ids: Vec<&str> = ROWS.iter().map(|row| row.id).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), ROWS.len());
        for row in ROWS {
            assert!(!row.calls.is_empty() && !row.floors.is_empty(), "{}", row.id);
            assert!(row.floors.iter().all(|(_, least)| *least > 0), "{}", row.id);
        }
    }
}
