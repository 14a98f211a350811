//! TLS to a database on another machine. 0.0.0.0 stands for it: Linux connects to this machine, and Bipe does not treat
//! the address as loopback.

use std::fs;

use bipe_core::db::migrate;
use bipe_core::testing::Authority;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use super::{Postgres, login};

/// Answers "no TLS here", then asks for the password in clear; returns what it was told after its no.
async fn without_tls(listener: TcpListener) -> Vec<u8> {
    let (mut socket, _) = listener.accept().await.unwrap();
    let mut request = [0; 8];
    socket.read_exact(&mut request).await.unwrap();
    assert_eq!(request[4..], 80_877_103_u32.to_be_bytes(), "a request for TLS comes first");
    socket.write_all(b"N").await.unwrap();
    let mut heard = Vec::new();
    let mut part = [0; 1024];
    while let Ok(length @ 1..) = socket.read(&mut part).await {
        heard.extend_from_slice(&part[..length]);
        // AuthenticationCleartextPassword; after that answer it hangs up.
        if heard.ends_with(b"\0\0") {
            socket.write_all(b"R\0\0\0\x08\0\0\0\x03").await.unwrap();
        } else {
            break;
        }
    }
    heard
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_elsewhere_that_refuses_tls_hears_neither_name_nor_password() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let server = tokio::spawn(without_tls(listener));
    let url = format!("postgres://the-login:the-password@0.0.0.0:{port}/bipe");
    let refused = migrate::migrate(&login(&url, None).unwrap()).await.unwrap_err().to_string();
    let heard = server.await.unwrap();
    assert_eq!(String::from_utf8_lossy(&heard), "");
    assert!(refused.contains("server does not support TLS"), "{refused}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_private_authority_counts_where_its_file_is_named_and_nowhere_else() {
    let (ours, other) = (Authority::new("ours"), Authority::new("other"));
    let (certificate, key) = ours.certify(&["0.0.0.0", "db.bipe.test"]);
    let postgres = Postgres::start("tls", Some((&certificate, &key))).await;
    let admin = postgres.superuser("postgres").await;
    admin.batch_execute("CREATE ROLE bipe LOGIN SUPERUSER PASSWORD 'pw'").await.unwrap();
    let ask = async |place: &str, ca: Option<&Authority>| {
        let place = place.replace("PORT", &postgres.port.to_string());
        let login = login(&place, ca.map(|ca| ca.file.as_path())).unwrap();
        migrate::analyze(&login).await.map_err(|error| error.to_string())
    };
    let url = "postgres://bipe:pw@0.0.0.0:PORT/postgres";
    assert_eq!(ask(url, Some(&ours)).await, Ok(()));
    // The digest of the certificate is part of the proof of the password.
    assert_eq!(ask(&format!("{url}?channel_binding=require"), Some(&ours)).await, Ok(()));
    for stranger in [None, Some(&other)] {
        let refused = ask(url, stranger).await.unwrap_err();
        assert!(refused.contains("invalid peer certificate"), "{refused}");
    }
    let named =
        "host=db.bipe.test hostaddr=0.0.0.0 port=PORT user=bipe password=pw dbname=postgres";
    assert_eq!(ask(named, Some(&ours)).await, Ok(()));
    let refused = ask(&named.replace("db.", "elsewhere."), Some(&ours)).await.unwrap_err();
    assert!(refused.contains("not valid for name"), "{refused}");
    // On this machine TLS is a choice, and no less strict where it is chosen.
    let local = "postgres://bipe:pw@127.0.0.1:PORT/postgres";
    assert_eq!(ask(local, None).await, Ok(()));
    let refused = ask(&format!("{local}?sslmode=require"), Some(&ours)).await.unwrap_err();
    assert!(refused.contains("not valid for name"), "{refused}");
}

#[test]
fn weak_tls_is_refused_by_every_spelling_of_a_host_elsewhere() {
    let refused = [
        "postgres://db.example.com/bipe?sslmode=disable",
        "postgres://db.example.com/bipe?sslmode=allow",
        "postgres://db.example.com/bipe?connect_timeout=3&sslmode=prefer",
        "postgresql://10.0.0.7,localhost/bipe?sslmode=disable",
        "postgres://localhost,db.example.com/bipe?sslmode=disable",
        "postgres://127.0.0.1.example.com/bipe?sslmode=disable",
        "host=localhost hostaddr=10.0.0.7 sslmode=disable",
        "host=db.example.com sslmode='prefer'",
        "host=db.example.com sslmode = disable",
    ];
    for url in refused {
        let problem = login(url, None).map(|_| url).unwrap_err();
        assert!(problem.contains("BIPE_DATABASE_CA") && !problem.contains(url), "{url}: {problem}");
    }
    let taken = [
        "postgres://db.example.com/bipe",
        "postgres://db.example.com/bipe?sslmode=require",
        "postgres://db.example.com/bipe?sslmode=verify-full",
        "host=db.example.com sslmode=verify-ca",
        "postgres://localhost/bipe?sslmode=disable",
        "postgres://[::1]/bipe?sslmode=prefer",
        "host=db.example.com hostaddr=127.0.0.1 sslmode=disable",
        "postgres://%2Frun%2Fpostgresql/bipe?sslmode=disable",
    ];
    for url in taken {
        assert_eq!(login(url, None).map(|_| url), Ok(url));
    }
    for nowhere in ["postgres:///bipe", "user=bipe"] {
        assert_eq!(login(nowhere, None).map(|_| nowhere), Err("DATABASE_URL names no host".into()));
    }
}

#[test]
fn a_parameter_of_other_programs_is_named_and_nothing_else_of_the_url() {
    let urls = [
        "postgres://bipe:pw@db.example.com/bipe?sslmode=verify-full&sslrootcert=/etc/authority.pem",
        "host=db.example.com password=pw sslrootcert=/etc/authority.pem",
    ];
    for url in urls {
        let problem = login(url, None).map(|_| url).unwrap_err();
        assert!(problem.starts_with("DATABASE_URL: take sslrootcert out of it; "), "{problem}");
        assert!(problem.contains("BIPE_DATABASE_CA"), "{problem}");
        assert!(!problem.contains("pw") && !problem.contains("/etc"), "{problem}");
    }
    let broken = login("postgres://bipe:p@ss?sslkex=w@db.example.com/bipe", None).map(|_| ());
    assert_eq!(broken, Err("DATABASE_URL is not a PostgreSQL URL".into()));
}

#[test]
fn a_choice_of_sessions_that_is_not_taken_is_named_and_nothing_else_of_the_url() {
    for url in [
        "postgres://bipe:pw@one,two/bipe?target_session_attrs=primary&connect_timeout=7",
        "host=one,two password=pw target_session_attrs='primary'",
    ] {
        let problem = login(url, None).map(|_| url).unwrap_err();
        let taken = "DATABASE_URL: target_session_attrs is one of any, read-write, read-only";
        assert_eq!(problem, taken);
    }
    let broken = login("postgres://one,two/bipe?target_session_attrs=any&sslkex=1", None);
    assert_eq!(broken.map(|_| ()), Err("DATABASE_URL is not a PostgreSQL URL".into()));
}

#[test]
fn an_authority_that_cannot_be_read_is_named() {
    let empty = std::env::temp_dir().join(format!("bipe-{}-empty.pem", std::process::id()));
    fs::write(&empty, "no certificate").unwrap();
    let url = "postgres://db.example.com/bipe";
    for file in [empty.clone(), empty.with_extension("absent")] {
        let problem = login(url, Some(&file)).map(|_| ()).unwrap_err();
        assert!(problem.starts_with(&format!("BIPE_DATABASE_CA {}", file.display())), "{problem}");
    }
    fs::remove_file(empty).unwrap();
}
