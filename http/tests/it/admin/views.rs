//! Saved views of the administration's lists: each admin's own, bounded, the same in every tab.

use bipe_testkit::{Answer, Person};
use futures_util::future::join_all;
use serde_json::{Value, json};

use super::{admin, set_role};
use crate::app::{TestApp, spawn_app};

const VIEWS: &str = "/api/admin/views";

fn view(list: &str, name: &str, filters: Value) -> Value {
    json!({"list": list, "name": name, "filters": filters})
}

async fn saved(server: &TestApp, who: &Person, body: &Value) -> Value {
    server.post_as(who, VIEWS, body).await.data(201)["view"].clone()
}

async fn names(server: &TestApp, who: &Person) -> Vec<String> {
    let listed = server.get_as(who, VIEWS).await;
    let views = listed.data(200)["views"].as_array().unwrap();
    views.iter().map(|view| view["name"].as_str().unwrap().to_owned()).collect()
}

fn path(view: &Value) -> String {
    format!("{VIEWS}/{}", view["id"].as_str().unwrap())
}

fn fields(answer: &Answer) -> &Value {
    answer.refused(422, "VALIDATION_ERROR");
    &answer.body["error"]["fields"]
}

#[actix_web::test]
async fn a_view_is_saved_renamed_filled_anew_and_removed_and_every_tab_hears_of_it() {
    let server = spawn_app().await;
    let root = admin(&server).await;
    let mut tab = server.live(&root, &[json!({"channel": "user"})]).await;
    tab.until("live").await;
    let refused = view("payments", "Recusados", json!({"status": "FAILED", "search": ""}));
    let made = saved(&server, &root, &refused).await;
    let expected = json!({
        "id": made["id"], "list": "payments", "name": "Recusados", "filters": {"status": "FAILED"},
    });
    assert_eq!(made, expected);
    assert_eq!(tab.event("views.changed").await["data"], json!({"list": "payments"}));
    assert_eq!(server.get_as(&root, VIEWS).await.data(200), &json!({"views": [expected]}));

    let anew = view("payments", "Pix de agosto", json!({"method": "PIX", "from": "2026-08-01"}));
    let changed = server.put_as(&root, &path(&made), &anew).await.data(200)["view"].clone();
    assert_eq!(changed["id"], made["id"]);
    assert_eq!(changed["name"], "Pix de agosto");
    assert_eq!(changed["filters"], json!({"method": "PIX", "from": "2026-08-01"}));
    tab.event("views.changed").await;

    let gone = server.delete_as(&root, &path(&made)).await;
    assert_eq!(gone.status, 204, "{}", gone.text);
    tab.event("views.changed").await;
    assert_eq!(names(&server, &root).await, Vec::<String>::new());
    server.delete_as(&root, &path(&made)).await.refused(404, "NOT_FOUND");
    server.put_as(&root, &path(&made), &anew).await.refused(404, "NOT_FOUND");
}

#[actix_web::test]
async fn another_persons_views_are_as_if_they_were_not_there() {
    let server = spawn_app().await;
    let root = admin(&server).await;
    let eva = server.person("eva@example.com").await;
    set_role(&server.database, &eva, "admin").await;
    let body = view("users", "Pendentes", json!({"status": "pending"}));
    let own = saved(&server, &root, &body).await;
    assert_eq!(names(&server, &eva).await, Vec::<String>::new());
    server.put_as(&eva, &path(&own), &body).await.refused(404, "NOT_FOUND");
    server.delete_as(&eva, &path(&own)).await.refused(404, "NOT_FOUND");
    // Her own one may be called the same.
    saved(&server, &eva, &body).await;
    assert_eq!(names(&server, &root).await, ["Pendentes"]);
}

