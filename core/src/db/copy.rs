//! Whole tables by COPY, on a connection of its own: read in one snapshot, and written into a new database. Called by
//! `core/src/backup/` alone.
//!
//! Invariants: the reader works as `bipe_platform`, which sees the rows of every company, and changes nothing. The writer
//! works as the schema's owner, in one transaction: what fails leaves no row. Tables that are not Bipe's are never
//! touched. Every name in a statement comes from the database's own catalogue, never from a file.

use std::collections::BTreeSet;

use bytes::Bytes;
use tokio::task::JoinHandle;
use tokio_postgres::{Client, CopyInSink, CopyOutStream};

use super::access::Login;
use super::{APP_ROLE, migrate};
use crate::error::{Error, Result, for_terminal};
use crate::row::from_row;

/// Where the database stands and which migrations it has are facts of the place, not of the data.
const OF_THE_PLACE: [&str; 2] = ["database_history", "refinery_schema_history"];
/// What the migrations themselves fill; a database with rows in any other table was used.
const OF_MIGRATIONS: [&str; 2] = ["invoice_issuers", "schema_window"];

/// One form of every value, whatever the server's settings are.
const READ: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL lock_timeout = '5s'; \
     SET LOCAL TimeZone = 'UTC'; SET LOCAL DateStyle = 'ISO, YMD'; SET LOCAL IntervalStyle = 'postgres'; \
     SET LOCAL bytea_output = 'hex'; SET LOCAL extra_float_digits = 1";
const WRITE: &str = "BEGIN; SET LOCAL lock_timeout = '5s'; SET LOCAL TimeZone = 'UTC'; \
     SET LOCAL DateStyle = 'ISO, YMD'; SET LOCAL IntervalStyle = 'postgres'";
/// Many rows take their time, whatever an operator gave the login. The last of these came with PostgreSQL 17.
const NO_TIME_LIMIT: &str = "SELECT set_config(name, '0', true) FROM pg_settings WHERE name IN \
     ('statement_timeout', 'idle_in_transaction_session_timeout', 'transaction_timeout')";
/// Asks the catalogue alone, which every login may read.
const IS_MIGRATED: &str = "SELECT EXISTS (SELECT FROM pg_class WHERE relnamespace = 'public'::regnamespace \
     AND relname = 'refinery_schema_history') AS is_migrated";
/// 0 before the first migration, whose table of migrations is there already.
const SCHEMA: &str = "SELECT coalesce(max(version), 0) AS schema FROM refinery_schema_history";
const NOT_MIGRATED: &str =
    "nothing was migrated in this database: is DATABASE_URL that of the nodes?";
/// Whether Bipe's migrations ran here, and whether there are tables, views or sequences; the latter matters only where
/// the migrations did not run. Those of an extension do not count.
const STATE: &str = "SELECT to_regclass('public.refinery_schema_history') IS NOT NULL AS is_migrated, \
     EXISTS (SELECT FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace \
       AND c.relkind IN ('r', 'p', 'v', 'm', 'f', 'S') AND NOT EXISTS (SELECT FROM pg_depend d \
         WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')) AS has_relations";
