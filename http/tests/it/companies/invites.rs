//! Invitations both ways: who has an account is in at once, everybody else gets a link.

use bipe_core::auth::code::Digits;
use bipe_core::auth::session::sign_in::SignIn;
use bipe_core::id::CompanyId;
use bipe_core::user::Email;
use bipe_testkit::{Answer, PASSWORD, Person, caller};
use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::app::{TestApp, spawn_app};
use crate::live::company_of_ana;

const PREVIEW: &str = "/api/companies/invite-preview";
const ACCEPT: &str = "/api/companies/accept-invite";

async fn invite(
    server: &TestApp,
    by: &Person,
    company: CompanyId,
    email: &str,
    role: &str,
) -> Answer {
    let path = format!("/api/companies/{company}/invite");
    server.post_as(by, &path, &json!({"userEmail": email, "role": role})).await
}

async fn detail(server: &TestApp, by: &Person, company: CompanyId) -> Value {
    let answer = server.get_as(by, &format!("/api/companies/{company}")).await;
    answer.data(200)["company"].clone()
}

fn role<'a>(company: &'a Value, email: &str) -> &'a str {
    let users = company["users"].as_array().unwrap();
    let user = users.iter().find(|user| user["userEmail"] == email).unwrap();
    user["role"].as_str().unwrap()
}

fn registration(email: &str, token: Option<&str>) -> Value {
    json!({
        "userName": "Eva Lima", "userEmail": email, "userDocument": "529.982.247-25",
        "userPhone": "(11) 98765-4321", "userBirthDate": "1990-04-12", "password": PASSWORD,
        "password_confirmation": PASSWORD, "consent_legal_terms": true,
        "consent_privacy_terms": true, "consent_lgpd_terms": true, "inviteToken": token,
    })
}

impl TestApp {
    /// The newest code in the address' mailbox.
    async fn mailed_code(&self, email: &str) -> String {
        let mails = self.mails(email).await;
        let code = mails.iter().find_map(|mail| {
            let is_code = |line: &&str| line.len() == 6 && line.bytes().all(|b| b.is_ascii_digit());
            mail["text"].as_str().unwrap().lines().find(is_code).map(str::to_owned)
        });
        code.unwrap()
    }
}

/// What sets another password by the link of a mail.
async fn mailed_reset(server: &TestApp, email: &str) -> Value {
    server.database.db.clock().advance(61);
    server.post("/api/auth/forgot-password", &json!({"userEmail": email})).await.data(200);
    server.app.actors.jobs.run_all_due().await.unwrap();
    let mails = server.mails(email).await;
    let token = mails.iter().find_map(|mail| {
        let text = mail["text"].as_str().unwrap();
        text.lines().find_map(|line| Some(line.split_once("&token=")?.1.to_owned()))
    });
    json!({"token": token.unwrap(), "newPassword": "Outra123!", "confirmPassword": "Outra123!"})
}

async fn verify(server: &TestApp, email: &str) -> Answer {
    let body = json!({"userEmail": email, "verificationCode": server.mailed_code(email).await});
    server.post("/api/auth/verify-email", &body).await
}

#[actix_web::test]
async fn a_verified_account_is_added_at_once_and_mailed() {
    let server = spawn_app().await;
    let (ana, company) = company_of_ana(&server).await;
    let bia = server.person("bia@example.com").await;
    let added = invite(&server, &ana, company, "Bia@Example.com", "finance").await;
    let user = &added.data(201)["user"];
    assert_eq!((&user["userEmail"], &user["role"]), (&json!("bia@example.com"), &json!("finance")));
    assert_eq!((&user["status"], &user["isCreator"]), (&json!("active"), &json!(false)));
    assert!(added.data(201).get("invite").is_none());
    let listed = server.get_as(&bia, "/api/companies").await;
    assert_eq!(listed.data(200)["companies"][0]["userRole"], "finance");
    let mail = &server.mails("bia@example.com").await[0];
    assert_eq!(mail["subject"], "Você agora faz parte da empresa Ponto Azul");
    assert!(mail["text"].as_str().unwrap().contains("Financeiro"));
    let again = invite(&server, &ana, company, "bia@example.com", "operator").await;
    again.refused(409, "ALREADY_MEMBER");
    let audited = server.audited(company).await;
    assert_eq!(audited.last().unwrap(), &("member.add".into(), Some(bia.id.to_string())));
}

