//! k6 beside the sockets: people of a seeded database who do everything that people do.

use std::process::Stdio;

use bipe_swarm::Outcome;
use tokio::process::Command;

use crate::cluster::Cluster;
use crate::findings::Findings;
use crate::process::Process;
use crate::programs::Program;
use crate::sandbox::WEBHOOK_SECRET;
use crate::setting::Setting;

const COMPANIES: &str = "60";

/// The scenario `mixed` for so many seconds, through the proxy. k6 judges errors, gaps and losses, and no times.
pub async fn mixed(setting: &Setting, cluster: &Cluster, seconds: u64) -> Outcome<Process> {
    let folder = cluster.folder.path();
    let accounts = folder.join("accounts.json");
    let seeding = Command::new(&setting.bipe)
        .args(["seed", "--load", COMPANIES, "--add", "--data-dir"])
        .arg(folder.join("seed"))
        .arg("--out")
        .arg(&accounts)
        .env("DATABASE_URL", &cluster.shared.database_url)
        .env("RUST_LOG", "warn")
        .current_dir(folder)
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
    Process::start(command, "k6", folder)
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
