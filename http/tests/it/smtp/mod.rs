//! Mail over SMTP against a real server (aiosmtpd) that is down, hangs up, puts off: nothing is lost, and what a
//! server sees twice has one Message-ID. Retries are driven by the clock.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use base64::Engine;
use base64::prelude::BASE64_STANDARD as BASE64;
use serde_json::{Value, json};

use crate::app::{TestApp, spawn_app_with};
use crate::auth::registration;
use crate::payments::shop::Shop;

/// Longer than the pause after four failures.
const PAUSE: u32 = 100;

struct MailServer {
    process: Child,
    commands: ChildStdin,
    answers: BufReader<ChildStdout>,
    port: u16,
}

impl Drop for MailServer {
    fn drop(&mut self) {
        drop(self.process.kill());
        drop(self.process.wait());
    }
}

/// The environment that `.ci/python` makes. None outside CI, on a machine without Python.
#[expect(clippy::disallowed_methods, reason = "tests have no Config")]
fn python() -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../.tools/python/bin/python");
    if path.is_file() {
        return Some(path);
    }
    assert!(std::env::var_os("CI").is_none(), "run .ci/python: there is no {}", path.display());
    eprintln!("skipped: no Python environment, see .ci/python");
    None
}

impl MailServer {
    fn start(arguments: &[&str]) -> Option<Self> {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/smtp/server.py");
        let mut process = Command::new(python()?)
            .arg(script)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let commands = process.stdin.take().unwrap();
        let mut answers = BufReader::new(process.stdout.take().unwrap());
        let mut port = String::new();
        answers.read_line(&mut port).unwrap();
        let port = port.trim().parse().unwrap();
        Some(Self { process, commands, answers, port })
    }

    fn tell(&mut self, command: &str) -> Value {
        writeln!(self.commands, "{command}").unwrap();
        let mut answer = String::new();
        self.answers.read_line(&mut answer).unwrap();
        serde_json::from_str(&answer).unwrap()
    }

    fn taken(&mut self) -> Vec<Value> {
        self.tell("list").as_array().unwrap().clone()
    }
}

fn header<'a>(mail: &'a Value, name: &str) -> Vec<&'a str> {
    let headers = mail["headers"].as_array().unwrap();
    let found = headers.iter().filter(|header| header[0] == name);
    found.map(|header| header[1].as_str().unwrap()).collect()
}

impl TestApp {
    async fn sign_up(&self, email: &str, document: &str) {
        self.post("/api/auth/register", &registration(email, document)).await.data(201);
    }

    async fn run_mail(&self) {
        self.app.actors.jobs.run_all_due().await.unwrap();
    }

    async fn mails_waiting(&self) -> i64 {
        let owner = self.database.owner().await;
        let waiting = "SELECT count(*) FROM jobs WHERE kind = 'mail' AND dead_at IS NULL";
        owner.query_one(waiting, &[]).await.unwrap().get(0)
    }
}

#[actix_web::test]
async fn a_mail_arrives_whole_at_a_server_that_asks_for_a_password() {
    let Some(mut mail) = MailServer::start(&["segredo"]) else { return };
    let url = format!("smtp://bipe:segredo@127.0.0.1:{}", mail.port);
    let server = spawn_app_with(&["--smtp-url", &url, "--sales-email", "ajuda@example.com"]).await;
    server.sign_up("ana@example.com", "11144477735").await;
    server.run_mail().await;
    let taken = mail.taken();
    assert_eq!(taken.len(), 1);
    let taken = &taken[0];
    assert_eq!(taken["to"], json!(["ana@example.com"]));
    assert_eq!(taken["from"], "nao-responda@bipe.localhost");
    assert_eq!(header(taken, "from"), ["Bipe <nao-responda@bipe.localhost>"]);
    assert_eq!(header(taken, "to"), ["ana@example.com"]);
    assert_eq!(header(taken, "reply-to"), ["ajuda@example.com"]);
    assert_eq!(header(taken, "subject"), ["Seu código de verificação do Bipe"]);
    assert_eq!(header(taken, "date"), ["Sat, 21 Nov 2026 15:00:00 +0000"]);
    assert_eq!(header(taken, "auto-submitted"), ["auto-generated"]);
    let id = header(taken, "message-id");
    assert!(id.len() == 1 && id[0].ends_with("@bipe.localhost>"), "{id:?}");
    let is_code = |line: &&str| line.len() == 6 && line.bytes().all(|b| b.is_ascii_digit());
    let code = taken["text"].as_str().unwrap().lines().find(is_code).unwrap();
    assert!(taken["html"].as_str().unwrap().contains(&format!(">{code}</p>")));
    let body = json!({"userEmail": "ana@example.com", "verificationCode": code});
    server.post("/api/auth/verify-email", &body).await.data(200);
}

