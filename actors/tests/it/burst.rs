//! Many payments at once: every job that is claimed finds a connection, however slow the database is.

use bipe_core::payment::Method;
use bipe_core::plan::BillingCycle::Monthly;

use crate::life::{Life, check_books};
use crate::support::World;

/// Every write of a payment takes longer than half of what a connection is waited for, and each failed try of a
/// job is noted.
const SLOW: &str = "CREATE TABLE failed_tries (kind text, error text); \
    CREATE FUNCTION note_try() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS \
      'BEGIN INSERT INTO failed_tries VALUES (NEW.kind, NEW.last_error); RETURN NEW; END'; \
    CREATE TRIGGER note_try BEFORE UPDATE ON jobs FOR EACH ROW \
      WHEN (NEW.last_error IS DISTINCT FROM OLD.last_error AND NEW.last_error <> '') EXECUTE FUNCTION note_try(); \
    CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS \
      'BEGIN PERFORM pg_sleep(1.2); RETURN NEW; END'; \
    CREATE TRIGGER slow BEFORE UPDATE ON payments FOR EACH ROW EXECUTE FUNCTION slow()";

#[actix_web::test]
async fn no_job_fails_because_others_hold_the_connections() {
    let world = World::new().await;
    let mut lives = Vec::new();
    for _ in 0..16 {
        let life = Life::begin(&world).await;
        let (payment, _) = life.open(("Essencial", Monthly), 4_990, None, Method::Pix).await;
        world.settle(payment.transaction_id.as_ref().unwrap(), "succeeded").await;
        lives.push(life);
    }
    world.owner.batch_execute(SLOW).await.unwrap();
    // Here and not by a request, which would be cut off after its time.
    let (jobs, sandbox) = (&world.app.actors.jobs, world.app.sandbox.clone().unwrap());
    while sandbox.run_due().await > 0 || jobs.run_all_due().await.unwrap() > 0 {}
    let failed = world.owner.query("SELECT kind || ': ' || error FROM failed_tries", &[]).await;
    let failed: Vec<String> = failed.unwrap().iter().map(|row| row.get(0)).collect();
    assert!(failed.is_empty(), "{failed:?}");
    for life in &lives {
        assert_eq!(life.paid().await, [4_990]);
    }
    world.owner.batch_execute("DROP TRIGGER slow ON payments").await.unwrap();
    check_books(&world).await;
}
