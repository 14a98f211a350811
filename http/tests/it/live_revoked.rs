//! What a person may not read any more ends on all of their sockets, at once (docs/contract.md, "Channels").

use bipe_core::auth::session::resume::SocketOwner;
use bipe_core::event::{Channel, EventName, NewEvent};
use bipe_testkit::{Person, caller, kinds};
use jiff::SignedDuration;
use jiff::Timestamp;
use serde_json::{Value, json};

use crate::app::{TestApp, spawn_app};
use crate::live::{channel, company_of_ana};

#[actix_web::test]
async fn a_revoked_session_ends_its_sockets_and_a_lost_membership_its_channel() {
    let app = spawn_app().await;
    let (ana, company) = company_of_ana(&app).await;
    let otto = app.person("otto@example.com").await;
    app.join(&otto, company, "operator").await;
    let wanted = [json!({"channel": channel(company)})];
    let mut operator = app.live(&otto, &wanted).await;
    operator.until("live").await;

    // A better role: the reader is told to start anew and then sees finance data.
    let owner = app.database.owner().await;
    let update = "UPDATE members SET role = 'finance' WHERE user_id = $1";
    owner.execute(update, &[&otto.id]).await.unwrap();
    membership_changed(&app, &otto).await;
    assert_eq!(operator.until("reset").await.pop().unwrap()["reason"], "lagged");
    operator.send(json!({"type": "sync", "id": 2, "channel": channel(company)})).await;
    assert!(operator.until("live").await[0]["data"]["openPayments"].is_array());

    owner.execute("DELETE FROM members WHERE user_id = $1", &[&otto.id]).await.unwrap();
    membership_changed(&app, &otto).await;
    let gone = operator.until("unsubscribed").await.pop().unwrap();
    assert_eq!(
        gone,
        json!({"type": "unsubscribed", "channel": channel(company), "code": "FORBIDDEN"})
    );
    let mut member = app.live(&ana, &wanted).await;
    member.until("live").await;
    app.rename(&ana, company, "Beta").await;
    member.event("company.updated").await;
    operator.send(json!({"type": "subscribe", "id": 3, "channel": channel(company)})).await;
    let refused = operator.until("error").await;
    assert_eq!(kinds(&refused), ["error"], "nothing of the company comes any more");

    let mut admin = app.live(&ana, &wanted).await;
    let mut other = app.live(&otto, &[]).await;
    admin.until("live").await;
    let now = app.database.db.clock().now();
    let who = app.session(&ana).await;
    let until = now.checked_add(SignedDuration::from_hours(1)).unwrap();
    let resume = json!(app.app.auth.issue_resume(SocketOwner { who, until }, now));
    app.app.auth.sign_out(&ana.refresh_token, &caller()).await.unwrap();
    assert_eq!(admin.closed().await, 4004);
    let mut again = app.connect().await;
    again.send(json!({"type": "hello", "id": 1, "resume": resume})).await;
    assert_eq!(again.closed().await, 4302);
    other.send(json!({"type": "subscribe", "id": 9, "channel": "plans"})).await;
    other.until("live").await;
}

/// The policy of platform admins: 60 minutes without use.
#[actix_web::test]
async fn resume_tokens_do_not_prolong_a_session() {
    let app = spawn_app().await;
    let ana = app.person("ana@example.com").await;
    let (db, clock) = (&app.database.db, app.database.db.clock());
    let owner = app.database.owner().await;
    owner.execute("UPDATE users SET role = 'admin' WHERE id = $1", &[&ana.id]).await.unwrap();
    let ends = clock.now().checked_add(SignedDuration::from_mins(60)).unwrap();
    let mut credential = ("ticket", json!(app.ticket(&ana).await));
    let hello = async |(name, credential): &(&str, Value)| {
        app.app.auth.revocations.refresh(db).await.unwrap();
        let mut socket = app.connect().await;
        let wanted = json!([{"channel": "admin/metrics"}, {"channel": "user"}]);
        socket
            .send(json!({"type": "hello", "id": 1, *name: credential, "subscriptions": wanted}))
            .await;
        socket
    };
    // The last of them begins 56 minutes after the sign-in.
    for _ in 0..15 {
        let welcome = hello(&credential).await.until("welcome").await.pop().unwrap();
        let expires: Timestamp = welcome["expiresAt"].as_str().unwrap().parse().unwrap();
        assert!(expires <= ends, "{expires} is after {ends}");
        credential = ("resume", welcome["resume"].clone());
        clock.advance(240);
    }
    assert_eq!(hello(&credential).await.closed().await, 4302);
}

#[actix_web::test]
async fn every_open_socket_of_a_person_hears_of_a_lost_membership_and_nobody_elses() {
    let app = spawn_app().await;
    let (ana, company) = company_of_ana(&app).await;
    let otto = app.person("otto@example.com").await;
    app.join(&otto, company, "operator").await;
    let wanted = [json!({"channel": channel(company)})];
    let mut own = app.live(&ana, &wanted).await;
    own.until("live").await;
    let mut sockets = Vec::new();
    for _ in 0..3 {
        let mut socket = app.live(&otto, &wanted).await;
        socket.until("live").await;
        sockets.push(socket);
    }
    // One of them is gone before: the others are found all the same.
    sockets.remove(1).socket.close(None).await.unwrap();
    let owner = app.database.owner().await;
    owner.execute("DELETE FROM members WHERE user_id = $1", &[&otto.id]).await.unwrap();
    membership_changed(&app, &otto).await;
    for socket in &mut sockets {
        assert_eq!(socket.until("unsubscribed").await.pop().unwrap()["code"], "FORBIDDEN");
    }
    app.rename(&ana, company, "Beta").await;
    assert_eq!(kinds(&own.until("event").await), ["event"], "the other person reads on");
}

pub async fn membership_changed(app: &TestApp, person: &Person) {
    let mut tx = app.database.db.tx().await.unwrap();
    let channel = Channel::User(person.id);
    tx.emit(NewEvent::new(channel, EventName::MembershipChanged, "m", &json!({})).unwrap());
    tx.commit().await.unwrap();
}
