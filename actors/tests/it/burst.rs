//! Many jobs at once: each one that is claimed finds a connection, however slow the database is, and a mail waits neither
//! for a slow one nor for those that found no permit.

use std::time::Duration;

use bipe_actors::billing_workflow::{PaymentOutcome, PaymentProgress};
use bipe_actors::jobs::Jobs;
use bipe_core::Result;
use bipe_core::db::{Db, PoolSize};
use bipe_core::development::load::DUE_RENEWALS;
use bipe_core::gateway::webhook::Event;
use bipe_core::job::{self, JobKind};
use bipe_core::mailer::{self, Message};
use bipe_core::payment_method::Method;
use bipe_core::testing::until_waiting;
use futures_util::future::{FutureExt, join, join_all};
use futures_util::stream::{self, StreamExt};
use tokio::time::timeout;

use crate::life::{ESSENCIAL, Life, PRICE, check_books};
use crate::support::World;

/// Each failed try of a job is noted.
const NOTE_TRIES: &str = "CREATE TABLE failed_tries (kind text, error text); \
    CREATE FUNCTION note_try() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS \
      'BEGIN INSERT INTO failed_tries VALUES (NEW.kind, NEW.last_error); RETURN NEW; END'; \
    CREATE TRIGGER note_try BEFORE UPDATE ON jobs FOR EACH ROW \
      WHEN (NEW.last_error IS DISTINCT FROM OLD.last_error AND NEW.last_error <> '') EXECUTE FUNCTION note_try()";
/// Every write of a payment takes longer than half of what a connection is waited for.
const SLOW: &str = "CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS \
      'BEGIN PERFORM pg_sleep(1.2); RETURN NEW; END'; \
    CREATE TRIGGER slow BEFORE UPDATE ON payments FOR EACH ROW EXECUTE FUNCTION slow()";

#[actix_web::test]
async fn no_job_fails_because_others_hold_the_connections() {
    let world = World::new().await;
    let mut lives = Vec::new();
    for _ in 0..16 {
        let life = Life::begin(&world).await;
        let (payment, _) = life.open(ESSENCIAL, PRICE, None, Method::Pix).await;
        world.settle(payment.transaction_id.as_ref().unwrap(), "succeeded").await;
        lives.push(life);
    }
    world.owner.batch_execute(NOTE_TRIES).await.unwrap();
    world.owner.batch_execute(SLOW).await.unwrap();
    // Here and not by a request, which would be cut off after its time.
    let (jobs, sandbox) = (&world.app.actors.jobs, world.app.sandbox.clone().unwrap());
    while sandbox.run_due().await > 0 || jobs.run_all_due().await.unwrap() > 0 {}
    assert_eq!(failed_tries(&world).await, [""; 0]);
    for life in &lives {
        assert_eq!(life.paid().await, [PRICE]);
    }
    world.owner.batch_execute("DROP TRIGGER slow ON payments").await.unwrap();
    check_books(&world).await;
}

async fn failed_tries(world: &World) -> Vec<String> {
    let failed = world.owner.query("SELECT kind || ': ' || error FROM failed_tries", &[]).await;
    failed.unwrap().iter().map(|row| row.get(0)).collect()
}

async fn enqueue_a_mail(db: &Db) {
    let mut tx = db.tx().await.unwrap();
    let message = Message::AlreadyRegistered { name: "Bia".into() };
    mailer::enqueue(&mut tx, "bia@example.com", message).unwrap();
    tx.commit().await.unwrap();
}

