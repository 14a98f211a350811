//! Answers that may not tell whether an address has an account take the same work: the same statements in the
//! same order, and as many passwords hashed. `http/tests/it/uniform.rs` compares their bytes.

use bipe_core::auth::code::Purpose;

use super::{Bench, PASSWORD, caller, other_than};

const KNOWN: &str = "ana@example.com";
const UNKNOWN: &str = "nobody@example.com";

impl Bench {
    /// What one call costs: its statements and its passwords.
    async fn cost<T>(&self, call: impl Future<Output = T>) -> (Vec<String>, u64) {
        self.test.db.take_statements();
        let hashed = self.auth.hasher.done();
        call.await;
        (self.test.db.take_statements(), self.auth.hasher.done() - hashed)
    }
}

fn same(known: &(Vec<String>, u64), unknown: &(Vec<String>, u64), hashes: u64) {
    assert!(!known.0.is_empty());
    assert_eq!(known, unknown);
    assert_eq!(known.1, hashes);
}

/// Where nobody was seen, and where the accounts come from.
const NETWORKS: [&str; 2] = ["10.6.6.6", "10.0.0.1"];

#[tokio::test]
async fn a_wrong_password_costs_as_much_as_an_unknown_address() {
    let bench = Bench::new().await;
    bench.person(KNOWN, "11144477735").await;
    bench.register("bia@example.com", "52998224725").await.unwrap();
    for ip in NETWORKS {
        let sign_in = |email| bench.cost(bench.sign_in_from(email, "Senha123?", ip));
        let unknown = sign_in(UNKNOWN).await;
        same(&sign_in(KNOWN).await, &unknown, 1);
        same(&sign_in("bia@example.com").await, &unknown, 1);
    }
}

#[tokio::test]
async fn asking_for_a_code_costs_the_same_for_every_address() {
    let bench = Bench::new().await;
    bench.person(KNOWN, "11144477735").await;
    bench.register("bia@example.com", "52998224725").await.unwrap();
    bench.advance(61);
    for purpose in [Purpose::Reset, Purpose::Verification] {
        let ask = |email| bench.cost(bench.ask_code(email, purpose));
        let unknown = ask(UNKNOWN).await;
        same(&ask(KNOWN).await, &unknown, 0);
        same(&ask("bia@example.com").await, &unknown, 0);
    }
}

#[tokio::test]
async fn a_wrong_code_costs_as_much_as_an_unknown_address() {
    let bench = Bench::new().await;
    bench.person(KNOWN, "11144477735").await;
    bench.register("bia@example.com", "52998224725").await.unwrap();
    let pending = bench.code("bia@example.com").await;
    bench.advance(1);
    bench.ask_code(KNOWN, Purpose::Reset).await.unwrap();
    let code = bench.code(KNOWN).await;
    for from in NETWORKS.map(caller) {
        let reset = |email: &'static str| {
            let wrong = other_than(&code);
            let from = &from;
            let bench = &bench;
            bench.cost(async move { drop(bench.reset_from(email, &wrong, PASSWORD, from).await) })
        };
        same(&reset(KNOWN).await, &reset(UNKNOWN).await, 0);
        let verify = |email: &'static str| {
            let wrong = other_than(&pending);
            let from = &from;
            let bench = &bench;
            bench.cost(async move { drop(bench.verify(email, &wrong, from).await) })
        };
        same(&verify("bia@example.com").await, &verify(UNKNOWN).await, 0);
    }
}
