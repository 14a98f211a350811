//! Payments of the whole platform, found among many: the statements read by their indexes what they show.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use bipe_core::payment::PaymentView;
use bipe_core::payment::admin::{PaymentFilter, PaymentSearch, PaymentSort};
use bipe_core::payment::admin_list::{PaymentCursor, figures, list};
use bipe_core::scope::JobScope;
use bipe_core::testing::{self, TestDb};
use tokio_postgres::{Client, SimpleQueryMessage};

use crate::statements;

/// Ten thousand payments of five hundred companies, the newest an hour old; the tenth company has a CNPJ.
const MANY: &str = "SET LOCAL ROLE bipe_platform; \
     INSERT INTO companies (id, name, created_by, max_users, max_beeping, created_at, updated_at) \
       SELECT ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, 'Ponto ' || n, \
         (SELECT created_by FROM companies LIMIT 1), 5, 500, now(), now() FROM generate_series(1, 500) n; \
     INSERT INTO billing_profiles (company_id, version, tax_id, legal_name, postal_code, street, number, district, \
         city, state, emails, created_at) \
       SELECT ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, 1, \
         CASE n WHEN 10 THEN '11222333000181' ELSE lpad(n::text, 11, '0') END, 'Ponto Ltda', '01310100', 'Avenida', \
         '1', 'Centro', 'São Paulo', 'SP', '{}', now() FROM generate_series(1, 500) n; \
     INSERT INTO payments (id, company_id, state, method, amount_cents, currency, change_type, plan_id, \
         billing_cycle, quote_id, basis, frozen_at, provider, provider_intent, provider_key, provider_request, succeeded_at, \
         metadata, created_at, updated_at) \
       SELECT ('10000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, company, 'succeeded', 'PIX', 9980 + n % 2 * 20, 'brl', \
         'creation', plan, 'monthly', gen_random_uuid(), '', at, 'stripe', 'pi_' || n, 'key' || n, '', at, \
         json_build_object('companyId', company, 'planId', plan, 'billingCycle', 'monthly', 'changeType', \
         'creation')::text, at, at FROM (SELECT n, now() - make_interval(hours => n) AS at, \
         ('00000000-0000-7000-8000-' || lpad((n % 500 + 1)::text, 12, '0'))::uuid AS company, \
         (SELECT id FROM plans ORDER BY id LIMIT 1) AS plan FROM generate_series(1, 10000) n) made";

async fn many() -> (TestDb, Client) {
    let test = TestDb::new().await;
    test.load_plans().await;
    let owner = test.owner().await;
    testing::company(&owner, test.db.clock(), "Ponto Central").await;
    owner.batch_execute(&format!("BEGIN; {MANY}; COMMIT")).await.unwrap();
    owner.batch_execute("ANALYZE").await.unwrap();
    (test, owner)
}

fn search(text: &str) -> PaymentFilter {
    PaymentFilter { search: PaymentSearch::parse(Some(text)).unwrap(), ..Default::default() }
}

const FIRST: PaymentCursor =
    PaymentCursor { sort: PaymentSort::CreatedAtDown, after: None, limit: 20, offset: 0 };

#[tokio::test]
async fn each_search_finds_its_payments_among_ten_thousand() {
    let (test, owner) = many().await;
    let tx = test.db.platform_tx(&JobScope::of_test()).await.unwrap();
    let id = "10000000-0000-7000-8000-000000000077";
    for (filter, total) in [
        (PaymentFilter::default(), 10_000),
        (search(id), 1),
        (search("pi_77"), 1),
        (search("11.222.333/0001-81"), 20),
        (search("PÔNTO 499"), 20),
        (search("nobody"), 0),
    ] {
        let page = list(&tx, &filter, FIRST).await.unwrap();
        assert_eq!(page.total, total, "{filter:?}");
        assert_eq!(page.next.is_some(), total > 20, "{filter:?}");
    }
    let all = figures(&tx, &PaymentFilter::default()).await.unwrap();
    assert_eq!((all.totals.count, all.totals.paid.0), (10_000, 99_900_000));
    assert_eq!(figures(&tx, &search("ponto 499")).await.unwrap().totals.count, 20);
    let one_more = "INSERT INTO payments SELECT (jsonb_populate_record(p, jsonb_build_object('id', \
         gen_random_uuid(), 'provider_intent', 'pi_more', 'provider_key', 'more'))).* FROM payments p LIMIT 1";
    owner.execute(one_more, &[]).await.unwrap();
    let tx = test.db.platform_tx(&JobScope::of_test()).await.unwrap();
    let page = list(&tx, &PaymentFilter::default(), FIRST).await.unwrap();
    assert_eq!(page.total, 10_000, "the list counts no further");
    let all = figures(&tx, &PaymentFilter::default()).await.unwrap();
    assert_eq!(all.totals.count, 10_001);
}

