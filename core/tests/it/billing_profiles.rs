//! Billing profiles: versions that never change, of which one of two editors writes the next, in one company alone.

use bipe_core::company::billing_profile::{
    BillingDetails, BillingProfile, BillingProfileRequest, current, save,
};
use bipe_core::company::{Author, Profile, store};
use bipe_core::error::{Code, Error, Result};
use bipe_core::id::CompanyId;
use bipe_core::purge;
use bipe_core::scope::{CompanyScope, JobScope, Permission, SignedIn};
use serde_json::json;

use crate::accounts::{Bench, caller};

const CNPJ: &str = "11222333000181";

fn details(legal_name: &str, tax_id: &str) -> BillingDetails {
    let typed = json!({
        "version": 0, "taxId": tax_id, "legalName": legal_name,
        "address": {"postalCode": "01310-100", "street": "Avenida Paulista", "number": "1000",
            "district": "Bela Vista", "city": "São Paulo", "state": "SP"},
        "billingEmails": ["nf@example.com"],
    });
    let request: BillingProfileRequest = serde_json::from_value(typed).unwrap();
    request.parse().unwrap().0
}

struct Desk {
    bench: Bench,
    ana: SignedIn,
    company: CompanyId,
}

impl Desk {
    async fn open() -> Self {
        let bench = Bench::new().await;
        let ana = bench.somebody("ana@example.com", "11144477735").await;
        let company = company(&bench, ana, "Norte").await;
        Self { bench, ana, company }
    }

    fn scope(&self, company: CompanyId) -> CompanyScope {
        CompanyScope::of_job(&JobScope::of_test(), company)
    }

    async fn save(&self, legal_name: &str, made_of: i32) -> Result<BillingProfile> {
        let db = &self.bench.test.db;
        let scope = CompanyScope::prove(db, self.ana, self.company, Permission::ManagePayments);
        let mut tx = db.company_tx(&scope.await?).await?;
        let by = Author { who: self.ana, caller: &caller("10.0.0.1") };
        let saved = save(&mut tx, details(legal_name, CNPJ), made_of, by).await?;
        tx.commit().await?;
        Ok(saved)
    }

    async fn current(&self, company: CompanyId) -> Option<BillingProfile> {
        let tx = self.bench.test.db.company_tx(&self.scope(company)).await.unwrap();
        current(&tx).await.unwrap()
    }
}

async fn company(bench: &Bench, who: SignedIn, name: &str) -> CompanyId {
    let profile = Profile::parse(name, None).unwrap();
    let created = store::create(&bench.test.db, who, &profile, &caller("10.0.0.1")).await.unwrap();
    created.company.id
}

#[tokio::test]
async fn a_change_is_a_new_version_and_the_older_ones_stay_as_they_were() {
    let mut desk = Desk::open().await;
    assert_eq!(desk.current(desk.company).await, None);
    let first = desk.save("Entregas Norte Ltda", 0).await.unwrap();
    assert_eq!((first.version, first.changed_by), (1, Some(desk.ana.user_id)));
    while desk.bench.test.committed.try_recv().is_ok() {}
    let second = desk.save("Entregas Norte S.A.", 1).await.unwrap();
    assert_eq!(second.version, 2);
    assert_eq!(desk.current(desk.company).await, Some(second.clone()));
    let owner = desk.bench.test.owner().await;
    let older = "SELECT legal_name, changed_by, created_at FROM billing_profiles \
         WHERE company_id = $1 AND version < $2";
    let older = owner.query_one(older, &[&desk.company, &second.version]).await.unwrap();
    let BillingProfile { details, changed_by, created_at, .. } = first;
    assert_eq!(older.get::<_, String>(0), details.legal_name);
    assert_eq!((older.get(1), older.get(2)), (changed_by, created_at));

    let events = desk.bench.test.committed.try_recv().unwrap();
    assert_eq!(events[0].name.as_str(), "company.updated");
    assert!(!events[0].data.contains(CNPJ), "{}", events[0].data);
    let acts = "SELECT target, fields FROM audit_entries WHERE action = 'billing_profile.save' ORDER BY target";
    let acts = owner.query(acts, &[]).await.unwrap();
    let told: Vec<(String, Vec<String>)> =
        acts.iter().map(|row| (row.get(0), row.get(1))).collect();
    assert_eq!(told, [("1".into(), vec![]), ("2".into(), vec!["legalName".to_owned()])]);
}

