//! A login with several hosts: one server at a time, each by a connection of its own. Called where connections are made.
//!
//! The driver walks through the hosts too, but a frozen one, which takes connections and never answers, would stop it
//! there, and so would one that it takes and that this process refuses.

use std::time::Duration;

use futures_util::stream::{FuturesUnordered, StreamExt};
use tokio::time::timeout;
use tokio_postgres::Config;

/// How long a host has before the next one is tried beside it.
const NEXT_HOST: Duration = Duration::from_millis(300);

/// The same login once for each host.
pub(super) fn each(config: &Config) -> Vec<Config> {
    let count = config.get_hosts().len().max(config.get_hostaddrs().len());
    if count < 2 {
        return vec![config.clone()];
    }
    (0..count).map(|at| only(config, at)).collect()
}

/// Everything but the other hosts: what a configuration has can be added to, not taken away.
fn only(all: &Config, at: usize) -> Config {
    let mut config = Config::new();
    if let Some(host) = all.get_hosts().get(at) {
        match host {
            tokio_postgres::config::Host::Tcp(name) => config.host(name),
            tokio_postgres::config::Host::Unix(path) => config.host_path(path),
        };
    }
    if let Some(address) = all.get_hostaddrs().get(at) {
        config.hostaddr(*address);
    }
    if let Some(port) = all.get_ports().get(at).or_else(|| all.get_ports().first()) {
        config.port(*port);
    }
    if let Some(text) = all.get_user() {
        config.user(text);
    }
    if let Some(text) = all.get_dbname() {
        config.dbname(text);
    }
    if let Some(text) = all.get_options() {
        config.options(text);
    }
    if let Some(text) = all.get_application_name() {
        config.application_name(text);
    }
    if let Some(password) = all.get_password() {
        config.password(password);
    }
    if let Some(time) = all.get_connect_timeout() {
        config.connect_timeout(*time);
    }
    if let Some(time) = all.get_tcp_user_timeout() {
        config.tcp_user_timeout(*time);
    }
    if let Some(time) = all.get_keepalives_interval() {
        config.keepalives_interval(time);
    }
    if let Some(retries) = all.get_keepalives_retries() {
        config.keepalives_retries(retries);
    }
    config
        .ssl_mode(all.get_ssl_mode())
        .ssl_negotiation(all.get_ssl_negotiation())
        .keepalives(all.get_keepalives())
        .keepalives_idle(all.get_keepalives_idle())
        .target_session_attrs(all.get_target_session_attrs())
        .channel_binding(all.get_channel_binding());
    config
}

/// The first attempt that succeeds. The next one begins when one has failed, or has not ended after a moment.
///
/// # Errors
/// The last failure, when all have failed; `nobody` without attempts.
pub(super) async fn first<T, E>(
    attempts: impl IntoIterator<Item = impl Future<Output = Result<T, E>>>,
    nobody: E,
) -> Result<T, E> {
    let (mut waiting, mut running) = (attempts.into_iter(), FuturesUnordered::new());
    let mut failure = nobody;
    loop {
        running.extend(waiting.next());
        match timeout(NEXT_HOST, running.next()).await {
            Ok(Some(Ok(made))) => return Ok(made),
            Ok(Some(Err(error))) => failure = error,
            Ok(None) => return Err(failure),
            Err(_slow) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::pending;

    use super::*;

    #[test]
    fn each_host_has_a_login_with_all_that_was_set_and_its_own_port() {
        let url = "postgres://ana:secret@one:1,two:2/bipe?target_session_attrs=read-write&connect_timeout=7\
             &application_name=a&options=-cx%3D1&keepalives_idle=9&keepalives_retries=3&sslmode=require";
        let all: Config = url.parse().unwrap();
        let of = |host: &str| url.replace("one:1,two:2", host).parse::<Config>().unwrap();
        assert_eq!(each(&all), ["one:1", "two:2"].map(of));
        let one: Config = "postgres://ana@one/bipe".parse().unwrap();
        assert_eq!(each(&one), [one]);
    }

    #[tokio::test]
    async fn a_host_that_never_answers_stands_in_nobodys_way() {
        type Attempt = std::pin::Pin<Box<dyn Future<Output = Result<u8, u8>>>>;
        let frozen = || -> Attempt { Box::pin(pending()) };
        let ends = |outcome| -> Attempt { Box::pin(async move { outcome }) };
        assert_eq!(first([frozen(), ends(Ok(2))], 0).await, Ok(2));
        assert_eq!(first([ends(Err(1)), frozen(), ends(Ok(3))], 0).await, Ok(3));
        assert_eq!(first([ends(Err(1)), ends(Err(2))], 0).await, Err(2));
        assert_eq!(first(Vec::<Attempt>::new(), 9).await, Err(9));
    }
}
