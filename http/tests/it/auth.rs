//! Accounts as a client meets them: sign-up, codes from the mailbox, sessions, uniform answers.

use bipe_testkit::{Answer, PASSWORD, answer};
use serde_json::{Value, json};

use crate::app::{TestApp, spawn_app};

pub fn registration(email: &str, document: &str) -> Value {
    json!({
        "userName": "Ana Souza", "userEmail": email, "userDocument": document,
        "userPhone": "(11) 98765-4321", "userBirthDate": "1990-04-12",
        "password": PASSWORD, "password_confirmation": PASSWORD,
        "consent_legal_terms": true, "consent_privacy_terms": true, "consent_lgpd_terms": true,
    })
}

impl TestApp {
    /// The newest code in the address' mailbox.
    async fn code(&self, email: &str) -> String {
        self.app.actors.jobs.run_all_due().await.unwrap();
        let mailbox = self.get(&format!("/dev/mailbox.json?to={email}")).await;
        let text = mailbox.body["messages"][0]["text"].as_str().unwrap().to_owned();
        let is_code = |line: &&str| line.len() == 6 && line.bytes().all(|b| b.is_ascii_digit());
        text.lines().find(is_code).unwrap().to_owned()
    }

    async fn login(&self, email: &str, password: &str) -> Answer {
        let body = json!({"userEmail": email, "password": password});
        self.post("/api/auth/login", &body).await
    }

    async fn get_with(&self, access: &str, path: &str) -> Answer {
        answer(reqwest::Client::new().get(self.url(path)).bearer_auth(access)).await
    }

    async fn refresh(&self, token: &str) -> Answer {
        self.post("/api/auth/refresh", &json!({"refreshToken": token})).await
    }
}

/// A refusal without its request id: everything that may not tell two cases apart.
fn face(answer: &Answer) -> (u16, Value, Vec<String>) {
    let mut body = answer.body.clone();
    body["error"].as_object_mut().unwrap().remove("requestId");
    let names = answer.headers.keys().map(|name| name.as_str().to_owned()).collect();
    (answer.status, body, names)
}

#[actix_web::test]
async fn a_stranger_becomes_a_signed_in_person() {
    let server = spawn_app().await;
    let body = registration("Ana@Example.com", "111.444.777-35");
    let made = server.post("/api/auth/register", &body).await;
    let user = &made.data(201)["user"];
    assert_eq!(user["userEmail"], "ana@example.com");
    assert_eq!(user["userDocument"], "111.444.777-35");
    assert_eq!((&user["status"], &user["emailVerified"]), (&json!("pending"), &json!(false)));
    assert!(!made.text.contains("password"));
    server.login("ana@example.com", PASSWORD).await.refused(403, "EMAIL_NOT_VERIFIED");

    let code = server.code("ana@example.com").await;
    let body = json!({"userEmail": "ana@example.com", "verificationCode": code});
    let verified = server.post("/api/auth/verify-email", &body).await;
    assert_eq!(verified.data(200)["user"]["status"], "active");
    assert!(verified.data(200)["tokens"].is_null(), "the code alone signs nobody in");
    assert_eq!(verified.data(200)["user"]["userDocument"], "***.444.777-**");
    server.post("/api/auth/verify-email", &body).await.refused(409, "EMAIL_ALREADY_VERIFIED");

    let signed_in = server.login("ana@example.com", PASSWORD).await;
    let tokens = &signed_in.data(200)["tokens"];
    assert_eq!(tokens["expiresIn"], 900);
    let access = tokens["accessToken"].as_str().unwrap();
    let me = server.get_with(access, "/api/auth/me").await;
    assert_eq!(me.data(200)["user"]["userName"], "Ana Souza");
    assert_eq!(me.data(200)["user"]["userDocument"], "111.444.777-35");
}

#[actix_web::test]
async fn the_word_before_the_token_may_be_in_any_case_and_is_no_other() {
    let server = spawn_app().await;
    let person = server.person("ana@example.com").await;
    for (word, status) in [("bearer", 200), ("BEARER", 200), ("Basic", 401), ("", 401)] {
        let request = reqwest::Client::new().get(server.url("/api/auth/me"));
        let me = answer(request.header("Authorization", format!("{word} {}", person.token))).await;
        assert_eq!(me.status, status, "{word}");
        let asked = me.headers.get("www-authenticate").map(|way| way.to_str().unwrap());
        assert_eq!(asked, (status == 401).then_some("Bearer"), "{word}");
    }
}

#[actix_web::test]
async fn who_signed_up_is_signed_in_by_the_code() {
    let server = spawn_app().await;
    let body = registration("ana@example.com", "111.444.777-35");
    let made = server.post("/api/auth/register", &body).await;
    let code = server.code("ana@example.com").await;
    let body = json!({
        "userEmail": "ana@example.com", "verificationCode": code,
        "registration": made.data(201)["registration"],
    });
    let verified = server.post("/api/auth/verify-email", &body).await;
    assert_eq!(verified.data(200)["user"]["userDocument"], "***.444.777-**");
    let access = verified.data(200)["tokens"]["accessToken"].as_str().unwrap();
    let me = server.get_with(access, "/api/auth/me").await;
    assert_eq!(me.data(200)["user"]["userEmail"], "ana@example.com");
}

