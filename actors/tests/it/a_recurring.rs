//! The recurring jobs: none stops another, and one that reads whole tables may take its time.

use std::time::Duration;

use bipe_actors::payment_check;
use bipe_core::payment_method::Method;
use tokio::time::{sleep, timeout};

use crate::life::{ESSENCIAL, Life, PRICE};
use crate::support::World;

/// A payment from before there were documents, and a database that takes none.
const REFUSE: &str = "ALTER TABLE invoices DISABLE TRIGGER append_only; DELETE FROM invoices; \
    ALTER TABLE invoices ENABLE TRIGGER append_only; UPDATE invoice_issuers SET last = 0; \
    CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''no''; END'; \
    CREATE TRIGGER refuse BEFORE INSERT ON invoices FOR EACH ROW EXECUTE FUNCTION refuse()";
const HOUR: u32 = 3_600;

#[actix_web::test]
async fn a_node_that_starts_adds_no_recurring_job_that_is_there() {
    let world = World::new().await;
    let jobs = &world.app.actors.jobs;
    jobs.schedule().await.unwrap();
    jobs.schedule().await.unwrap();
    let count = "SELECT count(*) FROM jobs WHERE kind IN \
         ('event_sweep', 'metrics_check', 'missing_documents', 'payment_check', 'purge')";
    assert_eq!(world.owner.query_one(count, &[]).await.unwrap().get::<_, i64>(0), 5);
}

/// The first two tries to add the recurring jobs fail.
const REFUSE_TWICE: &str = "CREATE SEQUENCE tries; \
    CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS \
      'BEGIN IF nextval(''tries'') < 3 THEN RAISE EXCEPTION ''no''; END IF; RETURN NEW; END'; \
    CREATE TRIGGER refuse BEFORE INSERT ON jobs FOR EACH ROW WHEN (NEW.kind = 'purge') \
      EXECUTE FUNCTION refuse()";

#[actix_web::test]
async fn a_node_whose_database_failed_as_it_started_adds_the_recurring_jobs_later() {
    let world = World::new().await;
    world.owner.batch_execute(REFUSE_TWICE).await.unwrap();
    let jobs = &world.app.actors.jobs;
    let runner = jobs.spawn();
    let added = async {
        let purges = "SELECT count(*) FROM jobs WHERE kind = 'purge'";
        while world.owner.query_one(purges, &[]).await.unwrap().get::<_, i64>(0) == 0 {
            sleep(Duration::from_millis(20)).await;
        }
    };
    timeout(Duration::from_secs(20), added).await.unwrap();
    jobs.stop(runner, Duration::from_secs(10)).await;
}

#[actix_web::test]
async fn documents_that_cannot_be_issued_stop_neither_the_sweep_nor_the_check() {
    let world = World::new().await;
    Life::begin(&world).await.pay(ESSENCIAL, PRICE, Method::Pix).await;
    world.owner.batch_execute(REFUSE).await.unwrap();
    let (jobs, clock) = (&world.app.actors.jobs, world.app.db.clock());
    let count = async |sql: &str| -> i64 {
        let sql = format!("SELECT count(*) FROM {sql}");
        world.owner.query_one(&sql, &[]).await.unwrap().get(0)
    };
    jobs.schedule().await.unwrap();
    jobs.run_all_due().await.unwrap();
    let failed = "jobs WHERE kind = 'missing_documents' AND last_error <> '' AND dead_at IS NULL";
    assert_eq!(count(failed).await, 1, "it was tried");
    let swept = "jobs WHERE kind = 'event_sweep' AND run_at > created_at";
    assert_eq!(count(swept).await, 1, "the sweep has run and has its next time");
    clock.advance(2 * HOUR);
    jobs.run_all_due().await.unwrap();
    let found = "payment_checks WHERE findings LIKE '%\"P12\"%'";
    assert_eq!(count(found).await, 1, "the check has run and says what is missing");
    assert_eq!((count(failed).await, count("invoices").await), (1, 0));

    world.owner.batch_execute("DROP TRIGGER refuse ON invoices").await.unwrap();
    clock.advance(HOUR);
    jobs.run_all_due().await.unwrap();
    assert_eq!((count(failed).await, count("invoices").await), (0, 1));
    world.is_sound().await;
}

/// Longer than the database and the node wait for a statement of a request.
const SLOW: &str = "CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS \
      'BEGIN PERFORM pg_sleep(9); RETURN NEW; END'; \
    CREATE TRIGGER slow BEFORE INSERT ON payment_checks FOR EACH ROW EXECUTE FUNCTION slow()";

#[actix_web::test]
async fn a_statement_of_the_check_may_take_longer_than_that_of_a_request() {
    let world = World::new().await;
    world.owner.batch_execute(SLOW).await.unwrap();
    let report = payment_check::run(&world.app.actors.directory).await.unwrap();
    assert!(report.findings.is_empty(), "{:?}", report.findings);
    let kept = "SELECT count(*) FROM payment_checks";
    assert_eq!(world.owner.query_one(kept, &[]).await.unwrap().get::<_, i64>(0), 1);
}
