//! The settings, read from flags, the environment and `.env`; nothing else reads them (docs/operations.md, "Settings").
//!
//! `Config::check` reports every problem at once. Nothing starts in production with a missing or default secret.

mod bus;
mod database;
mod development;
mod legal;
mod lookup;
mod mail;
pub mod network;
mod production;
pub mod sources;
mod stripe;
mod traces;

use std::convert::Infallible;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

pub use network::{Network, is_own_name, is_this_machine};
use network::{as_sent, host_of, is_origin};
pub use traces::{Sampler, Traces};

use crate::db::PoolSize;
use crate::secret::Secret;
use crate::user::Email;

/// Shortest `BIPE_SECRET`, in bytes.
const MIN_SECRET: usize = 32;
/// Most secrets side by side.
const MAX_SECRETS: usize = 4;
/// Most addresses or networks in a list.
const MAX_LIST: usize = 64;
/// The platform administrator of a development without settings; `check` refuses the password in production.
pub const DEMO_ADMIN_EMAIL: &str = "admin@bipe.localhost";
pub const DEMO_ADMIN_PASSWORD: &str = "Bipe#Demo2026";
pub const SANDBOX_SECRET_KEY: &str = "sk_test_sandbox";
pub const SANDBOX_PUBLISHABLE_KEY: &str = "pk_test_sandbox";

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Environment {
    Development,
    Production,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum RateLimits {
    Strict,
    /// A thousand times the strict ones, for load tests.
    Relaxed,
}

impl RateLimits {
    /// Every limit is multiplied by it.
    pub fn factor(self) -> u32 {
        match self {
            RateLimits::Strict => 1,
            RateLimits::Relaxed => 1_000,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    Pretty,
    Json,
}

#[derive(Clone, Debug, Args)]
pub struct Config {
    /// development or production
    #[arg(long = "env", env = "BIPE_ENV", value_enum, default_value = "development")]
    pub environment: Environment,
    /// Address and port to listen on
    #[arg(long, env = "BIPE_BIND", default_value = "127.0.0.1:8080", value_parser = sources::bind_address)]
    pub bind: SocketAddr,
    /// The address that people type; passkeys belong to its domain; default: http:// and the bind address
    #[arg(long, env = "BIPE_PUBLIC_URL")]
    pub public_url: Option<String>,
    /// Origins that a browser may call from, comma-separated; default: the public URL; in development also the bind
    /// address and the Vite server
    #[arg(long, env = "BIPE_ALLOWED_ORIGINS", value_delimiter = ',', value_parser = trimmed)]
    pub allowed_origins: Vec<String>,
    /// Folder of the embedded database, the sandbox, the development secret and erasures.log
    #[arg(long, env = "BIPE_DATA_DIR", default_value = ".bipe")]
    pub data_dir: PathBuf,
    /// Your PostgreSQL, 15 or later, instead of the embedded one
    #[arg(long, env = "DATABASE_URL")]
    pub database_url: Option<Secret>,
    /// The login that owns the schema and migrates it, where DATABASE_URL only serves or leads through a pooler
    #[arg(long, env = "DATABASE_MIGRATION_URL")]
    pub database_migration_url: Option<Secret>,
    /// A replica of the database, for the figures, files and searches of platform admins
    #[arg(long, env = "DATABASE_READ_URL")]
    pub database_read_url: Option<Secret>,
    /// Connections of this node to the database
    #[arg(long, env = "BIPE_DB_POOL", default_value = "22",
        value_parser = clap::value_parser!(u16).range(PoolSize::MIN..=PoolSize::MAX))]
    pub db_pool: u16,
    /// PEM file with further authorities for the certificate of a database on another machine
    #[arg(long, env = "BIPE_DATABASE_CA")]
    pub database_ca: Option<PathBuf>,
    /// Folder with other binaries for the embedded database
    #[arg(long, env = "BIPE_PG_BIN")]
    pub pg_bin: Option<PathBuf>,
    /// Root secret, 32 bytes or more; several while one replaces another, comma-separated, newest first; development
    /// makes one
    #[arg(long, env = "BIPE_SECRET")]
    pub secret: Option<Secret>,
    /// E-mail of the first platform admin, created if there is none
    #[arg(long, env = "BIPE_ADMIN_EMAIL")]
    pub admin_email: Option<String>,
    /// Password of the first platform admin
    #[arg(long, env = "BIPE_ADMIN_PASSWORD")]
    pub admin_password: Option<Secret>,
    /// Stripe's secret key; without keys the built-in sandbox answers
    #[arg(long, env = "STRIPE_SECRET_KEY")]
    pub stripe_secret_key: Option<Secret>,
    /// Stripe's publishable key
    #[arg(long, env = "STRIPE_PUBLISHABLE_KEY", value_parser = trimmed)]
    pub stripe_publishable_key: Option<String>,
    /// Secret that signs Stripe's webhooks; several while one replaces another, comma-separated
    #[arg(long, env = "STRIPE_WEBHOOK_SECRET", value_delimiter = ',', value_parser = trimmed_secret)]
    pub stripe_webhook_secret: Vec<Secret>,
    /// Another server with Stripe's API, such as `bipe sandbox`
    #[arg(long, env = "STRIPE_API_BASE")]
    pub stripe_api_base: Option<String>,
    /// Mail server, such as smtps://user:password@host; without it, mail stays in the local mailbox
    #[arg(long, env = "SMTP_URL")]
    pub smtp_url: Option<Secret>,
    /// Sender of all mail
    #[arg(long, env = "MAIL_FROM", default_value = "Bipe <nao-responda@bipe.localhost>")]
    pub mail_from: String,
    /// NATS between several nodes, such as tls://user:password@host:4222; several servers with commas
    #[arg(long, env = "NATS_URL")]
    pub nats_url: Option<Secret>,
    /// File with the credentials of a NATS account
    #[arg(long, env = "NATS_CREDENTIALS")]
    pub nats_credentials: Option<PathBuf>,
    /// PEM file with the authorities of the NATS servers' certificates; default: those of the system
    #[arg(long, env = "NATS_CA")]
    pub nats_ca: Option<PathBuf>,
    /// strict, or relaxed (a thousand times as much, for load tests; refused in production)
    #[arg(long, env = "BIPE_RATE_LIMITS", value_enum, default_value = "strict")]
    pub rate_limits: RateLimits,
    /// pretty or json
    #[arg(long, env = "LOG_FORMAT", value_enum, default_value = "pretty")]
    pub log_format: LogFormat,
    /// What to log, such as info or bipe_http=debug
    #[arg(long, env = "RUST_LOG", default_value = "info")]
    pub rust_log: String,
    /// Web workers; default: one per core
    #[arg(long, env = "BIPE_WORKERS", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub workers: Option<u16>,
    /// Seconds between the announcement of a shutdown and its beginning, for the proxy to notice; default: 6 in
    /// production, 0 in development
    #[arg(long, env = "BIPE_DRAIN_DELAY", value_parser = clap::value_parser!(u8).range(0..=60))]
    pub drain_delay: Option<u8>,
    /// Seconds that a connection without a request is kept: longer than the proxy keeps one
    #[arg(long, env = "BIPE_KEEP_ALIVE", default_value = "15",
        value_parser = clap::value_parser!(u16).range(5..=900))]
    pub keep_alive: u16,
    /// Minimum age of a person, in years
    #[arg(long, env = "MIN_AGE", default_value = "18", value_parser = clap::value_parser!(u8).range(0..=120))]
    pub min_age: u8,
    /// Address of the sales team
    #[arg(long, env = "SALES_EMAIL", default_value = "comercial@bipe.com.br")]
    pub sales_email: String,
    /// Where to report a vulnerability: an e-mail address or https://; default: SALES_EMAIL
    #[arg(long, env = "BIPE_SECURITY_CONTACT")]
    pub security_contact: Option<String>,
    /// The company that offers Bipe, on receipts and legal pages: its legal name
    #[arg(long, env = "BIPE_LEGAL_NAME")]
    pub legal_name: Option<String>,
    /// CNPJ or CPF of that company; each one counts its own documents
    #[arg(long, env = "BIPE_LEGAL_TAX_ID")]
    pub legal_tax_id: Option<String>,
    /// Address of that company, in one line
    #[arg(long, env = "BIPE_LEGAL_ADDRESS")]
    pub legal_address: Option<String>,
    /// Where people get help, on receipts too; default: SALES_EMAIL
    #[arg(long, env = "BIPE_LEGAL_EMAIL")]
    pub legal_email: Option<String>,
    /// Reverse proxies whose X-Forwarded-For counts: addresses or CIDRs, comma-separated
    #[arg(long, env = "BIPE_TRUSTED_PROXIES", value_delimiter = ',')]
    pub trusted_proxies: Vec<String>,
    /// Where the address of a postal code is looked up, with {cep} for its digits; empty: nowhere
    #[arg(long, env = "BIPE_CEP_URL", default_value = "https://viacep.com.br/ws/{cep}/json/")]
    pub cep_url: String,
    /// Lets a caller from another machine read /metrics
    #[arg(long, env = "BIPE_METRICS_TOKEN")]
    pub metrics_token: Option<Secret>,
    #[command(flatten)]
    pub traces: Traces,
}

