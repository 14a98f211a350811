//! The figures, rows, costs and activities that platform admins read, and their files.

use bipe_core::id::CompanyId;
use bipe_testkit::Person;
use serde_json::{Value, json};

use super::{admin, audited};
use crate::app::{TestApp, spawn_app};
use crate::live::company_of_ana;

const ANALYTICS: &str = "/api/admin/analytics";

/// On 21 November: Azul pays R$ 49,90 a month since 1 October, Verde paid R$ 89,91 a month (899,10 a year would be
/// 74,93) from 10 October to 5 November. Ana and the admin are verified and signed in.
async fn business() -> (TestApp, Person, Person) {
    let server = spawn_app().await;
    let root = admin(&server).await;
    let (ana, azul) = company_of_ana(&server).await;
    let verde = server.company(&ana, "=Ponto Verde").await;
    moved(&server, azul, "new", 59_880, "2026-10-01T12:00:00Z").await;
    moved(&server, verde, "new", 107_892, "2026-10-10T12:00:00Z").await;
    moved(&server, verde, "churn", 107_892, "2026-11-05T12:00:00Z").await;
    server.database.db.clock().advance(1);
    (server, root, ana)
}

async fn moved(server: &TestApp, company: CompanyId, kind: &str, arr: i64, at: &str) {
    let owner = server.database.owner().await;
    let id = server.database.db.clock().uuid();
    let insert = "INSERT INTO movements (id, company_id, kind, arr_cents, plan_id, at) \
         SELECT $1, $2, $3, $4, id, $5::text::timestamptz FROM plans WHERE display_name = 'Essencial'";
    owner.execute(insert, &[&id, &company, &kind, &arr, &at]).await.unwrap();
}

async fn read(server: &TestApp, root: &Person, path: &str) -> Value {
    server.get_as(root, &format!("{ANALYTICS}/{path}")).await.data(200).clone()
}

#[actix_web::test]
async fn a_short_period_is_read_by_day() {
    let (server, root, _) = business().await;
    for name in ["mrr", "arr", "churn", "mau", "revenue"] {
        let path = format!("metrics/{name}?period=7d&interval=day");
        let rows = read(&server, &root, &path).await["rows"].as_array().unwrap().clone();
        assert_eq!(rows.len(), 8, "{name}: seven days touch eight");
        let days: Vec<&str> = rows.iter().map(|row| row["month"].as_str().unwrap()).collect();
        assert!(days.iter().all(|day| day.len() == 10) && days.is_sorted(), "{days:?}");
    }
    let days = read(&server, &root, "metrics/mrr?period=30d&interval=day").await;
    assert_eq!(days["rows"].as_array().unwrap().last().unwrap()["mrr"], days["metric"]["value"]);
    for wrong in ["period=90d&interval=day", "period=7d&interval=hour"] {
        let refused = server.get_as(&root, &format!("{ANALYTICS}/metrics/mrr?{wrong}")).await;
        refused.refused(422, "VALIDATION_ERROR");
        assert_eq!(refused.body["error"]["fields"], json!({"interval": "INVALID"}), "{wrong}");
    }
}

#[actix_web::test]
async fn the_cards_have_values_changes_and_reasons() {
    let (server, root, _) = business().await;
    let mut metrics = read(&server, &root, "dashboard").await["metrics"].clone();
    assert_eq!(metrics["mrr"]["previous"], json!(139.81), "what the change is measured by");
    assert_eq!(metrics["totalUsers"]["previous"], json!(0));
    assert_eq!(metrics["churn"]["previous"], Value::Null);
    for metric in metrics.as_object_mut().unwrap().values_mut() {
        metric.as_object_mut().unwrap().remove("previous");
    }
    let card = |value: Value, change: Value, kind: &str| {
        let period = "30d";
        json!({"value": value, "change": change, "changeType": kind, "period": period})
    };
    assert_eq!(metrics["totalUsers"], card(json!(2), Value::Null, "increase"));
    assert_eq!(metrics["totalCompanies"], card(json!(2), Value::Null, "increase"));
    assert_eq!(metrics["totalSubscriptions"], card(json!(0), Value::Null, "increase"));
    assert_eq!(metrics["arr"], card(json!(598.8), json!(-64.3), "decrease"));
    assert_eq!(metrics["mrr"], card(json!(49.9), json!(-64.3), "decrease"));
    assert_eq!(metrics["churn"], card(json!(50), Value::Null, "increase"));
    assert_eq!(metrics["mau"], card(json!(1), Value::Null, "increase"), "admins do not count");
    assert_eq!(metrics["ltv"]["value"], json!(99.8), "49.90 / 50 %");
    let mut cac = card(Value::Null, Value::Null, "increase");
    cac["reason"] = json!("NO_NEW_COMPANIES");
    assert_eq!(metrics["cac"], cac);

    let days = read(&server, &root, "dashboard?startDate=2026-10-01&endDate=2026-10-31").await;
    let days = &days["metrics"];
    assert_eq!(days["mrr"]["value"], json!(139.81));
    assert_eq!(days["mrr"]["period"], "2026-10-01/2026-10-31");
    assert_eq!(days["churn"]["reason"], "NO_PAYING_COMPANIES");
    for wrong in [
        "period=2d",
        "startDate=2026-10-01",
        "startDate=2026-12-01&endDate=2026-12-02",
        "startDate=2020-01-01&endDate=2026-01-01",
        "startDate=x&endDate=y",
    ] {
        let path = format!("{ANALYTICS}/dashboard?{wrong}");
        server.get_as(&root, &path).await.refused(422, "VALIDATION_ERROR");
    }
}