#[tokio::test]
async fn the_same_content_makes_no_version_and_leaves_no_trace() {
    let mut desk = Desk::open().await;
    let first = desk.save("Entregas Norte Ltda", 0).await.unwrap();
    while desk.bench.test.committed.try_recv().is_ok() {}
    for made_of in [1, 0] {
        assert_eq!(desk.save("Entregas Norte Ltda", made_of).await.unwrap(), first);
    }
    assert!(desk.bench.test.committed.try_recv().is_err());
    let owner = desk.bench.test.owner().await;
    let acts = "SELECT count(*) FROM audit_entries WHERE action = 'billing_profile.save'";
    assert_eq!(owner.query_one(acts, &[]).await.unwrap().get::<_, i64>(0), 1);
}

#[tokio::test]
async fn of_two_people_who_edit_one_version_one_wins() {
    let desk = Desk::open().await;
    for made_of in [0, 2] {
        let [ana, bia] = ["Ana", "Bia"].map(|who| format!("Norte de {who} {made_of}"));
        let (one, other) = tokio::join!(desk.save(&ana, made_of), desk.save(&bia, made_of));
        let lost: Vec<Error> = [one, other].into_iter().filter_map(Result::err).collect();
        assert_eq!(lost.iter().map(Error::code).collect::<Vec<_>>(), [Code::Conflict]);
        assert_eq!(desk.current(desk.company).await.unwrap().version, made_of + 1);
        // Whoever lost reads again and writes on.
        let next = desk.save(&format!("Norte depois de {made_of}"), made_of + 1).await;
        assert_eq!(next.unwrap().version, made_of + 2);
        let ahead = desk.save("Norte adiante", made_of + 9).await.unwrap_err();
        assert_eq!(ahead.code(), Code::Conflict);
    }
}

#[tokio::test]
async fn a_profile_is_its_companys_alone() {
    let desk = Desk::open().await;
    desk.save("Entregas Norte Ltda", 0).await.unwrap();
    let other = company(&desk.bench, desk.ana, "Sul").await;
    assert_eq!(desk.current(other).await, None);
    let tx = desk.bench.test.db.company_tx(&desk.scope(other)).await.unwrap();
    let all = tx.query("SELECT version FROM billing_profiles", &[]).await.unwrap();
    assert!(all.is_empty(), "also where a statement forgets its company");
    let smuggled = "INSERT INTO billing_profiles SELECT $1, 9, tax_id, legal_name, trade_name, postal_code, street, \
         number, complement, district, city, state, emails, changed_by, created_at \
         FROM (VALUES ('11222333000181', 'Norte', NULL, '01310100', 's', 'n', NULL, 'd', 'c', 'SP', '{}'::text[], \
         NULL::uuid, now())) AS v (tax_id, legal_name, trade_name, postal_code, street, number, complement, district, \
         city, state, emails, changed_by, created_at)";
    assert!(tx.execute(smuggled, &[&desk.company]).await.is_err());
}

#[tokio::test]
async fn no_working_role_changes_a_version_and_the_platform_alone_deletes_one() {
    let desk = Desk::open().await;
    desk.save("Entregas Norte Ltda", 0).await.unwrap();
    let owner = desk.bench.test.owner().await;
    for (role, sql) in [
        ("bipe_app", "UPDATE billing_profiles SET legal_name = 'Outra'"),
        ("bipe_platform", "UPDATE billing_profiles SET legal_name = 'Outra'"),
        ("bipe_app", "DELETE FROM billing_profiles"),
    ] {
        let tried =
            owner.batch_execute(&format!("BEGIN; SET LOCAL ROLE {role}; {sql}; COMMIT")).await;
        assert!(tried.is_err(), "{role}: {sql}");
        owner.batch_execute("ROLLBACK").await.unwrap();
    }
}

