//! Where the binary takes its settings from, and what it says of those that it cannot take.

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use bipe_core::clock::Clock;
use bipe_core::testing::{TestDb, config};
use bipe_http::boot::root_secret;

use crate::process::url_of;

/// A folder with an `.env`, where nothing else is set.
struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        drop(std::fs::remove_dir_all(&self.0));
    }
}

impl Folder {
    fn with(env: &str) -> Self {
        let path = std::env::temp_dir().join(format!("bipe-settings-{}", Clock::system().uuid()));
        std::fs::create_dir_all(&path).unwrap();
        std::fs::write(path.join(".env"), env).unwrap();
        Self(path)
    }

    fn check(&self, variables: &[(&str, &str)]) -> String {
        said(
            &command(&self.0, &["config", "check"])
                .envs(variables.iter().copied())
                .output()
                .unwrap(),
        )
    }
}

fn command(folder: &Path, words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bipe"));
    command.args(words).current_dir(folder).env_clear();
    command
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_line_that_cannot_be_read_is_named_and_hides_no_other() {
    let folder = Folder::with("MIN_AGE=18\nMAIL_FROM=Bipe <a@example.com>\nBIPE_DB_POOL=7\n");
    let said = folder.check(&[]);
    assert!(said.contains(".env: line 2 cannot be read") && !said.contains("a@"), "{said}");
    let folder = Folder::with("MAIL_FROM=\"Bipe <a@example.com>\"\nBIPE_DB_POOL=7\n");
    let said = folder.check(&[]);
    assert!(said.contains("BIPE_DB_POOL") && said.contains("7 is not in 8..=200"), "{said}");
    let folder = Folder::with("BIPE_SECRET one two\n");
    assert!(folder.check(&[]).contains(".env: line 1 cannot be read"));
}

#[test]
fn an_address_that_is_taken_is_told_with_its_setting() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let folder = Folder::with("");
    for (word, setting) in [("serve", "BIPE_BIND"), ("sandbox", "BIPE_SANDBOX_BIND")] {
        let words = [word, "--bind", &address, "--data-dir", "data"];
        let said = said(&command(&folder.0, &words).output().unwrap());
        let named = format!("{setting}: cannot listen on {address}: ");
        assert!(said.contains(&named) && said.contains("set it to another address"), "{said}");
    }
}

#[test]
fn a_line_whose_value_would_be_changed_is_named() {
    let folder = Folder::with("MIN_AGE=18\nBIPE_LEGAL_NAME=Pa$word#1\n");
    let said = folder.check(&[]);
    assert!(said.contains(".env: line 2 has a $") && !said.contains("word"), "{said}");
    let folder =
        Folder::with("# $HOME\nBIPE_LEGAL_NAME='Pa$word#1'\nMAIL_FROM=a\\$b@example.com\n");
    assert!(!folder.check(&[]).contains(".env"));
}

/// Each write to a pipe without a reader fails.
#[test]
fn a_command_whose_words_nobody_reads_ends_with_its_own_status() {
    let folder = Folder::with("");
    let status = |words: &[&str]| {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        command(&folder.0, words).stderr(writer).status().unwrap().code()
    };
    assert_eq!(status(&["config", "check"]), Some(0), "it only warns");
    assert_eq!(status(&["config", "check", "--env", "production"]), Some(1));
    assert_eq!(status(&["doctor", "--env", "production"]), Some(2));
}

