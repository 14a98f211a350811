//! The frames of rt.v1 that belong to the connection (docs/contract.md, "Live protocol"): those of the client, and the
//! server's answers to them. The data envelopes are in `bipe_actors::envelope`. Every frame of a client is parsed here.

use bipe_actors::envelope::{Envelope, Since, wire_name};
use bipe_core::Code;
use bipe_core::event::{Channel, Head};
use bipe_core::id::UserId;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa::openapi::schema::{
    ArrayBuilder, KnownFormat, ObjectBuilder, Schema, SchemaFormat, Type,
};

pub const PROTOCOL: &str = "rt.v1";
/// Bytes of one text message, fragments included.
pub const MESSAGE_LIMIT: usize = 8 * 1024;

/// Close codes; the first two digits are the verdict.
pub mod close {
    pub const PROTOCOL: u16 = 4000;
    pub const BAD_FRAME: u16 = 4003;
    pub const REVOKED: u16 = 4004;
    pub const TOO_MANY: u16 = 4006;
    pub const NO_PONG: u16 = 4107;
    pub const SLOW: u16 = 4108;
    pub const RATE_LIMITED: u16 = 4109;
    pub const SHUTTING_DOWN: u16 = 4201;
    pub const EXPIRED: u16 = 4301;
    pub const RESUME_REFUSED: u16 = 4302;
    /// RFC 6455: try again later. The server cannot answer now.
    pub const UNAVAILABLE: u16 = 1013;
}

/// A channel that the client wants to read: from its position on, or without one from the state.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[schema(as = Wanted)]
pub struct RequestedChannel {
    pub channel: String,
    pub since: Option<Since>,
}

/// From the client. `hello` is the first one and due within five seconds.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum ClientFrame {
    /// With a ticket, or on a reconnect with the `resume` of the last `welcome` or `ping`.
    Hello {
        id: u64,
        ticket: Option<String>,
        resume: Option<String>,
        #[serde(default)]
        subscriptions: Vec<RequestedChannel>,
    },
    Subscribe {
        id: u64,
        channel: String,
        since: Option<Since>,
    },
    Unsubscribe {
        id: u64,
        channel: String,
    },
    Sync {
        id: u64,
        channel: String,
        since: Option<Since>,
    },
    Refresh {
        id: u64,
        ticket: String,
    },
    /// Data envelopes received since `welcome`.
    Ack {
        frames: u64,
    },
    Pong {
        n: u64,
    },
}

/// One object or an array of them. None for anything else.
pub fn parse(text: &str) -> Option<Vec<ClientFrame>> {
    if text.trim_start().starts_with('[') {
        return serde_json::from_str(text).ok();
    }
    serde_json::from_str(text).ok().map(|frame| vec![frame])
}

/// The channel that a client of this person names.
pub fn channel_of(name: &str, user: UserId) -> Option<Channel> {
    if name == "user" {
        return Some(Channel::User(user));
    }
    // A person's channel is called `user` on the wire; its stored name with the id is refused.
    Channel::parse_stored(name).filter(|channel| !matches!(channel, Channel::User(_)))
}

#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Retry {
    pub base_ms: u32,
    pub cap_ms: u32,
    pub spread_ms: u32,
}

/// From the server, beside the data envelopes; never acknowledged.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum ServerFrame {
    // On each variant: the schema follows this, and not serde's attribute for all fields at once.
    #[serde(rename_all = "camelCase")]
    Welcome {
        id: u64,
        connection: String,
        server_time: Timestamp,
        expires_at: Timestamp,
        resume: String,
        heartbeat_ms: u64,
        window: usize,
        retry: Retry,
    },
    #[serde(rename_all = "camelCase")]
    Refreshed {
        id: u64,
        expires_at: Timestamp,
        resume: String,
    },
    /// Channel, epoch, sequence number.
    Heads {
        #[schema(schema_with = heads_schema)]
        heads: Vec<(String, String, i64)>,
    },
    /// Every third one brings a fresh resume token.
    Ping {
        n: u64,
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schema(nullable = false)]
        resume: Option<String>,
    },
    Ok {
        id: u64,
    },
    Unsubscribed {
        channel: String,
        code: Code,
    },
    #[serde(rename_all = "camelCase")]
    Drain {
        after_ms: u64,
    },
}