async fn until_mailed(db: &Db) {
    while mailer::mailbox(db, Some("bia@example.com")).await.unwrap().is_empty() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

const BURST: usize = 200;
const AT_ONCE: usize = 16;

#[actix_web::test]
async fn a_burst_of_payments_on_the_smallest_pool_fails_no_job() {
    let world = World::sized(PoolSize::of(8)).await;
    world.owner.batch_execute(NOTE_TRIES).await.unwrap();
    let mut intents = Vec::new();
    for _ in 0..BURST {
        let life = Life::begin(&world).await;
        let (payment, _) = life.open(ESSENCIAL, PRICE, None, Method::Pix).await;
        intents.push(payment.transaction_id.unwrap());
    }
    let settling = stream::iter(&intents).for_each_concurrent(AT_ONCE, async |intent| {
        world.settle(intent, "succeeded").await;
    });
    let paid = async || -> i64 {
        let paid = "SELECT count(*) FROM payments WHERE state = 'succeeded'";
        world.owner.query_one(paid, &[]).await.unwrap().get(0)
    };
    let (jobs, sandbox) = (&world.app.actors.jobs, world.app.sandbox.clone().unwrap());
    let following = async {
        while paid().await < i64::try_from(BURST).unwrap() {
            // A webhook that was not taken comes again.
            world.app.db.clock().advance(1);
            let (_, ran) = join(sandbox.run_due(), jobs.run_all_due()).await;
            ran.unwrap();
        }
    };
    join(settling, following).await;
    assert_eq!(failed_tries(&world).await, [""; 0]);
    world.pass(1).await;
    check_books(&world).await;
}

#[actix_web::test]
async fn commands_for_an_ended_payment_that_come_together_are_all_carried_out() {
    let world = World::new().await;
    let life = Life::begin(&world).await;
    let (payment, _) = life.open(ESSENCIAL, PRICE, None, Method::Pix).await;
    world.settle(payment.transaction_id.as_ref().unwrap(), "succeeded").await;
    let directory = &world.app.actors.directory;
    for _ in 0..5 {
        let reads = (0..12).map(|_| directory.read(life.buyer.company, payment.id));
        for outcome in join_all(reads).await {
            let Ok(PaymentOutcome::Payment { progress, .. }) = outcome else {
                panic!("no payment")
            };
            assert_eq!(progress, PaymentProgress::Final);
        }
    }
}

const WEBHOOKS: &str = "INSERT INTO jobs (id, kind, key, payload, run_at, created_at) \
    SELECT gen_random_uuid(), 'webhook', n::text, '{\"event_id\":\"evt\"}', $2, $2 FROM generate_series(1, $1) n";
const HOLD: &str = "BEGIN; SELECT FROM companies FOR UPDATE; LOCK webhook_inbox";

/// Whether a mail was sent before any of the jobs that were there first had given its permit back.
async fn a_mail_came_before_a_job_gave_up() -> bool {
    let world = World::new().await;
    let db = world.app.actors.directory.steps().db();
    let permits = i32::try_from(db.jobs_at_once()).unwrap();
    world.owner.execute(DUE_RENEWALS, &[&(2 * permits), &db.clock().now()]).await.unwrap();
    // Some of both kinds run.
    world.owner.execute(WEBHOOKS, &[&3, &db.clock().now()]).await.unwrap();
    world.owner.batch_execute(HOLD).await.unwrap();
    let jobs = world.app.actors.jobs.clone();
    let renewals = actix_web::rt::spawn(async move { jobs.run_all_due().await });
    let reader = world.database.owner().await;
    let count = async |sql: &str| -> i64 {
        let counted = reader.query_one(&format!("SELECT count(*) FROM {sql}"), &[]).await;
        counted.unwrap().get(0)
    };
    until_waiting(&reader, i64::from(permits) - 1).await;
    enqueue_a_mail(db).await;
    until_mailed(db).await;
    let gave_up = count("jobs WHERE last_error <> ''").await;
    world.owner.batch_execute("ROLLBACK").await.unwrap();
    renewals.await.unwrap().unwrap();
    gave_up == 0
}

/// A renewal fails when it has waited two seconds for its company. A try in which the mail took longer says nothing.
#[actix_web::test]
async fn a_mail_finds_a_permit_while_every_other_job_that_runs_is_stuck() {
    for _ in 0..5 {
        if a_mail_came_before_a_job_gave_up().await {
            return;
        }
    }
    panic!("each time a job gave up first");
}

/// Each write of this kind lasts until the test lets it go, or as long as a statement may take.
async fn hold(world: &World, write: &str) {
    let sql = format!(
        "CREATE TABLE held AS SELECT; \
         CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS \
           'BEGIN WHILE EXISTS (SELECT FROM held) LOOP PERFORM pg_sleep(0.01); END LOOP; RETURN NEW; END'; \
         CREATE TRIGGER hold BEFORE {write} FOR EACH ROW EXECUTE FUNCTION hold()"
    );
    world.owner.batch_execute(&sql).await.unwrap();
}

const LET_GO: &str = "DELETE FROM held";

/// Other tests sleep in databases of their own.
async fn until_a_job_sleeps(world: &World) {
    let asleep = "SELECT EXISTS (SELECT FROM pg_stat_activity \
         WHERE wait_event = 'PgSleep' AND datname = current_database())";
    while !world.owner.query_one(asleep, &[]).await.unwrap().get::<_, bool>(0) {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// Answers what the runner said after both jobs.
async fn mail_beside_a_slow_job(trouble: &str) -> Result<u32> {
    let world = World::new().await;
    let life = Life::begin(&world).await;
    let (payment, _) = life.open(ESSENCIAL, PRICE, None, Method::Pix).await;
    world.settle(payment.transaction_id.as_ref().unwrap(), "succeeded").await;
    world.app.sandbox.clone().unwrap().run_due().await;
    hold(&world, "UPDATE ON payments").await;
    let jobs = world.app.actors.jobs.clone();
    let slow = actix_web::rt::spawn(async move { jobs.run_all_due().await });
    until_a_job_sleeps(&world).await;
    world.owner.batch_execute(trouble).await.unwrap();
    let db = world.app.actors.directory.steps().db();
    enqueue_a_mail(db).await;
    until_mailed(db).await;
    assert!(life.paid().await.is_empty(), "the mail came after the payment");
    world.owner.batch_execute(LET_GO).await.unwrap();
    let ran = slow.await.unwrap();
    assert_eq!(life.paid().await, [PRICE]);
    ran
}

#[actix_web::test]
async fn a_mail_does_not_wait_for_a_slow_job() {
    mail_beside_a_slow_job("").await.unwrap();
}

/// The first claim of a mail fails.
const FAIL_ONCE: &str = "CREATE SEQUENCE claims; \
    CREATE FUNCTION fail_once() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS \
      'BEGIN IF nextval(''claims'') = 1 THEN RAISE EXCEPTION ''once''; END IF; RETURN NEW; END'; \
    CREATE TRIGGER fail_once BEFORE UPDATE ON jobs FOR EACH ROW WHEN (NEW.kind = 'mail') \
      EXECUTE FUNCTION fail_once()";

#[actix_web::test]
async fn a_mail_does_not_wait_for_a_slow_job_after_a_claim_that_failed() {
    mail_beside_a_slow_job(FAIL_ONCE).await.unwrap_err();
}

/// An event that is about no payment.
async fn receive(jobs: &Jobs, id: &str) {
    let body = format!(r#"{{"id":"{id}","type":"moon.landed"}}"#);
    jobs.receive(Event::parse(body.as_bytes()).unwrap(), body).await.unwrap();
}

/// A job that is held and not begun would wait for the end of its lease, a minute.
#[actix_web::test]
async fn the_job_of_an_event_begins_on_the_node_that_has_stored_it() {
    let world = World::new().await;
    let jobs = &world.app.actors.jobs;
    let runner = jobs.spawn();
    for id in ["evt_1", "evt_2"] {
        receive(jobs, id).await;
        let held = "SELECT count(*) FROM jobs WHERE kind = 'webhook' AND leased_until IS NULL";
        let waiting: i64 = world.owner.query_one(held, &[]).await.unwrap().get(0);
        assert_eq!(waiting, 0, "it was never there to be claimed");
        let done = "SELECT count(*) FROM webhook_inbox WHERE event_id = $1 AND outcome = 'ignored'";
        let handled = async {
            while world.owner.query_one(done, &[&id]).await.unwrap().get::<_, i64>(0) == 0 {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        timeout(Duration::from_secs(20), handled).await.expect("nobody begins with it");
    }
    runner.abort();
}

/// The last permit is held for an event that has come before, and a job falls due meanwhile. Whether that job ended
/// before the mail that has the other permit.
async fn a_job_took_the_permit_of_a_known_event() -> bool {
    let world = World::sized(PoolSize::of(8)).await;
    let (jobs, db) = (&world.app.actors.jobs, &world.app.db);
    let life = Life::begin(&world).await;
    let runner = jobs.spawn();
    receive(jobs, "evt_1").await;
    let is = async |sql: &str| -> bool {
        let asked = world.owner.query_one(&format!("SELECT {sql}"), &[]).await;
        asked.unwrap().get(0)
    };
    let until = async |sql: &str| {
        while !is(sql).await {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    let idle = format!(
        "count(*) FILTER (WHERE kind = 'event_sweep') = 1 AND bool_and(run_at > '{}') FROM jobs",
        db.clock().now()
    );
    until(idle.as_str()).await;
    hold(&world, "INSERT ON mailbox").await;
    enqueue_a_mail(db).await;
    until_a_job_sleeps(&world).await;
    let holder = world.database.owner().await;
    holder.batch_execute("BEGIN; LOCK webhook_inbox").await.unwrap();
    let again = jobs.clone();
    let receiving = actix_web::rt::spawn(async move { receive(&again, "evt_1").await });
    until_waiting(&world.owner, 1).await;
    let mut tx = db.tx().await.unwrap();
    job::add_for_company(&mut tx, JobKind::SavedCards, life.buyer.company).unwrap();
    tx.commit().await.unwrap();
    // Nothing tells that the runner has looked and found no permit.
    tokio::time::sleep(Duration::from_millis(50)).await;
    holder.batch_execute("ROLLBACK").await.unwrap();
    receiving.await.unwrap();
    until("count(*) = 0 FROM jobs WHERE kind = 'wallet'").await;
    let mail_runs = is("count(*) = 0 FROM mailbox").await && is("count(*) = 1 FROM held").await;
    let no_try_ended = is("count(*) = 0 FROM jobs WHERE last_error <> ''").await;
    world.owner.batch_execute(LET_GO).await.unwrap();
    jobs.stop(runner, Duration::from_secs(20)).await;
    mail_runs && no_try_ended
}

/// A try in which the mail's statement ran out of time says nothing.
#[actix_web::test]
async fn a_permit_that_an_event_did_not_need_is_the_next_jobs_at_once() {
    for _ in 0..3 {
        if a_job_took_the_permit_of_a_known_event().await {
            return;
        }
    }
    panic!("each time the job waited for the mail");
}

/// What a node that stops had begun would wait for the end of its lease, a minute.
#[actix_web::test]
async fn a_runner_that_stops_ends_its_job_and_begins_no_other() {
    let world = World::new().await;
    let life = Life::begin(&world).await;
    let (payment, _) = life.open(ESSENCIAL, PRICE, None, Method::Pix).await;
    world.settle(payment.transaction_id.as_ref().unwrap(), "succeeded").await;
    hold(&world, "UPDATE ON payments").await;
    let jobs = &world.app.actors.jobs;
    let runner = jobs.spawn();
    world.app.sandbox.clone().unwrap().run_due().await;
    until_a_job_sleeps(&world).await;
    let mut stopping = Box::pin(jobs.stop(runner, Duration::from_secs(20)));
    assert!((&mut stopping).now_or_never().is_none(), "a job runs");
    receive(jobs, "evt_late").await;
    world.owner.batch_execute(LET_GO).await.unwrap();
    stopping.await;
    assert_eq!(life.paid().await, [PRICE], "the job that ran has ended");
    let left = "SELECT count(*) FILTER (WHERE leased_until IS NOT NULL), \
         count(*) FILTER (WHERE kind = 'mail') FROM jobs";
    let row = world.owner.query_one(left, &[]).await.unwrap();
    let [held, mails]: [i64; 2] = [row.get(0), row.get(1)];
    // A claim that was under way when the stop began may have found the late event: then it has ended, too.
    assert_eq!(held, 0, "nothing waits for the end of a lease");
    assert!(mails > 0, "the mails of the payment are left to another node");
}
