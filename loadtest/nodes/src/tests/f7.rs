//! PgBouncer stands between the nodes and their database, and is restarted under load: stopped, and killed. Nodes say
//! that they are not ready, come back by themselves, and nothing that was acknowledged is lost.

use std::fmt;
use std::iter;
use std::sync::Arc;
use std::time::Duration;

use bipe_swarm::Outcome;
use futures_util::future::join_all;
use reqwest::Method;
use serde_json::json;
use tokio::time::{Instant, sleep};

use crate::appends::{self, Appends, FEW};
use crate::caller::Caller;
use crate::findings::Findings;
use crate::ledger::{self, Append, Ended};
use crate::node::is_ready;
use crate::pgbouncer::Pgbouncer;
use crate::postgres::DATABASE;
use crate::process;
use crate::programs::Program;
use crate::replicated::{self, REQUEST, Replicated, TIMEOUT, WRITES};
use crate::screen::Screen;
use crate::setting::Setting;
use crate::tests::f3::fill_pools;

const LIST: &str = "F7";
const WORKERS: usize = 3;
/// Of load, before each restart and after the last.
const LOAD: Duration = Duration::from_secs(2);
const AWAY: Duration = Duration::from_secs(2);

/// How PgBouncer went away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    Stopped,
    Killed,
}

impl fmt::Display for How {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Stopped => "stopped",
            Self::Killed => "killed",
        })
    }
}

/// Moments of the run, in microseconds, and what was seen of the nodes.
pub struct Restart {
    pub how: How,
    /// Commands while it waited for its sessions to end.
    pub served: Option<usize>,
    pub gone: u64,
    pub back: u64,
    /// That said so while it was away.
    pub unready: usize,
    /// From its return until every node was ready, and had written.
    pub ready: Duration,
    pub writes: Duration,
}

pub async fn run(setting: &Setting, findings: &mut Findings) -> Outcome<()> {
    let (folder, pair) = replicated::database(setting).await?;
    let program = setting.programs.path(Program::Pgbouncer)?;
    let mut pgbouncer = Pgbouncer::start(program, folder.path(), pair.primary.port).await?;
    let topology = replicated::topology(setting);
    let cluster = Replicated::over(setting, topology, (folder, pair), &pgbouncer.url()).await?;
    let nodes = cluster.nodes.len();
    let mut people = cluster.people(2).await?;
    // Who founds companies has their access checked with each; a socket whose check gets no answer is closed.
    let (founder, reader) = people.pop().zip(people.pop()).ok_or("nobody")?;
    let (caller, owner) = (Arc::new(cluster.caller(&founder)?), cluster.caller(&reader)?);
    let mut screens = Vec::new();
    for url in cluster.urls() {
        let company = std::slice::from_ref(&reader.company);
        screens.push(Screen::open(&url, &reader, company).await?);
    }
    fill_pools(&caller, nodes).await;
    let appends = Appends::start(&caller, nodes, WORKERS, LIST);
    let mut restarts = Vec::new();
    for turn in 0..setting.pick(1, 5) {
        for how in [How::Stopped, How::Killed] {
            sleep(LOAD).await;
            restarts.push(restart(&cluster, &mut pgbouncer, how, &appends).await?);
            // An event that the pages must get, whatever became of the nodes' connections.
            let name = json!({"companyName": format!("Volta {turn} {how}")});
            let path = format!("/api/companies/{}", reader.company);
            owner.until_answered((Method::PUT, &path), Some(&name), "", TIMEOUT).await?;
        }
    }
    sleep(LOAD).await;
    let history = appends.stop().await;
    let stored = appends::stored(&cluster.database.primary.client(DATABASE).await?, LIST).await?;
    let wrong = ledger::check_appends(&history, &stored);
    judge_times(findings, (&restarts, nodes), &caller);
    judge_load(findings, &restarts, &history);
    wrong.iter().take(5).for_each(|finding| findings.note(&finding.to_string()));
    let figure = format!("commands lost, doubled or out of order: {}", wrong.len());
    findings.bound(wrong.is_empty(), &figure, "0");
    judge_screens(findings, &screens, &owner).await
}

/// Ends PgBouncer, starts it again, and waits until every node has recovered.
async fn restart(
    cluster: &Replicated,
    pgbouncer: &mut Pgbouncer,
    how: How,
    appends: &Appends,
) -> Outcome<Restart> {
    let addresses: Vec<_> = cluster.nodes.iter().map(|node| node.address).collect();
    let served = if how == How::Stopped { Some(retire(pgbouncer, appends).await?) } else { None };
    let gone = appends.now();
    match how {
        How::Stopped => pgbouncer.stop().await?,
        How::Killed => pgbouncer.kill().await?,
    }
    sleep(AWAY).await;
    let ready = join_all(addresses.iter().map(|address| is_ready(*address))).await;
    let unready = ready.iter().filter(|is_ready| !**is_ready).count();
    pgbouncer.restart().await?;
    let (back, returned) = (appends.now(), Instant::now());
    let all_ready = async {
        let are_ready =
            async || join_all(addresses.iter().map(|at| is_ready(*at))).await.iter().all(|is| *is);
        process::until("every node is ready", TIMEOUT, are_ready).await?;
        Outcome::Ok(returned.elapsed())
    };
    let (ready, firsts) = tokio::join!(all_ready, appends.first_after(back, addresses.len()));
    let writes = firsts?.into_iter().max().unwrap_or_default() - back;
    let writes = Duration::from_micros(writes);
    Ok(Restart { how, served, gone, back, unready, ready: ready?, writes })
}