/// As the derived one, but for its `items: false`: generators of clients refuse the whole document because of it.
fn heads_schema() -> Schema {
    let of = |kind: Type| ObjectBuilder::new().schema_type(kind);
    let seq = of(Type::Integer).format(Some(SchemaFormat::KnownFormat(KnownFormat::Int64)));
    let head = ArrayBuilder::new().prefix_items([of(Type::String), of(Type::String), seq]);
    ArrayBuilder::new().items(head.min_items(Some(3)).max_items(Some(3))).into()
}

impl ServerFrame {
    /// Where the channels of a socket stand.
    pub fn of_heads(heads: Vec<Head>) -> Self {
        let told = |head: Head| (wire_name(head.channel), head.epoch.to_string(), head.seq);
        Self::Heads { heads: heads.into_iter().map(told).collect() }
    }

    pub fn envelope(&self) -> Envelope {
        // Strings, numbers and fixed words alone: writing them cannot fail.
        Envelope::of(self).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn client_frames_read_as_the_contract_writes_them() {
        let hello = parse(concat!(
            r#"{"type":"hello","id":1,"ticket":"t","subscriptions":[{"channel":"company/018f","#,
            r#""since":{"epoch":"7c1f","seq":1041}},{"channel":"user"}]}"#
        ));
        let Some([ClientFrame::Hello { id: 1, ticket: Some(_), resume: None, subscriptions }]) =
            hello.as_deref()
        else {
            panic!("{hello:?}")
        };
        assert_eq!(subscriptions[0].since, Some(Since { epoch: "7c1f".into(), seq: 1041 }));
        assert_eq!(subscriptions[1].channel, "user");
        let two = parse(r#"[{"type":"ack","frames":96},{"type":"pong","n":17}]"#).unwrap();
        assert_eq!(two, [ClientFrame::Ack { frames: 96 }, ClientFrame::Pong { n: 17 }]);
    }

    #[test]
    fn what_is_no_frame_is_refused() {
        for text in ["", "{", "7", "null", "[1]", "{}", r#"{"type":"shout"}"#, r#"{"type":"ack"}"#]
        {
            assert_eq!(parse(text), None, "{text}");
        }
        assert_eq!(parse(r#"{"type":"ack","frames":-1}"#), None);
        assert_eq!(parse(&"[".repeat(8_000)), None);
    }

    #[test]
    fn a_persons_channel_has_one_name() {
        let user = UserId("018f0000-0000-7000-8000-000000000001".parse().unwrap());
        assert_eq!(channel_of("user", user), Some(Channel::User(user)));
        assert_eq!(channel_of(&format!("user/{user}"), user), None);
        assert_eq!(channel_of("plans", user), Some(Channel::Plans));
        assert_eq!(channel_of("company/x", user), None);
    }

    #[test]
    fn server_frames_read_as_the_contract_writes_them() {
        let text = |frame: ServerFrame| frame.envelope().text().to_owned();
        assert_eq!(text(ServerFrame::Ping { n: 17, resume: None }), r#"{"type":"ping","n":17}"#);
        assert_eq!(text(ServerFrame::Ok { id: 3 }), r#"{"type":"ok","id":3}"#);
        assert_eq!(
            text(ServerFrame::Drain { after_ms: 7300 }),
            r#"{"type":"drain","afterMs":7300}"#
        );
        let heads = ServerFrame::Heads { heads: vec![("plans".into(), "7c1f".into(), 1051)] };
        assert_eq!(text(heads), r#"{"type":"heads","heads":[["plans","7c1f",1051]]}"#);
        let gone = ServerFrame::Unsubscribed { channel: "plans".into(), code: Code::Forbidden };
        assert_eq!(text(gone), r#"{"type":"unsubscribed","channel":"plans","code":"FORBIDDEN"}"#);
    }
}
