//! The order of a channel as its pages were told it, against the events as they are stored. Pure.
//!
//! A page holds one beginning of the history: after its snapshot every event, once, in the stored order, over every cut
//! of its connection.

use std::fmt;

/// An event, as a frame or as a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    pub seq: i64,
    pub name: String,
    pub key: String,
    /// The name, the address or the state that the event brought.
    pub value: String,
}

/// What a page was told of its channel, in its order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Told {
    /// Everything is as of this event.
    Snapshot(i64),
    /// And the moment of the run at which it came.
    Event(Event, u64),
    /// The server gave the place up.
    Reset,
}

/// What may not be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finding {
    /// An event does not follow the one before it.
    Gap { after: i64, seq: i64 },
    /// Stored is something else under this number.
    Other { seq: i64 },
    /// Nothing disturbs any more, and the page has not heard of the newest events.
    Behind { at: i64, newest: i64 },
    /// No event of the history was forgotten, and the page was told to start anew.
    Reset { at: i64 },
    /// The numbers of the stored events have a hole.
    Hole { after: i64 },
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Gap { after, seq } => write!(f, "after {after} the page was told {seq}"),
            Self::Other { seq } => write!(f, "{seq} is stored as another event"),
            Self::Behind { at, newest } => write!(f, "the page ends at {at} of {newest}"),
            Self::Reset { at } => write!(f, "at {at} the page was told to start anew"),
            Self::Hole { after } => write!(f, "no event is stored behind {after}"),
        }
    }
}

/// Compares a page with the stored events, which are all of its channel; `newest` is the last that it has to know. An
/// event that comes again is no finding: a client leaves it out by its number.
pub fn check(told: &[Told], stored: &[Event], newest: i64) -> Vec<Finding> {
    let mut findings = holes(stored);
    let mut at = 0;
    for told in told {
        match told {
            Told::Snapshot(seq) => at = *seq,
            Told::Reset => findings.push(Finding::Reset { at }),
            Told::Event(event, _) => {
                let is_stored = stored.iter().any(|other| other == event);
                if !is_stored {
                    findings.push(Finding::Other { seq: event.seq });
                }
                if event.seq > at + 1 {
                    findings.push(Finding::Gap { after: at, seq: event.seq });
                }
                at = at.max(event.seq);
            }
        }
    }
    if at < newest {
        findings.push(Finding::Behind { at, newest });
    }
    findings
}

fn holes(stored: &[Event]) -> Vec<Finding> {
    let pairs = stored.iter().zip(stored.iter().skip(1));
    let holes = pairs.filter(|(one, next)| next.seq != one.seq + 1);
    holes.map(|(one, _)| Finding::Hole { after: one.seq }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(seq: i64, value: &str) -> Event {
        Event { seq, name: "company.updated".into(), key: "c".into(), value: value.into() }
    }

    fn stored() -> Vec<Event> {
        vec![event(1, "a"), event(2, "b"), event(3, "c"), event(4, "d")]
    }

    fn told(seq: i64, value: &str) -> Told {
        Told::Event(event(seq, value), 0)
    }

    #[test]
    fn every_event_in_order_is_right_also_when_one_comes_again() {
        let page = [Told::Snapshot(1), told(2, "b"), told(2, "b"), told(3, "c"), told(4, "d")];
        assert_eq!(check(&page, &stored(), 4), []);
        assert_eq!(check(&[Told::Snapshot(4)], &stored(), 4), []);
    }

    #[test]
    fn a_gap_another_event_and_a_page_that_is_behind_are_found() {
        let page = |told: &[Told]| check(&[&[Told::Snapshot(1)], told].concat(), &stored(), 4);
        let gap = [Finding::Gap { after: 2, seq: 4 }];
        assert_eq!(page(&[told(2, "b"), told(4, "d")]), gap);
        let other = page(&[told(2, "b"), told(3, "lost"), told(4, "d")]);
        assert_eq!(other, [Finding::Other { seq: 3 }]);
        assert_eq!(page(&[told(2, "b")]), [Finding::Behind { at: 2, newest: 4 }]);
        let page = [Told::Snapshot(2), Told::Reset, Told::Snapshot(4)];
        assert_eq!(check(&page, &stored(), 4), [Finding::Reset { at: 2 }]);
    }

    #[test]
    fn a_hole_in_what_is_stored_is_found() {
        let holed = [event(1, "a"), event(3, "c")];
        assert_eq!(check(&[Told::Snapshot(3)], &holed, 3), [Finding::Hole { after: 1 }]);
    }
}