#[tokio::test]
async fn the_profile_and_the_name_of_an_ended_company_go_unless_the_company_has_paid() {
    let desk = Desk::open().await;
    let db = &desk.bench.test.db;
    let owner = desk.bench.test.owner().await;
    desk.bench.test.load_plans().await;
    let copy = "INSERT INTO billing_profiles SELECT $1, version, tax_id, legal_name, trade_name, postal_code, street, \
         number, complement, district, city, state, emails, changed_by, created_at FROM billing_profiles \
         WHERE company_id = $2";
    desk.save("Entregas Norte Ltda", 0).await.unwrap();
    let paid = company(&desk.bench, desk.ana, "Que pagou").await;
    let open = company(&desk.bench, desk.ana, "Que segue").await;
    for id in [paid, open] {
        owner.execute(copy, &[&id, &desk.company]).await.unwrap();
    }
    let payment = "INSERT INTO payments (id, company_id, state, method, amount_cents, currency, change_type, plan_id, \
         billing_cycle, basis, frozen_at, provider, provider_key, provider_request, succeeded_at, created_at, \
         updated_at) SELECT gen_random_uuid(), c.id, 'succeeded', 'PIX', 9990, 'brl', 'creation', p.id, 'monthly', '', \
         c.created_at, 'stripe', 'key_1', '', c.created_at, c.created_at, c.created_at \
         FROM companies c, (SELECT id FROM plans LIMIT 1) p WHERE c.id = $1";
    owner.execute(payment, &[&paid]).await.unwrap();
    let end = "UPDATE companies SET status = 'inactive', deleted_at = $2 WHERE id = ANY ($1)";
    owner.execute(end, &[&vec![desk.company, paid], &db.clock().now()]).await.unwrap();
    let left = async || -> Vec<CompanyId> {
        purge::run(db, &JobScope::of_test()).await.unwrap();
        let rows = owner.query("SELECT company_id FROM billing_profiles ORDER BY 1", &[]).await;
        rows.unwrap().iter().map(|row| row.get(0)).collect()
    };
    desk.bench.advance(24 * 3600);
    assert_eq!(left().await.len(), 3);
    desk.bench.advance(1);
    let mut kept = vec![paid, open];
    kept.sort();
    assert_eq!(left().await, kept);
    let names = owner.query("SELECT name FROM companies ORDER BY name", &[]).await.unwrap();
    let names: Vec<String> = names.iter().map(|row| row.get(0)).collect();
    assert_eq!(names, ["Que pagou", "Que segue", "Sem nome"]);
}

#[tokio::test]
async fn what_its_payments_asked_of_the_provider_goes_with_the_profile() {
    let desk = Desk::open().await;
    let db = &desk.bench.test.db;
    let owner = desk.bench.test.owner().await;
    desk.bench.test.load_plans().await;
    let paid = company(&desk.bench, desk.ana, "Que pagou").await;
    company(&desk.bench, desk.ana, "Que segue").await;
    let payments = "INSERT INTO payments (id, company_id, state, method, amount_cents, currency, change_type, plan_id, \
         billing_cycle, basis, frozen_at, provider, provider_key, provider_request, succeeded_at, created_at, \
         updated_at) SELECT gen_random_uuid(), c.id, v.state, 'BANK_SLIP', 9990, 'brl', 'creation', p.id, 'monthly', \
         '', c.created_at, 'stripe', c.name || v.state, c.name || ' ' || v.state, \
         CASE v.state WHEN 'succeeded' THEN c.created_at END, c.created_at, c.created_at \
         FROM companies c, (SELECT id FROM plans LIMIT 1) p, unnest(ARRAY['expired', 'succeeded']) AS v (state) \
         WHERE v.state = 'expired' OR c.name = 'Que pagou'";
    owner.execute(payments, &[]).await.unwrap();
    let end = "UPDATE companies SET status = 'inactive', deleted_at = $2 WHERE id = ANY ($1)";
    owner.execute(end, &[&vec![desk.company, paid], &db.clock().now()]).await.unwrap();
    let left = async || -> Vec<String> {
        purge::run(db, &JobScope::of_test()).await.unwrap();
        let kept = "SELECT provider_request FROM payments WHERE provider_request <> '' ORDER BY 1";
        owner.query(kept, &[]).await.unwrap().iter().map(|row| row.get(0)).collect()
    };
    let kept = ["Que pagou expired", "Que pagou succeeded", "Que segue expired"];
    desk.bench.advance(24 * 3600);
    assert_eq!(left().await.len(), 4);
    desk.bench.advance(1);
    assert_eq!(left().await, kept);
}
