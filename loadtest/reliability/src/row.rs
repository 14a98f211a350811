//! What a row of the suite is: a promise, the calls that try it, and how much must have been tried.

/// A test program of this repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Suite {
    Core,
    Money,
    Actors,
    ActorsLib,
    CoreLib,
    Http,
    CoreFuzz,
    HttpFuzz,
}

impl Suite {
    /// The folder of its package, and the name of its target.
    pub fn place(self) -> (&'static str, &'static str) {
        match self {
            Self::Core => ("core", "it"),
            Self::Money => ("core", "money"),
            Self::CoreLib => ("core", "bipe_core"),
            Self::Actors => ("actors", "it"),
            Self::ActorsLib => ("actors", "bipe_actors"),
            Self::Http => ("http", "it"),
            Self::CoreFuzz => ("core", "fuzz"),
            Self::HttpFuzz => ("http", "fuzz"),
        }
    }

    /// Its folder in the repository, for people.
    pub fn sources(self) -> &'static str {
        match self {
            Self::Core => "core/tests/it/",
            Self::Money => "core/tests/money/",
            Self::CoreLib => "core/src/",
            Self::Actors => "actors/tests/it/",
            Self::ActorsLib => "actors/src/",
            Self::Http => "http/tests/it/",
            Self::CoreFuzz => "core/tests/fuzz/",
            Self::HttpFuzz => "http/tests/fuzz/",
        }
    }
}

/// What a row runs. Each is a process of its own.
#[derive(Clone, Copy, Debug)]
pub enum Call {
    /// The tests of a program whose path contains one of the words. Prints `tests`, besides what the tests print.
    Tests(Suite, &'static [&'static str]),
    /// A driver of this program.
    Drive(&'static [&'static str]),
    /// `bipe-nodes short` with these tests.
    Nodes(&'static [&'static str]),
    /// A mode of `bipe-swarm`.
    Swarm(&'static [&'static str]),
    /// schemathesis: the short form, in a long run the full one.
    Contract,
    /// Files of the web app's unit tests.
    Web(&'static [&'static str]),
}

/// How much the calls of a row try: its name in the environment, for the short run, and for a run of two hours.
pub type Count = (&'static str, u64, u64);

/// Hours of the long run for which the table's long counts and floors stand; others take their share.
const HOURS: u64 = 2;

#[derive(Clone, Copy, Debug)]
pub struct Row {
    pub id: &'static str,
    pub promise: &'static str,
    pub calls: &'static [Call],
    /// At least so much of each figure.
    pub floors: &'static [Floor],
    pub counts: &'static [Count],
    /// What the floors become in a run of two hours.
    pub long_floors: &'static [Floor],
    /// Of the short run only when it is named.
    pub is_long_only: bool,
}

/// A figure, and the least that a row has to reach.
pub type Floor = (&'static str, u64);

impl Row {
    /// The counts of a run of so many hours; 0 is the short run.
    pub fn counts(&self, hours: u64) -> impl Iterator<Item = (&'static str, u64)> {
        self.counts.iter().map(move |(name, short, long)| (*name, share(*short, *long, hours)))
    }

    pub fn floors(&self, hours: u64) -> Vec<Floor> {
        let long = |wanted: &str| self.long_floors.iter().find(|(name, _)| *name == wanted);
        let floor = |(name, short): &Floor| {
            (*name, share(*short, long(name).map_or(*short, |(_, long)| *long), hours))
        };
        self.floors.iter().map(floor).collect()
    }
}

/// Never less than in the short run.
fn share(short: u64, long: u64, hours: u64) -> u64 {
    short.max(long * hours / HOURS)
}

impl Call {
    /// Where the test stands, for the page.
    pub fn path(&self) -> String {
        let several = |folder: &str, names: &[&str]| {
            let names = names.iter().map(|name| name.trim_end_matches("::"));
            let mut files: Vec<String> = names.map(|name| file(folder, name)).collect();
            files.dedup();
            files.join(", ")
        };
        match self {
            Self::Tests(suite, names) => several(suite.sources(), names),
            Self::Drive(words) => {
                let name = words.first().copied().unwrap_or_default();
                format!("`loadtest/reliability/src/driver/{name}.rs`")
            }
            Self::Nodes(names) => several("loadtest/nodes/src/tests/", names),
            Self::Swarm(words) => {
                let name = words.first().copied().unwrap_or_default();
                format!("`loadtest/swarm/src/modes/{name}.rs`")
            }
            Self::Contract => "`loadtest/contract/run.py`".to_owned(),
            Self::Web(files) => {
                files.iter().map(|file| format!("`web/{file}`")).collect::<Vec<_>>().join(", ")
            }
        }
    }
}

/// The file or folder of a test's path, as far as it is there.
fn file(folder: &str, name: &str) -> String {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut parts: Vec<&str> = name.split("::").collect();
    while !parts.is_empty() {
        let path = format!("{folder}{}", parts.join("/"));
        for (end, is_there) in
            [(".rs", root.join(format!("{path}.rs")).is_file()), ("/", root.join(&path).is_dir())]
        {
            if is_there {
                return format!("`{path}{end}`");
            }
        }
        parts.pop();
    }
    format!("`{folder}`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_longer_run_tries_more_and_never_less_than_the_short_one() {
        let row = Row {
            id: "R0",
            promise: "",
            calls: &[],
            floors: &[("kills", 20), ("tests", 3)],
            counts: &[("BIPE_DISTURBANCES", 20, 500)],
            long_floors: &[("kills", 500)],
            is_long_only: false,
        };
        let counts = |hours| row.counts(hours).map(|(_, count)| count).collect::<Vec<_>>();
        assert_eq!([counts(0), counts(1), counts(2), counts(4)], [[20], [250], [500], [1_000]]);
        assert_eq!(row.floors(0), row.floors);
        assert_eq!(row.floors(2), [("kills", 500), ("tests", 3)]);
    }
}