#[actix_web::test]
async fn a_view_of_a_list_that_only_a_newer_build_knows_hides_no_other() {
    let server = spawn_app().await;
    let root = admin(&server).await;
    saved(&server, &root, &view("users", "Novos", json!({}))).await;
    let owner = server.database.owner().await;
    let newer = "ALTER TABLE saved_views DROP CONSTRAINT saved_views_list_check";
    owner.batch_execute(newer).await.unwrap();
    let insert = "INSERT INTO saved_views (id, user_id, list, name, filters, created_at, updated_at) \
         VALUES (gen_random_uuid(), $1, 'moons', 'Luas', '{}', now(), now())";
    owner.execute(insert, &[&root.id]).await.unwrap();
    assert_eq!(names(&server, &root).await, ["Novos"]);
}

#[actix_web::test]
async fn a_name_is_taken_once_in_a_list_whatever_the_case() {
    let server = spawn_app().await;
    let root = admin(&server).await;
    let first = saved(&server, &root, &view("users", "Novos", json!({}))).await;
    let again = view("users", " novos ", json!({"sort": "name"}));
    server.post_as(&root, VIEWS, &again).await.refused(409, "VIEW_NAME_EXISTS");
    saved(&server, &root, &view("companies", "Novos", json!({}))).await;
    let other = saved(&server, &root, &view("users", "Antigos", json!({}))).await;
    server.put_as(&root, &path(&other), &again).await.refused(409, "VIEW_NAME_EXISTS");
    // Its own name in another case is no other's.
    server.put_as(&root, &path(&first), &again).await.data(200);
    // The list of a view does not change.
    let moved = view("companies", "Movida", json!({}));
    server.put_as(&root, &path(&other), &moved).await.refused(404, "NOT_FOUND");
    assert_eq!(names(&server, &root).await, ["Novos", "Antigos", "novos"]);
}

#[actix_web::test]
async fn a_list_has_room_for_twenty_also_when_they_come_at_once() {
    let server = spawn_app().await;
    let root = admin(&server).await;
    for n in 1..=18 {
        saved(&server, &root, &view("payments", &format!("Visão {n}"), json!({}))).await;
    }
    let bodies: Vec<Value> =
        (19..=24).map(|n| view("payments", &format!("Visão {n}"), json!({}))).collect();
    let answers = join_all(bodies.iter().map(|body| server.post_as(&root, VIEWS, body))).await;
    let made = answers.iter().filter(|answer| answer.status == 201).count();
    assert_eq!(made, 2);
    for answer in answers.iter().filter(|answer| answer.status != 201) {
        answer.refused(409, "VIEW_LIMIT_REACHED");
    }
    assert_eq!(names(&server, &root).await.len(), 20);
    // The other lists have room of their own, and so has this one again.
    saved(&server, &root, &view("users", "Todos", json!({}))).await;
    let listed = server.get_as(&root, VIEWS).await;
    let first = &listed.data(200)["views"][0];
    server.delete_as(&root, &path(first)).await;
    saved(&server, &root, &view("payments", "Depois", json!({}))).await;
}

#[actix_web::test]
async fn what_no_view_can_be_is_named_field_by_field() {
    let server = spawn_app().await;
    let root = admin(&server).await;
    let post = async |body: Value| server.post_as(&root, VIEWS, &body).await;
    let wrong =
        post(view("payments", " ", json!({"role": "admin", "search": "x".repeat(101)}))).await;
    let expected =
        json!({"name": "REQUIRED", "filters.role": "INVALID", "filters.search": "TOO_LONG"});
    assert_eq!(fields(&wrong), &expected);
    let long = post(view("users", &"x".repeat(41), json!({}))).await;
    assert_eq!(fields(&long), &json!({"name": "TOO_LONG"}));
    let unknown = post(view("plans", "Planos", json!({}))).await;
    assert_eq!(fields(&unknown), &json!({"list": "INVALID"}));
    let null =
        server.post_as(&root, VIEWS, &view("users", "Sem papel", json!({"role": null}))).await;
    assert_eq!(fields(&null), &json!({"filters.role": "REQUIRED"}));
    let nameless = post(json!({"list": "users", "filters": {}})).await;
    assert_eq!(fields(&nameless), &json!({"name": "REQUIRED"}));
    assert_eq!(names(&server, &root).await, Vec::<String>::new());
}
