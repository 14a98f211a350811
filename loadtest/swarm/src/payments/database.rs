//! The server's own database, reached beside it: over its socket, as the owner, who may ask for the log.

use std::path::PathBuf;

use tokio_postgres::{Client, Config, NoTls};

use crate::Outcome;
use crate::server::Server;

pub struct Database {
    config: Config,
    socket: String,
    port: String,
    owner: Client,
    log: PathBuf,
}

impl Database {
    pub async fn of(server: &Server) -> Outcome<Self> {
        let home = server.postgres()?;
        // Line 4 is the port, line 5 the directory of the socket.
        let lock = std::fs::read_to_string(home.join("data/postmaster.pid"))?;
        let mut lines = lock.lines().skip(3);
        let (port, socket) = (lines.next().ok_or("no port")?, lines.next().ok_or("no socket")?);
        let mut config = Config::new();
        config.host_path(socket).port(port.trim().parse()?).user("bipe_owner").dbname("bipe");
        let owner = connect(&config).await?;
        let (socket, port) = (socket.to_owned(), port.trim().to_owned());
        Ok(Self { config, socket, port, owner, log: home.join("postgres.log") })
    }

    /// Directory of its socket, and its port.
    pub fn place(&self) -> (&str, &str) {
        (&self.socket, &self.port)
    }

    /// For a server that finds it there.
    pub fn url(&self) -> String {
        let Self { socket, port, .. } = self;
        format!("postgresql:///bipe?host={socket}&port={port}&user=bipe_owner")
    }

    /// A connection with the rights that the server works with.
    pub async fn worker(&self) -> Outcome<Client> {
        let client = connect(&self.config).await?;
        client.batch_execute("SET ROLE bipe_app").await?;
        Ok(client)
    }

    pub async fn running(&self) -> Outcome<i64> {
        let count = "SELECT count(*) FROM subscriptions WHERE status = 'active'";
        Ok(self.owner.query_one(count, &[]).await?.get(0))
    }

    /// Removes the jobs of a replay that are due: its payments are unknown to the provider.
    pub async fn remove_due_jobs(&self) -> Outcome<()> {
        self.owner.execute("DELETE FROM jobs WHERE run_at <= now()", &[]).await?;
        Ok(())
    }

    /// Many payments like the company's only one, a day apart, each with a document like its own.
    pub async fn copy_payment(&self, company: &str, count: u32) -> Outcome<()> {
        let begin = format!(
            "SET session_replication_role = replica; CREATE TEMP TABLE copies AS \
             SELECT gen_random_uuid() AS id, n FROM generate_series(1, {count}) n"
        );
        self.owner.batch_execute(&begin).await?;
        let of_payment = [
            ("id", "c.id"),
            ("provider_intent", "'pi_copy_' || c.n"),
            ("provider_key", "'copy_' || c.n"),
            ("idempotency_key", "NULL"),
            ("created_at", "r.created_at - c.n * interval '1 day'"),
        ];
        let of_document = [
            ("id", "c.id"),
            ("payment_id", "c.id"),
            ("number", "r.number + 10000000 + c.n"),
            ("at", "r.at - c.n * interval '1 day'"),
        ];
        for (table, replaced) in [("payments", &of_payment[..]), ("invoices", &of_document)] {
            let columns = self.columns(table).await?;
            let replace = |column: &String| {
                let found = replaced.iter().find(|(name, _)| name == column);
                found.map_or_else(|| format!("r.{column}"), |(_, value)| (*value).to_owned())
            };
            let values: Vec<String> = columns.iter().map(replace).collect();
            let copy = format!(
                "INSERT INTO {table} ({}) SELECT {} FROM {table} r, copies c WHERE r.company_id = '{company}'",
                columns.join(", "),
                values.join(", ")
            );
            self.owner.batch_execute(&copy).await?;
        }
        Ok(self
            .owner
            .batch_execute("DROP TABLE copies; RESET session_replication_role; ANALYZE")
            .await?)
    }

    /// What may be written of the table.
    async fn columns(&self, table: &str) -> Outcome<Vec<String>> {
        let columns = "SELECT attname::text FROM pg_attribute WHERE attrelid = $1::text::regclass \
             AND attnum > 0 AND NOT attisdropped AND attgenerated = ''";
        let rows = self.owner.query(columns, &[&table]).await?;
        Ok(rows.iter().map(|row| row.get(0)).collect())
    }

    /// The log names values from here on, which the server's settings leave out. Sessions take it up when
    /// they begin, so the server's own are ended; its pools make new ones.
    pub async fn show_values(&self) -> Outcome<()> {
        let show = "ALTER DATABASE bipe SET log_error_verbosity = 'default'";
        self.owner.batch_execute(show).await?;
        let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
             WHERE datname = 'bipe' AND pid <> pg_backend_pid()";
        self.owner.execute(end, &[]).await?;
        tokio::time::sleep(std::time::Duration::from_secs(1)).await;
        Ok(())
    }

    /// Every statement is logged from here on; answers where the log stands.
    pub async fn start_log(&self) -> Outcome<u64> {
        self.log_statements("all").await?;
        Ok(std::fs::metadata(&self.log)?.len())
    }

    pub async fn stop_log(&self, from: u64) -> Outcome<String> {
        self.log_statements("none").await?;
        let bytes = std::fs::read(&self.log)?;
        let new = bytes.get(usize::try_from(from)?..).unwrap_or_default();
        Ok(String::from_utf8_lossy(new).into_owned())
    }

    /// How many statements such a log holds.
    pub fn statements(log: &str) -> u64 {
        let ran =
            |line: &&str| line.contains("LOG:  statement: ") || line.contains("LOG:  execute ");
        u64::try_from(log.lines().filter(ran).count()).unwrap_or(u64::MAX)
    }

    async fn log_statements(&self, which: &str) -> Outcome<()> {
        self.owner.batch_execute(&format!("ALTER SYSTEM SET log_statement = '{which}'")).await?;
        self.owner.batch_execute("SELECT pg_reload_conf()").await?;
        // Each session takes it up at its next statement, once the signal has come.
        tokio::time::sleep(std::time::Duration::from_secs(1)).await;
        Ok(())
    }
}

async fn connect(config: &Config) -> Outcome<Client> {
    let (client, connection) = config.connect(NoTls).await?;
    tokio::spawn(connection);
    Ok(client)
}
