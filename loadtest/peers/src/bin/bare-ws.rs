//! A bare broadcaster on actix-ws: a session a socket, a send a delivery, nothing else.

use std::rc::Rc;

use actix_web::{Error, HttpRequest, HttpResponse, web};
use actix_ws::{Message, Session};
use bipe_peers::Ring;
use bytestring::ByteString;
use futures_util::StreamExt;
use futures_util::lock::Mutex;

#[derive(Default)]
struct All {
    ring: Ring,
    sockets: Mutex<Vec<Session>>,
}

async fn connect(
    all: web::ThinData<Rc<All>>,
    request: HttpRequest,
    body: web::Payload,
) -> Result<HttpResponse, Error> {
    let (response, mut session, mut messages) = actix_ws::handle(&request, body)?;
    all.sockets.lock().await.push(session.clone());
    actix_web::rt::spawn(async move {
        while let Some(Ok(message)) = messages.next().await {
            let sent = match message {
                Message::Text(asked) => {
                    let mut sent = Ok(());
                    for text in all.ring.answer(&asked) {
                        sent = session.text(text).await;
                    }
                    sent
                }
                Message::Ping(bytes) => session.pong(&bytes).await,
                Message::Close(_) => return,
                _ => Ok(()),
            };
            if sent.is_err() {
                return;
            }
        }
    });
    Ok(response)
}

async fn publish(all: web::ThinData<Rc<All>>, text: String) -> HttpResponse {
    let text = ByteString::from(text);
    // Sending may wait, for room or for its turn; an event that came meanwhile would find half a list.
    let mut sockets = all.sockets.lock().await;
    all.ring.add(text.clone());
    let mut kept = Vec::with_capacity(sockets.len());
    for mut socket in sockets.drain(..) {
        if socket.text(text.clone()).await.is_ok() {
            kept.push(socket);
        }
    }
    *sockets = kept;
    HttpResponse::Ok().finish()
}

fn main() -> std::io::Result<()> {
    bipe_peers::serve(|config| {
        config
            .app_data(web::ThinData(Rc::<All>::default()))
            .route("/", web::get().to(connect))
            .route("/publish", web::post().to(publish));
    })
}
