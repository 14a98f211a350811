//! Which person says `hello`, and what that person may read. Called by the socket in a task of its own. An error is the
//! close code that the client gets.

use std::sync::Arc;

use bipe_core::auth::session::resume::SocketOwner;
use bipe_core::scope::{Access, SignedIn};

use super::Worker;
use super::frame::close;

impl Worker {
    /// The person and session of a ticket or of a resume token; exactly one of them is given.
    pub(super) async fn identify(
        &self,
        credentials: (Option<String>, Option<String>),
    ) -> Result<SocketOwner, u16> {
        let auth = &self.app.auth;
        match credentials {
            (Some(ticket), None) => {
                let found = auth.redeem_ticket(&ticket).await.map_err(unavailable)?;
                found.ok_or(close::EXPIRED)
            }
            (None, Some(resume)) => {
                auth.check_resume(&resume, self.app.clock.now()).ok_or(close::RESUME_REFUSED)
            }
            (None, None) => Err(close::EXPIRED),
            (Some(_), Some(_)) => Err(close::PROTOCOL),
        }
    }

    pub(super) async fn access(&self, who: SignedIn) -> Result<Arc<Access>, u16> {
        let found = self.app.live.access.read(&self.app.db, who).await.map_err(unavailable)?;
        found.ok_or(close::REVOKED)
    }
}

fn unavailable(error: bipe_core::Error) -> u16 {
    tracing::warn!(%error, "a socket cannot be served");
    close::UNAVAILABLE
}