/// Without it the node would start, and say everything but that, or nothing.
#[test]
fn what_the_log_and_the_bus_cannot_read_is_refused_before_the_start() {
    let folder = Folder::with("");
    std::fs::write(folder.0.join("junk.creds"), "junk").unwrap();
    let told = |variables: &[(&str, &str)]| {
        let secret = ("BIPE_SECRET", "0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c4b5a6978");
        folder.check(&[&[secret], variables].concat())
    };
    let bus = ("NATS_URL", "nats://127.0.0.1:4222");
    let right = told(&[bus, ("RUST_LOG", "bipe_http=debug")]);
    assert!(right.lines().all(|line| line.starts_with("warning: ")), "{right}");
    let unreadable = told(&[("RUST_LOG", "bipe_http=loud"), ("MAIL_FROM", "x")]);
    assert!(unreadable.contains("RUST_LOG cannot be read: "), "{unreadable}");
    assert!(unreadable.contains("MAIL_FROM takes"), "all problems at once: {unreadable}");
    let port = told(&[("NATS_URL", "nats://127.0.0.1:99999")]);
    assert!(port.contains("NATS_URL cannot be read: "), "{port}");
    for file in ["junk.creds", "none.creds"] {
        let credentials = told(&[bus, ("NATS_CREDENTIALS", file)]);
        assert!(credentials.contains("NATS_CREDENTIALS cannot be read: "), "{credentials}");
    }
}

#[test]
fn an_empty_variable_is_a_setting_that_is_not_set() {
    let folder = Folder::with("");
    let names = ["STRIPE_PUBLISHABLE_KEY", "SMTP_URL", "BIPE_SECRET", "STRIPE_WEBHOOK_SECRET"];
    let empty = names.map(|name| (name, ""));
    let said = folder.check(&[&empty[..], &[("BIPE_ENV", "production")]].concat());
    for name in names {
        assert!(said.contains(&format!("production needs {name}")), "{said}");
    }
    let proxies = [("BIPE_TRUSTED_PROXIES", ""), ("OTEL_EXPORTER_OTLP_ENDPOINT", "")];
    assert!(!folder.check(&proxies).contains("BIPE_TRUSTED_PROXIES"));
    // One with a default can be turned off.
    assert!(folder.check(&[("MAIL_FROM", "")]).contains("MAIL_FROM takes"));
}

#[tokio::test]
async fn a_database_that_refuses_says_why() {
    let database = TestDb::new().await;
    let mut login = database.owner_config();
    login.dbname("nowhere");
    let folder = Folder::with("");
    let serve = ["serve", "--bind", "127.0.0.1:0", "--data-dir", "data"];
    let output = command(&folder.0, &serve).env("DATABASE_URL", url_of(&login)).output().unwrap();
    let said = said(&output);
    assert!(said.contains("database \"nowhere\" does not exist"), "{said}");
}

#[test]
fn an_empty_secret_of_a_development_is_made_anew() {
    let folder = Folder::with("");
    let config = config(&["--data-dir", folder.0.to_str().unwrap()]);
    std::fs::write(folder.0.join("secret"), "\n").unwrap();
    let secret = || root_secret(&config, &Clock::system()).unwrap();
    let made = secret();
    assert_eq!(made.expose().len(), 64);
    assert_eq!(secret(), made);
}

#[test]
fn production_migrates_no_database_of_its_own() {
    let folder = Folder::with("");
    let mut migrate = command(&folder.0, &["migrate", "--env", "production", "--data-dir", "data"]);
    let output = migrate.output().unwrap();
    assert_eq!(said(&output), "production needs DATABASE_URL\n");
    assert!(!output.status.success() && !folder.0.join("data").exists());
}

#[tokio::test]
async fn an_administrator_who_cannot_be_made_is_told_in_a_sentence() {
    let database = TestDb::with_clock(Clock::system()).await;
    let url = url_of(&database.owner_config());
    let folder = Folder::with("");
    let create = |password: &str| {
        let mut command = command(&folder.0, &["admin", "create", "--data-dir", "data"]);
        command.args(["--admin-email", "ana@example.com", "--admin-password", password]);
        command.env("DATABASE_URL", &url).output().unwrap()
    };
    let weak = said(&create("weak"));
    assert!(weak.starts_with("BIPE_ADMIN_PASSWORD breaks the password rule"), "{weak}");
    let made = create("Kd7#mula-verde");
    assert!(made.status.success(), "{}", said(&made));
    let again = said(&create("Kd7#mula-verde"));
    assert!(again.starts_with("BIPE_ADMIN_EMAIL has an account already"), "{again}");
}

#[test]
fn a_reader_may_take_the_beginning_alone() {
    let folder = Folder::with("");
    let mut command = command(&folder.0, &["openapi"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{}", said(&output));
}
