//! The inbox: its window, joined frames, resets, merges and order.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;

fn envelope(bytes: usize) -> Envelope {
    Envelope::of(&"x".repeat(bytes - 2)).unwrap()
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
        assert_eq!(inbox.event(Channel::Plans, seq, false, envelope(20)), None);
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
        inbox.event(Channel::Plans, seq, false, envelope(10 * 1024));
    }
    assert_eq!(texts(&inbox).len(), 4, "48 KiB of 10 KiB each, none joined beyond 16 KiB");
    assert!(inbox.acknowledge(4));
    inbox.drop_channel(Channel::Plans);
    inbox.answer(Channel::Plans, vec![envelope(60 * 1024)]);
    assert_eq!(texts(&inbox).len(), 1);
}

#[test]
fn a_frame_has_16_kib_with_its_brackets() {
    for (second, frames) in [(16 * 1024 - 1_003, 1), (16 * 1024 - 1_002, 2)] {
        let inbox = Inbox::default();
        inbox.answer(Channel::Plans, vec![envelope(1_000), envelope(second)]);
        let sent = texts(&inbox);
        assert_eq!(sent.len(), frames);
        assert!(sent.iter().all(|frame| frame.len() <= JOIN_BYTES));
    }
}

#[test]
fn a_frame_joins_64_envelopes_up_to_16_kib() {
    let inbox = Inbox::default();
    for seq in 0..100 {
        inbox.event(Channel::Plans, seq, false, envelope(20));
    }
    let frames = texts(&inbox);
    let counts: Vec<usize> =
        frames.iter().map(|f| serde_json::from_str::<Vec<String>>(f).unwrap().len()).collect();
    assert_eq!(counts, [64, 36]);
    let inbox = Inbox::default();
    for seq in 0..4 {
        inbox.event(Channel::Plans, seq, false, envelope(7 * 1024));
    }
    assert!(texts(&inbox).iter().all(|frame| frame.len() <= JOIN_BYTES));
}

#[test]
fn a_full_queue_resets_the_largest_channel_and_no_other() {
    let inbox = Inbox::default();
    inbox.event(Channel::AdminActivity, 1, false, envelope(100));
    let mut lost = None;
    for seq in 0..100 {
        lost = lost.or(inbox.event(Channel::Plans, seq, false, envelope(4 * 1024)));
        if lost.is_some() {
            break;
        }
    }
    assert_eq!(lost, Some(Channel::Plans));
    assert!(inbox.queued_bytes() < 300);
    let all = texts(&inbox).concat();
    assert!(all.contains(r#""reason":"lagged""#) && all.contains("xxx"));
}

#[test]
fn latest_values_merge_when_the_queue_is_half_full() {
    let inbox = Inbox::default();
    let value = |seq: i64| Envelope::of(&serde_json::json!({"seq": seq, "z": 1})).unwrap();
    inbox.event(Channel::Plans, 1, false, envelope(OUTBOX_BYTES / 2 + 100));
    for seq in 78..=91 {
        inbox.event(Channel::AdminMetrics, seq, true, value(seq));
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
        inbox.control(envelope(20));
        inbox.event(Channel::Plans, i64::try_from(seq).unwrap(), false, envelope(20));
    }
    while inbox.take().is_some() {}
    assert!(inbox.acknowledge(u64::try_from(WINDOW_FRAMES).unwrap()));
    let queues = inbox.0.borrow();
    let kept =
        [queues.control.capacity(), queues.data.capacity(), queues.unacknowledged.capacity()];
    assert!(kept.iter().all(|kept| *kept <= KEPT_ENTRIES), "{kept:?}");
}

#[test]
fn a_close_comes_after_the_answers_and_instead_of_data() {
    let inbox = Inbox::default();
    inbox.event(Channel::Plans, 1, false, envelope(30));
    inbox.close(4004);
    inbox.close(4108);
    inbox.control(envelope(10));
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
        inbox.control(text(1));
        assert_eq!(texts(&inbox), Vec::<String>::new());
        inbox
    };
    let with_data = held();
    with_data.answer(Channel::Plans, vec![text(2), text(3)]);
    with_data.control(text(4));
    assert_eq!(texts(&with_data), ["[1,4,2,3]"]);
    with_data.control(text(5));
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
    inbox.control(Envelope::of(&1).unwrap());
    assert!(inbox.poll_ready(&mut cx).is_pending());
    assert_eq!(woken.load(Ordering::Relaxed), 0);
    inbox.release_answers();
    assert_eq!(woken.load(Ordering::Relaxed), 1);
    assert!(inbox.poll_ready(&mut cx).is_ready());
}

/// A waker that counts.
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
