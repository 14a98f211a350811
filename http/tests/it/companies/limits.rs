//! What invitations may cost: seats of the plan, and the rows of the limits.

use bipe_core::id::CompanyId;
use bipe_testkit::{Answer, Person};
use futures_util::future::join_all;
use serde_json::json;

use crate::app::{TestApp, spawn_app};
use crate::live::company_of_ana;

async fn invite(server: &TestApp, by: &Person, company: CompanyId, email: &str) -> Answer {
    let path = format!("/api/companies/{company}/invite");
    server.post_as(by, &path, &json!({"userEmail": email, "role": "operator"})).await
}

#[actix_web::test]
async fn members_and_open_invitations_share_the_seats_of_the_plan_even_at_once() {
    let server = spawn_app().await;
    let (ana, company) = company_of_ana(&server).await;
    server.person("bia@example.com").await;
    server.allow(company, 4).await;
    let emails: Vec<String> = (0..8)
        .map(|n| if n == 3 { "bia@example.com".into() } else { format!("p{n}@example.com") })
        .collect();
    let answers = join_all(emails.iter().map(|email| invite(&server, &ana, company, email))).await;
    let good = answers.iter().filter(|answer| answer.status == 201).count();
    assert_eq!(good, 3, "one seat is the creator's");
    for refused in answers.iter().filter(|answer| answer.status != 201) {
        refused.refused(409, "PLAN_LIMIT_REACHED");
    }
    // A seat that is given back is free again.
    let detail = server.get_as(&ana, &format!("/api/companies/{company}")).await;
    let open = &detail.data(200)["company"]["invites"][0]["id"];
    let path = format!("/api/companies/{company}/invites/{}", open.as_str().unwrap());
    assert_eq!(server.delete_as(&ana, &path).await.status, 204);
    invite(&server, &ana, company, "q@example.com").await.data(201);
    invite(&server, &ana, company, "r@example.com").await.refused(409, "PLAN_LIMIT_REACHED");
    server.allow(company, -1).await;
    invite(&server, &ana, company, "r@example.com").await.data(201);
}

#[actix_web::test]
async fn who_is_over_the_limit_of_a_smaller_plan_stays_and_an_invitation_keeps_its_seat() {
    let server = spawn_app().await;
    let (ana, company) = company_of_ana(&server).await;
    invite(&server, &ana, company, "eva@example.com").await.data(201);
    let token = server.invite_token("eva@example.com").await;
    server.allow(company, 1).await;
    let eva = server.person("eva@example.com").await;
    let accept = "/api/companies/accept-invite";
    server.post_as(&eva, accept, &json!({"token": token})).await.data(200);
    invite(&server, &ana, company, "zoe@example.com").await.refused(409, "PLAN_LIMIT_REACHED");
}

#[actix_web::test]
async fn an_address_is_invited_three_times_a_day_over_all_companies_and_the_count_is_stored() {
    let server = spawn_app().await;
    let ana = server.person("ana@example.com").await;
    let companies =
        [server.company(&ana, "Ponto Azul").await, server.company(&ana, "Ponto Verde").await];
    for n in 0..3 {
        invite(&server, &ana, companies[n % 2], "eva@example.com").await.data(201);
    }
    let refused = invite(&server, &ana, companies[0], "eva@example.com").await;
    refused.refused(429, "RATE_LIMITED");
    assert_eq!(refused.headers["retry-after"], "28800", "three a day: one in eight hours");
    let detail = server.get_as(&ana, &format!("/api/companies/{}", companies[0])).await;
    let open = detail.data(200)["company"]["invites"][0]["id"].as_str().unwrap().to_owned();
    let path = format!("/api/companies/{}/invites/{open}/resend", companies[0]);
    server.post_as(&ana, &path, &json!({})).await.refused(429, "RATE_LIMITED");
    invite(&server, &ana, companies[0], "zoe@example.com").await.data(201);
    // Nothing of it was in memory: another process counts on.
    let owner = server.database.owner().await;
    let sql = "SELECT tokens < 1 FROM rate_buckets WHERE action = 'invite_address' ORDER BY tokens LIMIT 1";
    assert!(owner.query_one(sql, &[]).await.unwrap().get::<_, bool>(0));
}

#[actix_web::test]
async fn an_inviter_gets_twenty_and_what_is_refused_for_the_plan_costs_nothing() {
    let server = spawn_app().await;
    let (ana, company) = company_of_ana(&server).await;
    server.allow(company, 1).await;
    for n in 0..5 {
        let email = format!("p{n}@example.com");
        invite(&server, &ana, company, &email).await.refused(409, "PLAN_LIMIT_REACHED");
    }
    server.allow(company, -1).await;
    for n in 0..20 {
        invite(&server, &ana, company, &format!("p{n}@example.com")).await.data(201);
    }
    invite(&server, &ana, company, "p20@example.com").await.refused(429, "RATE_LIMITED");
    // The person has no more anywhere; the company's other admins have nothing left in this one either.
    let elsewhere = server.company(&ana, "Ponto Verde").await;
    invite(&server, &ana, elsewhere, "p21@example.com").await.refused(429, "RATE_LIMITED");
    let bob = server.person("bob@example.com").await;
    server.join(&bob, company, "admin").await;
    invite(&server, &bob, company, "p22@example.com").await.refused(429, "RATE_LIMITED");
}

#[actix_web::test]
async fn a_network_guesses_ten_invite_tokens_and_no_more() {
    let server = spawn_app().await;
    let (ana, company) = company_of_ana(&server).await;
    invite(&server, &ana, company, "eva@example.com").await.data(201);
    let good = json!({"token": server.invite_token("eva@example.com").await});
    let preview = "/api/companies/invite-preview";
    for n in 0..10 {
        let guess = json!({"token": format!("guess-{n}")});
        let answer = if n % 2 == 0 {
            server.post(preview, &guess).await
        } else {
            server.post_as(&ana, "/api/companies/accept-invite", &guess).await
        };
        answer.refused(404, "INVITE_INVALID");
    }
    server.post(preview, &good).await.refused(429, "RATE_LIMITED");
    server.database.db.clock().advance(180);
    server.post(preview, &good).await.data(200);
}