/// Rows are read in the order of their key, so that equal tables give equal bytes. Generated columns come by themselves.
/// The tables of an extension are none of Bipe's.
const TABLES: &str = "SELECT t.name, t.columns, needs, \
     format('COPY (SELECT %s FROM public.%I AS t ORDER BY %s) TO STDOUT', listed, name, coalesce(ordered, \
       't::text COLLATE \"C\"')) AS read, \
     format('COPY public.%I (%s) FROM STDIN', name, listed) AS write, \
     concat(CASE WHEN is_forced THEN format('ALTER TABLE public.%I NO FORCE ROW LEVEL SECURITY; ', name) END, \
       format('ALTER TABLE public.%I DISABLE TRIGGER USER', name)) AS open, \
     concat(CASE WHEN is_forced THEN format('ALTER TABLE public.%I FORCE ROW LEVEL SECURITY; ', name) END, \
       format('ALTER TABLE public.%I ENABLE TRIGGER USER', name)) AS shut, \
     format('SELECT EXISTS (SELECT FROM public.%I) AS found', name) AS has_rows, \
     format('TRUNCATE public.%I CASCADE', name) AS clear, format('ANALYZE public.%I', name) AS analyze \
     FROM (SELECT c.relname::text AS name, c.relforcerowsecurity AS is_forced, \
       array(SELECT a.attname::text FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 \
         AND NOT a.attisdropped AND a.attgenerated = '' ORDER BY a.attnum) AS columns, \
       (SELECT string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum) FROM pg_attribute a \
         WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = '') AS listed, \
       (SELECT string_agg(quote_ident(a.attname) || CASE WHEN a.attcollation <> 0 THEN ' COLLATE \"C\"' ELSE '' END, \
         ', ' ORDER BY k.place) FROM pg_index i \
         CROSS JOIN unnest(i.indkey::smallint[]) WITH ORDINALITY AS k (number, place) \
         JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.number \
         WHERE i.indrelid = c.oid AND i.indisprimary) AS ordered, \
       array(SELECT DISTINCT r.relname::text FROM pg_constraint f JOIN pg_class r ON r.oid = f.confrelid \
         WHERE f.conrelid = c.oid AND f.contype = 'f' AND r.oid <> c.oid) AS needs \
       FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' \
       AND c.relname <> ALL ($1) AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass \
         AND d.objid = c.oid AND d.deptype = 'e')) AS t ORDER BY name COLLATE \"C\"";
/// A sequence that gave no number yet has none.
const SEQUENCES: &str = "SELECT sequencename::text AS name, last_value AS value FROM pg_sequences \
     WHERE schemaname = 'public' AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass \
       AND d.objid = to_regclass(format('public.%I', sequencename)) AND d.deptype = 'e') \
     ORDER BY sequencename::text COLLATE \"C\"";
const SET_SEQUENCE: &str = "SELECT setval(format('public.%I', $1::text)::regclass, $2)";
/// No place has this timeline, so the next connection begins a new history, and has the provider asked at once.
pub(super) const FORGET_PLACE: &str =
    "UPDATE database_history SET id = gen_random_uuid(), timeline = 0";

/// A table, with the statements that the database itself wrote for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    pub name: String,
    /// Those that are read and written.
    pub columns: Vec<String>,
    /// The tables that its foreign keys name.
    needs: Vec<String>,
    read: String,
    write: String,
    /// Lifts what stands between the owner and its rows; `enable_guards` puts it back.
    disable_guards: String,
    enable_guards: String,
    has_rows: String,
    clear: String,
    /// Tells the planner what it holds: until autovacuum comes, it would guess.
    analyze: String,
}

from_row! { Table {
    name, columns, needs, read, write, disable_guards: "open", enable_guards: "shut", has_rows,
    clear, analyze,
} }

/// A sequence and the number that it gave last.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Sequence {
    pub name: String,
    pub value: Option<i64>,
}

from_row! { Sequence { name, value } }

/// All tables as they stand at one instant.
pub struct Snapshot {
    client: Client,
    driver: JoinHandle<Result<(), tokio_postgres::Error>>,
    /// The newest migration of the database.
    pub schema: i32,
    /// Each behind those that it names.
    pub tables: Vec<Table>,
    pub sequences: Vec<Sequence>,
}

