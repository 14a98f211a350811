//! `bipe backup`, `bipe backup verify` and `bipe restore` on a real database: what is proved, what is found, what each
//! bad file is called, and what comes back.

use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Arc;
use std::time::Duration;

use bipe_core::clock::Clock;
use bipe_core::development::load::{self, Load};
use bipe_core::scope::JobScope;
use bipe_core::testing::{TestDb, caller};
use bipe_testkit::PASSWORD;
use serde_json::{Value, json};
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use crate::app::{TestApp, spawn_app};
use crate::process::{Process, database_url};
use crate::program::bipe;

const TIMEOUT: Duration = Duration::from_secs(240);
pub const SECRET: &str = "a secret of thirty-two bytes: first";
const OTHER: &str = "a secret of thirty-two bytes: later";
/// What the text format of COPY has to escape.
const AWKWARD: &str = "tab\there, line\nend, back\\slash, \\N, \\.";

/// A database with companies, and a folder.
pub struct Installation {
    pub server: TestApp,
    pub folder: PathBuf,
}

impl Drop for Installation {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

impl Installation {
    pub async fn new() -> Self {
        let server = spawn_app().await;
        let what = Load { companies: 30, people_each: 2, years: 1 };
        load::fill(&server.app.db, &JobScope::of_test(), what, "no hash").await.unwrap();
        let owner = server.database.owner().await;
        owner.execute("UPDATE companies SET description = $1", &[&AWKWARD]).await.unwrap();
        let folder = std::env::temp_dir().join(format!("bipe-backup-{}", Clock::system().uuid()));
        std::fs::create_dir_all(&folder).unwrap();
        Self { server, folder }
    }

    pub fn file(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// The command with the settings of this installation.
    pub fn command(&self, words: &[&str], secret: &str) -> Command {
        let mut command = bipe(words);
        let data = self.file("data");
        std::fs::create_dir_all(&data).unwrap();
        command.args(["--secret", secret, "--data-dir", data.to_str().unwrap()]);
        command.env("DATABASE_URL", database_url(&self.server.database));
        command.current_dir(&self.folder);
        command
    }

    pub async fn run(&self, words: &[&str], secret: &str) -> Output {
        output(self.command(words, secret)).await
    }

    pub async fn back_up(&self) -> Vec<u8> {
        let taken = self.run(&["backup", "--to", "backup.tar"], SECRET).await;
        let said = String::from_utf8_lossy(&taken.stderr).into_owned();
        assert!(taken.status.success(), "{said}");
        std::fs::read(self.file("backup.tar")).unwrap()
    }

    /// The result of a verification that came to its end.
    async fn verified(&self, name: &str) -> (Value, Output) {
        let output = self.verify(name, SECRET).await;
        let said = String::from_utf8_lossy(&output.stderr);
        let result: Value =
            serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{said}"));
        (result["result"].clone(), output)
    }

    async fn verify(&self, name: &str, secret: &str) -> Output {
        let scratch = self.file("scratch");
        std::fs::create_dir_all(&scratch).unwrap();
        // The server runs as another user where the tests run as root.
        let words = ["backup", "verify", "--json", "--from", name, "--scratch"];
        let output = self.run(&[&words[..], &[scratch.to_str().unwrap()]].concat(), secret).await;
        let left = std::fs::read_dir(&scratch).unwrap().count();
        assert_eq!(left, 0, "what was restored is gone");
        output
    }

    /// The code that a backup is refused with.
    async fn refusal(&self, bytes: &[u8], secret: &str) -> String {
        std::fs::write(self.file("bad.tar"), bytes).unwrap();
        code(&self.verify("bad.tar", secret).await)
    }
}

/// The first word that a failed command says.
pub fn code(output: &Output) -> String {
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0), "{said}");
    said.split(':').next().unwrap().to_owned()
}

async fn output(mut command: Command) -> Output {
    let running = spawn_blocking(move || command.output().unwrap());
    timeout(TIMEOUT, running).await.unwrap().unwrap()
}

