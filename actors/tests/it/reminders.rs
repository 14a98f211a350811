//! Two notices fall due at one moment, and the payer gets one; none of what is paid by then; and what an end leaves.

use bipe_actors::billing_workflow::Task;
use bipe_core::money::Cents;
use bipe_core::payment_method::Method;
use bipe_core::plan::BillingCycle::Quarterly;
use bipe_core::subscription::decide::EndAt;
use serde_json::{Value, json};

use crate::life::{ASKING_CARD, DAY, ESSENCIAL, FAILING_CARD, FIRST, GOOD_CARD, Life, PRICE};
use crate::support::World;

const DUE: &str = "Pagamento em aberto: plano Essencial";
const REFUSED: &str = "Não conseguimos renovar o plano Essencial";
const ASKED: &str = "Confirme a renovação do plano Essencial";
const TOLD: &str = "SELECT topic FROM notifications WHERE company_id = $1 AND topic LIKE ANY \
     (ARRAY['renewal.%', 'subscription.%']) ORDER BY at";

#[actix_web::test]
async fn a_suspension_that_a_downtime_made_late_comes_without_a_reminder() {
    let world = World::new().await;
    let life = Life::begin(&world).await;
    life.pay(ESSENCIAL, PRICE, Method::Pix).await;
    world.pass(FIRST + 8 * DAY).await;
    let mails = life.mails().await;
    assert_eq!(mails["Assinatura do plano Essencial suspensa"], 1, "{mails:?}");
    assert!(!mails.contains_key("Assinatura do plano Essencial expira"), "{mails:?}");
    assert_eq!(life.list(TOLD).await, ["subscription.suspended"]);
    world.pass(6 * DAY).await;
    assert_eq!(life.mails().await["Assinatura do plano Essencial expira"], 1);
    assert_eq!(life.list(TOLD).await, ["subscription.suspended", "subscription.expiring"]);
}

#[actix_web::test]
async fn a_card_that_is_not_charged_any_more_brings_no_reminder_beside_its_refusal() {
    let world = World::new().await;
    let life = Life::begin(&world).await;
    life.pay_by_card(ESSENCIAL, PRICE, GOOD_CARD).await;
    life.change_card(ASKING_CARD).await;
    world.pass(FIRST).await;
    let mails = life.mails().await;
    assert_eq!((mails.get(ASKED), mails.get(DUE)), (Some(&1), None), "{mails:?}");
    assert_eq!(life.list(TOLD).await, ["renewal.confirmation"]);
    world.pass(DAY).await;
    let mails = life.mails().await;
    assert_eq!((mails.get(ASKED), mails.get(DUE)), (Some(&1), Some(&1)), "{mails:?}");
    assert_eq!(life.list(TOLD).await, ["renewal.confirmation", "renewal.due"]);
}

#[actix_web::test]
async fn who_is_to_be_charged_is_told_in_time_that_the_card_expires_before() {
    let world = World::new().await;
    let (expired, valid) = (Life::begin(&world).await, Life::begin(&world).await);
    for (life, month) in [(&expired, 1), (&valid, 2)] {
        life.pay_by_card(("Essencial", Quarterly), 12_725, GOOD_CARD).await;
        let until =
            "UPDATE payment_methods SET exp_year = 2027, exp_month = $2 WHERE company_id = $1";
        world.owner.execute(until, &[&life.buyer.company, &month]).await.unwrap();
    }
    // The renewal is on 21 February 2027.
    world.pass(86 * DAY).await;
    let texts = "SELECT body_text FROM mailbox WHERE recipient = $1 AND subject LIKE 'Renovação do plano %'";
    for (life, is_told) in [(&expired, true), (&valid, false)] {
        let to = format!("{}@example.com", life.buyer.user);
        let text: String = world.owner.query_one(texts, &[&to]).await.unwrap().get(0);
        assert_eq!(text.contains("Esse cartão vence antes disso"), is_told, "{text}");
        assert_eq!(text.contains("Você não precisa fazer nada"), !is_told, "{text}");
    }
}

