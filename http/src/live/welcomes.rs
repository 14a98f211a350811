//! Welcomes that wait a moment for the answers of their subscriptions, so that a client that comes back is told
//! everything in one write. `session` brings the socket, one task a worker lets go of all of them.
//!
//! Invariant: a welcome waits no longer than `PATIENCE`, whatever relay and database do.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use tokio::sync::Notify;

use super::sweeper::Watched;

/// An answer from memory takes a turn of two threads; nobody notices this on top of one from the database.
const PATIENCE: Duration = Duration::from_millis(50);

#[derive(Default)]
pub struct Welcomes {
    waiting: RefCell<Vec<Rc<Watched>>>,
    came: Notify,
}

impl Welcomes {
    /// The inbox holds the welcome already.
    pub fn wait(&self, socket: Rc<Watched>) {
        self.waiting.borrow_mut().push(socket);
        self.came.notify_one();
    }

    /// Never ends.
    pub async fn let_go(&self) {
        loop {
            self.came.notified().await;
            tokio::time::sleep(PATIENCE).await;
            for socket in self.waiting.take() {
                socket.inbox.let_go();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::rc::Weak;

    use bipe_actors::inbox::Out;
    use tokio::time::Instant;

    use super::super::frame::ServerFrame;
    use super::*;

    #[actix_web::test]
    async fn a_welcome_leaves_although_no_answer_comes() {
        let welcomes = Rc::new(Welcomes::default());
        let task = welcomes.clone();
        actix_web::rt::spawn(async move { task.let_go().await });
        for _ in 0..2 {
            let socket = Rc::new(Watched::new(Rc::default(), Weak::new(), Instant::now()));
            socket.inbox.hold();
            socket.inbox.control(ServerFrame::Ok { id: 1 }.envelope());
            assert_eq!(socket.inbox.take(), None);
            welcomes.wait(socket.clone());
            std::future::poll_fn(|cx| socket.inbox.poll_ready(cx)).await;
            assert!(matches!(socket.inbox.take(), Some(Out::Text(_))));
        }
        assert!(welcomes.waiting.borrow().is_empty());
    }
}
