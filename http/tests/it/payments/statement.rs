//! What a company reads about its money: the ledger, the statement and the figures agree with each other, with the
//! documents and with the balance.

use std::cell::Cell;

use bipe_testkit::Answer;
use futures_util::future::join;
use serde_json::{Value, json};

use super::desk::Desk;
use super::shop::{PRICE, Shop};

const NO_FUNDS: &str = "4000000000009995";
const DAY: u32 = 86_400;
const CHEAPER: i64 = 4990;

/// A company after its story, with the payments of it.
struct Scenario {
    shop: Shop,
    refused: Value,
    pix: Value,
    boleto: Value,
}

impl Scenario {
    /// A refused card; a boleto whose place a PIX takes; both paid; a part given back; a downgrade that the credit
    /// pays; an end in the middle of what is paid.
    async fn open() -> Self {
        let mut shop = Shop::open().await;
        let (refused, secret) = shop.begin(&shop.card(NO_FUNDS).await).await;
        shop.confirm(&refused, &secret.unwrap(), None).await;
        shop.server.pass(60).await;
        let (boleto, _) = shop.begin(&shop.boleto()).await;
        shop.server.pass(60).await;
        let mut pix = shop.pix();
        pix["replace"] = json!(true);
        let (pix, _) = shop.begin(&pix).await;
        shop.settle(&pix, "succeeded").await;
        shop.server.pass(60).await;
        shop.settle(&boleto, "succeeded").await;
        shop.server.pass(60).await;
        shop.refund(&pix, "990").await;
        shop.server.pass(60).await;
        let plans = shop.server.get("/api/subscriptions/plans").await.data(200)["plans"].clone();
        let cheaper = plans.as_array().unwrap().iter().find(|p| p["displayName"] == "Essencial");
        let lower = json!({"planId": cheaper.unwrap()["id"], "billingCycle": "monthly"});
        shop.command("/downgrade", &lower).await;
        shop.pass(31 * DAY).await;
        shop.server.pass(60).await;
        shop.command("/cancel-robust", &json!({"effectiveDate": "immediate"})).await;
        Self { shop, refused, pix, boleto }
    }
}

impl Shop {
    async fn command(&self, rest: &str, body: &Value) {
        let path = format!("/api/subscriptions/company/{}{rest}", self.company);
        self.server.post_as(&self.ana, &path, body).await.data(200);
    }

    async fn money(&self, rest: &str) -> Answer {
        let path = format!("/api/companies/{}{rest}", self.company);
        self.server.get_as(&self.ana, &path).await
    }

    async fn refuses_query(&self, path: &str, field: &str) {
        let refused = self.money(path).await;
        refused.refused(422, "VALIDATION_ERROR");
        let fields = refused.body["error"]["fields"].as_object().unwrap();
        assert!(fields.len() == 1 && fields.contains_key(field), "{path}: {fields:?}");
    }
}

fn cents(value: &Value) -> i64 {
    value.as_i64().unwrap_or_else(|| panic!("{value}"))
}

fn kinds(rows: &Value) -> Vec<String> {
    let text = |row: &Value| {
        let kind = row["creditKind"].as_str().or(row["kind"].as_str()).unwrap();
        format!("{kind} {}", row["amount"])
    };
    rows.as_array().unwrap().iter().map(text).collect()
}

#[actix_web::test]
async fn the_balance_after_the_newest_entry_is_the_companys_and_every_entry_says_what_moved_it() {
    let Scenario { shop, boleto, .. } = Scenario::open().await;
    let answer = shop.money("/balance").await;
    let data = answer.data(200);
    let entries = data["entries"].as_array().unwrap();
    let rest = shop.credit().await - (PRICE - CHEAPER);
    assert!(rest > 0, "the end gave something back");
    let expected = [
        format!("early_end {rest}"),
        format!("used {}", -CHEAPER),
        format!("unapplied_payment {PRICE}"),
    ];
    assert_eq!(kinds(&data["entries"]), expected);
    assert_eq!((cents(&data["balance"]), &data["next"]), (shop.credit().await, &Value::Null));
    assert_eq!(entries[0]["balance"], data["balance"]);
    let mut after = 0;
    for entry in entries.iter().rev() {
        after += cents(&entry["amount"]);
        assert_eq!(cents(&entry["balance"]), after, "{entry}");
    }
    let [end, used, late] = entries.as_slice() else { panic!("{entries:?}") };
    assert_eq!((&late["paymentId"], &late["invoiceId"]), (&boleto["id"], &boleto["id"]));
    assert_eq!((&late["method"], &late["planName"]), (&json!("BANK_SLIP"), &json!("Profissional")));
    let renewal = shop.money("/invoices?kind=change").await.data(200)["invoices"][0].clone();
    assert_eq!((&used["invoiceId"], &used["invoiceNumber"]), (&renewal["id"], &renewal["number"]));
    assert_eq!(
        (&used["change"], &used["planName"], &used["paymentId"]),
        (&json!("renewal"), &json!("Essencial"), &Value::Null)
    );
    assert_eq!((&end["planName"], &end["invoiceId"]), (&json!("Essencial"), &Value::Null));
}

