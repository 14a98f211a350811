//! A company's year in minutes: bought, renewed, a card that fails, suspension, recovery, an upgrade inside
//! the period, a downgrade at its end, cancellation and return. Every amount is compared with one that is
//! calculated here, from nothing but the price list and the calendar.

use bipe_core::payment_method::Method;
use bipe_core::plan::BillingCycle::{Monthly, Quarterly};
use bipe_core::subscription::decide::{EndAt, Endpoint};
use jiff::Timestamp;
use jiff::civil::Date;
use serde_json::json;

use crate::life::{DAY, FAILING_CARD, GOOD_CARD, Life, check_books};
use crate::support::World;

const ESSENCIAL: i64 = 4_990;
const PROFISSIONAL: i64 = 9_990;
const NEGOCIO_QUARTER: i64 = 50_975;

/// The instant `months` after the start, on its day or the last one of a shorter month. São Paulo has kept
/// three hours behind UTC since 2019, so a month of the calendar is all there is to it.
fn after(start: Timestamp, months: i32) -> Timestamp {
    let local = start.as_second() - 3 * 3600;
    let (day, second) = (local.div_euclid(86_400), local.rem_euclid(86_400));
    let date = Date::constant(1970, 1, 1).checked_add(jiff::Span::new().days(day)).unwrap();
    let month = i32::from(date.month()) - 1 + months;
    let (year, month) = (i32::from(date.year()) + month.div_euclid(12), month.rem_euclid(12) + 1);
    let first = Date::new(year.try_into().unwrap(), month.try_into().unwrap(), 1).unwrap();
    let last = first.days_in_month();
    let date = Date::new(first.year(), first.month(), date.day().min(last)).unwrap();
    let days = (date - Date::constant(1970, 1, 1)).get_days();
    Timestamp::from_second(i64::from(days) * 86_400 + second + 3 * 3600).unwrap()
}

/// `price * part / whole`, half away from zero.
fn share(price: i64, part: i64, whole: i64) -> i64 {
    let (n, d) = (i128::from(price) * i128::from(part), i128::from(whole));
    i64::try_from((2 * n + d).div_euclid(2 * d)).unwrap()
}

async fn until(life: &Life<'_>, at: Timestamp) {
    let left = at.as_second() - life.now().as_second();
    life.world.pass(u32::try_from(left).unwrap()).await;
}

async fn assert_state(life: &Life<'_>, status: &str, price: i64, next: Option<Timestamp>) {
    let view = life.subscription().await;
    assert_eq!(view["status"], status, "{view}");
    let reais = view["price"].as_f64().unwrap();
    assert!((reais * 100.0 - f64::from(i32::try_from(price).unwrap())).abs() < 0.01, "{view}");
    let expected = next.map_or(serde_json::Value::Null, |at| json!(at.to_string()));
    assert_eq!(view["nextBillingDate"], expected, "{view}");
}