fn check<'a>(result: &'a Value, name: &str) -> &'a Value {
    let checks = result["checks"].as_array().unwrap();
    checks.iter().find(|check| check["check"] == name).unwrap()
}

/// One entry, by the system's own tar.
fn entry(file: &Path, name: &str) -> Vec<u8> {
    let read = Command::new("tar").arg("-xOf").arg(file).arg(name).output().unwrap();
    assert!(read.status.success(), "{}", String::from_utf8_lossy(&read.stderr));
    read.stdout
}

/// The same file with one text in the place of another of the same length.
fn bent(bytes: &[u8], from: &str, to: &str) -> Vec<u8> {
    assert_eq!(from.len(), to.len());
    let at = bytes.windows(from.len()).position(|window| window == from.as_bytes()).unwrap();
    [&bytes[..at], to.as_bytes(), &bytes[at + from.len()..]].concat()
}

#[actix_web::test]
async fn a_backup_of_companies_with_a_past_is_proved_and_its_result_signed() {
    let installation = Installation::new().await;
    let bytes = installation.back_up().await;
    let file = installation.file("backup.tar");
    let manifest: Value = serde_json::from_slice(&entry(&file, "manifest.json")).unwrap();
    let owner = installation.server.database.owner().await;
    let tables = "SELECT count(*) FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'";
    let tables: i64 = owner.query_one(tables, &[]).await.unwrap().get(0);
    let listed = manifest["tables"].as_array().unwrap();
    assert_eq!(i64::try_from(listed.len()).unwrap(), tables - 2, "all but what tells the place");
    for table in listed {
        let name = table["name"].as_str().unwrap();
        let rows = owner.query_one(&format!("SELECT count(*) FROM {name}"), &[]).await.unwrap();
        assert_eq!(table["rows"].as_i64(), Some(rows.get(0)), "{name}");
    }

    let (result, output) = installation.verified("backup.tar").await;
    assert!(output.status.success(), "{result:#}");
    assert_eq!(
        (&result["findings"], &result["backup"]["tables"]),
        (&0.into(), &listed.len().into())
    );
    for name in ["backup.file", "backup.tables", "backup.payments", "backup.figures"] {
        assert_eq!(check(&result, name)["outcome"], "ok", "{result:#}");
    }
    std::fs::write(installation.file("result.json"), &output.stdout).unwrap();
    let asked = ["backup", "signature", "--from", "result.json"];
    let signed = installation.run(&asked, SECRET).await;
    assert_eq!(serde_json::from_slice::<Value>(&signed.stdout).unwrap(), result);
    let (reader, unread) = std::io::pipe().unwrap();
    drop(reader);
    let mut command = installation.command(&asked, SECRET);
    let status = spawn_blocking(move || command.stdout(unread).status().unwrap());
    assert!(status.await.unwrap().success(), "a reader may be gone");
    assert_eq!(code(&installation.run(&asked, OTHER).await), "BACKUP_OTHER_SECRET");
    let forged = bent(&output.stdout, "\"findings\":0", "\"findings\":7");
    std::fs::write(installation.file("result.json"), forged).unwrap();
    assert_eq!(code(&installation.run(&asked, SECRET).await), "BACKUP_ALTERED");

    let again = installation.run(&["backup", "--to", "backup.tar"], SECRET).await;
    assert_eq!(code(&again), "BACKUP_EXISTS");
    assert_eq!(std::fs::read(&file).unwrap(), bytes, "an existing file is left as it is");
}

