//! `bipe seed --demo`: a year of a few hundred companies. A clock of its own jumps from one action or due job to the
//! next. The job runner does renewals, dunning and mails, as on a server.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::net::{IpAddr, Ipv4Addr, TcpListener};

use actix_web::dev::ServerHandle;
use bipe_actors::payment_check;
use bipe_core::auth::{Auth, Keys};
use bipe_core::caller::Caller;
use bipe_core::clock::Clock;
use bipe_core::config::{Config, RateLimits};
use bipe_core::db::{Db, OpenedDb};
use bipe_core::mailer::Mailer;
use bipe_core::metrics::{self, AcquisitionSpend};
use bipe_core::money::Cents;
use bipe_core::user::Email;
use bipe_core::user::store as users;
use bipe_core::{Error, Result, brazil, job, plan, purge};
use bipe_sandbox::{Sandbox, SandboxSettings};
use jiff::{SignedDuration, Timestamp};

use super::company::{Act, Company};
use super::context::SeedContext;
use super::names::{self, Dice, PEOPLE};
use crate::boot::{self, BootError};
use crate::extract::ClientIp;
use crate::legal;

/// The password of every demo account.
pub const PASSWORD: &str = "Bipe#Demo2026";
const YEAR: SignedDuration = SignedDuration::from_hours(24 * 365);
/// Jobs that fall due within this time are run together.
const STEP: SignedDuration = SignedDuration::from_mins(10);

#[derive(Clone, Copy, Debug)]
pub struct DemoSize {
    pub seed: u64,
    pub companies: usize,
    /// The year ends here.
    pub end: Timestamp,
}

impl DemoSize {
    pub fn begin(&self) -> Timestamp {
        self.end.saturating_sub(YEAR).unwrap_or(Timestamp::MIN)
    }
}

/// Whether a demo was seeded before: another one would have the same people.
///
/// # Errors
/// When the database does not answer.
pub async fn is_there(db: &Db) -> Result<bool> {
    let first = Email::parse(&names::email(0)).map_err(|code| Error::invalid("demo", code))?;
    Ok(users::by_email(&db.tx().await?, &first).await?.is_some())
}

/// The result of the year.
#[derive(Clone, Debug)]
pub struct DemoResult {
    /// Who can sign in for a company that is there.
    pub email: String,
    /// Broken payment invariants; none.
    pub findings: usize,
}

/// Everything open for a year: the sandbox on a port of its own, jobs that run when they are told to.
pub struct DemoEnvironment {
    context: SeedContext,
    server: ServerHandle,
}

/// When, in which order, by whom; nobody for a bystander.
type ScheduledAct = Reverse<(Timestamp, u64, usize, Act)>;

impl DemoEnvironment {
    /// The database has a fixed clock that stands at the beginning, and is migrated.
    ///
    /// # Errors
    /// When a part cannot be opened.
    pub async fn open(config: &Config, opened: OpenedDb) -> std::result::Result<Self, BootError> {
        let db = opened.db.clone();
        let mut config = config.clone();
        // The links of hosted pages are those of the server that runs afterwards; mail stays in the mailbox.
        let base_url = format!("{}/sandbox", config.public_url());
        config.rate_limits = RateLimits::Relaxed;
        config.smtp_url = None;
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(BootError::Sandbox)?;
        let address = listener.local_addr().map_err(BootError::Sandbox)?;
        let settings = SandboxSettings {
            data_dir: config.data_dir.clone(),
            clock: db.clock().clone(),
            base_url,
            webhook_url: None,
            webhook_secrets: Vec::new(),
        };
        let sandbox = Sandbox::open(settings).map_err(BootError::Sandbox)?;
        let listening = bipe_sandbox::listen(sandbox.clone(), listener);
        let server = listening.map_err(BootError::Sandbox)?;
        let handle = server.handle();
        actix_web::rt::spawn(server);
        let tx = db.tx().await?;
        plan::store::load_catalogue(&tx).await?;
        let plans = plan::store::on_sale(&tx).await?;
        tx.commit().await?;
        let keys = Keys::derive(&boot::root_secret(&config, &Clock::system())?);
        let mailer = Mailer::new(&config, &keys)?;
        let auth = Auth::new(keys, &config, db.clone(), opened.proof.clone());
        auth.first_admin(&config).await.map_err(BootError::admin)?;
        let password_hash = auth.hasher.hash(PASSWORD).await?;
        let actors = boot::start_actors(&config, address, &opened, mailer, auth.limits.clone())?;
        let caller = caller();
        let consents = legal::consents(&config);
        let context =
            SeedContext { db, auth, actors, sandbox, plans, password_hash, consents, caller };
        Ok(Self { context, server: handle })
    }

