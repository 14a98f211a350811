//! Each payment invariant is broken by hand, and found.

use bipe_core::id::CompanyId;
use bipe_core::payment::check::{self, Finding, ProviderFindings, Report};
use bipe_core::scope::{CompanyScope, JobScope};
use bipe_core::testing::TestDb;
use tokio_postgres::Client;

struct Books {
    test: TestDb,
    owner: Client,
}

impl Books {
    async fn open() -> Self {
        let test = TestDb::new().await;
        test.load_plans().await;
        let owner = test.owner().await;
        Self { test, owner }
    }

    /// A company that paid for a month, whole in every ledger.
    async fn company(&self) {
        let clock = self.test.db.clock();
        let digits: String = clock.uuid().as_u128().to_string().chars().rev().take(11).collect();
        let sql = ["COMPANY", "PERSON", "PAYMENT", "RUNNING"]
            .iter()
            .fold(PAID_COMPANY.to_owned(), |sql, name| {
                sql.replace(name, &clock.uuid().to_string())
            });
        let sql = sql.replace("DIGITS", &digits).replace("NOW", &format!("{}", clock.now()));
        self.owner.batch_execute(&sql).await.unwrap_or_else(|error| panic!("{sql}: {error:?}"));
    }

    async fn check(&self) -> Report {
        self.check_with(true).await
    }

    async fn check_with(&self, answers: bool) -> Report {
        let says = ProviderFindings { answers, findings: Vec::new() };
        check::run(&self.test.db, &JobScope::of_test(), says).await.unwrap()
    }

    async fn alerts(&self) -> i64 {
        let open = "SELECT count(*) FROM alerts WHERE closed_at IS NULL";
        self.owner.query_one(open, &[]).await.unwrap().get(0)
    }
}

const PAID_COMPANY: &str = "
    INSERT INTO users (id, name, email, document, phone, birth_date, password_hash, status, created_at, updated_at)
    VALUES ('PERSON', 'Ana', 'PERSON@example.com', 'DIGITS', '11999990000', '1990-01-01', 'x', 'active', 'NOW', 'NOW');
    INSERT INTO companies (id, name, created_by, max_users, max_beeping, created_at, updated_at)
    VALUES ('COMPANY', 'Ponto', 'PERSON', 5, 500, 'NOW', 'NOW');
    INSERT INTO subscriptions (id, company_id, plan_id, billing_cycle, price_cents, status, anchor_local, month,
        paid_until_month, started_at, created_at, updated_at)
    SELECT 'RUNNING', 'COMPANY', id, 'monthly', 9990, 'active', '2026-11-21 12:00', 0, 1, 'NOW', 'NOW', 'NOW'
    FROM plans WHERE display_name = 'Profissional';
    INSERT INTO payments (id, company_id, subscription_id, state, method, amount_cents, currency, change_type,
        plan_id, billing_cycle, basis, frozen_at, provider, provider_key, provider_request, effects_at,
        succeeded_at, created_at, updated_at)
    SELECT 'PAYMENT', 'COMPANY', 'RUNNING', 'succeeded', 'PIX', 9990, 'brl', 'creation', id, 'monthly', '', 'NOW',
        'stripe', 'PAYMENT', '', 'NOW', 'NOW', 'NOW', 'NOW' FROM plans WHERE display_name = 'Profissional';
    INSERT INTO debit_segments (id, company_id, subscription_id, from_at, to_at, paid_cents, payment_id, created_at)
    VALUES (gen_random_uuid(), 'COMPANY', 'RUNNING', 'NOW', '2026-12-21T15:00:00Z', 9990, 'PAYMENT', 'NOW');
    INSERT INTO subscription_history (id, company_id, subscription_id, type, at, plan_name, billing_cycle)
    VALUES (gen_random_uuid(), 'COMPANY', 'RUNNING', 'activated', 'NOW', 'Profissional', 'monthly');
    INSERT INTO movements (id, company_id, kind, arr_cents, plan_id, at)
    SELECT gen_random_uuid(), 'COMPANY', 'new', 119880, id, 'NOW' FROM plans WHERE display_name = 'Profissional';
    WITH issuer AS (UPDATE invoice_issuers SET last = last + 1 WHERE is_current RETURNING last)
    INSERT INTO invoices (id, company_id, kind, number, issuer_tax_id, issuer_name, issuer_address, issuer_email, at,
        issued_at, payer_name, plan_name, billing_cycle, lines, total_cents, payment_id, method, search_text)
    SELECT 'PAYMENT', 'COMPANY', 'payment', last, '', '', '', '', 'NOW', 'NOW', 'Ponto', 'Profissional', 'monthly',
        '[]', 9990, 'PAYMENT', 'PIX', '' FROM issuer;
    INSERT INTO audit_entries (id, at, company_id, action, target, outcome)
    VALUES (gen_random_uuid(), 'NOW', 'COMPANY', 'payment.start', 'PAYMENT', 'ok'),
        (gen_random_uuid(), 'NOW', 'COMPANY', 'payment.succeed', 'PAYMENT', 'ok');
    INSERT INTO jobs (id, kind, key, payload, run_at, created_at)
    VALUES (gen_random_uuid(), 'renewal', 'COMPANY', '{}', '2026-12-14T15:00:00Z', 'NOW');
    INSERT INTO channel_heads (channel, epoch, seq) VALUES ('company/COMPANY', 'e', 1);
    INSERT INTO events (channel, seq, company_id, name, key, data, at)
    VALUES ('company/COMPANY', 1, 'COMPANY', 'payment.updated', 'PAYMENT',
        '{\"status\":\"SUCCESS\",\"version\":3}', 'NOW')";