#[actix_web::test]
async fn an_unknown_address_gets_a_link_that_works_once() {
    let server = spawn_app().await;
    let (ana, company) = company_of_ana(&server).await;
    let invited = invite(&server, &ana, company, "eva@example.com", "operator").await;
    let row = invited.data(201)["invite"].clone();
    assert_eq!(row["expiresAt"], "2026-11-28T15:00:00Z");
    assert!(invited.data(201).get("user").is_none());
    assert_eq!(detail(&server, &ana, company).await["invites"], json!([row]));
    let token = server.invite_token("eva@example.com").await;
    assert!(!invited.text.contains(&token), "the link goes to the address alone");
    let shown = server.post(PREVIEW, &json!({"token": token})).await;
    assert_eq!(
        *shown.data(200),
        json!({"companyName": "Ponto Azul", "userEmail": "eva@example.com", "role": "operator",
            "expiresAt": "2026-11-28T15:00:00Z"})
    );
    let (eva, bob) =
        (server.person("eva@example.com").await, server.person("bob@example.com").await);
    let anothers = server.post_as(&bob, ACCEPT, &json!({"token": token})).await;
    anothers.refused(403, "FORBIDDEN");
    let at_once =
        (0..8).map(|_| async { server.post_as(&eva, ACCEPT, &json!({"token": token})).await });
    for accepted in join_all(at_once).await {
        let company = &accepted.data(200)["company"];
        assert_eq!(
            (&company["userRole"], &company["stats"]["total"]),
            (&json!("operator"), &json!(2))
        );
    }
    server.post(PREVIEW, &json!({"token": token})).await.refused(404, "INVITE_INVALID");
    let people = detail(&server, &ana, company).await;
    assert_eq!((people["users"].as_array().unwrap().len(), &people["invites"]), (2, &json!([])));
    let path = format!("/api/companies/{company}/users/{}", eva.id);
    assert_eq!(server.delete_as(&ana, &path).await.status, 204);
    let used = server.post_as(&eva, ACCEPT, &json!({"token": token})).await;
    used.refused(404, "INVITE_INVALID");
}

/// A member's new address may be one that was invited before.
#[actix_web::test]
async fn an_invitation_to_a_member_is_used_up_and_changes_no_role() {
    let server = spawn_app().await;
    let (ana, company) = company_of_ana(&server).await;
    let bia = server.person("bia@example.com").await;
    invite(&server, &ana, company, "bia@example.com", "finance").await.data(201);
    invite(&server, &ana, company, "eva@example.com", "operator").await.data(201);
    let token = server.invite_token("eva@example.com").await;
    let owner = server.database.owner().await;
    let renamed = "UPDATE users SET email = 'eva@example.com' WHERE id = $1";
    owner.execute(renamed, &[&bia.id]).await.unwrap();
    for _repeat in 0..2 {
        let accepted = server.post_as(&bia, ACCEPT, &json!({"token": token})).await;
        assert_eq!(accepted.data(200)["company"]["userRole"], "finance");
    }
    let people = detail(&server, &ana, company).await;
    assert_eq!((people["users"].as_array().unwrap().len(), &people["invites"]), (2, &json!([])));
}

#[actix_web::test]
async fn nobody_joins_a_company_while_it_is_suspended() {
    let server = spawn_app().await;
    let (ana, company) = company_of_ana(&server).await;
    for email in ["eva@example.com", "leo@example.com"] {
        invite(&server, &ana, company, email, "operator").await.data(201);
    }
    let token = server.invite_token("eva@example.com").await;
    let owner = server.database.owner().await;
    owner.execute("UPDATE companies SET status = 'suspended'", &[]).await.unwrap();
    let eva = server.person("eva@example.com").await;
    server.post(PREVIEW, &json!({"token": token})).await.refused(404, "INVITE_INVALID");
    let refused = server.post_as(&eva, ACCEPT, &json!({"token": token})).await;
    refused.refused(404, "INVITE_INVALID");
    let registered = registration("leo@example.com", None);
    server.post("/api/auth/register", &registered).await.data(201);
    verify(&server, "leo@example.com").await.data(200);
    assert_eq!(detail(&server, &ana, company).await["users"].as_array().unwrap().len(), 1);
    owner.execute("UPDATE companies SET status = 'active'", &[]).await.unwrap();
    let accepted = server.post_as(&eva, ACCEPT, &json!({"token": token})).await;
    assert_eq!(accepted.data(200)["company"]["stats"]["total"], 2);
}

