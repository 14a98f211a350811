//! People as platform admins search, read, edit and deactivate them; every look is audited.

use bipe_testkit::Person;
use serde_json::{Value, json};

use super::{admin, audited, set_role};
use crate::app::{TestApp, spawn_app};

const USERS: &str = "/api/admin/users";

fn one(person: &Person) -> String {
    format!("{USERS}/{}", person.id)
}

/// The e-mails of a list, in its order.
async fn emails(server: &TestApp, root: &Person, query: &str) -> Vec<String> {
    let listed = server.get_as(root, &format!("{USERS}?{query}")).await;
    let users = listed.data(200)["users"].as_array().unwrap().clone();
    assert_eq!(listed.data(200)["total"], json!(users.len()), "{query}");
    users.iter().map(|user| user["email"].as_str().unwrap().to_owned()).collect()
}

/// A root, Ana with a company, Bruno without, Zoé who never verified.
async fn people() -> (TestApp, Person, Person, Person) {
    let server = spawn_app().await;
    let root = admin(&server).await;
    let ana = server.person("ana@example.com").await;
    let bruno = server.person("bruno@example.com").await;
    server.company(&ana, "Depósito São João").await;
    let owner = server.database.owner().await;
    let rename = "UPDATE users SET name = $2 WHERE id = $1";
    owner.execute(rename, &[&ana.id, &"Ana Conceição"]).await.unwrap();
    let pending = "INSERT INTO users (id, name, email, document, phone, birth_date, password_hash, \
         created_at, updated_at) VALUES ($1, 'Zoé 100%', 'zoe@example.com', '99999999999', '1199999999', \
         '1990-01-01', '', '2026-01-01', '2026-01-01')";
    owner.execute(pending, &[&server.database.db.clock().uuid()]).await.unwrap();
    (server, root, ana, bruno)
}

#[actix_web::test]
async fn people_are_found_by_any_part_of_name_email_or_company_without_accents_and_case() {
    let (server, root, ..) = people().await;
    for query in ["search=CONCEICAO", "search=ceição", "search=deposito%20sao", "search=ana@exam"]
    {
        assert_eq!(emails(&server, &root, query).await, ["ana@example.com"], "{query}");
    }
    for query in ["search=100%25", "search=99999999999", "search=999.999.999-99"] {
        assert_eq!(emails(&server, &root, query).await, ["zoe@example.com"], "{query}");
    }
    // A part of a CPF finds nobody.
    for nobody in ["search=10_%25", "search=%25%25", "search=ninguem", "search=9999999999"] {
        assert_eq!(emails(&server, &root, nobody).await, Vec::<String>::new(), "{nobody}");
    }
    assert_eq!(emails(&server, &root, "search=%20&limit=100").await.len(), 4);
    let long = format!("{USERS}?search={}", "a".repeat(101));
    server.get_as(&root, &long).await.refused(422, "VALIDATION_ERROR");
    server.get_as(&root, &format!("{USERS}?search=%00")).await.refused(400, "VALIDATION_ERROR");
}

#[actix_web::test]
async fn no_search_over_people_goes_unaudited_and_typing_floods_nothing() {
    let (server, root, ..) = people().await;
    for typed in ["a", "an", "ana", "ana@example.com"] {
        for list in ["users", "companies"] {
            server.get_as(&root, &format!("/api/admin/{list}?search={typed}")).await.data(200);
        }
    }
    server.get_as(&root, &format!("{USERS}?role=admin&search=%20")).await.data(200);
    let owner = server.database.owner().await;
    let once = [(String::new(), vec!["search".to_owned()])];
    assert_eq!(audited(&owner, "user.search").await, once);
    assert_eq!(audited(&owner, "company.search").await, once);
    server.database.db.clock().advance(61);
    server.get_as(&root, &format!("{USERS}?search=ana@example.com")).await.data(200);
    assert_eq!(audited(&owner, "user.search").await.len(), 2);
    let kept = "SELECT count(*) FROM audit_entries a WHERE a::text LIKE '%ana@example%'";
    assert_eq!(owner.query_one(kept, &[]).await.unwrap().get::<_, i64>(0), 0);
}

