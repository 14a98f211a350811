//! Whether there was one history: people rename, invite, pay and look at the same companies while the server or its
//! database is killed (SIGKILL) and started again. Every operation is logged with its times and its end.
//!
//! In the end one order of all commands explains every read and every page (`isolation`), each page was told that order
//! without a gap (`order`), what was answered is there once (`bipe_nodes::ledger`), and the books are whole (`books`).

mod books;
mod isolation;
pub mod log;
mod order;
pub mod pages;
mod people;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use bipe_nodes::caller::Caller;
use bipe_nodes::ledger::{self, Ended};
use bipe_simulator::chance::Chance;
use bipe_swarm::{Outcome, account};
use futures_util::future::{BoxFuture, try_join_all};
use serde_json::Value;
use tokio::sync::Notify;
use tokio::time::sleep;

use self::books::Compared;
use self::isolation::Lists;
use self::log::{History, Kind, Log, Read, Shown};
use self::order::{Event, Told};
use self::pages::{Kept, Page, value_of};
use self::people::People;
use super::installation::Installation;
use super::payer::{Life, Shop, TIMEOUT};
use super::round::{self, Round};
use super::{Settings, figures};

/// Kills of one round; a longer trial has more rounds, each with an installation of its own.
const KILLS: u32 = 6;
/// Of so many kills the last one is of the database.
const DATABASE_EVERY: u32 = 3;
/// A life between two kills, in milliseconds.
const SHORTEST: i64 = 300;
const LONGEST: i64 = 1_500;
/// Seconds that pass with each kill: what the dead process had leased is free again after a minute.
const PASS: u32 = 15;
/// Companies whose seats are invited to, beside one that pays and takes its payments back.
const SEATED: usize = 2;
const PAGES: usize = 2;
/// Findings that an error tells.
const TOLD: usize = 8;

/// What happened in rounds.
#[derive(Default)]
struct Counts {
    database_kills: u64,
    appends: u64,
    unknown: u64,
    refused: u64,
    reads: u64,
    events: u64,
    cuts: u64,
    books: Compared,
}

/// # Errors
/// What is broken, with the seed in the command.
pub async fn run(settings: &Settings) -> Outcome<()> {
    let (mut all, mut counts) = (Round::default(), Counts::default());
    for (trial, kills) in round::rounds(settings, KILLS) {
        let (mut chance, everybody) = (Chance::of(trial.seed), Notify::new());
        let disturb = async |home: &mut Installation| {
            everybody.notified().await;
            for kill in 1..=kills {
                let life = SHORTEST + chance.below(LONGEST - SHORTEST);
                sleep(Duration::from_millis(u64::try_from(life)?)).await;
                if kill % DATABASE_EVERY == 0 {
                    home.kill_database().await?;
                } else {
                    home.kill_and_restart().await?;
                }
                home.pass(PASS).await?;
            }
            Ok(())
        };
        let live = async |shop: &Shop| live(shop, trial.seed, &everybody).await;
        let (round, told, home) = round::play(trial, disturb, live).await?;
        all.add(&round);
        counts.database_kills += u64::from(kills / DATABASE_EVERY);
        judge(&home, &told, &mut counts).await?;
        home.stop().await;
    }
    counts.tell(settings.disturbances);
    all.tell();
    Ok(())
}

/// What people and pages were told.
struct Said {
    companies: Vec<String>,
    history: History,
    pages: Vec<Kept>,
    /// What every page has to know of each company.
    newest: BTreeMap<String, i64>,
}

/// People at their companies until it is over, then one last look. `everybody` is told when all of them are there.
async fn live(shop: &Shop, seed: u64, everybody: &Notify) -> Outcome<(Vec<Life>, Said)> {
    let people = People { shop, log: Arc::new(Log::new()) };
    let (mut companies, mut lives) = (Vec::new(), Vec::new());
    for number in 0..=SEATED {
        companies.push(people.create_company(&format!("Empresa {number}")).await?);
    }
    for company in companies.iter().take(SEATED) {
        lives.push(people.buy(company).await?);
    }
    let open = async || {
        let place = (shop.url.as_str(), &shop.caller);
        Page::open(place, &companies, &people.log, TIMEOUT).await
    };
    let mut pages = Vec::new();
    for _ in 0..PAGES {
        pages.push(open().await?);
    }
    everybody.notify_one();
    try_join_all(work(&people, &companies, seed)).await?;
    for company in &companies {
        people.look_at_last(company).await?;
    }
    // One that begins now is told where its companies stand.
    let newest = open().await?.newest();
    let mut told = Vec::new();
    for page in pages {
        // Who is late is told by `order`.
        drop(page.until_at(&newest, TIMEOUT).await);
        told.push(page.close());
    }
    let history = people.log.history();
    Ok((lives, Said { companies, history, pages: told, newest }))
}