impl Config {
    pub fn is_production(&self) -> bool {
        self.environment == Environment::Production
    }

    /// From the announcement of a shutdown to its beginning.
    pub fn drain_delay(&self) -> Duration {
        let seconds = self.drain_delay.unwrap_or(if self.is_production() { 6 } else { 0 });
        Duration::from_secs(seconds.into())
    }

    /// What all nodes of this installation call it on the bus: the host of their address, as one word.
    pub fn installation(&self) -> String {
        let url = self.public_url();
        let host = host_of(&url).unwrap_or_default();
        host.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect()
    }

    /// The address in links, as a browser sends it: without a slash at the end.
    pub fn public_url(&self) -> String {
        match &self.public_url {
            Some(url) => as_sent(url),
            None => as_sent(&format!("http://{}", self.bind)),
        }
    }

    /// Exact origins that a browser may call from.
    pub fn origins(&self) -> Vec<String> {
        if !self.allowed_origins.is_empty() {
            return self.allowed_origins.iter().map(|origin| as_sent(origin)).collect();
        }
        let mut origins = vec![self.public_url()];
        if !self.is_production() {
            let port = self.bind.port();
            origins.push(as_sent(&format!("http://{}", self.bind)));
            origins.push(as_sent(&format!("http://localhost:{port}")));
            origins.push("http://localhost:5173".into());
            origins.push("http://127.0.0.1:5173".into());
        }
        origins
    }