#[actix_web::test]
async fn a_backup_goes_through_pipes_and_a_secret_may_have_a_successor() {
    let installation = Arc::new(Installation::new().await);
    let taken = installation.run(&["backup", "--to", "-"], SECRET).await;
    assert!(taken.status.success(), "{}", String::from_utf8_lossy(&taken.stderr));
    std::fs::write(installation.file("piped.tar"), &taken.stdout).unwrap();
    let rotated = format!("{OTHER},{SECRET}");
    let mut command = installation.command(&["backup", "verify", "--from", "-"], &rotated);
    command.stdin(std::fs::File::open(installation.file("piped.tar")).unwrap());
    let proved = output(command).await;
    let text = String::from_utf8_lossy(&proved.stdout);
    assert!(proved.status.success(), "{text} {}", String::from_utf8_lossy(&proved.stderr));
    assert!(text.ends_with("4 checks: 0 findings, 0 skipped\n"), "{text}");

    let mut full = installation.command(&["backup", "--to", "-"], SECRET);
    full.stdout(Stdio::from(std::fs::File::options().write(true).open("/dev/full").unwrap()));
    // `output` would take the place of the full disk.
    let full = spawn_blocking(move || {
        full.stderr(Stdio::piped()).spawn().unwrap().wait_with_output().unwrap()
    });
    assert_eq!(code(&full.await.unwrap()), "BACKUP_DISK_FULL");
}

#[actix_web::test]
async fn the_database_of_a_newer_release_is_left_to_that_release() {
    let installation = Installation::new().await;
    let owner = installation.server.database.owner().await;
    let newer = "INSERT INTO refinery_schema_history (version, name, applied_on, checksum) \
         SELECT 9999, 'newer', applied_on, checksum FROM refinery_schema_history LIMIT 1";
    owner.execute(newer, &[]).await.unwrap();
    let refused = installation.run(&["backup", "--to", "backup.tar"], SECRET).await;
    let again = "DELETE FROM refinery_schema_history WHERE version = 9999";
    owner.execute(again, &[]).await.unwrap();
    assert_eq!(code(&refused), "BACKUP_NEWER");
    let said = String::from_utf8_lossy(&refused.stderr);
    assert!(said.starts_with("BACKUP_NEWER: the database has schema 9999, and "), "{said}");
    assert!(!installation.file("backup.tar").exists());
}

#[actix_web::test]
async fn every_bad_file_is_refused_by_its_name() {
    let installation = Installation::new().await;
    let whole = installation.back_up().await;
    let half = &whole[..whole.len() / 2];
    assert_eq!(installation.refusal(half, SECRET).await, "BACKUP_TRUNCATED");
    let row = bent(&whole, "back\\\\slash", "back\\\\SLASH");
    assert_eq!(installation.refusal(&row, SECRET).await, "BACKUP_ALTERED");
    let value = bent(&whole, "\tactive\t", "\tpurple\t");
    assert_eq!(installation.refusal(&value, SECRET).await, "BACKUP_ALTERED");
    let newer = bent(&whole, "\"format\": 1,", "\"format\": 9,");
    assert_eq!(installation.refusal(&newer, SECRET).await, "BACKUP_NEWER");
    assert_eq!(installation.refusal(&whole, OTHER).await, "BACKUP_OTHER_SECRET");
    let lost = ["backup", "verify", "--any-secret", "--json", "--from", "backup.tar"];
    let lost = installation.run(&lost, OTHER).await;
    let lost: Value = serde_json::from_slice(&lost.stdout).unwrap();
    assert_eq!(lost["result"]["findings"], 1, "{lost:#}");
    assert_eq!(check(&lost["result"], "backup.file")["outcome"], "finding");
    let encrypted = b"age-encryption.org/v1".repeat(100);
    assert_eq!(installation.refusal(&encrypted, SECRET).await, "BACKUP_UNREADABLE");

    let without_programs = ["backup", "verify", "--from", "backup.tar", "--pg-bin", "nowhere"];
    for (words, name) in [
        (&["backup", "verify", "--from", "missing.tar"][..], "missing.tar"),
        (&["backup", "signature", "--from", "missing.json"][..], "missing.json"),
        (&["backup", "signature", "--from", "."][..], "."),
        (&["backup", "--to", "nowhere/new.tar"][..], "nowhere/new.tar"),
        (&without_programs[..], "BIPE_PG_BIN"),
    ] {
        let refused = installation.run(words, SECRET).await;
        assert_eq!(code(&refused), "BACKUP_FILE", "{words:?}");
        let said = String::from_utf8_lossy(&refused.stderr);
        assert!(said.starts_with(&format!("BACKUP_FILE: {name}: ")), "{said}");
    }
}