#[actix_web::test]
async fn a_plan_that_renews_by_its_credit_counts_no_days_to_its_end() {
    let world = World::new().await;
    let life = Life::begin(&world).await;
    life.pay(ESSENCIAL, PRICE, Method::Pix).await;
    world.pass(FIRST - 5 * DAY).await;
    let shown = async || {
        let view = life.subscription().await;
        (view["state"]["kind"].clone(), view["daysUntilExpiry"].clone())
    };
    assert_eq!(shown().await, (json!("expiring"), json!(5)));
    let credit = "INSERT INTO credit_entries (id, company_id, kind, source, amount_cents, at) \
         VALUES (gen_random_uuid(), $1, 'unapplied_payment', 'a test', $2, now())";
    world.owner.execute(credit, &[&life.buyer.company, &PRICE]).await.unwrap();
    assert_eq!(shown().await, (json!("renews"), Value::Null));
    // Nobody has renewed it yet.
    world.app.db.clock().advance(5 * DAY);
    assert_eq!(shown().await, (json!("renews"), Value::Null));
}

#[actix_web::test]
async fn a_second_card_that_is_refused_on_the_same_day_is_told_like_the_first() {
    let world = World::new().await;
    let life = Life::begin(&world).await;
    life.pay_by_card(ESSENCIAL, PRICE, GOOD_CARD).await;
    life.change_card(FAILING_CARD).await;
    world.pass(FIRST).await;
    assert_eq!(life.list(TOLD).await, ["renewal.failed"]);
    world.pass(3_600).await;
    life.change_card(FAILING_CARD).await;
    assert_eq!(life.mails().await.get(REFUSED), Some(&2));
    assert_eq!(life.list(TOLD).await, ["renewal.failed"; 2]);
}

#[actix_web::test]
async fn who_wants_nothing_about_refusals_gets_the_reminder_in_its_place() {
    let world = World::new().await;
    let life = Life::begin(&world).await;
    let off = "INSERT INTO notification_preferences (user_id, kind, screen, email, updated_at) \
         VALUES ($1, 'payment_refused', false, false, now())";
    world.owner.execute(off, &[&life.buyer.user]).await.unwrap();
    life.pay_by_card(ESSENCIAL, PRICE, GOOD_CARD).await;
    life.change_card(ASKING_CARD).await;
    world.pass(FIRST).await;
    let mails = life.mails().await;
    assert_eq!((mails.get(ASKED), mails.get(DUE)), (None, Some(&1)), "{mails:?}");
    assert_eq!(life.list(TOLD).await, ["renewal.due"]);
}

#[actix_web::test]
async fn a_reminder_that_waited_for_the_mail_server_is_not_sent_once_nothing_is_owed() {
    let world = World::new().await;
    let (paid, unpaid) = (Life::begin(&world).await, Life::begin(&world).await);
    let canceled = Life::begin(&world).await;
    for life in [&paid, &canceled, &unpaid] {
        life.pay(ESSENCIAL, PRICE, Method::Pix).await;
    }
    world.app.db.clock().advance(FIRST);
    for life in [&paid, &canceled, &unpaid] {
        world.app.actors.directory.renew(life.buyer.company).await.unwrap();
    }
    let wait = "UPDATE jobs SET run_at = run_at + interval '1 hour' WHERE kind = 'mail'";
    assert_eq!(world.owner.execute(wait, &[]).await.unwrap(), 3);
    paid.pay(ESSENCIAL, PRICE, Method::Pix).await;
    canceled.cancel(EndAt::PeriodEnd).await;
    world.pass(3_600).await;
    for (life, mails) in [(&paid, None), (&canceled, None), (&unpaid, Some(&1))] {
        assert_eq!(life.mails().await.get(DUE), mails);
    }
}

#[actix_web::test]
async fn a_charge_is_not_announced_late_once_the_subscription_was_canceled() {
    let world = World::new().await;
    let (canceled, running) = (Life::begin(&world).await, Life::begin(&world).await);
    for life in [&canceled, &running] {
        life.pay_by_card(("Essencial", Quarterly), 12_725, GOOD_CARD).await;
    }
    // The renewal is on 21 February 2027.
    world.app.db.clock().advance(86 * DAY);
    for life in [&canceled, &running] {
        world.app.actors.directory.renew(life.buyer.company).await.unwrap();
    }
    let wait = "UPDATE jobs SET run_at = run_at + interval '1 hour' WHERE kind = 'mail'";
    assert_eq!(world.owner.execute(wait, &[]).await.unwrap(), 2);
    canceled.cancel(EndAt::PeriodEnd).await;
    world.pass(3_600).await;
    for (life, mails) in [(&canceled, None), (&running, Some(&1))] {
        assert_eq!(life.mails().await.get("Renovação do plano Essencial"), mails);
    }
}