    /// The contact of `security.txt`, a URI (RFC 9116); none when the setting is neither of what it takes.
    pub fn security_contact(&self) -> Option<String> {
        let contact = self.security_contact.as_ref().unwrap_or(&self.sales_email);
        if contact.starts_with("https://") && contact.bytes().all(|b| b.is_ascii_graphic()) {
            return Some(contact.clone());
        }
        let address = Email::parse(contact.strip_prefix("mailto:").unwrap_or(contact)).ok()?;
        address.as_str().is_ascii().then(|| format!("mailto:{}", address.as_str()))
    }

    /// How many connections this node holds.
    pub fn pool_size(&self) -> PoolSize {
        PoolSize::of(self.db_pool.into())
    }

    /// No Stripe keys, or the sandbox's own key: the browser shows the sandbox's form.
    pub fn is_sandbox(&self) -> bool {
        self.stripe_secret_key.as_ref().is_none_or(|key| key.expose() == SANDBOX_SECRET_KEY)
    }

    /// The sandbox runs inside this process, not behind `STRIPE_API_BASE`.
    pub fn has_own_sandbox(&self) -> bool {
        self.is_sandbox() && self.stripe_api_base.is_none()
    }

    /// What works, and should be set all the same; one line each.
    pub fn warnings(&self) -> Vec<String> {
        legal::warning(self).into_iter().chain(mail::warnings(self)).collect()
    }