#[tokio::test]
async fn every_page_is_walked_once_behind_the_last_payment_of_the_page_before() {
    let (test, owner) = many().await;
    let accepted = "UPDATE payments SET received_cents = 9990, version = version + 1 \
         WHERE provider_intent LIKE '%3'";
    owner.execute(accepted, &[]).await.unwrap();
    let tx = test.db.platform_tx(&JobScope::of_test()).await.unwrap();
    let worth = |payment: &PaymentView| payment.received.unwrap_or(payment.amount);
    // Those of Ponto 7 and of Ponto 70 to 79, and all.
    let filters = [(search("ponto 7"), 11 * 20, 40), (PaymentFilter::default(), 10_000, 3_000)];
    let asked = filters.iter().flat_map(|filter| PaymentSort::ALL.map(|sort| (filter, sort)));
    for ((filter, count, limit), sort) in asked {
        let (mut after, mut seen) = (None, Vec::new());
        loop {
            let cursor = PaymentCursor { sort, after, limit: *limit, offset: 0 };
            let page = list(&tx, filter, cursor).await.unwrap();
            seen.extend(page.payments.into_iter().map(|payment| payment.payment));
            after = page.next;
            if after.is_none() {
                break;
            }
        }
        let ids: BTreeSet<_> = seen.iter().map(|payment| payment.id).collect();
        assert_eq!((seen.len(), ids.len()), (*count, *count), "{sort:?}: each once");
        let is_sorted = match sort {
            PaymentSort::CreatedAt => seen.is_sorted_by_key(|payment| payment.created_at),
            PaymentSort::CreatedAtDown => {
                seen.is_sorted_by_key(|payment| Reverse(payment.created_at))
            }
            PaymentSort::Amount => seen.is_sorted_by_key(worth),
            PaymentSort::AmountDown => seen.is_sorted_by_key(|payment| Reverse(worth(payment))),
        };
        assert!(is_sorted, "{sort:?}");
    }
}

#[tokio::test]
async fn the_payments_of_a_company_are_its_own_and_a_search_finds_among_them() {
    let (test, _owner) = many().await;
    let tx = test.db.platform_tx(&JobScope::of_test()).await.unwrap();
    let company = Some("00000000-0000-7000-8000-000000000010".parse().unwrap());
    let of = |filter: PaymentFilter| PaymentFilter { company, ..filter };
    for (filter, total) in [
        (PaymentFilter::default(), 20),
        (search("ponto"), 20),
        (search("ponto 499"), 0),
        (search("pi_9"), 1),
        (search("pi_10"), 0),
    ] {
        let filter = of(filter);
        for sort in PaymentSort::ALL {
            let page = list(&tx, &filter, PaymentCursor { sort, ..FIRST }).await.unwrap();
            let listed = i64::try_from(page.payments.len()).unwrap();
            assert_eq!((page.total, listed), (total, total), "{filter:?}");
        }
        assert_eq!(figures(&tx, &filter).await.unwrap().totals.count, total, "{filter:?}");
    }
}

/// The plan of a statement of the product, as a connection keeps it that has planned for any values.
async fn generic_plan(owner: &Client, path: &str, name: &str, values: &str) -> String {
    let all = statements::all();
    let statement = all.iter().find(|it| it.path == path && it.name == name).unwrap();
    let explain = format!(
        "SET plan_cache_mode = force_generic_plan; PREPARE asked AS {}; \
         EXPLAIN (ANALYZE, TIMING OFF) EXECUTE asked({values}); DEALLOCATE asked",
        statement.sql
    );
    let answer = owner.simple_query(&explain).await.unwrap();
    let line = |message: &SimpleQueryMessage| match message {
        SimpleQueryMessage::Row(row) => row.get(0).map(str::to_owned),
        _ => None,
    };
    answer.iter().filter_map(line).collect::<Vec<_>>().join("\n")
}

