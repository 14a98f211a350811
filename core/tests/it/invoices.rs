//! Documents: numbers without a gap under parallel work, failures and retries, what they freeze, and what has none yet.

use bipe_core::Error;
use bipe_core::company::lock;
use bipe_core::db::CompanyTx;
use bipe_core::error::Code;
use bipe_core::event::{Channel, EventName, NewEvent};
use bipe_core::id::{CompanyId, InvoiceId, PaymentId};
use bipe_core::invoice::store::{Totals, issue, load, page};
use bipe_core::invoice::{
    Draft, InvoiceKind, InvoicePeriod, Issuer, Line, LineKind, backfill, issuer,
};
use bipe_core::money::Cents;
use bipe_core::plan::BillingCycle;
use bipe_core::scope::{CompanyScope, JobScope};
use bipe_core::search::Filter;
use bipe_core::testing::{self, TestDb, until_waiting};
use futures_util::future::join_all;
use tokio_postgres::Client;

struct Desk {
    test: TestDb,
    owner: Client,
}

impl Desk {
    async fn open() -> Self {
        let test = TestDb::new().await;
        test.load_plans().await;
        let owner = test.owner().await;
        Self { test, owner }
    }

    async fn company(&self, name: &str) -> CompanyId {
        testing::company(&self.owner, self.test.db.clock(), name).await.id
    }

    async fn tx(&self, company: CompanyId) -> CompanyTx {
        let scope = CompanyScope::of_job(&JobScope::of_test(), company);
        self.test.db.company_tx(&scope).await.unwrap()
    }

    /// A renewal from the credit.
    fn change(&self, cents: i64) -> Draft {
        let at = self.test.db.clock().now();
        Draft {
            id: InvoiceId::new(self.test.db.clock()),
            kind: InvoiceKind::Change,
            at,
            by: None,
            plan_name: "Negócio".into(),
            cycle: BillingCycle::Monthly,
            period: Some(InvoicePeriod { start: at, end: at }),
            lines: vec![
                Line { kind: LineKind::Plan, amount: Cents(cents) },
                Line { kind: LineKind::CreditUsed, amount: Cents(-cents) },
            ],
            became_credit: false,
            payment: None,
        }
    }

    async fn issued(&self, company: CompanyId, draft: Draft) -> InvoiceId {
        let id = draft.id;
        let mut tx = self.tx(company).await;
        issue(&mut lock(&mut tx).await.unwrap(), draft, Cents::ZERO).await.unwrap();
        tx.commit().await.unwrap();
        id
    }

    /// A payment as a build without documents has left it.
    async fn old_payment(&self, company: CompanyId, at: &str, refunded: i64) -> PaymentId {
        let id = PaymentId::new(self.test.db.clock());
        let insert = format!(
            "INSERT INTO payments (id, company_id, state, method, amount_cents, currency, change_type, plan_id, \
             billing_cycle, basis, frozen_at, provider, provider_intent, provider_key, provider_request, effects_at, \
             succeeded_at, refunded_cents, created_at, updated_at) SELECT '{id}', '{company}', 'succeeded', 'PIX', 9990, \
             'brl', 'creation', id, 'monthly', '', '{at}', 'stripe', 'pi_{id}', 'key_{id}', '', '{at}', '{at}', \
             {refunded}, '{at}', '{at}' FROM plans WHERE display_name = 'Profissional'"
        );
        self.owner.batch_execute(&insert).await.unwrap();
        id
    }

    async fn save_billing_profile(&self, company: CompanyId, version: i32, name: &str) {
        let insert = format!(
            "INSERT INTO billing_profiles (company_id, version, tax_id, legal_name, postal_code, street, number, \
             district, city, state, emails, created_at) VALUES ('{company}', {version}, '12345678000195', '{name}', \
             '01310100', 'Avenida Paulista', '1000', 'Bela Vista', 'São Paulo', 'SP', '{{nf@example.com}}', now())"
        );
        self.owner.batch_execute(&insert).await.unwrap();
    }

    /// `issuer number kind total`, in the order of the numbers.
    async fn documents(&self) -> Vec<String> {
        let sql = "SELECT concat_ws(' ', nullif(issuer_tax_id, ''), number, kind, total_cents) FROM invoices \
             ORDER BY issuer_tax_id, number";
        self.texts(sql).await
    }

    async fn texts(&self, sql: &str) -> Vec<String> {
        let rows = self.owner.query(sql, &[]).await.unwrap();
        rows.iter().map(|row| row.get(0)).collect()
    }
}

