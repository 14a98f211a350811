//! `bipe alerts` on the database of a server: what is open is listed and closed, all or nothing.

use std::process::Output;

use bipe_core::clock::Clock;
use bipe_core::testing::TestDb;
use tokio_postgres::Client;

use crate::doctor::{Folder, run_bipe};
use crate::process::database_url;

struct Installation {
    folder: Folder,
    database: TestDb,
    owner: Client,
}

impl Installation {
    async fn open() -> Self {
        let (folder, database) = (Folder::new(), TestDb::with_clock(Clock::system()).await);
        let owner = database.owner().await;
        Self { folder, database, owner }
    }

    async fn raise(&self, kind: &str, subject: &str) -> String {
        let raise = "INSERT INTO alerts (id, at, kind, subject, detail) \
             VALUES (gen_random_uuid(), now(), $1, $2, 'a person has to look') RETURNING id::text";
        self.owner.query_one(raise, &[&kind, &subject]).await.unwrap().get(0)
    }

    async fn bipe(&self, arguments: &[&str]) -> Output {
        let url = Some(database_url(&self.database));
        run_bipe(&["alerts"], &self.folder.0, url, arguments).await
    }

    async fn close(&self, ids: &[&str]) -> Output {
        let url = Some(database_url(&self.database));
        run_bipe(&["alerts", "close"], &self.folder.0, url, ids).await
    }
}

fn said(output: &Output) -> (bool, String) {
    let text = [&output.stdout[..], &output.stderr[..]].concat();
    (output.status.success(), String::from_utf8(text).unwrap())
}

#[actix_web::test]
async fn an_open_alert_is_listed_until_a_person_closes_it() {
    let here = Installation::open().await;
    assert_eq!(said(&here.bipe(&[]).await), (true, "no alert is open\n".to_owned()));
    let first = here.raise("payment.refunded", "01a2").await;
    let second = here.raise("metrics.drift", "mrr").await;
    let (_, listed) = said(&here.bipe(&[]).await);
    let lines: Vec<&str> = listed.lines().collect();
    assert!(lines[0].starts_with(&first) && lines[0].ends_with("payment.refunded"), "{listed}");
    assert_eq!(lines[1..3], ["  01a2", "  a person has to look"]);
    assert!(lines[3].starts_with(&second), "{listed}");

    assert_eq!(said(&here.close(&[&first, &first]).await), (true, "closed: 1\n".to_owned()));
    let (_, listed) = said(&here.bipe(&[]).await);
    assert!(listed.starts_with(&second) && !listed.contains(&first), "{listed}");
    let third = here.raise("payment.refunded", "01a2").await;
    assert_ne!(third, first, "the next refund is told again");
}

#[actix_web::test]
async fn nothing_is_closed_where_one_id_names_no_open_alert() {
    let here = Installation::open().await;
    let open = here.raise("metrics.drift", "mrr").await;
    let unknown = "019e0000-0000-7000-8000-000000000000";
    let (succeeded, text) = said(&here.close(&[&open, unknown]).await);
    assert!(!succeeded, "{text}");
    assert!(text.contains(&format!("no open alert has the id {unknown}")), "{text}");
    assert!(said(&here.bipe(&[]).await).1.starts_with(&open), "it is still open");
    for wrong in [&["mrr"][..], &[]] {
        assert!(!here.close(wrong).await.status.success(), "{wrong:?}");
    }
}

#[actix_web::test]
async fn a_database_that_was_never_migrated_sends_its_reader_to_the_doctor() {
    let here = Installation::open().await;
    here.owner.batch_execute("DROP SCHEMA public CASCADE; CREATE SCHEMA public").await.unwrap();
    let (succeeded, text) = said(&here.bipe(&[]).await);
    assert!(!succeeded && text.contains("`bipe doctor` says"), "{text}");
}