/// PgBouncer waits for the sessions of the nodes to end, which they do not do; how many commands were acknowledged.
async fn retire(pgbouncer: &mut Pgbouncer, appends: &Appends) -> Outcome<usize> {
    let before = appends.done();
    pgbouncer.retire()?;
    sleep(AWAY).await;
    Ok(appends.done() - before)
}

fn judge_times(findings: &mut Findings, (restarts, nodes): (&[Restart], usize), caller: &Caller) {
    for how in [How::Stopped, How::Killed] {
        let of_kind = || restarts.iter().filter(|restart| restart.how == how);
        let longest = |of: fn(&Restart) -> Duration| of_kind().map(of).max().unwrap_or_default();
        let (ready, writes) = (longest(|r| r.ready), longest(|r| r.writes));
        let times = of_kind().count();
        findings.note(&format!("PgBouncer {how} {times} times for {} s each", AWAY.as_secs()));
        let figure = format!("{how}: every node writes again after {} ms", writes.as_millis());
        findings.time(writes <= WRITES, &figure, "5 s");
        let figure = format!("{how}: every node is ready again after {} ms", ready.as_millis());
        findings.time(ready <= WRITES, &figure, "5 s");
    }
    let unready = restarts.iter().map(|restart| restart.unready).min().unwrap_or_default();
    let figure = format!("nodes that say not ready without PgBouncer: {unready} of {nodes}");
    findings.bound(unready == nodes, &figure, "all");
    let slowest = caller.slowest();
    let figure = format!("longest request {} ms", slowest.as_millis());
    findings.time(slowest <= REQUEST, &figure, "15 s");
    let unanswered = caller.unanswered();
    findings.bound(unanswered == 0, &format!("requests without an answer: {unanswered}"), "0");
}

/// Whether there was load at all: while PgBouncer was there, while it was leaving, and while it was away.
fn judge_load(findings: &mut Findings, restarts: &[Restart], history: &[Append]) {
    let done = history.iter().filter(|append| matches!(append.ended, Ended::Ok(_))).count();
    findings.note(&format!("{} commands, {done} of them acknowledged", history.len()));
    let served = restarts.iter().filter_map(|restart| restart.served).min().unwrap_or_default();
    let figure = format!("fewest commands done between SIGINT and SIGTERM: {served}");
    findings.bound(served >= FEW, &figure, "at least 20");
    let (between, meanwhile) = fewest(restarts, history);
    let figure =
        format!("fewest done before and after a restart {between}, sent meanwhile {meanwhile}");
    findings.bound(between.min(meanwhile) >= FEW, &figure, "at least 20 each");
}

/// Of all stretches of the run, the fewest commands that were acknowledged with PgBouncer, and that were sent without.
pub fn fewest(restarts: &[Restart], history: &[Append]) -> (usize, usize) {
    let count = |is: &dyn Fn(&Append) -> bool| history.iter().filter(|append| is(append)).count();
    let from = iter::once(0).chain(restarts.iter().map(|restart| restart.back));
    let to = restarts.iter().map(|restart| restart.gone).chain([u64::MAX]);
    let done = from.zip(to).map(|(from, to)| {
        count(&|append| matches!(append.ended, Ended::Ok(at) if (from..to).contains(&at)))
    });
    let sent = restarts
        .iter()
        .map(|restart| count(&|append| (restart.gone..restart.back).contains(&append.invoked)));
    (done.min().unwrap_or_default(), sent.min().unwrap_or_default())
}

/// The database is the same one: pages stay open, go on, and show what REST answers.
async fn judge_screens(
    findings: &mut Findings,
    screens: &[Screen],
    caller: &Caller,
) -> Outcome<()> {
    let mut differences = Vec::new();
    for screen in screens {
        differences.extend(screen.differences(caller).await?);
    }
    differences.iter().take(5).for_each(|difference| findings.note(difference));
    let pages = screens.len();
    let figure = format!("pages that differ from REST: {} of {pages}", differences.len());
    findings.bound(differences.is_empty() && pages > 0, &figure, "0");
    let ended: u64 = screens.iter().map(Screen::ended).sum();
    let resets: u64 = screens.iter().map(Screen::resets).sum();
    let gaps: u64 = screens.iter().map(Screen::gaps).sum();
    findings.bound(gaps == 0, &format!("events that did not follow the last one: {gaps}"), "0");
    let figure = format!("live sockets that ended: {ended}, pages told to start anew: {resets}");
    findings.bound(ended == 0 && resets == 0, &figure, "0 and 0");
    Ok(())
}
