//! k6 beside the sockets: people of a seeded database who do everything that people do.

use std::process::Stdio;

use bipe_swarm::Outcome;
use bipe_swarm::server::program;
use tokio::process::Command;

use crate::cluster::Cluster;
use crate::findings::Findings;
use crate::process::{self, Process};
use crate::programs::Program;
use crate::sandbox::WEBHOOK_SECRET;
use crate::setting::Setting;

const COMPANIES: &str = "60";

/// k6 says so once its scripts are compiled and its people have signed in, which keeps both cores busy for seconds.
const UNDER_WAY: &str = "running (";

/// The scenario `mixed`, under way for so many seconds, through the proxy. k6 judges errors, gaps and losses, no times.
pub async fn mixed(setting: &Setting, cluster: &Cluster, seconds: u64) -> Outcome<Process> {
    let folder = cluster.folder.path();
    let accounts = folder.join("accounts.json");
    let seeding = program(&setting.bipe)?
        .args(["seed", "--load", COMPANIES, "--add", "--data-dir"])
        .arg(folder.join("seed"))
        .arg("--out")
        .arg(&accounts)
        .env("DATABASE_URL", &cluster.shared.database_url)
        .stdout(Stdio::null())
        .status()
        .await?;
    if !seeding.success() {
        return Err("`bipe seed` failed".into());
    }
    let mut command = Command::new(setting.programs.path(Program::K6)?);
    command
        .args(["run", "--no-color", "--address", ""])
        .arg(setting.root.join("loadtest/scenarios/mixed.js"))
        .env("BASE_URL", cluster.proxy.url())
        .env("ACCOUNTS", &accounts)
        .env("SANDBOX_URL", cluster.sandbox.base().trim_end_matches('/'))
        .env("WEBHOOK_SECRET", WEBHOOK_SECRET)
        .env("PROFILE", "smoke")
        .env("DURATION", seconds.to_string())
        .env("RESULTS", folder)
        .env("K6_NO_USAGE_REPORT", "true");
    let mut k6 = Process::start(command, "k6", folder)?;
    let log = k6.log.clone();
    let is_under_way =
        async || std::fs::read_to_string(&log).is_ok_and(|text| text.contains(UNDER_WAY));
    k6.until(process::START, is_under_way).await?;
    Ok(k6)
}

/// What k6 says at its end.
pub async fn judge(findings: &mut Findings, mut k6: Process) -> Outcome<()> {
    let status = k6.ended(std::time::Duration::from_secs(90)).await?;
    let text = format!("k6 mixed through the proxy ended with {status}");
    findings.bound(status.success(), &text, "exit status 0");
    if !status.success() {
        findings.note(&k6.tail());
    }
    Ok(())
}
