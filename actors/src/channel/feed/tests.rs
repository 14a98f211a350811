//! What becomes of requests when a read fails or a queue is full, and when a channel counts as unused.

use bipe_core::Error;
use bipe_core::event::Audience;
use bipe_core::trace::Traceparent;
use jiff::SignedDuration;
use tokio::sync::mpsc;

use super::*;
use crate::channel::sequencer::tests::event;
use crate::envelope::{Envelope, Since};

const NOW: Timestamp = Timestamp::UNIX_EPOCH;

fn feed() -> Feed {
    Feed::new(Channel::Plans, Box::new(|_, _| {}))
}

fn join(queue: &Sender<Delivery>, socket: Option<u64>) -> SessionRequest {
    let reader =
        |socket| Reader { socket, generation: 1, since: None, audience: Audience::Finance };
    SessionRequest::Join(Join { hub: 1, queue: queue.clone(), reader: socket.map(reader) })
}

/// A reader that has everything up to a number.
fn join_at(queue: &Sender<Delivery>, socket: u64, seq: i64) -> SessionRequest {
    let since = Some(Since { epoch: "e1".into(), seq });
    let reader = Some(Reader { socket, generation: 1, since, audience: Audience::Finance });
    SessionRequest::Join(Join { hub: 1, queue: queue.clone(), reader })
}

fn head_alone() -> Result<Read> {
    let head = Head { channel: Channel::Plans, epoch: "e1".into(), seq: 7 };
    Ok(Read { head, events: Vec::new(), snapshot: None })
}

/// A feed at number 7 that a hub listens to, with nothing left to do.
fn listening(queue: &Sender<Delivery>) -> Feed {
    let mut feed = feed();
    feed.serve_requests(vec![join(queue, None)], NOW);
    feed.finish_read(head_alone(), NOW);
    feed.take_todo();
    feed
}

#[test]
fn an_early_event_waits_for_the_one_it_follows_which_is_read_after_a_while() {
    let (queue, _sent) = mpsc::channel(9);
    let mut feed = listening(&queue);
    feed.append(vec![event("e1", 8)], NOW);
    assert!(feed.take_todo().is_empty(), "it came in order");
    feed.append(vec![event("e1", 10)], NOW);
    assert!(matches!(feed.take_todo()[..], [Todo::WaitForEarlier]));
    feed.end_wait(NOW);
    assert!(matches!(feed.take_todo()[..], [Todo::Read(RequiredReads { after: Some(8), .. })]));
    feed.append(vec![event("e1", 11)], NOW);
    assert!(feed.take_todo().is_empty(), "it is being read");
}

#[test]
fn one_read_is_under_way_at_a_time() {
    let (queue, _sent) = mpsc::channel(9);
    let mut feed = feed();
    feed.serve_requests(vec![join(&queue, Some(1))], NOW);
    assert!(matches!(feed.take_todo()[..], [Todo::Read(_)]));
    feed.serve_requests(vec![join(&queue, Some(2))], NOW);
    assert!(feed.take_todo().is_empty());
}

#[test]
fn an_event_during_a_read_does_not_reset_the_reader_that_waits_for_it() {
    let (queue, mut sent) = mpsc::channel(9);
    let mut feed = feed();
    feed.serve_requests(vec![join(&queue, Some(1))], NOW);
    let forms = EventForms { full: Envelope::of(&1).unwrap(), restricted: None };
    let snapshot = Snapshot { epoch: "e1".into(), seq: 7, forms, read_at: NOW };
    feed.finish_read(head_alone().map(|read| Read { snapshot: Some(snapshot), ..read }), NOW);
    feed.serve_requests(vec![join_at(&queue, 2, 6)], NOW);
    feed.append(vec![event("e1", 8)], NOW);
    let head = Head { channel: Channel::Plans, epoch: "e1".into(), seq: 8 };
    let events = vec![event("e1", 7), event("e1", 8)];
    feed.finish_read(Ok(Read { head, events, snapshot: None }), NOW);
    let mut answers: Vec<Vec<bool>> = Vec::new();
    while let Ok(delivery) = sent.try_recv() {
        if let Delivery::Subscribed { socket: 2, envelopes, .. } = delivery {
            answers.push(envelopes.iter().map(|one| one.text().contains("reset")).collect());
        }
    }
    assert_eq!(answers, [[false; 3].to_vec()], "once: both events and `live`");
}

