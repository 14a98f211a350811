//! `bipe seed`: fills a database for people to look at or for load tests. Called by `cli.rs`. Refused in production,
//! and refused without a flag if companies exist already.

mod company;
mod context;
pub mod demo;
mod names;

use std::io::Write as _;
use std::net::TcpStream;
use std::path::{Path, PathBuf};

use bipe_core::auth::{Auth, Keys};
use bipe_core::brazil;
use bipe_core::clock::Clock;
use bipe_core::config::{Config, DEMO_ADMIN_EMAIL, DEMO_ADMIN_PASSWORD};
use bipe_core::db::{Db, OpenedDb, migrate, start};
use bipe_core::development;
use bipe_core::development::load::{self, Admin, Load};
use bipe_core::embedded_postgres::IfRunning;
use bipe_core::plan;
use bipe_core::private_file;
use bipe_core::scope::JobScope;
use clap::{Args, value_parser};
use jiff::Timestamp;
use serde_json::json;
use tokio::runtime::Handle;

use self::demo::{DemoEnvironment, DemoSize};
use crate::boot::{self, BootError, DatabaseServer};

/// The flags of `bipe seed`.
#[derive(Args, Clone, Debug)]
#[group(id = "what", required = true, multiple = false, args = ["demo", "load"])]
pub struct Settings {
    /// A year of a few hundred companies, made by the product itself
    #[arg(long)]
    demo: bool,
    /// With --demo: the same number makes the same year
    #[arg(long, default_value_t = 7, conflicts_with = "load")]
    seed: u64,
    /// With --demo: how many companies
    #[arg(long, default_value = "300", value_parser = value_parser!(u16).range(1..=5000))]
    #[arg(conflicts_with = "load")]
    companies: u16,
    /// This many companies, each with an active subscription and an admin who can sign in
    #[arg(long, value_name = "COMPANIES", value_parser = value_parser!(u32).range(1..=1_000_000))]
    load: Option<u32>,
    /// With --load: members of each company
    #[arg(long, default_value = "1", value_parser = value_parser!(u16).range(1..=5))]
    #[arg(conflicts_with = "demo")]
    people: u16,
    /// With --load: years of history; with 0, all companies have paid since ten days
    #[arg(long, default_value = "0", value_parser = value_parser!(u16).range(0..=i64::from(load::MAX_YEARS)))]
    #[arg(conflicts_with = "demo")]
    years: u16,
    /// With --load: the file for the accounts, [{email, password, companyId}]; default: accounts.json in the data
    /// directory
    #[arg(long, value_name = "FILE", conflicts_with = "demo")]
    out: Option<PathBuf>,
    /// Adds to companies that exist already
    #[arg(long)]
    add: bool,
    #[command(flatten)]
    pub config: Config,
}