#[actix_web::test]
async fn a_person_edits_name_and_phone() {
    let server = spawn_app().await;
    let person = server.person("ana@example.com").await;
    let body = json!({"userName": " Ana Lima ", "userPhone": "+55 11 98765-0000"});
    let edited = server.put_as(&person, "/api/auth/me", &body).await;
    assert_eq!(edited.data(200)["user"]["userName"], "Ana Lima");
    let body = json!({"userName": "A", "userPhone": "1"});
    let refused = server.put_as(&person, "/api/auth/me", &body).await;
    let fields = json!({"userName": "NAME_TOO_SHORT", "userPhone": "PHONE_INVALID"});
    assert_eq!((refused.status, &refused.body["error"]["fields"]), (422, &fields));
}

#[actix_web::test]
async fn every_wrong_field_of_a_registration_is_named_at_once() {
    let server = spawn_app().await;
    let body = json!({
        "userName": "A", "userEmail": "ana", "userDocument": "123", "userPhone": "1",
        "userBirthDate": "2010-01-01", "password": "fraca", "password_confirmation": "outra",
        "consent_legal_terms": false, "consent_privacy_terms": true, "consent_lgpd_terms": false,
    });
    let refused = server.post("/api/auth/register", &body).await;
    refused.refused(422, "VALIDATION_ERROR");
    let expected = json!({
        "userName": "NAME_TOO_SHORT", "userEmail": "EMAIL_INVALID",
        "userDocument": "DOCUMENT_INVALID", "userPhone": "PHONE_INVALID",
        "userBirthDate": "TOO_YOUNG", "password": "PASSWORD_WEAK",
        "password_confirmation": "PASSWORD_MISMATCH",
        "consent_legal_terms": "CONSENT_REQUIRED", "consent_lgpd_terms": "CONSENT_REQUIRED",
    });
    assert_eq!(refused.body["error"]["fields"], expected);
}

#[actix_web::test]
async fn a_reset_ends_every_session() {
    let server = spawn_app().await;
    let person = server.person("ana@example.com").await;
    server.post("/dev/clock", &json!({"advanceSeconds": 1})).await;
    let asked = json!({"userEmail": "ana@example.com"});
    server.post("/api/auth/forgot-password", &asked).await.data(200);
    let otp = server.code("ana@example.com").await;
    let mut body = json!({
        "userEmail": "nobody@example.com", "otp": otp,
        "newPassword": "Outra123!", "confirmPassword": "Outra123!",
    });
    let unknown = server.post("/api/auth/reset-password", &body).await;
    unknown.refused(400, "INVALID_RESET_TOKEN");
    body["userEmail"] = json!("ana@example.com");
    server.post("/api/auth/reset-password", &body).await.data(200);
    let again = server.post("/api/auth/reset-password", &body).await;
    assert_eq!(face(&again), face(&unknown));
    server.get_as(&person, "/api/auth/me").await.refused(401, "UNAUTHORIZED");
    server.refresh(&person.refresh_token).await.refused(401, "INVALID_REFRESH_TOKEN");
    server.login("ana@example.com", PASSWORD).await.refused(401, "INVALID_CREDENTIALS");
    server.login("ana@example.com", "Outra123!").await.data(200);
}

#[actix_web::test]
async fn signing_out_is_immediate_and_may_be_repeated() {
    let server = spawn_app().await;
    let person = server.person("ana@example.com").await;
    for _ in 0..2 {
        let body = json!({"refreshToken": person.refresh_token});
        let gone = server.post("/api/auth/logout", &body).await;
        assert_eq!((gone.status, gone.text.as_str()), (204, ""));
        assert_eq!(gone.headers["clear-site-data"], "\"cache\"");
    }
    server.get_as(&person, "/api/auth/me").await.refused(401, "UNAUTHORIZED");
    server.refresh(&person.refresh_token).await.refused(401, "INVALID_REFRESH_TOKEN");
    server.refresh("rt1.x").await.refused(401, "INVALID_REFRESH_TOKEN");
}

#[actix_web::test]
async fn a_refreshed_token_serves_and_time_ends_the_access_token() {
    let server = spawn_app().await;
    let person = server.person("ana@example.com").await;
    server.post("/dev/clock", &json!({"advanceSeconds": 900})).await;
    server.get_as(&person, "/api/auth/me").await.refused(401, "UNAUTHORIZED");
    let refreshed = server.refresh(&person.refresh_token).await;
    let access = refreshed.data(200)["tokens"]["accessToken"].as_str().unwrap();
    server.get_with(access, "/api/auth/me").await.data(200);
    server.get("/api/auth/me").await.refused(401, "UNAUTHORIZED");
}

