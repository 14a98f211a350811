//! A storm of sign-ins: more of them come than the cores can hash, right and wrong passwords mixed, of many people and
//! from many networks, while somebody who is signed in goes on reading. Sign-ins and reads come at their own moments,
//! whatever became of those before, and every wait counts from the moment that one was due.

mod answers;

use std::time::Duration;

use bipe_simulator::chance::Chance;
use bipe_swarm::account::{self, Account, PASSWORD};
use bipe_swarm::report::percentile;
use bipe_swarm::{Outcome, machine};
use reqwest::{Client, Response};
use serde_json::{Value, json};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until};

use self::answers::{Answer, BOUND, Password, Tried};
use super::installation::Installation;
use super::{Subject, figures};

/// Sign-ins a second for each core, about three times what it can hash.
const A_CORE: u32 = 100;
const FEWEST_CORES: u32 = 2;
/// Who signs in; one more reads.
const PEOPLE: usize = 16;
/// From where they do. Each is below the limit of a network, so that the hashes are what refuses.
const NETWORKS: usize = 64;
/// Between two reads.
const READ_AGAIN: Duration = Duration::from_millis(20);
/// Of reading before the storm.
const CALM: Duration = Duration::from_secs(3);
/// More than any answer may take: who still waits then was forgotten.
const GIVE_UP: Duration = Duration::from_secs(30);
/// Sockets of the generator and of the server, if every sign-in of the longest wait has its own.
const SOCKETS: u64 = 8_000;

#[derive(clap::Args, Clone, Debug)]
pub struct Settings {
    #[command(flatten)]
    subject: Subject,
    /// How long the storm is
    #[arg(long, env = "BIPE_SIGN_IN_SECONDS", default_value_t = 5)]
    seconds: u32,
}

/// # Errors
/// What is broken, or what prevented the trial.
pub async fn run(settings: &Settings) -> Outcome<()> {
    machine::raise_descriptors(SOCKETS)?;
    let home = Installation::start(&settings.subject.bipe).await?;
    let url = home.node.url();
    let mut people = account::open(&url, PEOPLE + 1).await?;
    let reader = people.pop().ok_or("nobody reads")?;
    let calm = read(&url, &reader, CALM).await?;
    let storm = Duration::from_secs(settings.seconds.into());
    let (tried, reads) =
        tokio::try_join!(sign_in(&url, settings.subject.seed, storm), read(&url, &reader, storm))?;
    let mut wrong = answers::check(&tried);
    wrong.extend(answers::check_reads(&calm));
    wrong.extend(answers::check_reads(&reads));
    wrong.extend(afterwards(&url).await);
    tell(&tried, &calm, &reads)?;
    home.stop().await;
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("; ").into()) }
}

/// Calls `send` with the number of each moment, at that moment, whether those before have ended or not.
async fn paced<T: Send + 'static, F: Future<Output = T> + Send + 'static>(
    (pause, time): (Duration, Duration),
    send: impl Fn(u32, Instant) -> F,
) -> Outcome<Vec<T>> {
    let (begun, mut sent) = (Instant::now(), JoinSet::new());
    for number in 0.. {
        let due = begun + pause * number;
        if due >= begun + time {
            break;
        }
        sleep_until(due).await;
        sent.spawn(send(number, due));
    }
    let mut all = Vec::new();
    while let Some(ended) = sent.join_next().await {
        all.push(ended?);
    }
    Ok(all)
}

async fn sign_in(url: &str, seed: u64, storm: Duration) -> Outcome<Vec<Tried>> {
    let client = Client::builder().timeout(GIVE_UP).build()?;
    let cores = u32::try_from(std::thread::available_parallelism()?.get())?;
    let pause = Duration::from_secs(1) / (A_CORE * cores.max(FEWEST_CORES));
    paced((pause, storm), |number, due| {
        let (client, url) = (client.clone(), format!("{url}/api/auth/login"));
        let chance = Chance::of(seed ^ (u64::from(number) << 32));
        async move { try_once((&client, &url), chance, due).await }
    })
    .await
}

