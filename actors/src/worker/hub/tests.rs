//! What a hub sends to a reader that lagged: the channel's head, and nothing else until the reader asks.

use bipe_core::clock::Clock;
use futures_util::FutureExt;

use super::*;
use crate::envelope::live;
use crate::worker::inbox::SocketOutput;

const CHANNEL: Channel = Channel::Plans;

/// A hub whose requests never leave it, and a socket that reads `plans` up to 5.
struct Scene {
    hub: Rc<Hub>,
    inbox: Rc<Inbox>,
    socket: SocketId,
}

impl Scene {
    fn open() -> Self {
        let (live, ..) = Live::without_relay();
        let (hub, _deliveries) = Hub::new(live);
        let inbox = Rc::new(Inbox::default());
        let socket = hub.add_socket(UserId::new(&Clock::system()), inbox.clone());
        let scene = Self { hub, inbox, socket };
        scene.ask();
        scene.answer(5);
        assert_eq!(scene.heads(), [("e1".to_owned(), 5)]);
        scene
    }

    fn ask(&self) {
        let wanted = SubscribeRequest {
            channel: CHANNEL,
            since: None,
            audience: Audience::Finance,
            request: 7,
        };
        assert!(self.hub.subscribe(self.socket, wanted));
    }

    fn generation(&self) -> u32 {
        self.hub.readers.borrow().sockets[&self.socket].subscriptions[&CHANNEL].generation
    }

    fn answer(&self, head: i64) {
        let envelopes = vec![live(CHANNEL, head).unwrap()];
        let (socket, generation) = (self.socket, self.generation());
        let (channel, head) = (CHANNEL, position("e1", head));
        self.hub.take(Delivery::Subscribed { channel, socket, generation, envelopes, head });
    }

    /// What heads say once everything that waits is written.
    fn heads(&self) -> Vec<(String, i64)> {
        self.written();
        let heads = self.hub.heads(self.socket).into_iter();
        heads.map(|head| (head.epoch.to_string(), head.seq)).collect()
    }

    fn written(&self) -> String {
        let mut all = String::new();
        while let Some(SocketOutput::Text(text)) = self.inbox.take() {
            all.push_str(&text);
        }
        all
    }

    /// The joins of readers that were requested since the last call.
    fn joins(&self) -> usize {
        let requests = std::mem::take(&mut self.hub.readers.borrow_mut().requests);
        let joins = |request: &&ChannelRequest| {
            matches!(request, ChannelRequest::Join { reader: Some(_), .. })
        };
        requests.iter().filter(joins).count()
    }
}

fn position(epoch: &str, seq: i64) -> Position {
    Position { epoch: epoch.into(), seq }
}

#[test]
fn a_lagged_reader_whose_session_is_lost_gets_only_heads_until_it_asks() {
    let scene = Scene::open();
    scene.hub.change_audience(scene.socket, CHANNEL, Audience::Operators);
    assert!(scene.hub.heads(scene.socket).is_empty(), "not before it is told of the reset");
    assert_eq!(scene.heads(), [("e1".to_owned(), 5)]);
    scene.joins();
    scene.hub.take(Delivery::SessionLost { channel: CHANNEL });
    assert_eq!(scene.joins(), 0, "it has not asked");
    assert_eq!(scene.heads(), [("e1".to_owned(), 5)]);
    scene.hub.readers.borrow_mut().set_head(CHANNEL, position("e2", 8));
    assert_eq!(scene.heads(), [("e2".to_owned(), 8)]);
    scene.ask();
    assert_eq!(scene.joins(), 1);
    assert!(scene.heads().is_empty(), "the answer is under way");
}

#[test]
fn after_a_reset_of_all_readers_heads_name_the_new_position() {
    let scene = Scene::open();
    let (channel, head) = (CHANNEL, position("e1", 9));
    scene.hub.take(Delivery::Reset { channel, reason: ResetReason::Lagged, head });
    assert!(scene.written().contains(r#""reason":"lagged""#));
    assert_eq!(scene.heads(), [("e1".to_owned(), 9)]);
}

#[test]
fn a_sync_that_cannot_be_answered_may_be_asked_again() {
    let scene = Scene::open();
    scene.ask();
    let (socket, channel) = (scene.socket, CHANNEL);
    scene.hub.take(Delivery::Refused { channel, socket, generation: scene.generation() });
    let text = scene.written();
    assert!(text.contains(r#""retry":true,"channel":"plans""#), "{text}");
    assert!(scene.hub.audience(socket, channel).is_some(), "it reads the channel still");
    assert_eq!(scene.heads(), [("e1".to_owned(), 5)]);

    assert!(scene.hub.unsubscribe(socket, channel));
    scene.ask();
    scene.hub.take(Delivery::Refused { channel, socket, generation: scene.generation() });
    assert!(scene.hub.audience(socket, channel).is_none(), "a first question leaves nothing");
}

#[tokio::test]
async fn after_a_reset_of_a_person_s_own_channel_the_person_s_sockets_are_checked_again() {
    let (live, _requests, queues) = Live::without_relay();
    let (hub, deliveries) = Hub::new(live);
    let person = UserId::new(&Clock::system());
    for channel in [CHANNEL, Channel::User(person)] {
        let (reason, head) = (ResetReason::Epoch, position("e2", 1));
        for queue in queues.all() {
            queue.send(Delivery::Reset { channel, reason, head: head.clone() }).await.unwrap();
        }
    }
    let notices = RefCell::new(Vec::new());
    hub.run(deliveries, |notice| notices.borrow_mut().push(notice)).now_or_never();
    assert_eq!(notices.into_inner(), [HubNotice::Listening { person, just_started: true }]);
}
