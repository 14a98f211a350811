//! Connections that are slow on purpose: each kind is cut, and a client that is only quiet or far away is not. The
//! times are a fraction of the real ones; `make reliability-connections` takes those of the release build.

use std::time::Duration;

use bipe_http::connection::Bounds;
use bipe_testkit::answer;
use socket2::{Domain, SockRef, Socket, Type};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::Instant;

use crate::app::{TestApp, spawn_app_bounded};
use crate::metrics::value;

const SHORT: Bounds = Bounds {
    per_address: 20,
    head: Duration::from_millis(700),
    silence: Duration::from_secs(3),
    exchange: Duration::from_secs(3),
    handler: Duration::from_secs(14),
};
/// A loaded machine may need many times the limit; without a sweep there is no end at all.
const TIMEOUT: Duration = Duration::from_secs(60);
const STEP: Duration = Duration::from_millis(50);
const LARGE: &str = "/api/docs/swagger-ui-bundle.js";

struct Raw(TcpStream);

impl Raw {
    async fn open(app: &TestApp) -> Self {
        Self(TcpStream::connect(app.address).await.unwrap())
    }

    async fn send(&mut self, text: &str) {
        self.0.write_all(text.as_bytes()).await.unwrap();
    }

    /// Until the answer holds that; false when the connection ends before.
    async fn reads(&mut self, wanted: &str) -> bool {
        let mut seen = Vec::new();
        while !String::from_utf8_lossy(&seen).contains(wanted) {
            if self.0.read_buf(&mut seen).await.unwrap_or(0) == 0 {
                return false;
            }
        }
        true
    }

    async fn asks(&mut self) -> bool {
        let request = b"GET /health HTTP/1.1\r\nhost: x\r\n\r\n";
        self.0.write_all(request).await.is_ok() && self.reads("\"}").await
    }

    /// How long it takes until the server has let go, while `drip` is written again and again.
    async fn time_to_cut(mut self, drip: &str) -> Duration {
        let began = Instant::now();
        loop {
            let mut room = [0; 1024];
            let read = tokio::time::timeout(STEP, self.0.read(&mut room)).await;
            if matches!(read, Ok(Ok(0) | Err(_))) {
                return began.elapsed();
            }
            assert!(began.elapsed() < TIMEOUT, "it goes on for ever");
            self.0.write_all(drip.as_bytes()).await.ok();
        }
    }
}

#[actix_web::test]
async fn a_second_head_that_drips_or_stalls_does_not_keep_its_connection() {
    let app = spawn_app_bounded(SHORT, &[]).await;
    for (start, drip) in [("GET /health HTTP/1.1\r\nx-slow: ", "x"), ("GET /hea", ""), ("", "G")] {
        let mut slow = Raw::open(&app).await;
        assert!(slow.asks().await);
        slow.send(start).await;
        let took = slow.time_to_cut(drip).await;
        assert!(took >= SHORT.head.mul_f32(0.5), "{took:?}");
    }
}

#[actix_web::test]
async fn a_body_that_goes_on_after_its_refusal_does_not_keep_its_connection() {
    let app = spawn_app_bounded(SHORT, &[]).await;
    let mut slow = Raw::open(&app).await;
    slow.send(
        "POST /api/nothing HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n1\r\nx\r\n",
    )
    .await;
    assert!(slow.reads("NOT_FOUND").await);
    slow.time_to_cut("1\r\nx\r\n").await;
}

/// A connection that has room for next to nothing and never reads: the other end cannot write on.
#[actix_web::test]
async fn an_answer_that_nobody_reads_does_not_keep_its_connection() {
    let app = spawn_app_bounded(SHORT, &[]).await;
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
    socket.set_recv_buffer_size(2 * 1024).unwrap();
    socket.connect(&app.address.into()).unwrap();
    socket.set_nonblocking(true).unwrap();
    let mut slow = Raw(TcpStream::from_std(socket.into()).unwrap());
    slow.send(&format!("GET {LARGE} HTTP/1.1\r\nhost: x\r\n\r\n")).await;
    let began = Instant::now();
    while SockRef::from(&slow.0).take_error().unwrap().is_none() {
        assert!(began.elapsed() < TIMEOUT, "it waits for ever");
        tokio::time::sleep(STEP).await;
    }
    assert!(began.elapsed() >= SHORT.exchange.mul_f32(0.5), "{:?}", began.elapsed());
}

#[actix_web::test]
async fn a_handler_that_hangs_is_given_up_counted_and_read_by_a_page_of_this_server() {
    let bounds = Bounds { handler: STEP, ..Bounds::default() };
    let app = spawn_app_bounded(bounds, &[]).await;
    let ana = app.person("ana@example.com").await;
    // Whatever reads the companies hangs. The lock goes with its connection.
    let owner = app.database.owner().await;
    owner.batch_execute("BEGIN; LOCK TABLE companies").await.unwrap();
    let line = r#"bipe_http_requests_total{status="503"}"#;
    let before = value(&app.app.metrics.render(), line);
    let own = format!("http://{}", app.address);
    let call = reqwest::Client::new().get(app.url("/api/companies")).bearer_auth(&ana.token);
    let late = answer(call.header("origin", &own)).await;
    late.refused(503, "SERVICE_UNAVAILABLE");
    assert_eq!(late.headers["access-control-allow-origin"], own.as_str());
    assert!(late.headers.contains_key("x-request-id"));
    assert!(value(&app.app.metrics.render(), line) >= before + 1.0);
}

#[actix_web::test]
async fn who_asks_now_and_then_keeps_the_connection() {
    let app = spawn_app_bounded(SHORT, &[]).await;
    let mut honest = Raw::open(&app).await;
    let began = Instant::now();
    // Longer than all of its times together.
    while began.elapsed() < SHORT.silence + SHORT.exchange + SHORT.head {
        assert!(honest.asks().await, "cut after {:?}", began.elapsed());
        tokio::time::sleep(STEP * 4).await;
    }
}

#[actix_web::test]
async fn an_address_has_a_bound_of_connections_and_its_neighbour_one_of_its_own() {
    let app = spawn_app_bounded(Bounds { per_address: 20, ..Bounds::default() }, &[]).await;
    let mut open = Vec::new();
    for _ in 0..20 {
        let mut one = Raw::open(&app).await;
        assert!(one.asks().await);
        open.push(one);
    }
    assert!(!Raw::open(&app).await.asks().await, "one too many");
    let elsewhere = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
    let other: std::net::SocketAddr = "127.0.0.77:0".parse().unwrap();
    elsewhere.bind(&other.into()).unwrap();
    elsewhere.connect(&app.address.into()).unwrap();
    elsewhere.set_nonblocking(true).unwrap();
    assert!(Raw(TcpStream::from_std(elsewhere.into()).unwrap()).asks().await);
    open.clear();
    let began = Instant::now();
    // The server learns of their end in its own time.
    while !Raw::open(&app).await.asks().await {
        assert!(began.elapsed() < TIMEOUT, "the permits are never given back");
    }
    let trusting = ["--trusted-proxies", "127.0.0.0/8"];
    let behind = spawn_app_bounded(Bounds { per_address: 1, ..Bounds::default() }, &trusting).await;
    for _ in 0..5 {
        let mut one = Raw::open(&behind).await;
        assert!(one.asks().await, "a proxy brings everybody");
        open.push(one);
    }
}