impl Snapshot {
    /// # Errors
    /// `Internal` without a connection, for a login that cannot work as `bipe_platform`, and before the first migration.
    pub async fn open(login: &Login) -> Result<Self> {
        let (client, driver) = login.open().await?;
        client.batch_execute(READ).await?;
        client.batch_execute(NO_TIME_LIMIT).await?;
        if !client.query_one(IS_MIGRATED, &[]).await?.try_get::<_, bool>("is_migrated")? {
            return Err(Error::internal(NOT_MIGRATED));
        }
        client.batch_execute(&format!("SET LOCAL ROLE {APP_ROLE}")).await?;
        let schema = client.query_one(SCHEMA, &[]).await?.try_get("schema")?;
        client.batch_execute(super::AS_PLATFORM).await?;
        let tables = tables(&client).await?;
        let sequences = client.query(SEQUENCES, &[]).await?;
        let sequences = sequences.iter().map(Sequence::try_from).collect::<Result<_>>()?;
        Ok(Self { client, driver, schema, tables, sequences })
    }

    /// The rows in the text format of COPY, one a line.
    ///
    /// # Errors
    /// `Internal` when the database refuses.
    pub async fn rows(&self, table: &Table) -> Result<CopyOutStream> {
        self.client.copy_out(&table.read).await.map_err(|error| for_terminal(&error))
    }

    pub async fn close(self) {
        drop(self.client);
        // It only read: an error at the end takes nothing away.
        drop(self.driver.await);
    }
}

/// Why a database takes no backup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TargetRefusal {
    /// It has a newer schema already: its newest migration.
    OtherSchema(i32),
    /// It has rows, or tables that are not Bipe's.
    NotEmpty,
}

/// A new database that is being filled, in one transaction.
pub struct TableLoad {
    client: Client,
    driver: JoinHandle<Result<(), tokio_postgres::Error>>,
    /// As in [`Snapshot`].
    pub tables: Vec<Table>,
}

impl TableLoad {
    /// Brings a database without a schema to that one, and opens its tables for the owner. One with an older schema and
    /// no rows is brought on: a restore that was cut short leaves it.
    ///
    /// # Errors
    /// `Internal` without a connection, and for a login that does not own the schema.
    pub async fn begin(owner: &Login, schema: i32) -> Result<Result<Self, TargetRefusal>> {
        let (client, driver) = owner.open().await?;
        if let Some(refusal) = refusal(&client, schema).await? {
            return Ok(Err(refusal));
        }
        migrate::migrate_to(owner, schema).await?;
        client.batch_execute(WRITE).await?;
        client.batch_execute(NO_TIME_LIMIT).await?;
        let tables = tables(&client).await?;
        for table in &tables {
            client.batch_execute(&table.disable_guards).await?;
        }
        // Nobody writes any more.
        if is_used(&client, &tables).await? {
            return Ok(Err(TargetRefusal::NotEmpty));
        }
        for table in tables.iter().filter(|table| OF_MIGRATIONS.contains(&table.name.as_str())) {
            client.batch_execute(&table.clear).await?;
        }
        Ok(Ok(Self { client, driver, tables }))
    }

    /// Takes the rows of one table; `finish` says how many there were.
    ///
    /// # Errors
    /// `Internal` when the database refuses.
    pub async fn table(&self, table: &Table) -> Result<CopyInSink<Bytes>> {
        Ok(self.client.copy_in(&table.write).await?)
    }

    /// Puts everything back in its place and commits. The next connection begins a new history.
    ///
    /// # Errors
    /// `Internal`; nothing is kept then.
    pub async fn commit(self, sequences: &[Sequence]) -> Result<()> {
        let Self { client, driver, tables } = self;
        for table in &tables {
            client.batch_execute(&table.enable_guards).await?;
            client.batch_execute(&table.analyze).await?;
        }
        for Sequence { name, value } in sequences {
            if let Some(value) = value {
                client.query_one(SET_SEQUENCE, &[name, value]).await?;
            }
        }
        client.batch_execute(FORGET_PLACE).await?;
        client.batch_execute("COMMIT").await?;
        drop(client);
        Ok(driver.await.map_err(Error::internal)??)
    }
}

