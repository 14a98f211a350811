//! Who may leave, what becomes of their companies, and that a restored backup forgets again.

use std::time::Duration;

use bipe_core::company::{self, Profile};
use bipe_core::company_audit::{self, LogFilter};
use bipe_core::error::{Code, Error, Result};
use bipe_core::id::{CompanyId, UserId};
use bipe_core::scope::{CompanyScope, Permission, SignedIn};
use bipe_core::testing::until_waiting;

use super::{Bench, PASSWORD, caller};

const ANA: (&str, &str) = ("ana@example.com", "11144477735");
const BIA: (&str, &str) = ("bia@example.com", "52998224725");

impl Bench {
    async fn erase(&self, who: SignedIn, password: &str) -> Result<()> {
        self.auth.erase_me(who, password, &caller("10.0.0.1")).await
    }

    async fn company_of(&self, who: SignedIn) -> CompanyId {
        let profile = Profile::parse("Ponto Central", None).unwrap();
        let made = company::store::create(&self.test.db, who, &profile, &caller("10.0.0.1")).await;
        made.unwrap().company.id
    }

    async fn join(&self, user: UserId, company: CompanyId, role: &str) {
        let insert = "INSERT INTO members (id, company_id, user_id, role, created_at, updated_at) \
             VALUES (gen_random_uuid(), $1, $2, $3, now(), now())";
        self.test.owner().await.execute(insert, &[&company, &user, &role]).await.unwrap();
    }

    async fn operator(&self) -> SignedIn {
        self.somebody("rui@example.com", "15350946056").await
    }

    async fn text(&self, sql: &str) -> String {
        self.test.owner().await.query_one(sql, &[]).await.unwrap().get(0)
    }

    /// The names of what was committed since the last look.
    fn events(&mut self) -> Vec<String> {
        let mut names = Vec::new();
        while let Ok(events) = self.test.committed.try_recv() {
            names.extend(events.into_iter().map(|event| event.name.as_str().to_owned()));
        }
        names
    }
}

fn refusal(result: Result<()>) -> Option<Code> {
    result.err().map(|error| error.code())
}

#[tokio::test]
async fn a_person_leaves_by_password_and_nobody_signs_in_as_them_again() {
    let bench = Bench::new().await;
    let ana = bench.somebody(ANA.0, ANA.1).await;
    let tokens = bench.sign_in(ANA.0, PASSWORD).await.unwrap();
    let wrong = bench.erase(ana, "Senha123?").await.unwrap_err();
    assert!(
        matches!(&wrong, Error::Invalid(fields) if fields.0.contains_key("password")),
        "{wrong}"
    );
    assert!(bench.is_signed_in(&tokens).await);
    bench.erase(ana, PASSWORD).await.unwrap();
    assert!(!bench.is_signed_in(&tokens).await);
    assert!(bench.refresh(&tokens.refresh_token).await.is_err());
    let gone = bench.sign_in(ANA.0, PASSWORD).await.unwrap_err();
    assert_eq!(gone.code(), Code::InvalidCredentials);
    assert!(bench.erase(ana, PASSWORD).await.is_err(), "nobody is there any more");
    bench.advance(1);
    bench.person(ANA.0, ANA.1).await;
    let outcomes = "SELECT string_agg(outcome, ' ' ORDER BY outcome) FROM audit_entries \
         WHERE action = 'user.erase'";
    assert_eq!(bench.text(outcomes).await, "ok refused refused");
}

#[tokio::test]
async fn five_tries_an_hour_are_enough() {
    let bench = Bench::new().await;
    let ana = bench.somebody(ANA.0, ANA.1).await;
    for _ in 0..5 {
        assert_eq!(refusal(bench.erase(ana, "Senha123?").await), Some(Code::ValidationError));
    }
    let Err(Error::TooMany { retry_after }) = bench.erase(ana, PASSWORD).await else { panic!() };
    bench.advance(retry_after);
    bench.erase(ana, PASSWORD).await.unwrap();
}