/// A right password, a wrong one, or one of nobody.
async fn try_once((client, url): (&Client, &str), mut chance: Chance, due: Instant) -> Tried {
    let person = chance.index(PEOPLE);
    let (password, email, word) = match chance.index(3) {
        0 => (Password::Wrong, account::address(person), "Engano123!"),
        1 => (Password::Wrong, format!("ninguem{person}@example.com"), PASSWORD),
        _ => (Password::Right, account::address(person), PASSWORD),
    };
    let body = json!({"userEmail": email, "password": word});
    let network = format!("203.0.113.{}", chance.index(NETWORKS));
    let request = client.post(url).header("x-forwarded-for", network).json(&body);
    let answer = async { answer(request.send().await?).await };
    let answer = answer.await.map_err(|error: reqwest::Error| cause(&error));
    Tried { password, answer, took: due.elapsed() }
}

async fn answer(response: Response) -> Result<Answer, reqwest::Error> {
    let status = response.status().as_u16();
    let again = response.headers().get("retry-after").and_then(|value| value.to_str().ok());
    let retry_after = again.and_then(|value| value.parse().ok());
    let body: Value = serde_json::from_slice(&response.bytes().await?).unwrap_or_default();
    let token = body.pointer("/data/tokens/accessToken").and_then(Value::as_str);
    Ok(Answer { status, retry_after, has_session: token.is_some_and(|token| !token.is_empty()) })
}

/// The innermost: the address of a request is the same for all.
fn cause(error: &reqwest::Error) -> String {
    let mut deepest: &dyn std::error::Error = error;
    while let Some(source) = deepest.source() {
        deepest = source;
    }
    deepest.to_string()
}

/// One company, again and again: how long each took, or what was wrong.
async fn read(
    url: &str,
    reader: &Account,
    time: Duration,
) -> Outcome<Vec<Result<Duration, String>>> {
    let client = Client::builder().timeout(GIVE_UP).build()?;
    let path = format!("{url}/api/companies/{}", reader.company);
    paced((READ_AGAIN, time), |_, due| {
        let request = client.get(&path).bearer_auth(reader.token());
        async move {
            let status = request.send().await.map_err(|error| cause(&error))?.status();
            if status.is_success() { Ok(due.elapsed()) } else { Err(format!("a read: {status}")) }
        }
    })
    .await
}

/// Everybody has been answered: the next sign-in finds its place at once, and its session is good.
async fn afterwards(url: &str) -> Option<String> {
    let begun = Instant::now();
    let entered = async { account::again(url, 0).await?.get("/api/companies").await };
    let wrong = match entered.await {
        Err(error) => error.to_string(),
        Ok(_) if begun.elapsed() > BOUND => format!("{:?}", begun.elapsed()),
        Ok(_) => return None,
    };
    Some(format!("a sign-in after the storm: {wrong}"))
}

fn tell(
    tried: &[Tried],
    calm: &[Result<Duration, String>],
    reads: &[Result<Duration, String>],
) -> Outcome<()> {
    let number = |count: usize| u64::try_from(count);
    let with = |status: u16| tried.iter().filter(move |tried| tried.status() == Some(status));
    let slowest = |times: &[Duration]| times.last().copied().unwrap_or_default();
    let refusals = sorted(with(503).map(|tried| tried.took));
    let admitted = sorted(with(200).chain(with(401)).map(|tried| tried.took));
    let [calm, storm] = [calm, reads].map(|reads| sorted(reads.iter().flatten().copied()));
    let [before, meanwhile] = [&calm, &storm].map(|times| percentile(times, 990).as_micros());
    let millis = |time: Duration| u64::try_from(time.as_millis());
    figures(&[
        ("sign_ins", number(tried.len())?),
        ("let_in", number(with(200).count())?),
        ("wrong_passwords", number(with(401).count())?),
        ("refused", number(with(503).count())?),
        ("limited", number(with(429).count())?),
        ("slowest_refusal_ms", millis(slowest(&refusals))?),
        ("slowest_verdict_ms", millis(slowest(&admitted))?),
        ("reads", number(storm.len())?),
        ("reads_calm_p99_us", u64::try_from(before)?),
        ("reads_p99_us", u64::try_from(meanwhile)?),
        ("reads_p99_ratio_percent", u64::try_from(meanwhile * 100 / before.max(1))?),
        ("slowest_read_ms", millis(slowest(&storm))?),
    ]);
    Ok(())
}

fn sorted(times: impl Iterator<Item = Duration>) -> Vec<Duration> {
    let mut times: Vec<Duration> = times.collect();
    times.sort_unstable();
    times
}