#[actix_web::test]
async fn a_person_sees_and_ends_the_own_sessions() {
    let server = spawn_app().await;
    let first = server.person("ana@example.com").await;
    let other = server.person("bia@example.com").await;
    let second = server.login("ana@example.com", PASSWORD).await;
    let second = second.data(200)["tokens"]["accessToken"].as_str().unwrap();
    let listed = server.get_as(&first, "/api/auth/sessions").await;
    let sessions = listed.data(200)["sessions"].as_array().unwrap().clone();
    assert_eq!(sessions.len(), 2);
    let elsewhere = sessions.iter().find(|session| session["current"] == false).unwrap();
    let path = format!("/api/auth/sessions/{}", elsewhere["id"].as_str().unwrap());
    server.delete_as(&other, &path).await.refused(404, "NOT_FOUND");
    assert_eq!(server.delete_as(&first, &path).await.status, 204);
    server.get_with(second, "/api/auth/me").await.refused(401, "UNAUTHORIZED");
    server.get_as(&first, "/api/auth/me").await.data(200);
    let third = server.login("ana@example.com", PASSWORD).await;
    let third = third.data(200)["tokens"]["accessToken"].as_str().unwrap();
    let ended = server.post_as(&first, "/api/auth/sessions/end-others", &json!({})).await;
    assert_eq!(ended.status, 204);
    server.get_with(third, "/api/auth/me").await.refused(401, "UNAUTHORIZED");
    for stays in [&first, &other] {
        server.get_as(stays, "/api/auth/me").await.data(200);
    }
}

#[actix_web::test]
async fn a_live_ticket_needs_a_session() {
    let server = spawn_app().await;
    server.post("/api/auth/live-ticket", &json!({})).await.refused(401, "UNAUTHORIZED");
    let person = server.person("ana@example.com").await;
    let given = server.post_as(&person, "/api/auth/live-ticket", &json!({})).await;
    assert_eq!(given.data(200)["expiresIn"], 30);
    let ticket = given.data(200)["ticket"].as_str().unwrap();
    let redeemed = server.app.auth.redeem_ticket(ticket).await.unwrap();
    assert!(redeemed.is_some());
}

#[actix_web::test]
async fn the_mailbox_page_shows_the_mail_under_its_own_policy() {
    let server = spawn_app().await;
    server.post("/api/auth/register", &registration("ana@example.com", "11144477735")).await;
    let code = server.code("ana@example.com").await;
    let page = server.get("/dev/mailbox").await;
    assert!(page.text.contains(&format!("<strong>{code}</strong>")));
    let policy = page.headers["content-security-policy"].to_str().unwrap();
    assert!(policy.starts_with("default-src 'none'"));
}

#[actix_web::test]
async fn a_person_takes_their_data_along_and_leaves() {
    let server = spawn_app().await;
    let person = server.person("ana@example.com").await;
    let file = server.get_as(&person, "/api/auth/me/export").await;
    assert_eq!(file.status, 200, "{}", file.text);
    assert_eq!(file.body["profile"]["userEmail"], "ana@example.com");
    let disposition = "attachment; filename=\"bipe-meus-dados.json\"";
    assert_eq!(file.headers["content-disposition"], disposition);
    assert!(file.text.contains("\n    \"userEmail\": "), "a line for each field");

    let leave = async |body: Value| {
        let request = reqwest::Client::new().delete(server.url("/api/auth/me"));
        answer(request.bearer_auth(&person.token).json(&body)).await
    };
    for (password, code) in [("", "REQUIRED"), ("Senha123?", "INVALID")] {
        let refused = leave(json!({"password": password})).await;
        assert_eq!(
            (refused.status, &refused.body["error"]["fields"]["password"]),
            (422, &json!(code))
        );
    }
    let company = server.company(&person, "Ponto Central").await;
    let other = server.person("bia@example.com").await;
    server.join(&other, company, "finance").await;
    let refused = leave(json!({"password": PASSWORD})).await;
    let needed = json!({"companyId": company, "companyName": "Ponto Central"});
    assert_eq!(refused.body["error"]["fields"], needed);
    refused.refused(409, "LAST_ADMIN");
    server.get_as(&person, "/api/auth/me").await.data(200);
    let owner = server.database.owner().await;
    owner.execute("UPDATE members SET role = 'admin'", &[]).await.unwrap();
    assert_eq!(leave(json!({"password": PASSWORD})).await.status, 204);
    server.get_as(&person, "/api/auth/me").await.refused(401, "UNAUTHORIZED");
    server.login("ana@example.com", PASSWORD).await.refused(401, "INVALID_CREDENTIALS");
    let seen = server.get_as(&other, &format!("/api/companies/{company}")).await;
    assert_eq!(seen.data(200)["company"]["users"].as_array().unwrap().len(), 1);
}

#[actix_web::test]
async fn leaving_closes_every_socket() {
    let server = spawn_app().await;
    let person = server.person("ana@example.com").await;
    let mut first = server.live(&person, &[json!({"channel": "user"})]).await;
    let mut second = server.live(&person, &[]).await;
    first.until("live").await;
    let leave = reqwest::Client::new().delete(server.url("/api/auth/me"));
    let leave = leave.bearer_auth(&person.token).json(&json!({"password": PASSWORD}));
    assert_eq!(answer(leave).await.status, 204);
    assert_eq!((first.closed().await, second.closed().await), (4004, 4004));
}
