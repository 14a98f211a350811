//! Roles, removal and leaving; who is locked.

use bipe_core::id::CompanyId;
use bipe_testkit::{Answer, Person};
use futures_util::future::join;
use serde_json::{Value, json};

use crate::app::{TestApp, spawn_app};

struct Team {
    server: TestApp,
    /// The creator.
    ana: Person,
    /// Another admin.
    bob: Person,
    otto: Person,
    company: CompanyId,
}

async fn team() -> Team {
    let server = spawn_app().await;
    let ana = server.person("ana@example.com").await;
    let bob = server.person("bob@example.com").await;
    let otto = server.person("otto@example.com").await;
    let company = server.company(&ana, "Ponto Azul").await;
    server.join(&bob, company, "admin").await;
    server.join(&otto, company, "operator").await;
    Team { server, ana, bob, otto, company }
}

impl Team {
    async fn set_role(&self, by: &Person, of: &Person, role: &str) -> Answer {
        let path = format!("/api/companies/{}/users/role", self.company);
        self.server.put_as(by, &path, &json!({"userId": of.id, "role": role})).await
    }

    async fn remove(&self, by: &Person, of: &Person) -> Answer {
        let path = format!("/api/companies/{}/users/{}", self.company, of.id);
        self.server.delete_as(by, &path).await
    }

    async fn roles(&self) -> Vec<(String, String)> {
        let owner = self.server.database.owner().await;
        let sql = "SELECT u.name, m.role FROM members m JOIN users u ON u.id = m.user_id \
             WHERE m.company_id = $1 ORDER BY u.name";
        let rows = owner.query(sql, &[&self.company]).await.unwrap();
        rows.iter().map(|row| (row.get(0), row.get(1))).collect()
    }
}

#[actix_web::test]
async fn an_admin_changes_roles_and_the_same_role_again_leaves_no_trace() {
    let team = team().await;
    for _ in 0..2 {
        let changed = team.set_role(&team.bob, &team.otto, "finance").await;
        let user = &changed.data(200)["user"];
        assert_eq!((&user["role"], &user["userId"]), (&json!("finance"), &json!(team.otto.id)));
    }
    let audited = team.server.audited(team.company).await;
    let updates = audited.iter().filter(|(action, _)| action == "member.update").count();
    assert_eq!(updates, 1);
    team.set_role(&team.otto, &team.bob, "operator").await.refused(403, "FORBIDDEN");
    let stranger = team.server.person("eva@example.com").await;
    team.set_role(&team.bob, &stranger, "operator").await.refused(404, "NOT_FOUND");
    team.set_role(&stranger, &team.otto, "operator").await.refused(404, "NOT_FOUND");
    let path = format!("/api/companies/{}/users/role", team.company);
    let refused =
        team.server.put_as(&team.bob, &path, &json!({"userId": "", "role": "boss"})).await;
    let fields: Value = json!({"userId": "REQUIRED", "role": "INVALID"});
    assert_eq!(refused.body["error"]["fields"], fields);
}

#[actix_web::test]
async fn the_creator_is_neither_removed_nor_changed_nor_able_to_leave() {
    let team = team().await;
    team.set_role(&team.bob, &team.ana, "operator").await.refused(409, "CREATOR_LOCKED");
    team.remove(&team.bob, &team.ana).await.refused(409, "CREATOR_LOCKED");
    team.remove(&team.ana, &team.ana).await.refused(409, "CREATOR_LOCKED");
}

#[actix_web::test]
async fn a_member_leaves_and_is_refused_from_the_next_call_on() {
    let team = team().await;
    team.remove(&team.otto, &team.bob).await.refused(403, "FORBIDDEN");
    assert_eq!(team.remove(&team.otto, &team.otto).await.status, 204);
    let path = format!("/api/companies/{}", team.company);
    team.server.get_as(&team.otto, &path).await.refused(404, "NOT_FOUND");
    team.remove(&team.otto, &team.otto).await.refused(404, "NOT_FOUND");
    assert_eq!(team.remove(&team.ana, &team.bob).await.status, 204);
    team.server
        .put_as(&team.bob, &path, &json!({"companyName": "X1"}))
        .await
        .refused(404, "NOT_FOUND");
    let audited = team.server.audited(team.company).await;
    let actions: Vec<&str> = audited.iter().map(|(action, _)| action.as_str()).collect();
    assert_eq!(actions[actions.len() - 2..], ["member.leave", "member.remove"]);
}