    /// Every problem at once, one line each.
    ///
    /// # Errors
    /// The lines.
    pub fn check(&self) -> Result<(), Vec<String>> {
        let mut problems = match self.environment {
            Environment::Development => development::problems(self),
            Environment::Production => production::problems(self),
        };
        let secrets: Vec<Secret> = self.secret.iter().flat_map(Secret::several).collect();
        if secrets.iter().any(|secret| secret.expose().len() < MIN_SECRET) {
            problems.push(format!(
                "BIPE_SECRET needs at least {MIN_SECRET} bytes, in each of its parts: a comma separates secrets"
            ));
        }
        if secrets.len() > MAX_SECRETS {
            problems.push(format!("BIPE_SECRET holds at most {MAX_SECRETS} secrets"));
        }
        problems.extend(database::problems(self));
        if self.origins().iter().any(|origin| !is_origin(origin)) {
            problems.push(
                "BIPE_ALLOWED_ORIGINS and BIPE_PUBLIC_URL take http(s)://host[:port], no * and no path".into(),
            );
        }
        if self.admin_email.as_ref().is_some_and(|email| Email::parse(email).is_err()) {
            problems.push("BIPE_ADMIN_EMAIL is no e-mail address".into());
        }
        if self.admin_email.is_some() != self.admin_password.is_some() {
            problems.push("BIPE_ADMIN_EMAIL and BIPE_ADMIN_PASSWORD go together".into());
        }
        if self.security_contact.is_some() && self.security_contact().is_none() {
            problems.push("BIPE_SECURITY_CONTACT takes an e-mail address or https://".into());
        }
        problems.extend(stripe::problems(self));
        if self.trusted_proxies.len() > MAX_LIST || self.allowed_origins.len() > MAX_LIST {
            problems.push(format!(
                "BIPE_TRUSTED_PROXIES and BIPE_ALLOWED_ORIGINS hold at most {MAX_LIST}"
            ));
        }
        problems.extend(mail::problems(self));
        problems.extend(legal::problems(self));
        problems.extend(lookup::problems(self));
        problems.extend(bus::problems(self));
        problems.extend(traces::problems(&self.traces));
        for proxy in &self.trusted_proxies {
            if Network::parse(proxy).is_none() {
                problems.push(format!(
                    "BIPE_TRUSTED_PROXIES: {proxy} is neither an address nor a CIDR"
                ));
            }
        }
        if problems.is_empty() { Ok(()) } else { Err(problems) }
    }
}

/// The value without what surrounds it: the space behind a comma, the end of a line.
fn trimmed(text: &str) -> Result<String, Infallible> {
    Ok(text.trim().to_owned())
}

fn trimmed_secret(text: &str) -> Result<Secret, Infallible> {
    Ok(Secret::new(text.trim().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::MIN_SECRET;
    use crate::testing::config;

    #[test]
    fn development_starts_with_nothing_set() {
        let config = config(&[]);
        assert_eq!(config.check(), Ok(()));
        assert!(config.has_own_sandbox());
        assert_eq!(config.public_url(), "http://127.0.0.1:8080");
    }

    #[test]
    fn a_security_contact_is_an_address_or_a_page() {
        let contact = |flag: &str| config(&["--security-contact", flag]).security_contact();
        let ana = Some("mailto:ana@example.com".to_owned());
        assert_eq!(contact("ana@example.com"), ana);
        assert_eq!(contact("mailto:ana@example.com"), ana);
        assert_eq!(contact("https://a.example/x").unwrap(), "https://a.example/x");
        for wrong in ["", "ana", "http://a.example", "https://a.example\nContact: eve"] {
            assert_eq!(contact(wrong), None, "{wrong:?}");
            assert_eq!(config(&["--security-contact", wrong]).check().unwrap_err().len(), 1);
        }
    }

    #[test]
    fn several_secrets_are_each_long_enough_and_at_most_four() {
        let problems =
            |secret: &str| config(&["--secret", secret]).check().err().unwrap_or_default();
        let long = "s".repeat(MIN_SECRET);
        assert!(problems(&format!("{long},{long}, {long},{long}")).is_empty());
        assert_eq!(problems(&[long.as_str(); 5].join(",")).len(), 1);
        // Before several were possible a comma was a letter like any other: it is not taken for two secrets unseen.
        for text in [format!("{long},"), format!("{long},short"), format!(",{long}")] {
            assert!(problems(&text)[0].contains("a comma separates"), "{text}");
        }
    }

    #[test]
    fn an_address_that_nothing_can_be_made_of_is_named() {
        let problems = |flags: &[&str]| config(flags).check().unwrap_err().join("\n");
        let admin = ["--admin-email", "garbage", "--admin-password", "Kd7#mula-verde"];
        assert_eq!(problems(&admin), "BIPE_ADMIN_EMAIL is no e-mail address");
        assert!(problems(&["--allowed-origins", "https://\"x"]).contains("BIPE_ALLOWED_ORIGINS"));
    }

    #[test]
    fn each_origin_stands_alone() {
        let config = config(&["--allowed-origins", "https://a.example, https://b.example"]);
        assert_eq!(config.check(), Ok(()));
        assert_eq!(config.origins(), ["https://a.example", "https://b.example"]);
    }

    #[test]
    fn a_wildcard_origin_and_a_short_secret_are_refused() {
        let problems =
            config(&["--allowed-origins", "*", "--secret", "short"]).check().unwrap_err();
        assert_eq!(problems.len(), 2);
    }
}