#[tokio::test]
async fn the_only_admin_of_others_stays_until_there_is_another() {
    let mut bench = Bench::new().await;
    let (ana, bia) = (bench.somebody(ANA.0, ANA.1).await, bench.somebody(BIA.0, BIA.1).await);
    let company = bench.company_of(ana).await;
    bench.join(bia.user_id, company, "operator").await;
    assert_eq!(refusal(bench.erase(ana, PASSWORD).await), Some(Code::LastAdmin));
    let left = "SELECT count(*)::text FROM users WHERE anonymised_at IS NOT NULL";
    assert_eq!(bench.text(left).await, "0");
    let promote = "UPDATE members SET role = 'admin'";
    bench.test.owner().await.execute(promote, &[]).await.unwrap();
    bench.events();
    bench.erase(ana, PASSWORD).await.unwrap();
    let mut events = bench.events();
    events.sort();
    assert_eq!(
        events,
        [
            "company.updated",
            "member.removed",
            "member.updated",
            "membership.changed",
            "session.revoked"
        ]
    );
    assert_eq!(bench.text("SELECT count(*)::text FROM members").await, "1");
    assert_eq!(bench.text("SELECT status FROM companies").await, "active");
}

#[tokio::test]
async fn the_admin_who_is_there_the_longest_inherits_a_company_and_may_delete_it() {
    let bench = Bench::new().await;
    let (ana, bia) = (bench.somebody(ANA.0, ANA.1).await, bench.somebody(BIA.0, BIA.1).await);
    let eva = bench.somebody("eva@example.com", "39053344705").await;
    let company = bench.company_of(ana).await;
    for (person, role, days) in
        [(eva, "admin", 1), (bia, "admin", 2), (bench.operator().await, "operator", 9)]
    {
        bench.join(person.user_id, company, role).await;
        let joined =
            "UPDATE members SET created_at = now() - make_interval(days => $2) WHERE user_id = $1";
        bench.test.owner().await.execute(joined, &[&person.user_id, &days]).await.unwrap();
    }
    let may_delete = async |who: SignedIn| {
        let needed = Permission::DeleteCompany;
        CompanyScope::prove(&bench.test.db, who, company, needed).await.is_ok()
    };
    assert!(!may_delete(bia).await);
    bench.erase(ana, PASSWORD).await.unwrap();
    assert!(may_delete(bia).await && !may_delete(eva).await);
    let entry = "SELECT target FROM audit_entries WHERE action = 'company.inherit'";
    assert_eq!(bench.text(entry).await, bia.user_id.to_string());
    let scope = CompanyScope::prove(&bench.test.db, bia, company, Permission::ReadAudit).await;
    let tx = bench.test.db.company_tx(&scope.unwrap()).await.unwrap();
    let filter = LogFilter::parse(None, Some("company.inherit"), (None, None)).unwrap();
    let (entries, _) = company_audit::list(&tx, &filter, 10, 0).await.unwrap();
    let heir = entries[0].target.as_ref().unwrap();
    assert_eq!(heir.name.as_deref(), Some("Ana Souza"), "everybody here is called so");
}

#[tokio::test]
async fn a_company_of_nobody_else_goes_with_its_owner_unless_it_pays() {
    let mut bench = Bench::new().await;
    bench.test.load_plans().await;
    let ana = bench.somebody(ANA.0, ANA.1).await;
    bench.company_of(ana).await;
    let owner = bench.test.owner().await;
    let subscribe = "INSERT INTO subscriptions (id, company_id, plan_id, billing_cycle, price_cents, status, \
         started_at, created_at, updated_at) SELECT gen_random_uuid(), c.id, p.id, 'monthly', p.monthly_cents, \
         'active', now(), now(), now() FROM companies c, plans p WHERE p.name = $1";
    let paid: String =
        bench.text("SELECT name FROM plans WHERE NOT is_free ORDER BY hierarchy LIMIT 1").await;
    owner.execute(subscribe, &[&paid]).await.unwrap();
    assert_eq!(refusal(bench.erase(ana, PASSWORD).await), Some(Code::LastAdmin));
    // its own price is paid, whatever its plan costs by now
    owner.execute("UPDATE plans SET is_free = true WHERE name = $1", &[&paid]).await.unwrap();
    assert_eq!(refusal(bench.erase(ana, PASSWORD).await), Some(Code::LastAdmin));
    owner.execute("UPDATE plans SET is_free = false WHERE name = $1", &[&paid]).await.unwrap();
    let free =
        "UPDATE subscriptions SET plan_id = (SELECT id FROM plans WHERE is_free), price_cents = 0";
    owner.execute(free, &[]).await.unwrap();
    bench.events();
    bench.erase(ana, PASSWORD).await.unwrap();
    assert_eq!(bench.events(), ["company.deleted", "session.revoked"]);
    assert_eq!(
        bench.text("SELECT status FROM companies WHERE deleted_at IS NOT NULL").await,
        "inactive"
    );
    let entry = "SELECT actor_id::text FROM audit_entries WHERE action = 'company.delete' \
         AND company_id = (SELECT id FROM companies)";
    assert_eq!(bench.text(entry).await, ana.user_id.to_string());
}

