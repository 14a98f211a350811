//! What a restore refuses before it changes anything, and what a signal leaves behind: commands that do not come to
//! their end.

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use bipe_core::clock::Clock;
use bipe_core::testing::TestDb;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use crate::backup::{Installation, SECRET, code};
use crate::process::database_url;
use crate::program::bipe;

const TIMEOUT: Duration = Duration::from_secs(120);
const PRODUCTION: [(&str, &str); 6] = [
    ("BIPE_ENV", "production"),
    ("BIPE_PUBLIC_URL", "https://bipe.example.com"),
    ("SMTP_URL", "smtp://127.0.0.1:9"),
    ("STRIPE_SECRET_KEY", "sk_live_of_a_test"),
    ("STRIPE_PUBLISHABLE_KEY", "pk_live_of_a_test"),
    ("STRIPE_WEBHOOK_SECRET", "whsec_of_a_test"),
];

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A restore of `backup.tar` into the database, with the list of erased people in that folder.
async fn restore(from: &Installation, into: &TestDb, data: &str, more: &[&str]) -> Output {
    restore_as(from, into, data, more, &[]).await
}

async fn restore_as(
    from: &Installation,
    into: &TestDb,
    data: &str,
    more: &[&str],
    settings: &[(&str, &str)],
) -> Output {
    let mut command = bipe(&["restore", "--from", "backup.tar", "--secret", SECRET]);
    command.args(["--data-dir", data]);
    command.args(more).envs(settings.iter().copied()).env("DATABASE_URL", database_url(into));
    command.current_dir(&from.folder);
    let running = spawn_blocking(move || command.output().unwrap());
    timeout(TIMEOUT, running).await.unwrap().unwrap()
}

#[actix_web::test]
async fn a_restore_that_cannot_erase_again_or_may_not_serve_leaves_no_row() {
    let installation = Installation::new().await;
    installation.back_up().await;
    let new = TestDb::with_clock(Clock::system()).await;
    let rows = async || {
        let count = "SELECT count(*) FROM companies";
        new.owner().await.query_one(count, &[]).await.unwrap().get::<_, i64>(0)
    };
    let write = |name: &str, text: &str| std::fs::write(installation.file(name), text).unwrap();
    write("encrypted.age", "-----BEGIN AGE ENCRYPTED FILE-----\nYWdl\n");

    let nowhere = restore(&installation, &new, "backup.tar/data", &[]).await;
    assert_eq!(code(&nowhere), "BACKUP_FILE");
    assert!(said(&nowhere).contains("backup.tar/data/erasures.log: "), "{}", said(&nowhere));
    let encrypted = restore(&installation, &new, "data", &["--erasures", "encrypted.age"]).await;
    assert_eq!(code(&encrypted), "BACKUP_UNREADABLE");
    assert!(said(&encrypted).contains("encrypted.age: line 1 "), "{}", said(&encrypted));
    let missing = restore(&installation, &new, "data", &["--erasures", "missing.log"]).await;
    assert_eq!(code(&missing), "BACKUP_FILE");
    assert!(said(&missing).contains("missing.log: "), "{}", said(&missing));
    let superuser = restore_as(&installation, &new, "data", &[], &PRODUCTION).await;
    assert_eq!(code(&superuser), "BACKUP_DATABASE");
    assert!(said(&superuser).contains("is a superuser"), "{}", said(&superuser));
    assert_eq!(rows().await, 0);

    let cut = Clock::system().uuid().to_string()[..20].to_owned();
    write("cut.log", &format!("\n{}\n\n{cut}", Clock::system().uuid()));
    let restored = restore(&installation, &new, "data", &["--erasures", "cut.log"]).await;
    assert!(restored.status.success(), "{}", said(&restored));
    assert_eq!(rows().await, 30);
    let list = std::fs::read_to_string(installation.file("data/erasures.log")).unwrap();
    assert_eq!(list.lines().filter(|line| !line.is_empty()).count(), 1, "{list}");
}

