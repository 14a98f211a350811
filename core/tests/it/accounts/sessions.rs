//! Rotation, theft, tickets, resume tokens and the end of sessions.

use bipe_core::auth::code::Purpose;
use bipe_core::auth::session::resume::SocketOwner;
use bipe_core::error::Code;
use bipe_core::event::{CommittedName, EventName};
use bipe_core::scope::{Access, JobScope};
use bipe_core::testing::figures;
use jiff::SignedDuration;

use super::{Bench, PASSWORD, caller, other_than};

#[tokio::test]
async fn fifty_refreshes_of_one_token_lead_to_one_successor() {
    let bench = Bench::new().await;
    bench.person("ana@example.com", "11144477735").await;
    let first = bench.sign_in("ana@example.com", PASSWORD).await.unwrap();
    let tries = (0..50).map(|_| bench.refresh(&first.refresh_token));
    let answers = futures_util::future::join_all(tries).await;
    figures(&[("refreshes", answers.len())]);
    let mut successors: Vec<String> =
        answers.into_iter().map(|answer| answer.unwrap().refresh_token).collect();
    successors.dedup();
    assert_eq!(successors.len(), 1);
    assert_ne!(successors[0], first.refresh_token);
    assert!(bench.refresh(&successors[0]).await.is_ok());
}

#[tokio::test]
async fn an_unused_successor_may_be_asked_for_again_and_a_used_one_may_not() {
    let bench = Bench::new().await;
    bench.person("ana@example.com", "11144477735").await;
    let first = bench.sign_in("ana@example.com", PASSWORD).await.unwrap();
    let second = bench.refresh(&first.refresh_token).await.unwrap();
    bench.advance(3_600);
    let again = bench.refresh(&first.refresh_token).await.unwrap();
    assert_eq!(again.refresh_token, second.refresh_token, "the answer was lost on the way");
    // The first call with the successor's access token is its first use.
    assert!(bench.is_signed_in(&again).await);
    let theft = bench.refresh(&first.refresh_token).await.unwrap_err();
    assert_eq!(theft.code(), Code::InvalidRefreshToken);
    assert!(!bench.is_signed_in(&again).await, "the family has ended");
    assert!(bench.refresh(&second.refresh_token).await.is_err());
    let mails = bench.mails("ana@example.com").await;
    assert_eq!(mails[0].subject, "Encerramos uma sessão sua no Bipe");
}

#[tokio::test]
async fn signing_out_ends_the_session_on_every_node() {
    let mut bench = Bench::new().await;
    bench.person("ana@example.com", "11144477735").await;
    let tokens = bench.sign_in("ana@example.com", PASSWORD).await.unwrap();
    let who = bench.session(&tokens).await;
    let other = bench.test.second_node().db;
    let elsewhere = bench.elsewhere();
    elsewhere.revocations.refresh(&other).await.unwrap();
    let until = other.clock().now().checked_add(SignedDuration::from_hours(1)).unwrap();
    let admitted = SocketOwner { who, until };
    let resume = elsewhere.issue_resume(admitted, other.clock().now());
    assert_eq!(elsewhere.check_resume(&resume, other.clock().now()), Some(admitted));

    bench.auth.sign_out(&tokens.refresh_token, &caller("10.0.0.1")).await.unwrap();
    bench.auth.sign_out(&tokens.refresh_token, &caller("10.0.0.1")).await.unwrap();
    assert!(!bench.is_signed_in(&tokens).await);
    assert!(bench.refresh(&tokens.refresh_token).await.is_err());
    elsewhere.revocations.refresh(&other).await.unwrap();
    assert_eq!(elsewhere.check_resume(&resume, other.clock().now()), None);

    let mut names = Vec::new();
    while let Ok(events) = bench.test.committed.try_recv() {
        names.extend(events.into_iter().map(|event| (event.name, event.key)));
    }
    let revoked = CommittedName::from(EventName::SessionRevoked);
    assert_eq!(names, [(revoked, who.session_id.to_string())]);
}

