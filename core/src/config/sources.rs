//! Where settings come from beside the flags: the environment, and secrets from files. Each setting of the type
//! `Secret` may stand in a file of its name in `$CREDENTIALS_DIRECTORY`, which systemd sets for `LoadCredential` and a
//! container for its secrets. A flag, the environment and `.env` win over the file. Called by the command line before
//! the settings are read.

use std::any::TypeId;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use clap::builder::{
    MapValueParser, Resettable, StringValueParser, TypedValueParser, ValueParserFactory,
};
use clap::{Arg, Command};

use crate::secret::Secret;

/// Where a server listens.
///
/// # Errors
/// The form that an address has.
pub fn bind_address(text: &str) -> Result<SocketAddr, &'static str> {
    text.parse().map_err(|_no_address| {
        "take the number of an address, and a port: 127.0.0.1:8080, 0.0.0.0:8080, [::]:8080"
    })
}

/// Longer than any secret.
const LONGEST: u64 = 64 * 1024;

/// The folder that the environment names.
#[expect(clippy::disallowed_methods, reason = "it is needed to read the settings")]
pub fn folder() -> Option<PathBuf> {
    std::env::var_os("CREDENTIALS_DIRECTORY").filter(|path| !path.is_empty()).map(PathBuf::from)
}

/// The command line with the right sources behind its flags: the environment, and for secrets the files of the folder.
/// Help shows no secret of the environment. A variable without content counts as not set, as compose leaves it, where
/// the setting has no default to turn off.
///
/// # Errors
/// One sentence for the first file that is there and cannot be used.
pub fn apply(command: Command, folder: Option<&Path>) -> Result<Command, String> {
    let mut problem = None;
    let command = each_argument(command, &mut |argument| {
        let Some(name) = argument.get_env() else { return argument };
        // An error names the setting, too.
        let setting = name.to_string_lossy().into_owned();
        let is_blank = argument.get_default_values().is_empty() && is_empty(name);
        let is_secret = argument.get_value_parser().type_id() == TypeId::of::<Secret>();
        let folder = folder.filter(|_| is_secret);
        let file = folder.map(|folder| read(folder, name));
        let argument = if is_blank { argument.env(Resettable::Reset) } else { argument };
        let argument = argument.value_name(setting).hide_env_values(is_secret);
        match file {
            Some(Ok(Some(text))) => argument.default_value(text).hide_default_value(true),
            Some(Err(error)) => {
                problem.get_or_insert(error);
                argument
            }
            Some(Ok(None)) | None => argument,
        }
    });
    problem.map_or(Ok(command), Err)
}

/// A secret of a cluster often brings the end of the line that it was made from, in a variable as in a file.
impl ValueParserFactory for Secret {
    type Parser = MapValueParser<StringValueParser, fn(String) -> Self>;

    fn value_parser() -> Self::Parser {
        StringValueParser::new().map(|text| Self::new(without_line_end(&text)))
    }
}

fn without_line_end(text: &str) -> &str {
    text.trim_end_matches(['\r', '\n'])
}

#[expect(clippy::disallowed_methods, reason = "it is needed to read the settings")]
fn is_empty(variable: &OsStr) -> bool {
    std::env::var_os(variable).is_some_and(|value| value.is_empty())
}

fn each_argument(command: Command, change: &mut dyn FnMut(Arg) -> Arg) -> Command {
    let names: Vec<String> =
        command.get_subcommands().map(|below| below.get_name().to_owned()).collect();
    let own = command.mut_args(&mut *change);
    names.iter().fold(own, |command, name| {
        command.mut_subcommand(name, |below| each_argument(below, change))
    })
}

