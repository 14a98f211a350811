//! Signing in with an authenticator app and with recovery codes.

use bipe_testkit::{PASSWORD, Person};
use futures_util::future::join_all;
use serde_json::{Value, json};

use super::{ANA, FACTOR, invented};
use crate::app::spawn_app;

#[actix_web::test]
async fn an_account_without_a_second_factor_signs_in_as_it_always_did() {
    let server = spawn_app().await;
    server.person(ANA).await;
    let step = server.first_step(ANA).await;
    let data = step.data(200).as_object().unwrap();
    assert_eq!(data.keys().collect::<Vec<_>>(), ["tokens", "user"]);
}

#[actix_web::test]
async fn a_right_password_alone_opens_no_account_that_has_an_authenticator_app() {
    let server = spawn_app().await;
    let ana = server.person(ANA).await;
    let factor = server.totp(&ana).await;
    let step = server.first_step(ANA).await;
    let asked = &step.data(200)["secondFactor"];
    assert_eq!(asked["methods"], json!(["totp", "recovery"]));
    assert_eq!(asked["expiresIn"], 300);
    assert_eq!(asked["passkeyOptions"], Value::Null);
    let again = server.enter(ANA, json!({"code": factor.next_code(&server)})).await;
    let state = server.get_as(&again, FACTOR).await;
    let state = &state.data(200)["secondFactor"];
    assert_eq!((&state["enabled"], &state["recoveryCodesLeft"]), (&json!(true), &json!(10)));
    assert!(!state.to_string().contains(&factor.recovery_codes[0]));
}

#[actix_web::test]
async fn the_first_second_factor_ends_the_sessions_that_never_showed_one() {
    let server = spawn_app().await;
    let ana = server.person(ANA).await;
    let before = server.person_of(ANA, &server.first_step(ANA).await);
    let factor = server.totp(&ana).await;
    server.get_as(&before, FACTOR).await.refused(401, "UNAUTHORIZED");
    server.get_as(&ana, FACTOR).await.data(200);
    let shown = server.enter(ANA, json!({"code": factor.next_code(&server)})).await;
    server.passkey(&ana, "Chave").await;
    server.get_as(&shown, FACTOR).await.data(200);
}

#[actix_web::test]
async fn the_mail_about_a_new_second_factor_takes_it_away_from_who_did_not_add_it() {
    let server = spawn_app().await;
    let ana = server.person(ANA).await;
    server.totp(&ana).await;
    let text = server.mail(ANA, "Nova etapa de verificação na sua conta do Bipe").await;
    let token = text.split("/not-me#").nth(1).unwrap().lines().next().unwrap();
    let undone = server.post("/api/auth/undo", &json!({"token": token})).await;
    let expected = json!({"cause": "second_factor", "userEmail": ANA, "emailRestored": false});
    assert_eq!(undone.data(200), &expected);
    server.get_as(&ana, FACTOR).await.refused(401, "UNAUTHORIZED");
    server.first_step(ANA).await.refused(401, "INVALID_CREDENTIALS");
    let owner = server.database.owner().await;
    let asked = "SELECT has_second_factor FROM users WHERE id = $1";
    assert!(!owner.query_one(asked, &[&ana.id]).await.unwrap().get::<_, bool>(0));
}

#[actix_web::test]
async fn the_code_of_a_step_is_good_once_however_many_send_it() {
    let server = spawn_app().await;
    let ana = server.person(ANA).await;
    let factor = server.totp(&ana).await;
    let used = json!({"code": factor.code(&server)});
    let challenge = server.challenge(ANA).await;
    let replayed = server.second_step(&challenge, used).await;
    replayed.refused(400, "INVALID_SECOND_FACTOR");
    let code = json!({"code": factor.next_code(&server)});
    let challenges = join_all((0..4).map(|_| server.challenge(ANA))).await;
    let tries = challenges.iter().map(|challenge| server.second_step(challenge, code.clone()));
    let answers = join_all(tries).await;
    let good = answers.iter().filter(|answer| answer.status == 200).count();
    assert_eq!(good, 1, "{:?}", answers.iter().map(|a| a.text.clone()).collect::<Vec<_>>());
    for answer in answers.iter().filter(|answer| answer.status != 200) {
        answer.refused(400, "INVALID_SECOND_FACTOR");
    }
    // An older code than the newest one that was taken is no code any more.
    server.database.db.clock().advance(30);
    let challenge = server.challenge(ANA).await;
    server.second_step(&challenge, code).await.refused(400, "INVALID_SECOND_FACTOR");
}

