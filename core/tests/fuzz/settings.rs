//! The settings: whatever they are, `check` answers the same each time and repeats no secret.

use bipe_core::config::network::{Network, host_of, is_own_name};
use bipe_core::config::{Config, is_this_machine};
use bipe_simulator::for_each_text;
use clap::Parser;

#[derive(Parser)]
struct Flags {
    #[command(flatten)]
    config: Config,
}

/// Stands in these settings alone.
const SECRET: &str = "Segr3d0";
const SECRETS: [&str; 10] = [
    "--database-url=",
    "--database-read-url=",
    "--database-migration-url=",
    "--secret=",
    "--admin-password=",
    "--stripe-secret-key=",
    "--stripe-webhook-secret=",
    "--smtp-url=",
    "--nats-url=",
    "--metrics-token=",
];

const LINES: &[&str] = &[
    "--env=production\n",
    "--public-url=https://bipe.example.com\n",
    "--public-url=",
    "--allowed-origins=https://a.example,http://localhost:5173\n",
    "--allowed-origins=",
    "--database-url=postgres://bipe:Segr3d0@db.example.com/bipe?sslmode=require\n",
    "--database-url=Segr3d0\n",
    "--database-read-url=postgres://bipe:Segr3d0@127.0.0.1:5433,localhost/bipe\n",
    "--database-migration-url=host=x password='Segr3d0\n",
    "--secret=Segr3d0,Segr3d0\n",
    "--secret=Segr3d0Segr3d0Segr3d0Segr3d0Segr3d0\n",
    "--admin-email=admin@example.com\n--admin-password=Segr3d0\n",
    "--stripe-secret-key=sk_live_Segr3d0\n",
    "--stripe-webhook-secret=Segr3d0,\n",
    "--stripe-api-base=http://127.0.0.1:1/\n",
    "--smtp-url=smtps://u:Segr3d0@mail.example.com\n",
    "--nats-url=tls://u:Segr3d0@a:4222,nats://b\n",
    "--metrics-token=Segr3d0\n",
    "--cep-url=https://cep.example.com/{cep}\n",
    "--trusted-proxies=10.0.0.0/8,::1,::ffff:10.0.0.0/104\n",
    "--trusted-proxies=",
    "--security-contact=",
    "--legal-tax-id=",
    "--mail-from=Bipe <a@example.com>\n",
    "https://",
    "http://",
    "://",
    "@",
    "/",
    ":",
    "[",
    "]",
    "*",
    "?",
    "#",
    ",",
    " ",
    "\t",
    "\u{0}",
    "\u{e9}",
    "\u{202e}",
    "{cep}",
    "\n",
    "localhost",
    "127.0.0.1",
    "::1",
    "0.0.0.0/0",
    "a.example",
];

#[test]
fn no_problem_repeats_a_secret_and_an_accepted_origin_is_one() {
    for_each_text!("settings", LINES, |text: &str| {
        let may_hold = |line: &str| SECRETS.iter().any(|secret| line.starts_with(secret));
        let flags = text.lines().filter(|line| line.starts_with("--"));
        let flags = flags.filter(|line| !line.contains(SECRET) || may_hold(line));
        let Ok(Flags { config }) = Flags::try_parse_from(["bipe"].into_iter().chain(flags)) else {
            return;
        };
        let checked = config.check();
        assert_eq!(checked, config.check());
        if let Err(problems) = &checked {
            assert!(!problems.is_empty());
            for problem in problems {
                assert!(!problem.contains(SECRET), "{problem}");
            }
            return;
        }
        for origin in config.origins() {
            let host = origin.strip_prefix("https://").or(origin.strip_prefix("http://"));
            let host = host.unwrap_or_default();
            assert!(!host.is_empty() && !host.contains(['/', '*', '?', '#', '@']), "{origin:?}");
            assert!(host.bytes().all(|byte| byte.is_ascii_graphic()), "{origin:?}");
        }
        let name = config.installation();
        assert!(name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-'), "{name:?}");
        let contact = config.security_contact().unwrap_or_default();
        assert!(contact.bytes().all(|byte| byte.is_ascii_graphic()), "{contact:?}");
    });
}

#[test]
fn a_network_holds_its_own_address_and_a_host_is_a_part_of_its_url() {
    for_each_text!("networks", LINES, |text: &str| {
        if let Some(network) = Network::parse(text) {
            let address = text.trim().split('/').next().unwrap_or_default();
            assert!(network.contains(address.parse().unwrap()), "{text:?}");
        }
        if let Some(host) = host_of(text) {
            assert!(text.contains(host) && !host.contains(['/', '?', '#', '@']), "{host:?}");
            let here = "127.0.0.1".parse().unwrap();
            assert!(!is_this_machine(host) || is_own_name(host, here), "{host:?}");
        }
    });
}
