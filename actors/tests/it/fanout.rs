//! From a committed transaction to the frames of a socket: order, replay, snapshot, resets, two forms.

use std::sync::atomic::Ordering;

use bipe_actors::worker::hub::{HubNotice, SubscribeRequest};
use bipe_core::event::{Audience, Channel, EventName, Head, NewEvent};
use bipe_core::scope::{CompanyScope, JobScope};
use bipe_testkit::{kinds, seqs};
use serde_json::{Value, json};

use crate::node::{Socket, node};

#[actix::test]
async fn a_reader_gets_the_state_and_then_every_event_in_order() {
    let (_test, node, company) = node().await;
    node.emit(company, EventName::CompanyUpdated, 1).await;
    let mut socket = node.socket();
    socket.subscribe(Channel::Company(company), None, Audience::Finance);
    let answer = socket.until("live").await;
    assert_eq!(kinds(&answer), ["snapshot", "live"]);
    assert_eq!(answer[0]["data"]["openPayments"], json!([1]));
    assert_eq!((&answer[0]["seq"], &answer[1]["seq"]), (&json!(1), &json!(1)));
    for n in 2..=40 {
        node.emit(company, EventName::CompanyUpdated, n).await;
    }
    assert_eq!(seqs(&socket.events(39).await), (2..=40).collect::<Vec<_>>());
}

#[actix::test]
async fn commits_that_overtake_each_other_still_arrive_in_order() {
    let (_test, node, company) = node().await;
    let mut socket = node.socket();
    socket.subscribe(Channel::Company(company), None, Audience::Finance);
    socket.until("live").await;
    let writers = (0..60).map(|n| node.emit(company, EventName::CompanyUpdated, n));
    futures_util::future::join_all(writers).await;
    assert_eq!(seqs(&socket.events(60).await), (1..=60).collect::<Vec<_>>());
}

#[actix::test]
async fn a_reconnect_gets_exactly_what_it_missed_from_the_ring_or_the_database() {
    let (test, node, company) = node().await;
    let channel = Channel::Company(company);
    for n in 1..=30 {
        node.emit(company, EventName::CompanyUpdated, n).await;
    }
    let mut first = node.socket();
    first.subscribe(channel, None, Audience::Finance);
    let epoch = first.until("live").await[0]["epoch"].as_str().unwrap().to_owned();

    // The session started at 30: what is older comes from the database.
    let mut second = node.socket();
    second.subscribe(channel, Some((&epoch, 12)), Audience::Finance);
    let answer = second.until("live").await;
    assert_eq!(seqs(&answer), (13..=30).collect::<Vec<_>>());
    assert_eq!(kinds(&answer).last(), Some(&"live"));

    node.emit(company, EventName::CompanyUpdated, 31).await;
    assert_eq!(seqs(&first.events(1).await), [31]);
    let before = node.snapshots.load(Ordering::Relaxed);
    let mut third = node.socket();
    third.subscribe(channel, Some((&epoch, 30)), Audience::Finance);
    assert_eq!(kinds(&third.until("live").await), ["event", "live"]);
    let mut fourth = node.socket();
    fourth.subscribe(channel, Some((&epoch, 31)), Audience::Finance);
    assert_eq!(kinds(&fourth.until("live").await), ["live"]);
    assert_eq!(node.snapshots.load(Ordering::Relaxed), before);

    // Purged: never a part of the missed ones.
    let owner = test.owner().await;
    owner.execute("DELETE FROM events WHERE seq <= 20", &[]).await.unwrap();
    let mut fifth = node.socket();
    fifth.subscribe(channel, Some((&epoch, 12)), Audience::Finance);
    let answer = fifth.until("live").await;
    // The snapshot of the first reader still serves, with the one event since.
    assert_eq!(kinds(&answer), ["reset", "snapshot", "event", "live"]);
    assert_eq!((&answer[0]["reason"], &answer[3]["seq"]), (&json!("expired"), &json!(31)));
}

