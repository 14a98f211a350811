//! Passkeys: made, shown beside a password, alone, and to step up; and everything that is wrong with one.

use bipe_testkit::{Answer, PASSWORD};
use serde_json::{Value, json};

use super::authenticator::Authenticator;
use super::{ANA, FACTOR};
use crate::app::{TestApp, spawn_app};

impl TestApp {
    /// What an opened sign-in page asks for.
    async fn options(&self) -> Value {
        self.post("/api/auth/passkey/options", &json!({})).await.data(200)["options"].clone()
    }

    async fn come_with(&self, credential: &Value) -> Answer {
        self.post("/api/auth/passkey", &json!({"credential": credential})).await
    }
}

#[actix_web::test]
async fn a_passkey_alone_signs_in_and_counts_as_both_factors() {
    let server = spawn_app().await;
    let ana = server.person(ANA).await;
    let mut passkey = server.passkey(&ana, "Celular").await;
    let options = server.options().await;
    assert_eq!(options["allowCredentials"], json!([]));
    assert_eq!(
        (&options["rpId"], &options["userVerification"]),
        (&json!("localhost"), &json!("required"))
    );
    let answer = server.come_with(&passkey.get(&options)).await;
    let again = server.person_of(ANA, &answer);
    assert_eq!(again.id, ana.id);
    // Stepped up by coming in: the factors may be changed at once.
    server.post_as(&again, &format!("{FACTOR}/recovery-codes"), &json!({})).await.data(201);
    let state = server.get_as(&again, FACTOR).await;
    let listed = &state.data(200)["secondFactor"]["passkeys"][0];
    assert_eq!(listed["name"], "Celular");
    assert!(listed["lastUsedAt"].is_string());
}

#[actix_web::test]
async fn a_passkey_is_a_second_step_beside_the_password() {
    let server = spawn_app().await;
    let ana = server.person(ANA).await;
    let mut passkey = server.passkey(&ana, "Celular").await;
    let step = server.first_step(ANA).await;
    let asked = &step.data(200)["secondFactor"];
    assert_eq!(asked["methods"], json!(["passkey", "recovery"]));
    let credential = passkey.get(&asked["passkeyOptions"]);
    let challenge = asked["challenge"].as_str().unwrap();
    server.second_step(challenge, json!({"credential": credential})).await.data(200);
}

#[actix_web::test]
async fn an_assertion_is_good_for_one_question_of_one_purpose() {
    let server = spawn_app().await;
    let ana = server.person(ANA).await;
    let mut passkey = server.passkey(&ana, "Celular").await;
    let shown = passkey.get(&server.options().await);
    server.come_with(&shown).await.data(200);
    server.come_with(&shown).await.refused(401, "INVALID_CREDENTIALS");

    // Asked for beside a password, it opens nothing without that.
    let step = server.first_step(ANA).await;
    let beside = passkey.get(&step.data(200)["secondFactor"]["passkeyOptions"]);
    server.come_with(&beside).await.refused(401, "INVALID_CREDENTIALS");
    // Nor does the answer to one question close another.
    let other = passkey.get(&server.options().await);
    let challenge = server.challenge(ANA).await;
    let crossed = server.second_step(&challenge, json!({"credential": other})).await;
    crossed.refused(400, "INVALID_SECOND_FACTOR");

    let late = passkey.get(&server.options().await);
    server.database.db.clock().advance(300);
    server.come_with(&late).await.refused(401, "INVALID_CREDENTIALS");
}

#[actix_web::test]
async fn what_is_wrong_with_an_assertion_is_one_answer() {
    let server = spawn_app().await;
    let ana = server.person(ANA).await;
    let mut passkey = server.passkey(&ana, "Celular").await;

    let home = passkey.origin.clone();
    passkey.origin = "http://evil.example".into();
    let foreign = passkey.get(&server.options().await);
    passkey.origin = home;
    passkey.verifies = false;
    let unverified = passkey.get(&server.options().await);
    passkey.verifies = true;
    let mut forged = passkey.get(&server.options().await);
    forged["response"]["signature"] = json!("MAYCAQECAQE");
    let mut stranger = Authenticator::new(&server.origin());
    let unknown = stranger.get(&server.options().await);
    let invented = passkey.get(&json!({"challenge": super::invented()}));
    for credential in [foreign, unverified, forged, unknown, invented, json!({})] {
        server.come_with(&credential).await.refused(401, "INVALID_CREDENTIALS");
    }
    server.come_with(&passkey.get(&server.options().await)).await.data(200);
    let refused = server.outcomes("session.start").await;
    assert_eq!(refused.iter().filter(|outcome| *outcome == "refused").count(), 6);
}

#[actix_web::test]
async fn a_passkey_that_counts_backwards_opens_nothing_and_its_owner_hears_of_it() {
    let server = spawn_app().await;
    let ana = server.person(ANA).await;
    let mut passkey = server.passkey(&ana, "Celular").await;
    server.come_with(&passkey.get(&server.options().await)).await.data(200);
    passkey.counter = 0;
    let copied = passkey.get(&server.options().await);
    server.come_with(&copied).await.refused(400, "INVALID_SECOND_FACTOR");
    assert_eq!(server.outcomes("passkey.count_backwards").await, ["refused"]);
    let subject = "Recusamos uma chave de acesso da sua conta do Bipe".to_owned();
    assert!(server.subjects(ANA).await.contains(&subject));
    // An unsigned counter says nothing about a copy.
    let mut forged = passkey.get(&server.options().await);
    forged["response"]["signature"] = json!("MAYCAQECAQE");
    server.come_with(&forged).await.refused(401, "INVALID_CREDENTIALS");
    assert_eq!(server.outcomes("passkey.count_backwards").await.len(), 1);
}