#[actix_web::test]
async fn nothing_is_lost_or_doubled_while_the_mail_server_fails() {
    let Some(mut mail) = MailServer::start(&[]) else { return };
    let url = format!("smtp://127.0.0.1:{}", mail.port);
    let server = spawn_app_with(&["--smtp-url", &url]).await;
    server.sign_up("ana@example.com", "11144477735").await;
    server.run_mail().await;
    assert_eq!(mail.taken().len(), 1);

    mail.tell("down");
    for (email, document) in
        [("bia@example.com", "52998224725"), ("caio@example.com", "12345678909")]
    {
        server.sign_up(email, document).await;
    }
    server.run_mail().await;
    assert_eq!((mail.taken().len(), server.mails_waiting().await), (1, 2), "down");
    server.run_mail().await;
    let again = async || {
        server.database.db.clock().advance(PAUSE);
        server.run_mail().await;
    };
    mail.tell("up");
    mail.tell("later");
    again().await;
    assert_eq!((mail.taken().len(), server.mails_waiting().await), (1, 2), "put off");
    let owner = server.database.owner().await;
    let errors = "SELECT string_agg(last_error, ' ') FROM jobs WHERE kind = 'mail'";
    let errors: String = owner.query_one(errors, &[]).await.unwrap().get(0);
    assert_eq!(
        errors, "internal: smtp: answered 451 internal: smtp: answered 451",
        "no address, which the server says"
    );
    mail.tell("cut");
    again().await;
    assert_eq!((mail.taken().len(), server.mails_waiting().await), (3, 2), "taken, but who knows");
    mail.tell("accept");
    again().await;
    assert_eq!((mail.taken().len(), server.mails_waiting().await), (5, 0), "delivered");

    let taken = mail.taken();
    for email in ["ana@example.com", "bia@example.com", "caio@example.com"] {
        let of: Vec<_> = taken.iter().filter(|mail| mail["to"] == json!([email])).collect();
        let faces: BTreeSet<_> = of
            .iter()
            .map(|mail| (header(mail, "message-id"), header(mail, "date"), mail["text"].as_str()))
            .collect();
        assert_eq!(faces.len(), 1, "{email}: two copies are one message");
    }
    server.run_mail().await;
    assert_eq!(mail.taken().len(), 5);
}

#[actix_web::test]
async fn a_mail_without_a_mailbox_is_tried_once() {
    let Some(mut mail) = MailServer::start(&[]) else { return };
    let url = format!("smtp://127.0.0.1:{}", mail.port);
    let shop = Shop::open_with(&["--smtp-url", &url]).await;
    shop.server.run().await;
    mail.tell("nobody");
    shop.begin(&shop.pix()).await;
    shop.server.sign_up("bia@example.com", "52998224725").await;
    shop.server.run().await;
    assert_eq!(shop.server.mails_waiting().await, 0);
    let ended = "WITH ended AS (DELETE FROM jobs WHERE kind = 'mail' RETURNING attempts, last_error) \
         SELECT count(*), max(attempts), min(last_error) FROM ended";
    let ended = shop.owner.query_one(ended, &[]).await.unwrap();
    let (count, attempts): (i64, i32) = (ended.get(0), ended.get(1));
    assert_eq!((count, attempts), (1, 1), "the payment's mail, and no code");
    let error: &str = ended.get(2);
    assert_eq!(error, "internal: smtp: answered 550, there is no such mailbox");
}

#[actix_web::test]
async fn a_password_is_never_said_to_a_server_without_the_tls_that_was_asked_for() {
    let Some(mut mail) = MailServer::start(&["segredo"]) else { return };
    let url = format!("smtp://bipe:segredo@127.0.0.1:{}?tls=required", mail.port);
    let server = spawn_app_with(&["--smtp-url", &url]).await;
    server.sign_up("ana@example.com", "11144477735").await;
    server.run_mail().await;
    assert_eq!((mail.taken().len(), server.mails_waiting().await), (0, 1));
}

#[actix_web::test]
async fn a_receipt_carries_its_document_as_the_page_gives_it() {
    let Some(mut mail) = MailServer::start(&[]) else { return };
    let url = format!("smtp://127.0.0.1:{}", mail.port);
    let shop = Shop::open_with(&["--smtp-url", &url]).await;
    let (payment, _) = shop.begin(&shop.pix()).await;
    shop.settle(&payment, "succeeded").await;
    shop.server.run().await;
    let taken = mail.taken();
    let about = |subject| taken.iter().find(|mail| header(mail, "subject") == [subject]);
    let receipt = about("Pagamento aprovado: recibo 000001").unwrap();
    let attached = receipt["attached"].as_array().unwrap();
    assert_eq!(attached.len(), 1);
    assert_eq!(attached[0][0], "fatura-000001.pdf");
    assert_eq!(attached[0][1], "application/pdf");
    let id = payment["id"].as_str().unwrap();
    let file = format!("/api/companies/{}/invoices/{id}/pdf", shop.company);
    let file = reqwest::Client::new().get(shop.server.url(&file)).bearer_auth(&shop.ana.token);
    let file = file.send().await.unwrap().bytes().await.unwrap();
    assert_eq!(attached[0][2], BASE64.encode(file));
    assert!(receipt["text"].as_str().unwrap().contains("em anexo: fatura-000001.pdf"));
    let others = taken.iter().filter(|mail| header(mail, "subject") != header(receipt, "subject"));
    assert!(others.clone().count() > 0 && others.clone().all(|mail| mail["attached"] == json!([])));
}
