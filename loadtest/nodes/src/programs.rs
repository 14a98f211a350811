//! The programs that nodes are used with: where they are, and what to install where they are not.

use std::path::{Path, PathBuf};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Program {
    Haproxy,
    Pgbouncer,
    /// The version that `.ci/python` installs.
    Nats,
    /// The system's.
    SystemNats,
    /// `postgres`, `initdb`, `pg_ctl`, `pg_basebackup`, in one directory.
    Postgres,
    K6,
}

const ALL: [Program; 6] = [
    Program::Haproxy,
    Program::Pgbouncer,
    Program::Nats,
    Program::SystemNats,
    Program::Postgres,
    Program::K6,
];

impl Program {
    fn install(self) -> &'static str {
        match self {
            Self::Haproxy => "HAProxy: apt install haproxy",
            Self::Pgbouncer => "PgBouncer: apt install pgbouncer",
            Self::Nats => "NATS: .ci/python",
            Self::SystemNats => "a second version of NATS: apt install nats-server",
            Self::Postgres => "PostgreSQL with its tools: apt install postgresql",
            Self::K6 => "k6: .ci/python",
        }
    }

    /// Where it may be, the best place first.
    fn places(self, root: &Path) -> Vec<PathBuf> {
        let of_system = |name: &str| -> Vec<PathBuf> {
            ["/usr/sbin", "/usr/bin", "/usr/local/sbin", "/usr/local/bin"]
                .map(|folder| Path::new(folder).join(name))
                .to_vec()
        };
        match self {
            Self::Haproxy => of_system("haproxy"),
            Self::Pgbouncer => of_system("pgbouncer"),
            Self::SystemNats => of_system("nats-server"),
            Self::Nats => vec![root.join(".tools/python/bin/nats-server")],
            Self::K6 => vec![root.join(".tools/python/bin/k6")],
            Self::Postgres => (15..=18)
                .rev()
                .map(|major| format!("/usr/lib/postgresql/{major}/bin/pg_basebackup").into())
                .collect(),
        }
    }
}

/// What of it this machine has.
pub struct Programs(pub Vec<(Program, PathBuf)>);

impl Programs {
    /// `root` is the checkout, whose `.tools` holds some of them.
    pub fn find(root: &Path) -> Self {
        let found = |program: Program| {
            let place = program.places(root).into_iter().find(|path| path.is_file())?;
            Some((program, place))
        };
        Self(ALL.into_iter().filter_map(found).collect())
    }

    /// The program's file.
    pub fn path(&self, wanted: Program) -> Result<&Path, String> {
        let found = self.0.iter().find(|(program, _)| *program == wanted);
        found.map(|(_, path)| path.as_path()).ok_or_else(|| format!("needs {}", wanted.install()))
    }

    /// What to install for these, as one line.
    pub fn missing(&self, needs: &[Program]) -> Option<String> {
        let missing: Vec<&str> = needs
            .iter()
            .filter(|need| self.path(**need).is_err())
            .map(|need| need.install())
            .collect();
        (!missing.is_empty()).then(|| format!("needs {}", missing.join(", ")))
    }
}
