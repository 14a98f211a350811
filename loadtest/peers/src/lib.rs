//! What both broadcasters keep and how they run: the head and the last events, so that who comes back is told
//! what it missed. One worker, one thread: the state is that thread's own.

use std::cell::RefCell;
use std::collections::VecDeque;

use actix_web::web::ServiceConfig;
use actix_web::{App, HttpServer};
use bytestring::ByteString;

const KEPT: usize = 256;

#[derive(Default)]
pub struct Ring(RefCell<(u64, VecDeque<(u64, ByteString)>)>);

impl Ring {
    pub fn add(&self, text: ByteString) {
        let (head, events) = &mut *self.0.borrow_mut();
        *head += 1;
        events.push_back((*head, text));
        if events.len() > KEPT {
            events.pop_front();
        }
    }

    /// The answer to `since N`: what was missed, then `live`.
    pub fn answer(&self, asked: &str) -> Vec<ByteString> {
        let (head, events) = &*self.0.borrow();
        let since: u64 = asked.split(' ').nth(1).and_then(|n| n.parse().ok()).unwrap_or_default();
        let missed = events.iter().filter(|(seq, _)| since > 0 && *seq > since);
        let mut answer: Vec<ByteString> = missed.map(|(_, text)| text.clone()).collect();
        answer.push(format!(r#"{{"type":"live","channel":"all","seq":{head}}}"#).into());
        answer
    }
}

/// Serves the routes on a free port until it is stopped, and says which.
#[actix_web::main]
pub async fn serve(routes: fn(&mut ServiceConfig)) -> std::io::Result<()> {
    let server = HttpServer::new(move || App::new().configure(routes)).workers(1);
    let server = server.bind("127.0.0.1:0")?;
    for address in server.addrs() {
        println!("listening on http://{address}");
    }
    server.run().await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_comes_back_is_told_what_it_missed_and_a_newcomer_nothing() {
        let ring = Ring::default();
        for text in ["one", "two", "three"] {
            ring.add(text.into());
        }
        let live = r#"{"type":"live","channel":"all","seq":3}"#;
        assert_eq!(ring.answer("since 1"), ["two", "three", live]);
        assert_eq!(ring.answer("since 0"), [live]);
    }
}