#[actix_web::test]
async fn a_database_with_which_a_node_works_keeps_its_history() {
    let installation = Installation::new().await;
    let server = &installation.server;
    let ana = server.person("ana@example.com").await;
    let refused = installation.run(&["restore", "--recovered"], SECRET).await;
    assert_eq!(code(&refused), "BACKUP_DATABASE");
    assert!(said(&refused).contains("stop all nodes first, "), "{}", said(&refused));
    server.get_as(&ana, "/api/auth/me").await.data(200);
}

#[actix_web::test]
async fn a_node_that_cannot_write_down_who_leaves_does_not_start() {
    let installation = Installation::new().await;
    std::fs::write(installation.file("file"), "").unwrap();
    let mut command = bipe(&["serve", "--bind", "127.0.0.1:0", "--secret", SECRET]);
    command.args(["--data-dir", "file/data"]);
    command.env("DATABASE_URL", database_url(&installation.server.database));
    command.current_dir(&installation.folder);
    let refused = spawn_blocking(move || command.output().unwrap());
    let refused = timeout(TIMEOUT, refused).await.unwrap().unwrap();
    assert_eq!(refused.status.code(), Some(1));
    let line = "file/data/erasures.log: ";
    assert!(said(&refused).lines().any(|said| said.starts_with(line)), "{}", said(&refused));
}

fn names(folder: &Path) -> Vec<String> {
    let name = |entry: std::io::Result<std::fs::DirEntry>| entry.unwrap().file_name();
    std::fs::read_dir(folder).unwrap().map(|e| name(e).into_string().unwrap()).collect()
}

/// Ends the process by the signal as soon as that is true.
async fn end(child: Child, signal: &str, is_due: impl Fn() -> bool + Send + 'static) -> Output {
    let signal = signal.to_owned();
    let ending = spawn_blocking(move || {
        while !is_due() {
            std::thread::yield_now();
        }
        let told = Command::new("kill").args([&signal, &child.id().to_string()]).status().unwrap();
        assert!(told.success());
        child.wait_with_output().unwrap()
    });
    timeout(TIMEOUT, ending).await.unwrap().unwrap()
}

#[actix_web::test]
async fn a_backup_that_a_signal_ends_leaves_no_row_in_any_file() {
    let installation = Installation::new().await;
    let mut command = installation.command(&["backup", "--to", "ended.tar"], SECRET);
    let before = names(&installation.folder);
    // It waits for the table while somebody holds it.
    let owner = installation.server.database.owner().await;
    owner.batch_execute("BEGIN; LOCK TABLE companies").await.unwrap();
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let folder = installation.folder.clone();
    let is_writing = move || {
        names(&folder).iter().any(|name| name.starts_with("ended.tar.") && name.ends_with(".part"))
    };
    assert_eq!(code(&end(child, "-TERM", is_writing).await), "BACKUP_STOPPED");
    assert_eq!(names(&installation.folder), before);
}

#[actix_web::test]
async fn a_verification_that_a_signal_ends_leaves_no_database() {
    let installation = Installation::new().await;
    let backup = installation.back_up().await;
    let scratch = installation.file("scratch");
    std::fs::create_dir_all(&scratch).unwrap();
    let words = ["backup", "verify", "--from", "-", "--scratch", scratch.to_str().unwrap()];
    let mut command = installation.command(&words, SECRET);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // The rest never comes, and the pipe stays open.
    let mut input = child.stdin.take().unwrap();
    input.write_all(&backup[..backup.len() / 2]).unwrap();
    let folder = scratch.clone();
    let has_server = move || {
        let server = names(&folder).pop().map(|name| folder.join(name).join("postgres/data"));
        server.is_some_and(|data| File::open(data.join("postmaster.pid")).is_ok())
    };
    assert_eq!(code(&end(child, "-INT", has_server).await), "BACKUP_STOPPED");
    assert_eq!(names(&scratch), Vec::<String>::new());
    drop(input);
}