/// A second payment that is like the first.
macro_rules! twin {
    ($before:literal, $after:literal) => {
        concat!(
            $before,
            "CREATE TEMP TABLE twin AS SELECT * FROM payments; \
             UPDATE twin SET id = gen_random_uuid(), provider_key = 'twin', provider_intent = NULL; \
             INSERT INTO payments SELECT * FROM twin; ",
            $after
        )
    };
}

/// What breaks which invariant, and what the finding says: each rule of `core/src/payment/check/rules.rs` but those of
/// time, which have tests of their own.
const BROKEN: &[(&str, &str, &str)] = &[
    (
        "P1",
        "2 payments bought the same thing",
        twin!(
            "UPDATE payments SET quote_id = gen_random_uuid(), version = version + 1; ",
            "INSERT INTO debit_segments (id, company_id, subscription_id, from_at, to_at, paid_cents, payment_id, \
             created_at) SELECT gen_random_uuid(), company_id, subscription_id, '2027-01-01', '2027-02-01', 1, id, \
             created_at FROM twin"
        ),
    ),
    (
        "P2",
        "succeeded with 1 debits",
        "UPDATE payments SET effects_at = NULL, version = version + 1",
    ),
    ("P2", "succeeded with 0 debits", "UPDATE debit_segments SET payment_id = NULL"),
    ("P2", "a debit names a payment", "UPDATE debit_segments SET payment_id = gen_random_uuid()"),
    ("P2", "runs longer than its debits", "UPDATE subscriptions SET paid_until_month = 2"),
    (
        "P3",
        "quoted 1, asked",
        "WITH q AS (INSERT INTO quotes (id, company_id, basis, change_type, list_monthly_cents, \
        current_monthly_cents, plan_id, billing_cycle, price_cents, amount_due_cents, frozen_at, expires_at) \
        SELECT gen_random_uuid(), company_id, '', 'creation', 0, 0, plan_id, 'monthly', 0, 1, now(), now() \
        FROM payments RETURNING id) UPDATE payments SET quote_id = q.id, version = version + 1 FROM q",
    ),
    (
        "P4",
        "answered with a payment",
        "INSERT INTO idempotency_keys (company_id, key, user_id, operation, body_sha256, subject, status, \
        reply, created_at) SELECT id, 'k', created_by, 'POST /payments/process', '', gen_random_uuid(), 201, \
        '{}', created_at FROM companies",
    ),
    (
        "P5",
        "nobody will handle it",
        "INSERT INTO webhook_inbox (event_id, type, body, received_at) \
        VALUES ('evt_1', 'x', '{}', '2026-11-21T14:00:00Z')",
    ),
    (
        "P6",
        "SUCCESS became PENDING",
        "INSERT INTO events (channel, seq, company_id, name, key, data, at) SELECT channel, 2, company_id, \
        name, key, '{\"status\":\"PENDING\",\"version\":4}', at FROM events",
    ),
    ("P7", "1 of 2 events", "UPDATE channel_heads SET seq = 2"),
    ("P7", "without a line in the history", "DELETE FROM subscription_history"),
    (
        "P7",
        "but shown last as PENDING",
        "UPDATE events SET data = '{\"status\":\"PENDING\",\"version\":3}'",
    ),
    (
        "P8",
        "the credit balance is -50",
        "INSERT INTO credit_entries (id, company_id, kind, source, amount_cents, at) \
        SELECT gen_random_uuid(), id, 'carried', 'x', -50, created_at FROM companies",
    ),
    (
        "P8",
        "two debits for the same time",
        "INSERT INTO debit_segments (id, company_id, subscription_id, from_at, to_at, paid_cents, \
        created_at) SELECT gen_random_uuid(), company_id, subscription_id, from_at, to_at, 1, created_at \
        FROM debit_segments",
    ),
    (
        "P9",
        "nobody was told",
        "ALTER TABLE payments DISABLE TRIGGER guard_payment; \
        UPDATE payments SET state = 'conflicted', effects_at = NULL; DELETE FROM debit_segments",
    ),
    (
        "P10",
        "given up",
        "INSERT INTO jobs (id, kind, key, payload, run_at, dead_at, created_at) \
        VALUES (gen_random_uuid(), 'webhook', 'w', '{}', now(), now(), now())",
    ),
    (
        "P10",
        "no way out",
        "UPDATE jobs SET attempts = 12, last_error = 'no way out' WHERE kind = 'renewal'",
    ),
    ("P10", "nothing will end or renew it", "DELETE FROM jobs WHERE kind = 'renewal'"),
    (
        "P10",
        "nothing will end or renew it",
        "UPDATE subscriptions SET anchor_local = NULL, month = NULL, paid_until_month = NULL",
    ),
    (
        "P11",
        "movements say 1,",
        "ALTER TABLE movements DISABLE TRIGGER ALL; UPDATE movements SET arr_cents = 1",
    ),
    (
        "P12",
        "documented 1 and",
        "ALTER TABLE invoices DISABLE TRIGGER append_only; UPDATE invoices SET total_cents = 1",
    ),
    ("P12", "gave back 1,", "UPDATE payments SET refunded_cents = 1, version = version + 1"),
    ("P12", "the last number is 2", "UPDATE invoice_issuers SET last = last + 1"),
    (
        "P6",
        "2 payments hold one slot",
        twin!(
            "DROP INDEX payments_one_open; ALTER TABLE payments DISABLE TRIGGER guard_payment; \
             UPDATE payments SET state = 'processing', effects_at = NULL; ",
            ""
        ),
    ),
    (
        "P7",
        "without an audit row",
        "ALTER TABLE audit_entries DISABLE TRIGGER ALL; DELETE FROM audit_entries",
    ),
    (
        "P10",
        "processing without a timer",
        "ALTER TABLE payments DISABLE TRIGGER guard_payment; \
         UPDATE payments SET state = 'processing', effects_at = NULL",
    ),
];