    /// Runs the year, checks its books and closes the sandbox. `each_day` looks on once a day, when everything that
    /// was due until then is done.
    ///
    /// # Errors
    /// Events that no person of the demo causes.
    pub async fn run(
        self,
        size: DemoSize,
        each_day: impl AsyncFnMut(Timestamp),
    ) -> Result<DemoResult> {
        let result = self.run_year(size, each_day).await;
        self.context.sandbox.flush().await;
        self.server.stop(false).await;
        result
    }

    async fn run_year(
        &self,
        size: DemoSize,
        mut each_day: impl AsyncFnMut(Timestamp),
    ) -> Result<DemoResult> {
        let context = &self.context;
        let mut day = brazil::local_date(size.begin());
        let mut companies: Vec<Company> =
            (0..size.companies).map(|number| Company::new(size.seed, number)).collect();
        let (mut schedule, mut order) = (first_acts(size), 0_u64);
        while let Some(next) = self.next(&schedule).await?.filter(|next| *next < size.end) {
            let step = context.now().checked_add(STEP).map_err(Error::internal)?;
            self.move_to(next.max(step).min(size.end));
            self.do_due_acts(&mut companies, &mut schedule, &mut order).await?;
            context.actors.jobs.run_all_due().await?;
            let today = brazil::local_date(context.now());
            if today != day {
                day = today;
                each_day(context.now()).await;
            }
        }
        self.move_to(size.end);
        context.actors.jobs.run_all_due().await?;
        self.spend(size).await?;
        let report = payment_check::run(&context.actors.directory).await?;
        purge::run(&context.db, context.actors.directory.proof()).await?;
        let shown = companies.iter().find(|company| company.pays_by_card());
        let email = shown.map_or_else(|| names::email(0), Company::email);
        Ok(DemoResult { email, findings: report.findings.len() })
    }

    async fn do_due_acts(
        &self,
        companies: &mut [Company],
        schedule: &mut BinaryHeap<ScheduledAct>,
        order: &mut u64,
    ) -> Result<()> {
        while schedule.peek().is_some_and(|Reverse((at, ..))| *at <= self.context.now()) {
            let Some(Reverse((_, _, number, act))) = schedule.pop() else { break };
            let Some(company) = companies.get_mut(number) else {
                bystander(&self.context, number).await?;
                continue;
            };
            for (at, act) in company.act(&self.context, act).await? {
                *order += 1;
                schedule.push(Reverse((at, *order, number, act)));
            }
        }
        Ok(())
    }

    /// The time of the next action or due job.
    async fn next(&self, schedule: &BinaryHeap<ScheduledAct>) -> Result<Option<Timestamp>> {
        let acts = schedule.peek().map(|Reverse((at, ..))| *at);
        let due = job::next_due(&self.context.db).await?;
        Ok(acts.into_iter().chain(due).min())
    }

    fn move_to(&self, at: Timestamp) {
        let seconds = at.as_second() - self.context.now().as_second();
        if let Ok(seconds) = u32::try_from(seconds) {
            self.context.clock().advance(seconds);
        }
    }