#[actix_web::test]
async fn the_balance_is_that_after_the_newest_entry_also_while_entries_are_added() {
    let shop = Shop::open().await;
    let add = "INSERT INTO credit_entries (id, company_id, kind, source, amount_cents, at) \
         SELECT gen_random_uuid(), id, 'overpayment', gen_random_uuid()::text, 1, clock_timestamp() FROM companies";
    shop.owner.execute(add, &[]).await.unwrap();
    let is_over = Cell::new(false);
    let adding = async {
        while !is_over.get() {
            shop.owner.execute(add, &[]).await.unwrap();
        }
    };
    let reading = async {
        for _ in 0..60 {
            let answer = shop.money("/balance?limit=1").await;
            let data = answer.data(200);
            assert_eq!(data["entries"][0]["balance"], data["balance"]);
        }
        is_over.set(true);
    };
    join(adding, reading).await;
}

#[actix_web::test]
async fn credit_of_a_change_that_nobody_paid_leads_to_the_document_of_the_change() {
    let mut desk = Desk::open().await;
    desk.buy("Essencial", CHEAPER).await;
    // The next period too, shortly before it begins.
    desk.shop.pass(27 * DAY).await;
    desk.buy("Essencial", CHEAPER).await;
    desk.shop.pass(DAY).await;
    let choice = desk.choice("Profissional", "monthly");
    desk.send("POST", &desk.path("/upgrade"), &choice).await.data(200);
    let change = desk.shop.money("/invoices?kind=change").await.data(200)["invoices"][0].clone();
    let ledger = desk.shop.money("/balance").await.data(200)["entries"].clone();
    let entry = &ledger[0];
    assert_eq!(
        (&entry["kind"], &entry["change"], &entry["planName"], &entry["billingCycle"]),
        (&json!("proration"), &json!("upgrade"), &json!("Profissional"), &json!("monthly"))
    );
    assert_eq!((&entry["invoiceId"], &entry["paymentId"]), (&change["id"], &Value::Null));
    assert!(cents(&entry["amount"]) > 0 && entry["amount"] == entry["balance"], "{entry}");
    assert_eq!(cents(&entry["balance"]), desk.shop.credit().await);
}

#[actix_web::test]
async fn the_ledger_is_read_part_by_part_and_by_days() {
    let Scenario { shop, .. } = Scenario::open().await;
    let whole = shop.money("/balance").await.data(200)["entries"].clone();
    let (mut read, mut before) = (Vec::new(), String::new());
    loop {
        let part = shop.money(&format!("/balance?limit=1&before={before}")).await;
        let part = part.data(200);
        assert_eq!(cents(&part["balance"]), shop.credit().await, "of the company, on every part");
        read.extend(part["entries"].as_array().unwrap().clone());
        let Some(next) = part["next"].as_str() else { break };
        before = next.to_owned();
    }
    assert_eq!(json!(read), whole);
    for (query, from, to) in [
        ("?from=2026-11-21&to=2026-11-21", 2, 3),
        ("?from=2026-12-21", 0, 2),
        ("?to=2026-11-20", 3, 3),
        ("?from=&to=", 0, 3),
    ] {
        let found = shop.money(&format!("/balance{query}")).await.data(200)["entries"].clone();
        assert_eq!(found.as_array().unwrap(), &whole.as_array().unwrap()[from..to], "{query}");
    }
    let nobody = shop.company;
    for (path, field) in [
        ("/balance?limit=0".to_owned(), "limit"),
        ("/balance?limit=101".to_owned(), "limit"),
        ("/balance?before=1".to_owned(), "before"),
        (format!("/balance?before={nobody}"), "before"),
        ("/balance?from=2026-11-22&to=2026-11-21".to_owned(), "to"),
        ("/transactions?kind=payment".to_owned(), "kind"),
        ("/transactions?from=21%2F11%2F2026".to_owned(), "from"),
        ("/transactions?limit=101".to_owned(), "limit"),
        (format!("/transactions?search={}", "a".repeat(101)), "search"),
        ("/spending?months=25".to_owned(), "months"),
        ("/spending?months=".to_owned(), "months"),
    ] {
        shop.refuses_query(&path, field).await;
    }
}

