//! Where nothing is seeded, and what `bipe seed --load` adds and writes where it is told to.

use bipe_core::clock::Clock;
use bipe_core::development::load::{self, Load};
use bipe_core::scope::JobScope;
use bipe_http::seed::{self, SeedError, Settings};
use clap::Parser;
use tokio::runtime::Handle;

use crate::app::spawn_app;

#[derive(Parser)]
struct Flags {
    #[command(flatten)]
    settings: Settings,
}

async fn refusal(flags: &[&str]) -> SeedError {
    let flags = Flags::parse_from([&["seed"][..], flags].concat());
    seed::run(&flags.settings, &Handle::current()).await.unwrap_err()
}

#[actix_web::test]
async fn neither_production_nor_another_provider_is_seeded() {
    let production = refusal(&["--load", "1", "--env", "production"]).await;
    assert!(matches!(production, SeedError::Production), "{production}");
    let foreign = ["--demo", "--stripe-secret-key", "sk_test_1"];
    let foreign = refusal(&foreign).await;
    assert!(matches!(foreign, SeedError::ForeignProvider), "{foreign}");
    let both = Flags::try_parse_from(["seed", "--demo", "--load", "1"]);
    assert!(both.is_err() && Flags::try_parse_from(["seed"]).is_err());
}

#[actix_web::test]
async fn a_database_with_companies_is_seeded_only_when_told() {
    let server = spawn_app().await;
    let (db, proof) = (&server.app.db, JobScope::of_this_process());
    load::fill(db, &proof, Load { companies: 1, people_each: 1, years: 0 }, "no hash")
        .await
        .unwrap();
    let database = crate::process::database_url(&server.database);
    let data = std::env::temp_dir().join(format!("bipe-load-{}", Clock::system().uuid()));
    std::fs::create_dir_all(&data).unwrap();
    let flags = ["--load", "2", "--database-url", &database, "--data-dir", data.to_str().unwrap()];
    let refused = refusal(&flags).await;
    assert!(matches!(refused, SeedError::NotEmpty), "{refused}");
    let told = Flags::parse_from([&["seed"][..], &flags, &["--add"]].concat());
    seed::run(&told.settings, &Handle::current()).await.unwrap();
    let written = std::fs::read_to_string(data.join("accounts.json")).unwrap();
    let accounts: Vec<serde_json::Value> = serde_json::from_str(&written).unwrap();
    assert_eq!(accounts.len(), 2);
    assert!(accounts.iter().all(|a| a["email"].is_string() && a["companyId"].is_string()));
    std::fs::remove_dir_all(data).unwrap();
}