    /// What each month's new companies have cost, so that their price moves around R$ 90.
    async fn spend(&self, size: DemoSize) -> Result<()> {
        let mut dice = Dice::new(size.seed, 0);
        let tx = self.context.db.platform_tx(self.context.actors.directory.proof()).await?;
        let months = brazil::last_months(size.end, 13);
        for (place, month) in (1_i64..).zip(months) {
            let share = i64::try_from(size.companies).unwrap_or(0) * place;
            let amount = Cents(share * dice.between(75, 120) + 20_000);
            metrics::store::set_cost(&tx, AcquisitionSpend { month, amount }).await?;
        }
        tx.commit().await
    }
}

/// Where every action of the demo comes from: an address of a documentation network (RFC 5737).
fn caller() -> Caller {
    let address = ClientIp(IpAddr::from([203, 0, 113, 7]));
    Caller {
        ip: address.0.to_string(),
        network: address.network(),
        audit_network: address.truncated(),
        device: "Demonstração".into(),
        request_id: "demo".into(),
    }
}

/// When each company is founded: more of them as the year goes on. Beside every eighth one comes a person without one.
fn first_acts(size: DemoSize) -> BinaryHeap<ScheduledAct> {
    let begin = size.begin();
    let mut dice = Dice::new(size.seed, u64::MAX);
    let all = i64::try_from(size.companies.max(1)).unwrap_or(1);
    let mut schedule = BinaryHeap::new();
    for number in 0..size.companies + size.companies / 8 {
        let beside =
            number.checked_sub(size.companies).map_or(number, |bystander| bystander * 8 + 7);
        let place = i64::try_from(beside).unwrap_or(0);
        // A thousandth share of the crowd, bent so that three times as many come at the end as at the beginning.
        let share = (place * 1000 + dice.between(0, 999)) / all;
        let seconds = share * (3000 - share) * 157 / 10 + dice.between(0, 30_000);
        let at = begin.saturating_add(SignedDuration::from_secs(seconds)).unwrap_or(begin);
        schedule.push(Reverse((at, 0, number, Act::CreateCompany)));
    }
    schedule
}

/// A person without a company; one in three never proves the address.
async fn bystander(context: &SeedContext, number: usize) -> Result<()> {
    let verifies = !number.is_multiple_of(3);
    let user = context.register(number * PEOPLE, verifies).await?;
    if verifies {
        context.sign_in(user).await?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn the_audit_of_a_demo_names_networks_as_that_of_a_server_does() {
        assert_eq!(caller().audit_network, "203.0.113.0/24");
    }

    #[test]
    fn companies_are_founded_until_the_year_ends() {
        let end: Timestamp = "2026-11-21T15:00:00Z".parse().unwrap();
        let mut weeks = [0; 6];
        for Reverse((at, _, number, _)) in first_acts(DemoSize { seed: 7, companies: 300, end }) {
            let week = usize::try_from(end.duration_since(at).as_hours() / (7 * 24)).unwrap();
            if number < 300 && week < weeks.len() {
                weeks[week] += 1;
            }
        }
        assert!(weeks.iter().all(|count| (5..=15).contains(count)), "{weeks:?}");
    }

    #[test]
    fn people_without_a_company_come_all_year() {
        let end: Timestamp = "2026-11-21T15:00:00Z".parse().unwrap();
        let acts = first_acts(DemoSize { seed: 7, companies: 300, end }).into_iter();
        let ages = acts.filter(|Reverse((_, _, number, _))| *number >= 300);
        let ages: Vec<i64> =
            ages.map(|Reverse((at, ..))| end.duration_since(at).as_hours() / 24).collect();
        assert_eq!(ages.len(), 37);
        assert!(ages.iter().any(|days| *days < 7), "some have not verified yet: {ages:?}");
        assert!(ages.iter().any(|days| *days > 300), "{ages:?}");
    }

    #[test]
    fn another_seed_founds_the_companies_at_other_times() {
        let end: Timestamp = "2026-11-21T15:00:00Z".parse().unwrap();
        let founded = |seed| {
            let acts = first_acts(DemoSize { seed, companies: 4, end });
            acts.into_iter().map(|Reverse((at, ..))| at).collect::<BTreeSet<Timestamp>>()
        };
        assert_eq!(founded(11), founded(11));
        assert_ne!(founded(11), founded(12));
    }
}