#[actix_web::test]
async fn a_backup_of_broken_books_and_wrong_figures_says_so() {
    let installation = Installation::new().await;
    installation.server.leave_unproven();
    let owner = installation.server.database.owner().await;
    let broken = "DELETE FROM debit_segments; DELETE FROM head_counts WHERE noun = 'companies'";
    owner.batch_execute(broken).await.unwrap();
    installation.back_up().await;
    // Where the tests run as root, the server's user cannot enter it, and the server lives elsewhere.
    DirBuilder::new().mode(0o700).create(installation.file("scratch")).unwrap();
    let elsewhere = || std::fs::read_dir("/var/lib/bipe").map_or(0, Iterator::count);
    let before = elsewhere();
    let (result, output) = installation.verified("backup.tar").await;
    assert_eq!(elsewhere(), before, "what was restored is gone there, too");
    assert_eq!((output.status.code(), &result["findings"]), (Some(1), &2.into()), "{result:#}");
    assert_eq!(check(&result, "backup.tables")["outcome"], "ok");
    let payments = check(&result, "backup.payments")["says"].as_str().unwrap();
    assert!(payments.starts_with("P2 "), "{payments}");
    assert_eq!(check(&result, "backup.figures")["says"], "totalCompanies");
}

#[actix_web::test]
async fn a_restored_installation_serves_without_those_who_left_and_takes_no_second_backup() {
    let installation = Installation::new().await;
    let server = &installation.server;
    let (ana, bia) =
        (server.person("ana@example.com").await, server.person("bia@example.com").await);
    installation.back_up().await;
    let auth = &server.app.auth;
    let leaving = server.session(&ana).await;
    auth.erase_me(leaving, PASSWORD, &caller()).await.unwrap();
    let erasures = server.app.config.data_dir.join("erasures.log");

    let new = TestDb::with_clock(Clock::system()).await;
    let url = database_url(&new);
    let words = ["restore", "--from", "backup.tar", "--erasures", erasures.to_str().unwrap()];
    let restore = || {
        let mut command = installation.command(&words, SECRET);
        command.env("DATABASE_URL", &url);
        output(command)
    };
    let restored = restore().await;
    let said = String::from_utf8_lossy(&restored.stdout).into_owned();
    assert!(said.contains("; 1 erased people were erased again;"), "{said} {restored:?}");
    let owner = new.owner().await;
    let names = "SELECT string_agg(email, ' ') FROM users WHERE id = ANY ($1)";
    let ids = [ana.id, bia.id];
    let names: String = owner.query_one(names, &[&ids.as_slice()]).await.unwrap().get(0);
    assert!(names.contains("bia@example.com") && !names.contains("ana@"), "{names}");
    let history = "SELECT id::text FROM database_history";
    let there: String = owner.query_one(history, &[]).await.unwrap().get(0);
    let here = server.database.owner().await.query_one(history, &[]).await.unwrap();
    assert_ne!(there, here.get::<_, String>(0), "live channels load their state anew");

    let process = Process::serve(&installation.file("data"), &url, &["--secret", SECRET]);
    let refresh = json!({"refreshToken": bia.refresh_token});
    let client = reqwest::Client::new();
    let ended = client.post(process.url("/api/auth/refresh")).json(&refresh).send().await.unwrap();
    assert_eq!(ended.status(), 401, "a session that was ended since the backup stays ended");
    let login = json!({"userEmail": "bia@example.com", "password": PASSWORD});
    let signed_in = client.post(process.url("/api/auth/login")).json(&login).send().await.unwrap();
    assert_eq!(signed_in.status(), 200);
    drop(process);

    let count = "SELECT count(*) FROM audit_entries";
    let before: i64 = owner.query_one(count, &[]).await.unwrap().get(0);
    assert_eq!(code(&restore().await), "BACKUP_TARGET_NOT_EMPTY");
    let after: i64 = owner.query_one(count, &[]).await.unwrap().get(0);
    assert_eq!(before, after, "nothing is lost");
}
