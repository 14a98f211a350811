//! Hours of everyday work: people found companies, buy, pay, change and cancel at a calm pace, rename companies that
//! pages follow, and pages open and close. Time passes as it does everywhere, and nothing disturbs. The server may not
//! grow with what it has done, and the books are judged as in every other trial.

mod growth;

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use bipe_swarm::{Outcome, account, machine};
use reqwest::Method;
use serde_json::json;
use tokio::time::{Instant, sleep, sleep_until};

use self::growth::{Growth, Sample};
use super::histories::log::Log;
use super::histories::pages::Page;
use super::installation::Installation;
use super::payer::{Life, Shop, TIMEOUT};
use super::round::{self, Trial};
use super::{Subject, figures};

/// Between two companies of one payer.
const PAUSE: Duration = Duration::from_secs(2);
/// Between two samples.
const EVERY: Duration = Duration::from_secs(10);
/// This part of the time, caches and pools fill. It is left out.
const WARM_UP: u32 = 6;
/// Companies that are renamed again and again, and pages that follow all of them to the end.
const FOLLOWED: usize = 3;
const PAGES: usize = 3;
/// Renames of each company that a page sees which comes and goes, and the pause between two.
const TURN: u32 = 30;
const RENAME: Duration = Duration::from_secs(1);
/// A token lives for fifteen minutes.
const RENEW: Duration = Duration::from_mins(10);

#[derive(clap::Args, Clone, Debug)]
pub struct Settings {
    #[command(flatten)]
    subject: Subject,
    /// How long people work; from half an hour on the growth is judged
    #[arg(long, env = "BIPE_SOAK_SECONDS", default_value_t = 3_600)]
    seconds: u32,
}

/// What was looked at meanwhile.
#[derive(Default)]
struct Looked {
    pages: u64,
    events: u64,
}

/// # Errors
/// What is broken, or what prevented the trial.
pub async fn run(settings: &Settings) -> Outcome<()> {
    let time = Duration::from_secs(settings.seconds.into());
    let mut samples = Vec::new();
    let watch = async |home: &mut Installation| {
        samples = watch(home.node.pid(), time).await?;
        Outcome::Ok(())
    };
    let Subject { bipe, seed } = &settings.subject;
    let trial = Trial { bipe, seed: *seed, payers: round::PAYERS, pause: PAUSE };
    let (round, looked, home) = round::play(trial, watch, beside).await?;
    home.stop().await;
    let growth = Growth::of(&samples, time / WARM_UP).ok_or("too short: too few samples")?;
    let [first, last] = growth.memory.map(|kib| u64::from(kib / 1_024));
    let whole = |number: f64| format!("{:.0}", number.max(0.0)).parse::<u64>();
    figures(&[
        ("seconds", settings.seconds.into()),
        ("samples", u64::try_from(samples.len())?),
        ("memory_first_mib", first),
        ("memory_last_mib", last),
        ("growth_hundredths_percent_an_hour", whole(growth.percent * 100.0)?),
        ("descriptors_more_an_hour", whole(growth.descriptors)?),
        ("threads_more_an_hour", whole(growth.threads)?),
        ("pages", looked.pages),
        ("live_events", looked.events),
    ]);
    round.tell();
    let wrong = growth.wrong(time);
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("; ").into()) }
}

/// Samples of the process, from now to the end of the time.
async fn watch(pid: u32, time: Duration) -> Outcome<Vec<Sample>> {
    let (begun, mut samples) = (Instant::now(), Vec::new());
    for number in 0.. {
        let at = EVERY * number;
        if at > time {
            break;
        }
        sleep_until(begun + at).await;
        let sample = Sample {
            at,
            memory: u32::try_from(machine::pss(pid)?)?,
            descriptors: u32::try_from(machine::descriptors(pid)?)?,
            threads: u32::try_from(machine::threads(pid)?)?,
        };
        let (seconds, mib) = (at.as_secs(), f64::from(sample.memory) / 1_024.0);
        let Sample { descriptors, threads, .. } = sample;
        println!("{seconds} s: {mib:.2} MiB, {descriptors} descriptors, {threads} threads");
        samples.push(sample);
    }
    Ok(samples)
}

/// Renames companies that pages follow, until it is over. Every page is told what a page is shown that comes later.
async fn beside(shop: &Shop) -> Outcome<(Vec<Life>, Looked)> {
    let (log, mut companies) = (Arc::new(Log::new()), Vec::new());
    for number in 0..FOLLOWED {
        let body = json!({"companyName": format!("Empresa {number}")});
        let founded = shop.done("/api/companies", &body, "").await?;
        companies.push(founded.text("/data/company/id").to_owned());
    }
    let open = async || {
        let place = (shop.url.as_str(), &shop.caller);
        Page::open(place, &companies, &log, TIMEOUT).await
    };
    let (mut residents, mut looked, mut renewed) = (Vec::new(), Looked::default(), Instant::now());
    for _ in 0..PAGES {
        residents.push(open().await?);
    }
    while !shop.is_over.load(Ordering::Relaxed) {
        if renewed.elapsed() > RENEW {
            shop.caller.renew(account::again(&shop.url, 0).await?.token());
            renewed = Instant::now();
        }
        let visitor = open().await?;
        rename(shop, &companies).await?;
        let late = open().await?;
        let newest = late.newest();
        for page in residents.iter().chain([&visitor]) {
            page.until_at(&newest, TIMEOUT).await?;
        }
        looked.add([visitor, late]);
    }
    looked.add(residents);
    Ok((Vec::new(), looked))
}

async fn rename(shop: &Shop, companies: &[String]) -> Outcome<()> {
    for number in 0..TURN {
        for company in companies {
            let path = format!("/api/companies/{company}");
            let name = json!({"companyName": format!("Empresa {company} {number}")});
            let call = (Method::PUT, path.as_str());
            let answer = shop.caller.until_answered(call, Some(&name), "", TIMEOUT).await?;
            if !answer.is_done() {
                return Err(format!("{path}: {:?} {}", answer.status, answer.body).into());
            }
        }
        if shop.is_over.load(Ordering::Relaxed) {
            break;
        }
        sleep(RENAME).await;
    }
    Ok(())
}

impl Looked {
    fn add(&mut self, pages: impl IntoIterator<Item = Page>) {
        for page in pages {
            self.pages += 1;
            self.events += page.close().events;
        }
    }
}