#[actix_web::test]
async fn an_unknown_word_is_never_refused_without_its_field() {
    let (server, root, ana, ..) = people().await;
    let wrong = [
        (json!({"role": "owner"}), "role"),
        (json!({"role": 5}), "role"),
        (json!({"status": "gone"}), "status"),
        (json!({"status": ["active"]}), "status"),
        (json!({"userName": 5}), "userName"),
    ];
    for (body, field) in wrong {
        let refused = server.put_as(&root, &one(&ana), &body).await;
        refused.refused(422, "VALIDATION_ERROR");
        assert_eq!(refused.body["error"]["fields"], json!({field: "INVALID"}), "{body}");
    }
    let refused = server.post("/api/auth/refresh", &json!({"refreshToken": 5})).await;
    refused.refused(422, "VALIDATION_ERROR");
    assert_eq!(refused.body["error"]["fields"], json!({"refreshToken": "INVALID"}));
}

#[actix_web::test]
async fn people_are_filtered_sorted_paged_and_counted() {
    let (server, root, ..) = people().await;
    assert_eq!(emails(&server, &root, "role=admin").await, ["root@example.com"]);
    assert_eq!(emails(&server, &root, "role=company_admin").await, ["ana@example.com"]);
    let others = emails(&server, &root, "role=user&sort=email").await;
    assert_eq!(others, ["bruno@example.com", "zoe@example.com"]);
    assert_eq!(emails(&server, &root, "status=pending").await, ["zoe@example.com"]);
    assert_eq!(emails(&server, &root, "role=user&status=active").await, ["bruno@example.com"]);
    let all = ["ana@example.com", "bruno@example.com", "root@example.com", "zoe@example.com"];
    assert_eq!(emails(&server, &root, "sort=name").await, all);
    let mut backwards = all;
    backwards.reverse();
    assert_eq!(emails(&server, &root, "sort=-email").await, backwards);
    assert_eq!(emails(&server, &root, "sort=-status").await[0], "zoe@example.com", "pending");
    assert_eq!(emails(&server, &root, "sort=status").await[3], "zoe@example.com");
    assert_eq!(emails(&server, &root, "sort=createdAt").await[0], "zoe@example.com");
    assert_eq!(emails(&server, &root, "").await[3], "zoe@example.com", "newest first by default");
    assert_eq!(emails(&server, &root, "sort=-lastLogin").await[3], "zoe@example.com", "never last");

    let second = server.get_as(&root, &format!("{USERS}?sort=email&limit=3&page=2")).await;
    let data = second.data(200);
    assert_eq!((&data["total"], &data["page"]), (&json!(4), &json!(2)));
    assert_eq!(data["users"].as_array().unwrap().len(), 1);
    assert_eq!(data["summary"], json!({"total": 4, "active": 3, "admins": 2, "pending": 1}));
    let beyond = server.get_as(&root, &format!("{USERS}?page=9&status=active")).await;
    assert_eq!(beyond.data(200)["total"], 3);
    let ana = server.get_as(&root, &format!("{USERS}?search=ana")).await;
    let ana = &ana.data(200)["users"][0];
    assert_eq!(ana["company"]["name"], "Depósito São João");
    assert_eq!(ana["lastLogin"], "2026-11-21T15:00:00Z");
    for query in ["role=boss", "status=gone", "sort=cpf", "limit=0"] {
        let refused = server.get_as(&root, &format!("{USERS}?{query}")).await;
        refused.refused(422, "VALIDATION_ERROR");
    }
}

#[actix_web::test]
async fn one_person_is_shown_with_a_masked_document_and_every_look_is_audited() {
    let (server, root, ana, _) = people().await;
    let shown = server.get_as(&root, &one(&ana)).await;
    let user = &shown.data(200)["user"];
    assert_eq!(
        (&user["userName"], &user["role"]),
        (&json!("Ana Conceição"), &json!("company_admin"))
    );
    assert!(user["userDocument"].as_str().unwrap().starts_with("***."), "{user}");
    assert_eq!(user["companies"][0]["name"], "Depósito São João");
    assert_eq!((&user["companies"][0]["role"], &user["sessions"]), (&json!("admin"), &json!(1)));
    assert!(user["consents"].is_array());
    let owner = server.database.owner().await;
    assert_eq!(audited(&owner, "user.read").await, [(ana.id.to_string(), vec![])]);
    let nobody = format!("{USERS}/019e0000-0000-7000-8000-000000000000");
    server.get_as(&root, &nobody).await.refused(404, "NOT_FOUND");
    assert_eq!(audited(&owner, "user.read").await.len(), 1, "nobody was looked at");
}

