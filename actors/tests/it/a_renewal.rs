//! What time asks of a subscription, each rule on its own: catching up, waiting, cards that are refused,
//! credit, companies that are not charged, and two nodes at once.

use std::collections::HashSet;

use bipe_core::id::CompanyId;
use bipe_core::payment_method::Method;
use bipe_core::plan::BillingCycle::Quarterly;
use bipe_core::subscription::decide::EndAt;
use bipe_core::testing::{count, figures};
use jiff::SignedDuration;
use serde_json::json;

use crate::life::{
    ASKING_CARD, DAY, ESSENCIAL, FAILING_CARD, FIRST, GOOD_CARD, Life, PRICE, check_books,
};
use crate::support::World;

/// Its bank asks once, when it is saved.
const ONCE_ASKING_CARD: &str = "4000002500003155";

async fn failed(life: &Life<'_>) -> usize {
    let sql = "SELECT id::text FROM payments WHERE company_id = $1 AND state = 'failed'";
    life.list(sql).await.len()
}

async fn status(life: &Life<'_>) -> String {
    life.subscription().await["status"].as_str().unwrap().to_owned()
}

#[actix_web::test]
async fn after_downtime_periods_are_caught_up_one_at_a_time() {
    let world = World::new().await;
    let (by_card, by_pix) = (Life::begin(&world).await, Life::begin(&world).await);
    by_card.pay_by_card(ESSENCIAL, PRICE, GOOD_CARD).await;
    by_pix.pay(ESSENCIAL, PRICE, Method::Pix).await;
    world.pass(95 * DAY).await;
    assert_eq!(by_card.paid().await, [PRICE; 4]);
    let view = by_card.subscription().await;
    assert_eq!(
        (&view["status"], &view["nextBillingDate"]),
        (&json!("active"), &json!("2027-03-21T15:00:00Z"))
    );
    let segments =
        "SELECT from_at::date::text FROM debit_segments WHERE company_id = $1 ORDER BY from_at";
    assert_eq!(
        by_card.list(segments).await,
        ["2026-11-21", "2026-12-21", "2027-01-21", "2027-02-21"]
    );
    // who pays by hand finds it ended, and one mail about it
    assert_eq!(by_pix.history().await, ["activated", "suspended", "expired"]);
    assert_eq!(by_pix.paid().await, [PRICE]);
    let mails = by_pix.mails().await;
    assert!(!mails.keys().any(|subject| subject.contains("suspensa")), "{mails:?}");
    assert_eq!(mails["Assinatura do plano Essencial expirada"], 1);
    check_books(&world).await;
}

#[actix_web::test]
async fn more_charges_than_five_in_a_day_wait_and_raise_an_alert() {
    let world = World::new().await;
    let life = Life::begin(&world).await;
    life.pay_by_card(ESSENCIAL, PRICE, GOOD_CARD).await;
    world.pass(365 * DAY).await;
    assert_eq!(life.paid().await.len(), 1 + 5);
    let alerts = "SELECT kind FROM alerts WHERE company_id = $1 AND closed_at IS NULL";
    assert_eq!(life.list(alerts).await, ["renewal.stopped"]);
    // the delay is ours: nothing is suspended meanwhile, and it goes on when the day is over
    assert_eq!(status(&life).await, "active");
    world.pass(DAY + 1).await;
    assert_eq!(life.paid().await.len(), 1 + 10);
    world.pass(DAY + 1).await;
    assert_eq!(life.paid().await.len(), 1 + 12);
    assert_eq!(life.subscription().await["nextBillingDate"], "2027-12-21T15:00:00Z");
    check_books(&world).await;
    assert_eq!(life.list(alerts).await, [""; 0], "the check closes what has gone on");
}

#[actix_web::test]
async fn a_card_that_fails_is_tried_five_times_and_no_more() {
    let world = World::new().await;
    let life = Life::begin(&world).await;
    life.pay_by_card(ESSENCIAL, PRICE, GOOD_CARD).await;
    life.change_card(FAILING_CARD).await;
    world.pass(FIRST).await;
    let mut tries = vec![failed(&life).await];
    for _ in 1..=16 {
        world.pass(DAY).await;
        tries.push(failed(&life).await);
    }
    assert_eq!(tries, [1, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 4, 4, 4, 5, 5, 5]);
    assert_eq!(status(&life).await, "expired");
    world.pass(30 * DAY).await;
    assert_eq!(failed(&life).await, 5, "an ended subscription is never charged");
    let kinds = "SELECT kind FROM renewal_steps WHERE company_id = $1 AND payment_id IS NOT NULL ORDER BY at";
    assert_eq!(
        life.list(kinds).await,
        ["charge_0", "charge_1", "charge_3", "charge_7", "charge_14"]
    );
    check_books(&world).await;
}