#[actix_web::test]
async fn signing_up_with_the_invitation_ends_in_the_company() {
    let server = spawn_app().await;
    let (ana, company) = company_of_ana(&server).await;
    invite(&server, &ana, company, "eva@example.com", "finance").await.data(201);
    let token = server.invite_token("eva@example.com").await;
    let other = registration("other@example.com", Some(&token));
    let refused = server.post("/api/auth/register", &other).await;
    refused.refused(422, "VALIDATION_ERROR");
    assert_eq!(refused.body["error"]["fields"], json!({"userEmail": "INVALID"}));
    let unknown = registration("eva@example.com", Some("not-a-token"));
    server.post("/api/auth/register", &unknown).await.refused(404, "INVITE_INVALID");
    let body = registration("eva@example.com", Some(&token));
    server.post("/api/auth/register", &body).await.data(201);
    assert_eq!(detail(&server, &ana, company).await["stats"]["total"], 1, "not verified yet");
    verify(&server, "eva@example.com").await.data(200);
    let joined = detail(&server, &ana, company).await;
    assert_eq!(role(&joined, "eva@example.com"), "finance");
    assert_eq!(joined["invites"], json!([]));
    let accepted = server.audited(company).await.pop().unwrap();
    assert_eq!(accepted.0, "invite.accept");
}

/// The token of the invitation has proven the mailbox already, but not the address.
#[actix_web::test]
async fn signing_up_with_the_invitation_ends_in_the_company_by_a_reset_too() {
    let server = spawn_app().await;
    let (ana, company) = company_of_ana(&server).await;
    invite(&server, &ana, company, "eva@example.com", "finance").await.data(201);
    let token = server.invite_token("eva@example.com").await;
    let body = registration("eva@example.com", Some(&token));
    server.post("/api/auth/register", &body).await.data(201);
    let reset = mailed_reset(&server, "eva@example.com").await;
    server.post("/api/auth/reset-password", &reset).await.data(200);
    let joined = detail(&server, &ana, company).await;
    assert_eq!(role(&joined, "eva@example.com"), "finance");
}

#[actix_web::test]
async fn every_open_invitation_to_an_address_becomes_a_membership_when_it_is_verified() {
    let server = spawn_app().await;
    let (ana, first) = company_of_ana(&server).await;
    let second = server.company(&ana, "Ponto Verde").await;
    let cancelled = server.company(&ana, "Ponto Cinza").await;
    server.post("/api/auth/register", &registration("eva@example.com", None)).await.data(201);
    // An account that is not verified looks like none at all.
    for (company, role) in [(first, "operator"), (second, "admin"), (cancelled, "admin")] {
        let invited = invite(&server, &ana, company, "eva@example.com", role).await;
        assert!(invited.data(201).get("user").is_none());
    }
    let open = &detail(&server, &ana, cancelled).await["invites"][0]["id"];
    let path = format!("/api/companies/{cancelled}/invites/{}", open.as_str().unwrap());
    assert_eq!(server.delete_as(&ana, &path).await.status, 204);
    server.delete_as(&ana, &path).await.refused(404, "NOT_FOUND");
    verify(&server, "eva@example.com").await.data(200);
    for (company, expected) in [(first, "operator"), (second, "admin")] {
        let joined = detail(&server, &ana, company).await;
        assert_eq!(role(&joined, "eva@example.com"), expected);
    }
    assert_eq!(detail(&server, &ana, cancelled).await["stats"]["total"], 1);
}

