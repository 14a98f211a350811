//! The settings of the database; asked by `Config::check` alone.

use super::Config;
use crate::db::access::DatabaseLogins;

/// One line each; no line repeats a URL, which holds a password.
pub(super) fn problems(config: &Config) -> Vec<String> {
    let mut problems = DatabaseLogins::of_settings(config).err().unwrap_or_default();
    if config.database_url.is_none() {
        let beside = [
            (config.database_migration_url.is_some(), "DATABASE_MIGRATION_URL"),
            (config.database_read_url.is_some(), "DATABASE_READ_URL"),
            (config.database_ca.is_some(), "BIPE_DATABASE_CA"),
        ];
        let alone = beside.into_iter().filter_map(|(is_set, name)| is_set.then_some(name));
        problems.extend(alone.map(|name| format!("{name} needs DATABASE_URL beside it")));
    }
    problems
}

#[cfg(test)]
mod tests {
    use crate::testing::config;

    fn problems(args: &[&str]) -> Vec<String> {
        config(args).check().err().unwrap_or_default()
    }

    #[test]
    fn a_login_of_its_own_migrates() {
        let serves = ["--database-url", "postgres://bipe_app:pw@127.0.0.1:6432/bipe"];
        let owner = ["--database-migration-url", "postgres://bipe:pw@127.0.0.1/bipe"];
        assert_eq!(problems(&[serves, owner].concat()), Vec::<String>::new());
        let alone = problems(&owner);
        assert_eq!(alone, ["DATABASE_MIGRATION_URL needs DATABASE_URL beside it"]);
        let weak = "postgres://bipe:pw@db.example.com/bipe?sslmode=disable";
        let refused = problems(&[&serves[..], &["--database-migration-url", weak]].concat());
        assert!(
            refused.iter().any(|line| line.starts_with("DATABASE_MIGRATION_URL: sslmode=disable"))
        );
        assert!(refused.iter().all(|line| !line.contains("pw@")), "{refused:?}");
    }

    #[test]
    fn a_replica_is_reached_by_the_rules_of_the_database() {
        let serves = ["--database-url", "postgres://bipe_app:pw@127.0.0.1/bipe"];
        let with = |url: &str| problems(&[&serves[..], &["--database-read-url", url]].concat());
        assert_eq!(
            with("postgres://bipe_app:pw@127.0.0.1:5433,localhost/bipe"),
            Vec::<String>::new()
        );
        let alone = problems(&["--database-read-url", "postgres://bipe_app:pw@127.0.0.1/bipe"]);
        assert_eq!(alone, ["DATABASE_READ_URL needs DATABASE_URL beside it"]);
        assert_eq!(with("postgres//bipe"), ["DATABASE_READ_URL is not a PostgreSQL URL"]);
        let [weak, away] = ["?sslmode=disable", ""]
            .map(|end| with(&format!("postgres://bipe:pw@db.example.com/bipe{end}")));
        assert!(weak[0].starts_with("DATABASE_READ_URL: sslmode=disable is refused"), "{weak:?}");
        assert!(away[0].starts_with("DATABASE_READ_URL is on another machine"), "{away:?}");
        let refused = [weak, away].concat();
        assert!(refused.iter().all(|line| !line.contains("pw@")), "{refused:?}");
    }

    #[test]
    fn development_migrates_nothing_on_another_machine() {
        let url = "postgres://bipe:pw@db.example.com/bipe";
        let serves = ["--database-url", "postgres://bipe_app:pw@127.0.0.1/bipe"];
        let lines = problems(&[&serves[..], &["--database-migration-url", url]].concat());
        assert_eq!(lines.len(), 1, "{lines:?}");
        assert!(lines[0].starts_with("DATABASE_MIGRATION_URL is on another machine"), "{lines:?}");
    }
}