#[actix_web::test]
async fn a_card_whose_bank_has_agreed_to_its_saving_renews_without_its_holder() {
    let world = World::new().await;
    let life = Life::begin(&world).await;
    life.pay(ESSENCIAL, PRICE, Method::Pix).await;
    life.change_card(ONCE_ASKING_CARD).await;
    world.pass(FIRST).await;
    assert_eq!((life.paid().await, failed(&life).await), (vec![PRICE; 2], 0));
    assert_eq!(status(&life).await, "active");
}

#[actix_web::test]
async fn a_bank_that_asks_for_the_payer_gets_no_blind_retry() {
    let world = World::new().await;
    let life = Life::begin(&world).await;
    life.pay_by_card(ESSENCIAL, PRICE, GOOD_CARD).await;
    life.change_card(ASKING_CARD).await;
    world.pass(FIRST).await;
    world.pass(DAY).await;
    world.pass(2 * DAY).await;
    assert_eq!((failed(&life).await, status(&life).await), (1, "suspended".to_owned()));
    assert_eq!(life.mails().await["Confirme a renovação do plano Essencial"], 1);
    // a new default card is charged at once, and the old one again is not
    life.change_card(FAILING_CARD).await;
    assert_eq!(failed(&life).await, 2);
    life.change_card(GOOD_CARD).await;
    assert_eq!(life.paid().await, [PRICE; 2]);
    assert_eq!(status(&life).await, "active");
    check_books(&world).await;
}

#[actix_web::test]
async fn suspension_waits_for_an_open_payment_and_late_money_keeps_the_billing_day() {
    let world = World::new().await;
    let (boleto, unpaid) = (Life::begin(&world).await, Life::begin(&world).await);
    for life in [&boleto, &unpaid] {
        life.pay(ESSENCIAL, PRICE, Method::Pix).await;
    }
    world.pass(FIRST + 2 * DAY).await;
    let (payment, _) = boleto.open(ESSENCIAL, PRICE, None, Method::BankSlip).await;
    unpaid.open(ESSENCIAL, PRICE, None, Method::Pix).await;
    world.pass(DAY - 3_600).await;
    world.pass(3_600).await;
    assert_eq!(status(&boleto).await, "active", "processing is no delinquency");
    world.pass(DAY).await;
    assert_eq!(status(&unpaid).await, "suspended", "the PIX has ended unpaid");
    assert_eq!(unpaid.mails().await["Assinatura do plano Essencial suspensa"], 1);
    boleto.settle(&payment).await;
    assert_eq!(boleto.history().await, ["activated", "renewed"]);
    let view = boleto.subscription().await;
    assert_eq!(view["nextBillingDate"], "2027-01-21T15:00:00Z");
    // suspended, and paid on day 10: the same day of the month
    world.pass(6 * DAY).await;
    unpaid.pay(ESSENCIAL, PRICE, Method::Pix).await;
    let view = unpaid.subscription().await;
    assert_eq!(
        (&view["status"], &view["nextBillingDate"]),
        (&json!("active"), &json!("2027-01-21T15:00:00Z"))
    );
    check_books(&world).await;
}

#[actix_web::test]
async fn who_pays_by_hand_is_reminded_once_each_time_with_a_link_that_needs_a_sign_in() {
    let world = World::new().await;
    let life = Life::begin(&world).await;
    life.pay(ESSENCIAL, PRICE, Method::Pix).await;
    for _ in 0..48 {
        world.pass(DAY).await;
        // a second look at the same instant finds nothing to do
        world.app.actors.directory.renew(life.buyer.company).await.unwrap();
    }
    let kinds = "SELECT kind FROM renewal_steps WHERE company_id = $1 ORDER BY at";
    assert_eq!(
        life.list(kinds).await,
        ["ahead_7", "ahead_3", "ahead_1", "due", "reminder_1", "reminder_7", "reminder_14"]
    );
    let mails = life.mails().await;
    assert_eq!(mails["Sua assinatura do plano Essencial vence"], 3, "{mails:?}");
    assert_eq!(mails["Pagamento em aberto: plano Essencial"], 2);
    assert_eq!(mails["Assinatura do plano Essencial suspensa"], 1);
    assert_eq!(mails["Assinatura do plano Essencial expira"], 2);
    assert_eq!(mails["Assinatura do plano Essencial expirada"], 1);
    let address = format!("{}@example.com", life.buyer.user);
    let days = "SELECT DISTINCT substring(body_text FROM 'Expir(?:a|ou) em: ([0-9/]+)') FROM mailbox \
         WHERE recipient = $1 AND body_text ~ 'Expir(a|ou) em: '";
    let told = world.owner.query(days, &[&address]).await.unwrap();
    assert_eq!(told.len(), 1, "the suspension, its reminders and the end name one day");
    let link = format!("/plans?companyId={}&pay=renewal&method=PIX", life.buyer.company);
    let links =
        "SELECT count(*) FROM mailbox WHERE recipient = $1 AND position($2 in body_text) > 0";
    let found: i64 = world.owner.query_one(links, &[&address, &link]).await.unwrap().get(0);
    assert_eq!(found, 8, "all but the last mail");
    assert_eq!(life.paid().await, [PRICE], "nothing is paid without the payer");
}