#[actix_web::test]
async fn an_invitation_as_admin_ends_with_the_admin_who_sent_it() {
    let team = team().await;
    team.server.allow(team.company, -1).await;
    team.set_role(&team.ana, &team.otto, "admin").await.data(200);
    let path = format!("/api/companies/{}", team.company);
    let senders = [("ana", &team.ana), ("bob", &team.bob), ("otto", &team.otto)];
    for (name, sender) in senders {
        for role in ["admin", "operator"] {
            let email = format!("{role}.of.{name}@example.com");
            let invite = json!({"userEmail": email, "role": role});
            let sent = team.server.post_as(sender, &format!("{path}/invite"), &invite).await;
            sent.data(201);
        }
    }
    team.set_role(&team.ana, &team.bob, "finance").await.data(200);
    assert_eq!(team.remove(&team.otto, &team.otto).await.status, 204);
    let detail = team.server.get_as(&team.ana, &path).await.data(200).clone();
    let mut open: Vec<&str> = detail["company"]["invites"]
        .as_array()
        .unwrap()
        .iter()
        .map(|invite| invite["userEmail"].as_str().unwrap().split('@').next().unwrap())
        .collect();
    open.sort_unstable();
    assert_eq!(open, ["admin.of.ana", "operator.of.ana", "operator.of.bob", "operator.of.otto"]);
    let audited = team.server.audited(team.company).await;
    assert_eq!(audited.iter().filter(|(action, _)| action == "invite.cancel").count(), 2);
}

#[actix_web::test]
async fn a_company_whose_creator_is_gone_keeps_its_last_admin() {
    let team = team().await;
    // What the erasure of an account leaves behind.
    let owner = team.server.database.owner().await;
    let gone = "DELETE FROM members WHERE user_id = $1";
    owner.execute(gone, &[&team.ana.id]).await.unwrap();
    team.remove(&team.bob, &team.bob).await.refused(409, "LAST_ADMIN");
    team.set_role(&team.bob, &team.bob, "finance").await.refused(409, "LAST_ADMIN");
    team.set_role(&team.bob, &team.otto, "admin").await.data(200);
    // Each would be right alone: one of them has to lose.
    let both = join(team.remove(&team.bob, &team.otto), team.remove(&team.otto, &team.bob)).await;
    let mut statuses = [both.0.status, both.1.status];
    statuses.sort_unstable();
    assert_eq!(statuses[0], 204, "{}", both.0.text);
    assert_eq!(statuses[1], 404, "{} {}", both.0.text, both.1.text);
    assert_eq!(team.roles().await.len(), 1);
}

#[actix_web::test]
async fn an_admin_whose_account_is_deactivated_manages_nothing() {
    let team = team().await;
    let owner = team.server.database.owner().await;
    owner.execute("DELETE FROM members WHERE user_id = $1", &[&team.ana.id]).await.unwrap();
    team.set_role(&team.bob, &team.otto, "admin").await.data(200);
    let sql = "UPDATE users SET status = 'inactive' WHERE id = $1";
    owner.execute(sql, &[&team.otto.id]).await.unwrap();
    team.remove(&team.bob, &team.bob).await.refused(409, "LAST_ADMIN");
    let detail = team.server.get_as(&team.bob, &format!("/api/companies/{}", team.company)).await;
    let stats = &detail.data(200)["company"]["stats"];
    assert_eq!(*stats, json!({"total": 2, "active": 1, "admins": 2, "operators": 0, "finance": 0}));
}
