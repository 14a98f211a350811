//! Where nothing is seeded, and what `bipe seed --load` adds and writes where it is told to: rows in bulk that
//! keep every invariant.

use bipe_core::clock::Clock;
use bipe_core::development::load::{self, Load};
use bipe_core::payment::check::{ProviderFindings, run};
use bipe_core::scope::JobScope;
use bipe_http::seed::{self, SeedError, Settings};
use clap::Parser;
use serde_json::json;
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

#[test]
fn what_belongs_to_the_other_way_of_seeding_is_refused_and_not_passed_over() {
    let takes = |words: &[&str]| Flags::try_parse_from([&["seed"][..], words].concat()).is_ok();
    for [name, value] in [["--seed", "8"], ["--companies", "5"]] {
        assert!(takes(&["--demo", name, value]) && !takes(&["--load", "1", name, value]), "{name}");
    }
    for [name, value] in [["--people", "2"], ["--years", "1"], ["--out", "accounts.json"]] {
        assert!(takes(&["--load", "1", name, value]) && !takes(&["--demo", name, value]), "{name}");
    }
}

#[actix_web::test]
async fn a_database_with_companies_is_seeded_only_when_told() {
    let server = spawn_app().await;
    // Its clock is behind the machine's, by which the command below writes.
    server.leave_unproven();
    let (db, proof) = (&server.app.db, JobScope::of_test());
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

#[actix_web::test]
async fn a_demo_is_added_once() {
    let server = spawn_app().await;
    server.person("ana@example.com").await;
    let owner = server.database.owner().await;
    let first = "UPDATE users SET email = 'ana.almeida.0@demo.bipe.localhost'";
    owner.execute(first, &[]).await.unwrap();
    let database = crate::process::database_url(&server.database);
    let flags = ["--demo", "--add", "--bind", "127.0.0.1:1", "--database-url", &database];
    let refused = refusal(&flags).await;
    assert!(matches!(refused, SeedError::DemoIsThere), "{refused}");
}

#[actix_web::test]
async fn loaded_companies_keep_the_books_and_their_admins_sign_in() {
    let server = spawn_app().await;
    let (app, proof) = (&server.app, JobScope::of_test());
    let hash = app.auth.hasher.hash(load::PASSWORD).await.unwrap();
    let fill = async |load: Load| load::fill(&app.db, &proof, load, &hash).await.unwrap();
    let plain = fill(Load { companies: 5, people_each: 1, years: 0 }).await;
    let old = fill(Load { companies: 130, people_each: 3, years: 3 }).await;
    assert_eq!((plain.len(), old.len()), (5, 130));
    let report = run(&app.db, &proof, ProviderFindings::default()).await.unwrap();
    assert!(report.findings.is_empty(), "{:?}", report.findings);
    for admin in [&plain[4], &old[129]] {
        let login = json!({"userEmail": admin.email, "password": load::PASSWORD});
        let answer = server.post("/api/auth/login", &login).await;
        assert_eq!(answer.data(200)["user"]["userEmail"], admin.email.as_str());
    }
    let owner = server.database.owner().await;
    let running =
        "SELECT count(*) FROM subscriptions WHERE status = 'active' AND company_id = ANY ($1)";
    let companies: Vec<_> = plain.iter().map(|admin| admin.company_id).collect();
    let running: i64 = owner.query_one(running, &[&companies]).await.unwrap().get(0);
    assert_eq!(running, 5, "without a history everybody pays");
    // ids tell when they were made, like all that the product makes
    for noun in ["companies", "users", "subscriptions", "payments"] {
        let other = format!(
            "SELECT count(*) FROM {noun} WHERE substr(id::text, 15, 1) <> '7' \
               OR abs(('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint \
                 - extract(epoch FROM created_at) * 1000) > 1"
        );
        let other: i64 = owner.query_one(&other, &[]).await.unwrap().get(0);
        assert_eq!(other, 0, "{noun}");
    }
}
