//! Tells a connection when the head of a request has arrived and when its answer was handed over. `lib.rs` wraps this
//! middleware around all others.

use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

use actix_web::Error;
use actix_web::body::{BodySize, BoxBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::middleware::Next;
use actix_web::web::Bytes;
use tokio::time::Instant;

use super::Connection;

/// The exchange lasts until the body of the answer was handed over or dropped.
pub async fn track_exchange(
    request: ServiceRequest,
    next: Next<BoxBody>,
) -> Result<ServiceResponse<TrackedBody>, Error> {
    let connection = request.conn_data::<Rc<Connection>>().cloned();
    if let Some(connection) = &connection {
        connection.progress.request_began(Instant::now());
    }
    let exchange = ExchangeGuard(connection);
    let response = next.call(request).await?;
    Ok(response.map_body(|_, body| TrackedBody { body, _exchange: exchange }))
}

struct ExchangeGuard(Option<Rc<Connection>>);

impl Drop for ExchangeGuard {
    fn drop(&mut self) {
        if let Some(connection) = &self.0 {
            connection.progress.answer_handed_over();
        }
    }
}

/// The body of an answer. The exchange ends when it is dropped.
pub struct TrackedBody {
    body: BoxBody,
    _exchange: ExchangeGuard,
}

impl MessageBody for TrackedBody {
    type Error = <BoxBody as MessageBody>::Error;

    fn size(&self) -> BodySize {
        self.body.size()
    }

    fn poll_next(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Bytes, Self::Error>>> {
        Pin::new(&mut self.body).poll_next(cx)
    }
}
