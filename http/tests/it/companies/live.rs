//! What sockets see of people who come, change and go; and that who is out hears nothing more.

use bipe_core::id::CompanyId;
use bipe_testkit::Person;
use serde_json::{Value, json};

use crate::app::{TestApp, spawn_app};
use crate::live::company_of_ana;
use crate::live_client::Client;

fn channel(company: CompanyId) -> Value {
    json!({"channel": format!("company/{company}")})
}

/// A member of the company, and a page of theirs that reads it.
async fn reading_operator(server: &TestApp, company: CompanyId) -> (Person, Client) {
    let otto = server.person("otto@example.com").await;
    server.join(&otto, company, "operator").await;
    let mut page = server.live(&otto, &[channel(company)]).await;
    page.ready(1).await;
    (otto, page)
}

impl Client {
    /// Everything up to the answer of `channels` subscriptions.
    async fn ready(&mut self, channels: usize) {
        for _ in 0..channels {
            self.until("live").await;
        }
    }
}

#[actix_web::test]
async fn an_invitation_and_its_end_are_seen_in_every_open_page() {
    let server = spawn_app().await;
    let (ana, company) = company_of_ana(&server).await;
    let mut page = server.live(&ana, &[channel(company)]).await;
    page.ready(1).await;
    let path = format!("/api/companies/{company}");
    let body = json!({"userEmail": "eva@example.com", "role": "operator"});
    let invited = server.post_as(&ana, &format!("{path}/invite"), &body).await;
    let invite = &invited.data(201)["invite"];
    let created = page.event("invite.created").await;
    assert_eq!((&created["data"], &created["key"]), (invite, &invite["id"]));
    assert_eq!(created["cause"], invited.headers["x-request-id"].to_str().unwrap());
    let open = format!("{path}/invites/{}", invite["id"].as_str().unwrap());
    assert_eq!(server.delete_as(&ana, &open).await.status, 204);
    assert_eq!(page.event("invite.removed").await["key"], invite["id"]);

    // The mailbox lists by time.
    server.database.db.clock().advance(1);
    server.post_as(&ana, &format!("{path}/invite"), &body).await.data(201);
    page.event("invite.created").await;
    let token = server.invite_token("eva@example.com").await;
    let eva = server.person("eva@example.com").await;
    let mut own = server.live(&eva, &[json!({"channel": "user"})]).await;
    own.ready(1).await;
    let accept = "/api/companies/accept-invite";
    server.post_as(&eva, accept, &json!({"token": token})).await.data(200);
    page.event("invite.removed").await;
    assert_eq!(page.event("member.added").await["data"]["userEmail"], "eva@example.com");
    let changed = own.event("membership.changed").await;
    assert_eq!(
        (&changed["data"]["id"], &changed["data"]["userRole"]),
        (&json!(company), &json!("operator"))
    );
    // The new member's socket may read the company from now on.
    own.send(json!({"type": "subscribe", "id": 2, "channel": channel(company)["channel"]})).await;
    own.ready(1).await;
}

#[actix_web::test]
async fn a_role_cuts_finance_data_out_of_every_open_page_and_brings_it_back() {
    let server = spawn_app().await;
    let (ana, company) = company_of_ana(&server).await;
    let otto = server.person("otto@example.com").await;
    server.join(&otto, company, "finance").await;
    let mut admin = server.live(&ana, &[channel(company)]).await;
    admin.ready(1).await;
    let mut pages = [
        server.live(&otto, &[channel(company), json!({"channel": "user"})]).await,
        server.live(&otto, &[channel(company), json!({"channel": "user"})]).await,
    ];
    for page in &mut pages {
        page.ready(2).await;
    }
    let path = format!("/api/companies/{company}/users/role");
    for (role, sees) in [("operator", false), ("finance", true)] {
        let body = json!({"userId": otto.id, "role": role});
        server.put_as(&ana, &path, &body).await.data(200);
        let updated = admin.event("member.updated").await;
        assert_eq!(updated["data"]["role"], role);
        for page in &mut pages {
            page.until("reset").await;
            page.send(json!({"type": "sync", "id": 3, "channel": channel(company)["channel"]}))
                .await;
            let snapshot = page.until("snapshot").await.pop().unwrap();
            assert_eq!(snapshot["data"].get("openPayments").is_some(), sees, "{role}");
            page.ready(1).await;
        }
        let payments = format!("/api/payments/methods/{company}");
        let read = server.get_as(&otto, &payments).await;
        assert_eq!(read.status, if sees { 200 } else { 403 });
    }
}

