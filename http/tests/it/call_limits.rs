//! Who pays for a call: the person behind a living session, else the address that it really comes from.

use std::net::{IpAddr, Ipv4Addr, TcpListener};

use bipe_testkit::{Person, answer};
use reqwest::Client;
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::Instant;

use crate::app::{TestApp, spawn_app};

/// What an anonymous address may do at once.
const BURST: usize = 100;

impl TestApp {
    /// Somebody who has signed out: the token is ours and its time has not passed.
    async fn signed_out(&self, email: &str) -> Person {
        let person = self.person(email).await;
        let body = json!({"refreshToken": person.refresh_token});
        assert_eq!(self.post_as(&person, "/api/auth/logout", &body).await.status, 204);
        person
    }

    /// The statuses of so many calls, one after the other on one connection.
    async fn statuses(&self, path: &str, token: &str, times: usize) -> Vec<u16> {
        let mut statuses = Vec::new();
        while statuses.len() < times {
            let some = (times - statuses.len()).min(50);
            let answered = self.statuses_of_one_connection(path, token, some).await;
            assert_eq!(answered.len(), some, "{answered:?}");
            statuses.extend(answered);
        }
        statuses
    }

    async fn statuses_of_one_connection(&self, path: &str, token: &str, times: usize) -> Vec<u16> {
        let call = format!("GET {path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {token}\r\n");
        let all = format!("{call}\r\n").repeat(times - 1) + &call + "connection: close\r\n\r\n";
        let (mut reading, mut writing) =
            TcpStream::connect(self.address).await.unwrap().into_split();
        let write = async { writing.write_all(all.as_bytes()).await.unwrap() };
        let mut answers = Vec::new();
        let ((), read) = tokio::join!(write, reading.read_to_end(&mut answers));
        read.unwrap();
        let text = String::from_utf8_lossy(&answers);
        let codes = text.split("HTTP/1.1 ").skip(1).map(|answer| answer[..3].parse().unwrap());
        codes.collect()
    }
}

fn count(statuses: &[u16], status: u16) -> usize {
    statuses.iter().filter(|one| **one == status).count()
}

#[actix_web::test]
async fn the_token_of_an_ended_session_neither_spares_its_address_nor_asks_the_database_each_time()
{
    let server = spawn_app().await;
    server.app.limits.hold();
    let ana = server.signed_out("ana@example.com").await;
    server.database.db.take_statements();
    let began = Instant::now();
    let statuses = server.statuses("/api/auth/me", &ana.token, 600).await;
    let seconds = usize::try_from(began.elapsed().as_secs()).unwrap() + 1;
    let asked = server.database.db.take_statements();
    let asked = asked.iter().filter(|sql| sql.contains("sessions s")).count();
    let refused = count(&statuses, 401);
    assert_eq!(refused + count(&statuses, 429), 600);
    assert!((BURST - 2..=BURST).contains(&refused), "{refused}");
    assert_eq!(statuses.last(), Some(&429));
    assert!(asked <= 2 * seconds, "{asked} questions in {seconds} s");
}

#[actix_web::test]
async fn a_refused_token_pays_where_nobody_asks_for_one() {
    let server = spawn_app().await;
    server.app.limits.hold();
    let ana = server.signed_out("ana@example.com").await;
    for path in ["/api/config", "/api/nothing"] {
        let statuses = server.statuses(path, &ana.token, 3 * BURST).await;
        assert!(count(&statuses, 429) > BURST, "{path}: {}", count(&statuses, 429));
    }
}

#[actix_web::test]
async fn a_living_session_has_a_limit_of_its_own_when_its_address_is_spent() {
    let server = spawn_app().await;
    server.app.limits.hold();
    let (ana, bia) =
        (server.person("ana@example.com").await, server.signed_out("bia@example.com").await);
    assert_eq!(server.statuses("/api/auth/me", &bia.token, 2 * BURST).await.last(), Some(&429));
    for path in ["/api/auth/me", "/api/config", "/api/companies"] {
        assert_eq!(server.statuses(path, &ana.token, 5).await, [200; 5], "{path}");
    }
    // Public calls are taken from the same limit.
    let statuses = server.statuses("/api/config", &ana.token, 600).await;
    assert!(count(&statuses, 429) > 0, "{statuses:?}");
}

#[actix_web::test]
async fn commands_of_a_person_beyond_the_limit_do_not_ask_the_database_each_time() {
    let server = spawn_app().await;
    server.app.limits.hold();
    let ana = server.person("ana@example.com").await;
    while server.app.limits.person.take(&ana.id).is_ok() {}
    server.database.db.take_statements();
    let began = Instant::now();
    for _ in 0..100 {
        let refused = server.post_as(&ana, "/api/auth/sessions/end-others", &json!({})).await;
        refused.refused(429, "RATE_LIMITED");
    }
    let seconds = usize::try_from(began.elapsed().as_secs()).unwrap() + 1;
    let asked = server.database.db.take_statements();
    let asked = asked.iter().filter(|sql| sql.contains("sessions s")).count();
    assert!(asked <= 2 * seconds, "{asked} questions in {seconds} s");
}

#[actix_web::test]
async fn one_ipv4_client_of_a_server_on_ipv6_leaves_the_others_their_limits() {
    let server = spawn_app().await;
    server.app.limits.hold();
    let listener = TcpListener::bind("[::]:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let twin = bipe_http::listen(server.app.clone(), listener).unwrap();
    let handle = twin.handle();
    actix_web::rt::spawn(twin);
    let ask = async |last: u8| {
        let from = IpAddr::from(Ipv4Addr::new(127, 0, 0, last));
        let client = Client::builder().local_address(from).build().unwrap();
        answer(client.get(format!("http://127.0.0.1:{port}/api/config"))).await.status
    };
    let mut refused = 0;
    while refused < 5 {
        refused += u8::from(ask(3).await == 429);
    }
    assert_eq!(ask(4).await, 200, "a stranger is not refused for it");
    handle.stop(false).await;
}
