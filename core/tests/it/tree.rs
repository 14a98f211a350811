//! The shape of the repository: who may import whom, how long a file gets, what only one place may do.

use std::fs;
use std::path::{Path, PathBuf};

/// A file with its path below the folder that was asked for.
pub struct Source {
    pub path: String,
    pub text: String,
}

pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// All files below a folder of the repository with this ending, without what is generated or fetched.
///
/// # Panics
/// When there is none: a test that looked at nothing proves nothing.
pub fn sources(folder: &str, ending: &str) -> Vec<Source> {
    let found = files(folder, ending);
    assert!(!found.is_empty(), "{folder} holds .{ending} files");
    found
}

/// The same where there may be none.
pub fn files(folder: &str, ending: &str) -> Vec<Source> {
    let base = root().join(folder);
    let mut found = Vec::new();
    let mut open = vec![base.clone()];
    while let Some(dir) = open.pop() {
        for entry in fs::read_dir(&dir).into_iter().flatten().flatten() {
            let path = entry.path();
            let name = entry.file_name();
            if path.is_dir() {
                if name != "node_modules" && name != "target" && name != "dist" {
                    open.push(path);
                }
            } else if path.extension().is_some_and(|end| end == ending) {
                let text = fs::read_to_string(&path).unwrap();
                let path = path.strip_prefix(&base).unwrap().to_str().unwrap().to_owned();
                found.push(Source { path, text });
            }
        }
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    found
}

/// Parts of core that serve tests or run a database server: they talk to PostgreSQL in their own ways.
pub fn testing(path: &str) -> bool {
    path == "testing.rs" || path.starts_with("testing/") || path.starts_with("embedded_postgres/")
}

fn rust() -> Vec<Source> {
    let mut all = Vec::new();
    for folder in ["core", "actors", "sandbox", "http", "loadtest"] {
        for Source { path, text } in sources(folder, "rs") {
            all.push(Source { path: format!("{folder}/{path}"), text });
        }
    }
    all
}

/// Lines of code that match, as `path:line: text`; comments are not code.
fn offenders(sources: &[Source], wrong: impl Fn(&str, &str) -> bool) -> Vec<String> {
    let mut found = Vec::new();
    for source in sources {
        for (number, line) in source.text.lines().enumerate() {
            let code = line.trim_start();
            if !code.starts_with("//") && wrong(&source.path, code) {
                found.push(format!("{}:{}: {code}", source.path, number + 1));
            }
        }
    }
    found
}

pub fn none(offenders: &[String], rule: &str) {
    assert!(offenders.is_empty(), "{rule}\n{}", offenders.join("\n"));
}

#[test]
fn files_stay_short() {
    let long = |files: Vec<Source>, limit: usize| -> Vec<String> {
        let lines = files.iter().map(|file| (file, file.text.lines().count()));
        let long = lines.filter(|(_, lines)| *lines > limit);
        long.map(|(file, lines)| format!("{}: {lines} lines", file.path)).collect()
    };
    none(&long(rust(), 400), "a Rust file has at most 400 lines");
    let mut screens = sources("web/src", "tsx");
    screens.retain(|file| !file.path.ends_with(".test.tsx"));
    none(&long(screens, 250), "a TSX file has at most 250 lines");
}

#[test]
fn every_module_says_what_it_owns() {
    let silent = rust()
        .into_iter()
        .filter(|file| file.path.contains("/src/") && !file.text.starts_with("//!"));
    let silent: Vec<String> = silent.map(|file| file.path).collect();
    none(&silent, "a module opens with a //! comment");
}

#[test]
fn no_file_is_named_after_nothing() {
    const EMPTY: [&str; 9] =
        ["utils", "helpers", "common", "types", "misc", "service", "manager", "repository", "dto"];
    let mut files = rust();
    files.extend(sources("web/src", "ts"));
    files.extend(sources("web/src", "tsx"));
    let vague = files.into_iter().map(|file| file.path).filter(|path| {
        let mut parts = path.split(['/', '.']);
        parts.any(|part| EMPTY.contains(&part))
    });
    none(&vague.collect::<Vec<_>>(), "a name says what the file holds");
}

#[test]
fn nouns_import_only_leftwards() {
    const LADDER: [&str; 6] = ["user", "company", "plan", "invoice", "subscription", "payment"];
    let wrong = |path: &str, code: &str| {
        let noun = path.split(['/', '.']).next().unwrap_or_default();
        let Some(rung) = LADDER.iter().position(|name| *name == noun) else { return false };
        LADDER.iter().skip(rung + 1).any(|later| {
            code.contains(&format!("crate::{later}::"))
                || code.contains(&format!("crate::{later};"))
        })
    };
    none(
        &offenders(&sources("core/src", "rs"), wrong),
        "user < company < plan < invoice < subscription < payment",
    );
}

#[test]
fn decisions_are_pure_and_stand_apart_from_sql() {
    const NOUNS: [&str; 5] = [
        "company/mod.rs",
        "plan/mod.rs",
        "invoice/mod.rs",
        "subscription/mod.rs",
        "payment/mod.rs",
    ];
    let wrong = |path: &str, code: &str| {
        NOUNS.contains(&path) && (code.contains(".await") || code.contains("async fn"))
    };
    none(&offenders(&sources("core/src", "rs"), wrong), "the mod.rs of a noun is pure");
}

#[test]
fn sql_lives_in_core_and_transactions_begin_in_one_place() {
    let sql = |_: &str, code: &str| {
        ["\"SELECT ", "\"INSERT INTO ", "\"UPDATE ", "\"DELETE FROM "]
            .iter()
            .any(|verb| code.contains(verb))
    };
    for package in ["actors/src", "sandbox/src", "http/src"] {
        none(&offenders(&sources(package, "rs"), sql), "no SQL outside core");
    }
    let raw = |path: &str, code: &str| {
        let own = path.starts_with("db/") || testing(path);
        !own && [
            "batch_execute(",
            "deadpool_postgres::Object",
            "tokio_postgres::Client",
            "\"SET ",
            "\"BEGIN",
        ]
        .iter()
        .any(|sign| code.contains(sign))
    };
    none(&offenders(&sources("core/src", "rs"), raw), "connections belong to core/src/db");
}

/// A connection whose reads were rolled back, or that ran statements of the jobs, is used again as it is.
#[test]
fn migrations_alone_take_locks_that_outlive_a_transaction_and_nothing_sets_a_session() {
    let stays = |path: &str, code: &str| {
        let signs = ["pg_advisory_lock", "pg_try_advisory_lock"];
        let locks = signs.iter().any(|sign| code.contains(sign));
        let sets = code.contains("set_config(") && !code.contains(", true)");
        (locks || sets) && path != "db/migrate.rs" && !testing(path)
    };
    none(&offenders(&sources("core/src", "rs"), stays), "a lock ends with its transaction");
}

#[test]
fn the_platforms_proof_comes_from_opening_the_database_alone() {
    let makes = |path: &str, code: &str| {
        let opens = code.contains("of_opened_database") && path != "core/src/db/mod.rs";
        let tests = code.contains("JobScope::of_test") && path.contains("/src/");
        let is_test = path.ends_with("/tests.rs");
        path != "core/src/scope/mod.rs" && (opens || tests) && !is_test
    };
    let mut code = rust();
    code.retain(|file| file.path != "core/tests/it/tree.rs");
    none(&offenders(&code, makes), "only Db::open makes a JobScope");
}

#[test]
fn foreign_crates_stay_in_their_corner() {
    let stripe = |path: &str, code: &str| {
        let code = code.trim_start_matches("pub ").trim_start_matches("use ");
        let foreign = code.starts_with("stripe::") || code.starts_with("stripe_");
        foreign && code.contains("::") && !path.starts_with("gateway/stripe")
    };
    let stripe = offenders(&sources("core/src", "rs"), stripe);
    none(&stripe, "only gateway/stripe.rs knows the provider's crates");
    let sockets =
        |path: &str, code: &str| code.contains("actix_web_actors") && !path.starts_with("live/");
    none(&offenders(&sources("http/src", "rs"), sockets), "actix-web-actors stays in live/");
}

#[test]
fn the_sandbox_takes_little_of_core() {
    const TAKES: [&str; 7] =
        ["brazil", "clock", "config", "gateway::webhook", "money", "private_file", "secret"];
    let wrong = |_: &str, code: &str| {
        let mut taken = code.split("bipe_core::").skip(1);
        taken.any(|path| {
            !TAKES.iter().any(|name| {
                path.starts_with(&format!("{name}::")) || path.starts_with(&format!("{name};"))
            })
        })
    };
    none(&offenders(&sources("sandbox/src", "rs"), wrong), "the sandbox knows nothing of Bipe");
}

/// Invariant I8. An accent gives a sentence away.
#[test]
fn portuguese_stands_in_files_that_say_so_and_in_few_others() {
    const ACCENTS: [char; 12] = ['á', 'à', 'â', 'ã', 'ç', 'é', 'ê', 'í', 'ó', 'ô', 'õ', 'ú'];
    const OTHERS: [&str; 7] = [
        "core/src/brazil/calendar.rs",
        "core/src/development/load.rs",
        "core/src/plan/catalogue.rs",
        "core/src/user/store.rs",
        "http/src/api/mailbox.rs",
        "http/src/seed/",
        "sandbox/src/pages.rs",
    ];
    let mut server = rust();
    server.retain(|Source { path, .. }| {
        let mut folders = ["core/src/", "actors/src/", "sandbox/src/", "http/src/"].into_iter();
        let is_test = path.ends_with("/tests.rs") || path.starts_with("core/src/testing");
        folders.any(|folder| path.starts_with(folder)) && !is_test && !path.contains("_pt_br")
    });
    for source in &mut server {
        if let Some(tests) = source.text.find("\n#[cfg(test)]\nmod tests {") {
            source.text.truncate(tests);
        }
    }
    let speaks = |_: &str, code: &str| code.contains(ACCENTS);
    for place in OTHERS {
        let (there, elsewhere): (Vec<_>, Vec<_>) =
            server.into_iter().partition(|source| source.path.starts_with(place));
        assert!(!offenders(&there, speaks).is_empty(), "{place} holds no Portuguese any more");
        server = elsewhere;
    }
    none(&offenders(&server, speaks), "the server sends codes, and no sentences");
}