#[tokio::test]
async fn a_reset_ends_every_session_and_signs_nobody_in() {
    let bench = Bench::new().await;
    bench.person("ana@example.com", "11144477735").await;
    let tokens = bench.sign_in("ana@example.com", PASSWORD).await.unwrap();
    bench.advance(1);
    bench.ask_code("ana@example.com", Purpose::Reset).await.unwrap();
    let code = bench.code("ana@example.com").await;
    let wrong = bench.reset("ana@example.com", &other_than(&code), "Outra123!").await.unwrap_err();
    let unknown = bench.reset("nobody@example.com", &code, "Outra123!").await.unwrap_err();
    assert_eq!(wrong.code(), Code::InvalidResetToken);
    assert_eq!(format!("{wrong:?}"), format!("{unknown:?}"));
    bench.reset("ana@example.com", &code, "Outra123!").await.unwrap();
    assert!(!bench.is_signed_in(&tokens).await);
    assert!(bench.refresh(&tokens.refresh_token).await.is_err());
    assert!(bench.sign_in("ana@example.com", PASSWORD).await.is_err());
    assert!(bench.sign_in("ana@example.com", "Outra123!").await.is_ok());
    let again = bench.reset("ana@example.com", &code, "Mais1234!").await.unwrap_err();
    assert_eq!(again.code(), Code::InvalidResetToken, "a code is used once");
    let mails = bench.mails("ana@example.com").await;
    assert!(mails.iter().any(|mail| mail.subject == "Sua senha do Bipe foi redefinida"));
}

#[tokio::test]
async fn the_twenty_first_session_ends_the_oldest() {
    let bench = Bench::with(&["--rate-limits", "relaxed"]).await;
    bench.person("ana@example.com", "11144477735").await;
    let first = bench.sign_in("ana@example.com", PASSWORD).await.unwrap();
    let mut newest = first.clone();
    for _ in 0..20 {
        bench.advance(1);
        newest = bench.sign_in("ana@example.com", PASSWORD).await.unwrap();
    }
    assert!(!bench.is_signed_in(&first).await);
    let who = bench.session(&newest).await;
    assert_eq!(bench.auth.sessions(who).await.unwrap().len(), 20);
}

#[tokio::test]
async fn a_live_ticket_is_redeemed_once_within_its_time() {
    let bench = Bench::new().await;
    bench.person("ana@example.com", "11144477735").await;
    let tokens = bench.sign_in("ana@example.com", PASSWORD).await.unwrap();
    let who = bench.session(&tokens).await;
    let ticket = bench.auth.live_ticket(who).await.unwrap();
    let tries = (0..10).map(|_| bench.auth.redeem_ticket(&ticket));
    let redeemed = futures_util::future::join_all(tries).await;
    let winners: Vec<_> = redeemed.into_iter().filter_map(|alive| alive.unwrap()).collect();
    assert_eq!(winners.len(), 1);
    assert_eq!(winners[0].who, who);

    // 30 s, and as long as the clock of the node that takes it may be ahead of the one that made it.
    for (seconds, is_good) in [(89, true), (90, false)] {
        let ticket = bench.auth.live_ticket(who).await.unwrap();
        bench.advance(seconds);
        assert_eq!(bench.auth.redeem_ticket(&ticket).await.unwrap().is_some(), is_good);
    }

    let open = bench.auth.live_ticket(who).await.unwrap();
    let tokens = tokens.refresh_token;
    bench.auth.sign_out(&tokens, &caller("10.0.0.1")).await.unwrap();
    assert_eq!(bench.auth.redeem_ticket(&open).await.unwrap(), None, "signed out");
}

#[tokio::test]
async fn of_a_persons_live_tickets_the_newest_five_are_good_and_no_older_one() {
    let bench = Bench::new().await;
    bench.person("ana@example.com", "11144477735").await;
    let mut sessions = Vec::new();
    for _ in 0..2 {
        let tokens = bench.sign_in("ana@example.com", PASSWORD).await.unwrap();
        sessions.push(bench.session(&tokens).await);
    }
    // Of two sessions in turn.
    let mut tickets = Vec::new();
    for n in 0..12 {
        bench.advance(1);
        tickets.push(bench.auth.live_ticket(sessions[n % 2]).await.unwrap());
    }
    let mut good = Vec::new();
    for (n, ticket) in tickets.iter().enumerate() {
        if bench.auth.redeem_ticket(ticket).await.unwrap().is_some() {
            good.push(n);
        }
    }
    assert_eq!(good, [7, 8, 9, 10, 11]);
}