#[tokio::test]
async fn the_last_platform_admin_stays() {
    let bench = Bench::new().await;
    let ana = bench.somebody(ANA.0, ANA.1).await;
    bench.test.owner().await.execute("UPDATE users SET role = 'admin'", &[]).await.unwrap();
    assert_eq!(refusal(bench.erase(ana, PASSWORD).await), Some(Code::LastAdmin));
}

/// Both have to be past the question for another admin before either of them is gone.
#[tokio::test]
async fn of_two_platform_admins_who_leave_at_once_one_stays() {
    let bench = Bench::new().await;
    let (ana, bia) = (bench.somebody(ANA.0, ANA.1).await, bench.somebody(BIA.0, BIA.1).await);
    let mut owner = bench.test.owner().await;
    owner.execute("UPDATE users SET role = 'admin'", &[]).await.unwrap();
    let gate = owner.transaction().await.unwrap();
    gate.batch_execute("LOCK TABLE codes IN SHARE MODE").await.unwrap();
    let watch = async {
        let watcher = bench.test.owner().await;
        until_waiting(&watcher, 2).await;
        gate.commit().await.unwrap();
    };
    let (first, second, ()) =
        tokio::join!(bench.erase(ana, PASSWORD), bench.erase(bia, PASSWORD), watch);
    let mut refusals = [refusal(first), refusal(second)];
    refusals.sort_by_key(Option::is_some);
    assert_eq!(refusals, [None, Some(Code::LastAdmin)]);
}

#[tokio::test]
async fn a_restored_backup_forgets_again() {
    let bench = Bench::new().await;
    let ana = bench.somebody(ANA.0, ANA.1).await;
    bench.somebody(BIA.0, BIA.1).await;
    bench.company_of(ana).await;
    let owner = bench.test.owner().await;
    owner.batch_execute("CREATE TABLE backup AS SELECT * FROM users").await.unwrap();
    bench.erase(ana, PASSWORD).await.unwrap();
    let again = async || bench.auth.erase_again().await.unwrap();
    assert_eq!(again().await, 0, "nobody has come back");
    let restore = "UPDATE users u SET name = b.name, email = b.email, document = b.document, phone = b.phone, \
         birth_date = b.birth_date, password_hash = b.password_hash, status = b.status, anonymised_at = NULL \
         FROM backup b WHERE b.id = u.id";
    owner.batch_execute(restore).await.unwrap();
    assert!(bench.sign_in(ANA.0, PASSWORD).await.is_ok());
    assert_eq!(again().await, 1);
    assert!(bench.sign_in(ANA.0, PASSWORD).await.is_err());
    assert!(bench.sign_in(BIA.0, PASSWORD).await.is_ok(), "who did not leave stays");
    assert_eq!(again().await, 0);

    // Somebody's editor left a space behind the id.
    let list = bench.data_dir.join("erasures.log");
    std::fs::write(&list, format!("{} \n", ana.user_id)).unwrap();
    owner.batch_execute(restore).await.unwrap();
    assert_eq!(again().await, 1);
    std::fs::write(&list, format!("{}\n{};\n", ana.user_id, ana.user_id)).unwrap();
    let refused = bench.auth.erase_again().await.unwrap_err().to_string();
    let named = format!("{}: line 2 is no id of an account: mend it", list.display());
    assert!(refused.contains(&named), "{refused}");
}

/// A commit may fail after everything else went well.
#[tokio::test]
async fn an_erasure_that_was_refused_is_not_done_by_the_next_start() {
    let bench = Bench::new().await;
    let ana = bench.somebody(ANA.0, ANA.1).await;
    let owner = bench.test.owner().await;
    let refuse = "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'refused'; END $$; \
         CREATE CONSTRAINT TRIGGER refuse AFTER UPDATE ON users DEFERRABLE INITIALLY DEFERRED \
         FOR EACH ROW EXECUTE FUNCTION refuse()";
    owner.batch_execute(refuse).await.unwrap();
    bench.erase(ana, PASSWORD).await.unwrap_err();
    owner.batch_execute("DROP TRIGGER refuse ON users").await.unwrap();
    assert_eq!(bench.auth.erase_again().await.unwrap(), 0);
    assert!(bench.sign_in(ANA.0, PASSWORD).await.is_ok());
}

