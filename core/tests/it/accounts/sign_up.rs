//! From a registration to a signed-in person, and every answer that must not tell more than it has to.

use bipe_core::auth::code::Purpose;
use bipe_core::config::{DEMO_ADMIN_EMAIL, DEMO_ADMIN_PASSWORD};
use bipe_core::error::Code;
use bipe_core::mailer;
use bipe_core::purge;
use bipe_core::scope::JobScope;

use super::{Bench, PASSWORD, caller, config, other_than};

#[tokio::test]
async fn a_person_signs_up_verifies_and_signs_in() {
    let bench = Bench::new().await;
    let user = bench.register("ana@example.com", "111.444.777-35").await.unwrap();
    assert!(!user.email_verified);
    let refused = bench.sign_in("ana@example.com", PASSWORD).await.unwrap_err();
    assert_eq!(refused.code(), Code::EmailNotVerified);
    let code = bench.code("ana@example.com").await;
    let user = bench.verify("ana@example.com", &code, &caller("10.0.0.1")).await.unwrap();
    assert!(user.email_verified);
    let tokens = bench.sign_in("ana@example.com", PASSWORD).await.unwrap();
    assert!(bench.is_signed_in(&tokens).await);
    let again = bench.verify("ana@example.com", &code, &caller("10.0.0.1")).await.unwrap_err();
    assert_eq!(again.code(), Code::EmailAlreadyVerified);
}

#[tokio::test]
async fn what_is_refused_leaves_a_trace_that_names_nobody_who_is_not_proven() {
    let bench = Bench::new().await;
    let ana = bench.register("ana@example.com", "11144477735").await.unwrap();
    let wrong = other_than(&bench.code("ana@example.com").await);
    bench.sign_in("ana@example.com", PASSWORD).await.unwrap_err();
    for email in ["ana@example.com", "nobody@example.com"] {
        bench.verify(email, &wrong, &caller("10.0.0.1")).await.unwrap_err();
        bench.reset(email, &wrong, PASSWORD).await.unwrap_err();
        bench.sign_in(email, "Senha123?").await.unwrap_err();
    }
    let sql = "SELECT action, count(*), count(actor_id), bool_and(actor_id = $1) FROM audit_entries \
         WHERE outcome = 'refused' GROUP BY action ORDER BY action";
    let rows = bench.test.owner().await.query(sql, &[&ana.id]).await.unwrap();
    let traces: Vec<(&str, i64, i64, Option<bool>)> =
        rows.iter().map(|row| (row.get(0), row.get(1), row.get(2), row.get(3))).collect();
    let expected = [
        ("session.start", 3, 1, Some(true)),
        ("user.reset_password", 2, 0, None),
        ("user.verify_email", 2, 0, None),
    ];
    assert_eq!(traces, expected);
}

#[tokio::test]
async fn a_known_address_or_document_is_told_e_mail_first_and_its_owner_once_a_day() {
    let bench = Bench::new().await;
    bench.person("ana@example.com", "11144477735").await;
    for (email, document, code) in [
        ("ana@example.com", "11144477735", Code::EmailExists),
        ("ANA@example.com", "52998224725", Code::EmailExists),
        ("bia@example.com", "111.444.777-35", Code::DocumentExists),
    ] {
        assert_eq!(bench.register(email, document).await.unwrap_err().code(), code);
    }
    let subjects = |mails: Vec<mailer::LocalMail>| {
        mails.into_iter().filter(|m| m.subject == "Você já tem uma conta no Bipe").count()
    };
    assert_eq!(subjects(bench.mails("ana@example.com").await), 1);
    assert!(bench.mails("bia@example.com").await.is_empty());
    bench.advance(86_400);
    bench.register("ana@example.com", "52998224725").await.unwrap_err();
    assert_eq!(subjects(bench.mails("ana@example.com").await), 2);
}

