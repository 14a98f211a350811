//! The settings of the message bus between nodes; asked by `Config::check` alone.

use std::fs::File;

use super::{Config, Environment, host_of, is_this_machine};

/// Servers in NATS_URL, at most.
const MAX_SERVERS: usize = 16;

/// One line each; no line repeats the URL, which holds a password.
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
    for (file, name) in
        [(&config.nats_credentials, "NATS_CREDENTIALS"), (&config.nats_ca, "NATS_CA")]
    {
        if let Some(Err(error)) = file.as_ref().map(File::open) {
            problems.push(format!("{name} cannot be read: {error}"));
        }
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
    use crate::testing::config;

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
            (
                &["--nats-url", "nats://127.0.0.1", "--nats-ca", "none.pem"][..],
                "NATS_CA cannot be read",
            ),
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
}