/// Its node ended between the commit and the line.
#[tokio::test]
async fn an_erased_person_who_is_not_listed_is_listed_by_the_next_start() {
    let bench = Bench::new().await;
    let ana = bench.somebody(ANA.0, ANA.1).await;
    bench.erase(ana, PASSWORD).await.unwrap();
    let list = bench.data_dir.join("erasures.log");
    std::fs::remove_file(&list).unwrap();
    bench.auth.erase_again().await.unwrap();
    assert_eq!(std::fs::read_to_string(&list).unwrap().trim(), ana.user_id.to_string());
}

/// The commit is on its way when nobody waits for it any more.
#[tokio::test]
async fn an_erased_person_whose_request_was_dropped_is_listed() {
    let bench = Bench::new().await;
    let ana = bench.somebody(ANA.0, ANA.1).await;
    let (holder, owner) = (bench.test.owner().await, bench.test.owner().await);
    let hold = format!(
        "BEGIN; INSERT INTO channel_heads (channel, epoch, seq) VALUES ('user/{}', 'e', 1) \
         ON CONFLICT (channel) DO UPDATE SET seq = channel_heads.seq",
        ana.user_id
    );
    holder.batch_execute(&hold).await.unwrap();
    tokio::select! {
        erased = bench.erase(ana, PASSWORD) => panic!("{erased:?}"),
        () = until_waiting(&owner, 1) => {}
    }
    holder.batch_execute("COMMIT").await.unwrap();
    let list = bench.data_dir.join("erasures.log");
    let id = ana.user_id.to_string();
    for tries in 0.. {
        if std::fs::read_to_string(&list).is_ok_and(|text| text.trim() == id) {
            break;
        }
        assert!(tries < 200, "erased and not listed");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert!(bench.sign_in(ANA.0, PASSWORD).await.is_err());
}

#[tokio::test]
async fn the_own_mails_do_not_wait_any_more_and_those_of_others_do() {
    let bench = Bench::new().await;
    let ana = bench.somebody(ANA.0, ANA.1).await;
    let bia = bench.somebody(BIA.0, BIA.1).await;
    bench.run_mail().await;
    bench.advance(60);
    bench.change_password(bia, PASSWORD, "Trocada#77x").await.unwrap();
    bench.ask_email(ana, BIA.0, PASSWORD).await.unwrap();
    let code = "INSERT INTO jobs (id, kind, key, payload, run_at, created_at) \
         SELECT gen_random_uuid(), 'mail', 'code', json_build_object('to', 'nova@example.com', 'message', \
         json_build_object('kind', 'code', 'name', name, 'issue', json_build_object('user_id', id))), 'infinity', \
         created_at FROM users WHERE id = $1";
    bench.test.owner().await.execute(code, &[&ana.user_id]).await.unwrap();
    let waiting = "SELECT string_agg(kind || ' ' || coalesce(payload::jsonb ->> 'to', payload::jsonb ->> 'email'), ', ' \
         ORDER BY kind, payload::jsonb ->> 'to') FROM jobs WHERE kind IN ('mail', 'code_mail')";
    let before = "code_mail bia@example.com, mail bia@example.com, mail nova@example.com";
    assert_eq!(bench.text(waiting).await, before);
    bench.erase(ana, PASSWORD).await.unwrap();
    assert_eq!(bench.text(waiting).await, "mail ana@example.com, mail bia@example.com");
}

#[tokio::test]
async fn no_saved_view_looks_for_the_person_any_more() {
    let bench = Bench::new().await;
    let ana = bench.somebody(ANA.0, ANA.1).await;
    let bia = bench.somebody(BIA.0, BIA.1).await;
    let insert = "INSERT INTO saved_views (id, user_id, list, name, filters, created_at, updated_at) \
         VALUES (gen_random_uuid(), $1, 'users', $2, json_build_object('search', $3::text)::text, now(), now())";
    let owner = bench.test.owner().await;
    for (whose, name, search) in [
        (ana, "de Ana", "central"),
        (bia, "por email", "Ana@Example.com"),
        (bia, "por CPF", "111.444.777-35"),
        (bia, "outra", "bia@example.com"),
    ] {
        owner.execute(insert, &[&whose.user_id, &name, &search]).await.unwrap();
    }
    let status = "INSERT INTO saved_views (id, user_id, list, name, filters, created_at, updated_at) \
         VALUES (gen_random_uuid(), $1, 'payments', 'sem busca', '{\"status\":\"FAILED\"}', now(), now())";
    owner.execute(status, &[&bia.user_id]).await.unwrap();
    bench.erase(ana, PASSWORD).await.unwrap();
    let left = "SELECT string_agg(name, ' e ' ORDER BY name) FROM saved_views";
    assert_eq!(bench.text(left).await, "outra e sem busca");
}