#[actix_web::test]
async fn a_year_in_minutes_costs_what_the_price_list_and_the_calendar_say() {
    let world = World::new().await;
    let life = Life::begin(&world).await;
    let mut paid = Vec::new();

    // signs up and buys, the card is kept
    let anchor = life.now();
    life.pay_by_card(("Essencial", Monthly), ESSENCIAL, GOOD_CARD).await;
    paid.push(ESSENCIAL);
    assert_state(&life, "active", ESSENCIAL, Some(after(anchor, 1))).await;
    assert_eq!(life.subscription().await["daysUntilExpiry"], serde_json::Value::Null);
    assert_eq!(life.max_users().await, 10);

    // three renewals, month by month
    for month in 1..=3 {
        until(&life, after(anchor, month)).await;
        paid.push(ESSENCIAL);
        assert_eq!(life.paid().await, paid, "month {month}");
        assert_state(&life, "active", ESSENCIAL, Some(after(anchor, month + 1))).await;
    }

    // the card begins to fail: day 0, 1 and 3, then suspended
    life.change_card(FAILING_CARD).await;
    assert_eq!(life.paid().await, paid, "a new card charges nothing that is not due");
    let due = after(anchor, 4);
    until(&life, due).await;
    assert_state(&life, "active", ESSENCIAL, Some(due)).await;
    for days in [1, 2] {
        world.pass(days * DAY).await;
    }
    assert_state(&life, "suspended", ESSENCIAL, None).await;
    assert_eq!(life.max_users().await, 5, "the free plan's");
    let failed = "SELECT failure_code FROM payments WHERE company_id = $1 AND state = 'failed'";
    assert_eq!(life.list(failed).await, ["declined", "declined", "declined"]);

    // recovers on day 5 with another card; the billing day stays
    world.pass(2 * DAY).await;
    life.change_card(GOOD_CARD).await;
    paid.push(ESSENCIAL);
    assert_eq!(life.paid().await, paid);
    assert_state(&life, "active", ESSENCIAL, Some(after(anchor, 5))).await;
    assert_eq!(life.max_users().await, 10);

    // upgrade inside the period, by PIX
    world.pass(9 * DAY + 12_345).await;
    let (start, end) = (after(anchor, 4).as_second(), after(anchor, 5).as_second());
    let left = end - life.now().as_second();
    let upgrade = share(PROFISSIONAL, left, end - start) - share(ESSENCIAL, left, end - start);
    life.pay(("Profissional", Monthly), upgrade, Method::Pix).await;
    paid.push(upgrade);
    assert_eq!(life.paid().await, paid);
    assert_state(&life, "active", PROFISSIONAL, Some(after(anchor, 5))).await;
    assert_eq!(life.max_users().await, 50);
    until(&life, after(anchor, 5)).await;
    paid.push(PROFISSIONAL);
    assert_eq!(life.paid().await, paid);

    // downgrade at the end of the period
    world.pass(10 * DAY).await;
    let lower = life.choice("Essencial", Monthly).await;
    let scheduled = life.choose(Endpoint::Downgrade, Some(lower)).await;
    assert_eq!(scheduled["pendingChange"]["effectiveDate"], json!(after(anchor, 6).to_string()));
    assert_state(&life, "active", PROFISSIONAL, Some(after(anchor, 6))).await;
    // the downgrade is of that instant, the payment of a second later
    until(&life, Timestamp::from_second(after(anchor, 6).as_second() + 1).unwrap()).await;
    paid.push(ESSENCIAL);
    assert_eq!(life.paid().await, paid);
    assert_state(&life, "active", ESSENCIAL, Some(after(anchor, 7))).await;
    assert_eq!(life.max_users().await, 10);

    // cancels, runs to the end and is not charged again
    world.pass(8 * DAY).await;
    life.cancel(EndAt::PeriodEnd).await;
    until(&life, after(anchor, 7)).await;
    assert_state(&life, "expired", ESSENCIAL, None).await;
    assert_eq!(life.max_users().await, 5);
    world.pass(20 * DAY).await;
    assert_eq!(life.paid().await, paid);

    // comes back with another plan, quarterly, and renews once
    let back = life.now();
    life.pay_by_card(("Negócio", Quarterly), NEGOCIO_QUARTER, GOOD_CARD).await;
    paid.push(NEGOCIO_QUARTER);
    assert_state(&life, "active", NEGOCIO_QUARTER, Some(after(back, 3))).await;
    assert_eq!(life.max_users().await, 200);
    until(&life, Timestamp::from_second(after(back, 3).as_second() - 7 * 86_400).unwrap()).await;
    until(&life, after(back, 3)).await;
    paid.push(NEGOCIO_QUARTER);
    assert_eq!(life.paid().await, paid);
    assert_state(&life, "active", NEGOCIO_QUARTER, Some(after(back, 6))).await;

    assert_eq!(
        life.history().await,
        [
            "activated",
            "renewed",
            "renewed",
            "renewed",
            "renewal_failed",
            "renewal_failed",
            "renewal_failed",
            "suspended",
            "renewed",
            "upgraded",
            "renewed",
            "downgrade_scheduled",
            "downgraded",
            "renewed",
            "canceled",
            "expired",
            "activated",
            "renewed",
        ]
    );
    let moved = "SELECT kind || ' ' || arr_cents FROM movements WHERE company_id = $1 ORDER BY at";
    assert_eq!(
        life.list(moved).await,
        [
            "new 59880",
            "churn 59880",
            "reactivation 59880",
            "expansion 60000",
            "contraction 60000",
            "churn 59880",
            "reactivation 203900",
        ]
    );
    let balance =
        "SELECT coalesce(sum(amount_cents), 0)::text FROM credit_entries WHERE company_id = $1";
    assert_eq!(life.list(balance).await, ["0"]);
    check_books(&world).await;
    let mails = life.mails().await;
    let told = |subject: &str| mails.get(subject).copied().unwrap_or_default();
    assert_eq!(told("Não conseguimos renovar o plano Essencial"), 2, "{mails:?}");
    assert_eq!(told("Assinatura do plano Essencial suspensa"), 1, "{mails:?}");
    assert_eq!(told("Assinatura do plano Essencial expirada"), 1, "{mails:?}");
    assert_eq!(told("Renovação do plano Negócio"), 1, "{mails:?}");
    let receipts = "SELECT number::text FROM invoices WHERE company_id = $1 AND kind = 'payment'";
    let receipts = life.list(receipts).await.len();
    assert_eq!(receipts, life.paid().await.len());
    assert_eq!(told("Pagamento aprovado: recibo"), i64::try_from(receipts).unwrap(), "{mails:?}");
}