#[actix_web::test]
async fn every_metric_has_its_rows_one_a_month() {
    let (server, root, _) = business().await;
    let revenue = [
        json!({"month": "2026-09", "mrr": 0, "newRevenue": 0, "churnedRevenue": 0}),
        json!({"month": "2026-10", "mrr": 139.81, "newRevenue": 139.81, "churnedRevenue": 0}),
        json!({"month": "2026-11", "mrr": 49.9, "newRevenue": 0, "churnedRevenue": 89.91}),
    ];
    for name in ["mrr", "arr", "revenue"] {
        let read = read(&server, &root, &format!("metrics/{name}?period=7d")).await;
        assert_eq!(read["rows"], json!(revenue), "{name}");
        assert_eq!(read["metric"]["period"], "7d");
    }
    let churn = read(&server, &root, "metrics/churn").await;
    let rows = json!([
        {"month": "2026-09", "churnRate": null, "canceledSubscriptions": 0, "totalSubscriptions": 0},
        {"month": "2026-10", "churnRate": null, "canceledSubscriptions": 0, "totalSubscriptions": 0},
        {"month": "2026-11", "churnRate": 50, "canceledSubscriptions": 1, "totalSubscriptions": 2},
    ]);
    assert_eq!((&churn["rows"], &churn["metric"]["value"]), (&rows, &json!(50)));
    let mau = read(&server, &root, "metrics/mau").await;
    let november = json!({"month": "2026-11", "mau": 1, "newUsers": 2, "activeUsers": 2});
    assert_eq!(mau["rows"][2], november);
    let year = read(&server, &root, "metrics/revenue?period=1y").await;
    assert_eq!(year["rows"].as_array().unwrap().len(), 13);
    assert_eq!(year["metric"]["value"], json!(139.81), "won in the year");
}

#[actix_web::test]
async fn spend_gives_cac_and_is_audited() {
    let (server, root, _) = business().await;
    let path = format!("{ANALYTICS}/acquisition-costs");
    let october = "dashboard?startDate=2026-10-01&endDate=2026-10-31";
    let before = read(&server, &root, october).await;
    assert_eq!(before["metrics"]["cac"]["value"], 0, "nothing was spent");
    for amount in [json!(1), json!(310.5)] {
        let body = json!({"month": "2026-10", "amount": amount});
        let written = server.post_as(&root, &path, &body).await;
        assert_eq!(written.data(201)["cost"], body);
    }
    let costs = read(&server, &root, "acquisition-costs").await;
    assert_eq!(costs["costs"], json!([{"month": "2026-10", "amount": 310.5}]));
    let after = read(&server, &root, october).await;
    assert_eq!(after["metrics"]["cac"]["value"], json!(155.25), "two companies");
    let owner = server.database.owner().await;
    let entry = ("2026-10".to_owned(), vec!["amount".to_owned()]);
    assert_eq!(audited(&owner, "metrics.cost").await, [entry.clone(), entry]);
    for wrong in [
        json!({"month": "2026-13", "amount": 1}),
        json!({"month": "10/2026", "amount": 1}),
        json!({"month": "2026-10", "amount": -1}),
        json!({"month": "2026-10", "amount": 1.001}),
        json!({"month": "2026-10", "amount": "1"}),
        json!({}),
    ] {
        server.post_as(&root, &path, &wrong).await.refused(422, "VALIDATION_ERROR");
    }
}

