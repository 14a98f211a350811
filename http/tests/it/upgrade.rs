//! `bipe upgrade check` before an installation: what would run, what stands in the way, and that the database is left
//! as it was.

use bipe_core::clock::Clock;
use bipe_core::db::migrate;
use bipe_core::testing::TestDb;
use serde_json::{Value, json};
use tokio_postgres::Client;

use crate::doctor::{Folder, check, outcome, read_report, run_bipe};
use crate::process::database_url;

struct Installation {
    folder: Folder,
    database: TestDb,
    owner: Client,
}

impl Installation {
    async fn new() -> Self {
        let database = TestDb::with_clock(Clock::system()).await;
        let owner = database.owner().await;
        Self { folder: Folder::new(), database, owner }
    }

    /// Forgets that migrations from here on were applied, and that the window was made if it was made then.
    async fn forget_from(&self, version: i32) {
        let forget = "DELETE FROM refinery_schema_history WHERE version >= $1";
        self.owner.execute(forget, &[&version]).await.unwrap();
        if version <= 33 {
            self.owner.batch_execute("DROP TABLE schema_window").await.unwrap();
        }
    }

    /// The answer, behind which the database has the schema that it had before.
    async fn ask(&self, arguments: &[&str]) -> Value {
        let before = self.schema().await;
        let arguments = [arguments, &["--json"]].concat();
        let url = Some(database_url(&self.database));
        let output = run_bipe(&["upgrade", "check"], &self.folder.0, url, &arguments).await;
        assert_eq!(self.schema().await, before);
        read_report(&output)
    }

    async fn schema(&self) -> Vec<(i32, String)> {
        let all = "SELECT version, checksum FROM refinery_schema_history ORDER BY version";
        let rows = self.owner.query(all, &[]).await.unwrap();
        rows.iter().map(|row| (row.get(0), row.get(1))).collect()
    }
}

#[actix_web::test]
async fn a_database_of_this_schema_has_nothing_to_do() {
    let home = Installation::new().await;
    let answer = home.ask(&[]).await;
    assert_eq!(answer["findings"], 0, "{answer:#}");
    assert_eq!(answer["upgrade"]["from"], migrate::newest());
    assert_eq!(answer["upgrade"]["migrations"], json!([]));
    for name in ["upgrade.settings", "upgrade.postgres", "upgrade.schema", "database.rights"] {
        assert_eq!(outcome(&answer, name), "ok", "{answer:#}");
    }
    assert_eq!(outcome(&answer, "bus.reached"), "skipped");
    // What the window of the database says is what the migrations say.
    assert_eq!(answer["upgrade"]["oldestBeside"], 33);
}

#[actix_web::test]
async fn an_older_database_is_told_what_runs_and_who_waits() {
    let home = Installation::new().await;
    home.forget_from(43).await;
    home.owner.batch_execute("ANALYZE jobs").await.unwrap();
    let answer = home.ask(&[]).await;
    assert_eq!(answer["findings"], 0, "{answer:#}");
    let upgrade = &answer["upgrade"];
    assert_eq!((&upgrade["from"], &upgrade["build"]), (&json!(42), &json!(migrate::newest())));
    let first = &upgrade["migrations"][0];
    assert_eq!(first["name"], "job_queues");
    assert_eq!(first["tables"], json!({"jobs": {"waits": "writes", "grows": true}}));
    assert_eq!(answer["tables"]["jobs"]["rows"], 0);
    assert!(answer["tables"]["jobs"]["bytes"].as_i64().unwrap() > 0);
    assert_eq!(outcome(&answer, "upgrade.way_back"), "ok");

    let url = Some(database_url(&home.database));
    let text = run_bipe(&["upgrade", "check"], &home.folder.0, url, &[]).await;
    let text = String::from_utf8(text.stdout).unwrap();
    let wanted = "migration 43 job_queues\n    jobs: writes wait; takes longer with more rows: about 0 rows, ";
    assert!(text.starts_with(wanted), "{text}");
}

#[actix_web::test]
async fn a_database_before_the_window_has_no_way_back_but_a_backup() {
    let home = Installation::new().await;
    home.forget_from(32).await;
    let answer = home.ask(&[]).await;
    let back = check(&answer, "upgrade.way_back");
    assert_eq!((&answer["findings"], &back["outcome"]), (&json!(1), &json!("finding")));
    assert!(back["says"].as_str().unwrap().contains("before schema 33"), "{back}");
    assert_eq!(back["read"], "docs/operations.md#upgrades");
    assert_eq!(outcome(&answer, "upgrade.schema"), "ok");
}

#[actix_web::test]
async fn another_history_and_a_window_that_has_passed_stand_in_the_way() {
    let home = Installation::new().await;
    let other = "UPDATE refinery_schema_history SET checksum = '1' WHERE version = 7; \
         DELETE FROM refinery_schema_history WHERE version = 9";
    home.owner.batch_execute(other).await.unwrap();
    let answer = home.ask(&[]).await;
    let says = check(&answer, "upgrade.schema")["says"].as_str().unwrap().to_owned();
    assert!(says.contains("migration 7 of the database is not"), "{says}");
    assert!(says.contains("migration 9 is missing"), "{says}");

    let home = Installation::new().await;
    home.owner.batch_execute("UPDATE schema_window SET oldest = 9999").await.unwrap();
    let answer = home.ask(&[]).await;
    let schema = check(&answer, "upgrade.schema");
    assert_eq!(schema["do"], "install a newer release than this one", "{schema}");
}

#[actix_web::test]
async fn settings_that_this_binary_refuses_are_told_beside_the_rest() {
    let home = Installation::new().await;
    let answer = home.ask(&["--public-url", "https://bipe.example"]).await;
    assert_eq!(outcome(&answer, "upgrade.settings"), "finding", "{answer:#}");
    assert_eq!(outcome(&answer, "upgrade.schema"), "ok");
}

#[actix_web::test]
async fn a_database_that_is_not_there_is_another_status_than_a_finding() {
    let folder = Folder::new();
    let nobody = Some("host=127.0.0.1 port=1 user=nobody dbname=none".to_owned());
    let output = run_bipe(&["upgrade", "check"], &folder.0, nobody, &["--json"]).await;
    assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0));
    assert!(!output.stderr.is_empty());
}
