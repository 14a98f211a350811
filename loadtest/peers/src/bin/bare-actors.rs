//! A bare broadcaster on actix-web-actors: an actor a socket, a message a delivery, nothing else.

use std::cell::RefCell;
use std::rc::Rc;

use actix::{Actor, ActorContext, Addr, AsyncContext, Handler, Message, StreamHandler};
use actix_web::{Error, HttpRequest, HttpResponse, web};
use actix_web_actors::ws;
use bipe_peers::Ring;
use bytestring::ByteString;

#[derive(Default)]
struct All {
    ring: Ring,
    sockets: RefCell<Vec<Addr<Socket>>>,
}

struct Socket(Rc<All>);

#[derive(Message)]
#[rtype(result = "()")]
struct Text(ByteString);

impl Actor for Socket {
    type Context = ws::WebsocketContext<Self>;

    fn started(&mut self, ctx: &mut Self::Context) {
        self.0.sockets.borrow_mut().push(ctx.address());
    }
}

impl Handler<Text> for Socket {
    type Result = ();

    fn handle(&mut self, Text(text): Text, ctx: &mut Self::Context) {
        ctx.text(text);
    }
}

impl StreamHandler<Result<ws::Message, ws::ProtocolError>> for Socket {
    fn handle(&mut self, message: Result<ws::Message, ws::ProtocolError>, ctx: &mut Self::Context) {
        match message {
            Ok(ws::Message::Text(asked)) => {
                self.0.ring.answer(&asked).into_iter().for_each(|text| ctx.text(text));
            }
            Ok(ws::Message::Ping(bytes)) => ctx.pong(&bytes),
            Ok(ws::Message::Close(_)) | Err(_) => ctx.stop(),
            Ok(_) => {}
        }
    }
}

async fn connect(
    all: web::ThinData<Rc<All>>,
    request: HttpRequest,
    body: web::Payload,
) -> Result<HttpResponse, Error> {
    ws::start(Socket(all.0), &request, body)
}

#[expect(
    clippy::disallowed_methods,
    reason = "the fastest way that actix has, which is what is compared"
)]
async fn publish(all: web::ThinData<Rc<All>>, text: String) -> HttpResponse {
    let text = ByteString::from(text);
    all.ring.add(text.clone());
    all.sockets.borrow_mut().retain(Addr::connected);
    for socket in all.sockets.borrow().iter() {
        socket.do_send(Text(text.clone()));
    }
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
