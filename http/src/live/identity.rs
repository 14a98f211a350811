//! Which person says `hello`, and what that person may read. Called by the socket in a task of its own. An error is the
//! close code that the client gets.

use std::sync::Arc;

use bipe_core::auth::session::resume::SocketOwner;
use bipe_core::scope::{Access, SignedIn};

use super::Worker;
use super::frame::close;

pub(super) enum Credential {
    Ticket(String),
    Resume(String),
}

impl Credential {
    /// A hello gives exactly one of them.
    pub(super) fn of_hello(ticket: Option<String>, resume: Option<String>) -> Result<Self, u16> {
        match (ticket, resume) {
            (Some(ticket), None) => Ok(Self::Ticket(ticket)),
            (None, Some(resume)) => Ok(Self::Resume(resume)),
            (None, None) => Err(close::EXPIRED),
            (Some(_), Some(_)) => Err(close::PROTOCOL),
        }
    }
}

impl Worker {
    /// The person and session that the credential proves.
    pub(super) async fn identify(&self, credential: Credential) -> Result<SocketOwner, u16> {
        let auth = &self.app.auth;
        match credential {
            Credential::Ticket(ticket) => {
                let found = auth.redeem_ticket(&ticket).await.map_err(unavailable)?;
                found.ok_or(close::EXPIRED)
            }
            Credential::Resume(resume) => {
                auth.check_resume(&resume, self.app.clock.now()).ok_or(close::RESUME_REFUSED)
            }
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