#[actix::test]
async fn orders_given_in_one_breath_are_obeyed_in_their_order() {
    let (_test, node, company) = node().await;
    let channels = [Channel::Company(company), Channel::Plans];
    // The first one alone leaves each channel for a moment; together they are more than one wake-up takes.
    let mut sockets: Vec<Socket> = (0..300).map(|_| node.socket()).collect();
    for socket in &sockets {
        for channel in channels {
            socket.subscribe(channel, None, Audience::Finance);
            assert!(node.hub.unsubscribe(socket.id, channel));
            socket.subscribe(channel, None, Audience::Finance);
        }
    }
    for socket in &mut sockets {
        assert_eq!(kinds(&socket.until("live").await), ["snapshot", "live"]);
        assert_eq!(kinds(&socket.until("live").await), ["snapshot", "live"]);
    }
    // All leave, and some come again behind that.
    for socket in &sockets {
        assert!(node.hub.unsubscribe(socket.id, channels[0]));
    }
    sockets.truncate(10);
    for socket in &sockets {
        socket.subscribe(channels[0], None, Audience::Finance);
    }
    for socket in &mut sockets {
        assert_eq!(kinds(&socket.until("live").await), ["snapshot", "live"]);
    }
    node.emit(company, EventName::CompanyUpdated, 1).await;
    for socket in &mut sockets {
        assert_eq!(seqs(&socket.events(1).await), [1]);
        assert!(socket.received.is_empty(), "once: {:?}", socket.received);
    }
}

#[actix::test]
async fn a_worker_owes_the_relay_only_so_many_orders() {
    let (_test, node, company) = node().await;
    let (mut socket, channel) = (node.socket(), Channel::Company(company));
    let wanted =
        || SubscribeRequest { channel, since: None, audience: Audience::Finance, request: 1 };
    let taken = (0..20_000).take_while(|_| node.hub.subscribe(socket.id, wanted())).count();
    assert!(taken < 10_000, "{taken} were taken before the relay saw one");
    // The last one that was taken is answered, and then there is room again.
    socket.until("live").await;
    assert!(node.hub.subscribe(socket.id, wanted()));
    socket.until("live").await;
}

#[actix::test]
async fn another_epoch_and_a_position_ahead_are_reset() {
    let (_test, node, company) = node().await;
    node.emit(company, EventName::CompanyUpdated, 1).await;
    let mut socket = node.socket();
    socket.subscribe(Channel::Company(company), Some(("other", 1)), Audience::Finance);
    let answer = socket.until("live").await;
    assert_eq!(kinds(&answer), ["reset", "snapshot", "live"]);
    assert_eq!(answer[0]["reason"], "epoch");
    let epoch = answer[1]["epoch"].as_str().unwrap().to_owned();
    socket.subscribe(Channel::Company(company), Some((&epoch, 99)), Audience::Finance);
    let answer = socket.until("live").await;
    assert_eq!(kinds(&answer), ["reset", "snapshot", "live"]);
    assert_eq!(answer[0]["reason"], "ahead");
}

#[actix::test]
async fn an_operator_gets_the_sequence_without_the_finance_data() {
    let (_test, node, company) = node().await;
    let (mut finance, mut operator) = (node.socket(), node.socket());
    finance.subscribe(Channel::Company(company), None, Audience::Finance);
    operator.subscribe(Channel::Company(company), None, Audience::Operators);
    assert!(finance.until("live").await[0]["data"].get("openPayments").is_some());
    assert!(operator.until("live").await[0]["data"].get("openPayments").is_none());
    node.emit(company, EventName::PaymentUpdated, 1).await;
    node.emit(company, EventName::SubscriptionUpdated, 2).await;
    let (seen, hidden) = (finance.events(2).await, operator.events(2).await);
    assert_eq!(seqs(&seen), seqs(&hidden));
    assert_eq!(seen[0]["data"], json!({"n": 1}));
    assert_eq!(hidden[0]["data"], Value::Null);
    assert!(hidden[0].get("data").is_some(), "the field is there");
    assert_eq!(seen[1], hidden[1]);
}