#[tokio::test]
async fn a_person_who_mistyped_the_address_signs_up_again_and_nobody_else_does() {
    const MISTYPED: &str = "ana@gmial.com";
    const CPF: &str = "11144477735";
    let bench = Bench::new().await;
    let from = caller("10.0.0.1");
    let first = bench.registered(MISTYPED, CPF, &from).await.unwrap();
    let old = bench.code(MISTYPED).await;
    for foreign in [None, Some("of nobody"), Some(&first.registration[1..])] {
        let taken =
            bench.registered_again("ana@example.com", CPF, foreign, &from).await.unwrap_err();
        assert_eq!(taken.code(), Code::DocumentExists, "{foreign:?}");
    }
    let earlier = Some(first.registration.as_str());
    bench.registered_again("bia@example.com", "52998224725", earlier, &from).await.unwrap();
    let second = bench.registered_again("ana@example.com", CPF, earlier, &from).await.unwrap();
    assert_ne!(first.user.id, second.user.id);
    let gone = bench.verify(MISTYPED, &old, &from).await.unwrap_err();
    assert_eq!(gone.code(), Code::InvalidVerificationCode);
    let code = bench.code("ana@example.com").await;
    bench.verify("ana@example.com", &code, &from).await.unwrap();
    // From here on somebody has proven an address beside the document.
    let earlier = Some(second.registration.as_str());
    let taken = bench.registered_again(MISTYPED, CPF, earlier, &from).await.unwrap_err();
    assert_eq!(taken.code(), Code::DocumentExists);
}

#[tokio::test]
async fn five_tries_are_counted_and_the_sixth_is_lost_even_when_right() {
    let bench = Bench::new().await;
    bench.register("ana@example.com", "11144477735").await.unwrap();
    let code = bench.code("ana@example.com").await;
    let tries = (0..5).map(|_| async {
        bench.verify("ana@example.com", &other_than(&code), &caller("10.0.0.1")).await
    });
    for refused in futures_util::future::join_all(tries).await {
        assert_eq!(refused.unwrap_err().code(), Code::InvalidVerificationCode);
    }
    let right = bench.verify("ana@example.com", &code, &caller("10.0.0.1")).await;
    assert_eq!(right.unwrap_err().code(), Code::InvalidVerificationCode);
}

#[tokio::test]
async fn an_unknown_address_a_wrong_a_late_and_a_voided_code_are_one_answer() {
    let bench = Bench::new().await;
    bench.register("ana@example.com", "11144477735").await.unwrap();
    let first = bench.code("ana@example.com").await;
    let from = caller("10.0.0.1");
    let unknown = bench.verify("nobody@example.com", &first, &from).await.unwrap_err();
    let wrong = bench.verify("ana@example.com", &other_than(&first), &from).await.unwrap_err();
    assert_eq!(format!("{unknown:?}"), format!("{wrong:?}"));

    bench.advance(61);
    bench.ask_code("ana@example.com", Purpose::Verification).await.unwrap();
    let second = bench.code("ana@example.com").await;
    assert_ne!(first, second);
    let voided = bench.verify("ana@example.com", &first, &from).await.unwrap_err();
    assert_eq!(format!("{voided:?}"), format!("{wrong:?}"));
    bench.advance(15 * 60);
    let late = bench.verify("ana@example.com", &second, &from).await.unwrap_err();
    assert_eq!(format!("{late:?}"), format!("{wrong:?}"));
}

#[tokio::test]
async fn an_unknown_person_and_a_wrong_password_are_one_answer() {
    let bench = Bench::new().await;
    bench.person("ana@example.com", "11144477735").await;
    let unknown = bench.sign_in("nobody@example.com", PASSWORD).await.unwrap_err();
    let wrong = bench.sign_in("ana@example.com", "Senha123?").await.unwrap_err();
    assert_eq!(wrong.code(), Code::InvalidCredentials);
    assert_eq!(format!("{unknown:?}"), format!("{wrong:?}"));
}

