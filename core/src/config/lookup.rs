//! The setting of the service that knows addresses by postal code; asked by `Config::check` alone.

use super::Config;
use super::network::is_private_on_the_way;
use crate::cep_lookup::PLACEHOLDER;

/// One line, if there is one.
pub(super) fn problems(config: &Config) -> Vec<String> {
    let is_right = config.cep_url.is_empty() || is_lookup(&config.cep_url);
    let problem =
        "BIPE_CEP_URL takes https://, or http:// to this machine, with {cep} once behind the host";
    if is_right { Vec::new() } else { vec![problem.to_owned()] }
}

/// An address for each postal code, whose answer nobody on the way can change.
fn is_lookup(url: &str) -> bool {
    let is_plain = url.bytes().all(|byte| byte.is_ascii_graphic());
    let path = url.split_once("://").and_then(|(_, rest)| rest.split_once('/'));
    let has_place = path.is_some_and(|(host, path)| {
        !host.is_empty() && !host.contains(['{', '@']) && path.matches(PLACEHOLDER).count() == 1
    });
    is_plain && has_place && is_private_on_the_way(url)
}

#[cfg(test)]
mod tests {
    use crate::testing::config;

    #[test]
    fn postal_codes_are_looked_up_where_nobody_on_the_way_answers_instead() {
        let problems = |url: &str| config(&["--cep-url", url]).check().err().unwrap_or_default();
        for url in [
            "",
            "https://cep.example.com/v1/{cep}",
            "http://127.0.0.1:9000/{cep}?a=b",
            "http://[::1]/{cep}",
        ] {
            assert_eq!(problems(url), Vec::<String>::new(), "{url}");
        }
        for url in [
            "http://cep.example.com/{cep}",
            "http://127.0.0.1.example.com/{cep}",
            "https://cep.example.com/",
            "https://{cep}.example.com/{cep}",
            "https://cep.example.com/{cep}/{cep}",
            "https://u:p@cep.example.com/{cep}",
            "ftp://cep.example.com/{cep}",
            "cep.example.com/{cep}",
            "https:///{cep}",
            "https://cep.example.com/ {cep}",
        ] {
            assert_eq!(problems(url).len(), 1, "{url}");
        }
    }
}
