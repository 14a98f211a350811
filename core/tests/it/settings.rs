//! `.env.example` against the settings themselves.

use std::collections::BTreeSet;

use bipe_core::config::Config;
use clap::Args;

const EXAMPLE: &str = include_str!("../../../.env.example");
/// Read by `bipe sandbox` alone.
const OF_THE_SANDBOX: [&str; 2] = ["BIPE_SANDBOX_BIND", "BIPE_SANDBOX_WEBHOOK_URL"];

#[test]
fn the_example_names_every_setting_and_no_other() {
    let command = Config::augment_args(clap::Command::new("bipe"));
    let mut settings: BTreeSet<_> = command
        .get_arguments()
        .filter_map(|argument| argument.get_env())
        .map(|name| name.to_str().unwrap().to_owned())
        .collect();
    settings.extend(OF_THE_SANDBOX.map(str::to_owned));
    // Everything is commented out, so that a copy changes nothing.
    let named: BTreeSet<_> = EXAMPLE
        .lines()
        .filter_map(|line| line.strip_prefix("# ")?.split_once('='))
        .map(|(name, _)| name.to_owned())
        .filter(|name| name.chars().all(|c| c.is_ascii_uppercase() || c == '_'))
        .collect();
    assert_eq!(named, settings);
}