#[actix_web::test]
async fn a_passkey_is_added_once_for_the_session_that_asked() {
    let server = spawn_app().await;
    let ana = server.person(ANA).await;
    let bia = server.person("bia@example.com").await;
    let password = json!({"password": PASSWORD});
    let options = format!("{FACTOR}/passkeys/options");
    let asked = server.post_as(&ana, &options, &password).await.data(200)["options"].clone();
    let mut passkey = Authenticator::new(&server.origin());
    let body = json!({"name": "Celular", "credential": passkey.create(&asked)});
    let add = format!("{FACTOR}/passkeys");
    server.post_as(&bia, &add, &body).await.refused(400, "INVALID_SECOND_FACTOR");
    for (name, code) in [("\u{200b}", "REQUIRED"), ("Celular\u{202e}", "INVALID")] {
        let named = json!({"name": name, "credential": body["credential"]});
        let refused = server.post_as(&ana, &add, &named).await;
        assert_eq!(refused.body["error"]["fields"], json!({"name": code}));
    }
    server.post_as(&ana, &add, &body).await.data(201);
    server.post_as(&ana, &add, &body).await.refused(400, "INVALID_SECOND_FACTOR");
    // The same credential for somebody else.
    let asked = server.post_as(&bia, &options, &password).await.data(200)["options"].clone();
    let body = json!({"name": "Celular", "credential": passkey.create(&asked)});
    server.post_as(&bia, &add, &body).await.refused(409, "CONFLICT");
    assert_eq!(server.first_step("bia@example.com").await.data(200)["secondFactor"], Value::Null);
}

#[actix_web::test]
async fn a_passkey_has_an_id_of_at_most_1023_bytes() {
    let server = spawn_app().await;
    let ana = server.person(ANA).await;
    let (options, add) = (format!("{FACTOR}/passkeys/options"), format!("{FACTOR}/passkeys"));
    for (length, is_taken) in [(1_024, false), (1_023, true)] {
        let asked = server.post_as(&ana, &options, &json!({"password": PASSWORD})).await;
        let mut passkey = Authenticator::new(&server.origin());
        passkey.id = vec![7; length];
        let credential = passkey.create(&asked.data(200)["options"]);
        let body = json!({"name": "Celular", "credential": credential});
        let answer = server.post_as(&ana, &add, &body).await;
        if is_taken {
            answer.data(201);
        } else {
            answer.refused(400, "INVALID_SECOND_FACTOR");
        }
    }
}

#[actix_web::test]
async fn the_other_tabs_hear_of_each_passkey_that_comes_and_goes() {
    let server = spawn_app().await;
    let ana = server.person(ANA).await;
    server.passkey(&ana, "Celular").await;
    let mut tab = server.live(&ana, &[json!({"channel": "user"})]).await;
    tab.until("live").await;
    server.passkey(&ana, "Notebook").await;
    assert_eq!(tab.event("membership.changed").await["data"], Value::Null);
    let state = server.get_as(&ana, FACTOR).await;
    let id = state.data(200)["secondFactor"]["passkeys"][1]["id"].as_str().unwrap();
    let path = format!("{FACTOR}/passkeys/{id}");
    assert_eq!(server.delete_as(&ana, &path).await.status, 204);
    assert_eq!(tab.event("membership.changed").await["data"], Value::Null);
}

#[actix_web::test]
async fn nobody_removes_the_passkey_of_another_person() {
    let server = spawn_app().await;
    let (ana, bia) = (server.person(ANA).await, server.person("bia@example.com").await);
    for person in [&ana, &bia] {
        server.passkey(person, "Celular").await;
    }
    let held = server.get_as(&ana, FACTOR).await.data(200)["secondFactor"]["passkeys"].clone();
    let path = format!("{FACTOR}/passkeys/{}", held[0]["id"].as_str().unwrap());
    server.delete_as(&bia, &path).await.refused(404, "NOT_FOUND");
    let left = server.get_as(&ana, FACTOR).await;
    assert_eq!(left.data(200)["secondFactor"]["passkeys"], held);
    assert_eq!(server.delete_as(&ana, &path).await.status, 204);
}

#[actix_web::test]
async fn ten_passkeys_are_enough_and_each_can_go() {
    let server = spawn_app().await;
    let ana = server.person(ANA).await;
    for number in 0..10 {
        server.passkey(&ana, &format!("Chave {number}")).await;
    }
    let options = format!("{FACTOR}/passkeys/options");
    server.post_as(&ana, &options, &json!({})).await.refused(409, "CONFLICT");
    let state = server.get_as(&ana, FACTOR).await;
    let passkeys = state.data(200)["secondFactor"]["passkeys"].as_array().unwrap().clone();
    assert_eq!(passkeys.len(), 10);
    for passkey in &passkeys {
        let one = format!("{FACTOR}/passkeys/{}", passkey["id"].as_str().unwrap());
        assert_eq!(server.delete_as(&ana, &one).await.status, 204);
    }
    let state = server.get_as(&ana, FACTOR).await;
    let state = &state.data(200)["secondFactor"];
    assert_eq!((&state["enabled"], &state["recoveryCodesLeft"]), (&json!(false), &json!(0)));
    server.first_step(ANA).await.data(200)["tokens"].as_object().unwrap();
}