#[tokio::test]
async fn parallel_documents_of_many_companies_get_numbers_without_a_gap_and_no_deadlock() {
    let desk = Desk::open().await;
    let companies = join_all((0..6).map(|_| desk.company("Ponto"))).await;
    // More turns than connections; every third one fails after it has taken its place in the queue.
    let turns = (0..60_usize).map(async |turn| {
        let company = companies[turn % companies.len()];
        let mut tx = desk.tx(company).await;
        let draft = desk.change(100);
        let id = draft.id;
        let mut locked = lock(&mut tx).await.unwrap();
        issue(&mut locked, draft.clone(), Cents::ZERO).await.unwrap();
        if turn % 3 == 0 {
            // The same document twice in one transaction: its commit fails and takes its number back.
            issue(&mut locked, draft, Cents::ZERO).await.unwrap();
        }
        (id, tx.commit().await)
    });
    let ended = join_all(turns).await;
    let failed = ended.iter().filter(|(_, outcome)| outcome.is_err()).count();
    assert_eq!(failed, 20);
    let expected: Vec<String> = (1..=40).map(|number| format!("{number} change 0")).collect();
    assert_eq!(desk.documents().await, expected);
    let last: i64 =
        desk.owner.query_one("SELECT last FROM invoice_issuers", &[]).await.unwrap().get(0);
    assert_eq!(last, 40);
}

#[tokio::test]
async fn a_commit_whose_issuer_changed_while_it_waited_for_its_number_leaves_nothing() {
    let desk = Desk::open().await;
    let company = desk.company("Ponto").await;
    desk.issued(company, desk.change(1)).await;
    let events = "SELECT name || ' ' || seq FROM events ORDER BY channel, seq";
    let before = desk.texts(events).await;
    let mut tx = desk.tx(company).await;
    issue(&mut lock(&mut tx).await.unwrap(), desk.change(1), Cents::ZERO).await.unwrap();
    let change = "BEGIN; UPDATE invoice_issuers SET is_current = false; \
         INSERT INTO invoice_issuers VALUES ('12345678000195', '', '', '', 0, true)";
    desk.owner.batch_execute(change).await.unwrap();
    let changing = async {
        until_waiting(&desk.owner, 1).await;
        desk.owner.batch_execute("COMMIT").await.unwrap();
    };
    let (committed, ()) = tokio::join!(tx.commit(), changing);
    assert_eq!(committed.unwrap_err().code(), Code::ServiceUnavailable);
    assert_eq!(desk.documents().await, ["1 change 0"]);
    assert_eq!(desk.texts(events).await, before);
    desk.issued(company, desk.change(1)).await;
    assert_eq!(desk.documents().await, ["1 change 0", "12345678000195 1 change 0"]);
}