fn work<'a>(
    people: &'a People<'a>,
    companies: &'a [String],
    seed: u64,
) -> Vec<BoxFuture<'a, Outcome<()>>> {
    let mut all: Vec<BoxFuture<'a, Outcome<()>>> = Vec::new();
    let names = ["ana", "bia"];
    for (at, company) in companies.iter().enumerate() {
        for name in names {
            let seed = seed ^ (u64::try_from(all.len()).unwrap_or_default() << 16);
            let name = format!("{name}-{at}");
            all.push(Box::pin(async move { people.rename(company, &name, seed).await }));
        }
        for name in names {
            let seed = seed ^ (u64::try_from(all.len()).unwrap_or_default() << 24);
            let name = format!("{name}-{at}");
            all.push(Box::pin(async move {
                if at < SEATED {
                    people.invite(company, &name, seed).await
                } else {
                    people.pay(company, &name, seed).await
                }
            }));
        }
        all.push(Box::pin(async move { people.look(company, seed).await }));
    }
    all
}

/// # Errors
/// Everything that one history does not explain.
async fn judge(home: &Installation, said: &Said, counts: &mut Counts) -> Outcome<()> {
    let (mut lists, mut stored) = (Lists::new(), BTreeMap::new());
    for company in &said.companies {
        let events = events(home, company).await?;
        for (kind, values) in listed(&events) {
            lists.insert(kind.of(company), values);
        }
        stored.insert(company.clone(), events);
    }
    let (mut wrong, mut history) = (Vec::new(), said.history.clone());
    for page in &said.pages {
        counts.events += page.events;
        counts.cuts += page.cuts;
        for (company, shown) in &page.channels {
            let events = stored.get(company).map(Vec::as_slice).unwrap_or_default();
            let newest = said.newest.get(company).copied().unwrap_or_default();
            let findings = order::check(&shown.told, events, newest);
            history.reads.extend(reads(page, (company, &shown.told), events));
            wrong.extend(findings.iter().map(|finding| format!("page of {company}: {finding}")));
        }
    }
    let findings = ledger::check_appends(&history.appends, &lists);
    wrong.extend(findings.iter().map(ToString::to_string));
    wrong.extend(isolation::anomalies(&history, &lists));
    let url = home.node.url();
    let caller = Caller::new(vec![url.clone()], account::again(&url, 0).await?.token())?;
    let (compared, findings) = books::check(&home.sql, &caller).await?;
    wrong.extend(findings);
    counts.count(&history, &compared);
    if wrong.is_empty() {
        return Ok(());
    }
    let all = wrong.len();
    wrong.truncate(TOLD);
    Err(format!("{all} findings: {}", wrong.join("; ")).into())
}

/// The lists of a company, as its events tell them.
fn listed(events: &[Event]) -> [(Kind, Vec<String>); 3] {
    let of = |name: &str| events.iter().filter(move |event| event.name == name).collect::<Vec<_>>();
    let values = |name| of(name).iter().map(|event| event.value.clone()).collect();
    let mut payments: Vec<String> = Vec::new();
    for event in of("payment.updated") {
        if !payments.contains(&event.key) {
            payments.push(event.key.clone());
        }
    }
    [
        (Kind::Names, values("company.updated")),
        (Kind::Invites, values("invite.created")),
        (Kind::Payments, payments),
    ]
}

/// What a page showed: with each new value everything before it. A payment is new with its first event alone.
fn reads(page: &Kept, (company, told): (&str, &[Told]), events: &[Event]) -> Vec<Read> {
    let is_first = |event: &Event| {
        let same = |first: &&Event| first.name == event.name && first.key == event.key;
        events.iter().find(same).is_some_and(|first| first.seq == event.seq)
    };
    let read = |told: &Told| {
        let Told::Event(event, at) = told else { return None };
        let (kind, value) = match event.name.as_str() {
            "company.updated" => (Kind::Names, &event.value),
            "invite.created" => (Kind::Invites, &event.value),
            "payment.updated" if is_first(event) => (Kind::Payments, &event.key),
            _ => return None,
        };
        let shown = Shown::Newest(value.clone());
        Some(Read { list: kind.of(company), shown, invoked: page.opened, at: *at })
    };
    told.iter().filter_map(read).collect()
}

async fn events(home: &Installation, company: &str) -> Outcome<Vec<Event>> {
    let sql =
        "SELECT seq, name, key, data FROM events WHERE channel = 'company/' || $1 ORDER BY seq";
    let mut events = Vec::new();
    for row in home.sql.query(sql, &[&company]).await? {
        let (seq, name, key): (i64, String, String) =
            (row.try_get(0)?, row.try_get(1)?, row.try_get(2)?);
        let data: Value = serde_json::from_str(row.try_get(3)?)?;
        let value = value_of(&name, &data);
        events.push(Event { seq, name, key, value });
    }
    Ok(events)
}

impl Counts {
    fn count(&mut self, history: &History, compared: &Compared) {
        for append in &history.appends {
            match append.ended {
                Ended::Ok(_) => self.appends += 1,
                Ended::Failed => self.refused += 1,
                Ended::Unknown => self.unknown += 1,
            }
        }
        self.reads += u64::try_from(history.reads.len()).unwrap_or_default();
        self.books.entries += compared.entries;
        self.books.segments += compared.segments;
    }

    fn tell(&self, kills: u32) {
        figures(&[
            ("kills", u64::from(kills) - self.database_kills),
            ("database_kills", self.database_kills),
            ("appends", self.appends),
            ("unknown", self.unknown),
            ("refused", self.refused),
            ("reads", self.reads),
            ("live_events", self.events),
            ("cuts", self.cuts),
            ("ledger_entries", self.books.entries),
            ("periods", self.books.segments),
        ]);
    }
}