#[tokio::test]
async fn a_resume_token_is_good_for_no_longer_than_its_session() {
    let bench = Bench::new().await;
    let who = bench.somebody("ana@example.com", "11144477735").await;
    let (db, clock) = (&bench.test.db, bench.test.db.clock());
    let until = clock.now().checked_add(SignedDuration::from_secs(10)).unwrap();
    let resume = bench.auth.issue_resume(SocketOwner { who, until }, clock.now());
    for (seconds, is_good) in [(9, true), (1, false)] {
        bench.advance(seconds);
        bench.auth.revocations.refresh(db).await.unwrap();
        assert_eq!(bench.auth.check_resume(&resume, clock.now()).is_some(), is_good);
    }
}

#[tokio::test]
async fn a_session_that_was_not_used_for_its_time_reads_nothing_live() {
    let bench = Bench::new().await;
    let who = bench.somebody("ana@example.com", "11144477735").await;
    let (db, proof) = (&bench.test.db, JobScope::of_test());
    let reads = async || Access::of(db, &proof, &[who], false).await.unwrap().contains_key(&who);
    bench.advance(7 * 86_400);
    assert!(reads().await);
    bench.advance(1);
    assert!(!reads().await, "idle for more than seven days");
    let owner = bench.test.owner().await;
    let used = "UPDATE sessions SET last_used_at = last_used_at + interval '7 days'";
    owner.execute(used, &[]).await.unwrap();
    assert!(reads().await);
    owner.execute("UPDATE users SET role = 'admin'", &[]).await.unwrap();
    bench.advance(3_600);
    assert!(!reads().await, "an admin's idle time is shorter, whenever they became one");
}

#[tokio::test]
async fn a_sign_out_wins_against_refreshes_at_once() {
    let bench = Bench::new().await;
    bench.person("ana@example.com", "11144477735").await;
    let tokens = bench.sign_in("ana@example.com", PASSWORD).await.unwrap();
    let here = caller("10.0.0.1");
    let refreshes = (0..20).map(|_| bench.refresh(&tokens.refresh_token));
    let out = bench.auth.sign_out(&tokens.refresh_token, &here);
    let (answers, out) =
        futures_util::future::join(futures_util::future::join_all(refreshes), out).await;
    out.unwrap();
    for given in answers.into_iter().flatten() {
        assert!(!bench.is_signed_in(&given).await);
        assert!(bench.refresh(&given.refresh_token).await.is_err());
    }
    assert!(bench.refresh(&tokens.refresh_token).await.is_err());
}

#[tokio::test]
async fn a_sign_in_from_a_new_network_is_mailed_to_its_owner_once_in_ninety_days() {
    let bench = Bench::new().await;
    bench.person("ana@example.com", "11144477735").await;
    let told = async || {
        let mails = bench.mails("ana@example.com").await;
        mails.iter().filter(|mail| mail.subject == "Novo acesso à sua conta do Bipe").count()
    };
    bench.sign_in("ana@example.com", PASSWORD).await.unwrap();
    assert_eq!(told().await, 0, "known since the registration");
    assert!(bench.sign_in_from("ana@example.com", "Senha123?", "10.7.7.7").await.is_err());
    assert_eq!(told().await, 0, "nobody came in");
    for _ in 0..2 {
        bench.sign_in_from("ana@example.com", PASSWORD, "10.7.7.7").await.unwrap();
        assert_eq!(told().await, 1);
    }
    for (days, mails) in [(89, 1), (91, 2)] {
        bench.advance(days * 86_400);
        bench.sign_in_from("ana@example.com", PASSWORD, "10.7.7.7").await.unwrap();
        assert_eq!(told().await, mails, "{days} days later");
    }
}
