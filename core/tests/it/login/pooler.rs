//! PgBouncer between a node and its database: the program itself, in the modes that it has.

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::{MetadataExt, chown};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use bipe_core::Error;
use bipe_core::clock::Clock;
use bipe_core::db::access::{DatabaseLogins, Login};
use bipe_core::db::{Db, Tx, is_ready, migrate, start};
use bipe_core::id::{CompanyId, UserId};
use bipe_core::scope::JobScope;
use bipe_core::testing::TestDb;
use futures_util::stream::{self, StreamExt};
use tokio::runtime::Handle;
use tokio::time::{sleep, timeout};
use tokio_postgres::Client;

use super::{Postgres, login};
use crate::accounts::{Bench, PASSWORD};

const SHOWN: &str = "SELECT current_user::text, current_setting('statement_timeout'), current_setting('lock_timeout'), \
     current_setting('idle_in_transaction_session_timeout'), current_setting('TimeZone'), \
     current_setting('synchronous_commit')";
const EXPECTED: [&str; 6] = ["bipe_app", "5s", "2s", "10s", "UTC", "on"];

/// Debian's, and the one that `BIPE_TEST_PGBOUNCER` names.
#[expect(clippy::disallowed_methods, reason = "tests have no Config")]
fn programs() -> Vec<Program> {
    let given = std::env::var_os("BIPE_TEST_PGBOUNCER").map(PathBuf::from);
    let usual = Some(PathBuf::from("/usr/sbin/pgbouncer")).filter(|path| path.is_file());
    let found: Vec<_> = given.into_iter().chain(usual).map(Program::of).collect();
    if found.is_empty() {
        eprintln!("skipped: no PgBouncer, neither /usr/sbin/pgbouncer nor BIPE_TEST_PGBOUNCER");
    }
    found
}

struct Program {
    path: PathBuf,
    /// Since 1.21.
    carries_statements: bool,
}

impl Program {
    fn of(path: PathBuf) -> Self {
        let said = Command::new(&path).arg("--version").output().unwrap().stdout;
        let said = String::from_utf8(said).unwrap();
        let version = said.split_whitespace().nth(1).unwrap();
        let mut numbers = version.split('.').map(|number| number.parse::<u32>().unwrap());
        let version = (numbers.next().unwrap(), numbers.next().unwrap());
        eprintln!("PgBouncer {}.{}", version.0, version.1);
        Self { path, carries_statements: version >= (1, 21) }
    }
}

struct PgBouncer {
    child: Child,
    port: u16,
}

impl PgBouncer {
    /// `settings` are lines of its `[pgbouncer]` part.
    async fn start(program: &Program, postgres: &Postgres, settings: &str) -> Self {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let home = postgres.dir.join(format!("pgbouncer-{port}"));
        fs::create_dir(&home).unwrap();
        let users = home.join("users.txt");
        fs::write(&users, "\"bipe\" \"choose-one\"\n\"bipe_app\" \"pw\"\n").unwrap();
        let ini = home.join("pgbouncer.ini");
        let text = format!(
            "[databases]\n* = host=127.0.0.1 port={}\n[pgbouncer]\nlisten_addr = 127.0.0.1\n\
             listen_port = {port}\nunix_socket_dir =\nauth_type = scram-sha-256\nauth_file = {}\n\
             server_login_retry = 1\n{settings}\n",
            postgres.port,
            users.display(),
        );
        fs::write(&ini, text).unwrap();
        // It refuses to run as root.
        let server = fs::metadata(postgres.data()).unwrap();
        for path in [&home, &users, &ini] {
            chown(path, Some(server.uid()), Some(server.gid())).unwrap();
        }
        let mut command = Command::new(&program.path);
        command.arg("-q").arg(&ini).current_dir("/").stdout(Stdio::null()).stderr(Stdio::null());
        if server.uid() != fs::metadata("/proc/self").unwrap().uid() {
            command.uid(server.uid()).gid(server.gid());
        }
        let mut bouncer = Self { child: command.spawn().unwrap(), port };
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(bouncer.child.try_wait().unwrap().is_none(), "PgBouncer runs");
            sleep(Duration::from_millis(20)).await;
        }
        bouncer
    }

    fn login(&self, user: &str) -> Login {
        login(&format!("postgres://{user}@127.0.0.1:{}/bipe", self.port), None).unwrap()
    }
}