#[actix_web::test]
async fn a_code_that_waited_for_the_mail_server_is_not_sent_once_it_is_paid_or_cancelled() {
    let world = World::new().await;
    let (paid, cancelled) = (Life::begin(&world).await, Life::begin(&world).await);
    let waiting = Life::begin(&world).await;
    let (settled, _) = paid.open(ESSENCIAL, PRICE, None, Method::Pix).await;
    let (closed, _) = cancelled.open(ESSENCIAL, PRICE, None, Method::Pix).await;
    waiting.open(ESSENCIAL, PRICE, None, Method::Pix).await;
    let wait = "UPDATE jobs SET run_at = run_at + interval '1 hour' WHERE kind = 'mail'";
    assert_eq!(world.owner.execute(wait, &[]).await.unwrap(), 3);
    paid.settle(&settled).await;
    let task = Task::of(world.scope(cancelled.buyer).await, closed.id);
    world.app.actors.directory.cancel(task, None).await.unwrap();
    world.pass(3_600).await;
    for (life, mails) in [(&paid, None), (&cancelled, None), (&waiting, Some(&1))] {
        assert_eq!(life.mails().await.get("Pagamento pendente: plano Essencial"), mails);
    }
}

#[actix_web::test]
async fn who_ends_a_plan_at_once_is_mailed_what_became_credit() {
    let world = World::new().await;
    let life = Life::begin(&world).await;
    life.pay(ESSENCIAL, PRICE, Method::Pix).await;
    world.pass(10 * DAY).await;
    life.cancel(EndAt::Now).await;
    world.pass(0).await;
    names_the_credit(&life, "Assinatura do plano Essencial cancelada").await;
}

#[actix_web::test]
async fn who_ends_a_plan_on_a_day_is_mailed_at_its_end_what_became_credit() {
    let world = World::new().await;
    let life = Life::begin(&world).await;
    life.pay(ESSENCIAL, PRICE, Method::Pix).await;
    world.pass(10 * DAY).await;
    life.cancel(EndAt::Day("2026-12-10".parse().unwrap())).await;
    world.pass(12 * DAY).await;
    names_the_credit(&life, "Assinatura do plano Essencial expirada").await;
}

async fn names_the_credit(life: &Life<'_>, subject: &str) {
    let owner = &life.world.owner;
    let credit =
        "SELECT amount_cents FROM credit_entries WHERE company_id = $1 AND kind = 'early_end'";
    let credit: i64 = owner.query_one(credit, &[&life.buyer.company]).await.unwrap().get(0);
    let told = "SELECT amount_cents FROM subscription_history WHERE company_id = $1 \
         AND type IN ('canceled', 'expired') ORDER BY line_number DESC LIMIT 1";
    let told: Option<i64> = owner.query_one(told, &[&life.buyer.company]).await.unwrap().get(0);
    assert_eq!(told, Some(credit), "in the history");
    let text = "SELECT body_text FROM mailbox WHERE recipient = $1 AND subject = $2";
    let to = format!("{}@example.com", life.buyer.user);
    let text: String = owner.query_one(text, &[&to, &subject]).await.unwrap().get(0);
    let named = format!("que restavam, {}, virou crédito", Cents(credit));
    assert!(text.contains(&named), "{named}: {text}");
}

#[actix_web::test]
async fn who_cancels_to_an_end_within_days_is_mailed_that_end_once() {
    let world = World::new().await;
    let (moved, late) = (Life::begin(&world).await, Life::begin(&world).await);
    for life in [&moved, &late] {
        life.pay(ESSENCIAL, PRICE, Method::Pix).await;
    }
    moved.cancel(EndAt::PeriodEnd).await;
    world.pass(10 * DAY).await;
    moved.cancel(EndAt::Day("2026-12-02".parse().unwrap())).await;
    world.app.actors.directory.renew(moved.buyer.company).await.unwrap();
    // Two days before its end.
    world.pass(18 * DAY).await;
    late.cancel(EndAt::PeriodEnd).await;
    world.app.actors.directory.renew(late.buyer.company).await.unwrap();
    world.pass(0).await;
    for (life, cancellations) in [(&moved, 2), (&late, 1)] {
        let mails = life.mails().await;
        assert_eq!(mails["Assinatura do plano Essencial cancelada"], cancellations, "{mails:?}");
        assert_eq!(mails.get("Assinatura do plano Essencial expira"), None, "{mails:?}");
    }
}