#[derive(Debug, thiserror::Error)]
pub enum SeedError {
    #[error("a production database is never seeded")]
    Production,
    #[error("companies exist already; --add adds to them, `make clean-data` forgets them")]
    NotEmpty,
    #[error("the companies of the demo are there already; `make clean-data` forgets them")]
    DemoIsThere,
    #[error("a demo needs the built-in payment sandbox: leave the Stripe settings out")]
    ForeignProvider,
    #[error("stop the server first: it holds the sandbox that the demo writes")]
    Running,
    #[error(transparent)]
    Boot(#[from] BootError),
    #[error("{path}: {cause}")]
    File { path: String, cause: std::io::Error },
}

impl From<bipe_core::Error> for SeedError {
    fn from(error: bipe_core::Error) -> Self {
        Self::Boot(error.into())
    }
}

/// Fills the database of the settings, and says with what. A server may run on it while `--load` does; `work` drives
/// the connections.
///
/// # Errors
/// One sentence that says what to do.
pub async fn run(settings: &Settings, work: &Handle) -> Result<String, SeedError> {
    let config = &settings.config;
    if config.is_production() {
        return Err(SeedError::Production);
    }
    if settings.demo && !config.has_own_sandbox() {
        return Err(SeedError::ForeignProvider);
    }
    // A server that listens there has the sandbox open and would not see what is written into its file.
    if settings.demo && TcpStream::connect(config.bind).is_ok() {
        return Err(SeedError::Running);
    }
    let opening = config.clone();
    let database = work.spawn(async move { DatabaseServer::open(&opening, IfRunning::Join).await });
    let database = database.await.map_err(BootError::from)??;
    let filled = fill(settings, &database, work).await;
    work.spawn(database.close()).await.map_err(BootError::from)?;
    filled
}

async fn fill(
    settings: &Settings,
    database: &DatabaseServer,
    work: &Handle,
) -> Result<String, SeedError> {
    let preparing = start::prepare(database.logins.clone(), false);
    let login = work.spawn(preparing).await.map_err(BootError::from)??;
    let open = |clock| Db::open_unsynced(login.clone(), work.clone(), clock);
    let OpenedDb { db, proof, .. } = open(Clock::system())?;
    let prepared = prepare(settings, &db, &proof).await;
    let filled = match (prepared, settings.load) {
        (Err(error), _) => Err(error),
        (Ok(()), Some(companies)) => load(settings, &db, &proof, companies).await,
        (Ok(()), None) => {
            let end = Timestamp::from_second(db.clock().now().as_second()).unwrap_or_default();
            let (seed, companies) = (settings.seed, usize::from(settings.companies));
            let size = DemoSize { seed, companies, end };
            run_demo(settings, open(Clock::fixed(size.begin(), seed))?, size).await
        }
    };
    db.close();
    let told = filled?;
    let owner = database.logins.owner().clone();
    let analyzed = work.spawn(async move { migrate::analyze(&owner).await });
    analyzed.await.map_err(BootError::from)??;
    Ok(told)
}

async fn prepare(settings: &Settings, db: &Db, proof: &JobScope) -> Result<(), SeedError> {
    if !settings.add && load::has_companies(db, proof).await? {
        return Err(SeedError::NotEmpty);
    }
    if settings.demo && demo::is_there(db).await? {
        return Err(SeedError::DemoIsThere);
    }
    Ok(development::restore_clock(db).await?)
}

async fn run_demo(
    settings: &Settings,
    opened: OpenedDb,
    size: DemoSize,
) -> Result<String, SeedError> {
    let db = opened.db.clone();
    let environment = DemoEnvironment::open(&settings.config, opened).await?;
    // It takes minutes.
    let tell_month = async |at: Timestamp| {
        let day = brazil::local_date(at);
        if day.day() == 1 {
            tracing::info!(%day, "the year of the demo has come so far");
        }
    };
    let result = environment.run(size, tell_month).await;
    db.close();
    let result = result?;
    let admin = match &settings.config.admin_email {
        Some(email) => format!("{email}, with the password of the settings"),
        None => format!("{DEMO_ADMIN_EMAIL} {DEMO_ADMIN_PASSWORD}"),
    };
    Ok(format!(
        "{} companies lived a year; {} findings\nplatform admin: {admin}\ncompany admin: {} {}\n\
         `make run` serves it; the platform admin's figures are at /admin/analytics\n",
        size.companies,
        result.findings,
        result.email,
        demo::PASSWORD
    ))
}

async fn load(
    settings: &Settings,
    db: &Db,
    proof: &JobScope,
    companies: u32,
) -> Result<String, SeedError> {
    let tx = db.tx().await?;
    plan::store::load_catalogue(&tx).await?;
    tx.commit().await?;
    let config = &settings.config;
    let keys = Keys::derive(&boot::root_secret(config, db.clock())?);
    let auth = Auth::new(keys, config, db.clone(), proof.clone());
    let hash = auth.hasher.hash(load::PASSWORD).await?;
    let Settings { people: people_each, years, .. } = *settings;
    let wanted = Load { companies, people_each, years };
    let admins = load::fill(db, proof, wanted, &hash).await?;
    let default = || config.data_dir.join("accounts.json");
    let out = settings.out.clone().unwrap_or_else(default);
    write(&out, &admins)?;
    Ok(format!("{} companies; who can sign in stands in {}\n", admins.len(), out.display()))
}

fn write(path: &Path, admins: &[Admin]) -> Result<(), SeedError> {
    let account = |admin: &Admin| {
        let (email, company) = (&admin.email, admin.company_id);
        json!({"email": email, "password": load::PASSWORD, "companyId": company})
    };
    let accounts: serde_json::Value = admins.iter().map(account).collect();
    let failed = |cause| SeedError::File { path: path.display().to_string(), cause };
    let mut file = private_file::create(path).map_err(failed)?;
    file.write_all(accounts.to_string().as_bytes()).map_err(failed)
}