#[actix_web::test]
async fn the_csv_opens_in_a_brazilian_spreadsheet_and_holds_no_formula() {
    let (server, root, _) = business().await;
    let csv = server.get_as(&root, &format!("{ANALYTICS}/export?period=30d&format=csv")).await;
    assert_eq!(csv.status, 200, "{}", csv.text);
    assert_eq!(csv.headers["content-type"], "text/csv; charset=utf-8");
    let name = "attachment; filename=\"dashboard-30d-2026-11-21.csv\"";
    assert_eq!(csv.headers["content-disposition"], name);
    // reqwest takes the byte order mark off: it is looked at in the bytes.
    let url = server.url(&format!("{ANALYTICS}/export"));
    let raw = reqwest::Client::new().get(url).bearer_auth(&root.token).send().await.unwrap();
    let bytes = raw.bytes().await.unwrap();
    assert_eq!(&bytes[..3], [0xef, 0xbb, 0xbf]);
    let text = String::from_utf8(bytes[3..].to_vec()).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "metric;value;change;changeType;period;reason");
    assert_eq!(lines[1], "totalUsers;2;;increase;30d;");
    assert!(lines.contains(&"mrr;49,9;64,3;decrease;30d;"), "{text}");
    assert!(lines.contains(&"cac;;;increase;30d;NO_NEW_COMPANIES"), "{text}");
    assert_eq!(lines.len(), 10);
    let starts = |cell: &str| cell.starts_with(['=', '+', '-', '@', '\t', '\r']);
    assert!(!lines.iter().flat_map(|line| line.split(';')).any(starts), "{text}");

    let json_file = server.get_as(&root, &format!("{ANALYTICS}/export?format=json")).await;
    let kind = json_file.headers["content-type"].to_str().unwrap();
    assert!(kind.starts_with("application/json"), "{kind}");
    assert_eq!(json_file.body["metrics"]["mrr"]["value"], json!(49.9));
    assert_eq!(json_file.body["metrics"]["mrr"]["change"], json!(-64.3));
    let refused = server.get_as(&root, &format!("{ANALYTICS}/export?format=pdf")).await;
    refused.refused(422, "VALIDATION_ERROR");
    let owner = server.database.owner().await;
    assert_eq!(audited(&owner, "metrics.export").await.len(), 3);
}

#[actix_web::test]
async fn the_activity_tells_what_happened_newest_first() {
    let (server, root, ana) = business().await;
    let free = server.get("/api/subscriptions/plans").await.data(200)["plans"][0].clone();
    let company = server.company(&ana, "Ponto Novo").await;
    server.database.db.clock().advance(5);
    let path = format!("/api/subscriptions/company/{company}");
    let body = json!({"planId": free["id"], "billingCycle": "monthly"});
    server.post_as(&ana, &path, &body).await.data(201);
    let told = read(&server, &root, "activity?limit=3").await["activities"].clone();
    let told = told.as_array().unwrap();
    assert_eq!(told.len(), 3);
    let (newest, oldest) = (&told[0], &told[2]);
    assert_eq!(
        (&newest["type"], &newest["timestamp"]),
        (&json!("subscription"), &json!("2026-11-21T15:00:06Z"))
    );
    assert!(newest["message"].as_str().unwrap().starts_with("Ponto Novo "), "{newest}");
    assert_eq!((&oldest["type"], &oldest["status"]), (&json!("user"), &json!("info")));
    for limit in ["0", "101", "x"] {
        let path = format!("{ANALYTICS}/activity?limit={limit}");
        server.get_as(&root, &path).await.refused(422, "VALIDATION_ERROR");
    }
}

#[actix_web::test]
async fn a_changing_request_counts_as_activity_and_a_live_ticket_does_not() {
    let (server, root, ana) = business().await;
    let mau = async || read(&server, &root, "dashboard").await["metrics"]["mau"]["value"].clone();
    assert_eq!(mau().await, 1, "signed in");
    let owner = server.database.owner().await;
    // The sign-in was long ago.
    owner.execute("DELETE FROM activity_spells", &[]).await.unwrap();
    server.post_as(&ana, "/api/auth/live-ticket", &json!({})).await.data(200);
    server.get_as(&ana, "/api/companies").await.data(200);
    server.database.db.clock().advance(1);
    assert_eq!(mau().await, 0);
    server.post_as(&ana, "/api/companies", &json!({"companyName": "Ponto Roxo"})).await.data(201);
    server.database.db.clock().advance(1);
    assert_eq!(mau().await, 1);
}