#[tokio::test]
async fn a_whole_company_breaks_no_invariant() {
    let books = Books::open().await;
    books.company().await;
    books.company().await;
    // What failed a few times may still go through, and what comes again for ever counts good runs, too.
    let failed = "UPDATE jobs SET attempts = 11, last_error = 'late' WHERE kind = 'renewal'; \
        INSERT INTO jobs (id, kind, key, payload, run_at, attempts, last_error, created_at) \
        VALUES (gen_random_uuid(), 'purge', 'p', '{}', now(), 99, 'late', now())";
    books.owner.batch_execute(failed).await.unwrap();
    assert_eq!(books.check().await.findings, Vec::new());
}

#[tokio::test]
async fn each_broken_invariant_is_found_and_raises_an_alert() {
    for (invariant, says, sql) in BROKEN {
        let books = Books::open().await;
        books.company().await;
        books.owner.batch_execute(sql).await.unwrap_or_else(|error| panic!("{sql}: {error:?}"));
        let found = books.check().await.findings;
        let is_told =
            |finding: &Finding| finding.invariant == *invariant && finding.detail.contains(says);
        assert!(found.iter().any(is_told), "{invariant}: {found:?} after {sql}");
        assert!(books.alerts().await > 0, "{sql}");
        let newest = "SELECT findings FROM payment_checks ORDER BY at DESC, id DESC LIMIT 1";
        let kept: String = books.owner.query_one(newest, &[]).await.unwrap().get(0);
        assert!(kept.contains(&format!("\"invariant\":\"{invariant}\"")), "{kept}");
    }
}