const LISTS: &str = "payment/admin_list.rs";
const TENTH: &str = "'00000000-0000-7000-8000-000000000010'";

#[tokio::test]
async fn the_lists_read_by_index_in_a_generic_plan_too() {
    let (_test, owner) = many().await;
    let nothing = "NULL, NULL, NULL, NULL, NULL, NULL, NULL";
    for (name, company, rest, index) in [
        ("LIST", "NULL", "20, 0", "payments_created"),
        ("OF_COMPANY", TENTH, "20, 0", "payments_company"),
        ("SORTED_OF_COMPANY", TENTH, "20, 0, 'amount'", "payments_company"),
    ] {
        let values = format!("NULL, NULL, NULL, NULL, NULL, false, {company}, {nothing}, {rest}");
        let plan = generic_plan(&owner, LISTS, name, &values).await;
        let scan = plan.lines().find(|line| line.contains(&format!(" {index} on payments p ")));
        let scan = scan.unwrap_or_else(|| panic!("{name}: {plan}"));
        let read = scan.contains("actual rows=20") || scan.contains("actual rows=21");
        assert!(read, "{name}: {plan}");
    }
}

#[tokio::test]
async fn each_way_to_find_a_payment_a_company_or_a_person_has_an_index() {
    let (_test, owner) = many().await;
    // These tables are small. Where nothing else is allowed, a condition is read by an index that has it, or not at all.
    let bitmaps =
        "SET enable_seqscan = off; SET enable_indexscan = off; SET enable_indexonlyscan = off";
    owner.batch_execute(bitmaps).await.unwrap();
    let profiles =
        ["billing_profiles_tax_id", "billing_profiles_emails", "billing_profiles_legal_name"];
    let id = "'10000000-0000-7000-8000-000000000077'";
    let search = format!(
        "NULL, NULL, NULL, NULL, NULL, false, NULL, '%ponto 7%', 'pi_77', NULL, {id}, {id}, 77, NULL, 20, 0"
    );
    let search = generic_plan(&owner, LISTS, "SEARCH", &search).await;
    let of_payments = [
        "payments_pkey",
        "payments_provider_intent",
        "payments_created_by",
        "payments_company",
        "users_email_key",
        "refunds_provider_refund",
        "companies_search_name",
        "provider_customers_customer",
    ];
    let page = "'%ponto 7%', NULL, NULL, '-createdAt', 20, 0, now(), NULL, 'pi_77', NULL";
    let page = generic_plan(&owner, "company/admin_store.rs", "PAGE", page).await;
    let of_companies = ["companies_search", "users_search", "companies_pkey"];
    for (plan, indexes) in [(search, of_payments.as_slice()), (page, of_companies.as_slice())] {
        for index in profiles.iter().chain(indexes) {
            let scan = format!("Bitmap Index Scan on {index} ");
            assert!(plan.contains(&scan), "no {index}: {plan}");
        }
    }
    let page = "'%ponto 7%', NULL, NULL, '-createdAt', 20, 0, '12345678909'";
    let people = generic_plan(&owner, "user/admin_store.rs", "PAGE", page).await;
    for index in ["users_search", "users_document_key"] {
        let scan = format!("Bitmap Index Scan on {index} ");
        assert!(people.contains(&scan), "no {index}: {people}");
    }
}

#[tokio::test]
async fn what_was_done_to_a_person_is_found_by_its_index_without_the_looks() {
    let (_test, owner) = many().await;
    let entries = "INSERT INTO audit_entries (id, at, action, target, outcome) \
         SELECT gen_random_uuid(), now() - make_interval(secs => n), \
         CASE n / 20 % 10 WHEN 0 THEN 'user.edit' ELSE 'user.read' END, (n % 20)::text, 'ok' \
         FROM generate_series(0, 23999) n; ANALYZE audit_entries";
    owner.batch_execute(entries).await.unwrap();
    for (name, values) in
        [("OF_TARGET", "NULL, NULL, '10', 20, 0"), ("COUNT_OF_TARGET", "NULL, NULL, '10', 10000")]
    {
        let plan = generic_plan(&owner, "audit.rs", name, values).await;
        let scan = plan.lines().find(|line| line.contains("audit_entries_target "));
        let scan = scan.unwrap_or_else(|| panic!("{name}: {plan}"));
        assert!(scan.contains("actual rows=120"), "{name}: {plan}");
    }
}
