//! Settings for tests, read from flags as `bipe serve` reads them.

use clap::Parser;

use crate::config::Config;

#[derive(Parser)]
struct Flags {
    #[command(flatten)]
    config: Config,
}

pub fn config(flags: &[&str]) -> Config {
    Flags::parse_from([&["bipe"], flags].concat()).config
}
