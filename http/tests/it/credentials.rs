//! Another password, another address and the link that undoes them, as a client and a socket meet them.

use bipe_testkit::{Answer, PASSWORD};
use serde_json::{Value, json};

use crate::app::{TestApp, spawn_app};

const NEW: &str = "Trocada#77x";

impl TestApp {
    /// The text of the newest mail with that subject.
    pub async fn mail(&self, to: &str, subject: &str) -> String {
        self.app.actors.jobs.run_all_due().await.unwrap();
        let mailbox = self.get(&format!("/dev/mailbox.json?to={to}")).await;
        let mails = mailbox.body["messages"].as_array().unwrap();
        let found = mails.iter().find(|mail| mail["subject"] == subject).unwrap();
        found["text"].as_str().unwrap().to_owned()
    }

    async fn move_to(&self, person: &bipe_testkit::Person, email: &str) -> Answer {
        let wish = json!({"newEmail": email, "password": PASSWORD});
        let asked = self.post_as(person, "/api/auth/me/email", &wish).await;
        assert_eq!(asked.data(200), &json!({}));
        let text = self.mail(email, "Seu código para trocar o email do Bipe").await;
        let is_code = |line: &&str| line.len() == 6 && line.bytes().all(|b| b.is_ascii_digit());
        let code = text.lines().find(is_code).unwrap();
        let body = json!({"verificationCode": code});
        self.post_as(person, "/api/auth/me/email/confirm", &body).await
    }
}

fn fields(answer: &Answer) -> (u16, Value) {
    (answer.status, answer.body["error"]["fields"].clone())
}

#[actix_web::test]
async fn a_password_is_changed_by_whoever_knows_the_current_one() {
    let server = spawn_app().await;
    let person = server.person("ana@example.com").await;
    let change = async |current: &str, new: &str, again: &str| {
        let body =
            json!({"currentPassword": current, "newPassword": new, "confirmPassword": again});
        server.put_as(&person, "/api/auth/me/password", &body).await
    };
    let wrong = change("", "fraca", "outra").await;
    let all = json!({"currentPassword": "REQUIRED", "newPassword": "PASSWORD_WEAK",
        "confirmPassword": "PASSWORD_MISMATCH"});
    assert_eq!(fields(&wrong), (422, all));
    let wrong = change("Senha123?", NEW, NEW).await;
    assert_eq!(fields(&wrong), (422, json!({"currentPassword": "INVALID"})));
    assert_eq!(change(PASSWORD, NEW, NEW).await.data(200), &json!({}));
    server.get_as(&person, "/api/auth/me").await.data(200);
    let login = json!({"userEmail": "ana@example.com", "password": NEW});
    server.post("/api/auth/login", &login).await.data(200);
    let body = json!({"currentPassword": NEW, "newPassword": NEW, "confirmPassword": NEW});
    let request = reqwest::Client::new().put(server.url("/api/auth/me/password")).json(&body);
    bipe_testkit::answer(request).await.refused(401, "UNAUTHORIZED");
}

#[actix_web::test]
async fn a_new_address_is_seen_by_colleagues_and_by_the_own_other_windows() {
    let server = spawn_app().await;
    let ana = server.person("ana@example.com").await;
    let company = server.company(&ana, "Ponto Central").await;
    let mut window = server.live(&ana, &[json!({"channel": "user"})]).await;
    window.until("live").await;
    let moved = server.move_to(&ana, "nova@example.com").await;
    assert_eq!(moved.data(200)["user"]["userEmail"], "nova@example.com");
    assert_eq!(window.event("membership.changed").await["data"], Value::Null);
    let seen = server.get_as(&ana, &format!("/api/companies/{company}")).await;
    assert_eq!(seen.data(200)["company"]["users"][0]["userEmail"], "nova@example.com");
}

#[actix_web::test]
async fn a_link_undoes_by_its_token_alone_and_once() {
    let server = spawn_app().await;
    let ana = server.person("ana@example.com").await;
    let mut window = server.live(&ana, &[json!({"channel": "user"})]).await;
    window.until("live").await;
    server.move_to(&ana, "ladra@example.com").await.data(200);
    let notice = server.mail("ana@example.com", "O email da sua conta do Bipe foi alterado").await;
    let link = notice.lines().find(|line| line.starts_with("http")).unwrap();
    let (page, token) = link.split_once('#').unwrap();
    assert_eq!(page, format!("{}/not-me", server.url("")));
    // Opening it, as a mail scanner does, changes nothing.
    assert_eq!(server.get("/not-me").await.status, 200);
    server.get_as(&ana, "/api/auth/me").await.data(200);
    let undo = async || server.post("/api/auth/undo", &json!({"token": token})).await;
    let undone = undo().await;
    let expected = json!({"cause": "email", "userEmail": "ana@example.com", "emailRestored": true});
    assert_eq!(undone.data(200), &expected);
    assert_eq!(window.closed().await, 4004);
    server.get_as(&ana, "/api/auth/me").await.refused(401, "UNAUTHORIZED");
    undo().await.refused(404, "UNDO_INVALID");
    server.post("/api/auth/undo", &json!({"token": ""})).await.refused(404, "UNDO_INVALID");
}