impl Drop for PgBouncer {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// A server with the two logins of the operations page: one owns, the other owns nothing.
async fn postgres(name: &str) -> Postgres {
    let postgres = Postgres::start(name, None).await;
    let admin = postgres.superuser("postgres").await;
    for line in [
        "CREATE ROLE bipe LOGIN CREATEROLE PASSWORD 'choose-one'",
        "CREATE DATABASE bipe OWNER bipe",
    ] {
        admin.batch_execute(line).await.unwrap();
    }
    migrate::migrate(&postgres.local("bipe:choose-one", "bipe")).await.unwrap();
    admin.batch_execute("ALTER ROLE bipe_app PASSWORD 'pw'").await.unwrap();
    postgres
}

async fn prepared(app: Login, migration: Option<Login>) -> Result<Db, Error> {
    let login = start::prepare(DatabaseLogins { app, migration, replica: None }, true).await?;
    let db = Db::open(login, Handle::current(), Clock::system()).unwrap().db;
    db.prove().await?;
    Ok(db)
}

async fn shown(tx: &Tx) -> Vec<String> {
    let row = tx.query_one(SHOWN, &[]).await.unwrap();
    (0..row.len()).map(|at| row.get(at)).collect()
}

/// People sign up and in, and many transactions at once keep their limits, their role and their rows apart.
async fn serves(db: Db) {
    let bench = Bench::over(TestDb::with_clock(Clock::system()).await, db.clone(), &[]);
    bench.person("ana@example.com", "52998224725").await;
    bench.sign_in("ana@example.com", PASSWORD).await.unwrap();

    let companies = (0..40).map(|_| CompanyId::new(db.clock()));
    let serve = async |company: CompanyId| {
        let tx = db.tx().await.unwrap();
        assert_eq!(shown(&tx).await, EXPECTED);
        // Somebody forgets that a setting lasts.
        let stay = "SELECT set_config('bipe.company_id', $1, false), pg_sleep(0.01)";
        tx.query_one(stay, &[&company.to_string()]).await.unwrap();
        tx.commit().await.unwrap();
        let left =
            "SELECT current_setting('bipe.company_id', true) AS left, current_user::text AS role";
        let row = db.ask(left, &[]).await.unwrap().unwrap();
        assert_eq!(row.get::<_, Option<&str>>("left").unwrap_or_default(), "");
        assert_eq!(row.get::<_, &str>("role"), "bipe_app");
        let who = UserId::new(db.clock());
        let own = "SELECT current_setting('bipe.user_id') AS own";
        let row = db.ask_as(who, own, &[]).await.unwrap().unwrap();
        assert_eq!(row.get::<_, String>("own"), who.to_string());
        let tx = db.platform_tx(&JobScope::of_test()).await.unwrap();
        assert_eq!(shown(&tx).await[0], "bipe_platform");
        tx.rollback().await.unwrap();
        let tx = db.figures_tx(&JobScope::of_test()).await.unwrap();
        assert_eq!(shown(&tx).await[1], "15s");
        tx.rollback().await.unwrap();
        let tx = db.survey_tx(&JobScope::of_test()).await.unwrap();
        assert_eq!(shown(&tx).await[..2], ["bipe_platform", "1min"]);
    };
    // A quarter of what the pool may hold: on a busy machine a login takes so long that others wait for it in vain.
    stream::iter(companies).for_each_concurrent(3, serve).await;
    db.close();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pooler_in_session_mode_serves_and_migrates() {
    for program in programs() {
        let postgres = postgres("session").await;
        let bouncer = PgBouncer::start(&program, &postgres, "default_pool_size = 30").await;
        serves(prepared(bouncer.login("bipe:choose-one"), None).await.unwrap()).await;
        serves_less(&bouncer, &postgres).await;
    }
}

/// The login that owns nothing, on a database that has its people already.
async fn serves_less(bouncer: &PgBouncer, postgres: &Postgres) {
    let owner = postgres.local("bipe:choose-one", "bipe");
    let db = prepared(bouncer.login("bipe_app:pw"), Some(owner)).await.unwrap();
    let tx = db.tx().await.unwrap();
    assert_eq!(shown(&tx).await, EXPECTED);
    tx.rollback().await.unwrap();
    db.close();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pooler_in_transaction_mode_serves_where_it_carries_statements_and_is_refused_elsewhere()
{
    for program in programs() {
        let postgres = postgres("transaction").await;
        let owner = postgres.local("bipe:choose-one", "bipe");
        let mode = "pool_mode = transaction\ndefault_pool_size = 3";
        if program.carries_statements {
            let carries = format!("{mode}\nmax_prepared_statements = 100");
            let bouncer = PgBouncer::start(&program, &postgres, &carries).await;
            for user in ["bipe:choose-one", "bipe_app:pw"] {
                let db = prepared(bouncer.login(user), Some(owner.clone())).await.unwrap();
                if user.starts_with("bipe:") {
                    serves(db).await;
                } else {
                    serves_less(&bouncer, &postgres).await;
                }
            }
            // A database without the schema of this build is not migrated through it.
            let admin = postgres.superuser("bipe").await;
            admin.batch_execute("UPDATE schema_window SET oldest = 9999").await.unwrap();
            let said = prepared(bouncer.login("bipe:choose-one"), None).await.err().unwrap();
            assert!(said.to_string().contains("DATABASE_MIGRATION_URL"), "{said}");
            admin.batch_execute("UPDATE schema_window SET oldest = 31").await.unwrap();
            let logins = DatabaseLogins {
                app: bouncer.login("bipe:choose-one"),
                migration: None,
                replica: None,
            };
            let said = start::migrate(&logins).await.unwrap_err().to_string();
            assert!(said.contains("directly"), "{said}");
        }
        let forgets = if program.carries_statements { "max_prepared_statements = 0" } else { "" };
        let bouncer = PgBouncer::start(&program, &postgres, &format!("{mode}\n{forgets}")).await;
        let refused = prepared(bouncer.login("bipe_app:pw"), Some(owner)).await.err().unwrap();
        assert!(refused.to_string().contains("take PgBouncer 1.21 or later"), "{refused}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pooler_that_loses_the_limits_of_a_session_or_knows_no_transactions_is_found_out() {
    for program in programs() {
        let postgres = postgres("loses").await;
        let owner = || Some(postgres.local("bipe:choose-one", "bipe"));
        let loses = "ignore_startup_parameters = options\ndefault_pool_size = 30";
        let bouncer = PgBouncer::start(&program, &postgres, loses).await;
        let db = prepared(bouncer.login("bipe_app:pw"), owner()).await.unwrap();
        let tx = db.tx().await.unwrap();
        assert_eq!(shown(&tx).await, EXPECTED);
        tx.rollback().await.unwrap();
        db.close();
        // A start that had not asked would be found out by the limits themselves.
        let unasked = bouncer.login("bipe_app:pw");
        let db = Db::open(unasked, Handle::current(), Clock::system()).unwrap().db;
        let said = db.prove().await.unwrap_err().to_string();
        assert!(said.contains("statement_timeout is 0 instead of 5000"), "{said}");
        db.close();

        let bouncer = PgBouncer::start(&program, &postgres, "pool_mode = statement").await;
        let said = prepared(bouncer.login("bipe_app:pw"), owner()).await.err().unwrap();
        assert!(said.to_string().contains("pool_mode"), "{said}");
    }
}

/// Until the database serves again; PgBouncer takes its time to notice.
async fn until_ready(db: &Db) {
    let ready = async {
        while !is_ready(db).await {
            sleep(Duration::from_millis(50)).await;
        }
    };
    timeout(Duration::from_secs(30), ready).await.expect("an answer in time");
}

async fn history(client: &Client) -> String {
    client.query_one("SELECT current_history()", &[]).await.unwrap().get(0)
}

#[tokio::test(flavor = "multi_thread")]
async fn behind_a_pooler_a_promoted_server_begins_a_history_and_the_old_primary_is_never_written() {
    for program in programs() {
        let mut postgres = postgres("promoted").await;
        let settings = match program.carries_statements {
            true => "pool_mode = transaction\nmax_prepared_statements = 100\nserver_lifetime = 1",
            false => "pool_mode = session\ndefault_pool_size = 30",
        };
        let bouncer = PgBouncer::start(&program, &postgres, settings).await;
        let owner = postgres.local("bipe:choose-one", "bipe");
        let db = prepared(bouncer.login("bipe_app:pw"), Some(owner)).await.unwrap();
        until_ready(&db).await;
        let before = history(&postgres.superuser("bipe").await).await;

        postgres.stop();
        let (data, old) = (postgres.data(), postgres.dir.join("old"));
        let copy = Command::new("cp").arg("-a").arg(&data).arg(&old).status().unwrap();
        assert!(copy.success());
        // Recovery to the end of its log begins a new timeline, as `pg_promote` does.
        let conf = data.join("postgresql.auto.conf");
        let text = fs::read_to_string(&conf).unwrap();
        fs::write(&conf, text + "restore_command = 'false'\n").unwrap();
        fs::write(data.join("recovery.signal"), "").unwrap();
        postgres.go_on().await;
        until_ready(&db).await;
        let stored = "SELECT id || '/' || timeline FROM database_history";
        let admin = postgres.superuser("bipe").await;
        let after: String = admin.query_one(stored, &[]).await.unwrap().get(0);
        assert_ne!(after.split('/').next(), before.split('/').next());
        assert!(before.ends_with("/1") && after.ends_with("/2"), "{before} {after}");

        postgres.stop();
        fs::rename(&data, postgres.dir.join("newer")).unwrap();
        fs::rename(&old, &data).unwrap();
        postgres.go_on().await;
        // Longer than PgBouncer waits before it connects again.
        for _ in 0..40 {
            let answer = db.tx().await;
            assert!(matches!(answer, Err(Error::Unavailable { .. })));
            let answer = db.ask("SELECT 1", &[]).await;
            assert!(matches!(answer, Err(Error::Unavailable { .. })));
            sleep(Duration::from_millis(50)).await;
        }
        assert_eq!(history(&postgres.superuser("bipe").await).await, before);
        db.close();
    }
}