#[tokio::test]
async fn the_event_of_a_document_tells_its_number_and_follows_what_else_its_commit_tells() {
    let desk = Desk::open().await;
    let company = desk.company("Ponto").await;
    let mut tx = desk.tx(company).await;
    let mut locked = lock(&mut tx).await.unwrap();
    let draft = desk.change(1);
    let id = draft.id;
    issue(&mut locked, draft, Cents::ZERO).await.unwrap();
    let channel = Channel::Company(company);
    locked.emit(NewEvent::new(channel, EventName::CompanyUpdated, company, &()).unwrap());
    tx.commit().await.unwrap();
    let told = "SELECT name || ' ' || seq || ' ' || finance_only || ' ' || data FROM events \
         WHERE name IN ('company.updated', 'invoice.issued') ORDER BY seq";
    let data = format!(r#"{{"id": "{id}", "kind": "change", "number": 1}}"#);
    let [first, second] = &desk.texts(told).await[..] else { panic!("two events") };
    let seq: u32 = first.split(' ').nth(1).unwrap().parse().unwrap();
    assert_eq!(*first, format!("company.updated {seq} false null"));
    assert_eq!(*second, format!("invoice.issued {} true {data}", seq + 1));
}

#[tokio::test]
async fn a_document_keeps_what_its_company_and_issuer_were_and_never_changes() {
    let desk = Desk::open().await;
    let proof = JobScope::of_test();
    let first = Issuer {
        name: "Bipe Ltda.".into(),
        tax_id: "12345678000195".into(),
        address: "Rua A, 1".into(),
        email: "a@example.com".into(),
    };
    issuer::choose(&desk.test.db, &proof, &first).await.unwrap();
    let company = desk.company("Ponto Norte").await;
    let id = desk.issued(company, desk.change(4_990)).await;
    desk.owner
        .batch_execute("SET ROLE bipe_platform; UPDATE companies SET name = 'Outro'; RESET ROLE")
        .await
        .unwrap();
    let second = Issuer { name: "Bipe S.A.".into(), ..first.clone() };
    issuer::choose(&desk.test.db, &proof, &second).await.unwrap();
    let invoice = load(&desk.tx(company).await, id).await.unwrap();
    assert_eq!((invoice.issuer, invoice.payer.name.as_str()), (first, "Ponto Norte"));
    assert_eq!((invoice.number, invoice.total, invoice.taxes), (1, Cents::ZERO, Cents::ZERO));
    // Another tax id begins again at 1; coming back goes on where it was.
    issuer::choose(&desk.test.db, &proof, &Issuer::default()).await.unwrap();
    desk.issued(company, desk.change(1)).await;
    issuer::choose(&desk.test.db, &proof, &second).await.unwrap();
    desk.issued(company, desk.change(1)).await;
    assert_eq!(
        desk.documents().await,
        ["1 change 0", "12345678000195 1 change 0", "12345678000195 2 change 0"]
    );
    for role in ["bipe_app", "bipe_platform"] {
        for act in ["UPDATE invoices SET payer_name = ''", "DELETE FROM invoices"] {
            let sql = format!("BEGIN; SET LOCAL ROLE {role}; {act}");
            assert!(desk.owner.batch_execute(&sql).await.is_err(), "{role}: {act}");
            desk.owner.batch_execute("ROLLBACK").await.unwrap();
        }
    }
    let as_owner =
        "ALTER TABLE invoices NO FORCE ROW LEVEL SECURITY; UPDATE invoices SET payer_name = ''";
    let refused = desk.owner.batch_execute(as_owner).await.unwrap_err();
    assert!(refused.as_db_error().unwrap().message().contains("append-only"), "{refused}");
}

#[tokio::test]
async fn a_document_is_made_out_to_the_billing_profile_of_its_time() {
    let desk = Desk::open().await;
    let company = desk.company("Ponto Norte").await;
    let without = desk.issued(company, desk.change(1)).await;
    desk.save_billing_profile(company, 1, "Norte Ltda.").await;
    let with = desk.issued(company, desk.change(1)).await;
    desk.save_billing_profile(company, 2, "Norte S.A.").await;
    let tx = desk.tx(company).await;
    let payer = load(&tx, without).await.unwrap().payer;
    assert_eq!((payer.name.as_str(), payer.tax_id), ("Ponto Norte", None));
    let payer = load(&tx, with).await.unwrap().payer;
    assert_eq!(
        (payer.name.as_str(), payer.tax_id.as_deref()),
        ("Norte Ltda.", Some("12345678000195"))
    );
    assert!(
        payer.address.unwrap().starts_with("Avenida Paulista, 1000\nBela Vista, São Paulo - SP\n")
    );
}

#[tokio::test]
async fn payments_without_a_document_get_one_in_the_order_of_the_money() {
    let desk = Desk::open().await;
    let (north, south) = (desk.company("Norte").await, desk.company("Sul").await);
    desk.old_payment(south, "2026-03-02T12:00:00Z", 0).await;
    let first = desk.old_payment(north, "2026-03-01T12:00:00Z", 1_000).await;
    desk.save_billing_profile(north, 1, "Norte Ltda.").await;
    let proof = JobScope::of_test();
    assert_eq!(backfill::run(&desk.test.db, &proof).await.unwrap(), 2);
    assert_eq!(backfill::run(&desk.test.db, &proof).await.unwrap(), 0, "once");
    let expected = ["1 payment 9990", "2 refund 1000", "3 payment 9990"];
    assert_eq!(desk.documents().await, expected);
    let tx = desk.tx(north).await;
    let invoice = load(&tx, InvoiceId(first.0)).await.unwrap();
    assert_eq!(invoice.at.to_string(), "2026-03-01T12:00:00Z");
    assert_eq!(invoice.issued_at, tx.now());
    assert_eq!(invoice.lines, [Line { kind: LineKind::Received, amount: Cents(9_990) }]);
    let means = invoice.payment.unwrap();
    assert_eq!((means.id, means.reference), (first, Some(format!("pi_{first}"))));
    // A refund that the provider takes back is documented, too.
    let back = "SET ROLE bipe_platform; UPDATE payments SET refunded_cents = 0, version = version + 1 \
         WHERE refunded_cents > 0; RESET ROLE";
    desk.owner.batch_execute(back).await.unwrap();
    assert_eq!(backfill::run(&desk.test.db, &proof).await.unwrap(), 1);
    assert_eq!(desk.documents().await.last().unwrap(), "4 refund -1000");
    let mails = desk.texts("SELECT kind FROM jobs WHERE kind = 'mail'").await;
    assert!(mails.is_empty(), "nobody is mailed");
}

#[tokio::test]
async fn a_payment_whose_document_cannot_be_issued_holds_up_no_other() {
    let desk = Desk::open().await;
    let company = desk.company("Ponto").await;
    let first = desk.old_payment(company, "2026-03-01T12:00:00Z", 0).await;
    desk.old_payment(company, "2026-03-02T12:00:00Z", 0).await;
    let refuse = format!("ALTER TABLE invoices ADD CONSTRAINT no_first CHECK (id <> '{first}')");
    desk.owner.batch_execute(&refuse).await.unwrap();
    let run = async || backfill::run(&desk.test.db, &JobScope::of_test()).await;
    assert_eq!(run().await.unwrap_err().code(), Code::InternalError);
    assert_eq!(desk.documents().await, ["1 payment 9990"]);
    assert_eq!(run().await.unwrap_err().code(), Code::InternalError, "told again");
    desk.owner.batch_execute("ALTER TABLE invoices DROP CONSTRAINT no_first").await.unwrap();
    assert_eq!(run().await.unwrap(), 1);
    assert_eq!(desk.documents().await, ["1 payment 9990", "2 payment 9990"]);
}

#[tokio::test]
async fn a_document_that_is_made_up_for_waits_for_its_company_before_it_locks_the_issuer() {
    let desk = Desk::open().await;
    let company = desk.company("Ponto").await;
    desk.issued(company, desk.change(1)).await;
    desk.old_payment(company, "2026-03-01T12:00:00Z", 0).await;
    // Like the edit of a person, which takes no company's lock.
    let edit = "BEGIN; SELECT seq FROM channel_heads FOR UPDATE";
    desk.owner.batch_execute(edit).await.unwrap();
    let watcher = desk.test.owner().await;
    let editing = async {
        until_waiting(&watcher, 1).await;
        let lock = "SELECT last FROM invoice_issuers FOR UPDATE NOWAIT";
        let locked = watcher.batch_execute(lock).await;
        desk.owner.batch_execute("ROLLBACK").await.unwrap();
        locked.expect("nobody holds the issuer");
    };
    let proof = JobScope::of_test();
    let (issued, ()) = tokio::join!(backfill::run(&desk.test.db, &proof), editing);
    assert_eq!(issued.unwrap(), 1);
    assert_eq!(desk.documents().await, ["1 change 0", "2 payment 9990"]);
}

#[tokio::test]
async fn a_list_is_filtered_by_day_kind_and_text_and_adds_up() {
    let desk = Desk::open().await;
    let (north, south) = (desk.company("Norte").await, desk.company("Sul").await);
    desk.old_payment(north, "2026-03-01T02:59:59Z", 990).await;
    desk.old_payment(north, "2026-03-01T03:00:00Z", 0).await;
    desk.old_payment(south, "2026-03-01T03:00:00Z", 0).await;
    backfill::run(&desk.test.db, &JobScope::of_test()).await.unwrap();
    let paid = desk.issued(north, desk.change(123_456)).await;
    let tx = desk.tx(north).await;
    let found = async |filter: Filter<InvoiceKind>| page(&tx, &filter, 10, 0).await.unwrap();
    let (all, totals) = found(Filter::default()).await;
    assert_eq!(totals, Totals { count: 4, paid: Cents(19_980), refunded: Cents(990) });
    assert_eq!(all.len(), 4);
    assert!(all.iter().all(|invoice| invoice.company_id == north));
    assert!(all.windows(2).all(|pair| pair[0].at >= pair[1].at), "newest first");
    let march = "2026-03-01T03:00:00Z".parse().unwrap();
    let before = Filter { until: Some(march), ..Filter::default() };
    assert_eq!(found(before).await.1.count, 1);
    let from = Filter { from: Some(march), kind: Some(InvoiceKind::Payment), ..Filter::default() };
    assert_eq!(found(from).await.1, Totals { count: 1, paid: Cents(9_990), refunded: Cents::ZERO });
    for (text, count) in [
        ("%negocio%", 1),
        ("%PIX%", 3),
        ("%99,90%", 2),
        ("%9,90%", 3),
        ("%000005%", 1),
        ("%reembolso%", 1),
        ("%essencial%", 0),
    ] {
        let by_text = Filter { search: Some(text.into()), ..Filter::default() };
        assert_eq!(found(by_text).await.1.count, count, "{text}");
    }
    let foreign = load(&desk.tx(south).await, paid).await.unwrap_err();
    assert!(matches!(foreign, Error::NotFound(_)), "{foreign}");
}