/// A code that ran for two hours and is being withdrawn at the provider since an instant, its timer still to come.
const WITHDRAWN: &str = "ALTER TABLE payments DISABLE TRIGGER guard_payment; \
    UPDATE payments SET state = 'requires_action', effects_at = NULL, succeeded_at = NULL, unknown = true, \
        unknown_at = created_at + interval 'SINCE', updated_at = created_at - interval '2 hours'; \
    INSERT INTO jobs (id, kind, key, payload, run_at, created_at) \
    SELECT gen_random_uuid(), 'reconcile', id::text, '{}', created_at + interval '1 hour', created_at FROM payments";

#[tokio::test]
async fn a_question_to_the_provider_is_open_since_it_was_asked_and_not_since_the_state() {
    for (since, too_long) in [("-20 minutes", true), ("-1 minute", false)] {
        let books = Books::open().await;
        books.company().await;
        books.owner.batch_execute(&WITHDRAWN.replace("SINCE", since)).await.unwrap();
        let found = books.check().await.findings;
        let told = found.iter().any(|finding| finding.detail.contains("unknown for too long"));
        assert_eq!(told, too_long, "{since}: {found:?}");
    }
}

#[tokio::test]
async fn a_payment_that_is_processed_for_more_than_a_day_raises_an_alert_until_it_moves_on() {
    let (books, open) = (Books::open().await, async |books: &Books| {
        let open = "SELECT count(*) FROM alerts a JOIN payments p ON p.id::text = a.subject \
            WHERE a.kind = 'payment.processing' AND a.company_id = p.company_id AND a.closed_at IS NULL";
        books.check().await;
        books.owner.query_one(open, &[]).await.unwrap().get::<_, i64>(0)
    });
    books.company().await;
    let begin = "ALTER TABLE payments DISABLE TRIGGER guard_payment; \
        UPDATE payments SET state = 'processing', effects_at = NULL, succeeded_at = NULL";
    books.owner.batch_execute(begin).await.unwrap();
    books.test.db.clock().advance(24 * 3_600);
    assert_eq!(open(&books).await, 0);
    books.test.db.clock().advance(1);
    assert_eq!(open(&books).await, 1);
    books.owner.batch_execute("UPDATE payments SET state = 'failed'").await.unwrap();
    assert_eq!(open(&books).await, 0);
}

#[tokio::test]
async fn an_alert_is_raised_once_and_closes_when_its_finding_is_gone() {
    let books = Books::open().await;
    books.company().await;
    let break_it = "UPDATE debit_segments SET paid_cents = 9990, payment_id = NULL";
    let mend = "UPDATE debit_segments SET payment_id = (SELECT id FROM payments)";
    books.owner.batch_execute(break_it).await.unwrap();
    books.check().await;
    assert_eq!(books.alerts().await, 1);
    books.check().await;
    assert_eq!(books.alerts().await, 1, "an open alert is not raised again");
    books.owner.batch_execute(mend).await.unwrap();
    books.check_with(false).await;
    assert_eq!(books.alerts().await, 1, "the provider did not say whether it is gone");
    books.check().await;
    assert_eq!(books.alerts().await, 0);
}

