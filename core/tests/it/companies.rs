//! Companies: created with their first admin, read by their members alone; who is invited joins.

use bipe_core::company::{Author, InviteOutcome, NewInvite, Profile, invites, joining, store};
use bipe_core::company_end;
use bipe_core::error::Code;
use bipe_core::id::CompanyId;
use bipe_core::job::{self, JobCapacity, JobKind};
use bipe_core::scope::{CompanyScope, Permission, Role};
use bipe_core::testing::until_waiting;

use crate::accounts::{Bench, caller};

fn profile(name: &str) -> Profile {
    Profile::parse(name, Some(" Doca 3 ")).unwrap()
}

#[tokio::test]
async fn the_creator_becomes_admin_with_the_limits_of_the_free_plan() {
    let mut bench = Bench::new().await;
    let ana = bench.somebody("ana@example.com", "11144477735").await;
    let db = &bench.test.db;
    let without_plans =
        store::create(db, ana, &profile("Norte"), &caller("10.0.0.1")).await.unwrap();
    bench.test.load_plans().await;
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
        names.extend(events.into_iter().map(|event| event.name.as_str().to_owned()));
    }
    assert_eq!(names[..3], ["company.updated", "member.added", "membership.changed"]);
}

#[tokio::test]
async fn a_company_that_waits_for_the_erasure_of_its_creator_is_not_made() {
    let bench = Bench::new().await;
    let ana = bench.somebody("ana@example.com", "11144477735").await;
    let db = &bench.test.db;
    let mut owner = bench.test.owner().await;
    let erasure = owner.transaction().await.unwrap();
    let erase = "UPDATE users SET anonymised_at = now(), status = 'inactive' WHERE id = $1";
    erasure.execute("SELECT FROM users WHERE id = $1 FOR UPDATE", &[&ana.user_id]).await.unwrap();
    let by = caller("10.0.0.1");
    let norte = profile("Norte");
    let create = store::create(db, ana, &norte, &by);
    let watcher = bench.test.owner().await;
    let finish = async {
        until_waiting(&watcher, 1).await;
        erasure.execute(erase, &[&ana.user_id]).await.unwrap();
        erasure.commit().await.unwrap();
    };
    let (made, ()) = tokio::join!(create, finish);
    assert_eq!(made.unwrap_err().code(), Code::Unauthorized);
}

#[tokio::test]
async fn a_company_is_nobody_elses() {
    let bench = Bench::new().await;
    let ana = bench.somebody("ana@example.com", "11144477735").await;
    let bia = bench.somebody("bia@example.com", "52998224725").await;
    let db = &bench.test.db;
    let id =
        store::create(db, ana, &profile("Norte"), &caller("10.0.0.1")).await.unwrap().company.id;
    let prove = |who, id| CompanyScope::prove(db, who, id, Permission::ReadCompany);
    let foreign = prove(bia, id).await.unwrap_err();
    let missing = prove(bia, CompanyId::new(db.clock())).await.unwrap_err();
    assert_eq!(foreign.code(), Code::NotFound);
    assert_eq!(format!("{foreign:?}"), format!("{missing:?}"));
    let tx = db.user_tx(bia.user_id).await.unwrap();
    assert!(store::of_person(&tx, bia).await.unwrap().is_empty());
    // Even asked for somebody else's, a person's transaction shows the own memberships alone.
    assert!(store::of_person(&tx, ana).await.unwrap().is_empty());
}