#[actix_web::test]
async fn credit_renews_first_and_a_suspended_company_is_not_charged() {
    let world = World::new().await;
    let (rich, held) = (Life::begin(&world).await, Life::begin(&world).await);
    for life in [&rich, &held] {
        life.pay_by_card(ESSENCIAL, PRICE, GOOD_CARD).await;
    }
    let credit = "INSERT INTO credit_entries (id, company_id, kind, source, amount_cents, at) \
         VALUES (gen_random_uuid(), $1, 'unapplied_payment', 'a test', $2, now())";
    world.owner.execute(credit, &[&rich.buyer.company, &(PRICE * 2 + 1_000)]).await.unwrap();
    let hold = "UPDATE companies SET status = 'suspended' WHERE id = $1";
    world.owner.execute(hold, &[&held.buyer.company]).await.unwrap();
    // two periods at once from the credit, the third with what is left of it
    world.pass(65 * DAY).await;
    assert_eq!(rich.history().await, ["activated", "renewed", "renewed"]);
    assert_eq!(rich.paid().await, [PRICE]);
    let mails = rich.mails().await;
    let documents = mails.keys().filter(|subject| subject.starts_with("Demonstrativo "));
    assert_eq!(documents.count(), 2, "{mails:?}");
    world.pass(30 * DAY).await;
    assert_eq!(rich.paid().await, [PRICE, PRICE - 1_000]);
    assert_eq!(rich.subscription().await["creditBalance"], json!(0));
    assert_eq!(held.paid().await, [PRICE]);
    assert_eq!(held.history().await, ["activated", "suspended", "expired"]);
    check_books(&world).await;
}

#[actix_web::test]
async fn two_nodes_and_the_payer_charge_a_period_once() {
    let world = World::new().await;
    let other = world.second_actors();
    let life = Life::begin(&world).await;
    life.pay_by_card(ESSENCIAL, PRICE, GOOD_CARD).await;
    for month in 1..=3 {
        world.app.db.clock().advance(31 * DAY);
        let (one, two) = (&world.app.actors.directory, &other.directory);
        let company = life.buyer.company;
        let looks =
            [one.renew(company), two.renew(company), one.renew(company), two.renew(company)];
        for look in futures_util::future::join_all(looks).await {
            look.unwrap();
        }
        world.pass(0).await;
        assert_eq!(life.paid().await.len(), 1 + month);
    }
    check_books(&world).await;
}

#[actix_web::test]
async fn a_canceled_subscription_is_told_of_its_end_and_not_charged() {
    let world = World::new().await;
    let life = Life::begin(&world).await;
    life.pay_by_card(ESSENCIAL, PRICE, GOOD_CARD).await;
    world.pass(DAY).await;
    life.cancel(EndAt::PeriodEnd).await;
    for _ in 0..40 {
        world.pass(DAY).await;
    }
    assert_eq!(life.history().await, ["activated", "canceled", "expired"]);
    let mails = life.mails().await;
    assert_eq!(mails["Assinatura do plano Essencial cancelada"], 1, "{mails:?}");
    assert_eq!(mails["Assinatura do plano Essencial expira"], 1, "{mails:?}");
    assert_eq!(mails["Assinatura do plano Essencial expirada"], 1, "{mails:?}");
    assert_eq!(life.paid().await, [PRICE]);
    check_books(&world).await;
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Habit {
    Card,
    Quarterly,
    FailingCard,
    OnTime,
    Late,
    Never,
}

const HABITS: [Habit; 6] =
    [Habit::Card, Habit::Quarterly, Habit::FailingCard, Habit::OnTime, Habit::Late, Habit::Never];

async fn begin<'a>(world: &'a World, habit: Habit) -> Life<'a> {
    let life = Life::begin(world).await;
    match habit {
        Habit::Card | Habit::FailingCard => life.pay_by_card(ESSENCIAL, PRICE, GOOD_CARD).await,
        Habit::Quarterly => {
            life.pay_by_card(("Essencial", Quarterly), 12_725, GOOD_CARD).await;
        }
        Habit::OnTime | Habit::Late | Habit::Never => life.pay(ESSENCIAL, PRICE, Method::Pix).await,
    }
    if habit == Habit::FailingCard {
        life.change_card(FAILING_CARD).await;
    }
    life
}

