//! The settings of the message bus between nodes; asked by `Config::check` alone.

use rustls::RootCertStore;

use super::{Config, Environment, host_of, is_this_machine};
use crate::authorities;

/// Servers in NATS_URL, at most.
const MAX_SERVERS: usize = 16;

/// One line each; no line repeats the URL, which holds a password. The binary reads the URL and the credentials once
/// more, as its client does.
pub(super) fn problems(config: &Config) -> Vec<String> {
    let mut problems = Vec::new();
    let Some(url) = &config.nats_url else {
        if config.nats_credentials.is_some() || config.nats_ca.is_some() {
            problems.push("NATS_CREDENTIALS and NATS_CA need NATS_URL beside them".to_owned());
        }
        return problems;
    };
    let servers: Vec<&str> = url.expose().split(',').map(str::trim).collect();
    let is_server = |server: &&str| {
        let scheme = server.starts_with("nats://") || server.starts_with("tls://");
        scheme && host_of(server).is_some_and(|host| !host.is_empty())
    };
    if !servers.iter().all(is_server) || servers.len() > MAX_SERVERS {
        problems.push(format!(
            "NATS_URL takes nats://host:port or tls://host:port, at most {MAX_SERVERS} with commas between them"
        ));
    }
    let is_elsewhere = |server: &str| host_of(server).is_some_and(|host| !is_this_machine(host));
    let elsewhere: Vec<&str> = servers.into_iter().filter(|server| is_elsewhere(server)).collect();
    if elsewhere.iter().any(|server| !server.starts_with("tls://")) {
        problems.push("NATS_URL goes in clear to another machine: take tls://".to_owned());
    }
    if config.environment == Environment::Development && !elsewhere.is_empty() {
        problems.push(
            "NATS_URL is on another machine: development refuses that; BIPE_ENV decides (BIPE_ENV=production)"
                .to_owned(),
        );
    }
    if let Some(file) = &config.nats_ca {
        problems.extend(authorities::add(&mut RootCertStore::empty(), "NATS_CA", file).err());
    }
    if config.secret.is_none() {
        problems.push(
            "NATS_URL needs BIPE_SECRET, the same on all nodes: it proves their messages"
                .to_owned(),
        );
    }
    problems
}

#[cfg(test)]
mod tests {
    use crate::testing::{Authority, config};

    const SECRET: [&str; 2] = ["--secret", "0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c4b5a6978"];

    fn lines(args: &[&str]) -> Vec<String> {
        let problems = config(args).check().err().unwrap_or_default();
        problems.into_iter().filter(|line| line.contains("NATS")).collect()
    }

    #[test]
    fn a_bus_of_this_machine_is_taken() {
        let url = "nats://bipe:pw@127.0.0.1:4222, tls://[::1]:4223";
        assert_eq!(lines(&[&SECRET[..], &["--nats-url", url]].concat()), Vec::<String>::new());
    }

    #[test]
    fn a_bus_that_others_could_read_or_forge_is_refused() {
        for (args, word) in [
            (&["--nats-url", "nats://127.0.0.1"][..], "BIPE_SECRET"),
            (&["--nats-credentials", "bipe.creds"][..], "need NATS_URL"),
            (&["--nats-url", "http://127.0.0.1"][..], "takes nats://"),
            (&["--nats-url", "nats://"][..], "takes nats://"),
            (&["--nats-url", "nats://localhost,tls://nats.example.com"][..], "development refuses"),
            (&["--env", "production", "--nats-url", "nats://10.0.0.7:4222"][..], "in clear"),
        ] {
            let lines = lines(args);
            assert!(lines.iter().any(|line| line.contains(word)), "{args:?}: {lines:?}");
            assert!(lines.iter().all(|line| !line.contains("10.0.0.7")), "{lines:?}");
        }
        let elsewhere = ["--env", "production", "--nats-url", "tls://nats.example.com:4222"];
        assert_eq!(lines(&[&SECRET[..], &elsewhere].concat()), Vec::<String>::new());
    }

    #[test]
    fn an_authority_is_a_certificate_in_a_file() {
        let with = |file: &str| {
            let bus = ["--nats-url", "tls://127.0.0.1", "--nats-ca", file];
            lines(&[&SECRET[..], &bus].concat())
        };
        let authority = Authority::new("nats");
        assert_eq!(with(authority.file.to_str().unwrap()), Vec::<String>::new());
        let no_certificate = with(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"));
        assert!(no_certificate[0].ends_with("holds no certificate in PEM form"));
        for file in ["none.pem", env!("CARGO_MANIFEST_DIR")] {
            let told = with(file);
            assert_eq!(told.len(), 1, "{file}: {told:?}");
            assert!(told[0].starts_with(&format!("NATS_CA {file}: ")), "{told:?}");
        }
    }
}