#[test]
fn an_answer_that_finds_no_room_is_read_again_and_is_no_reset() {
    let (queue, mut sent) = mpsc::channel(1);
    let mut feed = listening(&queue);
    assert!(matches!(sent.try_recv(), Ok(Delivery::Listening { .. })));
    feed.serve_requests(vec![join_at(&queue, 2, 5)], NOW);
    assert!(matches!(feed.take_todo()[..], [Todo::Read(RequiredReads { after: Some(5), .. })]));
    queue.try_send(Delivery::Close { socket: 1, code: 4000 }).unwrap();
    let missed =
        || head_alone().map(|read| Read { events: vec![event("e1", 6), event("e1", 7)], ..read });
    feed.finish_read(missed(), NOW);
    assert!(matches!(feed.take_todo()[..], [Todo::Retry]), "nothing is read without room");
    feed.retry(NOW);
    assert!(matches!(feed.take_todo()[..], [Todo::Retry]));
    assert!(matches!(sent.try_recv(), Ok(Delivery::Close { .. })));
    feed.retry(NOW);
    assert!(matches!(
        feed.take_todo()[..],
        [Todo::Read(RequiredReads { after: Some(5), snapshot: false })]
    ));
    feed.finish_read(missed(), NOW);
    let Ok(Delivery::Subscribed { socket: 2, envelopes, .. }) = sent.try_recv() else {
        panic!("no answer")
    };
    let kinds = ["event", "event", "live"].map(|kind| format!(r#"{{"type":"{kind}""#));
    assert_eq!(envelopes.len(), kinds.len());
    assert!(envelopes.iter().zip(&kinds).all(|(one, kind)| one.text().starts_with(kind)));
}

#[test]
fn a_channel_that_nobody_reads_any_more_is_not_read_again() {
    let (queue, _sent) = mpsc::channel(9);
    let mut feed = listening(&queue);
    let head = Head { channel: Channel::Plans, epoch: "e1".into(), seq: 8 };
    feed.compare_head(&head, NOW);
    feed.serve_requests(vec![SessionRequest::Leave(1)], NOW);
    feed.finish_read(Err(Error::unavailable(1)), NOW);
    feed.take_todo();
    feed.read_again(NOW);
    assert!(feed.take_todo().is_empty());
}

#[test]
fn a_snapshot_is_forgotten_when_it_answers_nobody_any_more() {
    let (queue, _sent) = mpsc::channel(9);
    let mut feed = feed();
    feed.serve_requests(vec![join(&queue, Some(1))], NOW);
    let forms = EventForms { full: Envelope::of(&1).unwrap(), restricted: None };
    let snapshot = Snapshot { epoch: "e1".into(), seq: 7, forms, read_at: NOW };
    feed.finish_read(head_alone().map(|read| Read { snapshot: Some(snapshot), ..read }), NOW);
    for (age, is_kept) in [(4_999, true), (5_000, false)] {
        feed.forget_snapshot(NOW + SignedDuration::from_millis(age));
        assert_eq!(feed.snapshot.is_some(), is_kept, "{age}");
    }
}

#[test]
fn a_traced_event_carries_its_push_to_every_hub_and_the_feed_drops_it_then() {
    let trace = Traceparent::parse("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01");
    let traced = |seq| Event { trace, ..event("e1", seq) };
    let (queue, mut sent) = mpsc::channel(1);
    let mut feed = listening(&queue);
    let mut has_push = || match sent.try_recv() {
        Ok(Delivery::Event { push, .. }) => Some(push.is_some()),
        _ => None,
    };
    assert_eq!(has_push(), None, "the first is the answer");
    feed.append(vec![traced(8)], NOW);
    assert!(feed.pushes.is_empty());
    feed.append(vec![traced(9)], NOW);
    assert_eq!(feed.pushes.len(), 1, "the queue is full");
    assert_eq!(has_push(), Some(true));
    feed.retry(NOW);
    assert_eq!((has_push(), feed.pushes.len()), (Some(true), 0));
    feed.append(vec![traced(11)], NOW);
    assert_eq!(feed.pushes.len(), 1, "it is early");
    feed.append(vec![event("e1", 10)], NOW);
    assert_eq!((has_push(), feed.pushes.len()), (Some(false), 1), "11 is yet to be sent");
}

#[test]
fn what_nobody_reads_has_no_push() {
    let trace = Traceparent::parse("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01");
    let (queue, _sent) = mpsc::channel(1);
    let mut feed = listening(&queue);
    feed.serve_requests(vec![SessionRequest::Leave(1)], NOW);
    feed.append(vec![Event { trace, ..event("e1", 9) }], NOW);
    assert!(feed.pushes.is_empty());
}

#[test]
fn a_reader_that_cannot_be_refused_now_is_served_by_another_read() {
    let (queue, mut sent) = mpsc::channel(1);
    let mut feed = feed();
    feed.serve_requests(vec![join(&queue, Some(1)), join(&queue, Some(2))], NOW);
    assert!(matches!(feed.take_todo()[..], [Todo::Read(_)]));
    feed.finish_read(Err(Error::unavailable(1)), NOW);
    assert!(matches!(sent.try_recv(), Ok(Delivery::Refused { socket: 1, .. })));
    assert!(matches!(feed.take_todo()[..], [Todo::ReadAgain]), "once, not at once");
    feed.read_again(NOW);
    assert!(matches!(feed.take_todo()[..], [Todo::Read(_)]), "the second one still waits");
    feed.finish_read(Err(Error::unavailable(1)), NOW);
    assert!(matches!(sent.try_recv(), Ok(Delivery::Refused { socket: 2, .. })));
    feed.take_todo();
    feed.read_again(NOW);
    assert!(feed.take_todo().is_empty(), "nobody waits any more");
}

#[test]
fn a_hub_that_listens_without_a_reader_outlives_a_failed_read() {
    let (queue, mut sent) = mpsc::channel(1);
    let mut feed = feed();
    feed.serve_requests(vec![join(&queue, None)], NOW);
    feed.take_todo();
    feed.finish_read(Err(Error::unavailable(1)), NOW);
    assert!(sent.try_recv().is_err(), "nobody is told");
    feed.take_todo();
    feed.read_again(NOW);
    assert!(matches!(feed.take_todo()[..], [Todo::Read(_)]));
    feed.finish_read(head_alone(), NOW);
    let told = sent.try_recv();
    assert!(matches!(told, Ok(Delivery::Listening { just_started: true, .. })), "{told:?}");
}

#[test]
fn every_hub_that_joins_before_the_head_is_known_hears_that_the_session_has_just_started() {
    let (queue, mut sent) = mpsc::channel(9);
    let listen = |hub| SessionRequest::Join(Join { hub, queue: queue.clone(), reader: None });
    let mut feed = feed();
    feed.serve_requests(vec![listen(1)], NOW);
    feed.serve_requests(vec![listen(2)], NOW);
    feed.finish_read(head_alone(), NOW);
    feed.serve_requests(vec![listen(3)], NOW);
    let mut told = Vec::new();
    while let Ok(Delivery::Listening { just_started, .. }) = sent.try_recv() {
        told.push(just_started);
    }
    assert_eq!(told, [true, true, false]);
}

#[test]
fn a_hub_without_room_hears_of_the_start_although_a_later_read_failed() {
    let (queue, mut sent) = mpsc::channel(1);
    let mut feed = feed();
    feed.serve_requests(vec![join(&queue, None)], NOW);
    queue.try_send(Delivery::Close { socket: 1, code: 4000 }).unwrap();
    feed.finish_read(head_alone(), NOW);
    let head = Head { channel: Channel::Plans, epoch: "e1".into(), seq: 8 };
    feed.compare_head(&head, NOW);
    feed.finish_read(Err(Error::unavailable(1)), NOW);
    sent.try_recv().unwrap();
    feed.retry(NOW);
    let told = sent.try_recv();
    assert!(matches!(told, Ok(Delivery::Listening { just_started: true, .. })), "{told:?}");
}

#[test]
fn what_a_failed_read_was_to_bring_is_read_again() {
    let (queue, _sent) = mpsc::channel(9);
    let mut feed = feed();
    feed.serve_requests(vec![join(&queue, None)], NOW);
    feed.finish_read(head_alone(), NOW);
    feed.take_todo();
    let head = Head { channel: Channel::Plans, epoch: "e1".into(), seq: 8 };
    feed.compare_head(&head, NOW);
    assert!(matches!(feed.take_todo()[..], [Todo::Read(_)]));
    feed.finish_read(Err(Error::unavailable(1)), NOW);
    feed.take_todo();
    feed.read_again(NOW);
    assert!(matches!(
        feed.take_todo()[..],
        [Todo::Read(RequiredReads { after: Some(7), snapshot: false })]
    ));
}

#[test]
fn a_failed_read_is_repeated_once_however_many_asked() {
    let (queue, _sent) = mpsc::channel(9);
    let mut feed = feed();
    for socket in 1..=3 {
        feed.serve_requests(vec![join(&queue, Some(socket))], NOW);
        feed.finish_read(Err(Error::unavailable(1)), NOW);
    }
    let again = |todo: &&Todo| matches!(todo, Todo::ReadAgain);
    assert_eq!(feed.take_todo().iter().filter(again).count(), 1);
}

#[test]
fn a_channel_without_readers_is_unused_however_many_events_it_has() {
    let (queue, _sent) = mpsc::channel(9);
    let mut feed = feed();
    assert_eq!(feed.serve_requests(vec![join(&queue, None)], NOW), None);
    feed.finish_read(head_alone(), NOW);
    let left = feed.serve_requests(vec![SessionRequest::Leave(1)], NOW).unwrap();
    feed.append(vec![event("e1", 8)], NOW);
    assert!(feed.is_unused_since(left));
    feed.serve_requests(vec![join(&queue, None)], NOW);
    assert!(!feed.is_unused_since(left), "it is read again");
    let last = feed.serve_requests(vec![SessionRequest::Leave(1)], NOW).unwrap();
    assert!(!feed.is_unused_since(left), "the time begins anew");
    assert!(feed.is_unused_since(last));
}

#[test]
fn a_hub_that_has_ended_is_sent_nothing_and_not_waited_for() {
    let (queue, sent) = mpsc::channel(9);
    let mut feed = listening(&queue);
    drop(sent);
    feed.append(vec![event("e1", 8)], NOW);
    feed.serve_requests(vec![join(&queue, Some(1))], NOW);
    assert!(feed.take_todo().is_empty());
    assert!(feed.hubs.is_empty() && feed.waiting.is_empty());
}
