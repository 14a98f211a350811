//! The frames of a client, once their text is whole.

use bipe_actors::envelope::Since;
use bipe_core::event::Channel;
use bipe_core::id::UserId;
use bipe_http::live::frame::{ClientFrame, RequestedChannel, channel_of, parse};
use bipe_simulator::for_each_text;
use serde_json::{Value, json};

/// The shortest frame that there is: `{"type":"pong","n":0}`.
const SHORTEST: usize = 21;

const FRAMES: &[&str] = &[
    r#"{"type":"hello","id":1,"ticket":"t","subscriptions":["#,
    r#"{"type":"hello","id":1}"#,
    r#"{"channel":"user"}"#,
    r#"{"channel":"plans","since":{"epoch":"7c1f","seq":1041}}"#,
    r#"{"type":"subscribe","id":2,"channel":"plans"}"#,
    r#"{"type":"unsubscribe","id":3,"channel":"#,
    r#"{"type":"sync","id":4,"channel":"plans","since":"#,
    r#"{"type":"refresh","id":5,"ticket":"t"}"#,
    r#"{"type":"ack","frames":96}"#,
    r#"{"type":"pong","n":17}"#,
    r#"{"type":"#,
    r#""since":null"#,
    r#"{"epoch":"","seq":-9223372036854775808}"#,
    "[",
    "]",
    "]}",
    "}",
    ",",
    "18446744073709551615",
    "18446744073709551616",
    "1e3",
    "null",
    r"\u0000",
    r"\ud800",
    "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[",
    "\u{e9}",
    " ",
];

#[test]
fn a_frame_that_is_taken_is_written_and_read_again_as_the_same() {
    for_each_text!("frames", FRAMES, |text: &str| {
        let Some(frames) = parse(text) else { return };
        assert!(frames.len() * SHORTEST <= text.len(), "{} of {text}", frames.len());
        let written: Vec<Value> = frames.iter().map(written).collect();
        assert_eq!(parse(&Value::Array(written.clone()).to_string()), Some(frames.clone()));
        if let ([frame], [written]) = (frames.as_slice(), written.as_slice()) {
            assert_eq!(parse(&written.to_string()), Some(vec![frame.clone()]));
        }
    });
}

fn written(frame: &ClientFrame) -> Value {
    match frame {
        ClientFrame::Hello { id, ticket, resume, subscriptions } => {
            let subscriptions: Vec<Value> = subscriptions.iter().map(wanted).collect();
            json!({"type": "hello", "id": id, "ticket": ticket, "resume": resume, "subscriptions": subscriptions})
        }
        ClientFrame::Subscribe { id, channel, since } => {
            json!({"type": "subscribe", "id": id, "channel": channel, "since": since_of(since)})
        }
        ClientFrame::Unsubscribe { id, channel } => {
            json!({"type": "unsubscribe", "id": id, "channel": channel})
        }
        ClientFrame::Sync { id, channel, since } => {
            json!({"type": "sync", "id": id, "channel": channel, "since": since_of(since)})
        }
        ClientFrame::Refresh { id, ticket } => {
            json!({"type": "refresh", "id": id, "ticket": ticket})
        }
        ClientFrame::Ack { frames } => json!({"type": "ack", "frames": frames}),
        ClientFrame::Pong { n } => json!({"type": "pong", "n": n}),
    }
}

fn wanted(RequestedChannel { channel, since }: &RequestedChannel) -> Value {
    json!({"channel": channel, "since": since_of(since)})
}

fn since_of(since: &Option<Since>) -> Value {
    since.as_ref().map_or(Value::Null, |Since { epoch, seq }| json!({"epoch": epoch, "seq": seq}))
}

const CHANNELS: &[&str] = &[
    "user",
    "plans",
    "company/",
    "user/",
    "admin/metrics",
    "admin/activity",
    "018f0000-0000-7000-8000-000000000001",
    "018F0000-0000-7000-8000-00000000000A",
    "018f0000000070008000000000000001",
    "urn:uuid:",
    "{",
    "}",
    "/",
    " ",
    "\u{0}",
];

#[test]
fn a_channel_that_a_client_may_name_answers_by_that_name() {
    let person = UserId("018f0000-0000-7000-8000-000000000001".parse().unwrap());
    for_each_text!("channels", CHANNELS, |text: &str| {
        let Some(channel) = channel_of(text, person) else { return };
        let answered = match channel {
            Channel::User(user) => {
                assert_eq!(user, person, "nobody names another person's channel");
                "user".to_owned()
            }
            other => other.stored(),
        };
        assert_eq!(answered, text);
    });
}