/// Somebody signs up with an address that is not theirs and waits for its invitations.
#[actix_web::test]
async fn an_account_that_somebody_else_began_joins_nothing_by_the_first_password() {
    let server = spawn_app().await;
    let (ana, company) = company_of_ana(&server).await;
    server.post("/api/auth/register", &registration("eva@example.com", None)).await.data(201);
    invite(&server, &ana, company, "eva@example.com", "admin").await.data(201);
    let reset = mailed_reset(&server, "eva@example.com").await;
    verify(&server, "eva@example.com").await.refused(400, "INVALID_VERIFICATION_CODE");
    server.post("/api/auth/reset-password", &reset).await.data(200);
    server.post("/api/auth/reset-password", &reset).await.refused(400, "INVALID_RESET_TOKEN");
    let login = |password: &str| json!({"userEmail": "eva@example.com", "password": password});
    let first = server.post("/api/auth/login", &login(PASSWORD)).await;
    first.refused(401, "INVALID_CREDENTIALS");
    server.post("/api/auth/login", &login("Outra123!")).await.data(200);
    assert_eq!(role(&detail(&server, &ana, company).await, "eva@example.com"), "admin");
}

#[actix_web::test]
async fn a_verification_by_another_party_joins_nothing_by_itself() {
    let server = spawn_app().await;
    let (mut ana, first) = company_of_ana(&server).await;
    server.allow(first, 5).await;
    server.post("/api/auth/register", &registration("eva@example.com", None)).await.data(201);
    invite(&server, &ana, first, "eva@example.com", "admin").await.data(201);
    let code = server.mailed_code("eva@example.com").await;
    let (email, digits) = (Email::parse("eva@example.com").unwrap(), Digits::parse(&code).unwrap());
    let elsewhere = bipe_core::caller::Caller { network: "10.6.6.6".into(), ..caller() };
    let auth = &server.app.auth;
    auth.verify_email(&email, &digits, None, &elsewhere).await.unwrap();
    assert_eq!(detail(&server, &ana, first).await["stats"]["total"], 1);
    server.database.db.clock().advance(1);
    let again = invite(&server, &ana, first, "eva@example.com", "operator").await;
    assert!(again.data(201).get("user").is_none(), "a link, as for a stranger");

    let signed_in = auth.sign_in(&email, PASSWORD, &caller()).await.unwrap();
    let SignIn::Session(user, tokens) = signed_in else { panic!("a second factor") };
    let eva = Person {
        id: user.id,
        email: "eva@example.com".into(),
        token: tokens.access_token,
        refresh_token: tokens.refresh_token,
    };
    let token = server.invite_token("eva@example.com").await;
    server.post_as(&eva, ACCEPT, &json!({"token": token})).await.data(200);
    assert_eq!(role(&detail(&server, &ana, first).await, "eva@example.com"), "operator");
    ana.token = server.token(&ana).await;
    let second = server.company(&ana, "Ponto Verde").await;
    let added = invite(&server, &ana, second, "eva@example.com", "finance").await;
    assert_eq!(added.data(201)["user"]["role"], "finance", "mailbox and password are in one hand");
}

#[actix_web::test]
async fn an_account_that_was_deactivated_is_mailed_like_an_unknown_address() {
    let server = spawn_app().await;
    let (ana, company) = company_of_ana(&server).await;
    let bia = server.person("bia@example.com").await;
    let owner = server.database.owner().await;
    let sql = "UPDATE users SET status = 'inactive' WHERE id = $1";
    owner.execute(sql, &[&bia.id]).await.unwrap();
    let [known, unknown] = ["bia@example.com", "zoe@example.com"].map(|email| {
        let (server, ana) = (&server, &ana);
        async move { invite(server, ana, company, email, "operator").await }
    });
    let names = |answer: Answer| {
        let invite = answer.data(201)["invite"].as_object().unwrap().clone();
        invite.keys().cloned().collect::<Vec<_>>()
    };
    assert_eq!(names(known.await), names(unknown.await));
    assert_eq!(detail(&server, &ana, company).await["stats"]["total"], 1);
}