#[tokio::test]
async fn a_rule_that_fails_hides_no_finding_of_the_others_and_closes_no_alert() {
    let books = Books::open().await;
    books.company().await;
    let break_it = "UPDATE payments SET effects_at = NULL, version = version + 1";
    books.owner.batch_execute(break_it).await.unwrap();
    books.check().await;
    let raised = books.alerts().await;
    let more = "ALTER TABLE idempotency_keys RENAME TO away; DELETE FROM subscription_history; \
        UPDATE payments SET effects_at = created_at, version = version + 1";
    books.owner.batch_execute(more).await.unwrap();
    let found = books.check().await.findings;
    let told = |invariant: &str, subject: &str| {
        found.iter().any(|found| found.invariant == invariant && found.subject.contains(subject))
    };
    assert!(told("P4", "unchecked") && told("P7", ""), "{found:?}");
    assert!(books.alerts().await > raised, "what was found before stays open beside it");
}

#[tokio::test]
async fn a_company_with_an_open_finding_is_compared_however_old_its_payments_are() {
    let books = Books::open().await;
    for _ in 0..3 {
        books.company().await;
    }
    let old = "ALTER TABLE payments DISABLE TRIGGER guard_payment; \
        UPDATE payments SET updated_at = updated_at - interval '26 hours'; \
        INSERT INTO provider_customers (company_id, customer_id, created_at) \
        SELECT id, 'cus_' || row_number() OVER (ORDER BY id), created_at FROM companies; \
        INSERT INTO alerts (id, at, kind, company_id, subject, detail) \
        SELECT gen_random_uuid(), p.created_at, 'payment.invariant', p.company_id, 'P1 ' || p.id, 'twice' \
        FROM payments p JOIN provider_customers c ON c.company_id = p.company_id AND c.customer_id = 'cus_2'";
    books.owner.batch_execute(old).await.unwrap();
    let tx = books.test.db.platform_tx(&JobScope::of_test()).await.unwrap();
    let asked = check::rules::customers(&tx).await.unwrap();
    let named: Vec<&str> = asked.iter().map(|(_, customer)| customer.as_str()).collect();
    assert_eq!(named, ["cus_2"]);
}

/// Row-level security where a statement forgets its company (invariant I4), with rows of two companies in each table.
#[tokio::test]
async fn the_second_lock_alone_keeps_the_money_of_companies_apart() {
    let books = Books::open().await;
    books.company().await;
    books.company().await;
    let more = "INSERT INTO credit_entries (id, company_id, kind, source, amount_cents, at) \
        SELECT gen_random_uuid(), id, 'carried', 'x', 1, created_at FROM companies; \
        INSERT INTO quotes (id, company_id, basis, change_type, list_monthly_cents, current_monthly_cents, plan_id, \
        billing_cycle, price_cents, amount_due_cents, frozen_at, expires_at) SELECT gen_random_uuid(), company_id, \
        '', 'creation', 0, 0, plan_id, 'monthly', 0, 1, created_at, created_at FROM payments; \
        INSERT INTO provider_customers (company_id, customer_id, created_at) \
        SELECT id, 'cus_' || id, created_at FROM companies";
    books.owner.batch_execute(more).await.unwrap();
    let companies = books.owner.query("SELECT id FROM companies", &[]).await.unwrap();
    let (db, job) = (&books.test.db, JobScope::of_test());
    for table in [
        "subscriptions",
        "payments",
        "debit_segments",
        "subscription_history",
        "invoices",
        "credit_entries",
        "quotes",
        "provider_customers",
    ] {
        let all = format!("SELECT company_id FROM {table}");
        assert_eq!(books.owner.query(&all, &[]).await.unwrap().len(), 2, "{table}");
        for company in &companies {
            let company: CompanyId = company.get("id");
            let tx = db.company_tx(&CompanyScope::of_job(&job, company)).await.unwrap();
            let seen: Vec<CompanyId> = tx
                .query(&all, &[])
                .await
                .unwrap()
                .iter()
                .map(|row| row.get("company_id"))
                .collect();
            assert_eq!(seen, [company], "{table}");
        }
        let nobody = db.tx().await.unwrap().query(&all, &[]).await.unwrap();
        assert!(nobody.is_empty(), "{table} without a company");
    }
}