#[tokio::test]
async fn an_edit_names_what_changed_and_an_idle_one_leaves_no_trace() {
    let mut bench = Bench::new().await;
    let ana = bench.somebody("ana@example.com", "11144477735").await;
    let db = bench.test.db.clone();
    let id =
        store::create(&db, ana, &profile("Norte"), &caller("10.0.0.1")).await.unwrap().company.id;
    while bench.test.committed.try_recv().is_ok() {}
    for name in ["Norte", "Leste", "Leste"] {
        let scope = CompanyScope::prove(&db, ana, id, Permission::EditCompany).await.unwrap();
        let by = caller("10.0.0.1");
        let company = store::edit(&db, &scope, &profile(name), &by).await.unwrap();
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

#[tokio::test]
async fn a_command_that_waited_is_refused_when_its_giver_may_no_longer_give_it() {
    let bench = Bench::new().await;
    let ana = bench.somebody("ana@example.com", "11144477735").await;
    let db = &bench.test.db;
    let by = caller("10.0.0.1");
    let id = store::create(db, ana, &profile("Norte"), &by).await.unwrap().company.id;
    let proven = async |permission| CompanyScope::prove(db, ana, id, permission).await.unwrap();
    let owner = bench.test.owner().await;
    for (meanwhile, back) in [
        ("UPDATE companies SET status = 'suspended'", "UPDATE companies SET status = 'active'"),
        ("UPDATE members SET role = 'operator'", "UPDATE members SET role = 'admin'"),
    ] {
        let (edits, ends) =
            (proven(Permission::EditCompany).await, proven(Permission::DeleteCompany).await);
        owner.execute(meanwhile, &[]).await.unwrap();
        let refused = store::edit(db, &edits, &profile("Sul"), &by).await.unwrap_err();
        assert_eq!(refused.code(), Code::Forbidden, "{meanwhile}");
        let mut tx = db.company_tx(&ends).await.unwrap();
        let author = Author { who: ana, caller: &by };
        let refused = company_end::delete(&mut tx, author).await.unwrap_err();
        assert_eq!(refused.code(), Code::Forbidden, "{meanwhile}");
        tx.rollback().await.unwrap();
        owner.execute(back, &[]).await.unwrap();
    }
    let row = owner.query_one("SELECT name, status FROM companies", &[]).await.unwrap();
    assert_eq!((row.get::<_, &str>(0), row.get::<_, &str>(1)), ("Norte", "active"));
}

#[tokio::test]
async fn joining_that_a_crash_cut_short_is_finished_by_its_job_once() {
    let bench = Bench::new().await;
    let ana = bench.somebody("ana@example.com", "11144477735").await;
    let (db, by) = (&bench.test.db, caller("10.0.0.1"));
    let company = store::create(db, ana, &profile("Norte"), &by).await.unwrap().company.id;
    let owner = bench.test.owner().await;
    owner.execute("UPDATE companies SET max_users = -1", &[]).await.unwrap();
    let scope = CompanyScope::prove(db, ana, company, Permission::ManageMembers).await.unwrap();
    let new = NewInvite::parse("eva@example.com", "finance").unwrap();
    let author = Author { who: ana, caller: &by };
    let invited = invites::invite(&bench.auth, &scope, &new, author).await.unwrap();
    assert!(matches!(invited, InviteOutcome::Invite(_)));
    bench.run_mail().await;
    // The newest mail has the code.
    bench.advance(1);
    let eva = bench.person("eva@example.com", "52998224725").await;
    let is_member = async || {
        let sql = "SELECT count(*) FROM members WHERE company_id = $1 AND user_id = $2";
        owner.query_one(sql, &[&company, &eva.id]).await.unwrap().get::<_, i64>(0) == 1
    };
    assert!(is_member().await, "the verification itself lets the person in");
    // As if the server had died right after the verification was committed.
    owner.execute("DELETE FROM members WHERE user_id = $1", &[&eva.id]).await.unwrap();
    owner.execute("UPDATE invites SET closed_at = NULL", &[]).await.unwrap();
    bench.advance(30);
    let due = job::claim(db, JobCapacity::any(10)).await.unwrap();
    let again = due.iter().find(|job| job.kind == JobKind::JoinInvited).unwrap();
    for _ in 0..2 {
        joining::run_job(db, again).await.unwrap();
        assert!(is_member().await);
    }
}
