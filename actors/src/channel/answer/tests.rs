//! Which snapshots serve, and what a reader that joins is sent, in its order and its form.

use bipe_core::event::EventName;
use bipe_core::id::UserId;
use jiff::SignedDuration;
use uuid::Uuid;

use super::*;
use crate::envelope::Since;
use crate::messages::Position;

const NOW: Timestamp = Timestamp::UNIX_EPOCH;

/// What operators see of it differs.
fn forms(text: &str) -> EventForms {
    let form = |by: &str| Envelope::of(&format!("{text} {by}")).unwrap();
    EventForms { full: form("full"), restricted: Some(form("restricted")) }
}

/// A log that holds the events after `reaches`, up to `head`.
fn log(reaches: i64, head: i64) -> ChannelLog<LoggedEvent> {
    let mut log = ChannelLog::new(Position { epoch: "e1".into(), seq: reaches });
    for seq in reaches + 1..=head {
        let event = LoggedEvent {
            name: EventName::PlanUpdated.into(),
            forms: forms(&format!("logged {seq}")),
        };
        log.append("e1", seq, 1, event);
    }
    log
}

fn snapshot(epoch: &str, seq: i64, age: SignedDuration) -> Snapshot {
    Snapshot { epoch: epoch.into(), seq, forms: forms("state"), read_at: NOW - age }
}

fn reader(since: Option<i64>, audience: Audience) -> Reader {
    let since = since.map(|seq| Since { epoch: "e1".into(), seq });
    Reader { socket: 1, generation: 1, since, audience }
}

/// The texts of the envelopes; none when something is to be read.
fn texts(answer: Answer) -> Option<Vec<String>> {
    let Answer::Envelopes(envelopes) = answer else { return None };
    Some(envelopes.iter().map(|envelope| envelope.text().replace('"', "")).collect())
}

const FRESH: SignedDuration = SignedDuration::ZERO;

#[test]
fn a_snapshot_serves_while_it_is_new_and_the_log_goes_on_from_it() {
    let own = Channel::User(UserId(Uuid::nil()));
    let age = SignedDuration::from_millis;
    for (channel, reaches, epoch, seq, age, serves) in [
        (Channel::Plans, 100, "e1", 200, FRESH, true),
        (Channel::Plans, 100, "e1", 136, FRESH, true),
        (Channel::Plans, 100, "e1", 135, FRESH, false),
        (Channel::Plans, 100, "e1", 201, FRESH, false),
        (Channel::Plans, 100, "e2", 200, FRESH, false),
        (Channel::Plans, 190, "e1", 190, FRESH, true),
        (Channel::Plans, 190, "e1", 189, FRESH, false),
        (Channel::Plans, 100, "e1", 200, age(4_999), true),
        (Channel::Plans, 100, "e1", 200, age(5_000), false),
        (Channel::Plans, 100, "e1", 200, age(-1), false),
        (own, 100, "e1", 200, age(49), true),
        (own, 100, "e1", 200, age(50), false),
    ] {
        let (log, snapshot) = (log(reaches, 200), snapshot(epoch, seq, age));
        let memory = SessionMemory { channel, log: &log, snapshot: None, older: &[], now: NOW };
        assert_eq!(memory.serves(&snapshot), serves, "{channel:?} {epoch} {seq} {age:?}");
        let memory = SessionMemory { snapshot: Some(&snapshot), ..memory };
        let answer = memory.answer(&reader(None, Audience::Finance), DatabaseRead::NotYet).unwrap();
        assert_eq!(texts(answer).is_some(), serves, "else it is read");
    }
}

#[test]
fn a_replay_takes_from_the_database_what_the_log_no_longer_holds() {
    let log = log(5, 7);
    let older: Vec<_> = (2..=6).map(|seq| (seq, forms(&format!("read {seq}")))).collect();
    let memory = SessionMemory {
        channel: Channel::Plans,
        log: &log,
        snapshot: None,
        older: &older,
        now: NOW,
    };
    let replayed = |since, audience| {
        let database = DatabaseRead::Done { reaches: Some(1) };
        texts(memory.answer(&reader(Some(since), audience), database).unwrap()).unwrap()
    };
    let live = "{type:live,channel:plans,seq:7}";
    let whole = ["read 4 full", "read 5 full", "logged 6 full", "logged 7 full", live];
    assert_eq!(replayed(3, Audience::Finance), whole);
    assert_eq!(replayed(6, Audience::Operators), ["logged 7 restricted", live]);
    assert_eq!(replayed(4, Audience::Operators)[0], "read 5 restricted");
}

#[test]
fn what_memory_does_not_hold_is_read() {
    let log = log(5, 7);
    let memory =
        SessionMemory { channel: Channel::Plans, log: &log, snapshot: None, older: &[], now: NOW };
    for (since, after, snapshot) in
        [(Some(3), Some(3), false), (Some(9), Some(7), false), (None, None, true)]
    {
        let answer =
            memory.answer(&reader(since, Audience::Finance), DatabaseRead::NotYet).unwrap();
        let Answer::Read(needs) = answer else { panic!("{since:?} is answered") };
        assert_eq!((needs.after, needs.snapshot), (after, snapshot), "{since:?}");
    }
}

#[test]
fn a_start_is_a_reset_of_what_is_held_the_state_and_what_followed_it() {
    let (log, snapshot) = (log(5, 7), snapshot("e1", 6, FRESH));
    let older = [(7, forms("read 7"))];
    let memory = SessionMemory {
        channel: Channel::Plans,
        log: &log,
        snapshot: Some(&snapshot),
        older: &older,
        now: NOW,
    };
    let started = |since, audience| {
        let database = DatabaseRead::Done { reaches: None };
        texts(memory.answer(&reader(since, audience), database).unwrap()).unwrap()
    };
    let live = "{type:live,channel:plans,seq:7}";
    assert_eq!(started(None, Audience::Finance), ["state full", "logged 7 full", live]);
    let reset = "{type:reset,channel:plans,reason:expired}";
    let restricted = [reset, "state restricted", "logged 7 restricted", live];
    assert_eq!(started(Some(3), Audience::Operators), restricted);
}
