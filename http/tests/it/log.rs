//! What is known of an answer that failed: its request, and why.

use std::fs::read_to_string;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::time::Duration;

use actix_web::middleware::from_fn;
use actix_web::test::{TestRequest, init_service, try_call_service};
use actix_web::{HttpResponse, web};
use bipe_http::middleware::envelope_and_headers;

use crate::app::spawn_app;
use crate::auth::registration;
use crate::process::{Installation, Process, database_url};
use crate::program::bipe;

#[actix_web::test]
async fn the_log_names_the_request_of_a_500_and_says_why_the_database_refused() {
    let home = Installation::new().await;
    let server = home.start_with(&["--log-format", "json"]);
    let owner = home.database.owner().await;
    let nobody = "ALTER TABLE users ADD CONSTRAINT nobody CHECK (false) NOT VALID";
    owner.batch_execute(nobody).await.unwrap();
    let body = registration("canario.sigiloso@example.com", "11144477735");
    let failed = server.post("/api/auth/register", &body).await;
    failed.refused(500, "INTERNAL_ERROR");
    let id = failed.body["error"]["requestId"].as_str().unwrap();
    let errors = || {
        let log = read_to_string(home.log()).unwrap();
        log.lines().filter(|line| line.contains("ERROR")).map(str::to_owned).collect::<Vec<_>>()
    };
    let [error] = <[String; 1]>::try_from(errors()).unwrap();
    for part in [id, "/api/auth/register", "23514", "nobody"] {
        assert!(error.contains(part), "{part}: {error}");
    }
    assert!(!error.contains("canario") && !error.contains("11144477735"), "{error}");

    owner.batch_execute("BEGIN; LOCK TABLE users").await.unwrap();
    server.post("/api/auth/register", &body).await.refused(503, "SERVICE_UNAVAILABLE");
    let log = read_to_string(home.log()).unwrap();
    let why = log.lines().find(|line| line.contains("the database refused a statement"));
    assert!(why.is_some_and(|why| why.contains("55P03")), "{log}");
    assert_eq!(errors(), [error], "a refusal is no defect");
}

#[actix_web::test]
async fn bytes_that_are_no_request_and_no_frame_are_no_defect() {
    let home = Installation::new().await;
    let server = home.start_with(&["--log-format", "json"]);
    let tls = b"\x16\x03\x01\x02\x00\x01\r\n\r\n".as_slice();
    let half_a_ping = b"GET /api/live HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\n\
        Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: rt.v1\r\n\
        Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n\x09\x80\0\0\0\0"
        .as_slice();
    for (bytes, status) in [(tls, "HTTP/1.1 400 "), (half_a_ping, "HTTP/1.1 101 ")] {
        let address = server.url.trim_start_matches("http://");
        let mut stranger = TcpStream::connect(address).unwrap();
        stranger.write_all(bytes).unwrap();
        let mut answer = Vec::new();
        stranger.read_to_end(&mut answer).unwrap();
        assert!(answer.starts_with(status.as_bytes()), "{}", answer.escape_ascii());
    }
    let log = read_to_string(home.log()).unwrap();
    assert!(log.contains("INFO") && !log.contains("ERROR"), "{log}");
}

#[actix_web::test]
async fn a_handler_that_panics_is_a_500_that_names_its_request() {
    let server = spawn_app().await;
    let handler = async || -> HttpResponse { panic!("as a test wants it") };
    let broken = actix_web::App::new()
        .app_data(web::Data::from(server.app.clone()))
        .wrap(from_fn(envelope_and_headers))
        .route("/api/broken", web::get().to(handler));
    let request = TestRequest::get().uri("/api/broken").to_request();
    let failed = try_call_service(&init_service(broken).await, request).await.unwrap_err();
    let answer = failed.error_response();
    assert_eq!(answer.status(), 500);
    assert!(answer.headers().contains_key("x-request-id"));
}

#[actix_web::test]
async fn a_server_whose_output_and_log_cannot_be_written_serves_on_and_runs_its_jobs() {
    let home = Installation::new().await;
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    // Each write to a pipe without a reader fails, as on a full disk.
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let child = bipe(&["serve", "--bind", &address.to_string(), "--workers", "1"])
        .args(["--data-dir", home.log().with_file_name("data").to_str().unwrap()])
        .env("DATABASE_URL", database_url(&home.database))
        .stdout(writer.try_clone().unwrap())
        .stderr(writer)
        .spawn()
        .unwrap();
    let server = Process { child, url: format!("http://{address}") };
    for tries in 0.. {
        if server.is_ready().await {
            break;
        }
        assert!(tries < 600, "it did not start");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    // Each of these is a line of the log.
    server.register().await;
    let code = server.code().await;
    server.verify(&code).await.data(200);
}