#[actix_web::test]
async fn a_second_step_is_good_once_for_five_minutes_and_five_tries() {
    let server = spawn_app().await;
    let ana = server.person(ANA).await;
    let factor = server.totp(&ana).await;
    let refused = server.second_step(&invented(), json!({"code": "123456"})).await;
    refused.refused(401, "INVALID_CHALLENGE");

    let challenge = server.challenge(ANA).await;
    for _ in 0..5 {
        let wrong = json!({"code": factor.wrong_code(&server)});
        server.second_step(&challenge, wrong).await.refused(400, "INVALID_SECOND_FACTOR");
    }
    let right = json!({"code": factor.next_code(&server)});
    server.second_step(&challenge, right.clone()).await.refused(401, "INVALID_CHALLENGE");

    let challenge = server.challenge(ANA).await;
    server.second_step(&challenge, right).await.data(200);
    let again = json!({"code": factor.next_code(&server)});
    server.second_step(&challenge, again).await.refused(401, "INVALID_CHALLENGE");

    let late = server.challenge(ANA).await;
    server.database.db.clock().advance(300);
    let code = json!({"code": factor.code(&server)});
    server.second_step(&late, code).await.refused(401, "INVALID_CHALLENGE");
    let refusals = server.outcomes("session.start").await;
    assert_eq!(refusals.iter().filter(|outcome| *outcome == "refused").count(), 9);
}

#[actix_web::test]
async fn ten_wrong_codes_a_day_are_enough_also_after_a_restart() {
    let server = spawn_app().await;
    let ana = server.person(ANA).await;
    let factor = server.totp(&ana).await;
    for _ in 0..2 {
        let challenge = server.challenge(ANA).await;
        for _ in 0..5 {
            let wrong = json!({"code": factor.wrong_code(&server)});
            server.second_step(&challenge, wrong).await.refused(400, "INVALID_SECOND_FACTOR");
        }
    }
    let challenge = server.challenge(ANA).await;
    let server = server.restarted().await;
    let right = json!({"code": factor.next_code(&server)});
    let limited = server.second_step(&challenge, right).await;
    limited.refused(429, "RATE_LIMITED");
    let wait: u32 = limited.headers["retry-after"].to_str().unwrap().parse().unwrap();
    server.database.db.clock().advance(wait);
    server.enter(ANA, json!({"code": factor.next_code(&server)})).await;
}

#[actix_web::test]
async fn a_reset_of_the_password_voids_second_steps_that_are_under_way() {
    let server = spawn_app().await;
    let ana = server.person(ANA).await;
    let factor = server.totp(&ana).await;
    let challenge = server.challenge(ANA).await;
    let hasher = &server.app.auth.hasher;
    let hash = hasher.hash("Outra123!").await.unwrap();
    let owner = server.database.owner().await;
    let change = "UPDATE users SET password_hash = $1 WHERE email = $2";
    owner.execute(change, &[&hash, &ANA]).await.unwrap();
    let code = json!({"code": factor.next_code(&server)});
    server.second_step(&challenge, code).await.refused(401, "INVALID_CHALLENGE");
}

#[actix_web::test]
async fn nobody_comes_in_by_a_second_step_once_the_account_is_deactivated() {
    let server = spawn_app().await;
    let ana = server.person(ANA).await;
    let factor = server.totp(&ana).await;
    let challenge = server.challenge(ANA).await;
    let owner = server.database.owner().await;
    owner.execute("UPDATE users SET status = 'inactive'", &[]).await.unwrap();
    let code = json!({"code": factor.next_code(&server)});
    server.second_step(&challenge, code).await.refused(403, "ACCOUNT_INACTIVE");
    assert_eq!(server.outcomes("session.start").await, ["ok", "refused"]);
}

