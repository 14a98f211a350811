//! What the machine says: cores, limits, the memory and the processor time of another process.

use std::fs;
use std::process::Command;

use rustix::process::{Pid, Resource, Rlimit, getrlimit, setrlimit};
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use serde_json::{Value, json};

use crate::Outcome;

/// The clock of /proc ticks so often a second on every Linux that Rust runs on.
const TICKS: f64 = 100.0;

/// Descriptors beside those of sockets.
const OTHERS: u64 = 600;

/// Descriptors for so many sockets, also for the children. Answers how many sockets the machine allows.
pub fn raise_descriptors(sockets: u64) -> Outcome<usize> {
    let limit = getrlimit(Resource::Nofile);
    let wanted = Some(sockets + OTHERS).max(limit.maximum);
    let raised = Rlimit { current: wanted, maximum: wanted };
    let allowed = if setrlimit(Resource::Nofile, raised).is_ok() {
        wanted
    } else {
        let (current, maximum) = (limit.maximum, limit.maximum);
        setrlimit(Resource::Nofile, Rlimit { current, maximum })?;
        limit.maximum
    };
    let most = allowed.map_or(u64::MAX, |allowed| allowed.saturating_sub(OTHERS));
    if most < sockets {
        eprintln!("`ulimit -n` allows {most} sockets here; {sockets} need more");
    }
    Ok(usize::try_from(most)?)
}

/// The cores of a run: the server's and the generator's.
#[derive(Clone, Copy, Debug)]
pub struct Cores {
    pub server: usize,
    pub generator: usize,
    /// Sockets that the limits of the machine allow.
    pub most_sockets: usize,
}

impl Cores {
    /// The first two; the same one where there is no second.
    pub fn first(most_sockets: usize) -> Outcome<Self> {
        let set = sched_getaffinity(None)?;
        let mut all = (0..CpuSet::MAX_CPU).filter(|core| set.is_set(*core));
        let server = all.next().ok_or("no core")?;
        Ok(Self { server, generator: all.next().unwrap_or(server), most_sockets })
    }
}

/// Nothing else than these cores, for this thread and what it starts from now on.
pub fn pin(pid: Option<Pid>, cores: &[usize]) -> Outcome<()> {
    let mut set = CpuSet::new();
    cores.iter().for_each(|core| set.set(*core));
    Ok(sched_setaffinity(pid, &set)?)
}

/// Starts something that stays on the core. This thread goes on where it was.
pub fn on_core<T>(core: usize, start: impl FnOnce() -> T) -> Outcome<T> {
    let before = sched_getaffinity(None)?;
    pin(None, &[core])?;
    let started = start();
    sched_setaffinity(None, &before)?;
    Ok(started)
}

/// A process and all that it started, with every thread. Whatever ended meanwhile is passed over.
pub fn pin_family(pid: u32, cores: &[usize]) -> Outcome<()> {
    for process in family(pid)? {
        let Ok(threads) = fs::read_dir(format!("/proc/{process}/task")) else { continue };
        for thread in threads.flatten() {
            let thread: i32 = thread.file_name().to_string_lossy().parse()?;
            pin(Pid::from_raw(thread), cores).ok();
        }
    }
    Ok(())
}

/// A process and all that it started.
pub fn family(pid: u32) -> Outcome<Vec<u32>> {
    let mut parents = Vec::new();
    for entry in fs::read_dir("/proc")? {
        let Ok(child) = entry?.file_name().to_string_lossy().parse::<u32>() else { continue };
        let Ok(stat) = fs::read_to_string(format!("/proc/{child}/stat")) else { continue };
        let parent = fields(&stat).nth(1).and_then(|field| field.parse::<u32>().ok());
        parents.extend(parent.map(|parent| (child, parent)));
    }
    let mut family = vec![pid];
    let mut at = 0;
    while let Some(parent) = family.get(at).copied() {
        family.extend(parents.iter().filter(|(_, of)| *of == parent).map(|(child, _)| *child));
        at += 1;
    }
    Ok(family)
}

/// From the state on; the name before it may hold anything.
fn fields(stat: &str) -> impl Iterator<Item = &str> {
    stat.rsplit_once(')').map_or("", |(_, rest)| rest).split_whitespace()
}

/// Seconds of processor time so far.
pub fn busy(pid: u32) -> Outcome<f64> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat"))?;
    let mut times = fields(&stat).skip(11);
    let (user, system) = (times.next().ok_or("no time")?, times.next().ok_or("no time")?);
    Ok((user.parse::<f64>()? + system.parse::<f64>()?) / TICKS)
}

/// The same of a process and all that it started and that still run.
pub fn busy_family(pid: u32) -> Outcome<f64> {
    // One that ended meanwhile counts no more.
    Ok(family(pid)?.into_iter().filter_map(|process| busy(process).ok()).sum())
}

/// Kilobytes of a process: what it has alone and its share of what it shares.
pub fn pss(pid: u32) -> Outcome<u64> {
    let rollup = fs::read_to_string(format!("/proc/{pid}/smaps_rollup"))?;
    let line = rollup.lines().find(|line| line.starts_with("Pss:")).ok_or("no Pss")?;
    Ok(line.split_whitespace().nth(1).ok_or("no Pss")?.parse()?)
}

/// Open descriptors of a process.
pub fn descriptors(pid: u32) -> Outcome<usize> {
    Ok(fs::read_dir(format!("/proc/{pid}/fd"))?.count())
}

pub fn threads(pid: u32) -> Outcome<usize> {
    Ok(fs::read_dir(format!("/proc/{pid}/task"))?.count())
}

/// For the report.
pub fn facts() -> Value {
    let line = |file: &str, name: &str| {
        let text = fs::read_to_string(file).unwrap_or_default();
        let line = text.lines().find(|line| line.starts_with(name)).unwrap_or_default();
        line.split_once(':').map_or("", |(_, value)| value).trim().to_owned()
    };
    let says = |command: &str, argument: &str| {
        let output = Command::new(command).arg(argument).output();
        let text = output.map(|output| output.stdout).unwrap_or_default();
        String::from_utf8_lossy(&text).lines().next().unwrap_or_default().to_owned()
    };
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    // All of them: a run pins itself to one.
    let processors = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let cores = processors.lines().filter(|line| line.starts_with("processor")).count();
    json!({
        "processor": line("/proc/cpuinfo", "model name"),
        "cores": cores,
        "memory": line("/proc/meminfo", "MemTotal"),
        "kernel": says("uname", "-sr"),
        "node": says("node", "--version"),
        "rust": says("rustc", "--version"),
        "loadAtStart": load.split(' ').next().unwrap_or_default(),
    })
}
