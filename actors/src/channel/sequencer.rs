//! Puts a channel's committed events into its log in order. Owned by the session; no clock, no database.
//!
//! Commits overtake each other on their way from the connection pool, so an event may arrive before the one it
//! follows. Such an early event waits here until the missing one arrives or is read from the database.

use std::collections::BTreeMap;

use bipe_core::event::{CommittedName, Event, Head};

use super::log::{Appended, ChannelLog, RING_EVENTS};
use crate::envelope::EventForms;
use crate::messages::Position;

/// Early events that wait at most. The newest are dropped first, because they are read from the database anyway.
const EARLY_EVENTS: usize = RING_EVENTS * 2;

/// What the log keeps of an event.
pub struct LoggedEvent {
    pub name: CommittedName,
    pub forms: EventForms,
}

#[derive(Default)]
pub struct Sequencer {
    /// None until the head was read from the database.
    log: Option<ChannelLog<LoggedEvent>>,
    early: BTreeMap<i64, Event>,
}

/// What `Sequencer::take_read` found out about the history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum History {
    Continued,
    /// The database has another epoch than the log had: readers start anew.
    Replaced,
}

impl Sequencer {
    pub fn log(&self) -> Option<&ChannelLog<LoggedEvent>> {
        self.log.as_ref()
    }

    /// An event is missing between the head and the early ones.
    pub fn has_early(&self) -> bool {
        !self.early.is_empty()
    }

    /// Appends every event that continues the log and keeps the others. Returns the names of those appended.
    pub fn take(&mut self, events: Vec<Event>) -> Vec<CommittedName> {
        for event in events {
            self.early.insert(event.seq, event);
        }
        while self.early.len() > EARLY_EVENTS {
            self.early.pop_last();
        }
        let mut appended = Vec::new();
        let Some(log) = &mut self.log else { return appended };
        while let Some((_, event)) = self.early.pop_first() {
            match append(log, &event) {
                Ok(Appended::Next) => appended.push(event.name),
                Ok(Appended::Duplicate) => {}
                Ok(Appended::Gap | Appended::OtherEpoch) => {
                    self.early.insert(event.seq, event);
                    break;
                }
                Err(error) => tracing::error!(error = %error, "an event is not JSON"),
            }
        }
        appended
    }

    /// Takes in what was read from the database. Returns the names of the events appended by it, too.
    pub fn take_read(&mut self, head: Head, events: Vec<Event>) -> (History, Vec<CommittedName>) {
        let Head { epoch, seq: head, .. } = head;
        let known = self.log.as_ref().map(ChannelLog::epoch);
        let is_other = known.is_some_and(|known| *known != epoch);
        if known.is_none() || is_other {
            // The events read fill the ring when they lead up to the head without a gap.
            let first = events.first().map_or(head, |event| event.seq - 1);
            let is_whole = events.last().is_none_or(|event| event.seq >= head);
            let seq = if is_whole { first } else { head };
            self.log = Some(ChannelLog::new(Position { epoch: epoch.clone(), seq }));
        }
        // An early event of another epoch never continues the log, and would hold up every event behind it.
        self.early.retain(|_, event| event.epoch == epoch);
        let mut appended = self.take(events);
        if self.log.as_ref().is_some_and(|log| log.head() < head) {
            // More was missed than is read at once: the log starts anew at the head, and the hubs are reset.
            self.early.retain(|seq, _| *seq > head);
            self.log = Some(ChannelLog::new(Position { epoch, seq: head }));
            appended.extend(self.take(Vec::new()));
        }
        (if is_other { History::Replaced } else { History::Continued }, appended)
    }
}

fn append(log: &mut ChannelLog<LoggedEvent>, event: &Event) -> serde_json::Result<Appended> {
    if event.seq <= log.head() && *event.epoch == **log.epoch() {
        return Ok(Appended::Duplicate);
    }
    let forms = EventForms::of_event(event)?;
    let bytes = forms.bytes();
    Ok(log.append(&event.epoch, event.seq, bytes, LoggedEvent { name: event.name.clone(), forms }))
}

#[cfg(test)]
mod model;

#[cfg(test)]
pub(super) mod tests {
    use bipe_core::event::{Channel, EventName, OperatorData};
    use jiff::Timestamp;

    use super::*;

    pub fn event(epoch: &str, seq: i64) -> Event {
        Event {
            channel: Channel::Plans,
            epoch: epoch.into(),
            seq,
            name: EventName::PlanUpdated.into(),
            key: String::new(),
            data: "{}".into(),
            operator_data: OperatorData::Same,
            cause: None,
            trace: None,
            at: Timestamp::UNIX_EPOCH,
        }
    }

    pub fn head(epoch: &str, seq: i64) -> Head {
        Head { channel: Channel::Plans, epoch: epoch.into(), seq }
    }

    #[test]
    fn an_event_of_a_lost_history_is_never_applied_and_does_not_stay_in_the_way() {
        let mut events = Sequencer::default();
        events.take_read(head("new", 1), Vec::new());
        assert_eq!(events.take(vec![event("lost", 2)]), []);
        assert!(events.has_early(), "the database is asked");
        let (history, appended) = events.take_read(head("new", 1), Vec::new());
        assert_eq!((history, appended.len()), (History::Continued, 0));
        assert!(!events.has_early());
        assert_eq!(events.take(vec![event("new", 2)]).len(), 1);
    }

    #[test]
    fn an_early_event_of_a_new_history_waits_until_the_database_tells_of_it() {
        let mut events = Sequencer::default();
        events.take_read(head("old", 5), Vec::new());
        assert_eq!(events.take(vec![event("new", 6)]), []);
        let (history, appended) = events.take_read(head("new", 5), Vec::new());
        assert_eq!((history, appended.len()), (History::Replaced, 1));
        assert_eq!(events.log().unwrap().head(), 6);
    }

    #[test]
    fn of_too_many_early_events_the_newest_are_dropped() {
        let mut events = Sequencer::default();
        events.take_read(head("e", 0), Vec::new());
        assert_eq!(events.take((2..=514).map(|seq| event("e", seq)).collect()), []);
        let kept = (events.early.len(), events.early.last_key_value().map(|(seq, _)| *seq));
        assert_eq!(kept, (512, Some(513)));
        assert_eq!(events.take(vec![event("e", 1)]).len(), 512, "one more pushes the last out");
    }

    #[test]
    fn a_log_that_starts_anew_at_the_head_goes_on_with_the_early_events_behind_it() {
        let mut events = Sequencer::default();
        events.take_read(head("e", 5), Vec::new());
        assert_eq!(events.take(vec![event("e", 8), event("e", 11)]), []);
        let (history, appended) = events.take_read(head("e", 10), Vec::new());
        assert_eq!((history, appended.len()), (History::Continued, 1));
        assert_eq!((events.log().unwrap().head(), events.has_early()), (11, false));
    }
}
