//! `make bench-renewals`: ten thousand subscriptions fall due at one instant, each with a saved card at the
//! sandbox. Prints how long it takes until all are charged, and until every webhook, timer and mail that
//! follows is done; both with the provider in this very process.

use std::time::Duration;

use bipe_core::development::load::DUE_RENEWALS;
use bipe_core::id::CompanyId;
use futures_util::stream::{self, StreamExt};
use tokio::time::Instant;

use crate::life::{GOOD_CARD, check_books};
use crate::support::World;

const COMPANIES: i64 = 10_000;
const GOAL: Duration = Duration::from_secs(120);

const KEEP: &str =
    "INSERT INTO provider_customers (company_id, customer_id, created_at) VALUES ($1, $2, $3)";
const SAVE: &str = "INSERT INTO payment_methods (id, company_id, brand, last4, exp_month, exp_year, is_default, \
     created_at) VALUES ($1, $2, 'visa', '4242', 12, 2030, true, $3)";

async fn save_card(world: &World, company: CompanyId) {
    let now = world.app.db.clock().now();
    let (customer, card) = world.saved_card(GOOD_CARD).await;
    world.owner.execute(KEEP, &[&company, &customer, &now]).await.unwrap();
    world.owner.execute(SAVE, &[&card, &company, &now]).await.unwrap();
}

#[actix_web::test]
#[ignore = "make bench-renewals, in a release build"]
async fn ten_thousand_renewals_fall_due_at_once() {
    let world = World::new().await;
    let now = world.app.db.clock().now();
    world.owner.execute(DUE_RENEWALS, &[&i32::try_from(COMPANIES).unwrap(), &now]).await.unwrap();
    let companies = world.owner.query("SELECT id FROM companies", &[]).await.unwrap();
    let companies = companies.iter().map(|row| row.get::<_, CompanyId>(0));
    stream::iter(companies).for_each_concurrent(16, |company| save_card(&world, company)).await;
    world.owner.batch_execute("VACUUM ANALYZE").await.unwrap();
    println!("{COMPANIES} renewals are due");

    let begun = Instant::now();
    let (jobs, sandbox) = (&world.app.actors.jobs, world.app.sandbox.clone().unwrap());
    jobs.run_all_due().await.unwrap();
    let charged = begun.elapsed();
    // Here and not by a request, which would be cut off after its time.
    while sandbox.run_due().await > 0 || jobs.run_all_due().await.unwrap() > 0 {}
    let done = begun.elapsed();

    let count = async |sql: &str| -> i64 { world.owner.query_one(sql, &[]).await.unwrap().get(0) };
    let paid = count("SELECT count(*) FROM payments WHERE state = 'succeeded'").await;
    let doubled = count(
        "SELECT count(*) - count(DISTINCT company_id) FROM payments WHERE provider_intent IS NOT NULL",
    )
    .await;
    println!(
        "charged {paid} in {:.1} s, everything done after {:.1} s",
        charged.as_secs_f64(),
        done.as_secs_f64()
    );
    println!("double charges = {doubled}");
    assert_eq!((paid, doubled), (COMPANIES, 0));
    check_books(&world).await;
    assert!(charged <= GOAL, "the goal is {GOAL:?}");
}