/// Looks before anything is changed or locked: it may be a database that serves.
async fn refusal(client: &Client, needed: i32) -> Result<Option<TargetRefusal>> {
    let state = client.query_one(STATE, &[]).await?;
    if !state.try_get("is_migrated")? {
        return Ok(state.try_get::<_, bool>("has_relations")?.then_some(TargetRefusal::NotEmpty));
    }
    let found: i32 = client.query_one(SCHEMA, &[]).await?.try_get("schema")?;
    if found > needed {
        return Ok(Some(TargetRefusal::OtherSchema(found)));
    }
    client.batch_execute("BEGIN READ ONLY").await?;
    let tables = tables(client).await?;
    client.batch_execute(super::AS_PLATFORM).await?;
    let is_used = is_used(client, &tables).await?;
    client.batch_execute("ROLLBACK").await?;
    Ok(is_used.then_some(TargetRefusal::NotEmpty))
}

/// Somebody has worked with the database.
async fn is_used(client: &Client, tables: &[Table]) -> Result<bool> {
    for table in tables.iter().filter(|table| !OF_MIGRATIONS.contains(&table.name.as_str())) {
        if client.query_one(&table.has_rows, &[]).await?.try_get("found")? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// In an order in which no foreign key points forward.
async fn tables(client: &Client) -> Result<Vec<Table>> {
    let place = OF_THE_PLACE.as_slice();
    let rows = client.query(TABLES, &[&place]).await?;
    let mut waiting: Vec<Table> = rows.iter().map(Table::try_from).collect::<Result<_>>()?;
    let (mut placed, mut names) = (Vec::with_capacity(waiting.len()), BTreeSet::new());
    while !waiting.is_empty() {
        let (ready, rest): (Vec<_>, Vec<_>) =
            waiting.into_iter().partition(|table| table.needs.iter().all(|n| names.contains(n)));
        if ready.is_empty() {
            return Err(Error::internal("the foreign keys of the tables form a circle"));
        }
        names.extend(ready.iter().map(|table| table.name.clone()));
        placed.extend(ready);
        waiting = rest;
    }
    Ok(placed)
}

#[cfg(test)]
mod tests {
    use futures_util::SinkExt;

    use super::*;
    use crate::clock::Clock;
    use crate::testing::TestDb;

    /// An empty database beside the tests' own, as its owner; the first client drops it.
    async fn new_database(test: &TestDb) -> (Client, String, Login) {
        let name = format!("bipe_test_{}", Clock::system().uuid().simple());
        let admin = test.owner().await;
        admin.batch_execute(&format!("CREATE DATABASE {name}")).await.unwrap();
        let owner = Login::local(test.owner_config().dbname(&name).clone());
        (admin, name, owner)
    }

    #[tokio::test]
    async fn a_restore_that_was_cut_short_is_begun_again_and_nobody_elses_tables_are_touched() {
        let test = TestDb::new().await;
        let (admin, name, owner) = new_database(&test).await;
        let (client, _driver) = owner.open().await.unwrap();
        let count = "SELECT count(*) FROM pg_class WHERE relnamespace = 'public'::regnamespace";
        client.batch_execute("CREATE TABLE orders ()").await.unwrap();
        let refusal = TableLoad::begin(&owner, migrate::newest()).await.unwrap().err();
        assert_eq!(refusal, Some(TargetRefusal::NotEmpty));
        assert_eq!(client.query_one(count, &[]).await.unwrap().get::<_, i64>(0), 1);
        client.batch_execute("DROP TABLE orders").await.unwrap();
        // In the middle of its migrations.
        migrate::migrate_to(&owner, 7).await.unwrap();
        assert!(TableLoad::begin(&owner, migrate::newest()).await.unwrap().is_ok());
        let refusal = TableLoad::begin(&owner, 7).await.unwrap().err();
        assert_eq!(refusal, Some(TargetRefusal::OtherSchema(migrate::newest())));
        admin.batch_execute(&format!("DROP DATABASE {name} WITH (FORCE)")).await.unwrap();
    }

    #[tokio::test]
    async fn a_backup_of_an_older_schema_is_filled_at_that_schema_and_then_migrated() {
        let test = TestDb::new().await;
        let (admin, name, owner) = new_database(&test).await;
        let older = 37;
        let load = TableLoad::begin(&owner, older).await.unwrap().ok().unwrap();
        let has = |name: &str| load.tables.iter().any(|table| table.name == name);
        assert!(has("payments") && !has("invoices"));
        let window = load.tables.iter().find(|table| table.name == "schema_window").unwrap();
        let mut rows = Box::pin(load.table(window).await.unwrap());
        rows.send(Bytes::from_static(b"t\t31\n")).await.unwrap();
        assert_eq!(rows.as_mut().finish().await.unwrap(), 1);
        load.commit(&[]).await.unwrap();
        let refusal = TableLoad::begin(&owner, older - 1).await.unwrap().err();
        assert_eq!(refusal, Some(TargetRefusal::OtherSchema(older)));
        assert!(migrate::migrate(&owner).await.unwrap() > 0);
        admin.batch_execute(&format!("DROP DATABASE {name} WITH (FORCE)")).await.unwrap();
    }

    #[tokio::test]
    async fn a_database_without_a_schema_is_no_source_of_a_backup() {
        let test = TestDb::new().await;
        let (admin, name, owner) = new_database(&test).await;
        let said = Snapshot::open(&owner).await.err().unwrap().to_string();
        assert!(said.contains("is DATABASE_URL that of the nodes?"), "{said}");
        admin.batch_execute(&format!("DROP DATABASE {name} WITH (FORCE)")).await.unwrap();
    }

    #[tokio::test]
    async fn a_table_that_somebody_holds_ends_a_backup_with_the_servers_words() {
        let test = TestDb::new().await;
        let holder = test.owner().await;
        holder.batch_execute("BEGIN; LOCK TABLE plans").await.unwrap();
        let snapshot = Snapshot::open(&Login::local(test.owner_config())).await.unwrap();
        let plans = snapshot.tables.iter().find(|table| table.name == "plans").unwrap();
        let said = snapshot.rows(plans).await.err().unwrap().to_string();
        assert!(said.ends_with("55P03 canceling statement due to lock timeout"), "{said}");
    }

    #[tokio::test]
    async fn limits_of_the_login_end_no_backup() {
        let test = TestDb::new().await;
        let limits = "FROM pg_settings WHERE name IN \
             ('statement_timeout', 'idle_in_transaction_session_timeout', 'transaction_timeout')";
        let options = format!("SELECT string_agg(format('-c %s=60000', name), ' ') {limits}");
        let options: String = test.owner().await.query_one(&options, &[]).await.unwrap().get(0);
        let mut config = test.owner_config();
        config.options(options);
        let snapshot = Snapshot::open(&Login::local(config)).await.unwrap();
        let none = format!("SELECT bool_and(setting = '0') {limits}");
        assert!(snapshot.client.query_one(&none, &[]).await.unwrap().get::<_, bool>(0));
    }

    #[tokio::test]
    async fn what_belongs_to_an_extension_is_no_part_of_a_backup() {
        let test = TestDb::new().await;
        let extend = "CREATE TABLE of_others (n int); CREATE SEQUENCE numbers_of_others; \
             ALTER EXTENSION plpgsql ADD TABLE of_others; ALTER EXTENSION plpgsql ADD SEQUENCE numbers_of_others";
        test.owner().await.batch_execute(extend).await.unwrap();
        let snapshot = Snapshot::open(&Login::local(test.owner_config())).await.unwrap();
        assert!(snapshot.tables.iter().any(|table| table.name == "users"));
        assert!(!snapshot.tables.iter().any(|table| table.name == "of_others"));
        assert!(!snapshot.sequences.iter().any(|it| it.name == "numbers_of_others"));
    }
}
