//! The inbox: its window, joined frames, resets, merges and order.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;

fn envelope(bytes: usize) -> Envelope {
    Envelope::of(&"x".repeat(bytes - 2)).unwrap()
}

/// Of the data envelopes that wait.
fn queued_bytes(inbox: &Inbox) -> usize {
    inbox.0.borrow().data_bytes
}

fn texts(inbox: &Inbox) -> Vec<String> {
    let mut texts = Vec::new();
    while let Some(SocketOutput::Text(text)) = inbox.take() {
        texts.push(text.to_string());
    }
    texts
}

#[test]
fn at_most_the_window_is_unacknowledged() {
    let inbox = Inbox::default();
    for seq in 0..300 {
        assert_eq!(inbox.put_event(Channel::Plans, seq, false, envelope(20)), None);
    }
    let sent: usize = texts(&inbox).iter().map(|text| text.matches('x').count() / 18).sum();
    assert_eq!(sent, WINDOW_FRAMES);
    assert!(inbox.is_blocked());
    assert!(inbox.acknowledge(100));
    assert!(!inbox.acknowledge(129), "more than was sent");
    assert!(inbox.acknowledge(90), "an older count says nothing new");
    let more: usize = texts(&inbox).iter().map(|text| text.matches('x').count() / 18).sum();
    assert_eq!(more, 100);
}

#[test]
fn the_window_counts_bytes_and_lets_one_large_envelope_through() {
    let inbox = Inbox::default();
    for seq in 0..9 {
        inbox.put_event(Channel::Plans, seq, false, envelope(10 * 1024));
    }
    assert_eq!(texts(&inbox).len(), 4, "48 KiB of 10 KiB each, none joined beyond 16 KiB");
    assert!(inbox.acknowledge(4));
    inbox.drop_channel(Channel::Plans);
    inbox.put_answer(Channel::Plans, vec![envelope(60 * 1024)]);
    assert_eq!(texts(&inbox).len(), 1);
}

#[test]
fn what_is_acknowledged_makes_room_again() {
    let inbox = Inbox::default();
    for seq in 0..12 {
        inbox.put_event(Channel::Plans, seq, false, envelope(10 * 1024));
    }
    for (acknowledged, waiting) in [(0, 8), (4, 4), (8, 0)] {
        assert!(inbox.acknowledge(acknowledged));
        assert_eq!(inbox.acknowledged(), acknowledged);
        assert_eq!(texts(&inbox).len(), 4);
        assert_eq!(queued_bytes(&inbox), waiting * 10 * 1024);
        assert_eq!(inbox.is_blocked(), waiting > 0);
    }
}

#[test]
fn answers_that_nobody_reads_are_128_at_most() {
    let inbox = Inbox::default();
    (0..200).for_each(|_| inbox.put_control(envelope(20)));
    let sent: usize = texts(&inbox).iter().map(|text| text.matches('x').count() / 18).sum();
    assert_eq!(sent, 128);
}

#[test]
fn a_frame_has_16_kib_with_its_brackets() {
    for (second, frames) in [(16 * 1024 - 1_003, 1), (16 * 1024 - 1_002, 2)] {
        let inbox = Inbox::default();
        inbox.put_answer(Channel::Plans, vec![envelope(1_000), envelope(second)]);
        let sent = texts(&inbox);
        assert_eq!(sent.len(), frames);
        assert!(sent.iter().all(|frame| frame.len() <= JOIN_BYTES));
    }
}

#[test]
fn a_frame_joins_64_envelopes_up_to_16_kib() {
    let inbox = Inbox::default();
    for seq in 0..100 {
        inbox.put_event(Channel::Plans, seq, false, envelope(20));
    }
    let frames = texts(&inbox);
    let counts: Vec<usize> =
        frames.iter().map(|f| serde_json::from_str::<Vec<String>>(f).unwrap().len()).collect();
    assert_eq!(counts, [64, 36]);
    let inbox = Inbox::default();
    for seq in 0..4 {
        inbox.put_event(Channel::Plans, seq, false, envelope(7 * 1024));
    }
    assert!(texts(&inbox).iter().all(|frame| frame.len() <= JOIN_BYTES));
}