#[actix_web::test]
async fn a_recovery_code_opens_the_account_once_and_its_owner_hears_of_it() {
    let server = spawn_app().await;
    let ana = server.person(ANA).await;
    let factor = server.totp(&ana).await;
    assert_eq!(factor.recovery_codes.len(), 10);
    let code = json!({"recoveryCode": factor.recovery_codes[3].to_lowercase().replace('-', " ")});
    let again = server.enter(ANA, code.clone()).await;
    let subject = "Um código de recuperação do Bipe foi usado".to_owned();
    assert!(server.subjects(ANA).await.contains(&subject));
    let challenge = server.challenge(ANA).await;
    server.second_step(&challenge, code).await.refused(400, "INVALID_SECOND_FACTOR");

    let fresh = server.post_as(&again, &format!("{FACTOR}/recovery-codes"), &json!({})).await;
    let fresh = super::texts(&fresh.data(201)["recoveryCodes"]);
    let old = json!({"recoveryCode": factor.recovery_codes[4]});
    server.second_step(&challenge, old).await.refused(400, "INVALID_SECOND_FACTOR");
    server.second_step(&challenge, json!({"recoveryCode": fresh[0]})).await.data(200);
}

#[actix_web::test]
async fn an_app_is_no_factor_before_its_first_code_and_none_without_the_password() {
    let server = spawn_app().await;
    let ana = server.person(ANA).await;
    let offer = format!("{FACTOR}/totp");
    let missing = server.post_as(&ana, &offer, &json!({})).await;
    assert_eq!(missing.body["error"]["fields"], json!({"password": "REQUIRED"}));
    let wrong = server.post_as(&ana, &offer, &json!({"password": "Senha123?"})).await;
    assert_eq!(wrong.body["error"]["fields"], json!({"password": "INVALID"}));
    assert_eq!(server.outcomes("second_factor.add").await, ["refused"]);
    server.post_as(&ana, &offer, &json!({"password": PASSWORD})).await.data(200);
    server.first_step(ANA).await.data(200)["tokens"].as_object().unwrap();
    let wrong = json!({"code": "000000"});
    let confirm = format!("{offer}/confirm");
    server.post_as(&ana, &confirm, &wrong).await.refused(400, "INVALID_SECOND_FACTOR");
    server.database.db.clock().advance(901);
    let ana = Person { token: server.token(&ana).await, ..ana };
    server.post_as(&ana, &confirm, &wrong).await.refused(400, "INVALID_SECOND_FACTOR");
}

#[actix_web::test]
async fn whoever_took_a_session_does_not_guess_the_first_code_of_an_app() {
    let server = spawn_app().await;
    let ana = server.person(ANA).await;
    let factor = server.offered(&ana).await;
    let confirm = format!("{FACTOR}/totp/confirm");
    for _ in 0..10 {
        let wrong = json!({"code": factor.wrong_code(&server)});
        server.post_as(&ana, &confirm, &wrong).await.refused(400, "INVALID_SECOND_FACTOR");
    }
    let right = json!({"code": factor.code(&server)});
    server.post_as(&ana, &confirm, &right).await.refused(429, "RATE_LIMITED");
}

#[actix_web::test]
async fn a_second_step_without_a_proof_names_the_field() {
    let server = spawn_app().await;
    for (proof, fields) in [
        (json!({}), json!({"code": "REQUIRED"})),
        (json!({"code": "12345"}), json!({"code": "CODE_INVALID"})),
        (json!({"recoveryCode": " "}), json!({"recoveryCode": "REQUIRED"})),
        (json!({"code": "123456", "recoveryCode": "A"}), json!({"code": "INVALID"})),
    ] {
        let refused = server.second_step(&invented(), proof).await;
        refused.refused(422, "VALIDATION_ERROR");
        assert_eq!(refused.body["error"]["fields"], fields);
    }
}
