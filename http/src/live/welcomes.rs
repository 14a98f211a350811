//! Keeps welcomes back for a moment, until the answers to the subscriptions in the same hello arrive, so that a client
//! that reconnects gets everything in one write. `session` adds the socket; one task of the worker releases all.
//!
//! Invariant: a welcome waits no longer than `WELCOME_DELAY`, whatever relay and database do.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use tokio::sync::Notify;

use super::sweeper::SocketState;

/// How long a welcome waits. An answer from memory takes less; an answer from the database takes so long that this much
/// more is not noticed.
const WELCOME_DELAY: Duration = Duration::from_millis(50);

#[derive(Default)]
pub struct Welcomes {
    waiting: RefCell<Vec<Rc<SocketState>>>,
    added: Notify,
}

impl Welcomes {
    /// Adds a socket whose inbox holds its welcome back.
    pub fn add(&self, socket: Rc<SocketState>) {
        self.waiting.borrow_mut().push(socket);
        self.added.notify_one();
    }

    /// Releases the welcomes; never ends.
    pub async fn run(&self) {
        loop {
            self.added.notified().await;
            tokio::time::sleep(WELCOME_DELAY).await;
            for socket in self.waiting.take() {
                socket.inbox.release_answers();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::rc::Weak;

    use bipe_actors::worker::inbox::SocketOutput;
    use tokio::time::Instant;

    use super::super::frame::ServerFrame;
    use super::*;

    #[actix_web::test]
    async fn a_welcome_is_sent_although_no_answer_comes() {
        let welcomes = Rc::new(Welcomes::default());
        let task = welcomes.clone();
        actix_web::rt::spawn(async move { task.run().await });
        for _ in 0..2 {
            let socket =
                Rc::new(SocketState::new(Rc::default(), Weak::new(), Weak::new(), Instant::now()));
            socket.inbox.hold_answers();
            socket.inbox.put_control(ServerFrame::Ok { id: 1 }.envelope());
            assert_eq!(socket.inbox.take(), None);
            welcomes.add(socket.clone());
            std::future::poll_fn(|cx| socket.inbox.poll_ready(cx)).await;
            assert!(matches!(socket.inbox.take(), Some(SocketOutput::Text(_))));
        }
        assert!(welcomes.waiting.borrow().is_empty());
    }
}