#[tokio::test]
async fn the_first_admin_is_made_once_and_obeys_the_password_policy() {
    let bench = Bench::new().await;
    let first = async |email: &str, password: &str| {
        let config = config(&["--admin-email", email, "--admin-password", password]);
        bench.auth.first_admin(&config).await
    };
    assert!(first("root@example.com", "short").await.is_err());
    assert!(!first("root@example.com", PASSWORD).await.unwrap(), "not the demo one");
    first("other@example.com", PASSWORD).await.unwrap();
    assert!(bench.sign_in("other@example.com", PASSWORD).await.is_err());
    bench.sign_in_from("root@example.com", PASSWORD, "10.7.7.7").await.unwrap();
    let mails = bench.mails("root@example.com").await;
    assert_eq!(mails[0].subject, "Acesso de administrador a partir de uma rede nova");
    bench.sign_in_from("root@example.com", PASSWORD, "10.7.7.7").await.unwrap();
    assert_eq!(bench.mails("root@example.com").await.len(), 1);
}

#[tokio::test]
async fn nodes_that_start_together_make_one_admin_and_no_other_account_becomes_one() {
    let bench = Bench::new().await;
    let admin = config(&["--admin-email", "root@example.com", "--admin-password", PASSWORD]);
    let (one, other) = tokio::join!(bench.auth.first_admin(&admin), bench.auth.first_admin(&admin));
    assert!(!one.unwrap() && !other.unwrap());
    bench.sign_in_from("root@example.com", PASSWORD, "10.7.7.7").await.unwrap();

    let bench = Bench::new().await;
    bench.person("root@example.com", "11144477735").await;
    let taken = bench.auth.first_admin(&admin).await.unwrap_err();
    assert_eq!(taken.code(), Code::EmailExists);
}

#[tokio::test]
async fn a_development_run_has_a_demo_admin_and_a_production_run_has_none() {
    let bench = Bench::new().await;
    let production = config(&["--env", "production"]);
    assert!(!bench.auth.first_admin(&production).await.unwrap());
    assert!(bench.sign_in(DEMO_ADMIN_EMAIL, DEMO_ADMIN_PASSWORD).await.is_err());
    for _ in 0..2 {
        assert!(bench.auth.first_admin(&config(&[])).await.unwrap());
    }
    assert!(bench.sign_in(DEMO_ADMIN_EMAIL, DEMO_ADMIN_PASSWORD).await.is_ok());
    let demo = config(&["--env", "production", "--admin-password", DEMO_ADMIN_PASSWORD]);
    let problems = demo.check().unwrap_err();
    assert!(problems.iter().any(|line| line.contains("the one of the demo")));
}

#[tokio::test]
async fn no_code_is_stored_in_clear() {
    let bench = Bench::new().await;
    bench.register("ana@example.com", "11144477735").await.unwrap();
    let owner = bench.test.owner().await;
    let rows = owner.query("SELECT payload FROM jobs", &[]).await.unwrap();
    let payloads: Vec<String> = rows.iter().map(|row| row.get("payload")).collect();
    let code = bench.code("ana@example.com").await;
    assert_eq!(payloads.len(), 1);
    assert!(!payloads[0].contains(&code));
}

#[tokio::test]
async fn an_account_that_was_never_verified_is_gone_after_a_week() {
    let bench = Bench::new().await;
    bench.person("bia@example.com", "52998224725").await;
    bench.register("ana@example.com", "11144477735").await.unwrap();
    let proof = JobScope::of_test();
    bench.advance(7 * 86_400);
    purge::run(&bench.test.db, &proof).await.unwrap();
    let taken = bench.register("eva@example.com", "11144477735").await.unwrap_err();
    assert_eq!(taken.code(), Code::DocumentExists);
    bench.advance(1);
    purge::run(&bench.test.db, &proof).await.unwrap();
    bench.register("eva@example.com", "11144477735").await.unwrap();
    assert!(bench.sign_in("bia@example.com", PASSWORD).await.is_ok(), "a verified one stays");
}