#[actix_web::test]
async fn who_is_removed_or_leaves_is_told_and_hears_nothing_more_in_any_page() {
    let server = spawn_app().await;
    let (ana, company) = company_of_ana(&server).await;
    for (n, leaves) in [(1, false), (2, true)] {
        let otto = server.person(&format!("otto{n}@example.com")).await;
        server.join(&otto, company, "operator").await;
        let mut admin = server.live(&ana, &[channel(company)]).await;
        admin.ready(1).await;
        let mut pages = [
            server.live(&otto, &[channel(company)]).await,
            server.live(&otto, &[channel(company)]).await,
        ];
        for page in &mut pages {
            page.ready(1).await;
        }
        let path = format!("/api/companies/{company}/users/{}", otto.id);
        let by = if leaves { &otto } else { &ana };
        assert_eq!(server.delete_as(by, &path).await.status, 204);
        let removed = admin.event("member.removed").await;
        assert_eq!(removed["data"]["userId"], json!(otto.id));
        for page in &mut pages {
            let gone = page.until("unsubscribed").await.pop().unwrap();
            let expected = json!({"type": "unsubscribed", "channel": channel(company)["channel"], "code": "FORBIDDEN"});
            assert_eq!(gone, expected);
        }
        server.rename(&ana, company, &format!("Segredo {n}")).await;
        admin.event("company.updated").await;
        for page in &mut pages {
            page.send(
                json!({"type": "subscribe", "id": 7, "channel": channel(company)["channel"]}),
            )
            .await;
            let answer = page.until("error").await;
            assert_eq!(answer.last().unwrap()["code"], "FORBIDDEN");
            assert!(!json!(answer).to_string().contains("Segredo"), "{answer:?}");
        }
    }
}

#[actix_web::test]
async fn who_is_removed_leaves_a_place_among_the_companys_readers() {
    let server = spawn_app().await;
    let (ana, company) = company_of_ana(&server).await;
    let (otto, mut page) = reading_operator(&server, company).await;
    let sockets = server.app.live.sockets();
    assert_eq!(sockets.readers_of(company), 1);
    let path = format!("/api/companies/{company}/users/{}", otto.id);
    assert_eq!(server.delete_as(&ana, &path).await.status, 204);
    page.until("unsubscribed").await;
    assert_eq!(sockets.readers_of(company), 0);
}

#[actix_web::test]
async fn the_end_of_a_company_reaches_its_readers_before_they_lose_it() {
    let server = spawn_app().await;
    let (ana, company) = company_of_ana(&server).await;
    let (otto, mut page) = reading_operator(&server, company).await;
    let mut own = server.live(&otto, &[json!({"channel": "user"})]).await;
    own.ready(1).await;
    assert_eq!(server.delete_as(&ana, &format!("/api/companies/{company}")).await.status, 204);
    let gone = page.until("unsubscribed").await;
    let told = gone.iter().find(|envelope| envelope["name"] == "company.deleted");
    assert_eq!(told.map(|event| &event["data"]["status"]), Some(&json!("inactive")), "{gone:?}");
    let changed = own.event("membership.changed").await;
    assert_eq!(changed["data"]["id"], json!(company));
    assert!(changed["data"].get("userRole").is_none(), "nobody's role any more");
}

#[actix_web::test]
async fn a_new_name_is_seen_by_colleagues_and_by_the_own_other_tabs() {
    let server = spawn_app().await;
    let (ana, company) = company_of_ana(&server).await;
    let otto = server.person("otto@example.com").await;
    server.join(&otto, company, "operator").await;
    let mut colleague = server.live(&ana, &[channel(company)]).await;
    let mut tab = server.live(&otto, &[json!({"channel": "user"})]).await;
    colleague.ready(1).await;
    tab.ready(1).await;
    let rename = async |name: &str, phone: &str| {
        let body = json!({"userName": name, "userPhone": phone});
        server.put_as(&otto, "/api/auth/me", &body).await.data(200);
    };
    rename("Otto Lima", "(11) 98888-0000").await;
    let updated = colleague.event("member.updated").await;
    assert_eq!(updated["data"]["userName"], "Otto Lima");
    assert_eq!(tab.event("membership.changed").await["data"], Value::Null);
    // Colleagues see no phone, and nothing is told twice.
    rename("Otto Lima", "(11) 97777-0000").await;
    tab.event("membership.changed").await;
    rename("Otto Lima", "(11) 97777-0000").await;
    rename("Otto Reis", "(11) 97777-0000").await;
    assert_eq!(colleague.event("member.updated").await["data"]["userName"], "Otto Reis");
}