#[actix_web::test]
async fn the_statement_has_a_line_for_everything_and_its_sums_are_those_of_the_documents() {
    let Scenario { shop, refused, pix, boleto } = Scenario::open().await;
    let answer = shop.money("/transactions?limit=100").await;
    let data = answer.data(200);
    let rest = shop.credit().await - (PRICE - CHEAPER);
    let expected = [
        format!("early_end {rest}"),
        format!("used {}", -CHEAPER),
        "refund 990".to_owned(),
        format!("unapplied_payment {PRICE}"),
        format!("charge {PRICE}"),
        format!("charge {PRICE}"),
        format!("attempt {PRICE}"),
    ];
    let lines = data["transactions"].as_array().unwrap();
    let mut told = kinds(&data["transactions"]);
    // The late boleto is a charge and a credit of the same instant, in either order.
    told[3..5].sort_by(|a, b| b.cmp(a));
    assert_eq!(told, expected);
    let attempt = &lines[6];
    assert_eq!(
        (&attempt["id"], &attempt["status"], &attempt["failureCode"]),
        (&refused["id"], &json!("FAILED"), &json!("insufficient_funds"))
    );
    assert_eq!(
        (&attempt["planName"], &attempt["invoiceId"]),
        (&json!("Profissional"), &Value::Null)
    );
    assert_eq!((&lines[5]["id"], &lines[5]["invoiceNumber"]), (&pix["id"], &json!(1)));
    assert_eq!((&lines[2]["paymentId"], &lines[2]["invoiceNumber"]), (&pix["id"], &json!(3)));
    let late = lines.iter().find(|line| line["id"] == boleto["id"]).unwrap();
    assert_eq!((&late["kind"], &late["status"]), (&json!("charge"), &json!("SUCCESS")));

    let documents = shop.money("/invoices").await;
    let documents = documents.data(200);
    assert_eq!((cents(&data["paid"]), cents(&data["refunded"])), (2 * PRICE, 990));
    assert_eq!((&data["paid"], &data["refunded"]), (&documents["paid"], &documents["refunded"]));
    let kept = cents(&data["credited"]) - cents(&data["creditUsed"]);
    assert_eq!(kept, shop.credit().await, "what was credited and not used is the balance");
    assert_eq!((&data["failed"], &data["total"], &data["page"]), (&json!(1), &json!(7), &json!(1)));
}

#[actix_web::test]
async fn the_statement_finds_what_people_see_and_adds_up_what_it_finds() {
    let Scenario { shop, pix, .. } = Scenario::open().await;
    let intent = pix["transactionId"].as_str().unwrap();
    for (query, count, paid) in [
        ("?kind=charge", 2, 2 * PRICE),
        ("?kind=credit", 3, 0),
        ("?kind=refund", 1, 0),
        ("?kind=attempt", 1, 0),
        ("?search=PROFISSIONAL", 5, 2 * PRICE),
        ("?search=essencial", 2, 0),
        ("?search=boleto", 2, PRICE),
        ("?search=cartao%20de%20credito", 1, 0),
        ("?search=99%2C90", 4, 2 * PRICE),
        ("?search=R$%2099%2C90", 4, 2 * PRICE),
        ("?search=000003", 1, 0),
        (&*format!("?search={intent}"), 2, PRICE),
        ("?search=99%2C90&kind=charge&from=2026-11-21&to=2026-11-21", 2, 2 * PRICE),
        ("?from=2026-11-22", 2, 0),
        ("?search=nada", 0, 0),
    ] {
        let answer = shop.money(&format!("/transactions{query}")).await;
        let data = answer.data(200);
        assert_eq!((cents(&data["total"]), cents(&data["paid"])), (count, paid), "{query}");
        assert_eq!(i64::try_from(data["transactions"].as_array().unwrap().len()).unwrap(), count);
    }
    let (mut read, whole) = (Vec::new(), shop.money("/transactions").await);
    for page in 1..=4 {
        let part = shop.money(&format!("/transactions?limit=2&page={page}")).await;
        read.extend(part.data(200)["transactions"].as_array().unwrap().clone());
    }
    assert_eq!(&json!(read), &whole.data(200)["transactions"]);
}

#[actix_web::test]
async fn the_months_of_the_figures_add_up_to_the_statement() {
    let Scenario { mut shop, .. } = Scenario::open().await;
    shop.pass(30 * DAY).await;
    let figures = shop.money("/spending?months=3").await;
    let figures = figures.data(200);
    let months = figures["months"].as_array().unwrap();
    let names: Vec<&str> = months.iter().map(|month| month["month"].as_str().unwrap()).collect();
    assert_eq!(names, ["2026-11", "2026-12", "2027-01"]);
    let statement = shop.money("/transactions?from=2026-11-01").await;
    let statement = statement.data(200);
    for name in ["paid", "refunded", "failed"] {
        let sum: i64 = months.iter().map(|month| cents(&month[name])).sum();
        assert_eq!(sum, cents(&statement[name]), "{name}");
    }
    let first =
        json!({"month": "2026-11", "paid": 2 * PRICE, "refunded": 990, "payments": 2, "failed": 1});
    assert_eq!(months[0], first);
    let plans =
        json!([{"planName": "Profissional", "paid": 2 * PRICE, "months": [2 * PRICE, 0, 0]}]);
    assert_eq!(figures["plans"], plans);
    let mut methods = figures["methods"].as_array().unwrap().clone();
    methods.sort_by_key(|method| method["method"].as_str().unwrap().to_owned());
    let paid = ["BANK_SLIP", "PIX"].map(|m| json!({"method": m, "paid": PRICE, "payments": 1}));
    assert_eq!(methods, paid);
    assert_eq!(figures["failures"], json!([{"reason": "insufficient_funds", "attempts": 1}]));
    // What is older than the months that are asked for is in none of them.
    let january = shop.money("/spending?months=1").await.data(200).clone();
    assert_eq!(january["months"].as_array().unwrap().len(), 1);
    assert_eq!(january["plans"], json!([]));
}