#[actix::test]
async fn what_another_node_commits_is_found_by_the_head_check() {
    let (test, node, company) = node().await;
    let mut socket = node.socket();
    socket.subscribe(Channel::Company(company), None, Audience::Finance);
    socket.until("live").await;
    let other = test.second_node().db;
    let scope = CompanyScope::of_job(&JobScope::of_test(), company);
    for n in 1..=3 {
        let mut tx = other.company_tx(&scope).await.unwrap();
        let channel = Channel::Company(company);
        tx.emit(NewEvent::new(channel, EventName::CompanyUpdated, n, &json!({})).unwrap());
        tx.commit().await.unwrap();
    }
    assert_eq!(seqs(&socket.events(3).await), [1, 2, 3]);
}

#[actix::test]
async fn a_new_history_of_the_channel_resets_its_readers_and_gives_them_the_state() {
    let (test, node, company) = node().await;
    let mut socket = node.socket();
    socket.subscribe(Channel::Company(company), None, Audience::Finance);
    let before = socket.until("live").await[0]["epoch"].clone();
    let owner = test.owner().await;
    owner.execute("UPDATE channel_heads SET epoch = 'new', seq = 7", &[]).await.unwrap();
    let answer = socket.until("live").await;
    assert_eq!(kinds(&answer), ["reset", "snapshot", "live"]);
    assert_eq!(answer[0]["reason"], "epoch");
    assert_ne!(answer[1]["epoch"], before);
    let epoch = answer[1]["epoch"].as_str().unwrap();
    let head = Head { channel: Channel::Company(company), epoch: epoch.into(), seq: 7 };
    assert_eq!(node.hub.heads(socket.id), [head]);
}

#[actix::test]
async fn a_reader_that_never_acknowledges_is_reset_and_the_others_go_on() {
    let (_test, node, company) = node().await;
    let channel = Channel::Company(company);
    let (mut healthy, mut stalled) = (node.socket(), node.socket());
    healthy.subscribe(channel, None, Audience::Finance);
    stalled.subscribe(channel, None, Audience::Finance);
    healthy.until("live").await;
    stalled.until("live").await;
    let padding = "x".repeat(4_000);
    let scope = CompanyScope::of_job(&JobScope::of_test(), company);
    for n in 1..=100 {
        let mut tx = node.db.company_tx(&scope).await.unwrap();
        let data = json!({"padding": padding});
        tx.emit(NewEvent::new(channel, EventName::CompanyUpdated, n, &data).unwrap());
        tx.commit().await.unwrap();
        assert_eq!(seqs(&healthy.events(1).await), [n]);
        assert!(healthy.inbox.acknowledge(u64::try_from(n).unwrap() + 2));
    }
    assert!(node.hub.heads(stalled.id).is_empty());
    // It comes back: learns of the reset, before which all that waited was dropped, and starts anew.
    let waited = stalled.until("reset").await;
    assert_eq!(kinds(&waited), ["reset"], "bounded, and nothing waits for it");
    assert_eq!(waited[0]["reason"], "lagged");
    assert!(stalled.inbox.acknowledge(3));
    stalled.subscribe(channel, None, Audience::Finance);
    assert_eq!(stalled.until("live").await[0]["seq"], 100);
}