#[actix_web::test]
async fn an_edit_changes_what_it_names_and_the_audit_has_the_names_only() {
    let (server, root, ana, _) = people().await;
    let body = json!({"userName": "Ana Maria", "userPhone": "(21) 91234-5678"});
    let edited = server.put_as(&root, &one(&ana), &body).await;
    assert_eq!(edited.data(200)["user"]["userName"], "Ana Maria");
    assert_eq!(edited.data(200)["user"]["userEmail"], "ana@example.com");
    server.put_as(&root, &one(&ana), &body).await.data(200);
    let owner = server.database.owner().await;
    let fields = ["userName", "userPhone"].map(str::to_owned).to_vec();
    assert_eq!(audited(&owner, "user.edit").await, [(ana.id.to_string(), fields)]);
    let looked = audited(&owner, "user.read").await;
    assert_eq!(looked, [(ana.id.to_string(), vec![])], "an edit of nothing shows the person");

    let wrong = json!({"userName": "A", "userPhone": "1", "status": "pending"});
    let refused = server.put_as(&root, &one(&ana), &wrong).await;
    refused.refused(422, "VALIDATION_ERROR");
    let fields =
        json!({"userName": "NAME_TOO_SHORT", "userPhone": "PHONE_INVALID", "status": "INVALID"});
    assert_eq!(refused.body["error"]["fields"], fields);
    server.get_as(&ana, "/api/auth/me").await.data(200);
}

#[actix_web::test]
async fn whoever_is_deactivated_is_out_everywhere_and_may_come_back() {
    let (server, root, ana, _) = people().await;
    let mut live = server.live(&ana, &[json!({"channel": "user"})]).await;
    live.until("live").await;
    let off = server.put_as(&root, &one(&ana), &json!({"status": "inactive"})).await;
    assert_eq!(off.data(200)["user"]["status"], "inactive");
    assert_eq!(live.closed().await, 4004);
    server.get_as(&ana, "/api/companies").await.refused(401, "UNAUTHORIZED");
    let login = json!({"userEmail": "ana@example.com", "password": bipe_testkit::PASSWORD});
    server.post("/api/auth/login", &login).await.refused(403, "ACCOUNT_INACTIVE");
    server.put_as(&root, &one(&ana), &json!({"status": "active"})).await.data(200);
    server.post("/api/auth/login", &login).await.data(200);
}