/// Companies whose paid period ends before tomorrow; nobody else has anything to do.
async fn due(world: &World) -> HashSet<CompanyId> {
    let sql = "SELECT company_id FROM debit_segments GROUP BY company_id HAVING max(to_at) < $1";
    let tomorrow = world.app.db.clock().now() + SignedDuration::from_hours(24);
    let rows = world.owner.query(sql, &[&tomorrow]).await.unwrap();
    rows.iter().map(|row| row.get(0)).collect()
}

/// What the people of a company do today.
async fn act(life: &Life<'_>, habit: Habit) {
    if !matches!(habit, Habit::OnTime | Habit::Late) {
        return;
    }
    let view = life.subscription().await;
    let due = view["daysUntilExpiry"] == 0;
    if due && (habit == Habit::OnTime || view["status"] == "suspended") {
        life.pay(ESSENCIAL, PRICE, Method::Pix).await;
    }
}

#[actix_web::test]
async fn companies_live_four_hundred_days_on_two_nodes() {
    let world = World::new().await;
    let other = world.second_actors();
    let mut lives = Vec::new();
    // Two of each habit.
    let companies = usize::try_from(count("BIPE_COMPANIES", 12)).unwrap();
    for habit in HABITS.into_iter().cycle().take(companies) {
        lives.push((habit, begin(&world, habit).await));
    }
    let (days, mut periods) = (400, 0);
    for _ in 0..days {
        world.app.db.clock().advance(DAY);
        let (one, two) = (&world.app.actors.jobs, &other.jobs);
        let (one, two) = futures_util::future::join(one.run_all_due(), two.run_all_due()).await;
        one.unwrap();
        two.unwrap();
        world.pass(0).await;
        let due = due(&world).await;
        for (habit, life) in lives.iter().filter(|(_, life)| due.contains(&life.buyer.company)) {
            act(life, *habit).await;
        }
    }
    for (habit, life) in &lives {
        let (payments, state, steps) = match habit {
            // 13 renewals from December to December
            Habit::Card => (14, "active", vec![("charge_0", 13), ("paid", 13)]),
            Habit::Quarterly => {
                (5, "active", vec![("charge_0", 4), ("charge_notice", 4), ("paid", 4)])
            }
            Habit::FailingCard => (
                1,
                "expired",
                vec![
                    ("charge_0", 1),
                    ("charge_1", 1),
                    ("charge_14", 1),
                    ("charge_3", 1),
                    ("charge_7", 1),
                ],
            ),
            Habit::OnTime => (
                14,
                "active",
                vec![("ahead_1", 13), ("ahead_3", 13), ("ahead_7", 13), ("due", 13), ("paid", 13)],
            ),
            Habit::Late => (
                14,
                "active",
                vec![
                    ("ahead_1", 13),
                    ("ahead_3", 13),
                    ("ahead_7", 13),
                    ("due", 13),
                    ("paid", 13),
                    ("reminder_1", 13),
                ],
            ),
            Habit::Never => (
                1,
                "expired",
                vec![
                    ("ahead_1", 1),
                    ("ahead_3", 1),
                    ("ahead_7", 1),
                    ("due", 1),
                    ("reminder_1", 1),
                    ("reminder_14", 1),
                    ("reminder_7", 1),
                ],
            ),
        };
        assert_eq!(life.paid().await.len(), payments, "{habit:?}");
        assert_eq!(status(life).await, state, "{habit:?}");
        let sql = "SELECT kind || ' ' || count(*) FROM renewal_steps WHERE company_id = $1 \
             GROUP BY kind ORDER BY kind COLLATE \"C\"";
        let steps: Vec<String> = steps.iter().map(|(kind, n)| format!("{kind} {n}")).collect();
        assert_eq!(life.list(sql).await, steps, "{habit:?}");
        periods += payments;
    }
    check_books(&world).await;
    figures(&[("companies", lives.len()), ("days", days), ("periods", periods)]);
}
