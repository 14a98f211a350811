//! What a socket says and understands.

use std::time::Duration;

use bipe_swarm::herd::log::Kind;
use bipe_swarm::herd::speech::{Memory, Speech, Word};

fn hear(memory: &mut Memory, speech: Speech, text: &str) -> (Vec<Word>, Vec<u8>) {
    let (mut words, mut out) = (Vec::new(), Vec::new());
    memory.hear(speech, text.as_bytes(), &mut out, &mut |word| words.push(word));
    (words, out)
}

#[test]
fn a_joined_frame_is_taken_apart() {
    let mut memory = Memory::reading(&["company/a".into(), "user".into()]);
    let text = concat!(
        r#"[{"type":"welcome","id":1,"resume":"r1"},"#,
        r#"{"type":"snapshot","channel":"company/a","epoch":"e1","seq":7,"data":{"x":{"type":"none"}}},"#,
        r#"{"type":"live","channel":"company/a","seq":7}]"#
    );
    let (words, _) = hear(&mut memory, Speech::Bipe, text);
    assert_eq!(words.len(), 2, "not ready before every channel is live: {words:?}");
    assert_eq!(memory.resume, "r1");
    let (words, _) = hear(
        &mut memory,
        Speech::Bipe,
        concat!(
            r#"[{"type":"snapshot","channel":"user","epoch":"e2","seq":3,"data":{}},"#,
            r#"{"type":"live","channel":"user","seq":3},{"type":"event","channel":"company/a","seq":8,"#,
            r#""name":"company.updated","data":{"seq":99},"cause":"swarm-12-"}]"#
        ),
    );
    let event = Word::Told { channel: 0, kind: Kind::Event, seq: 8, cause: Some(12) };
    assert_eq!((words[2], words[3]), (Word::Ready, event));
    let mut out = Vec::new();
    memory.greet(Speech::Bipe, &mut out);
    let hello = String::from_utf8_lossy(&out);
    assert!(hello.contains(r#""resume":"r1""#), "{hello}");
    assert!(hello.contains(r#"{"channel":"company/a","since":{"epoch":"e1","seq":8}}"#), "{hello}");
}

#[test]
fn a_socket_hears_when_it_is_to_leave() {
    let mut memory = Memory::reading(&["plans".into()]);
    let (words, _) = hear(&mut memory, Speech::Bipe, r#"{"type":"drain","afterMs":7300}"#);
    assert_eq!(words, [Word::Leave { after: Duration::from_millis(7300) }]);
}

#[test]
fn envelopes_are_acknowledged_before_the_window_is_used_up() {
    let mut memory = Memory::reading(&["plans".into()]);
    let mut acknowledged = Vec::new();
    for seq in 1..=64 {
        let text = format!(r#"{{"type":"event","channel":"plans","seq":{seq}}}"#);
        let (_, out) = hear(&mut memory, Speech::Bipe, &text);
        if !out.is_empty() {
            acknowledged.push(String::from_utf8_lossy(&out[6..]).into_owned());
        }
    }
    assert_eq!(acknowledged, [r#"{"type":"ack","frames":32}"#, r#"{"type":"ack","frames":64}"#]);
}

#[test]
fn readers_in_other_places_acknowledge_other_events() {
    let first = |place: usize| {
        let mut memory = Memory::reading(&["plans".into()]).acknowledging_in_turn(place);
        memory.greet(Speech::Bipe, &mut Vec::new());
        let event = r#"{"type":"event","channel":"plans","seq":1}"#;
        (1..).find(|_| !hear(&mut memory, Speech::Bipe, event).1.is_empty())
    };
    assert_eq!([0, 1, 31, 32].map(first), [Some(1), Some(2), Some(32), Some(1)]);
}

#[test]
fn socket_io_is_resumed_by_its_private_id_and_offset() {
    let mut memory = Memory::reading(&["all".into()]);
    assert_eq!(&hear(&mut memory, Speech::SocketIo, r#"0{"sid":"s"}"#).1[6..], b"40");
    let (words, _) = hear(&mut memory, Speech::SocketIo, r#"40{"sid":"x","pid":"p1"}"#);
    assert_eq!(words, [Word::Ready]);
    let (words, _) = hear(
        &mut memory,
        Speech::SocketIo,
        r#"42["event",{"type":"event","seq":5,"cause":"swarm-5-"},"Of-1"]"#,
    );
    assert_eq!(words, [Word::Told { channel: 0, kind: Kind::Event, seq: 5, cause: Some(5) }]);
    let (_, out) = hear(&mut memory, Speech::SocketIo, r#"0{"sid":"s"}"#);
    assert_eq!(&out[6..], br#"40{"pid":"p1","offset":"Of-1"}"#);
}
