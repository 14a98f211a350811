//! The gates on dependencies that need no network: forbidden crates, forbidden directions, least versions.

use std::fs;

use crate::tree::root;

/// Name and version of every package in Cargo.lock.
fn locked() -> Vec<(String, Vec<u64>)> {
    let lock = fs::read_to_string(root().join("Cargo.lock")).unwrap();
    let field = |block: &str, key: &str| {
        let line = block.lines().find_map(|line| line.strip_prefix(&format!("{key} = \"")))?;
        Some(line.trim_end_matches('"').to_owned())
    };
    let packages = lock.split("[[package]]").skip(1);
    let packages = packages
        .map(|block| (field(block, "name").unwrap(), numbers(&field(block, "version").unwrap())));
    packages.collect()
}

fn numbers(version: &str) -> Vec<u64> {
    let release = version.split(['-', '+']).next().unwrap_or_default();
    release.split('.').map(|part| part.parse().unwrap()).collect()
}

#[test]
fn forbidden_crates_are_absent() {
    const FORBIDDEN: [&str; 8] = [
        "actix-files",
        "actix-governor",
        "actix-multipart",
        "native-tls",
        "openssl",
        "openssl-sys",
        "rsa",
        "sqlx",
    ];
    let found: Vec<_> =
        locked().into_iter().filter(|(name, _)| FORBIDDEN.contains(&name.as_str())).collect();
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn nothing_is_older_than_its_last_known_hole() {
    const LEAST: [(&str, &str); 12] = [
        ("actix-http", "3.20.0"),
        ("actix-web", "4.14.1"),
        ("bytes", "1.11.1"),
        ("jsonwebtoken", "10.3.0"),
        ("lettre", "0.11.22"),
        ("postgres-protocol", "0.6.12"),
        ("rustls", "0.23.18"),
        ("rustls-webpki", "0.103.13"),
        ("time", "0.3.47"),
        ("tokio", "1.44.2"),
        ("tokio-postgres", "0.7.18"),
        ("tracing-subscriber", "0.3.20"),
    ];
    let locked = locked();
    for (name, least) in LEAST {
        let versions: Vec<_> = locked.iter().filter(|(locked, _)| locked == name).collect();
        assert!(!versions.is_empty(), "{name} is no dependency any more");
        for (_, version) in versions {
            assert!(*version >= numbers(least), "{name} {version:?} is older than {least}");
        }
    }
}

#[test]
fn packages_depend_in_one_direction() {
    let forbidden: [(&str, &[&str]); 4] = [
        ("core", &["actix", "bipe-actors", "bipe-sandbox", "bipe-http"]),
        (
            "actors",
            &[
                "actix-web",
                "tokio-postgres",
                "deadpool-postgres",
                "async-stripe",
                "bipe-sandbox",
                "bipe-http",
            ],
        ),
        (
            "sandbox",
            &["tokio-postgres", "deadpool-postgres", "async-stripe", "bipe-actors", "bipe-http"],
        ),
        ("http", &["tokio-postgres", "deadpool-postgres", "async-stripe"]),
    ];
    for (package, names) in forbidden {
        let manifest = fs::read_to_string(root().join(package).join("Cargo.toml")).unwrap();
        // Only what the shipped code depends on.
        let (shipped, _) = manifest.split_once("[dev-dependencies]").unwrap();
        for name in names.iter().chain(&["bipe-testkit"]) {
            let wrong = shipped.lines().find(|line| line.starts_with(name));
            assert!(wrong.is_none(), "{package} must not depend on {name}: {wrong:?}");
        }
    }
}
