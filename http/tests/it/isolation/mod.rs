//! Companies are closed to each other, and roles to what is not theirs: every operation of the contract, called
//! by everybody who should not get through and by somebody who should.

pub mod ids;
pub mod world;

use bipe_core::scope::{Permission, Role};
use bipe_core::testing::{count, figures};
use bipe_http::permissions::Who;
use bipe_testkit::Person;

use futures_util::{StreamExt, stream};
use ids::{Ids, Spelling};
use world::{CANARY, Operation, World, operations, succeeds, told};

/// Calls of one outsider at the same time.
const AT_ONCE: usize = 8;

/// The operations on one company.
fn of_companies() -> Vec<(Operation, Permission)> {
    let found: Vec<_> = operations()
        .into_iter()
        .filter_map(|operation| match operation.who {
            Some(Who::Member(permission)) => Some((operation, permission)),
            _ => None,
        })
        .collect();
    assert!(found.len() >= 26, "the contract has them: {found:?}");
    found
}

#[test]
fn every_operation_says_who_may_call_it() {
    let unplaced: Vec<_> =
        operations().into_iter().filter(|operation| operation.who.is_none()).collect();
    assert!(unplaced.is_empty(), "add them to http/src/permissions.rs: {unplaced:?}");
}

#[actix_web::test]
async fn an_outsider_gets_the_answer_of_a_company_that_does_not_exist() {
    let world = World::new().await;
    // Somebody who was a member once, and a platform admin: neither is one now.
    let former = world.server.person("former@example.com").await;
    let root = world.server.person("root@example.com").await;
    let promote = "UPDATE users SET role = 'admin' WHERE id = $1";
    world.owner.execute(promote, &[&root.id]).await.unwrap();
    let (mut own_calls, mut foreign_calls) = (0, 0);
    // Of each outsider to each operation.
    let calls = usize::try_from(count("BIPE_FOREIGN_CALLS", 4)).unwrap();
    for (operation, _) in of_companies() {
        let ids = world.company_for(&operation).await;
        let company = ids.company.parse().unwrap();
        world.server.join(&former, company, "admin").await;
        let leave = "DELETE FROM members WHERE user_id = $1";
        world.owner.execute(leave, &[&former.id]).await.unwrap();
        let before = world.rows_of(&ids.company).await;
        for outsider in [&world.eve, &former, &root] {
            let missing = world.call(outsider, &operation, &world.nowhere()).await;
            missing.refused(404, "NOT_FOUND");
            for spelling in Spelling::ALL {
                let spelled = ids.spelled(spelling);
                // Several at once, as of somebody who guesses.
                let answers = stream::iter(0..calls.div_ceil(Spelling::ALL.len()))
                    .map(|_| world.call(outsider, &operation, &spelled))
                    .buffer_unordered(AT_ONCE)
                    .inspect(|foreign| {
                        assert_eq!(told(foreign), told(&missing), "{operation:?} {spelling:?}");
                        assert!(!foreign.text.to_lowercase().contains(CANARY), "{operation:?}");
                    });
                foreign_calls += answers.count().await;
            }
        }
        assert_eq!(world.rows_of(&ids.company).await, before, "{operation:?}");
        let own = world.call(&world.ana, &operation, &ids).await;
        assert!(succeeds(&own), "{operation:?}: {} {}", own.status, own.text);
        own_calls += 1;
    }
    figures(&[("operations", own_calls), ("foreign_calls", foreign_calls)]);
}

#[actix_web::test]
async fn a_child_of_another_company_is_as_absent_as_one_that_does_not_exist() {
    let world = World::new().await;
    let home = world.home.to_string();
    let mut tried = 0;
    for (operation, _) in of_companies() {
        let names_child = ["{inviteId}", "{invoiceId}", "{userId}", "{methodId}", "/users/role"]
            .iter()
            .any(|part| operation.path.contains(part));
        if !names_child {
            continue;
        }
        tried += 1;
        let ids = world.company_for(&operation).await;
        let before = world.rows_of(&ids.company).await;
        // The own company in the path, somebody else's object behind it.
        let mixed = Ids { company: home.clone(), ..ids.clone() };
        let missing = Ids { company: home.clone(), ..world.nowhere() };
        let foreign = world.call(&world.eve, &operation, &mixed).await;
        let missing = world.call(&world.eve, &operation, &missing).await;
        foreign.refused(404, "NOT_FOUND");
        assert_eq!(told(&foreign), told(&missing), "{operation:?}");
        assert_eq!(world.rows_of(&ids.company).await, before, "{operation:?}");
    }
    assert!(tried >= 6, "{tried}");
    figures(&[("mixed_calls", tried)]);
}

#[actix_web::test]
async fn lists_of_an_outsider_hold_nothing_of_another_company() {
    let world = World::new().await;
    let (operation, _) = of_companies().remove(0);
    world.company_for(&operation).await;
    let lists = ["/api/companies", "/api/auth/me", "/api/auth/sessions", "/api/notifications"];
    for path in lists.into_iter().chain(["/api/subscriptions/plans"]) {
        let answer = world.server.get_as(&world.eve, path).await;
        answer.data(200);
        assert!(!answer.text.to_lowercase().contains(CANARY), "{path}: {}", answer.text);
    }
}

/// What the table allows: whoever removes a member who is not oneself needs more than leaving takes.
fn needed(operation: &Operation, permission: Permission) -> Permission {
    if operation.path.ends_with("/users/{userId}") { Permission::ManageMembers } else { permission }
}

/// The ids for a call by that person, who does not name themselves.
fn about_another(world: &World, person: &Person, ids: &Ids) -> Ids {
    let user = if person.id == world.operator.id { &world.finance } else { &world.operator };
    Ids { user: user.id.to_string(), ..ids.clone() }
}

#[actix_web::test]
async fn every_role_may_do_exactly_what_the_table_says() {
    let world = World::new().await;
    let people: [(&Person, Role, bool); 4] = [
        (&world.ana, Role::Admin, true),
        (&world.admin, Role::Admin, false),
        (&world.finance, Role::Finance, false),
        (&world.operator, Role::Operator, false),
    ];
    let (mut allowed, mut denied) = (0, 0);
    for (operation, permission) in of_companies() {
        let permission = needed(&operation, permission);
        let (may, may_not): (Vec<_>, Vec<_>) = people.iter().partition(|(_, role, is_creator)| {
            permission.allows(*role) && (*is_creator || !permission.is_the_creators())
        });
        let mut ids = world.company_for(&operation).await;
        let before = world.rows_of(&ids.company).await;
        for (person, role, is_creator) in may_not {
            let answer = world.call(person, &operation, &about_another(&world, person, &ids)).await;
            let who = format!("{operation:?} by {role:?}, creator: {is_creator}");
            assert_eq!((answer.status, answer.code()), (403, "FORBIDDEN"), "{who}");
            assert_eq!(world.rows_of(&ids.company).await, before, "{who}");
            denied += 1;
        }
        // Nobody has left a trace until now. Who only reads leaves none that another one would meet.
        for (place, (person, role, is_creator)) in may.into_iter().enumerate() {
            if place > 0 && operation.method != "get" {
                ids = world.company_for(&operation).await;
            }
            let answer = world.call(person, &operation, &about_another(&world, person, &ids)).await;
            let who = format!("{operation:?} by {role:?}, creator: {is_creator}");
            assert!(succeeds(&answer), "{who}: {} {}", answer.status, answer.text);
            allowed += 1;
        }
    }
    figures(&[("allowed", allowed), ("denied", denied)]);
}
