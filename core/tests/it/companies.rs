//! Companies: created with their first admin, read by their members alone.

use bipe_core::company::{Profile, store};
use bipe_core::error::Code;
use bipe_core::id::CompanyId;
use bipe_core::plan;
use bipe_core::scope::{CompanyScope, Permission, Role, SignedIn};

use crate::accounts::{Bench, PASSWORD, caller};

async fn signed_in(bench: &Bench, email: &str, document: &str) -> SignedIn {
    bench.person(email, document).await;
    let tokens = bench.sign_in(email, PASSWORD).await.unwrap();
    bench.auth.signed_in(&bench.test.db, &tokens.access_token).await.unwrap().who
}

fn profile(name: &str) -> Profile {
    Profile::parse(name, Some(" Doca 3 ")).unwrap()
}

#[tokio::test]
async fn the_creator_becomes_admin_with_the_limits_of_the_free_plan() {
    let mut bench = Bench::new().await;
    let ana = signed_in(&bench, "ana@example.com", "11144477735").await;
    let db = &bench.test.db;
    let without_plans =
        store::create(db, ana, &profile("Norte"), &caller("10.0.0.1")).await.unwrap();
    let tx = db.tx().await.unwrap();
    plan::store::load_catalogue(&tx).await.unwrap();
    tx.commit().await.unwrap();
    let company = store::create(db, ana, &profile("Sul"), &caller("10.0.0.1")).await.unwrap();
    assert_eq!(company.company.user_role, Some(Role::Admin));
    assert_eq!(company.company.company_description.as_deref(), Some("Doca 3"));
    assert_eq!(company.stats.admins, 1);
    assert!(company.users[0].is_creator);

    let owner = bench.test.owner().await;
    let limits = async |id: CompanyId| {
        let sql = "SELECT max_users, max_beeping FROM companies WHERE id = $1";
        let row = owner.query_one(sql, &[&id]).await.unwrap();
        (row.get::<_, i32>(0), row.get::<_, i32>(1))
    };
    assert_eq!(limits(without_plans.company.id).await, (1, 0));
    assert_eq!(limits(company.company.id).await, (5, 500));

    let mut names = Vec::new();
    while let Ok(events) = bench.test.committed.try_recv() {
        names.extend(events.into_iter().map(|event| event.name.as_str()));
    }
    assert_eq!(names[..3], ["company.updated", "member.added", "membership.changed"]);
}

#[tokio::test]
async fn a_company_is_nobody_elses() {
    let bench = Bench::new().await;
    let ana = signed_in(&bench, "ana@example.com", "11144477735").await;
    let bia = signed_in(&bench, "bia@example.com", "52998224725").await;
    let db = &bench.test.db;
    let id =
        store::create(db, ana, &profile("Norte"), &caller("10.0.0.1")).await.unwrap().company.id;
    let prove = |who, id| CompanyScope::prove(db, who, id, Permission::ReadCompany);
    let foreign = prove(bia, id).await.unwrap_err();
    let missing = prove(bia, CompanyId::new(db.clock())).await.unwrap_err();
    assert_eq!(foreign.code(), Code::NotFound);
    assert_eq!(format!("{foreign:?}"), format!("{missing:?}"));
    let tx = db.person_tx(bia.user_id).await.unwrap();
    assert!(store::of_person(&tx, bia).await.unwrap().is_empty());
    // Even asked for somebody else's, a person's transaction shows the own memberships alone.
    assert!(store::of_person(&tx, ana).await.unwrap().is_empty());
}

#[tokio::test]
async fn an_edit_names_what_changed_and_an_idle_one_leaves_no_trace() {
    let mut bench = Bench::new().await;
    let ana = signed_in(&bench, "ana@example.com", "11144477735").await;
    let db = bench.test.db.clone();
    let id =
        store::create(&db, ana, &profile("Norte"), &caller("10.0.0.1")).await.unwrap().company.id;
    while bench.test.committed.try_recv().is_ok() {}
    for name in ["Norte", "Leste", "Leste"] {
        let scope = CompanyScope::prove(&db, ana, id, Permission::EditCompany).await.unwrap();
        let mut tx = db.company_tx(&scope).await.unwrap();
        let company = store::edit(&mut tx, &profile(name), &caller("10.0.0.1")).await.unwrap();
        tx.commit().await.unwrap();
        assert_eq!(company.company.company_name, name);
    }
    let events = bench.test.committed.try_recv().unwrap();
    assert!(events[0].data.contains("Leste") && !events[0].data.contains("userRole"));
    assert!(bench.test.committed.try_recv().is_err(), "one change, one event");
    let owner = bench.test.owner().await;
    let sql = "SELECT fields FROM audit_entries WHERE action = 'company.edit'";
    let row = owner.query_one(sql, &[]).await.unwrap();
    assert_eq!(row.get::<_, Vec<String>>(0), ["companyName"]);
}