#[actix_web::test]
async fn an_account_that_was_never_verified_waits_for_its_code_again() {
    let (server, root, ..) = people().await;
    let found = server.get_as(&root, &format!("{USERS}?search=zoe")).await;
    let zoe = format!("{USERS}/{}", found.data(200)["users"][0]["id"].as_str().unwrap());
    for (asked, becomes) in [("inactive", "inactive"), ("active", "pending")] {
        let answer = server.put_as(&root, &zoe, &json!({"status": asked})).await;
        assert_eq!(answer.data(200)["user"]["status"], becomes);
    }
    let refused = server.put_as(&root, &zoe, &json!({"status": "active"})).await;
    refused.refused(422, "VALIDATION_ERROR");
    assert!(refused.text.contains(r#""status":"INVALID""#), "{}", refused.text);
}

#[actix_web::test]
async fn nobody_changes_the_own_role_or_status() {
    let (server, root, ..) = people().await;
    for body in [json!({"role": "user"}), json!({"status": "inactive"})] {
        server.put_as(&root, &one(&root), &body).await.refused(403, "FORBIDDEN");
    }
    server.put_as(&root, &one(&root), &json!({"userName": "Raiz Nova"})).await.data(200);
    let mine = server.get_as(&root, "/api/auth/me").await;
    assert_eq!(mine.data(200)["user"]["userRole"], "admin");
}

#[actix_web::test]
async fn two_admins_who_demote_each_other_leave_one() {
    let (server, root, ana, _) = people().await;
    set_role(&server.database, &ana, "admin").await;
    let body = json!({"role": "user"});
    let (root_path, ana_path) = (one(&root), one(&ana));
    let (first, second) = futures_util::join!(
        server.put_as(&root, &ana_path, &body),
        server.put_as(&ana, &root_path, &body)
    );
    let mut statuses = [first.status, second.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 403], "{} {}", first.text, second.text);
    let owner = server.database.owner().await;
    let left = "SELECT count(*) FROM users WHERE role = 'admin' AND status = 'active'";
    let left: i64 = owner.query_one(left, &[]).await.unwrap().get(0);
    assert_eq!(left, 1);
}

#[actix_web::test]
async fn a_promotion_and_a_demotion_count_from_the_next_request_and_are_told() {
    let (server, root, ana, _) = people().await;
    let mut live = server.live(&ana, &[json!({"channel": "user"})]).await;
    live.until("live").await;
    for (role, status) in [("admin", 200), ("user", 403)] {
        server.put_as(&root, &one(&ana), &json!({"role": role})).await.data(200);
        assert_eq!(server.get_as(&ana, USERS).await.status, status, "{role}");
        let heard = live.until("event").await.pop().unwrap();
        assert_eq!(heard["name"], "membership.changed", "{heard}");
    }
}

#[actix_web::test]
async fn a_session_that_time_has_ended_is_not_counted() {
    let (server, root, ana, _) = people().await;
    let owner = server.database.owner().await;
    let forget =
        "UPDATE sessions SET last_used_at = last_used_at - interval '8 days' WHERE user_id = $1";
    assert_eq!(owner.execute(forget, &[&ana.id]).await.unwrap(), 1);
    assert_eq!(server.get_as(&root, &one(&ana)).await.data(200)["user"]["sessions"], 0);
}

#[actix_web::test]
async fn sessions_are_ended_by_an_admin() {
    let (server, root, ana, _) = people().await;
    let ended = server.post_as(&root, &format!("{}/end-sessions", one(&ana)), &json!({})).await;
    assert_eq!(ended.status, 204, "{}", ended.text);
    server.get_as(&ana, "/api/companies").await.refused(401, "UNAUTHORIZED");
    let owner = server.database.owner().await;
    assert_eq!(audited(&owner, "user.end_sessions").await, [(ana.id.to_string(), vec![])]);
    let nobody = format!("{USERS}/019e0000-0000-7000-8000-000000000000/end-sessions");
    server.post_as(&root, &nobody, &json!({})).await.refused(404, "NOT_FOUND");
}

#[actix_web::test]
async fn members_see_what_an_admin_changed_of_a_colleague() {
    let (server, root, ana, bruno) = people().await;
    let company = server.company(&ana, "Ponto Azul").await;
    server.join(&bruno, company, "finance").await;
    let mut live = server.live(&ana, &[json!({"channel": format!("company/{company}")})]).await;
    live.until("live").await;
    server.put_as(&root, &one(&bruno), &json!({"status": "inactive"})).await.data(200);
    let heard: Value = live.until("event").await.pop().unwrap();
    assert_eq!(heard["name"], "member.updated");
    assert_eq!(
        (&heard["data"]["userId"], &heard["data"]["status"]),
        (&json!(bruno.id), &json!("inactive"))
    );
}

#[actix_web::test]
async fn a_person_is_erased_by_an_admin_and_found_no_more() {
    let (server, root, ana, bruno) = people().await;
    let erased = server.delete_as(&root, &one(&bruno)).await;
    assert_eq!(erased.status, 204, "{}", erased.text);
    server.get_as(&bruno, "/api/companies").await.refused(401, "UNAUTHORIZED");
    assert_eq!(emails(&server, &root, "search=bruno").await, Vec::<String>::new());
    server.get_as(&root, &one(&bruno)).await.refused(404, "NOT_FOUND");
    server.delete_as(&root, &one(&bruno)).await.refused(404, "NOT_FOUND");
    let ended = server.post_as(&root, &format!("{}/end-sessions", one(&bruno)), &json!({})).await;
    ended.refused(404, "NOT_FOUND");
    server.delete_as(&root, &one(&root)).await.refused(403, "FORBIDDEN");
    let owner = server.database.owner().await;
    assert_eq!(audited(&owner, "user.erase").await, [(bruno.id.to_string(), vec![])]);

    // Ana alone answers for a company with somebody else in it.
    let clara = server.person("clara@example.com").await;
    let company = server.company(&ana, "Ponto Azul").await;
    server.join(&clara, company, "operator").await;
    server.delete_as(&root, &one(&ana)).await.refused(409, "LAST_ADMIN");
    server.get_as(&ana, "/api/companies").await.data(200);

    // The company reads that the platform took the person out of it.
    assert_eq!(server.delete_as(&root, &one(&clara)).await.status, 204);
    let log = format!("/api/companies/{company}/audit?action=member");
    let log = server.get_as(&ana, &log).await;
    let entries = log.data(200)["entries"].as_array().unwrap();
    let told: Vec<_> = entries.iter().map(|entry| (&entry["action"], &entry["by"])).collect();
    assert_eq!(told, [(&json!("member.remove"), &json!("support"))]);
    assert_eq!(entries[0]["target"]["id"], json!(clara.id));
}