#[actix_web::test]
async fn the_same_address_again_renews_the_one_invitation_that_is_open() {
    let server = spawn_app().await;
    let (ana, company) = company_of_ana(&server).await;
    server.allow(company, 2).await;
    let first = invite(&server, &ana, company, "eva@example.com", "operator").await;
    let old = server.invite_token("eva@example.com").await;
    server.database.db.clock().advance(60);
    let again = invite(&server, &ana, company, "eva@example.com", "finance").await;
    let (first, again) = (&first.data(201)["invite"], &again.data(201)["invite"]);
    assert_eq!(again["id"], first["id"]);
    assert_eq!(
        (&again["role"], &again["expiresAt"]),
        (&json!("finance"), &json!("2026-11-28T15:01:00Z"))
    );
    assert_eq!(detail(&server, &ana, company).await["invites"], json!([again]));
    let new = server.invite_token("eva@example.com").await;
    server.post(PREVIEW, &json!({"token": old})).await.refused(404, "INVITE_INVALID");
    assert_eq!(server.post(PREVIEW, &json!({"token": new})).await.data(200)["role"], "finance");
    assert_eq!(server.mails("eva@example.com").await.len(), 2);
}

#[actix_web::test]
async fn a_repeated_mail_brings_a_new_link_for_another_seven_days() {
    let server = spawn_app().await;
    let (mut ana, company) = company_of_ana(&server).await;
    let invited = invite(&server, &ana, company, "eva@example.com", "operator").await;
    let id = invited.data(201)["invite"]["id"].as_str().unwrap();
    let old = server.invite_token("eva@example.com").await;
    server.database.db.clock().advance(6 * 86_400);
    ana.token = server.token(&ana).await;
    let path = format!("/api/companies/{company}/invites/{id}/resend");
    assert_eq!(server.post_as(&ana, &path, &json!({})).await.status, 204);
    let new = server.invite_token("eva@example.com").await;
    server.post(PREVIEW, &json!({"token": old})).await.refused(404, "INVITE_INVALID");
    let shown = server.post(PREVIEW, &json!({"token": new})).await;
    assert_eq!(shown.data(200)["expiresAt"], "2026-12-04T15:00:00Z");
    server.database.db.clock().advance(7 * 86_400);
    ana.token = server.token(&ana).await;
    server.post(PREVIEW, &json!({"token": new})).await.refused(404, "INVITE_INVALID");
    server.post_as(&ana, &path, &json!({})).await.refused(404, "NOT_FOUND");
    assert_eq!(detail(&server, &ana, company).await["invites"], json!([]));
    let eva = server.person("eva@example.com").await;
    let late = server.post_as(&eva, ACCEPT, &json!({"token": new})).await;
    late.refused(404, "INVITE_INVALID");
    // What has expired stands in nobody's way.
    let later = invite(&server, &ana, company, "eva@example.com", "operator").await;
    assert_eq!(later.data(201)["user"]["userEmail"], "eva@example.com");
}

#[actix_web::test]
async fn the_database_and_the_jobs_know_the_link_as_a_hash_alone() {
    let server = spawn_app().await;
    let (ana, company) = company_of_ana(&server).await;
    invite(&server, &ana, company, "eva@example.com", "operator").await.data(201);
    let owner = server.database.owner().await;
    let job = "SELECT payload FROM jobs WHERE kind = 'mail'";
    let payload: String = owner.query_one(job, &[]).await.unwrap().get(0);
    let token = server.invite_token("eva@example.com").await;
    assert!(payload.contains("eva@example.com") && !payload.contains(&token), "{payload}");
    let row = owner.query_one("SELECT token_sha256 FROM invites", &[]).await.unwrap();
    let hash = bipe_core::secret::sha256(token.as_bytes());
    assert_eq!(row.get::<_, Vec<u8>>(0), hash);
}

#[actix_web::test]
async fn wrong_fields_are_named_at_once() {
    let server = spawn_app().await;
    let (ana, company) = company_of_ana(&server).await;
    let refused = invite(&server, &ana, company, "eva", "owner").await;
    refused.refused(422, "VALIDATION_ERROR");
    let fields = json!({"userEmail": "EMAIL_INVALID", "role": "INVALID"});
    assert_eq!(refused.body["error"]["fields"], fields);
    let refused = server.post(PREVIEW, &json!({"token": " "})).await;
    assert_eq!(refused.body["error"]["fields"], json!({"token": "REQUIRED"}));
}
