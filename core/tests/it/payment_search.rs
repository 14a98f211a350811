//! Payments of the whole platform, found among many: the statements read by their indexes what they show.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use bipe_core::payment::admin::{PaymentFilter, PaymentSearch, PaymentSort};
use bipe_core::payment::admin_store::{PaymentCursor, figures, list};
use bipe_core::plan;
use bipe_core::scope::JobScope;
use bipe_core::testing::{self, TestDb};
use tokio_postgres::Client;

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
    let tx = test.db.tx().await.unwrap();
    plan::store::load_catalogue(&tx).await.unwrap();
    tx.commit().await.unwrap();
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
    let (test, _owner) = many().await;
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
}

#[tokio::test]
async fn every_page_is_walked_once_behind_the_last_payment_of_the_page_before() {
    let (test, _owner) = many().await;
    let tx = test.db.platform_tx(&JobScope::of_test()).await.unwrap();
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
            PaymentSort::Amount => seen.is_sorted_by_key(|payment| payment.amount.0),
            PaymentSort::AmountDown => seen.is_sorted_by_key(|payment| Reverse(payment.amount.0)),
        };
        assert!(is_sorted, "{sort:?}");
    }
}

#[tokio::test]
async fn the_list_and_the_search_read_by_index_in_a_generic_plan_too() {
    let (_test, owner) = many().await;
    owner.batch_execute("SET plan_cache_mode = force_generic_plan").await.unwrap();
    let all = statements::all();
    let nothing = "NULL, NULL, NULL, NULL, NULL, false";
    for (name, search, indexes) in [
        ("LIST", "NULL, NULL, NULL, NULL", ["payments_created"].as_slice()),
        (
            "SEARCH",
            "NULL, '10000000-0000-7000-8000-000000000077', NULL, '11222333000181'",
            &["payments_pkey", "payments_provider_intent_key", "billing_profiles_tax_id"],
        ),
    ] {
        let of =
            |it: &&statements::Statement| it.path == "payment/admin_store.rs" && it.name == name;
        let statement = all.iter().find(of).unwrap();
        owner.batch_execute(&format!("PREPARE {name} AS {}", statement.sql)).await.unwrap();
        let explain = format!(
            "EXPLAIN (ANALYZE, TIMING OFF) EXECUTE {name}({nothing}, {search}, NULL, 20, 0)"
        );
        let plan = owner.query(&explain, &[]).await.unwrap();
        let plan: Vec<String> = plan.iter().map(|row| row.get(0)).collect();
        for index in indexes {
            assert!(
                plan.iter().any(|line| line.contains(index)),
                "{name} without {index}: {plan:#?}"
            );
        }
    }
}