#[actix::test]
async fn heads_go_on_naming_a_channel_whose_reader_lagged_and_nothing_else_comes_of_it() {
    let (test, node, company) = node().await;
    let channel = Channel::Company(company);
    let (mut lagged, mut healthy) = (node.socket(), node.socket());
    for socket in [&mut lagged, &mut healthy] {
        socket.subscribe(channel, None, Audience::Finance);
        socket.until("live").await;
    }
    node.hub.change_audience(lagged.id, channel, Audience::Operators);
    assert_eq!(lagged.until("reset").await.pop().unwrap()["reason"], "lagged");
    for n in 1..=3 {
        node.emit(company, EventName::CompanyUpdated, n).await;
    }
    healthy.events(3).await;
    let named = node.hub.heads(lagged.id);
    assert_eq!(named, node.hub.heads(healthy.id));
    assert_eq!(named[0].seq, 3);
    // Another history too.
    let owner = test.owner().await;
    owner.execute("UPDATE channel_heads SET epoch = 'new', seq = 7", &[]).await.unwrap();
    let answer = healthy.until("live").await;
    let epoch = answer[1]["epoch"].as_str().unwrap();
    assert_eq!(node.hub.heads(lagged.id), [Head { channel, epoch: epoch.into(), seq: 7 }]);
    assert!(lagged.inbox.take().is_none(), "it has not asked");
    lagged.subscribe(channel, None, Audience::Operators);
    assert_eq!(kinds(&lagged.until("live").await), ["snapshot", "live"]);
}

#[actix::test]
async fn a_revoked_session_is_noticed_without_a_subscription() {
    let (_test, mut node, _company) = node().await;
    let mut socket = node.socket();
    let watching = node.notice().await;
    assert!(matches!(watching, HubNotice::Listening { person, .. } if person == socket.user));
    socket.subscribe(Channel::User(socket.user), None, Audience::Finance);
    socket.until("live").await;
    assert!(node.hub.unsubscribe(socket.id, Channel::User(socket.user)));
    let mut tx = node.db.tx().await.unwrap();
    let revoked = NewEvent::new(Channel::User(socket.user), EventName::SessionRevoked, "s", &());
    tx.emit(revoked.unwrap());
    tx.commit().await.unwrap();
    assert_eq!(node.notice().await, HubNotice::AccessChanged(socket.user));
    let other = node.socket();
    let watching = node.notice().await;
    assert!(matches!(watching, HubNotice::Listening { person, .. } if person == other.user));
    assert!(socket.inbox.take().is_none(), "it no longer reads the channel");
}

/// As a newer node commits it: after the newest event, under its own number.
const OF_TOMORROW: &str = "WITH head AS (UPDATE channel_heads SET seq = seq + 1 WHERE channel = $1 RETURNING seq) \
     INSERT INTO events (channel, seq, company_id, name, key, data, finance_only, at) \
     SELECT $1, seq, $2, 'parcel.scanned', 'p', '{\"n\":7}', $3, now() FROM head";

#[actix::test]
async fn an_event_of_a_newer_build_is_passed_on_as_it_is() {
    let (test, node, company) = node().await;
    let (owner, channel) = (test.owner().await, Channel::Company(company));
    let (mut finance, mut operator) = (node.socket(), node.socket());
    finance.subscribe(channel, None, Audience::Finance);
    operator.subscribe(channel, None, Audience::Operators);
    let epoch = finance.until("live").await[0]["epoch"].as_str().unwrap().to_owned();
    operator.until("live").await;
    node.emit(company, EventName::CompanyUpdated, 1).await;
    for hidden in [false, true] {
        owner.execute(OF_TOMORROW, &[&channel.stored(), &company, &hidden]).await.unwrap();
    }
    node.emit(company, EventName::CompanyUpdated, 4).await;
    let seen = finance.events(4).await;
    assert_eq!(seqs(&seen), [1, 2, 3, 4]);
    for event in &seen[1..3] {
        assert_eq!((&event["name"], &event["data"]), (&json!("parcel.scanned"), &json!({"n": 7})));
    }
    let seen = operator.events(4).await;
    assert_eq!(seqs(&seen), [1, 2, 3, 4]);
    assert_eq!((&seen[1]["data"], &seen[2]["data"]), (&json!({"n": 7}), &Value::Null));
    let mut late = node.socket();
    late.subscribe(channel, Some((&epoch, 1)), Audience::Finance);
    assert_eq!(seqs(&late.until("live").await), [2, 3, 4]);
}