#[test]
fn a_full_queue_resets_the_largest_channel_and_no_other() {
    let inbox = Inbox::default();
    inbox.put_event(Channel::AdminActivity, 1, false, envelope(100));
    let mut lost = None;
    for seq in 0..100 {
        lost = lost.or(inbox.put_event(Channel::Plans, seq, false, envelope(4 * 1024)));
        if lost.is_some() {
            break;
        }
    }
    assert_eq!(lost, Some(Channel::Plans));
    assert!(queued_bytes(&inbox) < 300);
    let all = texts(&inbox).concat();
    assert!(all.contains(r#""reason":"lagged""#) && all.contains("xxx"));
}

#[test]
fn the_queue_holds_256_kib_and_then_resets_the_largest_channel_whichever_came_first() {
    // Often, for the order in which channels are compared is random.
    for _ in 0..20 {
        let inbox = Inbox::default();
        assert_eq!(inbox.put_event(Channel::Plans, 1, false, envelope(OUTBOX_BYTES - 2)), None);
        assert_eq!(inbox.put_event(Channel::AdminMetrics, 1, false, envelope(2)), None);
        assert_eq!(queued_bytes(&inbox), OUTBOX_BYTES);
        let lost = inbox.put_event(Channel::AdminActivity, 1, false, envelope(2));
        assert_eq!(lost, Some(Channel::Plans));
    }
}

#[test]
fn an_answer_larger_than_the_queue_arrives_and_what_waits_behind_it_counts() {
    let inbox = Inbox::default();
    let state = || vec![envelope(2 * OUTBOX_BYTES), envelope(100)];
    assert_eq!(inbox.put_answer(Channel::Plans, state()), None);
    for frame in 0..2 {
        assert!(inbox.acknowledge(frame));
        assert_eq!(texts(&inbox).len(), 1);
    }
    assert!(inbox.acknowledge(2));
    assert_eq!(inbox.put_answer(Channel::Plans, state()), None);
    let event = |bytes| inbox.put_event(Channel::AdminActivity, 1, false, envelope(bytes));
    assert_eq!(event(OUTBOX_BYTES - 100), None);
    assert_eq!(event(2), Some(Channel::Plans));
}

#[test]
fn a_reset_takes_the_place_of_what_waits_in_its_channel() {
    let inbox = Inbox::default();
    inbox.put_event(Channel::Plans, 1, false, envelope(30));
    inbox.put_event(Channel::AdminMetrics, 1, false, envelope(4));
    inbox.reset(Channel::Plans, ResetReason::Epoch);
    let reset = r#"{"type":"reset","channel":"plans","reason":"epoch"}"#;
    assert_eq!(texts(&inbox), [format!(r#"["xx",{reset}]"#)]);
}

#[test]
fn nothing_merges_before_the_queue_is_half_full_nor_what_is_no_latest_value() {
    let inbox = Inbox::default();
    let value = |seq: i64| Envelope::of(&serde_json::json!({"seq": seq, "z": 1})).unwrap();
    let length = value(78).bytes();
    inbox.put_event(Channel::Plans, 1, false, envelope(OUTBOX_BYTES / 2 - length));
    for (seq, is_replaceable) in [(78, true), (79, true), (80, true), (81, false), (82, true)] {
        inbox.put_event(Channel::AdminMetrics, seq, is_replaceable, value(seq));
    }
    let expected =
        r#"[{"seq":78,"z":1},{"seq":80,"prev":78,"z":1},{"seq":81,"z":1},{"seq":82,"z":1}]"#;
    assert!(inbox.has_waiting(Channel::AdminMetrics) && !inbox.has_waiting(Channel::AdminActivity));
    assert_eq!(queued_bytes(&inbox), OUTBOX_BYTES / 2 - length + expected.len() - 5);
    texts(&inbox);
    assert!(inbox.acknowledge(1));
    assert_eq!(texts(&inbox), [expected]);
    assert!(!inbox.has_waiting(Channel::AdminMetrics));
}

#[test]
fn latest_values_merge_when_the_queue_is_half_full() {
    let inbox = Inbox::default();
    let value = |seq: i64| Envelope::of(&serde_json::json!({"seq": seq, "z": 1})).unwrap();
    inbox.put_event(Channel::Plans, 1, false, envelope(OUTBOX_BYTES / 2 + 100));
    for seq in 78..=91 {
        inbox.put_event(Channel::AdminMetrics, seq, true, value(seq));
    }
    let all = texts(&inbox).concat();
    inbox.acknowledge(1);
    let all = all + &texts(&inbox).concat();
    assert!(all.contains(r#"{"seq":91,"prev":77,"z":1}"#), "{}", &all[all.len() - 200..]);
}

#[test]
fn a_silent_socket_keeps_no_memory_of_a_burst() {
    let inbox = Inbox::default();
    for seq in 0..WINDOW_FRAMES {
        inbox.put_control(envelope(20));
        inbox.put_event(Channel::Plans, i64::try_from(seq).unwrap(), false, envelope(20));
    }
    while inbox.take().is_some() {}
    assert!(inbox.acknowledge(u64::try_from(WINDOW_FRAMES).unwrap()));
    let queues = inbox.0.borrow();
    let kept =
        [queues.control.capacity(), queues.data.capacity(), queues.unacknowledged.capacity()];
    assert!(kept.iter().all(|kept| *kept <= KEPT_ENTRIES), "{kept:?}");
    let small = Inbox::default();
    (0..KEPT_ENTRIES).for_each(|_| small.put_control(envelope(20)));
    while small.take().is_some() {}
    assert_eq!(small.0.borrow().control.capacity(), KEPT_ENTRIES, "a small one is kept");
}

#[test]
fn a_close_comes_after_the_answers_and_instead_of_data() {
    let inbox = Inbox::default();
    inbox.put_event(Channel::Plans, 1, false, envelope(30));
    assert_eq!(inbox.close_code(), None);
    inbox.close(4004);
    inbox.close(4108);
    assert_eq!(inbox.close_code(), Some(4004));
    inbox.put_control(envelope(10));
    assert!(matches!(inbox.take(), Some(SocketOutput::Text(text)) if text.len() == 10));
    assert_eq!(inbox.take(), Some(SocketOutput::Close(4004)));
    assert_eq!(inbox.take(), None);
}

#[test]
fn a_held_answer_is_sent_with_the_first_data_or_when_released() {
    let text = |n: u8| Envelope::of(&n).unwrap();
    let held = || {
        let inbox = Inbox::default();
        inbox.hold_answers();
        inbox.put_control(text(1));
        assert_eq!(texts(&inbox), Vec::<String>::new());
        inbox
    };
    let with_data = held();
    with_data.put_answer(Channel::Plans, vec![text(2), text(3)]);
    with_data.put_control(text(4));
    assert_eq!(texts(&with_data), ["[1,4,2,3]"]);
    with_data.put_control(text(5));
    assert_eq!(texts(&with_data), ["5"], "nothing is held twice");

    let released = held();
    released.release_answers();
    assert_eq!(texts(&released), ["1"]);

    let closed = held();
    closed.close(4004);
    assert_eq!(closed.take(), Some(SocketOutput::Text("1".into())));
    assert_eq!(closed.take(), Some(SocketOutput::Close(4004)));
}

#[test]
fn a_waiting_socket_is_woken_when_a_held_answer_is_released_and_not_before() {
    let inbox = Inbox::default();
    let (waker, woken) = counting_waker();
    let mut cx = Context::from_waker(&waker);
    inbox.hold_answers();
    assert!(inbox.poll_ready(&mut cx).is_pending());
    inbox.put_control(Envelope::of(&1).unwrap());
    assert!(inbox.poll_ready(&mut cx).is_pending());
    assert_eq!(woken.load(Ordering::Relaxed), 0);
    inbox.release_answers();
    assert_eq!(woken.load(Ordering::Relaxed), 1);
    assert!(inbox.poll_ready(&mut cx).is_ready());
}

/// A connection with room for so many texts.
struct Wire {
    is_idle: Cell<bool>,
    room: Cell<usize>,
    written: RefCell<Vec<String>>,
}

impl FrameWriter for Wire {
    fn is_idle(&self) -> bool {
        self.is_idle.get()
    }

    fn write(&self, text: &str) -> bool {
        let Some(room) = self.room.get().checked_sub(1) else {
            self.is_idle.set(false);
            return false;
        };
        self.room.set(room);
        self.written.borrow_mut().push(text.into());
        true
    }
}

#[test]
fn an_event_goes_past_the_socket_while_that_is_idle_and_within_the_window() {
    let (is_idle, room, written) = (Cell::new(true), Cell::new(200), RefCell::default());
    let wire = Rc::new(Wire { is_idle, room, written });
    let connection: Rc<dyn FrameWriter> = wire.clone();
    let inbox = Inbox::of_connection(Rc::downgrade(&connection));
    drop(connection);
    let (waker, woken) = counting_waker();
    let mut cx = Context::from_waker(&waker);
    let mut send = |events: &[i64]| {
        let _ = inbox.poll_ready(&mut cx);
        for event in events {
            inbox.put_event(Channel::Plans, *event, false, Envelope::of(event).unwrap());
        }
        inbox.send();
        (std::mem::take(&mut *wire.written.borrow_mut()), woken.swap(0, Ordering::Relaxed))
    };
    assert_eq!(send(&[1]), (vec!["1".to_owned()], 0), "nobody is woken");
    inbox.put_control(Envelope::of(&2).unwrap());
    assert_eq!(send(&[3, 4]), (vec!["[2,3,4]".to_owned()], 1), "in one frame behind the answer");

    wire.is_idle.set(false);
    assert_eq!(send(&[5]), (vec![], 1), "the task has something to write before it");
    wire.is_idle.set(true);
    assert_eq!(send(&[6]), (vec!["[5,6]".to_owned()], 0));

    wire.room.set(0);
    assert_eq!(send(&[7]), (vec![], 1), "the task writes what found no room");
    assert_eq!(send(&[8]), (vec![], 1));
    assert_eq!(texts(&inbox), ["8"], "and what comes behind that");

    wire.is_idle.set(true);
    wire.room.set(200);
    let many: Vec<i64> = (10..200).collect();
    let (written, woken) = send(&many);
    let sent: usize = written.iter().map(|text| text.split(',').count()).sum();
    assert_eq!((sent, woken), (WINDOW_FRAMES - 7, 0), "the rest waits for an acknowledgement");
    inbox.close(4004);
    assert!(inbox.acknowledge(100));
    let (written, woken) = send(&[]);
    assert!(written.is_empty() && woken > 0, "only the task closes: {written:?}");

    drop(wire);
    inbox.send();
    assert_eq!(inbox.take(), Some(SocketOutput::Close(4004)), "without its connection");
}

fn counting_waker() -> (Waker, Arc<AtomicUsize>) {
    struct Count(Arc<AtomicUsize>);
    impl std::task::Wake for Count {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }
    let count = Arc::new(AtomicUsize::new(0));
    (Arc::new(Count(count.clone())).into(), count)
}