/// The secret without the line's end; none where there is no such file.
fn read(folder: &Path, name: &OsStr) -> Result<Option<String>, String> {
    let path = folder.join(name);
    let wrong = |why: &str| format!("{}: {why}", path.display());
    let file = match File::open(&path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(wrong(&error.to_string())),
    };
    let mut text = String::new();
    let read = file.take(LONGEST + 1).read_to_string(&mut text);
    read.map_err(|error| wrong(&error.to_string()))?;
    let secret = without_line_end(&text);
    match secret.len() {
        0 => Err(wrong("it is empty")),
        _ if u64::try_from(text.len()).is_ok_and(|length| length > LONGEST) => {
            Err(wrong("it is longer than a secret may be"))
        }
        _ => Ok(Some(secret.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use clap::{Args, FromArgMatches};

    use super::*;
    use crate::clock::Clock;
    use crate::config::Config;

    struct Folder(PathBuf);

    impl Folder {
        fn of(files: &[(&str, &str)]) -> Self {
            let path =
                std::env::temp_dir().join(format!("bipe-secrets-{}", Clock::system().uuid()));
            std::fs::create_dir(&path).unwrap();
            for (name, text) in files {
                std::fs::write(path.join(name), text).unwrap();
            }
            Self(path)
        }

        fn settings(&self, flags: &[&str]) -> Result<Config, String> {
            let below = Config::augment_args(Command::new("serve"));
            let command = apply(Command::new("bipe").subcommand(below), Some(&self.0))?;
            let words = ["bipe", "serve"].iter().chain(flags);
            let found = command.get_matches_from(words);
            Ok(Config::from_arg_matches(found.subcommand().unwrap().1).unwrap())
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            drop(std::fs::remove_dir_all(&self.0));
        }
    }

    #[test]
    fn a_secret_stands_in_the_file_of_its_name() {
        let files = [
            ("BIPE_SECRET", "from a file\n"),
            ("STRIPE_WEBHOOK_SECRET", "new,old"),
            ("OTEL_EXPORTER_OTLP_HEADERS", "key=value"),
            ("OTHER", "x"),
        ];
        let settings = Folder::of(&files).settings(&[]).unwrap();
        assert_eq!(settings.secret.unwrap().expose(), "from a file");
        let webhooks: Vec<_> = settings.stripe_webhook_secret.iter().map(|s| s.expose()).collect();
        assert_eq!(webhooks, ["new", "old"]);
        assert_eq!(settings.traces.otlp_headers.unwrap().expose(), "key=value");
    }

    /// The variable of a flag is read in the same way.
    #[test]
    fn a_secret_outside_of_a_file_is_taken_without_the_end_of_its_line_as_well() {
        let text = |secret: Option<Secret>| secret.unwrap().expose().to_owned();
        let flags = [
            ("--metrics-token", "token\n"),
            ("--database-url", "postgres://localhost/bipe\r\n"),
            ("--admin-password", " Kd7#mula \n"),
            ("--stripe-publishable-key", "pk_test_1\n"),
        ];
        let settings = Folder::of(&[]).settings(&flags.map(|(flag, value)| [flag, value]).concat());
        let settings = settings.unwrap();
        assert_eq!(text(settings.metrics_token), "token");
        assert_eq!(text(settings.database_url), "postgres://localhost/bipe");
        assert_eq!(text(settings.admin_password), " Kd7#mula ", "a space may be meant");
        assert_eq!(settings.stripe_publishable_key.unwrap(), "pk_test_1");
    }

    #[test]
    fn help_shows_of_the_environment_what_is_no_secret() {
        let command = apply(Config::augment_args(Command::new("bipe")), None).unwrap();
        let is_hidden = |name: &str| {
            let mut all = command.get_arguments();
            let found = all.find(|argument| argument.get_env() == Some(OsStr::new(name)));
            found.unwrap().is_hide_env_values_set()
        };
        assert!(["BIPE_SECRET", "STRIPE_WEBHOOK_SECRET", "SMTP_URL"].into_iter().all(is_hidden));
        assert!(!is_hidden("BIPE_BIND"));
    }

    #[test]
    fn a_flag_wins_over_the_file_and_help_does_not_show_it() {
        let folder = Folder::of(&[("BIPE_SECRET", "from a file")]);
        let settings = folder.settings(&["--secret", "from a flag"]).unwrap();
        assert_eq!(settings.secret.unwrap().expose(), "from a flag");
        let command = apply(Config::augment_args(Command::new("bipe")), Some(&folder.0));
        let help = command.unwrap().render_long_help().to_string();
        assert!(help.contains("--secret") && !help.contains("from a file"));
    }

    #[test]
    fn an_address_that_is_none_hears_the_form_of_one() {
        for text in [":8080", "8080", "0.0.0.0", "localhost:8080"] {
            let problem = bind_address(text).unwrap_err();
            assert!(problem.contains("127.0.0.1:8080"), "{text}: {problem}");
        }
        assert_eq!(bind_address("[::]:8080").unwrap().port(), 8080);
    }

    #[test]
    fn what_is_no_secret_is_not_read() {
        let settings = Folder::of(&[("BIPE_BIND", "nonsense"), ("MIN_AGE", "x")]).settings(&[]);
        assert_eq!(settings.unwrap().min_age, 18);
    }

    #[test]
    fn a_file_that_cannot_be_used_is_named() {
        let long = "s".repeat(64 * 1024 + 1);
        for text in ["", "\n", long.as_str()] {
            let problem = Folder::of(&[("SMTP_URL", text)]).settings(&[]).unwrap_err();
            assert!(problem.contains("SMTP_URL: it is"), "{problem}");
        }
        let folder = Folder::of(&[]);
        std::fs::create_dir(folder.0.join("SMTP_URL")).unwrap();
        assert!(folder.settings(&[]).unwrap_err().contains("SMTP_URL"));
    }
}
