//! What a hub tells of a channel whose reader lagged: its head, and nothing else until the reader asks.

use bipe_core::testing::TestDb;

use super::*;
use crate::bus::Bus;
use crate::envelope::live;
use crate::inbox::Out;
use crate::live::Sources;

const CHANNEL: Channel = Channel::Plans;

/// A hub whose orders stay where they are, and a socket that reads `plans` up to 5.
struct Scene {
    _test: TestDb,
    hub: Rc<Hub>,
    inbox: Rc<Inbox>,
    socket: SocketId,
}

impl Scene {
    async fn open() -> Self {
        let mut test = TestDb::new().await;
        let bus = Bus::Local(test.take_committed());
        let snapshot = Box::new(|_| -> futures_util::future::BoxFuture<'static, _> {
            Box::pin(async { Err(bipe_core::Error::not_found()) })
        });
        let sources =
            Sources::new((test.db.clone(), test.proof.clone()), snapshot, Box::new(|_| {}));
        let (hub, _deliveries) = Hub::new(Live::start(&actix::Arbiter::current(), bus, sources));
        let inbox = Rc::new(Inbox::default());
        let socket = hub.enter(UserId::new(test.db.clock()), inbox.clone());
        let scene = Self { _test: test, hub, inbox, socket };
        scene.ask();
        scene.answer(5);
        assert_eq!(scene.heads(), [("e1".to_owned(), 5)]);
        scene
    }

    fn ask(&self) {
        let wanted = Subscription { channel: CHANNEL, since: None, finance: true, request: 7 };
        assert!(self.hub.subscribe(self.socket, wanted));
    }

    fn generation(&self) -> u32 {
        self.hub.state.borrow().sockets[&self.socket].reads[&CHANNEL].generation
    }

    fn answer(&self, head: i64) {
        let envelopes = vec![live(CHANNEL, head).unwrap()];
        let (socket, generation) = (self.socket, self.generation());
        let epoch = "e1".into();
        self.hub.take(Delivery::Answer {
            channel: CHANNEL,
            socket,
            generation,
            envelopes,
            epoch,
            head,
        });
    }

    /// What heads say once everything that waits is written.
    fn heads(&self) -> Vec<(String, i64)> {
        self.written();
        self.hub.heads(self.socket).into_iter().map(|(_, epoch, seq)| (epoch, seq)).collect()
    }

    fn written(&self) -> String {
        let mut all = String::new();
        while let Some(Out::Text(text)) = self.inbox.take() {
            all.push_str(&text);
        }
        all
    }

    /// The readers that the relay is asked to answer, since the last call.
    fn readers(&self) -> usize {
        let orders = std::mem::take(&mut self.hub.state.borrow_mut().orders);
        let asks = |order: &&Command| matches!(order, Command::Join { reader: Some(_), .. });
        orders.iter().filter(asks).count()
    }
}

#[actix::test]
async fn a_lagged_reader_whose_session_is_lost_hears_nothing_until_it_asks_and_is_still_named() {
    let scene = Scene::open().await;
    scene.hub.start_anew(scene.socket, CHANNEL, false);
    assert!(scene.hub.heads(scene.socket).is_empty(), "not before it is told of the reset");
    assert_eq!(scene.heads(), [("e1".to_owned(), 5)]);
    scene.readers();
    scene.hub.take(Delivery::Lost { channel: CHANNEL });
    assert_eq!(scene.readers(), 0, "it has not asked");
    assert_eq!(scene.heads(), [("e1".to_owned(), 5)]);
    scene.hub.state.borrow_mut().stands(CHANNEL, ("e2".into(), 8));
    assert_eq!(scene.heads(), [("e2".to_owned(), 8)]);
    scene.ask();
    assert_eq!(scene.readers(), 1);
    assert!(scene.heads().is_empty(), "the answer is under way");
}

#[actix::test]
async fn a_reset_of_all_readers_names_where_the_channel_stands() {
    let scene = Scene::open().await;
    let (channel, epoch) = (CHANNEL, Arc::from("e1"));
    scene.hub.take(Delivery::Reset { channel, reason: ResetReason::Lagged, epoch, head: 9 });
    assert!(scene.written().contains(r#""reason":"lagged""#));
    assert_eq!(scene.heads(), [("e1".to_owned(), 9)]);
}

#[actix::test]
async fn a_sync_that_cannot_be_answered_may_be_asked_again() {
    let scene = Scene::open().await;
    scene.ask();
    let (socket, channel) = (scene.socket, CHANNEL);
    scene.hub.take(Delivery::Refused { channel, socket, generation: scene.generation() });
    let text = scene.written();
    assert!(text.contains(r#""retry":true,"channel":"plans""#), "{text}");
    assert!(scene.hub.reads(socket, channel).is_some(), "it reads the channel still");
    assert_eq!(scene.heads(), [("e1".to_owned(), 5)]);

    assert!(scene.hub.unsubscribe(socket, channel));
    scene.ask();
    scene.hub.take(Delivery::Refused { channel, socket, generation: scene.generation() });
    assert!(scene.hub.reads(socket, channel).is_none(), "a first question leaves nothing");
}
